//! Equal subtrees are one, and have a name where they are large enough.

use super::drawing::{Drawing, Given, Premise};
use super::formula::Formula;
use std::collections::HashMap;

/// A subtree that is used several times has a name where it has so many rule instances.
const LARGE: usize = 3;

/// Makes one of equal subtrees.
pub(super) fn equal(drawing: &mut Drawing) {
    type Key = (&'static str, Formula, Vec<Premise>);
    let mut known: HashMap<Key, usize> = HashMap::new();
    let mut one: Vec<usize> = (0..drawing.nodes.len()).collect();
    for n in drawing.bottom_up() {
        let node = &mut drawing.nodes[n];
        for premise in &mut node.premises {
            if let Given::Derived(child, _) | Given::Family(child, _) = &mut premise.given {
                *child = one[*child];
            }
        }
        let key = (node.rule.id, node.conclusion.clone(), node.premises.clone());
        one[n] = *known.entry(key).or_insert(n);
    }
}

/// Which nodes have a name, since they are used several times.
pub(super) fn named(drawing: &Drawing) -> Vec<bool> {
    let sizes = drawing.sizes();
    let uses = drawing.uses();
    (0..drawing.nodes.len()).map(|n| uses[n] > 1 && sizes[n] >= LARGE).collect()
}
