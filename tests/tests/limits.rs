//! `docs/LIMITS.md` is true: every constant that it names has the value it gives, and every limit in
//! the code is on the page.

use babycuda_semantics as semantics;
use babycuda_smt as smt;
use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

const CRATES: [&str; 12] = [
    "cli",
    "core",
    "files",
    "frontend",
    "gpu",
    "protocols",
    "report",
    "semantics",
    "smt",
    "traces",
    "typing",
    ".",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page() -> String {
    read_to_string(root().join("docs/LIMITS.md")).unwrap()
}

/// `1 << 20`, `60_000`, `Duration::from_secs(1)`
fn value(text: &str) -> Option<u64> {
    let text = text.trim().trim_start_matches("Duration::from_secs(").trim_end_matches(')');
    match text.split_once("<<") {
        Some((l, r)) => Some(value(l)? << value(r)?),
        None => text.trim().replace('_', "").parse().ok(),
    }
}

/// The constants of a source file: names, and what stands behind `=`.
fn constants(source: &str) -> Vec<(String, String)> {
    let constant = |line: &str| {
        let (_, rest) = line.split_once("const ")?;
        let (name, rest) = rest.split_once(':')?;
        let (_, value) = rest.split_once('=')?;
        Some((name.trim().to_owned(), value.trim().trim_end_matches(';').to_owned()))
    };
    source.split("#[cfg(test)]").next().unwrap_or("").lines().filter_map(constant).collect()
}

/// The cells of the page's rows that name constants in backquotes, with the values beside them.
fn named() -> Vec<(String, u64)> {
    let mut named = Vec::new();
    for row in page().lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let names: Vec<&str> = cells[3].split('`').skip(1).step_by(2).collect();
        if !names.iter().any(|name| name.contains(".rs: ") || name.contains("::")) {
            continue;
        }
        let values: Vec<u64> = cells[2]
            .split(", ")
            .map(|text| match text.strip_suffix(" GiB") {
                Some(n) => n.parse::<u64>().unwrap() << 30,
                None => text.replace(',', "").parse().unwrap_or_else(|_| panic!("{row}: {text}")),
            })
            .collect();
        assert_eq!(names.len(), values.len(), "{row}");
        named.extend(names.into_iter().map(str::to_owned).zip(values));
    }
    named
}

#[test]
fn the_page_has_the_values_of_the_constants() {
    let run = semantics::RunLimits::default();
    let check = babycuda::CheckOptions::default();
    let mut compared = 0;
    for (name, said) in named() {
        let actual = match name.as_str() {
            "semantics::RunLimits::threads" => run.threads,
            "semantics::RunLimits::steps" => run.steps,
            "semantics::RunLimits::number_bits" => run.number_bits,
            "enumerate::EnumerationLimits::steps" => check.limits.steps,
            "enumerate::EnumerationLimits::memory" => check.limits.memory,
            "smt::QueryLimits::gates" => smt::QueryLimits::default().gates as u64,
            "CheckOptions::replay_steps" => check.replay_steps,
            constant => {
                let (file, constant) = constant.split_once(": ").unwrap();
                let source = read_to_string(root().join(file)).unwrap();
                let found = constants(&source).into_iter().find(|(name, _)| name == constant);
                let (_, text) = found.unwrap_or_else(|| panic!("{file} has no {constant}"));
                value(&text).unwrap_or_else(|| panic!("{file}: {constant} = {text}"))
            }
        };
        assert_eq!(said, actual, "{name}");
        compared += 1;
    }
    assert!(compared > 60, "{compared}");
    assert!(page().contains(&format!("| {} s |", check.timeout.as_secs())));
}

/// The command line says its defaults itself.
#[test]
fn the_page_has_the_defaults_of_the_options() {
    let args = read_to_string(root().join("cli/src/args.rs")).unwrap();
    for (option, default, said) in
        [("time_limit", "600.0", "| time | 600 s |"), ("memory_limit", "4096", "| 4096 MB |")]
    {
        assert!(page().contains(said), "{option}");
        let before = args.split_once(&format!("pub {option}:")).unwrap().0;
        let attribute = &before[before.rfind("#[arg").unwrap()..];
        assert!(attribute.contains(&format!("default_value_t = {default},")), "{attribute}");
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// By their names: the other constants are no limits of what is computed.
fn is_limit(name: &str) -> bool {
    name.starts_with("MAX_")
        || matches!(
            name,
            "LARGEST"
                | "DEEPEST"
                | "DEPTH"
                | "SHOWN"
                | "KEPT"
                | "UNROLL"
                | "BUDGET"
                | "MESSAGE"
                | "REFERENCE_STEPS"
                | "MAP_STEPS"
                | "SMALL_TIME"
                | "ENUMERATED_THREADS"
        )
}

/// Of CUDA, or of how something is laid out.
const NO_LIMITS: [&str; 6] = [
    "core/src/launch.rs: MAX_BLOCK_DIM",
    "core/src/launch.rs: MAX_BLOCK_THREADS",
    "core/src/launch.rs: MAX_GRID_DIM",
    "core/src/print/mod.rs: MAX_INDENT",
    "gpu/src/emit/body.rs: MAX_INDENT",
    "smt/src/script.rs: MAX_DEPTH",
];

#[test]
fn every_limit_of_the_code_is_on_the_page() {
    let named: BTreeSet<String> = named().into_iter().map(|(name, _)| name).collect();
    let mut missing = Vec::new();
    for name in CRATES {
        let mut found = Vec::new();
        files(&root().join(name).join("src"), &mut found);
        for path in found {
            let source = read_to_string(&path).unwrap();
            let file = path.strip_prefix(root()).unwrap();
            let file = file.strip_prefix(".").unwrap_or(file).display();
            for (constant, _) in constants(&source) {
                let name = format!("{file}: {constant}");
                let known = named.contains(&name) || NO_LIMITS.contains(&name.as_str());
                if is_limit(&constant) && !known {
                    missing.push(name);
                }
            }
        }
    }
    assert!(missing.is_empty(), "not in docs/LIMITS.md: {missing:#?}");
}
