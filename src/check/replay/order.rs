//! A race that no run of the big step proves: is there an interleaving with it?
//!
//! The big step gives atomic updates any values, and lets no thread see what others wrote in the same
//! phase. In an interleaving, updates yield what an order of them gives, and a thread that reads a cell
//! that is not yet written waits. Some orders are tried, from contents that the witness suggests; a
//! race that one of them has is one of the kernel.

use super::{CheckOptions, choices, host_memory};
use crate::check::has_opaque_data;
use babycuda_core::deep;
use babycuda_core::evidence::Witness;
use babycuda_core::history::{HostArray, HostMemory, Race};
use babycuda_core::syntax::{Contents, Program, Tree};
use babycuda_core::{AccessMode, Cell, Configuration, Name, Natural, Num, Site, Stmt, Together};
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{EndKind, ExplorationLimits, find_race};
use babycuda_typing::Approximation;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Threads of a block whose interleavings are looked at, at most.
const MAX_THREADS: u64 = 1024;

/// Interleavings that are tried for each memory, at most; fewer of many threads.
const MAX_ORDERS: u64 = 64;

/// So many threads have them all; of more, only those without barriers of groups have any.
const FEW_THREADS: u64 = 256;

/// Steps of all of them, at most.
const MAX_STEPS: u64 = 1_000_000;

/// The cell of the race of the witness in some interleaving, its phase in a block, and the memory that
/// it starts from: these threads access a cell in these statements, that of the witness if there is a
/// choice. `None`: none of those tried has it.
///
/// Interleavings of the block alone are some of all, in which no other block has begun. Then those of
/// all blocks are tried.
pub(super) fn find(
    program: &Program,
    witness: &Witness,
    options: &CheckOptions,
) -> Option<(Cell, Option<usize>, HostMemory)> {
    if has_opaque_data(program) {
        return None;
    }
    let alone = witness.same_block().then(|| find_in_block(program, witness, options)).flatten();
    if let Some((race, host)) = alone {
        return Some((race.cell, Some(race.phase), host));
    }
    let all = Together::all(program, &program.body, witness.configuration.launch)?;
    let (race, host) = find_in_block(&all.program(program), &all.witness(witness), options)?;
    Some((all.own(&race.cell), None, host))
}

fn find_in_block(
    program: &Program,
    witness: &Witness,
    options: &CheckOptions,
) -> Option<(Race, HostMemory)> {
    let launch = witness.configuration.launch;
    // With barriers of groups, all accesses of an interval are compared.
    let scoped = program.body.scoped_barrier().is_some();
    let most = if scoped { FEW_THREADS } else { MAX_THREADS };
    if launch.block.count() > most {
        return None;
    }
    let sides = [&witness.first, &witness.second];
    let sites = sides.map(|side| side.site);
    let modes =
        if sites[0] == sites[1] { [AccessMode::Wr; 2] } else { [AccessMode::Wr, AccessMode::Rd] };
    let marks = [0, 1].map(|i| (sides[i].thread.index, modes[i]));
    let is_there = |race: &Race| {
        race.cell.array == mark() && marks.iter().all(|m| [race.first, race.second].contains(m))
    };
    let steps = options.replay_steps.min(MAX_STEPS);
    let executions = MAX_ORDERS * FEW_THREADS / launch.block.count().max(FEW_THREADS);
    let limits = ExplorationLimits { executions, steps };
    let sought = sides.map(|side| {
        let values = side.data.iter().map(|choice| choice.value.clone());
        (side.thread.index, values.collect::<BTreeSet<Natural>>())
    });
    let at = Configuration { block: witness.first.thread.block, ..witness.configuration.clone() };
    // A race has to be there too when threads stop at overflows of data.
    let mut program = program.stopping().unwrap_or_else(|| program.clone());
    program.body = marked(&program.body, sites);
    let memories = memories(&program, witness)?;
    let instance = Instance::of(program, at);
    let here = |race: &Race| is_there(race) && race.cell.index == witness.cell.index;
    let ways: [&dyn Fn(&Race) -> bool; 2] = [&here, &is_there];
    let starts = ways.iter().flat_map(|wanted| memories.iter().map(move |host| (wanted, host)));
    starts.into_iter().find_map(|(wanted, host)| {
        let mut with_marks = host.clone();
        let zeros = HostArray { fill: Some(Natural::zero()), ..HostArray::default() };
        with_marks.insert(mark(), zeros);
        let instance = instance.clone().with_host(with_marks);
        let found = find_race(&instance, sought.each_ref(), &limits, wanted).ok().flatten();
        // A thread that is stuck may stand behind a mark and before its access.
        let (_, race) = found.filter(|(end, _)| !matches!(end.kind, EndKind::Stuck(_)))?;
        let cell = Cell::new(witness.cell.array.clone(), race.cell.index);
        Some((Race { cell, ..race }, host.clone()))
    })
}

/// The array of the marks; no program can name it.
fn mark() -> Name {
    Name::new("#mark")
}

/// The statement with a mark before each access of the two sites: a write of the same index of
/// [`mark`] for the first one, and a read for the second. Where marks of two threads race, so do the
/// accesses: an execution without the marks has them in the same interval.
fn marked(b: &Stmt, sites: [Site; 2]) -> Stmt {
    let inner = deep::grow(|| b.map_children(|child| Arc::new(marked(child, sites))));
    let (Stmt::Write { site, index, .. }
    | Stmt::Read { site, index, .. }
    | Stmt::Atomic { site, index, .. }) = b
    else {
        return inner;
    };
    let index = index.clone();
    let mark = match sites.iter().position(|own| own == site) {
        Some(0) => Stmt::write(mark(), index, Num::lit(0u32)),
        Some(_) => Stmt::read("#seen", mark(), index, Stmt::Skip),
        None => return inner,
    };
    Stmt::Seq(Arc::new(mark), Arc::new(inner))
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
