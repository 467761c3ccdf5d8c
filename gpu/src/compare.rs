//! A report beside what the semantics says: access by access, then cell by cell.

use crate::report::{Report, Status};
use babycuda_core::history::{LastWrite, lastwrite};
use babycuda_core::{AccessMode, Accesses, Cell, History, Natural, Phase};
use babycuda_semantics::{Instance, Outcome};
use std::collections::BTreeMap;

/// A run on a device beside the run of the semantics.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// The accesses of either side: by phase, thread, mode and cell.
    pub accesses: Vec<AccessRow>,
    /// Do both sides end alike: every thread at its end, or divergence of the same phase?
    pub same_ending: bool,
    /// The final value of every cell that the device has.
    pub cells: Vec<CellRow>,
}

/// An access that one side or both made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccessRow {
    /// The phase, from 0.
    pub phase: usize,
    /// The thread.
    pub thread: u64,
    /// How.
    pub mode: AccessMode,
    /// Where.
    pub cell: Cell,
    /// In the semantics' history.
    pub semantics: Made,
    /// In the device's log.
    pub device: Made,
    /// What the device read there, in order; of updates, the values before them. A history does not
    /// say what was read, so nothing is compared.
    pub read: Vec<u64>,
}

/// Whether an access was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Made {
    /// It was not.
    No,
    /// It was: a read, or an atomic update.
    Yes,
    /// It was, and this is the value that the thread last wrote to the cell in the phase.
    Wrote(Natural),
}

/// A cell at the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellRow {
    /// The cell.
    pub cell: Cell,
    /// `lastwrite` of the semantics' history.
    pub semantics: LastWrite,
    /// What the device holds.
    pub device: u64,
    /// Did a thread write or update it, on either side?
    pub touched: bool,
}

/// Where the two sides first differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference<'a> {
    /// In an access: the first that one side did not make, or made with another value.
    Access(&'a AccessRow),
    /// In how the run ended.
    Ending,
    /// In a cell.
    Cell(&'a CellRow),
}

impl AccessRow {
    /// Do both sides make it, with the same value?
    pub fn agrees(&self) -> bool {
        self.semantics == self.device
    }
}

impl CellRow {
    /// Is the device's value one that the semantics allows?
    pub fn agrees(&self) -> bool {
        let device = Natural::from(self.device);
        match &self.semantics {
            LastWrite::Undefined => false,
            LastWrite::One(value) => *value == device,
            LastWrite::Several(possible) => {
                !possible.exhaustive || possible.values.contains(&device)
            }
        }
    }
}

impl Comparison {
    /// Compares the report of a job with the outcome of the instance that it was made of.
    ///
    /// Every cell must be defined ([`Instance::defined_everywhere`], with the value that the job
    /// has for undefined cells). The phases of an outcome that is stuck end before the device's.
    pub fn new(outcome: &Outcome, report: &Report) -> Comparison {
        let history = outcome.history();
        let mut rows = BTreeMap::new();
        for (number, phase) in history.chronological() {
            for (key, made) in made(number, phase) {
                rows.entry(key).or_insert((Made::No, Made::No)).0 = made;
            }
        }
        for (number, phase) in report.phases().iter().enumerate() {
            for (key, made) in made(number, phase) {
                rows.entry(key).or_insert((Made::No, Made::No)).1 = made;
            }
        }
        let mut read = read(report);
        let accesses = rows.into_iter().map(|(key, (semantics, device))| {
            let read = read.remove(&key).unwrap_or_default();
            let (phase, thread, mode, cell) = key;
            AccessRow { phase, thread, mode, cell, semantics, device, read }
        });
        let accesses: Vec<AccessRow> = accesses.collect();
        let cells = cells(history, report, &accesses);
        Comparison { accesses, same_ending: same_ending(outcome, report), cells }
    }

    /// Where the two sides first differ: in the order of the phases, then in the ending, then in a
    /// cell.
    pub fn first_difference(&self) -> Option<Difference<'_>> {
        let access = self.accesses.iter().find(|row| !row.agrees()).map(Difference::Access);
        let ending = || (!self.same_ending).then_some(Difference::Ending);
        let cell = || self.cells.iter().find(|row| !row.agrees()).map(Difference::Cell);
        access.or_else(ending).or_else(cell)
    }
}

/// What the semantics makes of the instance with `undefined` in every cell that the host left
/// undefined, as a device has it. Of several possible values of a racy cell it reads the smallest.
pub fn expected(instance: &Instance, undefined: u64) -> Outcome {
    use babycuda_semantics::{Policy, RunOptions, vm};
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    vm::run(&instance.clone().defined_everywhere(&Natural::from(undefined)), &options)
}

type Key = (usize, u64, AccessMode, Cell);

/// The accesses of a phase.
fn made(number: usize, phase: &Phase) -> Vec<(Key, Made)> {
    let of_thread = |(thread, accesses): (u64, &Accesses)| {
        let made = |(mode, cell): (AccessMode, &Cell)| {
            let written = accesses.writes.get(cell).filter(|_| mode == AccessMode::Wr);
            let made = written.map_or(Made::Yes, |value| Made::Wrote(value.clone()));
            ((number, thread, mode, cell.clone()), made)
        };
        accesses.iter().map(made).collect::<Vec<_>>()
    };
    phase.threads().flat_map(of_thread).collect()
}

/// The values that the device read, by the accesses of the phases.
fn read(report: &Report) -> BTreeMap<Key, Vec<u64>> {
    let mut all: BTreeMap<Key, Vec<u64>> = BTreeMap::new();
    for (phase, thread, entry) in report.entries().filter(|(.., e)| e.mode != AccessMode::Wr) {
        let key = (phase as usize, thread, entry.mode, report.cell(entry));
        all.entry(key).or_default().push(entry.value);
    }
    all
}

fn same_ending(outcome: &Outcome, report: &Report) -> bool {
    match (outcome, &report.status) {
        (Outcome::Done { .. }, Status::Done) => true,
        (Outcome::Diverged { divergence, .. }, Status::Divergence(seen)) => divergence == seen,
        _ => false,
    }
}

fn cells(history: &History, report: &Report, accesses: &[AccessRow]) -> Vec<CellRow> {
    let changes = accesses.iter().filter(|row| row.mode != AccessMode::Rd);
    let touched: std::collections::BTreeSet<&Cell> = changes.map(|row| &row.cell).collect();
    let rows = report.arrays.iter().flat_map(|array| {
        (0u64..).zip(&array.cells).map(|(index, value)| {
            let cell = Cell::new(array.name.clone(), index);
            let semantics = lastwrite(&cell, history);
            CellRow { semantics, device: *value, touched: touched.contains(&cell), cell }
        })
    });
    rows.collect()
}
