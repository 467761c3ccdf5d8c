//! Replaying a witness in the semantics: is the history racy there?

use super::{Options, has_atomic, has_opaque_data};
use babycuda_core::history::HostMemory;
use babycuda_core::natural::Natural;
use babycuda_core::syntax::{Contents, Program};
use babycuda_core::verdict::Certainty;
use babycuda_core::{Access, Cell, History};
use babycuda_protocols::Witness;
use babycuda_protocols::witness::WitnessAccess;
use babycuda_semantics::{Block, Instance, Limits, Policy, Reason};
use babycuda_typing::{Approximation, DataFlow, DataSource};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why a run of the witness proves its race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Basis {
    /// Both accesses are independent of data, so they are the same in every run (T5).
    Independent,
    /// They depend only on values that the host stored and nobody changes: those of the run are
    /// those of every interleaving.
    HostData,
    /// They depend on what the program itself computes. Without atomics, and up to the first racy
    /// phase, the run is that of every interleaving (T6).
    Run,
}

/// What a run may prove of the witness; `None`: nothing. The value that an atomic update yields
/// depends on the order of threads, and an opaque value is not a real one: no run that rests on
/// either is evidence.
fn basis(program: &Program, approximation: &Approximation, witness: &Witness) -> Option<Basis> {
    let sites = [witness.first.site, witness.second.site];
    let decided_by_data = approximation.barriers.iter().any(|b| !b.control_data.is_empty());
    let independent = sites.iter().all(|site| approximation.is_independent(*site));
    if independent && !decided_by_data && !witness.depends_on_data() {
        return Some(Basis::Independent);
    }
    let mut flows =
        sites.iter().flat_map(|site| approximation.accesses_at(*site)).flat_map(|a| a.flows());
    if flows.all(is_host_data) {
        return Some(Basis::HostData);
    }
    let ordered = !has_opaque_data(program) && !has_atomic(&program.body) && witness.same_block();
    ordered.then_some(Basis::Run)
}

/// Is the value one that the host stored in an array that nobody writes, at an index likewise?
fn is_host_data(flow: &DataFlow) -> bool {
    !flow.atomic
        && matches!(flow.source, DataSource::HostChosen | DataSource::Declared)
        && flow.index.as_deref().is_none_or(is_host_data)
}

/// How sure the race of `witness` is, and the history of its block when it was replayed.
pub(super) fn certainty(
    program: &Program,
    approximation: &Approximation,
    witness: &Witness,
    options: &Options,
) -> (Certainty, Option<History>) {
    let potential = (Certainty::Potential, None);
    let Some(basis) = basis(program, approximation, witness) else { return potential };
    let Some(host) = host_memory(program, witness) else { return potential };
    let replay = |block| run(program, witness, &host, block, basis, options);
    let (first, too_long) = replay(witness.first.thread.block);
    let (found, too_long) = if witness.same_block() {
        (races_within(&first, witness, basis), too_long)
    } else {
        let (second, also) = replay(witness.second.thread.block);
        let found = accesses(&first, &witness.first, &witness.cell)
            && accesses(&second, &witness.second, &witness.cell);
        (found, too_long || also)
    };
    match basis {
        _ if found => (Certainty::Replayed, Some(first)),
        // Theorem 1 stands in for a run that is too long to make.
        Basis::Independent if too_long => (Certainty::Provable, None),
        _ => potential,
    }
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

/// The history of a block, and whether it was cut off by a limit.
fn run(
    program: &Program,
    witness: &Witness,
    host: &HostMemory,
    block: u64,
    basis: Basis,
    options: &Options,
) -> (History, bool) {
    let instance = Instance {
        program: Arc::new(program.clone()),
        block: Block { launch: witness.launch, index: block },
        parameters: witness.parameters.clone(),
        host: Arc::new(host.clone()),
    };
    // Accesses that no written cell decides are the same whatever such cells hold, so any value
    // of a cell that an older phase raced on will do; where no cell decides, a read of ⊥ need not
    // stop the run either.
    let instance = match basis {
        Basis::Independent => instance.defined_everywhere(&Natural::zero()),
        Basis::HostData | Basis::Run => instance,
    };
    let ambiguous = if basis == Basis::Run { Policy::Stop } else { Policy::Smallest };
    let limits = Limits { steps: options.replay_steps, ..Limits::default() };
    let settings = babycuda_semantics::Options { limits, ambiguous, ..Default::default() };
    let outcome = crate::run(&instance, &settings);
    let too_long = outcome.stuck().is_some_and(|s| matches!(s.reason, Reason::Limit { .. }));
    // A run that is stuck or diverges later still has the phases before.
    (outcome.history().clone(), too_long)
}

/// Is the phase of the witness racy on its cell, between its threads, as it says?
fn races_within(history: &History, witness: &Witness, basis: Basis) -> bool {
    let wanted = [access(&witness.first, &witness.cell), access(&witness.second, &witness.cell)];
    for (number, phase) in history.chronological() {
        let here = witness.phase().is_none_or(|n| n == number);
        if here && wanted.iter().all(|access| phase.contains(access)) {
            return true;
        }
        // Beyond a racy phase, what the program computes may differ from the run's (T6).
        if basis == Basis::Run && phase.is_racy() {
            return false;
        }
    }
    false
}

fn accesses(history: &History, side: &WitnessAccess, cell: &Cell) -> bool {
    let wanted = access(side, cell);
    history.newest_first().any(|phase| phase.contains(&wanted))
}

fn access(side: &WitnessAccess, cell: &Cell) -> Access {
    Access { thread: side.thread.index, mode: side.mode, cell: cell.clone() }
}
