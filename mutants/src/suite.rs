//! Tests of the product as killers: where a mutant of the solver, the front end or a device is no
//! affair of the theorems, the crate's own tests must notice it.

use crate::switch::VARIABLE;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Random tests draw the same cases each time.
const SEED: &str = "20220913";

/// The environment variable that names the back ends whose absence fails a test.
pub const BACKENDS: &str = "BABYCUDA_REQUIRE_BACKENDS";

/// Tests of one target of one package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suite {
    /// The package, without `babycuda-`; `babycuda` is the facade.
    pub package: &'static str,
    /// The file in `tests`; `None`: the tests in the sources.
    pub target: Option<&'static str>,
    /// Only tests whose names contain one of these; all, where there are none.
    pub only: &'static [&'static str],
    /// No test whose name contains one of these: what depends on the clock, or on other programs.
    pub without: &'static [&'static str],
    /// The back end that they need, by its name: where it is missing they fail.
    pub needs: Option<&'static str>,
}

const FACADE: &str = "babycuda";

impl Suite {
    /// The package's whole name.
    pub fn full_package(&self) -> String {
        match self.package {
            FACADE => FACADE.to_owned(),
            package => format!("{FACADE}-{package}"),
        }
    }

    /// The tests in the sources of a package.
    pub const fn sources(package: &'static str) -> Suite {
        Suite { package, target: None, only: &[], without: &[], needs: None }
    }

    /// The tests in a file of `tests`.
    pub const fn file(package: &'static str, target: &'static str) -> Suite {
        Suite { package, target: Some(target), only: &[], without: &[], needs: None }
    }

    /// Some of the tests.
    #[must_use]
    pub const fn only(self, only: &'static [&'static str]) -> Suite {
        Suite { only, ..self }
    }

    /// The others.
    #[must_use]
    pub const fn without(self, without: &'static [&'static str]) -> Suite {
        Suite { without, ..self }
    }

    /// Tests on a back end.
    #[must_use]
    pub const fn on(self, backend: &'static str) -> Suite {
        Suite { needs: Some(backend), ..self }
    }

    /// The name of the target that cargo builds.
    pub fn binary(&self) -> String {
        match self.target {
            None if self.package == FACADE => FACADE.to_owned(),
            None => format!("babycuda_{}", self.package),
            Some(target) => format!("{}/{target}", self.package),
        }
    }
}

/// A built program of tests, and where it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Binary {
    /// The file.
    pub(crate) path: PathBuf,
    /// The folder of its package, in which cargo would run it.
    pub(crate) folder: PathBuf,
}

/// What came of running tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// All pass.
    Passed,
    /// This one failed, or broke the process; no test after it was run.
    Failed(String),
    /// They did not end in time.
    TimedOut,
    /// They could not be run, for this reason.
    Unknown(String),
}

/// Runs the tests, or `one` of them, one after the other, up to the first that fails, with a mutant on
/// or none.
pub(crate) fn run(
    suite: &Suite,
    one: Option<&str>,
    binary: &Binary,
    mutant: Option<usize>,
    time: Duration,
) -> Outcome {
    let mut command = Command::new(&binary.path);
    match one {
        Some(test) => command.args([test, "--exact"]),
        None => {
            command.args(suite.only);
            command.args(suite.without.iter().flat_map(|name| ["--skip", name]))
        }
    };
    command.args(["--test-threads", "1"]);
    command.env_remove(VARIABLE).env_remove("BABYCUDA_BLESS").env("PROPTEST_RNG_SEED", SEED);
    command.envs(suite.needs.map(|backend| (BACKENDS, backend)));
    // The case that fails need not be small.
    command.env("PROPTEST_MAX_SHRINK_ITERS", "0");
    command.env("CARGO_MANIFEST_DIR", &binary.folder).current_dir(&binary.folder);
    command.envs(mutant.map(|number| (VARIABLE, number.to_string())));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    match command.spawn() {
        Ok(child) => watched(child, time),
        Err(error) => Outcome::Unknown(error.to_string()),
    }
}

/// Reads what the tests say until one fails, they end, or the time is over.
fn watched(mut child: Child, time: Duration) -> Outcome {
    let Some(output) = child.stdout.take() else {
        return Outcome::Unknown("no output".to_owned());
    };
    let (send, said) = channel();
    // It ends with the output, and nobody waits for it: a grandchild may hold that open.
    thread::spawn(move || send.send(passed(output)));
    let said = said.recv_timeout(time);
    if !matches!(said, Ok(Ok(_))) {
        // It may have ended just now.
        let _ = child.kill();
    }
    match (said, child.wait()) {
        (Ok(Err(test)), _) => Outcome::Failed(test),
        (Err(_), _) => Outcome::TimedOut,
        (Ok(Ok(0)), Ok(status)) if status.success() => Outcome::Unknown("no such test".to_owned()),
        (Ok(Ok(_)), Ok(status)) if status.success() => Outcome::Passed,
        (Ok(Ok(_)), Ok(status)) => Outcome::Unknown(status.to_string()),
        (Ok(Ok(_)), Err(error)) => Outcome::Unknown(error.to_string()),
    }
}

/// How many tests pass.
///
/// # Errors
/// The first test that fails, or in which the output ends. A line is `test NAME ... ok`, and its
/// beginning comes first.
fn passed(output: impl Read) -> Result<usize, String> {
    let mut lines = BufReader::new(output);
    let mut count = 0;
    let mut line = String::new();
    loop {
        line.clear();
        let complete = lines.read_line(&mut line).is_ok_and(|_| line.ends_with('\n'));
        let test = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "));
        match test {
            Some((name, result)) if !complete || result.starts_with("FAILED") => {
                return Err(name.to_owned());
            }
            _ if !complete => return Ok(count),
            Some(_) => count += 1,
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_ends_the_run() {
        let said = |text: &str| passed(text.as_bytes());
        assert_eq!(said("\nrunning 2 tests\ntest a ... ok\ntest b - x ... ok\n\n"), Ok(2));
        assert_eq!(said("\nrunning 0 tests\n\ntest result: ok. 0 passed"), Ok(0));
        assert_eq!(said("test a ... FAILED\ntest b ... "), Err("a".into()));
        assert_eq!(said("test a ... ok\ntest b ... "), Err("b".into()));
    }

    #[test]
    fn what_cannot_be_run_says_nothing() {
        let nowhere = Binary { path: "nowhere/tests".into(), folder: ".".into() };
        let outcome = run(&Suite::sources("core"), None, &nowhere, None, Duration::from_secs(1));
        assert!(matches!(outcome, Outcome::Unknown(_)));
    }
}
