//! What a checker may answer, with its evidence. Never a bare boolean.

use crate::evidence::{DivergenceWitness, Report, Witness};
use crate::launch::{Dim3, Launch, WARP_SIZE};
use crate::name::Name;
use crate::natural::Integer;
use crate::site::Span;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The answer for one program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The answer itself.
    pub outcome: Outcome,
    /// For which launches and parameters it holds; `None` where only the name of the kernel is known.
    pub scope: Option<ScopeOfVerdict>,
    /// How it was found.
    pub method: Method,
    /// Races; empty unless the outcome is racy, or unknown because of potential races.
    pub races: Vec<Report<Witness>>,
    /// Barrier divergences.
    pub divergences: Vec<Report<DivergenceWitness>>,
}

/// The four answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No race and no barrier divergence, for everything in scope.
    Drf,
    /// There is a race.
    Racy,
    /// There is a barrier divergence, and no race up to one.
    Divergent,
    /// Not decided, and why.
    Unknown(String),
}

impl Outcome {
    /// The word for it in every format.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Drf => "drf",
            Outcome::Racy => "racy",
            Outcome::Divergent => "divergent",
            Outcome::Unknown(_) => "unknown",
        }
    }
}

/// How a verdict was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Method {
    /// No check ran.
    None,
    /// Every access of one concrete launch was enumerated.
    Enumeration,
    /// The one run that launch, parameters and memory allow.
    Run,
    /// A solver decided formulae; the names of the solvers that answered.
    #[allow(missing_docs)]
    Solver { solvers: Vec<String> },
}

/// `none`, `enumeration`, `run`, or `smt` with the solvers that answered: `smt(builtin,z3)`.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::None => f.write_str("none"),
            Method::Enumeration => f.write_str("enumeration"),
            Method::Run => f.write_str("run"),
            Method::Solver { solvers } if solvers.is_empty() => f.write_str("smt"),
            Method::Solver { solvers } => write!(f, "smt({})", solvers.join(",")),
        }
    }
}

/// For which launches and parameters a verdict holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScopeOfVerdict {
    /// The extents of a block, as text: `256`, or `1..=1024`.
    pub block: [String; 3],
    /// The extents of the grid likewise; `None`: accesses of one block only.
    pub grid: Option<[String; 3]>,
    /// Threads in a warp, where that matters or is not 32: the kernel has a barrier of a tile or warp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warp: Option<u32>,
    /// The parameters that were fixed, with their values as their types read them. All others are
    /// arbitrary.
    pub fixed: BTreeMap<Name, Integer>,
    /// The assumptions made, as text.
    pub assumptions: Vec<String>,
    /// The array whose races were looked for; `None`: all arrays.
    #[serde(default)]
    pub array: Option<Name>,
    /// Where signed arithmetic, or an unsigned counter of a loop, may overflow. The verdict is about executions in which no thread
    /// does; what threads access before one does is in scope (THEORY §4).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no_overflow_at: Vec<Span>,
    /// The arrays of which atomic updates are taken to yield what some order of them gives: the
    /// verdict is about interleavings, not about all histories (THEORY T13).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub ordered_updates: BTreeSet<Name>,
}

impl ScopeOfVerdict {
    /// One launch, whatever the parameters are, with no assumption. The size of warps is told where it is not 32.
    pub fn of_launch(launch: Launch) -> ScopeOfVerdict {
        let text = |extents: Dim3| extents.components().map(|extent| extent.to_string());
        ScopeOfVerdict {
            block: text(launch.block),
            grid: Some(text(launch.grid)),
            warp: (launch.warp != WARP_SIZE).then_some(launch.warp),
            fixed: BTreeMap::new(),
            assumptions: Vec::new(),
            array: None,
            no_overflow_at: Vec::new(),
            ordered_updates: BTreeSet::new(),
        }
    }
}
