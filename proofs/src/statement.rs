//! What a statement is, and what checking an instance of it may come to.

use babycuda_core::rules::{Item, Test};
use babycuda_core::{Cell, Name, Program};
use babycuda_protocols::MapError;
use babycuda_semantics::{Reason, Stuck};
use babycuda_typing::Rejection;
use std::fmt;

/// A statement of the theory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statement {
    /// Its id: `T2`.
    pub id: &'static str,
    /// Its name: that of its module.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it says.
    pub text: &'static str,
    /// The function that checks an instance of it.
    pub rust: Item,
    /// What proves it in `proofs/coq`.
    pub proof: Proof,
    /// The tests that try to break it; for a false one, that find its counterexample.
    pub tests: &'static [Test],
    /// Is it true?
    pub holds: bool,
}

/// What proves a statement in the mechanization.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// These theorems; of a false statement, its negation. Each is checked to rest on no axiom
    /// (`proofs/coq/Assumptions.v`).
    Theorems(&'static [Item], Coverage),
    /// Nothing, for this reason.
    NotMechanized(&'static str),
}

/// How much of a statement its theorems say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// All of it.
    Full,
    /// Less than the statement, or than what its `check` compares: how, in words.
    Restricted(&'static str),
}

pub(crate) const fn theorem(file: &'static str, name: &'static str) -> Item {
    Item { file, text: name }
}

pub(crate) const fn test(file: &'static str, name: &'static str) -> Test {
    Test { file, name }
}

/// Every statement, in order.
pub const STATEMENTS: &[&Statement] = &[
    &crate::determinism::STATEMENT,
    &crate::printed_theorem_1::STATEMENT,
    &crate::corrected_theorem_1::STATEMENT,
    &crate::access_equivalence::STATEMENT,
    &crate::well_typed_programs_are_stuck_only_on_undefined_cells::STATEMENT,
    &crate::synchronized_access_equivalence::STATEMENT,
    &crate::well_typed_programs_are_access_invariant::STATEMENT,
    &crate::adequacy::STATEMENT,
    &crate::splitting_preserves_phases::STATEMENT,
    #[cfg(feature = "smt")]
    &crate::race_formulae_are_exact::STATEMENT,
    &crate::shadow_machine_is_exact::STATEMENT,
    #[cfg(feature = "smt")]
    &crate::claims_of_other_techniques::STATEMENT,
    &crate::relative_access_equivalence::STATEMENT,
    &crate::scoped_phases::STATEMENT,
    &crate::atomic_counters::STATEMENT,
];

/// What checking an instance comes to: evidence for the conclusion, or none.
pub type Checked<Evidence> = Result<Evidence, Failure>;

/// Why there is no evidence.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The instance does not meet a hypothesis: the statement says nothing about it.
    #[error("vacuous: {0}")]
    Vacuous(Vacuous),
    /// A limit was reached, or something gave up, before hypotheses and conclusion were known.
    #[error("undecided: {0}")]
    Undecided(Vacuous),
    /// The instance meets the hypotheses and not the conclusion: the statement is false.
    #[error("{0}")]
    Refuted(#[from] Box<Counterexample>),
}

impl From<Vacuous> for Failure {
    fn from(vacuous: Vacuous) -> Failure {
        match vacuous.is_undecided() {
            true => Failure::Undecided(vacuous),
            false => Failure::Vacuous(vacuous),
        }
    }
}

impl Failure {
    /// The counterexample, if it is one.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        match self {
            Failure::Refuted(counterexample) => Some(counterexample),
            Failure::Vacuous(_) | Failure::Undecided(_) => None,
        }
    }
}

/// Why a statement says nothing of an instance: a hypothesis that it does not meet, or what kept
/// the check from deciding ([`Vacuous::is_undecided`]).
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Vacuous {
    /// `V ⊢ b ▶ u` for no `u`.
    #[error("ill-typed: {0}")]
    IllTyped(Box<Rejection>),
    /// `b` is not closed, up to what the launch gives.
    #[error("`{0}` is free")]
    Open(Name),
    /// `b` is not of the unsynchronized fragment.
    #[error("there is a barrier")]
    Synchronized,
    /// The statement is about kernels without loops.
    #[error("there is a loop")]
    Loop,
    /// The statement is about one block.
    #[error("there are several blocks")]
    SeveralBlocks,
    /// The statement is about programs without atomic updates, or that do not use their values.
    #[error("there is an atomic update")]
    Atomic,
    /// There is no derivation.
    #[error("{0}")]
    Stuck(Box<Stuck>),
    /// An obligation of the split is not met in any configuration.
    #[error("the obligations of the split are not met")]
    Unmet,
    /// The history before is racy.
    #[error("the history is racy")]
    RacyHistory,
    /// Several threads wrote a cell in a phase of the history.
    #[error("several threads wrote {0} in a phase")]
    SeveralWriters(Cell),
    /// The head phase is not empty.
    #[error("the head phase is not empty")]
    NonEmptyHead,
    /// The history is `[]`.
    #[error("the history has no phase")]
    NoPhase,
    /// The protocol has no Λ.
    #[error("{0}")]
    NoLambda(Box<MapError>),
    /// The protocol was not split.
    #[error("not split: {0}")]
    NotSplit(String),
    /// The solver does not decide it.
    #[error("{0}")]
    Undecided(String),
    /// Nothing is admitted by the declarations.
    #[error("no configuration is admitted")]
    NoConfiguration,
    /// A thread updates ⊥ atomically: the history has an outcome, and interleavings are stuck.
    #[error("an atomic update of an undefined cell")]
    AtomicOnUndefined,
    /// A cell is read that holds what the last of several updates leaves, in some order of them.
    #[error("{0} is read, whose value depends on the order of updates")]
    OrderOfUpdates(Cell),
    /// The protocol was not enumerated.
    #[error("not enumerated: {0}")]
    NotEnumerated(String),
    /// The instance is too large for an exhaustive check.
    #[error("too large to explore")]
    TooLarge,
}

impl Vacuous {
    /// Is it open whether the instance meets the hypotheses? Otherwise it is known that it does not.
    pub fn is_undecided(&self) -> bool {
        match self {
            Vacuous::Stuck(stuck) => matches!(stuck.reason, Reason::Limit { .. }),
            Vacuous::NoLambda(error) => !matches!(**error, MapError::Unbound(..)),
            Vacuous::NotSplit(_)
            | Vacuous::Undecided(_)
            | Vacuous::NotEnumerated(_)
            | Vacuous::TooLarge => true,
            Vacuous::IllTyped(_)
            | Vacuous::Open(_)
            | Vacuous::Synchronized
            | Vacuous::Atomic
            | Vacuous::Unmet
            | Vacuous::RacyHistory
            | Vacuous::SeveralWriters(_)
            | Vacuous::NonEmptyHead
            | Vacuous::NoPhase
            | Vacuous::NoConfiguration
            | Vacuous::AtomicOnUndefined
            | Vacuous::Loop
            | Vacuous::SeveralBlocks
            | Vacuous::OrderOfUpdates(_) => false,
        }
    }
}

/// An instance that meets the hypotheses of a statement but not its conclusion.
///
/// It prints itself as a program in the concrete syntax, the explanation as its first comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// The statement.
    pub statement: &'static Statement,
    /// A program that shows it: run from the start, it builds up the history of the instance.
    pub program: Program,
    /// What happens, in a paragraph.
    pub explanation: String,
}

impl Counterexample {
    pub(crate) fn refutes(
        statement: &'static Statement,
        program: Program,
        explanation: impl Into<String>,
    ) -> Failure {
        let explanation = explanation.into();
        Failure::Refuted(Box::new(Counterexample { statement, program, explanation }))
    }
}

impl std::error::Error for Counterexample {}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statement { id, name, source, text, .. } = self.statement;
        comment(f, &format!("This program refutes {id}, {name} ({source}): {text}"))?;
        writeln!(f, "//")?;
        comment(f, &self.explanation)?;
        write!(f, "\n{}", self.program)
    }
}

/// The text as comments of at most 100 columns.
fn comment(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    const WIDTH: usize = 96;
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            writeln!(f)?;
            column = 0;
        }
        write!(f, "{}{word}", if column == 0 { "// " } else { " " })?;
        column += 1 + length;
    }
    writeln!(f)
}
