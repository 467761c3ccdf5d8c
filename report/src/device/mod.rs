//! What a device did, beside what the semantics says.

mod document;
mod races;
mod table;

pub use document::document;
pub use table::human;

use crate::across;
use babycuda::gpu::Report;
use babycuda::gpu::compare::Comparison;
use babycuda::gpu::report::Status;
use babycuda::semantics::grid::GridRace;
use babycuda::semantics::{Instance, Outcome, Reason};
use babycuda_core::syntax::Space;
use babycuda_core::{AccessMode, Cell, History, Program};
use races::Races;
use std::collections::BTreeMap;

/// One block of a kernel, on the device and in the semantics.
#[derive(Clone, Debug)]
pub struct DeviceRun {
    /// What was run.
    pub instance: Instance,
    /// What the semantics says.
    pub expected: Outcome,
    /// What the device says, or why it says nothing.
    pub report: Result<Report, String>,
}

/// All blocks of a launch of a kernel, on a device and in the semantics.
#[derive(Clone, Debug)]
pub struct DeviceKernel {
    name: String,
    blocks: Vec<Compared>,
    /// The races between blocks, in the semantics; none of blocks that wait for each other, whose
    /// history is one.
    across: (Vec<GridRace>, usize),
    /// The races of the log; `None`: there is no log of all blocks.
    races: Option<Races>,
    /// What was chosen for what the program leaves open.
    notes: Vec<String>,
}

/// A block, and what is to be said of it.
#[derive(Clone, Debug)]
struct Compared {
    run: DeviceRun,
    /// Both sides; or why there is nothing to compare.
    sides: Result<(Comparison, Finding), String>,
}

impl DeviceKernel {
    /// What the blocks of a kernel of a file did, in order. `together`: they had one global memory, as in a real launch; else each
    /// had what the host left.
    pub fn new(
        file: &str,
        name: impl Into<String>,
        runs: Vec<DeviceRun>,
        together: bool,
    ) -> DeviceKernel {
        let alone = runs.first().filter(|run| run.instance.blocks().is_none());
        let histories = || runs.iter().map(|run| run.expected.history());
        let across = alone.map(|run| across::races(&run.instance.program, histories()));
        let across = across.unwrap_or_default();
        let program = runs.first().map(|run| run.instance.program.clone());
        let changed = match program.filter(|_| together) {
            Some(program) => changed(&program, histories()),
            None => BTreeMap::new(),
        };
        let reports: Option<Vec<&Report>> = runs.iter().map(|r| r.report.as_ref().ok()).collect();
        let races = alone.zip(reports).and_then(|(run, reports)| {
            let expected: Vec<&History> = histories().collect();
            // A device logs nothing that no log can have.
            let launch = run.instance.configuration.launch;
            Races::new(file, &run.instance.program, launch, &reports, &expected).ok()
        });
        let blocks = (0..).zip(runs).map(|(block, run)| {
            let sides = run.comparison().map(|mut sides| {
                // Another block may have been there, before or after.
                let elsewhere =
                    |cell: &Cell| changed.get(cell).is_some_and(|by| *by != Some(block));
                sides.cells.retain(|row| !elsewhere(&row.cell));
                let finding = run.finding(&sides, together && across.1 > 0);
                (sides, finding)
            });
            Compared { run, sides }
        });
        let blocks = blocks.collect();
        DeviceKernel { name: name.into(), blocks, across, races, notes: Vec::new() }
    }

    /// The same, with what people are told of the run beside.
    #[must_use]
    pub fn with_notes(self, notes: Vec<String>) -> DeviceKernel {
        DeviceKernel { notes, ..self }
    }

    /// The exit status: 0 the same, 1 different, 3 nothing to compare, or the order of threads may
    /// decide.
    pub fn status(&self) -> u8 {
        crate::worst(self.blocks.iter().map(|block| match &block.sides {
            Ok((_, Finding::Same)) => 0,
            Ok((_, Finding::Wrong)) => 1,
            Ok((_, Finding::Racy | Finding::Atomic)) | Err(_) => 3,
        }))
    }
}

/// The cells of global memory that blocks change in the semantics, each with the block; `None`: several do.
fn changed<'a>(
    program: &Program,
    histories: impl Iterator<Item = &'a History>,
) -> BTreeMap<Cell, Option<u64>> {
    let mut all: BTreeMap<Cell, Option<u64>> = BTreeMap::new();
    let global = |cell: &Cell| program.array(&cell.array).is_some_and(|a| a.space == Space::Global);
    for (block, history) in (0..).zip(histories) {
        let accesses = history.newest_first().flat_map(|phase| phase.threads());
        for (mode, cell) in accesses.flat_map(|(_, own)| own.iter()) {
            if mode != AccessMode::Rd && global(cell) {
                let by = all.entry(cell.clone()).or_insert(Some(block));
                *by = by.filter(|known| *known == block);
            }
        }
    }
    all
}

impl DeviceRun {
    /// The two sides, or why there is nothing to compare.
    ///
    /// # Errors
    /// There is no report, a number did not fit, a thread was stopped by a limit of the device (the
    /// calculus knows none of these), or the semantics reached a limit of its own.
    fn comparison(&self) -> Result<Comparison, String> {
        let report = self.report.as_ref().map_err(String::clone)?;
        if let Outcome::Stuck { stuck, .. } = &self.expected
            && let Reason::Limit { .. } = stuck.reason
        {
            return Err(format!("the semantics gave up: {stuck}"));
        }
        if let Some(place) = report.overflow {
            return Err(format!("a natural outgrew 64 bits: {place}"));
        }
        match &report.status {
            Status::Done | Status::Divergence(_) => Ok(Comparison::new(&self.expected, report)),
            fault => Err(fault.to_string()),
        }
    }

    /// What the comparison says; `across`: other blocks may have changed what this one read.
    fn finding(&self, comparison: &Comparison, across: bool) -> Finding {
        match comparison.first_difference() {
            None => Finding::Same,
            // The semantics' history rests on one choice of what the updates yield.
            Some(_) if self.instance.program.body.has_atomics() => Finding::Atomic,
            Some(_) if across || !self.expected.history().is_drf() => Finding::Racy,
            Some(_) => Finding::Wrong,
        }
    }
}

/// What a comparison says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Finding {
    /// Both sides are the same.
    Same,
    /// They differ, as those of a racy program may.
    Racy,
    /// They differ. The order of atomic updates is open, and so is what they yield.
    Atomic,
    /// They differ, though nothing is left open.
    Wrong,
}

impl Finding {
    /// In a word, for programs.
    fn word(self) -> &'static str {
        match self {
            Finding::Same => "same",
            Finding::Racy => "racy",
            Finding::Atomic => "atomic",
            Finding::Wrong => "wrong",
        }
    }

    /// For people.
    fn sentence(self) -> &'static str {
        match self {
            Finding::Same => "the device did what the semantics says",
            Finding::Racy => {
                "the sides differ; the program is racy, so the order of threads may decide"
            }
            Finding::Atomic => "the sides differ; the order of the atomic updates may decide",
            Finding::Wrong => "the sides differ, though nothing in the program is left open",
        }
    }
}
