//! From what was found to what is reported.

use babycuda_core::expr::Bool;
use babycuda_core::launch::{Launch, MAX_BLOCK_DIM, MAX_GRID_DIM};
use babycuda_core::name::Name;
use babycuda_core::natural::Natural;
use babycuda_core::site::{Site, Span};
use babycuda_core::syntax::{Extent, Program};
use babycuda_core::verdict::{
    AccessReport, Certainty, DivergenceReport, RaceReport, ScopeOfVerdict,
};
use babycuda_core::{Configuration, Declarations};
use babycuda_protocols::Witness;
use babycuda_protocols::witness::WitnessAccess;
use babycuda_semantics::Stuck;
use std::collections::{BTreeMap, BTreeSet};

/// Why a verdict on this one launch would be about nothing; `None` when the launch is meant.
pub(super) fn vacuous(declarations: &Declarations, at: &Configuration) -> Option<String> {
    if declarations.admits(at) {
        return None;
    }
    Some(no_launch(broken(&declarations.assumptions, at)))
}

/// The assumptions that a configuration does not satisfy.
pub(super) fn broken<'a>(assumptions: &'a [Bool], at: &Configuration) -> Vec<&'a Bool> {
    let holds = |c: &Bool| c.eval(&|x| at.value_of(x, 0)).unwrap_or(false);
    assumptions.iter().filter(|c| !holds(c)).collect()
}

/// A verdict that would be about nothing: no launch satisfies these assumptions.
pub(super) fn no_launch<'a>(assumptions: impl IntoIterator<Item = &'a Bool>) -> String {
    let texts: Vec<String> = assumptions.into_iter().map(|c| format!("`{c}`")).collect();
    match texts.as_slice() {
        [] => "vacuous: no launch satisfies the declarations".to_owned(),
        _ => format!("vacuous: no launch satisfies {}", texts.join(" and ")),
    }
}

/// Why a race or a divergence was not replayed: where its run stopped.
pub(super) fn not_replayed(what: &str, program: &Program, stuck: &Stuck) -> String {
    let why = stuck.explain(&program.sources);
    format!("a potential {what} was not replayed: in {why}")
}

/// A race as it is reported.
pub(super) fn race(program: &Program, witness: &Witness, certainty: Certainty) -> RaceReport {
    RaceReport {
        array: witness.cell.array.clone(),
        kind: witness.kind(),
        phase: witness.phase(),
        index: witness.cell.index.clone(),
        certainty,
        first: access(program, witness.launch, &witness.first),
        second: access(program, witness.launch, &witness.second),
        launch: witness.launch,
        parameters: witness.parameters.clone(),
        evaluator: None,
        contents: Vec::new(),
    }
}

fn access(program: &Program, launch: Launch, access: &WitnessAccess) -> AccessReport {
    AccessReport {
        thread: launch.block.position(access.thread.index),
        block: launch.grid.position(access.thread.block),
        mode: access.mode,
        site: access.site,
        span: program.sources.spans.get(&access.site).copied(),
        iteration: access.iteration.iter().map(|c| (c.var.clone(), c.value.clone())).collect(),
    }
}

/// A thread of a block, by linear index, and the barrier that it reached; `None`: the end.
pub(super) type Stop = (u64, Option<Site>);

/// A divergence as it is reported, found by running every thread to its barrier.
pub(super) fn divergence(
    program: &Program,
    launch: Launch,
    parameters: &BTreeMap<Name, Natural>,
    phase: usize,
    (first, second): (Stop, Stop),
) -> DivergenceReport {
    let span = |site: Option<Site>| site.and_then(|s| program.sources.spans.get(&s)).copied();
    DivergenceReport {
        phase,
        first: (launch.block.position(first.0), first.1),
        second: (launch.block.position(second.0), second.1),
        spans: (span(first.1), span(second.1)),
        certainty: Certainty::Provable,
        evaluator: None,
        launch,
        parameters: parameters.clone(),
    }
}

/// For what a verdict on `program` holds that is about the races on `array`; `None`: on all.
pub(super) fn scope(program: &Program, array: Option<&Name>) -> ScopeOfVerdict {
    let texts = |extents: [Extent; 3], limits: [u32; 3]| {
        let mut texts = [const { String::new() }; 3];
        for ((text, extent), limit) in texts.iter_mut().zip(extents).zip(limits) {
            *text = match extent {
                Extent::Known(k) => k.to_string(),
                Extent::Symbolic => format!("1..={limit}"),
            };
        }
        texts
    };
    ScopeOfVerdict {
        block: texts(program.geometry.block, MAX_BLOCK_DIM),
        grid: program.geometry.grid.map(|grid| texts(grid, MAX_GRID_DIM)),
        fixed: program
            .params
            .iter()
            .filter_map(|p| Some((p.name.clone(), p.value.clone()?)))
            .collect(),
        assumptions: program.assumptions.iter().map(ToString::to_string).collect(),
        array: array.cloned(),
        no_overflow_at: {
            let stops = program.sources.overflows.values().flatten();
            let all: BTreeSet<Span> = stops.chain(&program.sources.unstopped).copied().collect();
            all.into_iter().collect()
        },
    }
}
