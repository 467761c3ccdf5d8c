//! HiRace: the derived machine, other machines beside it, and shadow memory.

#[path = "../common/mod.rs"]
mod common;
mod exact;
mod figures;
mod lanes;
mod model_checked;
mod published;
mod random;
mod shadow;

use babycuda_core::AccessMode;
use babycuda_core::shadow::{Chain, INIT, Machine, State};
use babycuda_core::syntax::Scope;
use babycuda_detectors::hirace::{Event, Shape, Traces, derive};
use std::sync::{Mutex, PoisonError};

const R: AccessMode = AccessMode::Rd;
const W: AccessMode = AccessMode::Wr;
const BA: AccessMode = AccessMode::At(Scope::Block);
const GA: AccessMode = AccessMode::At(Scope::Device);

fn access(mode: AccessMode, thread: usize) -> Event {
    Event::Access { thread, mode }
}

fn barrier(level: usize, group: usize) -> Event {
    Event::Barrier { level, group }
}

/// How many random traces: `BABYCUDA_CASES`.
fn cases() -> u32 {
    std::env::var("BABYCUDA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000).max(1000)
}

/// The states that a machine goes through, access by access.
fn states(machine: &Machine, shape: &Shape, events: &[Event]) -> Vec<State> {
    let mut traces = Traces::start(shape);
    let mut state = INIT;
    let mut all = Vec::new();
    for event in events {
        if let Event::Access { thread, mode } = *event {
            state = machine.next(state, traces.label(shape, thread, mode));
            all.push(state);
        }
        traces = traces.then(shape, machine.chain(), *event).0;
    }
    all
}

/// The machine that is derived for a chain. Each is derived once.
fn derived(chain: &Chain) -> Machine {
    static MADE: Mutex<Vec<Machine>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(machine) = made.iter().find(|machine| machine.chain() == chain) {
        return machine.clone();
    }
    let machine = derive(chain).expect("few states");
    made.push(machine.clone());
    machine
}

/// Two blocks of two warps of two threads.
fn two_of_each(chain: &Chain) -> Shape {
    Shape::new(chain, &vec![2; chain.grid()]).expect("a shape of the chain")
}
