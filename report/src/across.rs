//! Races between blocks: each block runs on its own, so no single run tells of them.

use babycuda::semantics::grid::{GridRace, cross_block_races};
use babycuda_core::{History, Program, counted};
use serde_json::{Value, json};
use std::fmt::Write;

/// How many are printed.
const SHOWN: usize = 5;

/// The first races between blocks of a program, given what each block did, in order; and how many
/// there are.
pub fn races<'a>(
    program: &'a Program,
    histories: impl IntoIterator<Item = &'a History>,
) -> (Vec<GridRace>, usize) {
    let mut all = cross_block_races(program, histories);
    let first: Vec<GridRace> = all.by_ref().take(SHOWN).collect();
    let count = first.len() + all.count();
    (first, count)
}

/// One line each, and how many more there are.
pub fn lines((shown, count): &(Vec<GridRace>, usize)) -> String {
    let mut out = String::new();
    for race in shown {
        let _ = writeln!(out, "racy across blocks: {race}");
    }
    if *count > shown.len() {
        let _ = writeln!(
            out,
            "and {} across blocks",
            counted((count - shown.len()) as u64, "more race")
        );
    }
    out
}

/// The races between blocks of a kernel, for programs; `None` when there is none.
pub fn document(name: &str, (shown, count): &(Vec<GridRace>, usize)) -> Option<Value> {
    let races: Vec<String> = shown.iter().map(ToString::to_string).collect();
    (*count > 0).then(|| json!({ "name": name, "count": count, "races": races }))
}
