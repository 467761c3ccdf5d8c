//! Phases with their stages: what barriers of narrower scopes than the block order in them.

use crate::reference::{Numbered, numbered};
use babycuda_core::AccessMode;
use babycuda_core::history::{Staged, conflicts};
use babycuda_gpu::Report;
use babycuda_semantics::vm::Run;

/// A phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stages {
    /// The groups that passed barriers, in order: the first thread of each, and the one behind its last.
    groups: Vec<(u64, u64)>,
    /// What each thread does in each stage, in order; of a write also the last value.
    accesses: Vec<(usize, Numbered, Option<u64>)>,
}

impl Stages {
    /// A complete phase of a run. Numbers beyond 64 bits, which no device has, are the largest.
    pub(crate) fn of_run(run: &Run<'_>, phase: usize) -> Stages {
        let long = |number: &babycuda_core::Natural| number.to_u64().unwrap_or(u64::MAX);
        let accesses = run.accesses_of(phase).map(|own| {
            let access = numbered(own.thread, own.mode, own.array, long(&own.index));
            (own.stage, access, own.written.as_ref().map(long))
        });
        let mut accesses: Vec<_> = accesses.collect();
        accesses.sort_unstable();
        Stages { groups: run.groups(phase).collect(), accesses }
    }

    /// A phase of a report, whose arrays have these numbers.
    pub(crate) fn of_report(report: &Report, arrays: &[usize], phase: u32) -> Stages {
        let (accesses, groups) = report.staged(phase);
        let accesses = accesses.into_iter().map(|(stage, thread, entry)| {
            let array = arrays.get(entry.array as usize).copied().unwrap_or(usize::MAX >> 32);
            let written = (entry.mode == AccessMode::Wr).then_some(entry.value);
            (stage, numbered(thread, entry.mode, array, entry.index), written)
        });
        let mut accesses: Vec<_> = accesses.collect();
        // A thread's accesses stand in its order: of several writes the last one counts.
        accesses.sort_by_key(|(stage, access, _)| (*stage, *access));
        accesses.dedup_by(|next, first| {
            let same = (next.0, next.1) == (first.0, first.1);
            if same {
                first.2 = next.2;
            }
            same
        });
        let groups = groups.iter().map(|group| (group.first, group.end)).collect();
        Stages { groups, accesses }
    }
}

/// Is there a race in a phase of the log?
pub(crate) fn is_racy(report: &Report, phase: u32) -> bool {
    let (accesses, groups) = report.staged(phase);
    let access = |(stage, thread, entry): (usize, u64, &babycuda_gpu::report::Entry)| {
        ((entry.array, entry.index), (thread, entry.mode), stage)
    };
    let mut accesses: Vec<Staged<(u32, u64)>> = accesses.into_iter().map(access).collect();
    accesses.sort_unstable();
    // Does a barrier of both threads stand between the stages?
    let parted = |(i, k): (u64, usize), (j, l): (u64, usize)| {
        let mut between = groups[k.min(l)..k.max(l)].iter();
        between.any(|group| [i, j].iter().all(|n| (group.first..group.end).contains(n)))
    };
    conflicts(accesses).any(|((_, (i, _), k), (_, (j, _), l))| !parted((i, k), (j, l)))
}
