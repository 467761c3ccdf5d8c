//! Every statement on random instances, with the distribution of what was generated.
//!
//! `BABYCUDA_CASES` sets the number of cases of each suite.

mod blocks;
mod formulae;
mod generate;
#[path = "../histories/mod.rs"]
mod histories;
mod interleavings;
mod situations;

use babycuda_campaign::{Distribution, setting};
use babycuda_proofs::Failure;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};

/// Runs `test` on random choices, `standard` times unless the environment says otherwise; how often
/// what it labels was generated, which is printed.
fn for_all<T: std::fmt::Debug, L: IntoIterator<Item: Into<String>>>(
    standard: u32,
    generated: impl Strategy<Value = T>,
    test: impl Fn(T) -> Result<L, TestCaseError>,
) -> Distribution {
    let cases = setting("BABYCUDA_CASES", standard);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    babycuda_testkit::for_all(config, generated, test)
}

/// What checking an instance of a statement came to, as a label.
fn verdict<E>(statement: &str, checked: &Result<E, Failure>) -> String {
    let verdict = match checked {
        Ok(_) => "held",
        Err(Failure::Vacuous(_)) => "vacuous",
        Err(Failure::Undecided(_)) => "undecided",
        Err(Failure::Refuted(_)) => "refuted",
    };
    format!("{statement} {verdict}")
}

/// `Some` evidence, `None` where the statement says nothing or it was not decided, a failed case
/// where it is refuted.
fn evidence<E>(checked: Result<E, Failure>) -> Result<Option<E>, TestCaseError> {
    match checked {
        Ok(evidence) => Ok(Some(evidence)),
        Err(Failure::Vacuous(_) | Failure::Undecided(_)) => Ok(None),
        Err(Failure::Refuted(counterexample)) => {
            Err(TestCaseError::fail(counterexample.to_string()))
        }
    }
}
