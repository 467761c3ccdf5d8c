//! Replaying a witness in the semantics: is the history racy there?

use super::{Options, has_opaque_data};
use babycuda_core::history::HostMemory;
use babycuda_core::natural::Natural;
use babycuda_core::syntax::{Contents, Program};
use babycuda_core::verdict::Certainty;
use babycuda_core::{Access, Cell, History};
use babycuda_protocols::Witness;
use babycuda_protocols::witness::WitnessAccess;
use babycuda_semantics::{Block, Instance, Limits, Policy};
use babycuda_typing::Approximation;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How sure the race of `witness` is, and the history of its block when it was replayed.
pub(super) fn certainty(
    program: &Program,
    approximation: &Approximation,
    witness: &Witness,
    options: &Options,
) -> (Certainty, Option<History>) {
    let independent = approximation.is_independent(witness.first.site)
        && approximation.is_independent(witness.second.site)
        && !witness.depends_on_data()
        && approximation.barriers.iter().all(|b| b.control_data.is_empty());
    let fallback = if independent { Certainty::Provable } else { Certainty::Potential };
    // Where data decides, only contents that the host may really have chosen prove anything.
    if !independent && has_opaque_data(program) {
        return (fallback, None);
    }
    let Some(host) = host_memory(program, witness) else { return (fallback, None) };
    let replay = |block| run(program, witness, &host, block, independent, options);
    let blocks = (witness.first.thread.block, witness.second.thread.block);
    let Some(first) = replay(blocks.0) else { return (fallback, None) };
    let found = if witness.same_block() {
        races_within(&first, witness)
    } else {
        replay(blocks.1).is_some_and(|second| {
            accesses(&first, &witness.first, &witness.cell)
                && accesses(&second, &witness.second, &witness.cell)
        })
    };
    if found { (Certainty::Replayed, Some(first)) } else { (fallback, None) }
}

/// What the host stores so that the witness' reads yield what it says; `None` when the host
/// cannot bring it about.
fn host_memory(program: &Program, witness: &Witness) -> Option<HostMemory> {
    let mut host = HostMemory::of_program(program);
    let mut chosen: BTreeMap<Cell, Natural> = BTreeMap::new();
    for choice in witness.first.data.iter().chain(&witness.second.data) {
        // A cell that is not known is left to chance: the replay decides.
        let Some(cell) = &choice.cell else { continue };
        let free = program.array(&cell.array).is_some_and(|a| a.contents == Contents::Any);
        if !free {
            continue;
        }
        let before = chosen.insert(cell.clone(), choice.value.clone());
        if before.is_some_and(|value| value != choice.value) {
            return None;
        }
        host.set(cell.clone(), choice.value.clone());
    }
    Some(host)
}

/// The history of a block, if it runs far enough.
fn run(
    program: &Program,
    witness: &Witness,
    host: &HostMemory,
    block: u64,
    independent: bool,
    options: &Options,
) -> Option<History> {
    let instance = Instance {
        program: Arc::new(program.clone()),
        block: Block { launch: witness.launch, index: block },
        parameters: witness.parameters.clone(),
        host: Arc::new(host.clone()),
    };
    // Accesses that are independent of data are the same whatever the memory holds (T5), so a
    // read of ⊥ need not stop them, and any value of a cell that an older phase raced on will do.
    let (instance, ambiguous) = if independent {
        (instance.defined_everywhere(&Natural::zero()), Policy::Smallest)
    } else {
        (instance, Policy::Stop)
    };
    let limits = Limits { steps: options.replay_steps, ..Limits::default() };
    let settings = babycuda_semantics::Options { limits, ambiguous, ..Default::default() };
    // A run that is stuck or diverges later still has the phases before.
    Some(crate::run(&instance, &settings).history().clone())
}

/// Is the phase of the witness racy on its cell, between its threads, as it says?
fn races_within(history: &History, witness: &Witness) -> bool {
    let in_phase = |phase: &babycuda_core::Phase| {
        phase.contains(&access(&witness.first, &witness.cell))
            && phase.contains(&access(&witness.second, &witness.cell))
    };
    match witness.phase() {
        Some(number) => history.chronological().any(|(n, phase)| n == number && in_phase(phase)),
        None => history.newest_first().any(in_phase),
    }
}

fn accesses(history: &History, side: &WitnessAccess, cell: &Cell) -> bool {
    let wanted = access(side, cell);
    history.newest_first().any(|phase| phase.contains(&wanted))
}

fn access(side: &WitnessAccess, cell: &Cell) -> Access {
    Access { thread: side.thread.index, mode: side.mode, cell: cell.clone() }
}
