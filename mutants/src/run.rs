//! Running the hunts, each mutant in a process of its own.

use crate::hunt::{Killer, Report};
use crate::switch::VARIABLE;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a hunt may take.
pub const TIME: Duration = Duration::from_secs(120);
/// The exit code of a hunt that took longer.
pub const TIMED_OUT: i32 = 3;

/// What became of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// A statement is refuted.
    Killed(Killer),
    /// All statements hold on all cases.
    Survived,
    /// The hunt did not end in time, which tells nothing.
    TimedOut,
    /// The hunt broke down, which tells nothing; with what it said.
    Crashed(String),
}

/// Hunts with one mutant on, or none.
///
/// # Errors
/// The hunt gave no report.
pub fn report(hunter: &Path, mutant: Option<usize>) -> Result<Report, Fate> {
    let mut command = Command::new(hunter);
    command.env_remove(VARIABLE);
    command.envs(mutant.map(|number| (VARIABLE, number.to_string())));
    let output = command.output().map_err(|e| Fate::Crashed(e.to_string()))?;
    if output.status.code() == Some(TIMED_OUT) {
        return Err(Fate::TimedOut);
    }
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        Fate::Crashed(format!("{}: {error}: {said}", output.status))
    })
}

fn fate(hunter: &Path, mutant: usize) -> Fate {
    match report(hunter, Some(mutant)) {
        Ok(Report { killer: Some(killer), .. }) => Fate::Killed(killer),
        Ok(_) => Fate::Survived,
        Err(fate) => fate,
    }
}

/// The fates of mutants 1 to `count`, in order; on all cores.
pub fn fates(hunter: &Path, count: usize) -> Vec<Fate> {
    let next = AtomicUsize::new(1);
    let fates = Mutex::new(vec![Fate::Survived; count]);
    let work = || {
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number > count {
                return;
            }
            let fate = fate(hunter, number);
            fates.lock().unwrap_or_else(PoisonError::into_inner)[number - 1] = fate;
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(work);
        }
    });
    fates.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunt_that_gives_no_report_kills_nothing() {
        assert!(matches!(fate(Path::new("nowhere/kill-mutant"), 1), Fate::Crashed(_)));
    }
}
