//! Cells, access modes and access values.

use crate::name::Name;
use crate::natural::Natural;
use crate::parse::Misspelled;
use crate::syntax::Scope;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A memory cell: an array and an index. (The paper has one array, so its cells are indices.)
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cell {
    /// The array.
    pub array: Name,
    /// The index `j`.
    pub index: Natural,
}

impl Cell {
    /// The cell `array[index]`.
    pub fn new(array: impl Into<Name>, index: impl Into<Natural>) -> Cell {
        Cell { array: array.into(), index: index.into() }
    }
}

/// Inverse to `Display`: the index stands between the last brackets.
impl FromStr for Cell {
    type Err = Misspelled;
    fn from_str(text: &str) -> Result<Cell, Misspelled> {
        let split = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
        let cell = split.and_then(|(array, index)| {
            let digits = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
            digits.then_some(Cell { array: array.into(), index: index.parse().ok()? })
        });
        cell.ok_or_else(|| Misspelled::new(text, "not a cell, `array[index]`"))
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.array, self.index)
    }
}

/// The mode `o` of an access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AccessMode {
    /// `rd`
    Rd,
    /// `wr`
    Wr,
    /// `at`: an atomic update of the given scope.
    At(Scope),
}

impl AccessMode {
    /// Do two accesses of one cell by different threads conflict? At least one is no read, and
    /// they are not two atomics whose scopes cover both threads (THEORY §4).
    pub fn conflicts(self, other: AccessMode, same_block: bool) -> bool {
        match (self, other) {
            (AccessMode::Rd, AccessMode::Rd) => false,
            (AccessMode::At(s), AccessMode::At(t)) => {
                !(s.covers(same_block) && t.covers(same_block))
            }
            _ => true,
        }
    }

    /// `rd`, `wr` or `at`.
    pub fn keyword(self) -> &'static str {
        match self {
            AccessMode::Rd => "rd",
            AccessMode::Wr => "wr",
            AccessMode::At(_) => "at",
        }
    }
}

impl fmt::Display for AccessMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.keyword())
    }
}

/// An access value `α ::= i:o[j]` (LCL22 §4): which thread, how, where.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Access {
    /// The thread's identifier `i`: its linear index in its block.
    pub thread: u64,
    /// How.
    pub mode: AccessMode,
    /// Where.
    pub cell: Cell,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} {}", self.thread, self.mode, self.cell)
    }
}
