//! Verdicts as JSON: what `babycuda check --format json` prints, one document a file.

mod contract;
mod fix;

pub use contract::{Contract, ContractLaunch, Required, Without};
pub use fix::{Edit, Fix, Position};

use crate::accesses::Annotation;
use crate::code::Code;
use crate::{FileReport, names};
use babycuda::Checked;
use babycuda_core::evidence::{Certainty, DivergenceWitness, Evaluator, Report, Side, Witness};
use babycuda_core::history::RaceKind;
use babycuda_core::launch::WARP_SIZE;
use babycuda_core::natural::Integer;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::verdict::{Outcome, ScopeOfVerdict};
use babycuda_core::{Cell, Configuration, Declarations, Launch, Name, Natural, Site, Span, syntax};
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
    /// `drf`, `racy`, `divergent` or `unknown`.
    #[cfg_attr(
        feature = "schema",
        schemars(extend("enum" = ["drf", "racy", "divergent", "unknown"]))
    )]
    pub verdict: String,
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
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["drf"])))]
    pub one_block: Option<String>,
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
    /// `rd`, `wr` or `at`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["rd", "wr", "at"])))]
    pub mode: String,
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
    /// `barrier` or `end`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["barrier", "end"])))]
    pub at: String,
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

    /// The document on one line, the keys of every object in alphabetical order.
    pub fn json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

impl From<&FileReport> for Document {
    fn from(report: &FileReport) -> Document {
        let kernels = report.kernels.iter().enumerate().map(|(number, checked)| {
            let accesses = report.accesses.get(number).cloned();
            Kernel { accesses, ..Kernel::of(checked, &report.text) }
        });
        let kernels = kernels.collect();
        Document { version: VERSION, file: report.path.clone(), kernels, error: None }
    }
}

impl Kernel {
    /// The verdict on a kernel of the file with this text.
    fn of(checked: &Checked, text: &str) -> Kernel {
        let Checked { declarations, verdict, contract, fix, .. } = checked;
        let reason = match &verdict.outcome {
            Outcome::Unknown(reason) => Some(reason),
            _ => None,
        };
        Kernel {
            contract: contract.as_ref().map(|contract| Contract::of(checked, contract)),
            name: declarations.name.clone(),
            verdict: verdict.outcome.word().to_owned(),
            reason: reason.cloned(),
            code: reason.map(|reason| Code::of_unknown(reason).id().to_owned()),
            scope: verdict.scope.clone(),
            notes: declarations.notes.iter().map(Note::from).collect(),
            remarks: checked.remarks.clone(),
            method: verdict.method.to_string(),
            parser: declarations.sources.parser.clone(),
            races: verdict.races.iter().map(|race| Race::of(checked, race, text)).collect(),
            divergences: verdict
                .divergences
                .iter()
                .map(|divergence| Divergence::of(declarations, divergence))
                .collect(),
            fix: fix.as_ref().map(Fix::from),
            accesses: None,
            one_block: checked.one_block.as_ref().map(|outcome| outcome.word().to_owned()),
            benign_only: checked.is_benign_only(),
        }
    }
}

impl From<&syntax::Note> for Note {
    fn from(note: &syntax::Note) -> Note {
        let (line, column) = place(note.span.as_ref());
        Note { message: note.message.clone(), line, column }
    }
}

impl Race {
    fn of(checked: &Checked, race: &Report<Witness>, text: &str) -> Race {
        let declarations = &checked.declarations;
        let benign = checked.same_value_of(race).map(|value| {
            let value = declarations.read_content(&race.cell.array, value);
            Benign { notion: "same-value".to_owned(), stored: [value.clone(), value] }
        });
        let access = |side: &Side| access(declarations, &race.configuration, side, text);
        Race {
            array: race.cell.array.clone(),
            kind: race.kind(),
            code: Code::of_race(race.kind(), race.same_block()).id().to_owned(),
            phase: race.phase(),
            index: race.cell.index.clone(),
            cell: names::cell(declarations, &race.cell),
            certainty: race.certainty,
            evaluator: race.replay.as_ref().map(|replay| replay.evaluator),
            host: host(declarations, race, &race.configuration),
            first: access(&race.first),
            second: access(&race.second),
            launch: extents(race.configuration.launch),
            parameters: parameters(declarations, &race.configuration),
            benign,
        }
    }
}

fn host<W>(declarations: &Declarations, report: &Report<W>, at: &Configuration) -> Host {
    let mut host = Host::new();
    for (Cell { array, index }, k) in
        crate::contents(declarations, report, at).into_iter().flatten()
    {
        host.entry(array).or_default().insert(index, k);
    }
    host
}

fn access(declarations: &Declarations, at: &Configuration, side: &Side, text: &str) -> Access {
    let launch = at.launch;
    let counters = names::counters(declarations, at, side).into_iter();
    let reads = side.data.iter().filter_map(|choice| names::read(declarations, text, choice));
    let (line, column) = place(declarations.sources.spans.get(&side.site));
    Access {
        thread: launch.block.position(side.thread.index).components(),
        block: launch.grid.position(side.thread.block).components(),
        mode: side.mode.keyword().to_owned(),
        line,
        column,
        iteration: counters.map(|(variable, value)| (Name::new(variable), value)).collect(),
        reads: reads.collect(),
    }
}

impl Divergence {
    fn of(declarations: &Declarations, report: &Report<DivergenceWitness>) -> Divergence {
        let launch = report.configuration.launch;
        let stop = |(thread, barrier): (u64, Option<Site>)| {
            let span = barrier.and_then(|site| declarations.sources.spans.get(&site));
            let (line, column) = place(span);
            let at = if barrier.is_some() { "barrier" } else { "end" };
            let thread = report.thread(thread);
            Stop {
                thread: launch.block.position(thread.index).components(),
                block: launch.grid.position(thread.block).components(),
                at: at.to_owned(),
                line,
                column,
            }
        };
        Divergence {
            code: Code::Divergence.id().to_owned(),
            phase: report.divergence.phase,
            scope: report.divergence.scope,
            certainty: report.certainty,
            evaluator: report.replay.as_ref().map(|replay| replay.evaluator),
            host: host(declarations, report, &report.configuration),
            first: stop(report.divergence.first),
            second: stop(report.divergence.second),
            launch: extents(launch),
            parameters: parameters(declarations, &report.configuration),
        }
    }
}

/// The values of parameters as their types read them.
fn parameters(declarations: &Declarations, at: &Configuration) -> BTreeMap<Name, Integer> {
    let read = |(x, k): (&Name, &Natural)| (x.clone(), declarations.read_parameter(x, k));
    at.parameters.iter().map(read).collect()
}

fn extents(Launch { block, grid, warp }: Launch) -> Extents {
    let warp = (warp != WARP_SIZE).then_some(warp);
    Extents { block: block.components(), grid: grid.components(), warp }
}

fn place(span: Option<&Span>) -> (Option<u32>, Option<u32>) {
    (span.map(|s| s.line), span.map(|s| s.column))
}

/// The schema of the documents.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    let settings = schemars::generate::SchemaSettings::default().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Document>();
    schema.insert("title".into(), "babycuda check --format json".into());
    schema
}
