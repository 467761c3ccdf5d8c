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

/// A cell, and the block that has it or whose threads race on it; `None`: threads of several do.
type Racy = BTreeSet<(Option<u64>, Cell)>;

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
        program: &Program,
        launch: Launch,
        reports: &[&Report],
        expected: &[&History],
    ) -> Result<Races, LogError> {
        let log = log(program, launch, reports)?;
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
        self.device.is_empty() && self.semantics.is_empty()
    }

    /// For people: the first ones with their statements, and what one side alone has.
    pub(super) fn human(&self, all: bool) -> String {
        let mut out = String::new();
        if self.is_empty() {
            return out;
        }
        let shown = if all { PAIRS } else { SHOWN };
        let cells = counted(self.device.len() as u64, "cell");
        let _ = writeln!(out, "races of the device's log: {cells}");
        for race in self.checked.races.iter().take(shown) {
            let alone = match self.semantics.contains(&self.key(race)) {
                true => "",
                false => "; the semantics has none there",
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
        let mut alone = self.semantics.difference(&self.device);
        if let Some((_, cell)) = alone.next() {
            let others = match alone.count() {
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
            found["in_semantics"] = json!(self.semantics.contains(&self.key(race)));
            found
        });
        json!({
            "name": name,
            "cells": self.device.len(),
            "races": races.collect::<Vec<_>>(),
            "cells_of_semantics_alone": self.semantics.difference(&self.device).count(),
        })
    }

    fn key(&self, race: &traces::Race) -> (Option<u64>, Cell) {
        (race.same_block().then_some(race.first.thread.block), self.checked.cell(race))
    }
}

/// The cells on which threads race. (Of blocks that race in more ways than can be looked at, some.)
fn racy(program: &Program, histories: &[&History]) -> Racy {
    let within = (0..)
        .zip(histories)
        .flat_map(|(block, history)| history.races().map(move |race| (Some(block), race.cell)));
    let across = cross_block_races(program, histories.iter().copied());
    let across = across.map(|race| (None, race.cell));
    within.take(MAX_ACCESSES).chain(across.take(MAX_ACCESSES)).collect()
}

/// All of it as a log, with the places of the statements.
fn log(program: &Program, launch: Launch, reports: &[&Report]) -> Result<Vec<u8>, LogError> {
    let shared = program.arrays.iter().filter(|array| array.space == Space::Shared);
    let shared = shared.map(|array| array.name.clone()).collect();
    let mut all = Trace { launch, shared, events: Vec::new() };
    for report in reports {
        let Trace { shared, events, .. } = report.trace();
        all.shared.extend(shared);
        all.events.extend(events);
    }
    let mut writer = LogWriter::new(Vec::new(), Format::Binary, launch)?;
    let file = program.sources.file.clone().unwrap_or_else(|| "-".to_owned());
    for (site, span) in program.sources.spans.iter().filter(|_| file.len() <= MAX_NAME) {
        let (file, line, column) = (file.clone(), span.line, span.column);
        writer.write(&Record::Place(Place { site: *site, file, line, column }))?;
    }
    write_events(&mut writer, &all)?;
    writer.finish()
}
