//! T0: where every phase has at most one writer of a cell, the thread judgment is a function.

use crate::instances::for_instances;
use babycuda_core::history::AtomicLog;
use babycuda_core::syntax::AtomicOp;
use babycuda_core::{Accesses, Cell, History, Stmt};
use babycuda_semantics::{Policy, Reason, RunOptions, check_derivation, thread};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Has every phase at most one writer of each cell, and no update by data that the calculus does
/// not compute?
fn one_writer(history: &History) -> bool {
    let known = |log: &AtomicLog| log.updates.iter().all(|u| u.op != AtomicOp::Opaque);
    history.newest_first().all(|phase| {
        let mut written = BTreeSet::new();
        phase.threads().all(|(_, accesses)| {
            let own: BTreeSet<&Cell> =
                accesses.writes.keys().chain(accesses.atomics.keys()).collect();
            accesses.atomics.values().all(known) && own.into_iter().all(|c| written.insert(c))
        })
    })
}

/// The statement with `skip` for every barrier, and a read for every atomic update.
fn plain(b: &Stmt) -> Stmt {
    let mut copy = b.clone();
    match &mut copy {
        Stmt::Skip | Stmt::Write { .. } => {}
        Stmt::Sync { .. } => return Stmt::Skip,
        Stmt::Seq(b, c) | Stmt::If { then: b, otherwise: c, .. } => {
            *b = Arc::new(plain(b));
            *c = Arc::new(plain(c));
        }
        Stmt::Atomic { site, var, array, index, body, .. } => {
            return Stmt::Read {
                site: *site,
                var: var.clone(),
                array: array.clone(),
                index: index.clone(),
                body: Arc::new(plain(body)),
            };
        }
        Stmt::Read { body, .. } | Stmt::For { body, .. } => *body = Arc::new(plain(body)),
    }
    copy
}

#[test]
fn thread_evaluation_is_deterministic_after_phases_with_one_writer() {
    let seen = for_instances(20_000, |instance, choice| {
        let with = |ambiguous| RunOptions { ambiguous, ..RunOptions::default() };
        let outcome = instance.run(&with(Policy::Smallest));
        let (history, thread) = (outcome.history(), u64::from(choice) % 3);
        let own = instance.block().substitution(thread);
        let code = plain(&instance.body()).subst(&own);
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
        Ok([label])
    });
    seen.assert_share("one writer", 0.2..=0.9);
    seen.assert_share("several writers, several results", 0.002..=0.3);
}
