//! From reports to documents.

use super::{
    Access, Benign, Contract, Divergence, Document, Extents, Fix, Host, Kernel, Note, Race, Stop,
    StopsAt, VERSION, Word,
};
use crate::code::Code;
use crate::{FileReport, names};
use babycuda::Checked;
use babycuda_core::evidence::{DivergenceWitness, Report, Side, Witness};
use babycuda_core::launch::WARP_SIZE;
use babycuda_core::natural::Integer;
use babycuda_core::verdict::Outcome;
use babycuda_core::{Cell, Configuration, Declarations, Launch, Name, Natural, Site, Span, syntax};
use std::collections::BTreeMap;

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
            verdict: Word::from(&verdict.outcome),
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
            one_block: checked.one_block.as_ref().map(Word::from),
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
        mode: side.mode.into(),
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
            let at = if barrier.is_some() { StopsAt::Barrier } else { StopsAt::End };
            let thread = report.thread(thread);
            Stop {
                thread: launch.block.position(thread.index).components(),
                block: launch.grid.position(thread.block).components(),
                at,
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
