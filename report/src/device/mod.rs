//! What a device did, beside what the semantics says.

mod document;
mod table;

pub use document::document;
pub use table::human;

use crate::across;
use babycuda::gpu::Report;
use babycuda::gpu::compare::Comparison;
use babycuda::gpu::report::Status;
use babycuda::semantics::grid::GridRace;
use babycuda::semantics::{Instance, Outcome, Reason};

/// One block of a kernel, on the device and in the semantics.
#[derive(Clone, Debug)]
pub struct DeviceRun {
    /// The name of the kernel.
    pub kernel: String,
    /// What was run.
    pub instance: Instance,
    /// What the semantics says.
    pub expected: Outcome,
    /// What the device says, or why it says nothing.
    pub report: Result<Report, String>,
}

impl DeviceRun {
    /// The report and the two sides, or why there is nothing to compare.
    ///
    /// # Errors
    /// There is no report, a number did not fit, a thread was stopped by a limit of the device (the
    /// calculus knows none of these), or the semantics reached a limit of its own.
    fn comparison(&self) -> Result<(&Report, Comparison), String> {
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
            Status::Done | Status::Divergence(_) => {
                Ok((report, Comparison::new(&self.expected, report)))
            }
            fault => Err(fault.to_string()),
        }
    }

    /// What the comparison says.
    fn finding(&self, comparison: &Comparison) -> Finding {
        match comparison.first_difference() {
            None => Finding::Same,
            // The semantics' history rests on one choice of what the updates yield.
            Some(_) if self.instance.program.body.has_atomics() => Finding::Atomic,
            Some(_) if !self.expected.history().is_drf() => Finding::Racy,
            Some(_) => Finding::Wrong,
        }
    }

    /// The exit status: 0 the same, 1 different, 3 nothing to compare, or the order of threads may
    /// decide.
    pub fn status(&self) -> u8 {
        match self.comparison().map(|(_, comparison)| self.finding(&comparison)) {
            Ok(Finding::Same) => 0,
            Ok(Finding::Wrong) => 1,
            Ok(Finding::Racy | Finding::Atomic) | Err(_) => 3,
        }
    }
}

/// What a comparison says.
#[derive(Clone, Copy, PartialEq, Eq)]
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

/// The races between blocks of one kernel; none of blocks that wait for each other, whose history is
/// one.
fn across_blocks(runs: &[DeviceRun]) -> (Vec<GridRace>, usize) {
    let Some(first) = runs.first().filter(|run| run.instance.blocks().is_none()) else {
        return Default::default();
    };
    across::races(&first.instance.program, runs.iter().map(|run| run.expected.history()))
}
