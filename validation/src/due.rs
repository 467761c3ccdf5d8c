//! What each thread of a block accesses by its protocol, in order.

use babycuda_core::launch::Group;
use babycuda_core::{AccessMode, Site};
use babycuda_protocols::map::Lambda;
use babycuda_semantics::vm::Code;

/// An access that a thread makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Due {
    pub(crate) phase: usize,
    /// How many barriers of narrower scopes its thread passes before it in the phase.
    pub(crate) passed: usize,
    pub(crate) site: Site,
    pub(crate) mode: AccessMode,
    /// The array among those of the code, and the index; none beyond 64 bits, where no device has one.
    pub(crate) array: usize,
    pub(crate) index: Option<u64>,
}

/// The accesses of each of so many threads.
pub(crate) fn dues(lambda: &Lambda, code: &Code, threads: u64) -> Vec<Vec<Due>> {
    let mut dues = vec![Vec::new(); threads as usize];
    for (phase, accesses) in lambda.phases.iter().enumerate() {
        for event in &accesses.events {
            let holds = |group: &&Group| (group.first..group.end).contains(&event.thread);
            let passed = accesses.barriers.iter().take(event.stage).filter(holds).count();
            let array = code.arrays().iter().position(|own| *own == event.cell.array);
            let Some(own) = dues.get_mut(event.thread as usize) else { continue };
            own.push(Due {
                phase,
                passed,
                site: event.site,
                mode: event.mode,
                // Proof: a protocol accesses what its program does.
                array: array.expect("an array of the program"),
                index: event.cell.index.to_u64(),
            });
        }
    }
    dues
}
