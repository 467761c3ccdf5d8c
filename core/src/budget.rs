//! How long a question may take, from the text to the verdict.
//!
//! Each stage has limits of its own kind: steps, gates, time for one query. A [`Budget`] is what
//! they share. It is copied into the limits of every stage, and whatever may be long asks it.

use std::time::{Duration, Instant};

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
}
