//! How long a question may take, from the text to the verdict.
//!
//! Each stage has limits of its own kind: steps, gates, time for one query. A [`Budget`] is what
//! they share, in two ways:
//!
//! - Stages that keep what they have found when the time is over have a copy in their limits, and
//!   ask it themselves.
//! - Everything else runs [within](Budget::within) it. Whatever may be long calls [`pause`]: each
//!   node of a recursion on trees ([`crate::deep::grow`]), each term, each step of a run. Once the
//!   time is over, [`pause`] unwinds the stack to `within`, which returns the error. No panic hook
//!   is called. Where panics abort the process, [`pause`] does nothing.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

thread_local! {
    /// The budget of the innermost [`Budget::within`], and how often [`pause`] was called.
    static AMBIENT: Cell<(Budget, u32)> = const { Cell::new((Budget::UNLIMITED, 0)) };
}

/// How many calls of [`pause`] there are between two looks at the clock.
const PAUSES: u32 = 256;

/// Goes on, or ends the innermost [`Budget::within`] of this thread when its time is over.
#[inline]
pub fn pause() {
    let (budget, calls) = AMBIENT.get();
    if budget == Budget::UNLIMITED {
        return;
    }
    AMBIENT.set((budget, calls.wrapping_add(1)));
    if calls.is_multiple_of(PAUSES) {
        look();
    }
}

/// [`pause`] that looks at the clock each time.
///
/// It does not unwind a stack that unwinds already: that would end the process.
#[cold]
pub fn look() {
    if let Err(exhausted) = Budget::ambient().check()
        && cfg!(panic = "unwind")
        && !std::thread::panicking()
    {
        resume_unwind(Box::new(exhausted));
    }
}

/// When to stop. The default is never.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Budget {
    limit: Option<(Instant, Duration)>,
}

/// The time limit that passed. Its text is the reason of a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[error("time limit of {} s passed", .0.as_secs_f64())]
pub struct Exhausted(pub Duration);

impl Budget {
    /// No limit.
    pub const UNLIMITED: Budget = Budget { limit: None };

    /// `time` from now. A time too long for the clock is no limit.
    pub fn time(time: Duration) -> Budget {
        Budget { limit: Instant::now().checked_add(time).map(|deadline| (deadline, time)) }
    }

    /// Is there time left? It costs a look at the clock.
    ///
    /// # Errors
    /// [`Exhausted`] from the deadline on.
    pub fn check(&self) -> Result<(), Exhausted> {
        match self.limit {
            Some((deadline, time)) if Instant::now() >= deadline => Err(Exhausted(time)),
            _ => Ok(()),
        }
    }

    /// As [`Budget::check`], for step `step` of a fast loop: it looks at the clock every 4,096
    /// steps.
    ///
    /// # Errors
    /// [`Exhausted`] some steps after the deadline.
    pub fn check_at(&self, step: u64) -> Result<(), Exhausted> {
        if step.is_multiple_of(4096) { self.check() } else { Ok(()) }
    }

    /// The error that reports the limit; `None`: there is no limit.
    pub fn limit(&self) -> Option<Exhausted> {
        self.limit.map(|(_, time)| Exhausted(time))
    }

    /// Runs `f` until it ends, or until the time of this budget or of one around it is over.
    ///
    /// `f` may be ended at any [`pause`]: what it changes must make sense there.
    ///
    /// # Errors
    /// [`Exhausted`] when `f` did not come to its end.
    pub fn within<T>(self, f: impl FnOnce() -> T) -> Result<T, Exhausted> {
        /// Puts the budget around back, however `f` ends.
        struct Around(Budget);
        impl Drop for Around {
            fn drop(&mut self) {
                AMBIENT.set((self.0, 0));
            }
        }
        let around = Around(Budget::ambient());
        AMBIENT.set((self.sooner(around.0), 0));
        catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
            drop(around);
            *payload.downcast::<Exhausted>().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// The budget that [`pause`] looks at in this thread. A new thread begins without one.
    pub fn ambient() -> Budget {
        AMBIENT.get().0
    }

    /// The one of the two that ends first.
    #[must_use]
    pub fn sooner(self, other: Budget) -> Budget {
        match (self.limit, other.limit) {
            (Some((ours, _)), Some((theirs, _))) if theirs < ours => other,
            (None, _) => other,
            _ => self,
        }
    }

    /// At most `time`, and at most what is left.
    pub fn at_most(&self, time: Duration) -> Duration {
        match self.limit {
            Some((deadline, _)) => time.min(deadline.saturating_duration_since(Instant::now())),
            None => time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends() {
        let hour = Duration::from_secs(3600);
        assert_eq!(Budget::UNLIMITED.check(), Ok(()));
        assert_eq!(Budget::UNLIMITED.at_most(hour), hour);
        assert_eq!(Budget::time(hour).check(), Ok(()));
        assert!(Budget::time(hour).at_most(2 * hour) <= hour);
        assert_eq!(Budget::time(Duration::MAX), Budget::UNLIMITED);
        let none = Budget::time(Duration::ZERO);
        assert_eq!(none.check(), Err(Exhausted(Duration::ZERO)));
        assert_eq!(none.at_most(hour), Duration::ZERO);
        assert_eq!(none.check_at(1), Ok(()));
        assert!(none.check_at(4096).is_err());
        let text = Exhausted(Duration::from_millis(1500)).to_string();
        assert_eq!(text, "time limit of 1.5 s passed");
    }

    /// Ends only by a budget.
    fn for_ever() {
        loop {
            pause();
        }
    }

    #[test]
    fn what_runs_within_a_budget_ends_with_it() {
        let soon = Duration::from_millis(20);
        assert_eq!(Budget::time(soon).within(for_ever), Err(Exhausted(soon)));
        assert_eq!(Budget::ambient(), Budget::UNLIMITED);
        assert_eq!(Budget::UNLIMITED.within(|| (0..10_000).for_each(|_| pause())), Ok(()));
    }

    #[test]
    fn the_budget_that_ends_first_counts() {
        let (soon, hour) = (Duration::from_millis(20), Duration::from_secs(3600));
        let inner = Budget::time(soon).within(|| Budget::time(hour).within(for_ever));
        assert_eq!(inner, Ok(Err(Exhausted(soon))));
        let outer = Budget::time(hour).within(|| {
            let inner = Budget::time(soon).within(for_ever);
            // There is time again.
            (0..10_000).for_each(|_| pause());
            inner
        });
        assert_eq!(outer, Ok(Err(Exhausted(soon))));
    }

    #[test]
    #[should_panic(expected = "of another kind")]
    fn a_panic_stays_a_panic() {
        let _never = Budget::time(Duration::from_secs(3600)).within(|| panic!("of another kind"));
    }
}
