//! The evidence for a race or a divergence, from the search that finds it to the report that
//! prints it: a witness, how sure it is, and the run that shows it.

mod divergence;
mod witness;

pub use divergence::{Divergence, DivergenceWitness};
pub use witness::{Choice, Confirmation, Counter, PairKey, Side, Witness};

use crate::history::{Cell, History};
use crate::natural::Natural;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;

/// A witness in a verdict. It dereferences to the witness: `report.cell` is `report.witness.cell`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report<W> {
    /// What was found.
    pub witness: W,
    /// How sure.
    pub certainty: Certainty,
    /// The run that shows it, where one does.
    pub replay: Option<Replay>,
}

impl<W> Deref for Report<W> {
    type Target = W;

    fn deref(&self) -> &W {
        &self.witness
    }
}

/// How sure a race or a divergence is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// The witness was run, and its history is racy there.
    Replayed,
    /// Both accesses are independent of data, so Theorem 1 makes the alarm a true race,
    /// but the witness was too large to run; or its run reads a cell that is undefined until
    /// another thread writes it in that phase, and in some interleaving that comes first; or a
    /// thread stops in the phase of the race, after what both threads accessed (THEORY §4). Or some
    /// interleaving has it, of those that were tried ([`Confirmation::Interleaving`]).
    Provable,
    /// The alarm rests on data or on values that the front end could not express.
    Potential,
}

/// The run of a witness that has the race, or diverges there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// What ran it.
    pub evaluator: Evaluator,
    /// What the host stored, of contents that the declarations leave to it: the cells that matter,
    /// as far as it was found that others do not. All others hold 0.
    pub contents: Vec<(Cell, Natural)>,
    /// The history of the first thread's block; of all blocks where they run together
    /// ([`crate::together`]).
    pub history: History,
}

/// What ran a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Evaluator {
    /// The reference semantics, rule by rule.
    Reference,
    /// The virtual machine, which tests hold equal to the reference: for longer runs.
    VirtualMachine,
}

impl fmt::Display for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Evaluator::Reference => "the reference semantics",
            Evaluator::VirtualMachine => "the virtual machine",
        })
    }
}
