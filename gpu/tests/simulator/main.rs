//! The simulator against the semantics.

mod contract;
mod images;
mod instances;
mod interleavings;
mod machine;
mod scopes;
#[path = "../suite/mod.rs"]
mod suite;

use babycuda_core::history::{Access, LastWrite, lastwrite};
use babycuda_core::{AccessMode, Cell, History, Natural, Phase, Stmt};
use babycuda_gpu::Report;
use babycuda_gpu::report::{Status, without_updates};
use babycuda_semantics::{Instance, Outcome, Policy, RunOptions, vm};
use babycuda_testkit::generators::Profile;
use instances::{expected, for_instances, simulated};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use std::collections::{BTreeMap, BTreeSet};

/// Does the run end as the outcome does?
fn ends_alike(report: &Report, outcome: &Outcome) -> bool {
    match (&report.status, outcome) {
        (Status::Done, Outcome::Done { .. }) => true,
        (Status::Divergence(seen), Outcome::Diverged { divergence, .. }) => seen == divergence,
        _ => false,
    }
}

/// Does every thread access in every phase what the history says?
fn same_accesses(report: &Report, outcome: &Outcome) -> TestCaseResult {
    let phases = report.accesses();
    prop_assert_eq!(phases.len(), outcome.history().len());
    for (number, phase) in outcome.history().chronological() {
        let expected: BTreeSet<Access> = phase.accesses().collect();
        prop_assert_eq!(&phases[number], &expected, "phase {}", number);
    }
    Ok(())
}

/// T2 and T5: what a well-typed program accesses depends neither on data nor on the order of its
/// threads.
#[test]
fn well_typed_programs_access_what_the_history_says_racy_or_not() {
    let narrow = Profile { huge: false, undefined: false, ..Profile::WELL_TYPED };
    let seen = for_instances(10_000, narrow, |instance, schedule| {
        let outcome = expected(&instance);
        match simulated(&instance, schedule) {
            Err(label) => Ok(label),
            Ok(report) => {
                prop_assert!(ends_alike(&report, &outcome), "{}", report.status);
                same_accesses(&report, &outcome)?;
                let drf = outcome.history().is_drf();
                Ok(if drf { "race-free" } else { "racy" })
            }
        }
    });
    seen.assert_share("race-free", 0.15..=0.8);
    seen.assert_share("racy", 0.1..=0.7);
    seen.assert_share("beyond 64 bits", 0.0..=0.3);
}

/// T6: where no phase is racy, every interleaving has the history's accesses and values, and ends
/// in its memory; where threads diverge, they do so as the semantics says.
#[test]
fn race_free_programs_do_what_the_history_says_with_the_same_values() {
    let plain = Profile { atomics: false, huge: false, undefined: false, ..Profile::ANY };
    let seen = for_instances(20_000, plain, |instance, schedule| {
        let outcome = expected(&instance);
        if outcome.stuck().is_some() || !outcome.history().is_drf() {
            return Ok("racy or stuck");
        }
        let report = match simulated(&instance, schedule) {
            Ok(report) => report,
            Err(label) => return Ok(label),
        };
        prop_assert!(ends_alike(&report, &outcome), "{}", report.status);
        let phases: Vec<Phase> =
            outcome.history().chronological().map(|(_, phase)| without_updates(phase)).collect();
        prop_assert_eq!(report.phases(), phases);
        reads_are_lastwrites(&report, &outcome)?;
        same_memory(&report, &outcome)?;
        let done = report.status == Status::Done;
        Ok(if done { "done" } else { "diverged" })
    });
    seen.assert_share("done", 0.2..=0.8);
    seen.assert_share("diverged", 0.005..=0.5);
}

/// Every read has the value that the history gives it: the thread's own last write in the phase, or
/// what the phases before left.
fn reads_are_lastwrites(report: &Report, outcome: &Outcome) -> TestCaseResult {
    let mut before = History::empty(outcome.history().host().clone());
    for (number, phase) in outcome.history().chronological() {
        // In stages, a thread also sees what its groups left: what they write tells.
        let threads = if phase.is_staged() { &[][..] } else { &report.threads };
        for thread in threads {
            let mut own = BTreeMap::new();
            for entry in thread.phase(number as u32) {
                let cell = report.cell(entry);
                let value = Natural::from(entry.value);
                if entry.mode == AccessMode::Wr {
                    own.insert(cell, value);
                    continue;
                }
                let view = own.get(&cell).map(|k| LastWrite::One(k.clone()));
                prop_assert_eq!(view.unwrap_or_else(|| lastwrite(&cell, &before)), {
                    LastWrite::One(value)
                });
            }
        }
        before = before.push(phase.clone());
    }
    Ok(())
}

/// Every cell holds the one value that `lastwrite` gives it.
fn same_memory(report: &Report, outcome: &Outcome) -> TestCaseResult {
    for array in &report.arrays {
        for (index, value) in (0u64..).zip(&array.cells) {
            let cell = Cell::new(array.name.clone(), index);
            let expected = lastwrite(&cell, outcome.history());
            prop_assert_eq!(expected, LastWrite::One(Natural::from(*value)), "{}", cell);
        }
    }
    Ok(())
}

/// Do the values that atomic updates yield go nowhere?
fn updates_yield_nothing(instance: &Instance) -> bool {
    instance.program.body.subterms().all(|b| match b {
        Stmt::Atomic { var, body, .. } => !body.free_vars().contains(var),
        _ => true,
    })
}

/// Does no thread read a cell that may hold several values?
fn reads_one_value(instance: &Instance) -> bool {
    let options = RunOptions { ambiguous: Policy::Stop, ..RunOptions::default() };
    vm::run(instance, &options).stuck().is_none()
}

/// THEORY §4: updates of a cell by one commutative operator come to one value in every order.
#[test]
fn race_free_programs_with_updates_end_in_the_memory_of_the_history() {
    let atomic = Profile { huge: false, undefined: false, ..Profile::WELL_TYPED };
    let seen = for_instances(10_000, atomic, |instance, schedule| {
        let outcome = expected(&instance);
        let history = outcome.history();
        let updates = history.newest_first().flat_map(Phase::threads);
        let updates = updates.filter(|(_, accesses)| !accesses.atomics.is_empty()).count();
        let open = !updates_yield_nothing(&instance) || !reads_one_value(&instance);
        if updates == 0 || !history.is_drf() || open {
            return Ok("no updates, racy, or with values that go on");
        }
        let Ok(report) = simulated(&instance, schedule) else {
            return Ok("beyond the simulator");
        };
        let mut one_value = true;
        for array in &report.arrays {
            for (index, value) in (0u64..).zip(&array.cells) {
                let cell = Cell::new(array.name.clone(), index);
                match lastwrite(&cell, history) {
                    LastWrite::One(k) => prop_assert_eq!(k, Natural::from(*value), "{}", cell),
                    LastWrite::Several(_) => one_value = false,
                    LastWrite::Undefined => prop_assert!(false, "{} is defined", cell),
                }
            }
        }
        Ok(if one_value { "one value" } else { "several values" })
    });
    seen.assert_share("one value", 0.02..=0.5);
}
