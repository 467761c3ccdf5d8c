//! Which cases are tried, and by whom.

use crate::{Merge, State};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelIterator, ParallelBridge, ParallelIterator};
use serde::{Deserialize, Serialize};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One of several equal parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Which, from 0.
    pub index: u64,
    /// Of how many, at least 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub of: u64,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };

    /// Does what has this number belong to the part?
    pub fn takes(self, number: u64) -> bool {
        number % self.of.max(1) == self.index
    }

    /// How many numbers below this one it takes.
    pub(crate) fn before(self, number: u64) -> u64 {
        number.saturating_sub(self.index).div_ceil(self.of.max(1))
    }
}

/// `2/8`: the second of eight.
impl std::str::FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Shard, &'static str> {
        let parts = text.split_once('/').map(|(part, of)| (part.parse::<u64>(), of.parse()));
        match parts {
            Some((Ok(part), Ok(of))) if 1 <= part && part <= of => {
                Ok(Shard { index: part - 1, of })
            }
            _ => Err("not a part of a whole, as 2/8 is: parts are 1/8 to 8/8"),
        }
    }
}

/// Searches one shard on each processor, all at once; returns what they find together.
pub fn shards<F: Merge + Send>(search: impl Fn(Shard) -> F + Sync) -> F {
    let of = rayon::current_num_threads() as u64;
    (0..of).into_par_iter().map(|index| search(Shard { index, of })).reduce(F::default, F::and)
}

/// Which numbered cases are tried, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How many cases: those from `first` on.
    pub cases: u64,
    /// The number of the first one.
    pub first: u64,
    /// The seed of the cases.
    pub seed: u64,
    /// What else the cases depend on, as numbers: a campaign of others does not go on.
    pub setting: [u64; 3],
    /// What these are, for messages.
    pub names: [&'static str; 3],
    /// Cases of a batch, at least 1.
    pub batch: u64,
    /// The batches that are tried here.
    pub shard: Shard,
    /// Threads.
    pub workers: usize,
    /// No batch is begun after this time.
    pub time: Option<Duration>,
}

impl Plan {
    /// This many cases of seed 0, with one worker on each processor.
    pub fn of(cases: u64) -> Plan {
        let workers = rayon::current_num_threads();
        let (shard, setting, names) = (Shard::WHOLE, [0; 3], ["its settings"; 3]);
        Plan { cases, first: 0, seed: 0, setting, names, batch: 1024, shard, workers, time: None }
    }

    /// Tries the batches of the shard that `state` lacks, in order. `work` gets what `worker` made
    /// for its thread, and the numbers of a batch. When it breaks off, what it found counts, but
    /// its batch is not done, and no other is begun. `after` sees the state after each batch.
    ///
    /// # Panics
    /// When `work` does.
    pub fn run<W, F: Merge + Send>(
        &self,
        state: State<F>,
        worker: impl Fn() -> W + Sync + Send,
        work: impl Fn(&mut W, Range<u64>) -> ControlFlow<F, F> + Sync + Send,
        after: impl Fn(&State<F>) + Sync + Send,
    ) -> State<F> {
        let (start, stopped, size) = (Instant::now(), AtomicBool::new(false), self.batch.max(1));
        let before = state.time;
        let is_done = state.what_is_done();
        let open = (0..self.cases.div_ceil(size))
            .filter(|batch| self.shard.takes(*batch) && !is_done(*batch));
        let state = Mutex::new(state);
        let late = || self.time.is_some_and(|time| start.elapsed() > time);
        let next = open.take_while(|_| !stopped.load(Relaxed) && !late());
        let batch = |own: &mut W, batch: u64| {
            let begin = batch * size;
            let done = work(own, self.first + begin..self.first + self.cases.min(begin + size));
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            state.time = before + start.elapsed();
            match done {
                ControlFlow::Continue(found) => {
                    state.finish(batch, found);
                    after(&state);
                }
                ControlFlow::Break(found) => {
                    stopped.store(true, Relaxed);
                    state.found.merge(found);
                }
            }
        };
        let all = || next.par_bridge().for_each_init(worker, batch);
        match ThreadPoolBuilder::new().num_threads(self.workers.max(1)).build() {
            Ok(pool) => pool.install(all),
            // The system has no thread to spare: those that there are do it.
            Err(_) => all(),
        }
        state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counts;

    fn numbers(plan: &Plan, state: State<Counts<u64>>) -> State<Counts<u64>> {
        let work = |(): &mut (), range: Range<u64>| ControlFlow::Continue(range.collect());
        plan.run(state, || (), work, |_| {})
    }

    #[test]
    fn every_case_is_tried_once_whatever_the_batches_and_shards() {
        let plan = Plan { first: 1_000, batch: 7, workers: 3, ..Plan::of(100) };
        let expected: Counts<u64> = (1_000..1_100).collect();
        assert_eq!(numbers(&plan, State::new(&plan)).found, expected);
        let parts = (0..4).map(|index| Plan { shard: Shard { index, of: 4 }, ..plan });
        let parts = parts.map(|plan| numbers(&plan, State::new(&plan)).found);
        assert_eq!(parts.reduce(Merge::and), Some(expected));
        assert_eq!("2/8".parse(), Ok(Shard { index: 1, of: 8 }));
        for wrong in ["", "2", "0/8", "9/8", "1/0", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_breaks_off_is_tried_again_and_nothing_else() {
        let plan = Plan { batch: 10, workers: 2, ..Plan::of(95) };
        let breaks = |(): &mut (), range: Range<u64>| match range.contains(&33) {
            true => ControlFlow::Break(Counts::default()),
            false => ControlFlow::Continue(range.collect()),
        };
        let state = plan.run(State::new(&plan), || (), breaks, |_| {});
        assert!(state.found.total() >= 20 && state.found.get(&33) == 0);
        let more = Plan { cases: 100, ..plan };
        assert_eq!(numbers(&plan, state).found, (0..95).collect());
        assert_eq!(numbers(&more, State::new(&more)).found, (0..100).collect());
    }

    #[test]
    fn no_batch_is_begun_when_the_time_is_over() {
        let plan = Plan { time: Some(Duration::ZERO), ..Plan::of(100) };
        assert_eq!(numbers(&plan, State::new(&plan)).found.total(), 0);
    }

    #[test]
    fn shards_cover_everything_once() {
        let search = |shard: Shard| (0..100).filter(|n| shard.takes(*n)).collect::<Counts<u64>>();
        assert_eq!(shards(search), (0..100).collect());
    }
}
