//! Is a derivation that of a run of this program, launch, parameters and memory?

use super::code::Code;
use super::lastwrite::lastwrite;
use super::{Rejected, check_derivation};
use crate::block::Block;
use crate::choice::Choices;
use crate::derivation::{Derivation, Judgment, Premise};
use crate::evidence::{ChoiceForm, ChoiceKind, RunEvidence};
use babycuda_core::history::HostArray;
use babycuda_core::syntax::{ArrayDecl, Contents, Extent};
use babycuda_core::{
    Accesses, Configuration, Dim3, History, Name, Natural, Stmt, Together, counted,
};
use std::sync::Arc;

/// Checks every node of the derivation, and that its root is about the program of the evidence: for
/// a block of a launch that the declarations allow, with values for the parameters, memory as
/// declared, and the choices that are listed.
///
/// # Errors
/// [`Rejected`]: the root, when the run is another one; else the first wrong node.
pub fn check_run(evidence: &RunEvidence) -> Result<(), Rejected> {
    let root = |expected| Rejected::root(&evidence.derivation, expected);
    declarations(evidence).map_err(root)?;
    conclusion(evidence).map_err(root)?;
    check_derivation(&evidence.derivation)?;
    choices(evidence).map_err(root)
}

/// Do launch, parameters and memory fit what the program declares?
fn declarations(evidence: &RunEvidence) -> Result<(), String> {
    let RunEvidence { program, block, parameters, host, .. } = evidence;
    program.check_scope().map_err(|error| format!("a well-scoped program: {error}"))?;
    let geometry = program.geometry;
    let fits = extents(geometry.block, block.launch.block)
        && geometry.grid.is_none_or(|grid| extents(grid, block.launch.grid))
        && block.index < block.launch.grid.count();
    if !fits {
        return Err("a block of a launch that the program is meant for".into());
    }
    for param in &program.params {
        let fits = |value: &Natural| {
            param.value.as_ref().is_none_or(|fixed| fixed == value) && param.domain.contains(value)
        };
        if !parameters.get(&param.name).is_some_and(fits) {
            return Err(format!("a value of the parameter `{}`", param.name));
        }
    }
    if parameters.len() != program.params.len() {
        return Err("values of the program's parameters and of nothing else".into());
    }
    let values = block.values(0);
    let value = |x: &Name| parameters.get(x).or_else(|| values.get(x)).cloned();
    if let Some(broken) = program.assumptions.iter().find(|c| c.eval(&value) != Ok(true)) {
        return Err(format!("a launch and parameters of which `{broken}` is true"));
    }
    for (name, array) in host.arrays() {
        let declared = program.array(name);
        let Some(declared) = declared.filter(|declared| is_declared(declared, array)) else {
            return Err(format!("the memory that is declared, for `{name}`"));
        };
        let cells = array.cells.iter().map(|(index, value)| (Some(index), value));
        let mut stored = array.fill.iter().map(|value| (None, value)).chain(cells);
        if let Some((index, _)) = stored.find(|(_, value)| !declared.element.contains(value)) {
            let place = index.map_or("fill".to_owned(), |index| format!("cells/{index}"));
            return Err(format!("a value of the array's type at /content/host/{name}/{place}"));
        }
    }
    let undefined = HostArray::default();
    let absent = |a: &&ArrayDecl| host.arrays().all(|(name, _)| *name != a.name);
    let configuration = Configuration {
        block: block.index,
        parameters: parameters.clone(),
        ..Configuration::of_launch(block.launch)
    };
    if let Some((_, why)) = program.unmet_in(&configuration, host) {
        return Err(format!("contents as assumed: {why}"));
    }
    match program.arrays.iter().filter(absent).find(|a| !is_declared(a, &undefined)) {
        Some(array) => Err(format!("the memory that is declared, for `{}`", array.name)),
        None => Ok(()),
    }
}

fn extents(declared: [Extent; 3], found: Dim3) -> bool {
    let fits = |(e, n): (&Extent, u32)| n > 0 && (*e == Extent::Symbolic || *e == Extent::Known(n));
    declared.iter().zip(found.components()).all(fits)
}

/// May the host have stored this in the array? Contents that the declaration leaves open are the
/// host's choice.
fn is_declared(array: &ArrayDecl, stored: &HostArray) -> bool {
    match &array.contents {
        Contents::Any | Contents::Opaque => stored.fill.is_some(),
        Contents::Undefined => stored.fill.is_none() && stored.cells.is_empty(),
        Contents::Fill(value) => stored.fill.as_ref() == Some(value) && stored.cells.is_empty(),
        Contents::Values(values) => {
            let listed = (0u64..).map(Natural::from).zip(values);
            stored.fill.is_none()
                && stored.cells.len() == values.len()
                && listed.zip(&stored.cells).all(|((i, k), (j, found))| i == *j && k == found)
        }
    }
}

/// Does the root conclude something about this program, from the start?
fn conclusion(evidence: &RunEvidence) -> Result<(), String> {
    let Judgment::Program(root) = &evidence.derivation.conclusion else {
        return Err("the judgment of a whole block".into());
    };
    let RunEvidence { program, block, .. } = evidence;
    let blocks = Together::of(program, &program.body, block.launch);
    let (body, host, block) = match blocks {
        None => (program.body.clone(), evidence.host.clone(), *block),
        Some(blocks) => {
            let block = Block { launch: blocks.launch(), index: 0 };
            (blocks.code(&program.body), blocks.host(&evidence.host), block)
        }
    };
    if root.block != block {
        return Err(format!("the judgment of {block}"));
    }
    let started = root.before.len() == 1
        && root.before.head().is_some_and(|phase| phase.threads().next().is_none())
        && *root.before.host() == host;
    if !started {
        return Err("the judgment from one empty phase and the host's memory".into());
    }
    let values = evidence.parameters.iter().map(|(x, k)| (x.clone(), k.clone())).collect();
    match Code::Instance(&body, values).is(&root.program) {
        true => Ok(()),
        false => Err("the judgment of the program with its parameters' values".into()),
    }
}

/// Are these the choices that the derivation makes? It has been checked.
fn choices(evidence: &RunEvidence) -> Result<(), String> {
    let mut made: Vec<ChoiceForm> = Vec::new();
    for (_, node) in evidence.derivation.nodes() {
        made.extend(choice(node));
    }
    let mut listed: Vec<&ChoiceForm> = evidence.choices.iter().collect();
    made.sort();
    listed.sort();
    let mut rest = made.iter();
    let found = listed.iter().all(|choice| rest.any(|other| other == *choice));
    let many =
        made.len() as u64 == evidence.choices_made && listed.len() == made.len().min(Choices::KEPT);
    match found && many {
        true => Ok(()),
        false => Err("the choices that the derivation makes".into()),
    }
}

fn choice(node: &Derivation) -> Option<ChoiceForm> {
    let (history, thread, before, program): (&Arc<History>, u64, &Arc<Accesses>, &Arc<Stmt>) =
        match &node.conclusion {
            Judgment::Thread(j) => (&j.history, j.thread, &j.before, &j.program),
            Judgment::ToBarrier(j) => (&j.history, j.thread, &j.before, &j.program),
            Judgment::Parallel(_) | Judgment::Block(_) | Judgment::Program(_) => return None,
        };
    let (Stmt::Read { site, .. } | Stmt::Atomic { site, .. }) = &**program else {
        return None;
    };
    let (kind, cell, value) = node.premises.iter().find_map(|premise| match premise {
        Premise::LastWrite { cell, value } => Some((ChoiceKind::Read, cell, value)),
        Premise::Chosen { cell: Some(cell), value } => Some((ChoiceKind::Atomic, cell, value)),
        _ => None,
    })?;
    let held = lastwrite(cell, history, before);
    if kind == ChoiceKind::Read && !held.is_open() {
        return None;
    }
    let mut candidates: Vec<Natural> = held.values.into_iter().collect();
    if candidates.is_empty() {
        candidates.push(Natural::zero());
    }
    Some(ChoiceForm {
        phase: history.len(),
        thread,
        site: *site,
        kind,
        cell: cell.clone(),
        value: value.clone(),
        candidates,
        exhaustive: kind == ChoiceKind::Read && held.all,
    })
}

impl RunEvidence {
    /// One line that says of what this is the derivation.
    pub fn summary(&self) -> String {
        let RunEvidence { program, block, derivation, .. } = self;
        let blocks = Together::of(program, &program.body, block.launch);
        let (name, grid) = (&program.name, block.launch.grid.count());
        let which = match blocks {
            None => format!("block {} of {grid}", block.index),
            Some(_) => format!("all {grid} blocks"),
        };
        let threads = blocks.map_or(block.len(), |blocks| blocks.launch().block.count());
        let ending = match &derivation.conclusion {
            Judgment::Program(j) => Some(&j.ending),
            _ => None,
        };
        let ending = ending.map_or(String::new(), |ending| {
            let history = &ending.history;
            let mut races = if history.is_drf() { "race-free" } else { "racy" }.to_owned();
            let opaque = program.arrays.iter().find(|a| a.contents == Contents::Opaque);
            if let Some(array) = opaque {
                races += &format!(" with the values chosen for `{}`", array.name);
            }
            let end = match &ending.divergence {
                None => "all threads end".to_owned(),
                Some(divergence) => {
                    let own = |all: Together<'_>| all.divergence(&program.body, *divergence);
                    let divergence = blocks.map_or(*divergence, own);
                    format!("barrier divergence {divergence}")
                }
            };
            format!("; {}, {races}; {end}", counted(history.len() as u64, "phase"))
        });
        format!(
            "a run of `{name}`, {}, {which}, {}, {}{ending}",
            counted(derivation.size() as u64, "node"),
            counted(threads, "thread"),
            counted(self.choices_made, "choice"),
        )
    }
}
