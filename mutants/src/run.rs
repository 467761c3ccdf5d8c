//! Running the hunts, each mutant in a process of its own.

use crate::area::{Search, searches};
use crate::hunt::{Killer, Report};
use crate::mutant::Mutant;
use crate::suite::{self, Outcome};
use crate::switch::VARIABLE;
use crate::table::Noticed;
use crate::workspace::Built;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How long a hunt may take, also on a machine that is busy: most take seconds.
pub const TIME: Duration = Duration::from_secs(600);
/// The exit code of a hunt that took longer.
pub const TIMED_OUT: i32 = 3;

/// What became of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// A statement is refuted.
    Killed(Killer),
    /// A test of the product fails: the program of tests, as [`Suite::binary`] names it, and the
    /// test.
    ///
    /// [`Suite::binary`]: crate::suite::Suite::binary
    Failed(String, String),
    /// All statements hold on all cases, and all tests pass.
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

/// What the search finds that noticed a mutant before, or else the first that does now.
fn fate(built: &Built, number: usize, mutant: &Mutant, noticed: Option<&Noticed>) -> Fate {
    let by = |search: &&Search| match (search, noticed) {
        (Search::Theorems, Some(Noticed::ByTheorems)) => true,
        (Search::Tests(suite), Some(Noticed::ByTest(tests, _))) => suite.binary() == *tests,
        _ => false,
    };
    let again = searches(mutant.file).iter().find(by).map(|search| match noticed {
        Some(Noticed::ByTest(_, test)) => searched_by(built, *search, Some(test), Some(number)),
        _ => searched(built, *search, Some(number)),
    });
    if let Some(fate @ (Fate::Killed(_) | Fate::Failed(..))) = again {
        return fate;
    }
    for search in searches(mutant.file) {
        match searched(built, *search, Some(number)) {
            Fate::Survived => {}
            fate => return fate,
        }
    }
    Fate::Survived
}

/// What one search finds, with a mutant on or none.
pub fn searched(built: &Built, search: Search, mutant: Option<usize>) -> Fate {
    searched_by(built, search, None, mutant)
}

/// The same by one of its tests only.
fn searched_by(built: &Built, search: Search, one: Option<&str>, mutant: Option<usize>) -> Fate {
    let suite = match search {
        Search::Theorems => {
            return match report(&built.hunter, mutant) {
                Ok(Report { killer: Some(killer), .. }) => Fate::Killed(killer),
                Ok(_) => Fate::Survived,
                Err(fate) => fate,
            };
        }
        Search::Tests(suite) => suite,
    };
    let name = suite.binary();
    let Some(binary) = built.tests.get(&name) else {
        return Fate::Crashed(format!("{name} was not built"));
    };
    match suite::run(&suite, one, binary, mutant, TIME) {
        Outcome::Passed => Fate::Survived,
        Outcome::Failed(test) => Fate::Failed(name, test),
        Outcome::TimedOut => Fate::TimedOut,
        Outcome::Unknown(why) => Fate::Crashed(why),
    }
}

/// The fates of the mutants, in order; on all cores. Those that are not `wanted` live on. Who `noticed`
/// a mutant before looks first.
pub fn fates(
    built: &Built,
    mutants: &[Mutant],
    noticed: &BTreeMap<(String, String), Noticed>,
    wanted: &(impl Fn(&Mutant) -> bool + Sync),
) -> Vec<Fate> {
    let fate = |(at, mutant): (usize, &Mutant)| match wanted(mutant) {
        true => {
            let noticed = noticed.get(&(mutant.file.to_owned(), mutant.name.to_owned()));
            fate(built, at + 1, mutant, noticed)
        }
        false => Fate::Survived,
    };
    // Some take a second, and some two minutes.
    mutants.par_iter().with_max_len(1).enumerate().map(fate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunt_that_gives_no_report_kills_nothing() {
        let built = Built { hunter: "nowhere/kill-mutant".into(), tests: Default::default() };
        assert!(matches!(searched(&built, Search::Theorems, Some(1)), Fate::Crashed(_)));
        let tests = Search::Tests(suite::Suite::sources("core"));
        assert!(matches!(searched(&built, tests, Some(1)), Fate::Crashed(_)));
    }
}
