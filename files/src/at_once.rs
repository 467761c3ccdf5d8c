//! Independent pieces of work, two at once where there are processors. (Threads of `rayon` would begin another piece while one
//! waits, within its budget.)

use babycuda_core::Budget;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// Each piece may take half of the memory that a command has by default: no more are done at once.
const MAX_AT_ONCE: usize = 2;
/// Room for the recursion of what others have written; ours gets more where it needs it.
const STACK: usize = 8 << 20;

/// What `work` comes to for each of the items, in their order. Each piece has the budget of the caller, and a panic in one is
/// one of all.
pub fn at_once<I: Sync, T: Send>(items: &[I], work: impl Fn(usize, &I) -> T + Sync) -> Vec<T> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let some = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(i) else { return };
            let result = work(i, item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((i, result));
        }
    };
    let budget = Budget::ambient();
    let some_elsewhere = || {
        if let Err(exhausted) = budget.within(some) {
            resume_unwind(Box::new(exhausted));
        }
    };
    thread::scope(|scope| {
        // Where there are no threads, this one does it all.
        let spawn = |_| Builder::new().stack_size(STACK).spawn_scoped(scope, some_elsewhere).ok();
        let others: Vec<_> =
            (1..processors.min(items.len()).min(MAX_AT_ONCE)).filter_map(spawn).collect();
        some();
        for other in others {
            other.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::budget::{Exhausted, pause};
    use std::time::Duration;

    #[test]
    fn results_come_in_order() {
        let items: Vec<usize> = (0..100).rev().collect();
        let expected: Vec<usize> = (0..100).map(|i| i * (99 - i)).collect();
        assert_eq!(at_once(&items, |i, item| i * item), expected);
        assert_eq!(at_once(&[], |i, ()| i), Vec::<usize>::new());
    }

    #[test]
    fn every_piece_ends_with_the_budget_around() {
        let soon = Duration::from_millis(20);
        let for_ever = |_, _: &()| loop {
            pause();
        };
        let found: Result<Vec<()>, _> = Budget::time(soon).within(|| at_once(&[(); 8], for_ever));
        assert_eq!(found, Err(Exhausted(soon)));
    }

    #[test]
    #[should_panic(expected = "of one piece")]
    fn a_panic_of_one_is_a_panic_of_all() {
        at_once(&[(); 8], |i, ()| assert_ne!(i, 7, "of one piece"));
    }
}
