//! Words that stand in documents for one of a few things.

use babycuda_core::AccessMode;
use babycuda_core::verdict::Outcome;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Word {
    Drf,
    Racy,
    Divergent,
    Unknown,
}

impl From<&Outcome> for Word {
    fn from(outcome: &Outcome) -> Word {
        match outcome {
            Outcome::Drf => Word::Drf,
            Outcome::Racy => Word::Racy,
            Outcome::Divergent => Word::Divergent,
            Outcome::Unknown(_) => Word::Unknown,
        }
    }
}

/// How a cell is accessed: read, written or updated atomically.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Mode {
    Rd,
    Wr,
    At,
}

impl From<AccessMode> for Mode {
    fn from(mode: AccessMode) -> Mode {
        match mode {
            AccessMode::Rd => Mode::Rd,
            AccessMode::Wr => Mode::Wr,
            AccessMode::At(_) => Mode::At,
        }
    }
}

/// `rd`
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Rd => "rd",
            Mode::Wr => "wr",
            Mode::At => "at",
        })
    }
}

/// Where a thread stops: at a barrier, or at its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum StopsAt {
    Barrier,
    End,
}

/// Who states a contract: the file, or nobody.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum ContractKind {
    Source,
    Inferred,
}
