//! Some executions: by a few orders of threads, and some that are drawn.

use super::explore::{Configuration, End, ExplorationLimits, Explorer, Reduction, TooLarge};
use super::step::Next;
use crate::instance::Instance;
use babycuda_core::Natural;
use babycuda_core::history::Race;
use std::collections::BTreeSet;

/// A thread, and values that its updates are to yield.
pub type Side = (u64, BTreeSet<Natural>);

/// An execution that has a race like `wanted`, and that race, among some executions of the block of
/// `instance`; `None`: none of these has one.
///
/// Which values atomic updates yield depends on the order of threads. First, each of the `sides`
/// waits until its next update yields one of its values; then threads run one after the other, up to
/// a barrier or their end, and the sides come first, last or between the others; then each step is
/// that of a thread drawn at random, always in the same way.
///
/// # Errors
/// [`TooLarge`]: beyond the limits without having found one; or a free variable.
pub fn find_race(
    instance: &Instance,
    sides: [&Side; 2],
    limits: &ExplorationLimits,
    wanted: &dyn Fn(&Race) -> bool,
) -> Result<Option<(End, Race)>, TooLarge> {
    let (mut explorer, start) = Explorer::of(instance, Reduction::None, limits)?;
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for execution in 0..limits.executions {
        let ranks = ORDERS.get(execution as usize);
        let mut choose = |can_step: &[usize], yields: &dyn Fn(usize) -> Option<Natural>| {
            let Some(ranks) = ranks else {
                // xorshift64 (Marsaglia 2003)
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                return can_step[(state % can_step.len() as u64) as usize];
            };
            let rank = |i: &usize| {
                let side = sides.iter().zip(ranks).find(|((j, _), _)| *j == *i as u64);
                side.map_or(0, |((_, values), rank)| match rank {
                    Some(rank) => *rank,
                    None if yields(*i).is_none_or(|value| values.contains(&value)) => -1,
                    None => 1,
                })
            };
            can_step.iter().copied().min_by_key(rank).unwrap_or(0)
        };
        let end = explorer.follow(start.clone(), &mut choose)?;
        let race = end.races().find(wanted);
        if let Some(race) = race {
            return Ok(Some((end, race)));
        }
    }
    Ok(None)
}

/// The ranks of the two sides among the others, whose rank is 0; `None`: first once the values are
/// right, and last before. Of those that can step, the thread with the smallest rank does.
const ORDERS: [[Option<i32>; 2]; 7] = [
    [None, None],
    [Some(-2), Some(-1)],
    [Some(-1), Some(-2)],
    [Some(1), Some(2)],
    [Some(2), Some(1)],
    [Some(-1), Some(1)],
    [Some(1), Some(-1)],
];

/// Which thread is to step.
type Chooser<'a> = dyn FnMut(&[usize], &dyn Fn(usize) -> Option<Natural>) -> usize + 'a;

impl Explorer<'_> {
    /// One execution, in which of the threads that can step, `choose` says which one does. It is
    /// given their positions, of which there is at least one, and answers with one of them; it may
    /// ask what an update that a thread makes next would yield.
    fn follow(&mut self, mut at: Configuration, choose: &mut Chooser<'_>) -> Result<End, TooLarge> {
        while self.pass_barrier(&mut at)? {}
        let (mut can_step, mut waits) = self.steppable(&at);
        while !can_step.is_empty() {
            let chosen = choose(&can_step, &|i| match &at.threads.get(i)?.0 {
                Next::Atomic(cell, ..) => self.value(&at, cell).cloned(),
                _ => None,
            });
            self.step(&mut at, chosen)?;
            let mut passed = false;
            if matches!(at.threads[chosen].0, Next::Barrier(..)) {
                while self.pass_barrier(&mut at)? {
                    passed = true;
                }
            }
            // A step changes what others can do by a barrier, or a value where there was none.
            let goes_on = self.can_step(&at, chosen);
            waits |= !goes_on && at.threads[chosen].0.access().is_some();
            if passed || waits {
                (can_step, waits) = self.steppable(&at);
            } else if !goes_on {
                can_step.retain(|i| *i != chosen);
            }
        }
        Ok(self.ended(at))
    }

    /// The threads that can step, in order; does another one wait for a value?
    fn steppable(&self, at: &Configuration) -> (Vec<usize>, bool) {
        let (can, cannot): (Vec<usize>, Vec<usize>) =
            (0..at.threads.len()).partition(|i| self.can_step(at, *i));
        (can, cannot.iter().any(|i| at.threads[*i].0.access().is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interleavings::explore;
    use babycuda_core::Launch;
    use babycuda_core::parse::parse_program;

    fn found(text: &str, sides: [u64; 2]) -> Option<usize> {
        let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let instance = Instance::new(program, Launch::threads(3));
        let limits = ExplorationLimits { executions: 60, steps: 10_000 };
        let wanted = |race: &Race| [race.first.0, race.second.0] == sides;
        let sides = sides.map(|i| (i, BTreeSet::new()));
        let found = find_race(&instance, sides.each_ref(), &limits, &wanted).unwrap();
        let (end, race) = found?;
        let all = explore(&instance, Reduction::None, &ExplorationLimits::default()).unwrap();
        assert!(all.ends.contains(&end), "an execution that is none: {end:?}");
        assert!(end.races().any(|other| other == race));
        Some(race.phase)
    }

    /// Each of these races needs another thread to come first, or between, or threads that step in
    /// turn.
    #[test]
    fn races_that_need_an_order_are_found() {
        let ticket = "shared C = fill 0; shared A; let t = atomic C[0] add 1 in";
        for (text, phase) in [
            ("if t == tid { A[0] := tid } else { skip }", 0),
            ("if t == 2 - tid { A[0] := tid } else { skip }", 0),
            (
                "if tid == 2 { skip } else { if t == 0 { A[0] := 1 } else {
                if t == 2 { A[0] := 2 } else { skip } } }",
                0,
            ),
            ("sync; A[t / 2] := tid", 1),
            ("let u = atomic C[0] add 1 in if (u - t) == 2 { A[0] := 1 } else { skip }", 0),
        ] {
            assert_eq!(found(&format!("{ticket} {text}"), [0, 1]), Some(phase), "{text}");
        }
    }

    /// Tickets 0 and 40 of a hundred: no drawn order gives them to these two threads.
    #[test]
    fn threads_wait_for_the_values_that_they_need() {
        let text = "shared C = fill 0; shared A; let t = atomic C[0] add 1 in A[t % 40] := tid";
        let instance = Instance::new(parse_program(text).unwrap(), Launch::threads(50));
        let limits = ExplorationLimits { executions: 60, steps: 100_000 };
        let wanted = |race: &Race| (race.first.0, race.second.0) == (3, 7);
        let find = |first: u32, second: u32| {
            let side = |i, value: u32| (i, BTreeSet::from([Natural::from(value)]));
            let sides = [side(3, first), side(7, second)];
            find_race(&instance, sides.each_ref(), &limits, &wanted).unwrap()
        };
        assert!(find(0, 40).is_some() && find(45, 5).is_some());
        assert!(find(1, 2).is_none());
    }

    #[test]
    fn there_is_none_where_no_execution_has_one() {
        let text = "shared C = fill 0; shared A; let t = atomic C[0] add 1 in A[t] := tid";
        assert_eq!(found(text, [0, 1]), None);
    }
}
