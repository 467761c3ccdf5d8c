//! The sentence itself, on what each thread does in its order. An array `S` is each block's own.

use babycuda_core::evidence::PairKey;
use babycuda_core::syntax::{BarrierScope, Tree};
use babycuda_core::{AccessMode, Cell, Launch, Name, Natural, Protocol, Site, Thread};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a thread does.
#[derive(Clone)]
enum Event {
    Access((Site, AccessMode), Cell),
    Barrier(BarrierScope, Site),
}

/// Whether a block runs to its end, and which statements race.
pub struct Model {
    pub runs: bool,
    pub races: BTreeSet<PairKey>,
}

impl Model {
    pub fn of(p: &Protocol, launch: Launch) -> Model {
        let threads: Vec<Thread> = launch.all().collect();
        let traces: Vec<Vec<Event>> = threads
            .iter()
            .map(|thread| {
                let mut trace = Vec::new();
                unroll(p, launch, *thread, &mut BTreeMap::new(), &mut trace);
                trace
            })
            .collect();
        let together = |scope, a: usize, b: usize| {
            group(launch, scope, threads[a]) == group(launch, scope, threads[b])
        };
        let scopes: BTreeSet<BarrierScope> = traces
            .iter()
            .flatten()
            .filter_map(|event| match event {
                Event::Barrier(scope, _) => Some(*scope),
                Event::Access(..) => None,
            })
            .collect();
        let (mut runs, mut races) = (true, BTreeSet::new());
        for a in 0..traces.len() {
            for b in 0..a {
                for scope in scopes.iter().filter(|scope| together(**scope, a, b)) {
                    runs &= barriers(&traces[a], *scope) == barriers(&traces[b], *scope);
                }
                for (n, one) in traces[a].iter().enumerate() {
                    for (m, other) in traces[b].iter().enumerate() {
                        let (Event::Access(s, cell), Event::Access(t, at)) = (one, other) else {
                            continue;
                        };
                        let ordered = scopes.iter().any(|scope| {
                            let before = |trace: &[Event]| count(trace, *scope);
                            together(*scope, a, b)
                                && before(&traces[a][..n]) != before(&traces[b][..m])
                        });
                        let same_block = threads[a].block == threads[b].block;
                        let same = cell == at && (same_block || cell.array.as_str() != "S");
                        if same && s.1.conflicts(t.1, same_block) && !ordered {
                            races.insert(PairKey::new(cell.array.clone(), [*s, *t], same_block));
                        }
                    }
                }
            }
        }
        Model { runs, races }
    }

    /// The same without barriers that are narrower than the block.
    pub fn without_narrow(p: &Protocol, launch: Launch) -> Model {
        Model::of(&erased(p), launch)
    }
}

fn erased(p: &Protocol) -> Protocol {
    match p {
        Protocol::Sync { scope, .. } if *scope < BarrierScope::Block => Protocol::Skip,
        p => p.map_children(|child| Arc::new(erased(child))),
    }
}

/// The group of a thread: its block, and there warps and tiles by linear index, from 0.
fn group(launch: Launch, scope: BarrierScope, thread: Thread) -> (u64, u64) {
    match scope {
        BarrierScope::Tile(size) => (thread.block, thread.index / u64::from(size)),
        BarrierScope::Warp => (thread.block, thread.index / u64::from(launch.warp)),
        BarrierScope::Block => (thread.block, 0),
        BarrierScope::Grid => (0, 0),
    }
}

/// The barriers of a scope and of wider ones.
fn barriers(trace: &[Event], scope: BarrierScope) -> Vec<Site> {
    let barrier = |event: &Event| match event {
        Event::Barrier(s, site) if *s >= scope => Some(*site),
        _ => None,
    };
    trace.iter().filter_map(barrier).collect()
}

fn count(trace: &[Event], scope: BarrierScope) -> usize {
    trace.iter().filter(|e| matches!(e, Event::Barrier(s, _) if *s == scope)).count()
}

fn unroll(
    p: &Protocol,
    launch: Launch,
    thread: Thread,
    counters: &mut BTreeMap<Name, Natural>,
    trace: &mut Vec<Event>,
) {
    let value = |x: &Name| counters.get(x).cloned().or_else(|| launch.value_of(x, thread));
    match p {
        Protocol::Skip => {}
        Protocol::Access { site, mode, array, index } => {
            let index = index.eval(&value).unwrap();
            trace.push(Event::Access((*site, *mode), Cell { array: array.clone(), index }));
        }
        Protocol::Seq(p, q) => {
            unroll(p, launch, thread, counters, trace);
            unroll(q, launch, thread, counters, trace);
        }
        Protocol::If { condition, then, otherwise, .. } => {
            let side = if condition.eval(&value).unwrap() { then } else { otherwise };
            unroll(side, launch, thread, counters, trace);
        }
        Protocol::For { var, lower, upper, body, .. } => {
            let (mut next, upper) = (lower.eval(&value).unwrap(), upper.eval(&value).unwrap());
            while next < upper {
                counters.insert(var.clone(), next.clone());
                unroll(body, launch, thread, counters, trace);
                next = next.successor();
            }
            counters.remove(var);
        }
        Protocol::Sync { site, scope } => trace.push(Event::Barrier(*scope, *site)),
        Protocol::Input { .. } | Protocol::Any { .. } => panic!("no data here"),
    }
}
