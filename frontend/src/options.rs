//! What a caller may fix before a translation.

use crate::includes::Includes;
use babycuda_core::Settings;
use babycuda_kernel::{Includer, Language};
use std::collections::BTreeSet;

/// What is known beforehand: macros, the launch, parameters, assumptions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The language. The built-in parser reads CUDA C only.
    pub language: Language,
    /// Macros, as `-D` defines them: a head (`NAME` or `NAME(a, b)`) and a body. No `#define` of
    /// the file changes them.
    pub defines: Vec<(String, String)>,
    /// Names that nobody but the file itself defines, as `-U` says.
    pub undefines: BTreeSet<String>,
    /// Where the files come from that `#include` names.
    pub includes: Includes,
    /// The file as whose part this one is read. Kernels of the text around are left out.
    pub includer: Option<Includer>,
    /// The launch, parameters and assumptions. Without a block, every size is meant that a device
    /// allows; without a grid one block, whichever of whatever grid. Assumptions are C expressions
    /// over parameters, `blockDim` and `gridDim`; they join those that the file itself states (see
    /// [`directives`](crate::directives)).
    pub settings: Settings,
    /// What signed overflow does.
    pub overflow: Overflow,
    /// Is nothing assumed that a kernel requires itself ([`Required`](crate::Required))?
    pub ignore_requires: bool,
}

impl From<Settings> for Options {
    fn from(settings: Settings) -> Options {
        Options { settings, ..Options::default() }
    }
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
