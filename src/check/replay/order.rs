//! A race that rests on what atomic updates yield: is there an interleaving with it?
//!
//! The big step gives updates any values, so its runs prove nothing. In an interleaving the values
//! are those of an order of the updates. Some orders are tried, from contents that the witness
//! suggests; a race that one of them has is one of the kernel.

use super::{Options, choices, host_memory};
use crate::check::{has_atomic, has_opaque_data};
use babycuda_core::evidence::Witness;
use babycuda_core::history::{HostMemory, Race};
use babycuda_core::syntax::{Contents, Program, Tree};
use babycuda_core::{AccessMode, Cell, Configuration, Name, Natural, Num, Stmt};
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{ExplorationLimits, find_race};
use babycuda_typing::Approximation;
use std::collections::{BTreeMap, BTreeSet};

/// Threads of a block whose interleavings are looked at, at most.
const MAX_THREADS: u64 = 256;

/// Interleavings that are tried for each memory, at most.
const MAX_ORDERS: u64 = 64;

/// Steps of all of them, at most.
const MAX_STEPS: u64 = 1_000_000;

/// The race of the witness in some interleaving: these threads access the cell in these modes. Or
/// another cell, where no other statements could. `None`: none of those tried has one.
pub(super) fn find(program: &Program, witness: &Witness, options: &Options) -> Option<Race> {
    let launch = witness.configuration.launch;
    if !has_atomic(&program.body)
        || has_opaque_data(program)
        || !witness.same_block()
        || launch.block.count() > MAX_THREADS
    {
        return None;
    }
    let sides = [&witness.first, &witness.second];
    let is_there = |race: &Race| {
        let of = |(thread, mode)| sides.iter().any(|s| (s.thread.index, s.mode) == (thread, mode));
        race.cell.array == witness.cell.array && of(race.first) && of(race.second)
    };
    let here = |race: &Race| race.cell == witness.cell && is_there(race);
    let mut ways: Vec<&dyn Fn(&Race) -> bool> = vec![&here];
    if sides.iter().all(|side| is_alone(program, side.mode, &witness.cell.array)) {
        ways.push(&is_there);
    }
    let steps = options.replay_steps.min(MAX_STEPS);
    let limits = ExplorationLimits { executions: MAX_ORDERS, steps };
    let sought = sides.map(|side| {
        let values = side.data.iter().map(|choice| choice.value.clone());
        (side.thread.index, values.collect::<BTreeSet<Natural>>())
    });
    let at = Configuration { block: witness.first.thread.block, ..witness.configuration.clone() };
    // A race has to be there too when threads stop at overflows of data.
    let body = program.stopping().unwrap_or_else(|| program.clone());
    let instance = Instance::of(body, at);
    let memories = memories(program, witness)?;
    ways.into_iter().find_map(|wanted| {
        memories.iter().find_map(|host| {
            let instance = instance.clone().with_host(host.clone());
            let found = find_race(&instance, sought.each_ref(), &limits, wanted);
            found.ok().flatten().map(|(_, race)| race)
        })
    })
}

/// Is there one statement only that accesses the array in this mode?
fn is_alone(program: &Program, mode: AccessMode, array: &Name) -> bool {
    let access = Some((mode, array));
    program.body.subterms().filter(|statement| statement.head().access() == access).count() == 1
}

/// What the host may have stored: what the witness says was read, and in the cells of counters 0, or
/// the least that an update yields.
fn memories(program: &Program, witness: &Witness) -> Option<Vec<HostMemory>> {
    let host = host_memory(program, &witness.configuration, choices(witness))?;
    let mut least: BTreeMap<Cell, Natural> = BTreeMap::new();
    for choice in choices(witness) {
        for statement in program.body.subterms() {
            if let Stmt::Atomic { site, array, index: Num::Lit(index), .. } = statement
                && *site == choice.site
                && program.array(array).is_some_and(|a| a.contents == Contents::Any)
            {
                let value = least.entry(Cell::new(array.clone(), index.clone()));
                let value = value.or_insert_with(|| choice.value.clone());
                *value = choice.value.clone().min(value.clone());
            }
        }
    }
    let mut counted = host.clone();
    least.into_iter().for_each(|(cell, value)| counted.set(cell, value));
    let mut memories = if counted == host { vec![host] } else { vec![host, counted] };
    memories.retain(|host| program.unmet_in(&witness.configuration, host).is_none());
    Some(memories)
}

/// Does the value of an atomic update decide one of the accesses of the witness?
pub(super) fn rests_on(approximation: &Approximation, witness: &Witness) -> bool {
    let sites = [witness.first.site, witness.second.site];
    let accesses = sites.iter().flat_map(|site| approximation.accesses_at(*site));
    accesses.flat_map(|access| access.flows()).any(|flow| flow.atomic)
}
