//! The sort that stays within its memory, whatever the log is.

use babycuda_core::{AccessMode, Site};
use babycuda_detectors::amplification::{Entry, LEAST_BUDGET, Sorter, Sweep};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn place(name: &str) -> PathBuf {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&place).expect("a folder");
    place
}

/// Entry `n` of a log in which each of 256 threads writes cells of its own, in an order that mixes them.
fn entry(n: u64) -> Entry {
    let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let thread = n % 256;
    Entry {
        array: u32::try_from(mixed >> 63).expect("a bit"),
        owner: 0,
        epoch: mixed >> 5 & 3,
        index: (mixed >> 40) << 8 | thread,
        block: 0,
        interval: mixed >> 20 & 7,
        warp: thread / 32,
        stage: 0,
        thread,
        mode: if mixed & 1024 == 0 { AccessMode::Wr } else { AccessMode::Rd },
        site: (mixed & 2048 == 0).then_some(Site(7)),
    }
}

/// A log of more than twenty times the budget, with many merges of merges.
#[test]
fn a_log_of_twenty_budgets_stays_within_one() {
    let (budget, entries) = (LEAST_BUDGET * 4, 4096 * 3);
    let log = entries * size_of::<Entry>();
    assert!(log > 20 * budget, "{log}");
    let place = place("twenty");
    let mut sorter = Sorter::new(budget, &place).expect("a sorter");
    // Every third entry comes twice.
    for n in (0..entries as u64).chain((0..entries as u64).step_by(3)) {
        sorter.push(entry(n)).expect("room");
    }
    let sorted = sorter.finish().expect("runs");
    assert!(sorted.peak() <= budget, "{} of {budget}", sorted.peak());
    // All went to files, and most of it again when runs were merged.
    assert!(sorted.spilled() > 74 * entries as u64, "{}", sorted.spilled());
    let found: Vec<Entry> = sorted.map(|entry| entry.expect("an entry")).collect();
    let wanted: BTreeSet<Entry> = (0..entries as u64).map(entry).collect();
    assert!(found.iter().eq(&wanted), "{} of {}", found.len(), wanted.len());
    // Its threads have cells of their own.
    assert!(Sweep::new(found.into_iter().map(Ok)).next().is_none());
    let left = fs::read_dir(place).expect("the folder").count();
    assert_eq!(left, 0, "files that stay");
}

#[test]
fn a_small_log_needs_no_file() {
    let place = place("small");
    let mut sorter = Sorter::new(1 << 20, &place).expect("a sorter");
    (0..100).for_each(|n| sorter.push(entry(99 - n)).expect("room"));
    let sorted = sorter.finish().expect("no runs");
    assert_eq!(sorted.spilled(), 0);
    let found: Vec<Entry> = sorted.map(|entry| entry.expect("an entry")).collect();
    assert!(found.is_sorted() && found.len() == 100);
}

#[test]
fn a_missing_folder_is_an_error() {
    assert!(Sorter::new(1 << 20, &place("some").join("missing")).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// What comes out is the set of what went in, in order, whatever the budget is.
    #[test]
    fn sorts(numbers in proptest::collection::vec(0..5000u64, 0..3000), budget in 0..60_000usize) {
        let mut sorter = Sorter::new(budget, &place("random")).expect("a sorter");
        for n in &numbers {
            sorter.push(entry(*n)).expect("room");
        }
        let sorted = sorter.finish().expect("runs");
        prop_assert!(sorted.peak() <= budget.max(LEAST_BUDGET));
        let found: Vec<Entry> = sorted.map(|entry| entry.expect("an entry")).collect();
        let wanted: BTreeSet<Entry> = numbers.into_iter().map(entry).collect();
        prop_assert!(found.iter().eq(&wanted));
    }
}
