//! Histories for people: phase by phase, racy cells marked.

use crate::names;
use babycuda::semantics::vm::Visit;
use babycuda_core::evidence::Witness;
use babycuda_core::history::{Accesses, Cell, History, Phase, Place, Stage};
use babycuda_core::json::Format;
use babycuda_core::{Declarations, Natural};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// How many accesses of one thread and phase are shown around a race.
const SHOWN: usize = 8;

/// The whole history, oldest phase first.
pub fn print(history: &History) -> String {
    let mut out = String::new();
    for (number, phase) in history.chronological() {
        let races = partners(phase);
        let _ = writeln!(out, "phase {number}: {}", if races.is_empty() { "DRF" } else { "RACY" });
        let mut barriers = phase.stages();
        let mut stage = 0;
        for ((k, thread), accesses) in phase.places() {
            for barrier in barriers.by_ref().take(k - stage) {
                let _ = writeln!(out, "  {}", passed(barrier));
            }
            stage = k;
            for (mode, text, cell) in lines(accesses) {
                let mark = mark(races.get(&(cell.clone(), (k, thread), mode)));
                let _ = writeln!(out, "  thread {thread}: {text}{mark}");
            }
        }
        for barrier in barriers {
            let _ = writeln!(out, "  {}", passed(barrier));
        }
    }
    out
}

/// A barrier of some threads of a block.
fn passed(stage: &Stage) -> String {
    format!("threads {} to {} pass a barrier", stage.first, stage.end.saturating_sub(1))
}

/// The phase that was not completed, as far as it went: nothing where it did nothing.
pub fn unfinished(visits: &[Visit]) -> String {
    let mut out = String::new();
    let mut known: BTreeSet<(u64, String)> = BTreeSet::new();
    for Visit { phase, thread, mode, cell, written, .. } in visits {
        if out.is_empty() {
            let _ = writeln!(out, "phase {phase}, not completed:");
        }
        let value = written.as_ref().map(|k| format!(" := {k}")).unwrap_or_default();
        let line = format!("{} {cell}{value}", mode.keyword());
        if known.insert((*thread, line.clone())) {
            let _ = writeln!(out, "  thread {thread}: {line}");
        }
    }
    out
}

/// The same for programs, access by access.
pub fn visits(visits: &[Visit]) -> serde_json::Value {
    let visit = |v: &Visit| {
        serde_json::json!({ "thread": v.thread, "mode": v.mode.keyword(),
                            "cell": v.cell.to_string(), "written": v.written })
    };
    visits.iter().map(visit).collect()
}

/// The part of a replayed history that shows a race: what its two threads did in its phase, in the words of the
/// source that the declarations lead to.
pub fn around(history: &History, race: &Witness, declarations: &Declarations) -> String {
    let mut out = String::new();
    let Some((number, phase)) =
        history.chronological().find(|(number, _)| Some(*number) == race.phase())
    else {
        return out;
    };
    let _ = writeln!(out, "  replayed history, phase {number} of {}:", history.len());
    let partners = partners(phase);
    for (side, other) in [(&race.first, &race.second), (&race.second, &race.first)] {
        let thread = race.configuration.launch.block.position(side.thread.index);
        // Barriers of narrower scopes may order the same accesses in other stages.
        let races = |stage: usize, cell: &Cell, mode| {
            let access = (cell.clone(), (stage, side.thread.index), mode);
            let with = partners.get(&access);
            !phase.is_staged() || with.is_some_and(|others| others.contains(&other.thread.index))
        };
        let own = phase.places().filter(|((_, i), _)| *i == side.thread.index);
        let all = own.flat_map(|((stage, _), accesses)| {
            let lines = lines_in(accesses, declarations).into_iter();
            lines.map(move |(mode, text, cell)| (stage, mode, text, cell))
        });
        let all: Vec<_> = all.filter(|line| names::is_named(declarations, &line.3.array)).collect();
        // The racing cell always, other cells while there is room.
        let mut room = SHOWN;
        for (stage, mode, text, cell) in &all {
            let is_side = **cell == race.cell && *mode == side.mode.keyword();
            let hit = is_side && races(*stage, cell, mode);
            if !hit && room == 0 {
                continue;
            }
            room -= usize::from(!hit);
            let mark = if hit { "   <-- race" } else { "" };
            let _ = writeln!(out, "    thread {thread}: {text}{mark}");
        }
        let hidden =
            all.len().saturating_sub(SHOWN + all.iter().filter(|l| *l.3 == race.cell).count());
        if hidden > 0 {
            let _ = writeln!(out, "    thread {thread}: … {hidden} more");
        }
    }
    out
}

/// The same in the words of the source, values as the types of the arrays read them.
fn lines_in<'a>(
    accesses: &'a Accesses,
    declarations: &Declarations,
) -> Vec<(&'static str, String, &'a Cell)> {
    let name = |cell: &Cell| names::cell(declarations, cell);
    let reads = accesses.reads.iter().map(|c| ("rd", format!("rd {}", name(c)), c));
    let stored = |c: &Cell, k: &Natural| declarations.read_content(&c.array, k);
    let writes = accesses.writes.iter();
    let writes = writes.map(|(c, k)| ("wr", format!("wr {} := {}", name(c), stored(c, k)), c));
    let atomics = accesses.atomics.keys().map(|c| ("at", format!("at {}", name(c)), c));
    reads.chain(writes).chain(atomics).collect()
}

/// The accesses of one thread as text, with their modes and cells: reads, writes, atomics.
fn lines(accesses: &Accesses) -> Vec<(&'static str, String, &Cell)> {
    let reads = accesses.reads.iter().map(|c| ("rd", format!("rd {c}"), c));
    let writes = accesses.writes.iter().map(|(c, k)| ("wr", format!("wr {c} := {k}"), c));
    let atomics = accesses.atomics.keys().map(|c| ("at", format!("at {c}"), c));
    reads.chain(writes).chain(atomics).collect()
}

/// With which threads the accesses of a phase race: by cell, place and mode.
pub(crate) type Partners = BTreeMap<(Cell, Place, &'static str), BTreeSet<u64>>;

pub(crate) fn partners(phase: &Phase) -> Partners {
    let mut partners = Partners::new();
    for (first, second) in phase.clashes() {
        for ((cell, (thread, mode), stage), (_, (other, _), _)) in
            [(first, second), (second, first)]
        {
            let access = (cell.clone(), (stage, thread), mode.keyword());
            partners.entry(access).or_default().insert(other);
        }
    }
    partners
}

/// The value, or its beginning and `…`, for tables.
pub(crate) fn short(value: &str) -> String {
    match value.chars().count() > 12 {
        true => value.chars().take(8).chain(['…']).collect(),
        false => value.to_owned(),
    }
}

fn mark(others: Option<&BTreeSet<u64>>) -> String {
    let Some(others) = others else { return String::new() };
    let shown: Vec<String> = others.iter().take(4).map(u64::to_string).collect();
    let more = if others.len() > 4 { ", …" } else { "" };
    format!("   <-- race with {}{more}", shown.join(", "))
}

/// The history for programs: its own document (`schemas/history.json`), as a part of another one.
pub fn document(history: &History) -> serde_json::Value {
    serde_json::json!({ "format": History::NAME, "version": History::VERSION, "content": history })
}
