//! Which thread goes on.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use std::fmt;

/// In which order the threads of a program step. A step ends with an access or a stop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Schedule {
    /// Each step is one of a random thread; the seed says which.
    Random(u64),
    /// One step of each thread in turn.
    RoundRobin,
    /// Each thread to its stop, then the next.
    ThreadAfterThread,
}

impl Schedule {
    /// The schedule, at work, of a program with these words of a jitter; None where they say nothing.
    pub(super) fn of_jitter(self, words: [u32; 2]) -> Option<Scheduler> {
        let own = u64::from(words[0]) << 32 | u64::from(words[1]);
        match self {
            Schedule::Random(seed) if own != 0 => {
                Some(Scheduler::new(Schedule::Random(seed ^ own)))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Random(seed) => write!(f, "random threads from seed {seed}"),
            Schedule::RoundRobin => f.write_str("threads in turn"),
            Schedule::ThreadAfterThread => f.write_str("thread after thread"),
        }
    }
}

/// A schedule at work.
#[derive(Clone, Debug)]
pub(super) enum Scheduler {
    Random(Xoshiro256PlusPlus),
    RoundRobin,
    ThreadAfterThread,
}

impl Scheduler {
    pub(super) fn new(schedule: Schedule) -> Scheduler {
        match schedule {
            Schedule::Random(seed) => Scheduler::Random(Xoshiro256PlusPlus::seed_from_u64(seed)),
            Schedule::RoundRobin => Scheduler::RoundRobin,
            Schedule::ThreadAfterThread => Scheduler::ThreadAfterThread,
        }
    }

    /// The position among `running` threads, of which there are some, of the one that goes on.
    /// `before`: the position of the last one, or where it was when it stopped; 0 at first.
    pub(super) fn next(&mut self, running: usize, before: usize, stopped: bool) -> usize {
        match self {
            // The bias of the remainder is below 2^-50.
            Scheduler::Random(random) => (random.next_u64() % running as u64) as usize,
            Scheduler::RoundRobin if stopped => before % running,
            Scheduler::RoundRobin => (before + 1) % running,
            Scheduler::ThreadAfterThread => 0,
        }
    }
}
