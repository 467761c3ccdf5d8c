//! Where a machine is wrong, cell by cell of its table.

use super::traces::Event;
use babycuda_core::shadow::{INIT, Label, Machine, State};
use std::collections::HashSet;

/// A cell of a machine's table that is wrong on some trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The state.
    pub state: State,
    /// The access.
    pub label: Label,
    /// Is there a race? The machine says that it is the other way round.
    pub races: bool,
    /// A shortest trace that ends there, as the record sees it: with `label` at the end.
    pub trace: Vec<Label>,
}

/// Every cell of `machine` that says wrongly that there is a race, or that there is none, at the end of a
/// trace on which it was right so far; `exact` is right on all traces. Cells come in the order of
/// their traces' length.
pub fn compare(machine: &Machine, exact: &Machine) -> Vec<Difference> {
    let labels: Vec<Label> = machine.chain().labels().collect();
    let mut found: HashSet<(State, Label, bool)> = HashSet::new();
    let mut differences = Vec::new();
    let mut seen = HashSet::from([(INIT, INIT)]);
    // The pairs of states in the order in which they are met, each with the one before it and the label between.
    let mut met = vec![((INIT, INIT), None::<(usize, Label)>)];
    let mut done = 0;
    while let Some(((state, right), _)) = met.get(done).copied() {
        for label in labels.iter().copied() {
            let next = (machine.next(state, label), exact.next(right, label));
            let says = (next.0 == machine.race(), next.1 == exact.race());
            if says.0 != says.1 {
                if found.insert((state, label, says.1)) {
                    let mut trace = vec![label];
                    let mut at = done;
                    while let Some((before, label)) = met[at].1 {
                        trace.push(label);
                        at = before;
                    }
                    trace.reverse();
                    differences.push(Difference { state, label, races: says.1, trace });
                }
            } else if !says.0 && seen.insert(next) {
                met.push((next, Some((done, label))));
            }
        }
        done += 1;
    }
    differences
}

/// A trace that a record sees so, with two groups of each level in one of the next. Where a label tells of a
/// barrier of a narrower level than the last accessor's, the thread passed one of its own group, whose
/// clock says as much.
pub fn events(labels: &[Label]) -> Vec<Event> {
    let mut last: Option<usize> = None;
    let mut events = Vec::new();
    for Label { mode, sync, relation } in labels.iter().copied() {
        // The neighbour at that level.
        let neighbour = |last| if relation > 0 { last ^ (1 << (relation - 1)) } else { last };
        let thread = last.map_or(0, neighbour);
        if sync > 0 && last.is_some() {
            events.push(Event::Barrier { level: sync, group: thread >> sync });
        }
        events.push(Event::Access { thread, mode });
        last = Some(thread);
    }
    events
}
