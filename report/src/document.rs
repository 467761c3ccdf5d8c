//! Verdicts as JSON: what `babycuda check --format json` prints, one document a file.
//!
//! ```
//! use babycuda_report::document::{Document, Word};
//!
//! let text = r#"{"file":"k.cu","kernels":[{"name":"k","verdict":"drf","reason":null,"scope":null,
//!     "notes":[],"method":"enumeration","races":[],"divergences":[]}],"version":1}"#;
//! assert_eq!(Document::read(text)?.kernels[0].verdict, Word::Drf);
//! let other = Document::read(&text.replace("drf", "perhaps")).unwrap_err().to_string();
//! assert!(other.starts_with("/kernels/0/verdict: unknown variant `perhaps`"), "{other}");
//! # Ok::<(), babycuda_core::json::JsonError>(())
//! ```

mod contract;
mod fix;
mod of;
mod words;

pub use contract::{Contract, ContractLaunch, Required, Without};
pub use fix::{Edit, Fix, Position};
pub use words::{ContractKind, Mode, StopsAt, Word};

use crate::accesses::Annotation;
use babycuda_core::evidence::{Certainty, Evaluator};
use babycuda_core::history::RaceKind;
use babycuda_core::json::{JsonError, from_printed};
use babycuda_core::natural::Integer;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::verdict::ScopeOfVerdict;
use babycuda_core::{Name, Natural};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What became of one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = 1)))]
    pub version: u32,
    /// Its path.
    pub file: String,
    /// Its kernels, in source order.
    pub kernels: Vec<Kernel>,
    /// Why the file could not be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The verdict on a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Its name.
    pub name: Name,
    /// The verdict in one word.
    pub verdict: Word,
    /// Why it is unknown.
    pub reason: Option<String>,
    /// The code of that reason; of races and divergences see there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^BC[0-9]{3}$")))]
    pub code: Option<String>,
    /// For which launches and parameters the verdict holds; `null` where only the name of the kernel
    /// is known, as of one that is not supported.
    pub scope: Option<ScopeOfVerdict>,
    /// What was assumed or simplified on the way.
    pub notes: Vec<Note>,
    /// What else there is to say of the verdict: values of floats that a witness cannot name, launches that were not
    /// understood, other races that there may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// `none`, `enumeration`, `run`, or `smt` with the solvers that answered: `smt(builtin,z3)`.
    pub method: String,
    /// The parser that read it, where it is not the one that is built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parser: Option<String>,
    /// Races; potential ones where the verdict is unknown.
    pub races: Vec<Race>,
    /// Barrier divergences.
    pub divergences: Vec<Divergence>,
    /// Edits of the file that make a racy kernel race-free, where some were found: each was applied to a copy and the whole
    /// checked with the same options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
    /// What each access rests on, where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accesses: Option<Vec<Annotation>>,
    /// Its contract: what launches and parameters satisfy, or must satisfy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<Contract>,
    /// The verdict on each block by itself, where the one on all blocks is unknown and this one is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_block: Option<Word>,
    /// Are all races there are benign? The verdict is racy all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub benign_only: bool,
}

/// What was assumed or simplified, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Note {
    pub message: String,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// What the host stored, by arrays and indices.
pub type Host = BTreeMap<Name, BTreeMap<Natural, Integer>>;

/// A race with its witness.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Race {
    /// The array.
    pub array: Name,
    /// Which accesses clash.
    pub kind: RaceKind,
    /// The code of the kind.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^BC[0-9]{3}$")))]
    pub code: String,
    /// The phase in the witness' history, from 0; null: the threads are of different blocks, or it
    /// is not known.
    pub phase: Option<usize>,
    /// The index of the cell.
    pub index: Natural,
    /// The cell as the source has it: `As[1][0]`, `in[-3]`.
    pub cell: String,
    /// How sure.
    pub certainty: Certainty,
    /// What ran the witness, where its run has the race; null: nothing did.
    pub evaluator: Option<Evaluator>,
    /// Where the race rests on what the host stored, or something is assumed of it: cells that matter,
    /// by arrays and indices, as the types of the arrays read them. Cells of such arrays that are not
    /// named hold 0.
    pub host: Host,
    /// One access.
    pub first: Access,
    /// The other, by another thread.
    pub second: Access,
    /// The launch of the witness.
    pub launch: Extents,
    /// The parameters of the witness, as their types read them.
    pub parameters: BTreeMap<Name, Integer>,
    /// Why it is benign, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benign: Option<Benign>,
}

/// A benign race: all writes to a cell by its two statements store the same value, in every run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Benign {
    /// Of the notions of a benign race, the one that is meant: `same-value`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "same-value")))]
    pub notion: String,
    /// What both threads of the witness store, as the type of the array reads it.
    pub stored: [Integer; 2],
}

/// One side of a race.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// `threadIdx`
    pub thread: [u32; 3],
    /// `blockIdx`
    pub block: [u32; 3],
    /// How it accesses the cell.
    pub mode: Mode,
    /// Where the statement stands.
    pub line: Option<u32>,
    /// Likewise.
    pub column: Option<u32>,
    /// The variables that the loops around it count, with their values in the witness.
    pub iteration: BTreeMap<Name, Integer>,
    /// What the thread has to have read, as the types of the arrays read it: by the cells, and where
    /// a cell is not known, by the place as the source has it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reads: BTreeMap<String, Integer>,
}

/// Two threads of a group that arrive at different barriers, or one at a barrier and one at the end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Divergence {
    /// The code of a barrier divergence.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^BC[0-9]{3}$")))]
    pub code: String,
    /// The phase after which they diverge, from 0.
    pub phase: usize,
    /// The scope of the group, where it is not the block.
    #[serde(default, skip_serializing_if = "BarrierScope::is_block")]
    pub scope: BarrierScope,
    /// How sure.
    pub certainty: Certainty,
    /// What ran the witness, where its run diverges there; null: nothing did.
    pub evaluator: Option<Evaluator>,
    /// Where the divergence rests on what the host stored: as of a race, the cells that matter.
    pub host: Host,
    /// One thread.
    pub first: Stop,
    /// The other.
    pub second: Stop,
    /// The launch of the witness.
    pub launch: Extents,
    /// The parameters of the witness, as their types read them.
    pub parameters: BTreeMap<Name, Integer>,
}

/// Where a thread stops.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// `threadIdx`
    pub thread: [u32; 3],
    /// `blockIdx`
    pub block: [u32; 3],
    /// At which of both.
    pub at: StopsAt,
    /// Where the barrier stands.
    pub line: Option<u32>,
    /// Likewise.
    pub column: Option<u32>,
}

/// A launch: the extents of a block and of the grid.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Extents {
    pub block: [u32; 3],
    pub grid: [u32; 3],
    /// Threads in a warp, where it is not 32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warp: Option<u32>,
}

/// The version of the format.
const VERSION: u32 = 1;

impl Document {
    /// The document of a file that could not be checked.
    pub fn failure(path: &str, message: &str) -> Document {
        let (file, error) = (path.to_owned(), Some(message.trim_end().to_owned()));
        Document { version: VERSION, file, kernels: Vec::new(), error }
    }

    /// The document that [`json`](Document::json) made, read to the letter.
    ///
    /// # Errors
    /// [`JsonError`] when `text` is none, or one of another version; with the place.
    pub fn read(text: &str) -> Result<Document, JsonError> {
        from_printed(text, VERSION)
    }

    /// The document on one line, the keys of every object in alphabetical order.
    pub fn json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

/// The schema of the documents.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    let settings = schemars::generate::SchemaSettings::default().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Document>();
    schema.insert("title".into(), "babycuda check --format json".into());
    schema
}
