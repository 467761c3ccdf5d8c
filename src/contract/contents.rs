//! Conditions on what the host stores: arrays of indices that have no index twice.

use super::parts::parts;
use crate::Checked;
use babycuda_core::Program;
use babycuda_core::evidence::Certainty;
use babycuda_core::parse::parse_assumption;
use babycuda_core::syntax::Domain;

/// So many arrays are considered at most.
const MAX_ARRAYS: usize = 4;
/// An element has so many bits at least: it can be any index.
const INDEX: u32 = 32;

/// Is there a race that rests on what the host stored?
pub(super) fn matter(checked: &Checked) -> bool {
    checked
        .verdict
        .races
        .iter()
        .any(|race| race.certainty != Certainty::Potential && !race.configuration.host.is_empty())
}

/// The program where these hold, as they are read in the calculus.
pub(super) fn stated(program: &Program, texts: &[String]) -> Program {
    let mut stated = program.clone();
    stated.contents_assumed.extend(texts.iter().filter_map(|text| parse_assumption(text).ok()));
    stated
}

/// Conditions on single inputs, and then on all of them. The identity satisfies each, so that hosts can.
pub(super) fn candidates(program: &Program) -> Vec<Vec<String>> {
    if !program.contents_assumed.is_empty() {
        return Vec::new();
    }
    let inputs = program.inputs();
    let holds_indices = |domain: Domain| match domain {
        Domain::Natural => true,
        Domain::Machine(t) => t.width.bits() >= INDEX,
    };
    let is_word = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let arrays = program.arrays.iter().filter(|a| {
        inputs.contains(&a.name) && holds_indices(a.element) && is_word(a.name.as_str())
    });
    let arrays: Vec<&str> = arrays.map(|a| a.name.as_str()).take(MAX_ARRAYS).collect();
    let known = parts(program, &[]);
    let mut bounds: Vec<String> = known.parameters.iter().map(|(p, _)| p.to_string()).collect();
    let dims = [("x", 0), ("y", 1), ("z", 2)];
    let mut threads: Vec<String> = Vec::new();
    for (d, n) in dims {
        threads.extend(known.grid.contains(&n).then(|| format!("gridDim.{d}")));
        threads.extend(known.block.contains(&n).then(|| format!("blockDim.{d}")));
    }
    if !threads.is_empty() {
        bounds.push(threads.join(" * "));
    }
    let said = |array: &str, bound: &str| {
        format!("forall i in 0..{bound}: forall j in 0..i: {array}[i] != {array}[j]")
    };
    let mut all = Vec::new();
    for bound in &bounds {
        all.extend(arrays.iter().map(|array| vec![said(array, bound)]));
    }
    if arrays.len() > 1 {
        all.extend(bounds.iter().map(|b| arrays.iter().map(|array| said(array, b)).collect()));
    }
    all
}
