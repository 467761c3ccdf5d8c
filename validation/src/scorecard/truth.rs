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
    set(&mut instance, contents);
    Some(instance)
}

fn set(instance: &mut Instance, contents: u32) {
    for (index, value) in (0_u32..).zip(cells(contents)) {
        let cell = Cell::new("d", Natural::from(index));
        instance.configuration.host.set(cell, Natural::from(value));
    }
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
    let options = options();
    of_instance(&instance(program, contents)?, |block| evaluate(block, &options))
}

/// The worst that happens with one of the first `contents` of `d`, and the last contents with which it does. `None`: it is
/// not known of some of them, and no other races.
pub fn worst(program: &Program, contents: u32) -> Option<(Truth, u32)> {
    let options = options();
    let mut instance = instance(program, 0)?;
    // All contents and blocks run the same code.
    let code = vm::Code::compile(&instance.together().program.body);
    let mut machine = vm::Machine::default();
    let mut worst: Option<(Truth, u32)> = None;
    let mut is_known = true;
    for number in (0..contents).rev() {
        set(&mut instance, number);
        let truth = of_instance(&instance, |block| {
            machine.run(&code, &block.together(), &options).outcome()
        });
        match truth {
            Some(Truth::Racy) => return Some((Truth::Racy, number)),
            Some(truth) if worst.is_none_or(|(other, _)| truth > other) => {
                worst = Some((truth, number));
            }
            Some(_) => {}
            None => is_known = false,
        }
    }
    worst.filter(|_| is_known)
}

/// What a cell holds decides nothing that these kernels access.
fn options() -> RunOptions {
    RunOptions { ambiguous: Policy::First, ..RunOptions::default() }
}

/// The runs of all blocks with these contents of `d`. `None`: the launch is not fixed, or too large.
pub fn outcomes(program: &Program, contents: u32) -> Option<Vec<Outcome>> {
    let options = options();
    run_by(&instance(program, contents)?, &options, |block| vm::run(block, &options)).ok()
}

/// What the blocks show, each by `evaluate`.
fn of_instance(instance: &Instance, evaluate: impl FnMut(&Instance) -> Outcome) -> Option<Truth> {
    let outcomes = run_by(instance, &options(), evaluate).ok()?;
    let histories: Vec<&History> = outcomes.iter().map(Outcome::history).collect();
    let diverges = outcomes.iter().any(|outcome| outcome.divergence().is_some());
    let shown = shown(&instance.program, &histories, diverges);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scorecard::Case;

    #[test]
    fn the_worst_is_that_of_each_contents() {
        let mut kinds = std::collections::BTreeSet::new();
        for number in 0..120 {
            let Some(case) = Case::of(11, number) else { continue };
            let contents = if number % 3 == 0 { CONTENTS } else { 4 };
            let each = (0..contents).map(|n| case.truth(n).map(|truth| (truth, n)));
            let each: Vec<_> = each.collect();
            let last = each.iter().flatten().max_by_key(|(truth, _)| *truth).copied();
            let racy = last.filter(|(truth, _)| *truth == Truth::Racy);
            let expected = racy.or(last.filter(|_| each.iter().all(Option::is_some)));
            assert_eq!(worst(&case.program, contents), expected, "{}", case.small);
            kinds.extend(expected.map(|(truth, _)| truth));
        }
        assert_eq!(kinds.len(), 3);
    }
}
