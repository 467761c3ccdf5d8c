//! A phase step by step: runs of threads up to their next barriers, and the groups that pass these.

use super::{Entry, Passed, Report};
use babycuda_core::launch::Group;

/// What happens in a phase.
pub(super) enum Step<'a> {
    /// A thread makes accesses, up to its next barrier.
    Ran(u64, &'a [Entry]),
    /// A group passes a barrier.
    Passed(Group),
}

impl Report {
    /// The groups that passed barriers of narrower scopes than the block in a phase, in the order in
    /// which the semantics lets them.
    pub fn meetings(&self, phase: u32) -> Vec<Group> {
        if self.threads.iter().all(|own| own.passed.is_empty()) {
            return Vec::new();
        }
        let group = |step: &Step<'_>| match step {
            Step::Ran(..) => None,
            Step::Passed(group) => Some(*group),
        };
        self.steps(phase).0.iter().filter_map(group).collect()
    }

    /// The accesses of a phase, each with its thread and its stage ([`places`](babycuda_core::Phase::places)); and the groups
    /// that passed barriers.
    pub fn staged(&self, phase: u32) -> (Vec<(usize, u64, &Entry)>, Vec<Group>) {
        let (groups, mut accesses, mut passed) = (self.meetings(phase), Vec::new(), 0);
        for step in self.steps(phase).0 {
            match step {
                Step::Ran(thread, entries) => {
                    let holds = |group: &Group| (group.first..group.end).contains(&thread);
                    let next = groups[passed..].iter().position(holds);
                    let stage = next.map_or(groups.len(), |next| passed + next);
                    accesses.extend(entries.iter().map(|entry| (stage, thread, entry)));
                }
                Step::Passed(_) => passed += 1,
            }
        }
        (accesses, groups)
    }

    /// A thread that passed a barrier without its group, in a report that no device gave.
    pub fn without_its_group(&self) -> Option<u64> {
        if self.threads.iter().all(|own| own.passed.is_empty()) {
            return None;
        }
        (0..=self.last_phase).find_map(|phase| self.steps(phase).1)
    }

    /// What the semantics does in a phase with these logs, round by round: all threads that can
    /// run, and then all groups that go on, by their first threads. And the first thread that
    /// passed a barrier without its group.
    pub(super) fn steps(&self, phase: u32) -> (Vec<Step<'_>>, Option<u64>) {
        let mut steps = Vec::new();
        let mut left: Vec<(&[Entry], &[Passed])> =
            self.threads.iter().map(|own| (own.phase(phase), own.passed(phase))).collect();
        let starts = self.threads.iter().map(|own| own.log.partition_point(|e| e.phase < phase));
        let mut made: Vec<usize> = starts.collect();
        let mut runs: Vec<usize> = (0..left.len()).collect();
        while !runs.is_empty() {
            for i in std::mem::take(&mut runs) {
                let (entries, passed) = left[i];
                let until = passed.first().map_or(usize::MAX, |next| next.after as usize);
                let (now, later) =
                    entries.split_at(until.saturating_sub(made[i]).min(entries.len()));
                steps.push(Step::Ran(i as u64, now));
                (left[i].0, made[i]) = (later, made[i] + now.len());
            }
            let next = |i: usize| left[i].1.first().map(|barrier| (barrier.site, barrier.scope));
            for i in 0..left.len() {
                let Some((_, scope)) = next(i) else { continue };
                let group = self.block.launch.group(scope, self.block.thread(i as u64));
                let mut members = group.first as usize..(group.end as usize).min(left.len());
                if members.start == i && members.clone().all(|j| next(j) == next(i)) {
                    steps.push(Step::Passed(group));
                    runs.extend(&mut members);
                }
            }
            runs.iter().for_each(|&i| left[i].1 = &left[i].1[1..]);
        }
        let alone = left.iter().position(|(_, passed)| !passed.is_empty());
        (steps, alone.map(|i| i as u64))
    }
}
