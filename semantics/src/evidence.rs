//! A run with everything that is needed to check its derivation: the document that
//! `babycuda derive --format json` prints.

use crate::block::Block;
use crate::choice::{Choice, Choices, Open};
use crate::derivation::Derivation;
use crate::instance::Instance;
use babycuda_core::history::HostMemory;
use babycuda_core::json::Format;
use babycuda_core::{Cell, Name, Natural, Program, Site};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The derivation of a run, and what it is a run of.
/// [`check_run`](crate::check_run) says whether it is one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunEvidence {
    /// The program.
    pub program: Program,
    /// The launch, and which block ran; all of them, where they run together: then the derivation is
    /// that of the one block that they are ([`babycuda_core::together`]).
    pub block: Block,
    /// The values of the parameters.
    pub parameters: BTreeMap<Name, Natural>,
    /// What the host stored.
    pub host: HostMemory,
    /// What was settled that the calculus leaves open: the first [`Choices::KEPT`], in order.
    pub choices: Vec<ChoiceForm>,
    /// How many such choices there are.
    pub choices_made: u64,
    /// The derivation.
    pub derivation: Derivation,
}

/// A choice.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Choice"))]
#[serde(deny_unknown_fields)]
pub struct ChoiceForm {
    /// The number of the phase, from 0.
    pub phase: usize,
    /// The thread.
    pub thread: u64,
    /// The statement.
    pub site: Site,
    /// Why there is a choice.
    pub kind: ChoiceKind,
    /// The cell.
    pub cell: Cell,
    /// The value chosen.
    pub value: Natural,
    /// The values it was chosen from, the smallest first.
    pub candidates: Vec<Natural>,
    /// Does the calculus allow no other value?
    pub exhaustive: bool,
}

/// Why there is a choice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ChoiceKind {
    /// A read of a cell that may hold several values.
    Read,
    /// The value that an atomic update yields: any; the candidates are what the thread would see
    /// if it ran alone.
    Atomic,
}

impl From<&Choice> for ChoiceForm {
    fn from(choice: &Choice) -> ChoiceForm {
        let Choice { phase, thread, site, cell, value, open } = choice;
        ChoiceForm {
            phase: *phase,
            thread: *thread,
            site: *site,
            kind: match open {
                Open::Read(_) => ChoiceKind::Read,
                Open::Atomic(_) => ChoiceKind::Atomic,
            },
            cell: cell.clone(),
            value: value.clone(),
            candidates: open.candidates(),
            exhaustive: open.is_exhaustive(),
        }
    }
}

impl RunEvidence {
    /// The derivation of a run of the instance, with the choices made on the way.
    pub fn new(instance: &Instance, choices: &Choices, derivation: Derivation) -> RunEvidence {
        RunEvidence {
            program: instance.program.without_sources(),
            block: instance.block(),
            parameters: instance.configuration.parameters.clone(),
            host: instance.host().clone(),
            choices: choices.noted().iter().map(ChoiceForm::from).collect(),
            choices_made: choices.made(),
            derivation,
        }
    }
}

impl Format for RunEvidence {
    const NAME: &'static str = "babycuda/run-derivation";
    // Only the program and expressions nest, and those may.
    const DEEP: bool = true;
}

/// The schema of the documents.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    babycuda_core::json::schema::<RunEvidence>()
}
