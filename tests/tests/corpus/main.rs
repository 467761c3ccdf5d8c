//! Every kernel of the corpus has the verdicts that it says are true of it.
//!
//! `BABYCUDA_CORPUS=name` checks one kernel only; `BABYCUDA_CORPUS_TIMES=1` prints how long each
//! check took.

mod metamorphic;
mod twins;

use babycuda::core::evidence::{Certainty, Side};
use babycuda::core::json::{from_json, to_json};
use babycuda::core::verdict::Outcome;
use babycuda::core::{Dim3, Name, Program, Site};
use babycuda::frontend::directives::{Check, Expected, directives};
use babycuda::frontend::{self, Translation, parse_cuda};
use babycuda::{CheckOptions, Checked, Settings, check};
use babycuda_report::FileReport;
use babycuda_report::document::Document;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let only = std::env::var("BABYCUDA_CORPUS").ok();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "cu"))
        .filter(|path| only.as_ref().is_none_or(|o| path.file_stem().unwrap() == o.as_str()))
        .collect();
    files.sort();
    files
}

/// What a `check` directive fixes.
#[derive(Default)]
struct Flags {
    settings: Settings,
    defines: Vec<(String, String)>,
    overflow: frontend::Overflow,
}

fn flags(check: &Check) -> Flags {
    let dims = |text: &str| {
        let parts: Vec<u32> = text.split(',').map(|p| p.parse().unwrap()).collect();
        let at = |i: usize| parts.get(i).copied().unwrap_or(1);
        Dim3 { x: at(0), y: at(1), z: at(2) }
    };
    let pair = |text: &str| {
        let (name, value) = text.split_once('=').unwrap();
        (name.to_owned(), value.to_owned())
    };
    let mut flags = Flags::default();
    let mut words = check.flags.iter();
    while let Some(flag) = words.next() {
        let value = words.next().unwrap_or_else(|| panic!("{flag} needs a value"));
        match flag.as_str() {
            "--block" => flags.settings.block = Some(dims(value)),
            "--grid" => flags.settings.grid = Some(dims(value)),
            "--param" => {
                let (name, value) = pair(value);
                flags.settings.params.insert(Name::from(name), value.parse().unwrap());
            }
            "-D" => flags.defines.push(pair(value)),
            "--overflow" => flags.overflow = overflow(value),
            other => panic!("unknown flag {other}"),
        }
    }
    flags
}

fn overflow(value: &str) -> frontend::Overflow {
    match value {
        "assume-none" => frontend::Overflow::AssumeNone,
        "wrap" => frontend::Overflow::Wrap,
        other => panic!("--overflow {other}"),
    }
}

/// The verdict on the only kernel of a file; `Err` with the construct that is not supported.
fn run(source: &str, directive: &Check) -> Result<Checked, String> {
    let flags = flags(directive);
    let options = frontend::Options {
        defines: flags.defines,
        settings: flags.settings.clone(),
        overflow: flags.overflow,
        ..frontend::Options::default()
    };
    let mut kernels = parse_cuda(source, &options).map_err(|e| e.to_string())?;
    assert_eq!(kernels.len(), 1, "one kernel a file");
    let program = match kernels.remove(0).translation {
        Translation::Program(program) => program,
        Translation::Unsupported(unsupported) => return Err(unsupported.to_string()),
    };
    let declarations = flags.settings.apply(&program).map_err(|e| e.to_string())?;
    let program = declarations.around(program.body.clone());
    let options = CheckOptions { timeout: Duration::from_secs(20), ..CheckOptions::default() };
    let start = Instant::now();
    let found = check(&program, &options).map_err(|e| e.to_string());
    // So that the few that take long do not take twice as long.
    if start.elapsed() < Duration::from_secs(5) {
        let document: Program = from_json(&to_json(&program).unwrap()).unwrap();
        let read = check(&document, &options).map_err(|e| e.to_string());
        assert_eq!(found.as_ref().map(verdict), read.as_ref().map(verdict), "of its document");
    }
    found
}

/// The outcome, and what races with what.
fn verdict(checked: &Checked) -> (Outcome, Vec<(Name, Site, Site)>) {
    let races = checked.verdict.races.iter();
    let races = races.map(|race| (race.cell.array.clone(), race.first.site, race.second.site));
    (checked.verdict.outcome.clone(), races.collect())
}

/// Does the verdict say what the directive expects?
fn agrees(expected: &Expected, found: &Result<Checked, String>) -> bool {
    let Ok(checked) = found else { return *expected == Expected::Unknown };
    let verdict = &checked.verdict;
    match expected {
        Expected::Drf => verdict.outcome == Outcome::Drf,
        Expected::Divergent => verdict.outcome == Outcome::Divergent,
        Expected::Unknown => matches!(verdict.outcome, Outcome::Unknown(_)),
        Expected::Racy { kind, array, lines } => {
            verdict.outcome == Outcome::Racy
                && verdict.races.iter().any(|race| {
                    let spans = &checked.declarations.sources.spans;
                    let line = |side: &Side| spans.get(&side.site).map_or(0, |s| s.line);
                    let (a, b) = (line(&race.first), line(&race.second));
                    race.kind().to_string() == *kind
                        && *race.cell.array == **array
                        && (a.min(b), a.max(b)) == *lines
                })
        }
    }
}

/// The document of a verdict is read as what was printed.
fn is_read_again(name: &str, source: &str, checked: &Checked) -> bool {
    let report = FileReport {
        path: name.to_owned(),
        text: source.to_owned(),
        kernels: vec![checked.clone()],
        accesses: Vec::new(),
        ignore_benign: false,
    };
    let document = Document::from(&report);
    let printed = document.json();
    let read = Document::read(&printed).unwrap_or_else(|e| panic!("{name}: {e}"));
    read == document && read.json() == printed
}

/// Every race that is reported as true comes with a replayed history or with Theorem 1.
fn justified(checked: &Checked) -> bool {
    let races = checked.verdict.races.iter();
    races.clone().all(|race| race.certainty != Certainty::Replayed || race.replay.is_some())
}

#[test]
fn every_kernel_has_the_verdicts_that_it_states() {
    let mut jobs = Vec::new();
    for path in files() {
        let source = std::fs::read_to_string(&path).unwrap();
        let found = directives(&source).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(!found.checks.is_empty(), "{name} states nothing");
        for check in found.checks {
            jobs.push((name.clone(), source.clone(), check));
        }
    }
    let results = jobs.par_iter().with_max_len(1).map(|(name, source, check)| {
        let start = Instant::now();
        let found = run(source, check);
        let place = format!("{name}.cu:{} {}", check.line, check.flags.join(" "));
        let time = (start.elapsed(), place.clone());
        let accepted = check.expected.iter().any(|e| agrees(e, &found));
        let holds = |checked| justified(checked) && is_read_again(name, source, checked);
        let wrong = !accepted || found.as_ref().is_ok_and(|checked| !holds(checked));
        let failure = wrong.then(|| {
            let found = found.map(|c| (c.verdict.outcome, c.verdict.races));
            format!("{place}\n    expected {:?}\n    found {found:?}", check.expected)
        });
        (time, failure)
    });
    let (mut times, failures): (Vec<_>, Vec<_>) = results.unzip();
    if std::env::var("BABYCUDA_CORPUS_TIMES").is_ok() {
        times.sort();
        for (time, place) in times {
            println!("{time:>12.3?} {place}");
        }
    }
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    println!("{} checks, {} as stated", jobs.len(), jobs.len() - failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_corpus_is_balanced() {
    let (mut files_seen, mut racy, mut drf, mut all_sizes) = (0, 0, 0, 0);
    for path in files() {
        files_seen += 1;
        let source = std::fs::read_to_string(&path).unwrap();
        for check in directives(&source).unwrap().checks {
            match check.expected[0] {
                Expected::Racy { .. } => racy += 1,
                Expected::Drf => drf += 1,
                _ => {}
            }
            all_sizes += usize::from(!check.flags.iter().any(|f| f == "--block"));
        }
    }
    if std::env::var("BABYCUDA_CORPUS").is_err() {
        assert!(files_seen >= 30 && racy >= 30 && drf >= 30 && all_sizes >= 30);
    }
}
