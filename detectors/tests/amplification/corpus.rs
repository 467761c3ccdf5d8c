//! The kernels of the corpus, as LGAGJL12 Fig. 4 has those of the CUDA SDK: `docs/AMPLIFICATION.md`.

use super::*;
use babycuda_core::verdict::Outcome;
use babycuda_core::{AccessMode, Cell, Configuration, Dim3, Launch, Name, Thread};
use babycuda_detectors::Detector;
use babycuda_detectors::amplification::{
    Amplification, Input, VarianceKind, inputs, integrity, is_invariant, log, rewrite,
};
use babycuda_detectors::execute::{End, Limits, Schedule, run};
use babycuda_frontend::{Translation, parse_cuda};
use babycuda_typing::type_program;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What is said of a kernel.
struct Row {
    name: String,
    invariant: bool,
    rewritten: bool,
    typed: bool,
    text: String,
}

fn line(source: &str, kernel: &Kernel, at: At) -> usize {
    source[..kernel[at].bytes.start].lines().count().max(1)
}

fn row(path: &Path) -> Vec<Row> {
    let source = std::fs::read_to_string(path).expect("a file");
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let kernels = parse_cuda(&source, &Default::default()).expect("a file");
    let rows = kernels.into_iter().filter_map(|found| {
        let kernel = found.tree?;
        kernel.check().expect("a well-formed tree");
        let Translation::Program(program) = &found.translation else { return None };
        let typed = type_program(program).is_ok();
        let analysis = invariance(&kernel, &data(&kernel));
        let (other, _) = rewrite(&kernel, &data(&kernel));
        other.check().expect("a well-formed tree");
        let rewritten = invariance(&other, &data(&other)).holds();
        let decide = match integrity(&kernel) {
            Ok(inputs) => {
                let names = inputs.iter().map(|input| format!("`{}`", input.name(&kernel)));
                names.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
            }
            Err(_) => "not only inputs".to_owned(),
        };
        let kinds = analysis.variances.iter().map(|variance| {
            let line = line(&source, &kernel, variance.at);
            let kind = match &variance.kind {
                VarianceKind::Address => "address",
                VarianceKind::Guard => "guard",
                VarianceKind::Barrier => "barrier",
                VarianceKind::Unknown(construct) => construct,
            };
            format!("{kind} in line {line}")
        });
        let kinds: Vec<String> = kinds.collect::<BTreeSet<_>>().into_iter().collect();
        let shown = match &kinds[..] {
            [] => String::new(),
            [one] => one.clone(),
            [one, rest @ ..] => format!("{one}, and {} more", rest.len()),
        };
        let invariant = analysis.holds();
        let yes = |is: bool| if is { "yes" } else { "" };
        let said = if invariant {
            "yes"
        } else if rewritten {
            "rewritten"
        } else {
            ""
        };
        let text = format!("| {name} | {said} | {decide} | {shown} | {} |", yes(typed));
        Some(Row { name: name.clone(), invariant, rewritten, typed, text })
    });
    rows.collect()
}

fn rows() -> Vec<Row> {
    paths().iter().flat_map(|path| row(path)).collect()
}

fn paths() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpus");
    let entries = std::fs::read_dir(folder).expect("the corpus");
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "cu")).collect();
    paths.sort();
    paths
}

/// T5: what has a type is invariant. The table is that of the kernels, and the differences are those named.
#[test]
fn the_table_is_current() {
    let rows = rows();
    let typed_alone: Vec<&str> =
        rows.iter().filter(|r| r.typed && !r.invariant).map(|r| r.name.as_str()).collect();
    let invariant_alone = rows.iter().filter(|r| !r.typed && r.invariant).map(|r| r.name.as_str());
    let invariant_alone: Vec<&str> = invariant_alone.collect();
    let count = |holds: fn(&Row) -> bool| rows.iter().filter(|row| holds(row)).count();
    let mut page = String::from(
        "| kernel | invariant | property-integrity inputs | what breaks it | typed |\n|---|---|---|---|---|\n",
    );
    for row in &rows {
        let _ = writeln!(page, "{}", row.text);
    }
    let of = rows.len();
    let _ = writeln!(
        page,
        "\nOf {of} kernels {} are access invariant, {} with the rewriting of Fig. 6, and {} have a type. Typed and \
         not invariant: {}. Invariant and not typed: {}.",
        count(|r| r.invariant),
        count(|r| r.rewritten),
        count(|r| r.typed),
        list(&typed_alone),
        list(&invariant_alone),
    );
    crate::common::holds_behind_its_mark("AMPLIFICATION.md", &page);
    // The fields of its `__constant__` structure are the same for all threads: the translation has them as
    // parameters. Here they are memory.
    assert_eq!(typed_alone, ["fields_by_value"]);
    // The table says both things often enough to mean something.
    assert!(count(|r| r.invariant) > 30 && count(|r| !r.invariant) > 30);
    assert!(rows.iter().all(|row| !row.invariant || row.rewritten));
}

/// A run of two blocks with these contents, if it is complete, as a set of who accessed what where and how.
fn logged(kernel: &Kernel, seed: u64, fixed: &BTreeSet<Input>) -> Option<BTreeSet<Accessed>> {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = move || {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % 24
    };
    let mut at = Configuration::of_launch(Launch::new(Dim3::line(2), Dim3::line(16)));
    for input in inputs(kernel) {
        let name = input.name(kernel);
        match input {
            Input::Value(_) => {
                let value = if fixed.contains(&input) { 20 } else { next() };
                at.parameters.insert(name, value.into());
            }
            Input::Contents(_) => {
                for index in 0..128u64 {
                    at.host.set(Cell::new(name.clone(), index), next().into());
                }
            }
        }
    }
    at.parameters
        .extend(kernel.template.iter().map(|v| (kernel[*v].name.as_str().into(), 16u64.into())));
    let run = run(kernel, &at, Schedule::InOrder, &Limits::default()).ok()?;
    let complete = run.stop.is_none() && run.ends.iter().all(|end| *end == End::Returned);
    let (entries, arrays) = log(&run.trace).ok().filter(|_| complete)?;
    let accessed = entries.into_iter().map(|e| {
        let array = arrays[e.array as usize].clone();
        (array, e.index, e.who(), (e.epoch, e.interval, e.stage), e.mode)
    });
    Some(accessed.collect())
}

type Accessed = (Name, u64, Thread, (u64, u64, u64), AccessMode);

/// Runs of an invariant kernel from different data make the same accesses; a rewritten kernel makes all of the
/// original's.
#[test]
fn invariant_kernels_access_the_same_whatever_the_data() {
    let (mut same, mut more, mut moved) = (0, 0, 0);
    for path in paths() {
        let source = std::fs::read_to_string(&path).expect("a file");
        for kernel in parse_cuda(&source, &Default::default()).expect("a file") {
            let Some(kernel) = kernel.tree else { continue };
            let all: BTreeSet<Input> = inputs(&kernel).into_iter().collect();
            let fixed = match integrity(&kernel) {
                Ok(decide) if is_invariant(&kernel) => decide,
                _ => all.clone(),
            };
            let runs = [1, 2, 3].map(|seed| logged(&kernel, seed, &fixed));
            if is_invariant(&kernel) {
                let complete: Vec<_> = runs.iter().flatten().collect();
                assert!(complete.windows(2).all(|two| two[0] == two[1]), "{}", path.display());
                same += usize::from(complete.len() > 1);
            } else {
                let complete: BTreeSet<_> = runs.iter().flatten().collect();
                moved += usize::from(complete.len() > 1);
            }
            let (other, branches) = rewrite(&kernel, &data(&kernel));
            if branches.is_empty() {
                continue;
            }
            for seed in 1..4 {
                let runs = [&kernel, &other].map(|kernel| logged(kernel, seed, &all));
                if let [Some(before), Some(after)] = runs {
                    assert!(before.is_subset(&after), "{}", path.display());
                    more += 1;
                }
            }
        }
    }
    assert!(same > 50 && moved > 20 && more > 5, "{same} {moved} {more}");
}

/// Verdicts at one launch, beside those that the files say are true for all launches and parameters.
#[test]
fn verdicts_are_true_of_the_corpus() {
    let (mut free, mut racy) = (0, 0);
    for path in paths() {
        let source = std::fs::read_to_string(&path).expect("a file");
        if source.contains("babycuda: assume") {
            continue;
        }
        let says = |what: &str| {
            source.lines().any(|line| line.starts_with(&format!("// babycuda: check => {what}")))
        };
        let tree = parse_cuda(&source, &Default::default()).expect("a file").remove(0).tree;
        let Some(kernel) = tree else { continue };
        let mut at = Configuration::threads(64);
        for input in inputs(&kernel) {
            at.parameters.insert(input.name(&kernel), 50u64.into());
        }
        let template = kernel.template.iter().map(|v| kernel[*v].name.as_str());
        at.parameters.extend(template.map(|name| (name.into(), 64u64.into())));
        let Ok(verdict) = Amplification::default().detect(&kernel, &at) else { continue };
        match verdict.outcome {
            Outcome::Drf => free += usize::from(says("drf")),
            Outcome::Racy => {
                assert!(!says("drf"), "{}: {:?}", path.display(), verdict.races);
                racy += usize::from(says("racy"));
            }
            _ => {}
        }
    }
    assert!(free > 12 && racy > 15, "{free} {racy}");
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
