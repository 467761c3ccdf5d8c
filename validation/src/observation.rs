//! A report beside the reference, with what several claims need to know of it.

use crate::claims::Judgment;
use crate::reference::{Accesses, BigStep, Reference, in_order, numbered, run};
use crate::threads::{Departure, Run, follow};
use babycuda_core::{AccessMode, Natural, Site};
use babycuda_gpu::Report;
use babycuda_gpu::report::Status;
use babycuda_semantics::{AtomicOracle, AtomicPolicy, AtomicQuery, Policy, RunOptions};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// What happened, and what there is to hold it against.
pub(crate) struct Observation<'a> {
    pub(crate) reference: &'a Reference,
    pub(crate) report: &'a Report,
    /// The numbers of its arrays among those of the code.
    pub(crate) arrays: Vec<usize>,
    /// Its accesses, phase by phase.
    pub(crate) accesses: Vec<Accesses>,
    /// The big-step run in which every atomic update yields what it did on the device, up to the
    /// first read that has several values to choose from.
    ///
    /// As in T6, up to and including its first racy phase it tells what every interleaving does in
    /// which updates yield these values.
    pub(crate) determined: Cow<'a, BigStep>,
    /// What the threads did, if each followed its program.
    pub(crate) runs: Result<Vec<Run>, Departure>,
    /// Whether an interleaving explains the values, and which, once a claim has asked.
    pub(crate) explained: OnceCell<(Judgment, Option<Vec<usize>>)>,
}

impl<'a> Observation<'a> {
    pub(crate) fn new(reference: &'a Reference, report: &'a Report) -> Observation<'a> {
        let arrays: Vec<usize> =
            report.arrays.iter().map(|array| reference.number(&array.name)).collect();
        Observation {
            reference,
            report,
            accesses: accesses(&arrays, report),
            determined: match reference.atomics {
                false => Cow::Borrowed(&reference.run),
                true => Cow::Owned(with_updates(reference, report)),
            },
            runs: follow(&reference.code, &reference.instance, report),
            arrays,
            explained: OnceCell::new(),
        }
    }

    /// What is left in a cell of the array of this number.
    pub(crate) fn value(&self, array: usize, index: u64) -> Option<u64> {
        let place = self.arrays.iter().position(|own| *own == array)?;
        self.report.arrays[place].cells.get(usize::try_from(index).ok()?).copied()
    }

    /// Did a thread stop where the calculus has no reason to: at the end of its array, log or fuel?
    pub(crate) fn faulted(&self) -> bool {
        match self.report.status {
            Status::Done | Status::Divergence(_) => false,
            Status::Waits(_)
            | Status::OutOfFuel(_)
            | Status::LogFull(_)
            | Status::OutOfBounds { .. } => true,
        }
    }

    /// How many phases all threads completed.
    pub(crate) fn complete(&self) -> usize {
        self.report.last_phase as usize + usize::from(!self.faulted())
    }
}

/// The big-step run in which atomic updates yield what the report says.
fn with_updates(reference: &Reference, report: &Report) -> BigStep {
    let options = RunOptions {
        ambiguous: Policy::Stop,
        atomics: AtomicPolicy::Oracle(Arc::new(Updates::of(report))),
        ..RunOptions::default()
    };
    run(&reference.code, &reference.instance, &options).0
}

/// The accesses in the log, phase by phase.
fn accesses(arrays: &[usize], report: &Report) -> Vec<Accesses> {
    let mut phases = vec![Vec::new(); report.last_phase as usize + 1];
    for (thread, own) in (0u64..).zip(&report.threads) {
        for entry in &own.log {
            if let (Some(phase), Some(array)) =
                (phases.get_mut(entry.phase as usize), arrays.get(entry.array as usize))
            {
                phase.push(numbered(thread, entry.mode, *array, entry.index));
            }
        }
    }
    phases.into_iter().map(in_order).collect()
}

/// The updates of each thread that the run of the semantics has not come to.
struct Updates(Mutex<Vec<VecDeque<(u32, Site, u64)>>>);

impl Updates {
    fn of(report: &Report) -> Updates {
        let updates = report.threads.iter().map(|thread| {
            let updates = thread.log.iter().filter(|e| matches!(e.mode, AccessMode::At(_)));
            updates.map(|entry| (entry.phase, entry.site, entry.value)).collect()
        });
        Updates(Mutex::new(updates.collect()))
    }
}

impl AtomicOracle for Updates {
    /// What the next update of the thread yielded, if it is this one. Otherwise the two runs have
    /// parted, in a racy phase or wrongly, and any value will do: claims compare accesses first.
    fn value(&self, query: &AtomicQuery<'_>) -> Natural {
        let mut threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = usize::try_from(query.thread).ok();
        let updates = thread.and_then(|thread| threads.get_mut(thread));
        let place = (query.phase, query.site);
        match updates.and_then(|updates| Some((*updates.front()?, updates))) {
            Some(((phase, site, value), updates)) if (phase as usize, site) == place => {
                updates.pop_front();
                value.into()
            }
            _ => Policy::Smallest.choose(query.cell, query.view).cloned().unwrap_or_default(),
        }
    }
}
