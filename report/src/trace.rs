//! The races of a log of accesses.

use babycuda::traces::{Checked, Judged, Outcome, Race, Side};
use babycuda_core::history::RaceKind;
use babycuda_core::syntax::Scope;
use babycuda_core::{AccessMode, Cell, counted};
use serde_json::{Value, json};
use std::fmt::Write;

/// For people.
pub fn human(path: &str, checked: &Checked) -> String {
    let Checked { launch, accesses, barriers, .. } = checked;
    let verdict = match &checked.outcome {
        Outcome::Drf => "race-free".to_owned(),
        Outcome::Racy => {
            let cells = counted(checked.racy, "cell");
            format!("racy ({cells}, {})", counted(checked.races.len() as u64, "racing pair"))
        }
        Outcome::Unknown(reason) => format!("unknown: {reason}"),
    };
    let mut out = format!("{path}: {verdict}\n");
    let (accesses, barriers) = (counted(*accesses, "access"), counted(*barriers, "barrier"));
    let (grid, block, warp) = (launch.grid, launch.block, launch.warp);
    let _ = writeln!(out, "  grid {grid}, block {block}, warps of {warp}: {accesses}, {barriers}");
    for race in &checked.races {
        let _ = writeln!(out, "  {}", self::race(checked, race));
        for side in [&race.first, &race.second] {
            let _ = writeln!(out, "    event {}: {}", side.event, self::side(checked, side));
        }
    }
    if checked.races.len() > 1 || checked.racy > 1 {
        for (array, cells) in &checked.racy_of {
            if let Some(array) = checked.arrays.get(*array as usize) {
                let _ = writeln!(out, "  {}: {}", array.name, counted(*cells, "racy cell"));
            }
        }
    }
    if let Some(more) = &checked.more {
        let _ = writeln!(out, "  there may be other pairs of statements: {more}");
    }
    if let Some(judged) = &checked.machine {
        let _ = writeln!(out, "  the machine: {}", machine(judged));
    }
    out
}

/// A race in a line.
pub(crate) fn race(checked: &Checked, race: &Race) -> String {
    let kind = RaceKind::of(race.first.mode, race.second.mode).description();
    let blocks = if race.same_block() { "in one block" } else { "between blocks" };
    format!("{kind} race on {}, {blocks}", checked.cell(race))
}

/// One side of it.
pub(crate) fn side(checked: &Checked, side: &Side) -> String {
    let does = match side.mode {
        AccessMode::Rd => "reads".to_owned(),
        AccessMode::Wr => "writes".to_owned(),
        AccessMode::At(Scope::Block) => "updates (atomic for its block)".to_owned(),
        AccessMode::At(Scope::Device) => "updates (atomic for the device)".to_owned(),
        AccessMode::At(Scope::System) => "updates (atomic for the system)".to_owned(),
    };
    let place = side.site.map_or_else(String::new, |site| match checked.places.get(&site) {
        None => format!(", statement {site}"),
        Some(place) if place.column == 0 => format!(", {}:{}", place.file, place.line),
        Some(place) => format!(", {}:{}:{}", place.file, place.line, place.column),
    });
    let (block, thread) = (side.thread.block, side.thread.index);
    format!("block {block}, thread {thread} {does}{place}")
}

fn machine(judged: &Judged) -> String {
    let mut said = counted(judged.racy, "racy cell");
    for (found, what) in [(&judged.missed, "missed"), (&judged.false_alarms, "a false alarm")] {
        let of =
            |cell: &Option<Cell>| cell.as_ref().map_or_else(String::new, |c| format!(", as {c}"));
        let _ = match found {
            Some((0, _)) => write!(said, "; none is {what}"),
            Some((1, cell)) => write!(said, "; 1 is {what}{}", of(cell)),
            Some((cells, cell)) => write!(said, "; {cells} are {what}{}", of(cell)),
            None => Ok(()),
        };
    }
    if let Some((event, what)) = &judged.stop {
        let _ = write!(said, "; from event {event} on it says nothing: {what}");
    }
    said
}

/// The document: `schemas/cli-trace.json` describes it.
pub fn document(path: &str, checked: &Checked) -> Value {
    let (verdict, reason) = match &checked.outcome {
        Outcome::Drf => ("drf", None),
        Outcome::Racy => ("racy", None),
        Outcome::Unknown(reason) => ("unknown", Some(reason)),
    };
    let arrays = checked.arrays.iter().zip(0..).map(|(array, number)| {
        let racy = checked.racy_of.iter().find(|(known, _)| *known == number);
        json!({
            "name": array.name.as_str(),
            "shared": array.shared,
            "racy_cells": racy.map_or(0, |(_, cells)| *cells),
        })
    });
    let machine = checked.machine.as_ref().map(|judged| {
        let cells = |found: &Option<(u64, Option<Cell>)>| found.as_ref().map(|(cells, _)| *cells);
        json!({
            "racy_cells": judged.racy,
            "missed": cells(&judged.missed),
            "false_alarms": cells(&judged.false_alarms),
            "stop": judged.stop.as_ref().map(|(event, what)| json!({ "event": event, "what": what })),
        })
    });
    json!({
        "version": 1,
        "file": path,
        "verdict": verdict,
        "reason": reason,
        "launch": checked.launch,
        "accesses": checked.accesses,
        "barriers": checked.barriers,
        "racy_cells": checked.racy,
        "arrays": arrays.collect::<Vec<_>>(),
        "races": checked.races.iter().map(|race| document_of(checked, race)).collect::<Vec<_>>(),
        "more": checked.more,
        "passes": checked.passes,
        "machine": machine,
    })
}

/// A race for programs.
pub(crate) fn document_of(checked: &Checked, race: &Race) -> Value {
    let side = |side: &Side| {
        let place = side.site.and_then(|site| checked.places.get(&site));
        json!({
            "event": side.event,
            "block": side.thread.block,
            "thread": side.thread.index,
            "mode": side.mode,
            "site": side.site,
            "file": place.map(|place| &place.file),
            "line": place.map(|place| place.line),
            "column": place.map(|place| place.column).filter(|column| *column > 0),
        })
    };
    json!({
        "cell": checked.cell(race),
        "kind": RaceKind::of(race.first.mode, race.second.mode),
        "same_block": race.same_block(),
        "first": side(&race.first),
        "second": side(&race.second),
    })
}
