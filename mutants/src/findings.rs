//! What the suites found.

use babycuda_campaign::Counts;
use babycuda_proofs::{Counterexample, Failure, Statement};
use std::collections::BTreeMap;

/// Statements that are refuted, by their ids, each with a counterexample.
pub(crate) type Refuted = BTreeMap<&'static str, Box<Counterexample>>;

/// What checking instances came to, statement by statement.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// How often a statement held, by its id.
    pub held: Counts<&'static str>,
    /// How often it said nothing: a hypothesis failed, or a limit was reached.
    pub vacuous: Counts<&'static str>,
    /// The statements that were refuted, each with its first counterexample.
    pub refuted: Refuted,
}

impl Findings {
    /// Notes what checking an instance of `statement` came to; the evidence, if it held.
    pub(crate) fn note<E>(
        &mut self,
        statement: &Statement,
        checked: Result<E, Failure>,
    ) -> Option<E> {
        match checked {
            Ok(evidence) => {
                self.held.add(statement.id);
                Some(evidence)
            }
            Err(Failure::Vacuous(_) | Failure::Undecided(_)) => {
                self.vacuous.add(statement.id);
                None
            }
            Err(Failure::Refuted(counterexample)) => {
                self.refuted.entry(statement.id).or_insert(counterexample);
                None
            }
        }
    }
}
