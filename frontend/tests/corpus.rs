//! Every kernel of the corpus translates, and what it says of concrete launches is so.

mod common;

use babycuda_core::{Dim3, Launch, Stmt};
use babycuda_frontend::directives::{Expected, directives};
use babycuda_frontend::{Options, Overflow, Translation, parse_cuda};
use common::{Race, outcome};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn files() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "cu"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("text");
        (name.into_owned(), text)
    };
    paths.into_iter().map(read).collect()
}

fn extents(text: &str) -> Dim3 {
    let mut words = text.split(',').map(|word| word.parse().expect("an extent"));
    let [x, y, z] = [(); 3].map(|()| words.next().unwrap_or(1));
    Dim3 { x, y, z }
}

fn options(flags: &[String]) -> Options {
    let mut options = Options::default();
    for pair in flags.chunks(2) {
        let [flag, value] = pair else { panic!("a flag without a value: {flags:?}") };
        let split = || value.split_once('=').expect("NAME=VALUE");
        match flag.as_str() {
            "--block" => options.settings.block = Some(extents(value)),
            "--grid" => options.settings.grid = Some(extents(value)),
            "--param" => {
                let (name, value) = split();
                options.settings.params.insert(name.into(), value.parse().expect("a number"));
            }
            "-D" => {
                let (name, value) = split();
                options.defines.push((name.to_owned(), value.to_owned()));
            }
            "--overflow" => {
                assert!(matches!(value.as_str(), "assume-none" | "wrap"), "{value}");
                if value == "wrap" {
                    options.overflow = Overflow::Wrap;
                }
            }
            other => panic!("unknown flag {other}"),
        }
    }
    options
}

/// Is it an update, and something made of the value that it yields?
fn uses_update(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Atomic { var, body, .. } if body.free_vars().contains(var))
}

#[test]
fn the_corpus_is_large_enough() {
    let files = files();
    assert!(files.len() >= 60, "{}", files.len());
    for (name, text) in &files {
        let checks = directives(text).expect(name).checks;
        assert!(checks.len() >= 2, "{name}");
        let racy = |e: &Expected| matches!(e, Expected::Racy { .. });
        if name.contains("racy") {
            assert!(checks.iter().any(|c| racy(&c.expected[0])), "{name}");
        }
    }
}

#[test]
fn every_kernel_translates_or_says_why_not() {
    for (name, text) in files() {
        for kernel in parse_cuda(&text, &Options::default()).expect(&name) {
            match kernel.translation {
                Translation::Program(program) => {
                    assert!(!name.contains("unsupported"), "{name}");
                    assert!(!program.sources.spans.is_empty(), "{name}");
                }
                Translation::Unsupported(why) => {
                    assert!(name.contains("unsupported"), "{name}: {why}");
                }
            }
        }
    }
}

/// Concrete launches, by listing every access of every thread, for some contents of the inputs.
#[test]
fn concrete_launches_come_out_as_expected() {
    let mut decided = 0;
    for (name, text) in files() {
        for check in directives(&text).expect(&name).checks {
            let options = options(&check.flags);
            let mut kernels = parse_cuda(&text, &options).expect(&name);
            let place = format!("{name}:{}", check.line);
            let program = match kernels.pop().expect(&name).translation {
                Translation::Program(program) => program,
                Translation::Unsupported(_) => {
                    assert_eq!(check.expected, [Expected::Unknown], "{place}");
                    continue;
                }
            };
            let Some(block) = options.settings.block else { continue };
            if program.params.iter().any(|p| p.value.is_none()) {
                continue;
            }
            let grid = options.settings.grid.unwrap_or(Dim3::line(1));
            let mut found =
                (0..8).map(|contents| outcome(&program, Launch::new(grid, block), contents));
            // These contents need not be as assumed, and this list knows barriers of blocks only.
            if !program.contents_assumed.is_empty() || program.body.scoped_barrier().is_some() {
                continue;
            }
            if check.expected.contains(&Expected::Unknown) && check.expected.len() > 1 {
                // The truth depends on the data.
                continue;
            }
            if program.body.subterms().any(uses_update) {
                // What an update yields is free in a run.
                continue;
            }
            decided += 1;
            let wanted = check.expected.first().expect("an expectation");
            match wanted {
                Expected::Drf => {
                    for found in found.take(3) {
                        assert_eq!(found.races, BTreeSet::new(), "{place}\n{program}");
                        assert!(!found.divergent, "{place}");
                    }
                }
                Expected::Racy { kind, array, lines } => {
                    let wanted = (kind.as_str(), array.clone(), lines.0, lines.1);
                    let is_wanted = |r: &Race| (r.0, r.1.clone(), r.2, r.3) == wanted;
                    let there = found.any(|found| found.races.iter().any(is_wanted));
                    assert!(there, "{place}\n{program}");
                }
                Expected::Divergent => {
                    assert!(found.any(|found| found.divergent), "{place}");
                }
                Expected::Unknown => panic!("{place}: {program}"),
            }
        }
    }
    assert!(decided >= 100, "{decided}");
}
