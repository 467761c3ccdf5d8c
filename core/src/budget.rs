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
//!
//! Whoever waits for an answer may lose interest before: a [`Stop`] ends the budgets that it is
//! given to, and those that are made within them.

use crate::clock::Instant;
use std::cell::Cell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
    stop: Option<Stop>,
}

/// Something that ends budgets, whatever time they have: a signal, or an interest that is lost.
#[derive(Clone, Copy)]
pub struct Stop(&'static AtomicBool);

impl Stop {
    /// A new one, which lives as long as the process: use it again.
    pub fn leaked() -> Stop {
        Stop(Box::leak(Box::new(AtomicBool::new(false))))
    }

    /// From now on, the budgets that it was given to have no time left.
    pub fn set(self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// They have again what they have without it.
    pub fn clear(self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Was it set?
    pub fn is_set(self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Are they one and the same?
impl PartialEq for Stop {
    fn eq(&self, other: &Stop) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Stop {}

impl Hash for Stop {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stop({})", self.is_set())
    }
}

/// The time limit that passed. Its text is the reason of a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[error("time limit of {} s passed", .0.as_secs_f64())]
pub struct Exhausted(pub Duration);

impl Budget {
    /// No limit.
    pub const UNLIMITED: Budget = Budget { limit: None, stop: None };

    /// `time` from now, or until the budget around is stopped. A time too long for the clock is no
    /// limit.
    pub fn time(time: Duration) -> Budget {
        let limit = Instant::now().checked_add(time).map(|deadline| (deadline, time));
        Budget { limit, stop: Budget::ambient().stop }
    }

    /// The same, and no longer than until `stop` is set.
    #[must_use]
    pub fn stopped_by(self, stop: Stop) -> Budget {
        Budget { stop: Some(stop), ..self }
    }

    /// Is there time left? It costs a look at the clock.
    ///
    /// # Errors
    /// [`Exhausted`] from the deadline on.
    pub fn check(&self) -> Result<(), Exhausted> {
        match self.limit {
            _ if self.is_stopped() => Err(self.limit().unwrap_or(Exhausted(Duration::ZERO))),
            Some((deadline, time)) if Instant::now() >= deadline => Err(Exhausted(time)),
            _ => Ok(()),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(Stop::is_set)
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
        let limit = match (self.limit, other.limit) {
            (Some((ours, _)), Some((theirs, _))) if theirs < ours => other.limit,
            (None, _) => other.limit,
            _ => self.limit,
        };
        Budget { limit, stop: self.stop.or(other.stop) }
    }

    /// At most `time`, and at most what is left.
    pub fn at_most(&self, time: Duration) -> Duration {
        match self.limit {
            _ if self.is_stopped() => Duration::ZERO,
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
    fn what_is_stopped_ends_and_so_does_what_is_within() {
        let (stop, hour) = (Stop::leaked(), Duration::from_secs(3600));
        let budget = Budget::UNLIMITED.stopped_by(stop);
        let inner = budget.within(|| {
            let own = Budget::time(hour);
            assert_eq!((own.check(), own.at_most(hour) > hour / 2), (Ok(()), true));
            stop.set();
            assert_eq!((own.check(), own.at_most(hour)), (Err(Exhausted(hour)), Duration::ZERO));
            for_ever();
        });
        assert_eq!(inner, Err(Exhausted(Duration::ZERO)));
        assert_eq!(Budget::time(hour).sooner(budget).check(), Err(Exhausted(hour)));
        stop.clear();
        assert_eq!((budget.check(), Budget::ambient()), (Ok(()), Budget::UNLIMITED));
        assert_ne!(stop, Stop::leaked());
    }

    #[test]
    #[should_panic(expected = "of another kind")]
    fn a_panic_stays_a_panic() {
        let _never = Budget::time(Duration::from_secs(3600)).within(|| panic!("of another kind"));
    }
}
