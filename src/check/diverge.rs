//! Divergences held to the reference semantics: does a run of the witness' launch diverge there?

use super::CheckOptions;
use super::least::{chosen, least};
use super::replay::host_memory;
use crate::Observed;
use babycuda_core::evidence::{Certainty, Divergence, DivergenceWitness, Replay, Report};
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::{Contents, Program};
use babycuda_core::{Name, Stmt};
use babycuda_semantics::{Instance, Outcome, Policy, Reason, RunLimits, Stuck};
use babycuda_typing::Approximation;
use std::collections::BTreeSet;

/// May a thread be stuck somewhere: does it read ⊥, or stop at an overflow that is left out?
pub(crate) fn may_be_stuck(program: &Program) -> bool {
    program.sources.stopping.is_some() || may_read_undefined(program, &BTreeSet::new())
}

/// May a thread read ⊥ somewhere: does the program read an array, other than these, that need not
/// hold a value in every cell?
pub(super) fn may_read_undefined(program: &Program, but: &BTreeSet<Name>) -> bool {
    let open = |array: &Name| is_open(program, array) && !but.contains(array);
    program.body.subterms().any(|s| matches!(s, Stmt::Read { array, .. } if open(array)))
}

/// May a cell of the array hold nothing before the launch?
pub(super) fn is_open(program: &Program, array: &Name) -> bool {
    let contents = program.array(array).map(|a| &a.contents);
    !matches!(contents, Some(Contents::Any | Contents::Fill(_) | Contents::Opaque))
}

/// The run of the launch of a divergence, with how to make it.
pub(super) fn run(
    program: &Program,
    witness: &DivergenceWitness,
    options: &CheckOptions,
) -> (Instance, babycuda_semantics::RunOptions) {
    let at = witness.configuration.clone();
    let limits = RunLimits { steps: options.replay_steps, ..RunLimits::default() };
    let ambiguous = Policy::Smallest;
    let settings = babycuda_semantics::RunOptions { limits, ambiguous, ..Default::default() };
    let host = host_memory(program, &witness.configuration, witness.data.iter().flatten());
    let program = program.stopping().unwrap_or_else(|| program.clone());
    let instance = Instance::of(program, at);
    (host.map_or(instance.clone(), |host| instance.with_host(host)), settings)
}

/// Runs the launch of a divergence that no data decides, or only what the host stored in read-only
/// inputs (T11), on the contents of the witness; and reports the divergence that the run has. Where it
/// has none, the divergence is potential, and what stopped the run is returned.
pub(super) fn judge(
    program: &Program,
    approximation: &Approximation,
    witness: DivergenceWitness,
    options: &CheckOptions,
) -> (Report<DivergenceWitness>, Option<Stuck>) {
    let certain = |of: &Divergence| {
        [of.first.1, of.second.1].iter().all(|stop| approximation.is_certain_stop(*stop))
    };
    let inputs = program.inputs();
    let relative = |of: &Divergence| {
        [of.first.1, of.second.1].iter().all(|stop| approximation.is_relative_stop(*stop, &inputs))
    };
    let independent = certain(&witness.divergence);
    let certain = independent && !witness.depends_on_data();
    let certainty = if certain { Certainty::Provable } else { Certainty::Potential };
    let mut found = Report { witness, certainty, replay: None };
    if !independent && !relative(&found.witness.divergence) {
        return (found, None);
    }
    let (instance, settings) = run(program, &found.witness, options);
    let met = |host: &HostMemory| program.unmet_in(&instance.configuration, host).is_none();
    if !met(instance.host()) {
        found.certainty = Certainty::Potential;
        return (found, None);
    }
    let observed = crate::observe(&instance, &settings);
    let stops = |observed: &Observed| {
        let shown = observed.outcome.divergence().filter(|of| independent || relative(of))?;
        Some(BTreeSet::from([shown.first.1, shown.second.1]))
    };
    let (mut host, mut observed) = (instance.host().clone(), observed);
    if let Some(shown) = stops(&observed) {
        let phases = observed.outcome.history().chronological();
        let cost = phases.map(|(_, phase)| phase.accesses().count() as u64).sum();
        (host, observed) = least(program, host, observed, (cost, options.replay_steps), |host| {
            let again = || crate::observe(&instance.clone().with_host(host.clone()), &settings);
            met(host).then(again).filter(|observed| stops(observed).as_ref() == Some(&shown))
        });
    }
    let shows = stops(&observed).is_some();
    let Observed { outcome, evaluator, .. } = observed;
    match outcome {
        Outcome::Diverged { divergence, history } if shows => {
            found.witness.divergence = divergence;
            if let Some(blocks) = instance.blocks() {
                let apart = blocks.own_divergence(divergence);
                (found.witness.configuration.block, found.witness.divergence) = apart;
            }
            let contents = chosen(program, &host);
            found.replay = Some(Replay { evaluator, contents, history });
            if !independent {
                found.certainty = Certainty::Provable;
            }
            (found, None)
        }
        Outcome::Diverged { .. } => (found, None),
        Outcome::Stuck { stuck, .. } => {
            // A run that is too long proves nothing, and refutes nothing where none is stuck.
            if !matches!(stuck.reason, Reason::Limit { .. }) || may_be_stuck(program) {
                found.certainty = Certainty::Potential;
            }
            let stopped = (found.certainty == Certainty::Potential).then_some(stuck);
            (found, stopped)
        }
        Outcome::Done { .. } => {
            found.certainty = Certainty::Potential;
            (found, None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::evidence::{Choice, Divergence};
    use babycuda_core::parse::parse_program;
    use babycuda_core::{Cell, Configuration, Launch, Natural, Site};
    use babycuda_typing::approximate;

    /// How sure it is that thread 0 waits at the first barrier when thread 1 ends.
    fn certainty(text: &str) -> Certainty {
        judged(text, &[]).certainty
    }

    /// The report of that, where thread 0 has to have read these values in P.
    fn judged(text: &str, read: &[(u32, u32)]) -> Report<DivergenceWitness> {
        let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let barrier = program.body.subterms().find(|b| matches!(b, Stmt::Sync { .. }));
        let barrier: Option<Site> = barrier.and_then(Stmt::site);
        let divergence = Divergence::of_block(0, (0, barrier), (1, None));
        let configuration = Configuration::of_launch(Launch::threads(2));
        let choice = |(index, value): &(u32, u32)| Choice {
            site: Site(0),
            var: Name::new("x"),
            value: (*value).into(),
            cell: Some(Cell::new("P", *index)),
        };
        let data = [read.iter().map(choice).collect(), Vec::new()];
        let witness = DivergenceWitness { configuration, divergence, data };
        judge(&program, &approximate(&program), witness, &CheckOptions::default()).0
    }

    #[test]
    fn only_a_run_that_diverges_shows_a_divergence() {
        assert_eq!(certainty("threads 2; if tid == 0 { sync }"), Certainty::Provable);
        assert_eq!(certainty("threads 2; sync"), Certainty::Potential, "it ends");
        let stuck = "threads 2; shared B; if tid == 0 { sync } else { let x = B[tid] in skip }";
        assert_eq!(certainty(stuck), Certainty::Potential, "it is stuck");
    }

    #[test]
    fn what_the_host_stored_in_inputs_may_decide_a_divergence() {
        let text = "threads 2; global P = any; let x = P[tid] in if x == 1 { sync }";
        let shown = judged(text, &[(0, 1)]);
        assert_eq!(shown.certainty, Certainty::Provable);
        let contents = shown.replay.map(|replay| replay.contents);
        assert_eq!(contents, Some(vec![(Cell::new("P", 0u32), Natural::from(1u32))]));
        assert_eq!(judged(text, &[]).certainty, Certainty::Potential, "all hold 0");
        assert_eq!(judged(text, &[(0, 1), (1, 1)]).certainty, Certainty::Potential, "both wait");
        // Data that the program writes, or that no host gives, shows nothing.
        let written = "threads 2; global P = any; P[7] := 0; let x = P[tid] in if x == 1 { sync }";
        assert_eq!(judged(written, &[(0, 1)]).certainty, Certainty::Potential);
        let opaque = "threads 2; global P = opaque; let x = P[tid] in if x == 0 { skip } \
             else { skip }; let x = P[1 - tid] in if x == tid { sync }";
        assert_eq!(judged(opaque, &[]).certainty, Certainty::Potential);
        // Declared contents need no choice.
        let declared = "threads 2; global P = [1, 0]; let x = P[tid] in if x == 1 { sync }";
        assert_eq!(judged(declared, &[]).certainty, Certainty::Provable);
    }
}
