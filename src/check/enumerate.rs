//! Deciding one concrete launch by enumeration.

use super::{CheckOptions, Findings, is_grid_variable, report};
use babycuda_core::evidence::DivergenceWitness;
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::Forall;
use babycuda_core::verdict::Method;
use babycuda_core::{Configuration, Declarations, Name, Protocol, Thread, Together, counted};
use babycuda_protocols::enumerate::{EnumerationLimits, enumerate};
use std::collections::BTreeSet;

/// Every race of the launch; or why it is not to be enumerated.
pub(super) fn find(
    protocol: &Protocol,
    declarations: &Declarations,
    options: &CheckOptions,
) -> Result<Findings, String> {
    let configuration = configuration(protocol, declarations)?;
    if let Some(reason) = report::vacuous(declarations, &configuration) {
        return Ok(Findings::none(reason));
    }
    let given = HostMemory::fixed(declarations);
    let open = |a: &&Forall| a.arrays().into_iter().any(|array| given.array(array).is_none());
    let mut assumed = declarations.contents_assumed.iter().zip(declarations.said_of_contents());
    if let Some((_, said)) = assumed.find(|(assumption, _)| open(assumption)) {
        return Err(format!("the host's contents are open, of which `{said}` is assumed"));
    }
    // The first race may be of an array that nobody asks about.
    let one_race = options.limits.one_race && options.array.is_none();
    let limits = EnumerationLimits { budget: options.budget, one_race, ..options.limits };
    let blocks = Together::of(declarations, protocol, configuration.launch);
    let found = match blocks {
        None => enumerate(protocol, declarations, &configuration, &limits),
        Some(blocks) => {
            let at = blocks.configuration(&configuration);
            enumerate(&blocks.code(protocol), &blocks.declarations(), &at, &limits)
        }
    };
    let found = found.map_err(|refusal| refusal.to_string())?;
    let divergences: Vec<DivergenceWitness> = found
        .divergences
        .into_iter()
        .map(|(block, divergence)| {
            let one = (block, divergence);
            let own = |all: Together<'_>| all.own_divergence(all.divergence(protocol, divergence));
            let (block, divergence) = blocks.map_or(one, own);
            let configuration = Configuration { block, ..configuration.clone() };
            DivergenceWitness { configuration, divergence, data: Default::default() }
        })
        .collect();
    let mut open = Vec::new();
    let asked = |array: &Name| options.asks_for(array);
    if !found.complete && !found.races.keys().any(|pair| asked(&pair.array)) {
        open.push("too many racy cells to name one".to_owned());
    }
    let races: Vec<_> = found.races.into_values().collect();
    let pairs: u64 = races.iter().map(|r| r.count).sum();
    let accesses = counted(found.accesses, "access");
    let phases = counted(found.phases as u64, "phase");
    let mut remarks = vec![format!("enumerated: {accesses}, {phases}")];
    if !divergences.is_empty() {
        remarks.push("threads that diverge were followed to where they stop".to_owned());
    }
    if !races.is_empty() {
        let at_least = if found.complete { "" } else { "at least " };
        remarks.push(format!("racing pairs of accesses in this launch: {at_least}{pairs}"));
    }
    if let Some(stuck) = found.stuck.first() {
        let sources = &declarations.sources;
        let at = sources.place(stuck.site);
        let what = match sources.stops.get(&stuck.site) {
            Some(why) => format!("stops ({why})"),
            None if sources.overflows.contains_key(&stuck.site) => "overflows".to_owned(),
            None => "reads what nobody wrote".to_owned(),
        };
        let thread = Thread { block: stuck.block, index: stuck.thread };
        let thread = blocks.map_or(thread, |all| all.thread(thread.index));
        let (Thread { block, index }, phase) = (thread, stuck.phase);
        let ends = if blocks.is_some() { "the grid" } else { "its block" };
        remarks.push(format!(
            "thread {index} of block {block} {what} at {at}: {ends} ends in phase {phase}"
        ));
    }
    Ok(Findings {
        races: races
            .into_iter()
            .map(|r| blocks.map_or(r.witness.clone(), |all| all.witness_apart(r.witness)))
            .collect(),
        alarms: Vec::new(),
        divergences,
        open,
        remarks,
        method: Method::Enumeration,
        ordered: BTreeSet::new(),
        assumed: None,
    })
}

/// The one launch that the declarations allow, with the value of every parameter used.
fn configuration(
    protocol: &Protocol,
    declarations: &Declarations,
) -> Result<Configuration, String> {
    let used = protocol.free_vars();
    let configuration = declarations.configuration(&used).map_err(|open| open.to_string())?;
    // Without a grid one block is meant, whichever; its index must not matter.
    let one_block = declarations.geometry.grid.is_none();
    if one_block && used.iter().any(is_grid_variable) {
        return Err("the block's place in the grid is not fixed".into());
    }
    // Nor must the grid, of which an assumption may ask for more than one block.
    let broken = report::broken(&declarations.assumptions, &configuration);
    if one_block && broken.iter().any(|c| c.free_vars().iter().any(is_grid_variable)) {
        return Err("the extents of the grid are not fixed".into());
    }
    Ok(configuration)
}
