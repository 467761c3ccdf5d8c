//! What a kernel does at one launch, by the semantics: the ground truth of the scorecard.

use babycuda_core::{Cell, Natural, Program};
use babycuda_semantics::grid::{cross_block_races, run_by};
use babycuda_semantics::{Instance, Outcome, Policy, RunOptions, vm};

/// What a run shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Truth {
    /// No race, and no barrier at which threads diverge.
    Clean,
    /// Threads diverge at a barrier, and no race comes first.
    Divergent,
    /// Two accesses race.
    Racy,
}

/// The values of the four cells of `d` that kernels look at: all that they tell apart.
pub const CONTENTS: u32 = 256;

/// Sets what kernels look at of the host's array `d`: its first four cells, modulo 4.
pub fn cells(contents: u32) -> [u32; 4] {
    [0, 2, 4, 6].map(|shift| contents >> shift & 3)
}

/// What the only run of a kernel with these contents of `d` shows; other cells hold 0. `None`: it does not
/// end, or its launch is not fixed. A run up to its first race is one, since only a race lets a cell hold
/// several values.
pub fn truth(program: &Program, contents: u32) -> Option<Truth> {
    let configuration = program.configuration(&program.body.free_vars()).ok()?;
    let mut instance =
        Instance::of(program.clone(), configuration).with_contents_chosen(Policy::Smallest);
    for (index, value) in (0_u32..).zip(cells(contents)) {
        let cell = Cell::new("d", Natural::from(index));
        instance.configuration.host.set(cell, Natural::from(value));
    }
    // What a cell holds decides nothing that these kernels access.
    let options = RunOptions { ambiguous: Policy::First, ..RunOptions::default() };
    let outcomes = run_by(&instance, &options, |block| vm::run(block, &options)).ok()?;
    let histories = || outcomes.iter().map(Outcome::history);
    let racy = histories().any(|history| history.chronological().any(|(_, phase)| phase.is_racy()))
        || cross_block_races(program, histories()).next().is_some();
    if racy {
        return Some(Truth::Racy);
    }
    if outcomes.iter().any(|outcome| outcome.divergence().is_some()) {
        return Some(Truth::Divergent);
    }
    outcomes.iter().all(Outcome::is_done).then_some(Truth::Clean)
}
