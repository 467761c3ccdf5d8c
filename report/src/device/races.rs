//! The races of what a device logged, beside those of the semantics.

use crate::trace;
use babycuda::gpu::Report;
use babycuda::semantics::grid::cross_block_races;
use babycuda::traces::{
    self, Checked, Format, LogError, LogWriter, MAX_NAME, Options, Place, Record, write_events,
};
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::Space;
use babycuda_core::trace::Trace;
use babycuda_core::{Cell, History, Launch, Program, counted};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Pairs of statements that are looked for.
const PAIRS: usize = 20;

/// How many of them are printed.
const SHOWN: usize = 3;

/// Pairs of accesses of one side that are looked at for its racy cells.
const MAX_ACCESSES: usize = 1 << 20;

/// A cell, and the block whose threads race on it; `None`: threads of several do.
type Key = (Option<u64>, Cell);

/// The cells on which threads race.
#[derive(Clone, Debug)]
struct Racy {
    cells: BTreeSet<Key>,
    /// Are these all? Else threads race in more ways than are looked at.
    all: bool,
}

/// The races of all blocks of a launch.
#[derive(Clone, Debug)]
pub(super) struct Races {
    /// Those of the log, with their statements.
    checked: Checked,
    device: Racy,
    semantics: Racy,
}

impl Races {
    /// The races of what all blocks did, in order; `expected` are their histories.
    ///
    /// # Errors
    /// No log can have what was done.
    pub(super) fn new(
        file: &str,
        program: &Program,
        launch: Launch,
        reports: &[&Report],
        expected: &[&History],
    ) -> Result<Races, LogError> {
        let log = log(file, program, launch, reports)?;
        let options = Options { races: PAIRS, ..Options::default() };
        let checked = traces::check(|| Ok(log.as_slice()), &options)?;
        let logged = |report: &&Report| {
            report
                .phases()
                .into_iter()
                .fold(History::empty(HostMemory::default()), |h, p| h.push(p))
        };
        let logged: Vec<History> = reports.iter().map(logged).collect();
        let device = racy(program, &logged.iter().collect::<Vec<_>>());
        Ok(Races { checked, device, semantics: racy(program, expected) })
    }

    /// Has the log none, and the semantics neither?
    pub(super) fn is_empty(&self) -> bool {
        self.device.cells.is_empty() && self.semantics.cells.is_empty()
    }

    /// For people: the first ones with their statements, and what one side alone has.
    pub(super) fn human(&self, all: bool) -> String {
        let mut out = String::new();
        if self.is_empty() {
            return out;
        }
        let shown = if all { PAIRS } else { SHOWN };
        let least = if self.device.all { "" } else { "at least " };
        let cells = counted(self.device.cells.len() as u64, "cell");
        let _ = writeln!(out, "races of the device's log: {least}{cells}");
        for race in self.checked.races.iter().take(shown) {
            let alone = match self.in_semantics(race) {
                Some(false) => "; the semantics has none there",
                _ => "",
            };
            let _ = writeln!(out, "  {}{alone}", trace::race(&self.checked, race));
            for side in [&race.first, &race.second] {
                let _ = writeln!(out, "    {}", trace::side(&self.checked, side));
            }
        }
        let more = self.checked.races.len().saturating_sub(shown);
        if more > 0 {
            let _ = writeln!(out, "  and {}", counted(more as u64, "more pair"));
        }
        let alone = self.of_semantics_alone().unwrap_or_default();
        if let [(_, cell), others @ ..] = alone.as_slice() {
            let others = match others.len() {
                0 => String::new(),
                n => format!(" and {}", counted(n as u64, "other cell")),
            };
            let _ = writeln!(out, "  the semantics alone has races on {cell}{others}");
        }
        out
    }

    /// For programs.
    pub(super) fn document(&self, name: &str) -> Value {
        let races = self.checked.races.iter().map(|race| {
            let mut found = trace::document_of(&self.checked, race);
            found["in_semantics"] = json!(self.in_semantics(race));
            found
        });
        json!({
            "name": name,
            "cells": self.device.cells.len(),
            "races": races.collect::<Vec<_>>(),
            "cells_of_semantics_alone": self.of_semantics_alone().map(|cells| cells.len()),
        })
    }

    /// Does the semantics have a race on that cell? `None`: it has too many to look at all.
    fn in_semantics(&self, race: &traces::Race) -> Option<bool> {
        let block = race.same_block().then_some(race.first.thread.block);
        let found = self.semantics.cells.contains(&(block, self.checked.cell(race)));
        (found || self.semantics.all).then_some(found)
    }

    /// The cells on which threads race in the semantics, and not in the log; `None`: the log has too many to look at all.
    fn of_semantics_alone(&self) -> Option<Vec<&Key>> {
        let alone = || self.semantics.cells.difference(&self.device.cells).collect();
        self.device.all.then(alone)
    }
}

/// The cells on which threads race.
fn racy(program: &Program, histories: &[&History]) -> Racy {
    let within = (0..)
        .zip(histories)
        .flat_map(|(block, history)| history.races().map(move |race| (Some(block), race.cell)));
    let across = cross_block_races(program, histories.iter().copied());
    let across = across.map(|race| (None, race.cell));
    let mut left = MAX_ACCESSES;
    let mut all = within.chain(across).take_while(|_| {
        left = left.saturating_sub(1);
        left > 0
    });
    let cells = all.by_ref().collect();
    Racy { cells, all: left > 0 }
}

/// All of it as a log, with the places of the statements.
fn log(
    file: &str,
    program: &Program,
    launch: Launch,
    reports: &[&Report],
) -> Result<Vec<u8>, LogError> {
    let shared = program.arrays.iter().filter(|array| array.space == Space::Shared);
    let shared = shared.map(|array| array.name.clone()).collect();
    let mut all = Trace { launch, shared, events: Vec::new() };
    for report in reports {
        let Trace { shared, events, .. } = report.trace();
        all.shared.extend(shared);
        all.events.extend(events);
    }
    let mut writer = LogWriter::new(Vec::new(), Format::Binary, launch)?;
    for (site, span) in program.sources.spans.iter().filter(|_| file.len() <= MAX_NAME) {
        let (file, line, column) = (file.to_owned(), span.line, span.column);
        writer.write(&Record::Place(Place { site: *site, file, line, column }))?;
    }
    write_events(&mut writer, &all)?;
    writer.finish()
}
