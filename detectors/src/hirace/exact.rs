//! Is a machine right on every trace of so many threads?

use super::traces::{Event, Shape, Traces};
use babycuda_core::shadow::{Chain, INIT, MODES, Machine, State};
use std::collections::{HashSet, VecDeque};

/// A shortest trace on which a machine is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inexact {
    /// What happens; nothing before the last access races.
    pub events: Vec<Event>,
    /// Does the last access race with one before? The machine says that it is the other way round.
    pub races: bool,
}

/// Searches all traces of a shape, of whatever length: up to symmetry there are finitely many
/// [situations](Traces) in which a machine can be without a race. Gives the first trace on which the
/// machine is wrong, or how many situations there are.
///
/// # Errors
/// A trace on which the machine is wrong.
pub fn inexact(machine: &Machine, shape: &Shape) -> Result<usize, Inexact> {
    let chain = machine.chain();
    let events = events(chain, shape);
    let start = (Traces::start(shape), INIT);
    let mut seen: HashSet<(Traces, State)> = HashSet::from([start.clone()]);
    // Each situation with the one before it, and what happened between.
    let mut found = vec![(start, None::<(usize, Event)>)];
    let mut open = VecDeque::from([0]);
    while let Some(place) = open.pop_front() {
        let (traces, state) = found[place].0.clone();
        for event in &events {
            let (after, races) = traces.then(shape, chain, *event);
            let state = match *event {
                Event::Barrier { .. } => state,
                Event::Access { thread, mode } => {
                    machine.next(state, traces.label(shape, thread, mode))
                }
            };
            if races != (state == machine.race()) {
                let mut back = vec![*event];
                let mut at = place;
                while let Some((before, event)) = found[at].1 {
                    back.push(event);
                    at = before;
                }
                back.reverse();
                return Err(Inexact { events: back, races });
            }
            if races {
                continue;
            }
            // Not up to symmetry: the events of a trace name their threads.
            let next = (after.clone().canonical(shape), state);
            if seen.insert(next) {
                open.push_back(found.len());
                found.push(((after, state), Some((place, *event))));
            }
        }
    }
    Ok(found.len())
}

/// All that can happen in a shape.
fn events(chain: &Chain, shape: &Shape) -> Vec<Event> {
    let access = |thread| MODES.map(|mode| Event::Access { thread, mode });
    let barriers = (1..=chain.widest_barrier()).flat_map(|level| {
        (0..shape.all() / shape.threads(level)).map(move |group| Event::Barrier { level, group })
    });
    (0..shape.all()).flat_map(access).chain(barriers).collect()
}
