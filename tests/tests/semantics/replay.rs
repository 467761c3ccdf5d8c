//! Atomic updates that yield what they did in a derivation.

use babycuda_core::Natural;
use babycuda_semantics::{AtomicPolicy, AtomicQuery, Derivation, Judgment, Premise};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

/// The values that atomic updates yield in the derivation, by phase and thread.
pub fn replayed(derivation: &Derivation) -> AtomicPolicy {
    let mut chosen: BTreeMap<(usize, u64), VecDeque<Natural>> = BTreeMap::new();
    for (_, node) in derivation.nodes() {
        let place = match &node.conclusion {
            Judgment::Thread(j) => (j.history.len(), j.thread),
            Judgment::ToBarrier(j) => (j.history.len(), j.thread),
            _ => continue,
        };
        for premise in &node.premises {
            if let Premise::Chosen { value, .. } = premise {
                chosen.entry(place).or_default().push_back(value.clone());
            }
        }
    }
    let chosen = Mutex::new(chosen);
    AtomicPolicy::Oracle(Arc::new(move |query: &AtomicQuery<'_>| {
        let mut chosen = chosen.lock().unwrap_or_else(|e| panic!("{e}"));
        let values = chosen.get_mut(&(query.phase, query.thread));
        values.and_then(VecDeque::pop_front).unwrap_or_default()
    }))
}
