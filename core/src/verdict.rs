//! What a checker may answer, with its evidence. Never a bare boolean.

use crate::history::{AccessMode, Cell, RaceKind};
use crate::launch::{Dim3, Launch};
use crate::name::Name;
use crate::natural::Natural;
use crate::site::{Site, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The stable code of a barrier divergence. Races have [`RaceKind::code`].
pub const DIVERGENCE_CODE: &str = "BC004";
/// The stable code of a verdict that is unknown.
pub const UNKNOWN_CODE: &str = "BC005";

/// The answer for one program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The answer itself.
    pub outcome: Outcome,
    /// For which launches and parameters it holds.
    pub scope: ScopeOfVerdict,
    /// How it was found.
    pub method: Method,
    /// Races; empty unless the outcome is racy, or unknown because of potential races.
    pub races: Vec<RaceReport>,
    /// Barrier divergences.
    pub divergences: Vec<DivergenceReport>,
}

/// The four answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "verdict", content = "reason", rename_all = "lowercase")]
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

/// How a verdict was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
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

/// For which launches and parameters a verdict holds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScopeOfVerdict {
    /// The extents of a block, as text: `256`, or `1..=1024`.
    pub block: [String; 3],
    /// The extents of the grid likewise; `None`: accesses of one block only.
    pub grid: Option<[String; 3]>,
    /// The parameters that were fixed, with their values. All others are arbitrary.
    pub fixed: BTreeMap<Name, Natural>,
    /// The assumptions made, as text.
    pub assumptions: Vec<String>,
    /// The array whose races were looked for; `None`: all arrays.
    #[serde(default)]
    pub array: Option<Name>,
    /// Where signed arithmetic may overflow. The verdict is about executions in which no thread
    /// does; what threads access before one does is in scope (THEORY §4).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no_overflow_at: Vec<Span>,
}

/// How sure a reported race is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// The witness was run, and its history is racy there.
    Replayed,
    /// Both accesses are independent of data, so Theorem 1 makes the alarm a true race,
    /// but the witness was too large to run; or its run reads a cell that is undefined until
    /// another thread writes it in that phase, and in some interleaving that comes first.
    Provable,
    /// The alarm rests on data or on values that the front end could not express.
    Potential,
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

impl Evaluator {
    /// As in JSON: `reference` or `virtual-machine`.
    pub fn keyword(self) -> &'static str {
        match self {
            Evaluator::Reference => "reference",
            Evaluator::VirtualMachine => "virtual-machine",
        }
    }
}

impl fmt::Display for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Evaluator::Reference => "the reference semantics",
            Evaluator::VirtualMachine => "the virtual machine",
        })
    }
}

/// A race, with its witness.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RaceReport {
    /// The array.
    pub array: Name,
    /// Which accesses clash.
    pub kind: RaceKind,
    /// The phase in the witness' history, from 0; `None`: unordered blocks.
    pub phase: Option<usize>,
    /// The index of the cell.
    pub index: Natural,
    /// How sure.
    pub certainty: Certainty,
    /// What ran the witness, where its run has the race.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluator: Option<Evaluator>,
    /// One access.
    pub first: AccessReport,
    /// The other access, by another thread.
    pub second: AccessReport,
    /// The launch of the witness.
    pub launch: Launch,
    /// The parameters of the witness: for those of a machine type, the patterns.
    pub parameters: BTreeMap<Name, Natural>,
    /// Where the race rests on contents that the declarations leave to the host: what those cells
    /// hold that its two threads read. All others hold 0 in the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<(Cell, Natural)>,
}

/// One side of a race.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessReport {
    /// `threadIdx`
    pub thread: Dim3,
    /// `blockIdx`
    pub block: Dim3,
    /// How it accesses the cell.
    pub mode: AccessMode,
    /// The statement.
    pub site: Site,
    /// Where it stands in the source.
    pub span: Option<Span>,
    /// The loop counters around it in the witness, outermost first.
    pub iteration: Vec<(Name, Natural)>,
}

/// Two threads of a block that arrive at different barriers, or one at a barrier and one at the
/// end (THEORY §4).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DivergenceReport {
    /// The phase after which they diverge, from 0.
    pub phase: usize,
    /// One thread (`threadIdx`), and the barrier it reached; `None`: the end.
    pub first: (Dim3, Option<Site>),
    /// The other thread.
    pub second: (Dim3, Option<Site>),
    /// Where the barriers stand.
    pub spans: (Option<Span>, Option<Span>),
    /// How sure.
    pub certainty: Certainty,
    /// What ran the launch, where the run diverges there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluator: Option<Evaluator>,
    /// The launch of the witness.
    pub launch: Launch,
    /// The parameters of the witness.
    pub parameters: BTreeMap<Name, Natural>,
}
