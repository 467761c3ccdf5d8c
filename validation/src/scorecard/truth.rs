//! What a kernel does at one launch, by the semantics: the ground truth of the scorecard.

use babycuda_core::{Cell, History, Natural, Program};
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

/// The launch of a kernel with these contents of `d`; other cells hold 0. `None`: it is not fixed.
pub fn instance(program: &Program, contents: u32) -> Option<Instance> {
    let configuration = program.configuration(&program.body.free_vars()).ok()?;
    let mut instance =
        Instance::of(program.clone(), configuration).with_contents_chosen(Policy::Smallest);
    for (index, value) in (0_u32..).zip(cells(contents)) {
        let cell = Cell::new("d", Natural::from(index));
        instance.configuration.host.set(cell, Natural::from(value));
    }
    Some(instance)
}

/// What the only run of a kernel with these contents of `d` shows. `None`: it does not end, or its launch is not fixed.
/// A run up to its first race is one, since only a race lets a cell hold several values.
pub fn truth(program: &Program, contents: u32) -> Option<Truth> {
    truth_by(program, contents, vm::run)
}

/// Likewise, each block by `evaluate`.
pub fn truth_by(
    program: &Program,
    contents: u32,
    evaluate: impl Fn(&Instance, &RunOptions) -> Outcome,
) -> Option<Truth> {
    // What a cell holds decides nothing that these kernels access.
    let options = RunOptions { ambiguous: Policy::First, ..RunOptions::default() };
    let instance = instance(program, contents)?;
    let outcomes = run_by(&instance, &options, |block| evaluate(block, &options)).ok()?;
    let histories: Vec<&History> = outcomes.iter().map(Outcome::history).collect();
    let diverges = outcomes.iter().any(|outcome| outcome.divergence().is_some());
    let shown = shown(program, &histories, diverges);
    (shown != Truth::Clean || outcomes.iter().all(Outcome::is_done)).then_some(shown)
}

/// What the histories of all blocks show, in some of which threads diverge or in none.
pub fn shown(program: &Program, histories: &[&History], diverges: bool) -> Truth {
    let phases = || histories.iter().flat_map(|history| history.chronological());
    let across = || cross_block_races(program, histories.iter().copied()).next().is_some();
    match phases().any(|(_, phase)| phase.is_racy()) || across() {
        true => Truth::Racy,
        false if diverges => Truth::Divergent,
        false => Truth::Clean,
    }
}
