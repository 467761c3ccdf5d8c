//! The paper's experiments in shape (§6): `docs/TWO_THREAD.md`.

use super::*;
use babycuda_core::AccessMode;
use babycuda_detectors::two_thread::inject::{Error, barriers, false_localities, without_barrier};
use babycuda_detectors::two_thread::{Finding, locate};
use std::collections::BTreeSet;
use std::fmt::Write;

const KERNELS: [(&str, &str, [u32; 2]); 7] = [
    ("CG", include_str!("../kernels/two_thread/cg.cu"), [8, 1]),
    ("MIN_MAX", include_str!("../kernels/two_thread/minmax.cu"), [8, 1]),
    ("LUP", include_str!("../kernels/two_thread/lu.cu"), [8, 1]),
    ("K-Means", include_str!("../kernels/two_thread/kmeans.cu"), [8, 1]),
    ("HC", include_str!("../kernels/two_thread/hc.cu"), [8, 1]),
    ("DCT", include_str!("../kernels/two_thread/dct.cu"), [8, 8]),
    ("FFT", include_str!("../kernels/two_thread/fft.cu"), [8, 1]),
];

fn at([x, y]: [u32; 2]) -> Configuration {
    Configuration::of_launch(Launch::new(Dim3::line(1), Dim3 { x, y, z: 1 }))
}

fn find(reading: Reading, tree: &babycuda_kernel::Kernel, at: &Configuration) -> Findings {
    let found = TwoThread::reading(reading).findings(tree, at).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(found.undecided, []);
    found
}

/// What a race is by the order of the text: which kind of barrier is missing.
fn kind(finding: &Finding) -> Error {
    match finding.pair.map(|(_, mode)| mode) {
        [AccessMode::Wr, AccessMode::Wr] => Error::WriteAfterWrite,
        [AccessMode::Wr, _] => Error::ReadAfterWrite,
        _ => Error::WriteAfterRead,
    }
}

fn pairs(findings: &Findings) -> BTreeSet<[(babycuda_kernel::At, AccessMode); 2]> {
    findings.races.iter().map(|f| f.pair).collect()
}

fn row(page: &mut String, cells: &[String]) {
    let _ = writeln!(page, "| {} |", cells.join(" | "));
}

#[test]
fn the_tables_are_current() {
    let mut free = String::from(
        "| kernel | LOC | formulae | conjuncts | races, printed | races, repaired | divergences, printed | \
        divergences, repaired |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut injected = String::from(
        "| error | kernel | line | races | divergences | formulae | conjuncts |\n|---|---|---|---|---|---|---|\n",
    );
    let mut many = String::from(
        "| kernel | errors | races | runs, one interval each | runs |\n|---|---|---|---|---|\n",
    );
    let mut most = 0;
    for (name, text, block) in KERNELS {
        let (case, at) = (case(text), at(block));
        let [printed, repaired] =
            [Reading::PRINTED, Reading::REPAIRED].map(|r| find(r, &case.tree, &at));
        let lines = text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with("//")).count();
        let numbers = [
            lines,
            printed.formulae,
            printed.conjuncts,
            printed.races.len(),
            repaired.races.len(),
            printed.divergences.len(),
            repaired.divergences.len(),
        ];
        let cells: Vec<String> =
            [name.to_owned()].into_iter().chain(numbers.map(|n| n.to_string())).collect();
        row(&mut free, &cells);
        assert!(repaired.is_clean(), "{name} has no race");
        assert!(case.truth(&at).races.is_empty(), "{name} has no race");
        let mut errors = Vec::new();
        for barrier in barriers(&case.tree) {
            let tree = without_barrier(&case.tree, barrier);
            let found = find(Reading::REPAIRED, &tree, &at);
            // A barrier that is taken away makes no other diverge.
            assert_eq!(found.divergences, [], "{name}");
            let kinds: BTreeSet<Error> = found.races.iter().map(kind).collect();
            for error in kinds {
                let of = found.races.iter().filter(|f| kind(f) == error).cloned().collect();
                errors.push((error, barrier, Findings { races: of, ..found.clone() }));
            }
        }
        for (statement, tree) in false_localities(&case.tree) {
            let found = find(Reading::REPAIRED, &tree, &at);
            if !found.races.is_empty() {
                errors.push((Error::FalseLocality, statement, found));
            }
        }
        let (number, tree) = with_many_errors(&case, &at);
        let found = find(Reading::REPAIRED, &tree, &at);
        let lines = intervals(&case, &tree, &found).len();
        let numbers = [number, pairs(&found).len(), lines, 1].map(|n| n.to_string());
        row(&mut many, &[vec![name.to_owned()], numbers.to_vec()].concat());
        most = most.max(lines);
        errors.sort_by_key(|(error, at, _)| (*error, *at));
        for (error, place, found) in errors {
            let size = |f: fn(&Finding) -> usize| found.races.iter().map(f).max().unwrap_or(0);
            let numbers = [
                locate(&case.tree, place, text).line as usize,
                pairs(&found).len(),
                found.divergences.len(),
                size(|f| f.formulae),
                size(|f| f.conjuncts),
            ];
            let first = [format!("Type {}", error.number()), name.to_owned()];
            let cells: Vec<String> =
                first.into_iter().chain(numbers.map(|n| n.to_string())).collect();
            row(&mut injected, &cells);
        }
    }
    for kind in 1..=4 {
        assert!(
            injected.contains(&format!("| Type {kind} |")),
            "no error of type {kind}\n{injected}"
        );
    }
    assert!(most > 1, "one run finds the races of several intervals\n{many}");
    let page = format!("{free}\n{injected}\n{many}");
    crate::common::holds_behind_its_mark("TWO_THREAD.md", &page);
}

/// The intervals with a race, each by the line of the last barrier of the tree before both operations in the text.
fn intervals(case: &Case, tree: &babycuda_kernel::Kernel, found: &Findings) -> BTreeSet<u32> {
    let line = |at| locate(&case.tree, at, &case.text).line;
    let interval = |finding: &Finding| {
        let first = finding.pair.map(|(at, _)| line(at)).into_iter().min().unwrap_or(0);
        let before = barriers(tree).into_iter().map(line).filter(|l| *l < first);
        before.max().unwrap_or(0)
    };
    found.races.iter().map(interval).collect()
}

/// The kernel with all errors of type 4 at once, and without the first, third, … of its barriers that order something;
/// how many errors these are.
fn with_many_errors(case: &Case, at: &Configuration) -> (usize, babycuda_kernel::Kernel) {
    let mut tree = (*case.tree).clone();
    let mut errors = 0;
    for number in 0..false_localities(&tree).len() {
        let (_, more) = false_localities(&tree).swap_remove(number);
        let alone = &false_localities(&case.tree)[number].1;
        if !find(Reading::REPAIRED, alone, at).races.is_empty() {
            (tree, errors) = (more, errors + 1);
        }
    }
    let ordering = barriers(&case.tree).into_iter().filter(|barrier| {
        let without = without_barrier(&case.tree, *barrier);
        !find(Reading::REPAIRED, &without, at).races.is_empty()
    });
    for barrier in ordering.step_by(2) {
        (tree, errors) = (without_barrier(&tree, barrier), errors + 1);
    }
    (errors, tree)
}

/// Table 2 has 6 races and 5 divergences for HC where Table 4 has 6 divergences and 5 races, and so in every
/// row.
#[test]
fn tables_2_and_4_swap_races_and_divergences() {
    let table_2 = [[6, 5], [2, 2], [5, 3], [6, 5], [3, 1], [5, 4]];
    // As Table 4 names its columns: divergences, races.
    let table_4 = [[6, 5], [2, 2], [5, 3], [6, 5], [3, 1], [5, 4]];
    let swapped = table_4.map(|[divergences, races]| [races, divergences]);
    assert_ne!(table_2, swapped);
    assert_eq!(table_2, swapped.map(|[a, b]| [b, a]));
}
