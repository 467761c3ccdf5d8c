//! T0: where every phase has at most one writer of a cell, the thread judgment is a function.

use crate::instances::for_instances;
use babycuda_core::{Accesses, History, Stmt};
use babycuda_semantics::{Options, Policy, Reason, check_derivation, thread};
use babycuda_testkit::Distribution;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Has every phase at most one writer of each cell?
fn one_writer(history: &History) -> bool {
    history.newest_first().all(|phase| {
        let mut written = BTreeSet::new();
        let writes = phase.threads().flat_map(|(_, a)| a.writes.keys().chain(a.atomics.keys()));
        let each = phase
            .threads()
            .map(|(_, a)| a.writes.keys().chain(a.atomics.keys()).collect::<BTreeSet<_>>().len());
        let total: usize = each.sum();
        written.extend(writes);
        written.len() == total
    })
}

/// The statement with `skip` for every barrier.
fn without_barriers(b: &Stmt) -> Stmt {
    let mut copy = b.clone();
    match &mut copy {
        Stmt::Skip | Stmt::Write { .. } => {}
        Stmt::Sync { .. } => return Stmt::Skip,
        Stmt::Seq(b, c) | Stmt::If { then: b, otherwise: c, .. } => {
            *b = Arc::new(without_barriers(b));
            *c = Arc::new(without_barriers(c));
        }
        Stmt::Read { body, .. } | Stmt::Atomic { body, .. } | Stmt::For { body, .. } => {
            *body = Arc::new(without_barriers(body));
        }
    }
    copy
}

#[test]
fn thread_evaluation_is_deterministic_after_phases_with_one_writer() {
    let seen = RefCell::new(Distribution::default());
    for_instances(20_000, |instance, choice| {
        let with = |ambiguous| Options { ambiguous, ..Options::default() };
        let outcome = instance.run(&with(Policy::Smallest));
        let (history, thread) = (outcome.history(), u64::from(choice) % 3);
        let own = instance.block.substitution(thread);
        let code = without_barriers(&instance.body()).subst(&own);
        if code.subterms().any(|b| matches!(b, Stmt::Atomic { .. })) {
            seen.borrow_mut().case(["atomics"]);
            return Ok(());
        }
        let results = [Policy::Stop, Policy::Smallest, Policy::Largest].map(|policy| {
            thread::evaluate(&Accesses::default(), &code, history, thread, &with(policy))
        });
        for (_, derivation) in results.iter().flatten() {
            prop_assert_eq!(check_derivation(derivation), Ok(()));
        }
        let [stop, smallest, largest] = results.map(|result| result.map(|(after, _)| after));
        let ambiguous = |r: &Result<Accesses, babycuda_semantics::Stuck>| matches!(r, Err(stuck) if matches!(stuck.reason, Reason::Ambiguous { .. }));
        let label = if one_writer(history) {
            prop_assert!(!ambiguous(&stop));
            prop_assert_eq!(&stop, &smallest);
            prop_assert_eq!(&stop, &largest);
            "one writer"
        } else if smallest != largest {
            prop_assert!(ambiguous(&stop));
            "several writers, several results"
        } else {
            "several writers, one result"
        };
        seen.borrow_mut().case([label]);
        Ok(())
    });
    let seen = seen.into_inner();
    println!("{seen}");
    seen.assert_share("one writer", 0.2..=0.9);
    seen.assert_share("several writers, several results", 0.001..=0.3);
}
