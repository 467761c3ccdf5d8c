//! What a caller may fix before a translation.

use crate::includes::Includes;
use std::collections::{BTreeMap, BTreeSet};

/// What is known beforehand: macros, the launch, parameters, assumptions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Macros, as `-D` defines them: a head (`NAME` or `NAME(a, b)`) and a body. No `#define` of
    /// the file changes them.
    pub defines: Vec<(String, String)>,
    /// Names that nobody but the file itself defines, as `-U` says.
    pub undefines: BTreeSet<String>,
    /// Where the files come from that `#include` names.
    pub includes: Includes,
    /// The extents of a block; `None`: every size that a device allows.
    pub block: Option<[u32; 3]>,
    /// The extents of the grid; `None`: one block is considered, whichever of whatever grid.
    pub grid: Option<[u32; 3]>,
    /// Parameters with a fixed value. A negative value of an unsigned type is refused.
    pub params: BTreeMap<String, i128>,
    /// What may be assumed, as C expressions over parameters, `blockDim` and `gridDim`. They join
    /// those that the file itself states (see [`directives`](crate::directives)).
    pub assumptions: Vec<String>,
    /// What signed overflow does.
    pub overflow: Overflow,
}

/// What signed arithmetic does beyond the values of its type. Unsigned arithmetic wraps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Overflow {
    /// It is undefined, as in C: the thread that computes it goes no further (THEORY §4).
    #[default]
    AssumeNone,
    /// It wraps around.
    Wrap,
}
