//! Symbolic heaps (§5): contents of arrays as functions of the index.

use super::language::{Array, Shared};
use super::value::{Value, int};
use babycuda_core::AccessMode;
use babycuda_kernel::At;
use babycuda_smt::{SortError, Term};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The name of the bound variable `i` of `λi.E`.
const INDEX: &str = "index";

/// The bound variable `i` of `λi.E`.
pub fn index() -> Term {
    Term::constant(INDEX, babycuda_smt::Sort::Int)
}

/// What an array holds: `F` of §5.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Contents {
    /// What it held at first: the paper's unknown `f`, which a launch with its memory knows.
    Initial,
    /// `λi.E`; the bound variable is [`index`].
    Lambda(Value),
    /// `η(φ, g, f)`: `g(i)` where `φ(i)`, otherwise `f(i)`.
    Eta(Term, Arc<Contents>, Arc<Contents>),
}

impl Contents {
    /// What the cell at an index holds.
    ///
    /// # Errors
    /// None occurs: all are integers.
    pub fn at(&self, of: &Shared, at: &Term) -> Result<Value, SortError> {
        let replace = |term: &Term| (*term == index()).then(|| at.clone());
        match self {
            Contents::Lambda(value) => value.with(replace),
            Contents::Initial => {
                let mut value = Value::int(of.fill);
                for (index, n) in &of.initial {
                    value = choose(&at.equals(&int(*index))?, Value::int(*n), value)?;
                }
                Ok(value)
            }
            Contents::Eta(phi, g, f) => match phi.substitute(replace)? {
                phi if phi.as_bool() == Some(true) => g.at(of, at),
                phi if phi.as_bool() == Some(false) => f.at(of, at),
                phi => choose(&phi, g.at(of, at)?, f.at(of, at)?),
            },
        }
    }

    /// The same with constants replaced, in another thread.
    ///
    /// # Errors
    /// None occurs: all are integers.
    pub fn with(&self, replace: &impl Fn(&Term) -> Option<Term>) -> Result<Contents, SortError> {
        Ok(match self {
            Contents::Initial => Contents::Initial,
            Contents::Lambda(value) => Contents::Lambda(value.with(replace)?),
            Contents::Eta(phi, g, f) => Contents::Eta(
                phi.substitute(replace)?,
                Arc::new(g.with(replace)?),
                Arc::new(f.with(replace)?),
            ),
        })
    }
}

fn choose(phi: &Term, yes: Value, no: Value) -> Result<Value, SortError> {
    Ok(Value {
        term: phi.ite(&yes.term, &no.term)?,
        least: yes.least.min(no.least),
        greatest: yes.greatest.max(no.greatest),
    })
}

/// An access of a phase.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Accessed {
    /// The array.
    pub array: Array,
    /// The index.
    pub index: Value,
    /// How.
    pub mode: AccessMode,
    /// What was stored.
    pub stored: Option<Value>,
    /// Where.
    pub at: At,
}

/// A thread on one path: its node, and its private variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Path {
    /// The node to be executed, or at which it waits.
    pub node: usize,
    /// The private variables, `v = E`.
    pub locals: Vec<Value>,
    /// What it accessed in this phase.
    pub accessed: Vec<Accessed>,
}

/// `Π ∧ Σ`, with the threads that it is about: one generic thread, or two.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Heap {
    /// The threads.
    pub paths: Vec<Path>,
    /// The conditions `Π` of the paths.
    pub pure: Vec<Term>,
    /// `a ↦ F` for each array.
    pub arrays: Vec<Arc<Contents>>,
    /// The indices that were ever stored at lie between these.
    pub stored: BTreeMap<Array, (i128, i128)>,
}
