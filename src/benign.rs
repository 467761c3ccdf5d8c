//! Benign races, by one of two notions: the conflicting writes store the same value.
//!
//! What a thread finds in the cell is then the same whichever write comes last. It is a property of two statements that
//! write, in all runs: what they store is an expression over what all threads share, and it is one expression. A read that
//! races with a write is never benign in this sense, since it may come too early; nor is an atomic update.
//!
//! The other notion is one of a kernel at a launch: all schedules leave the same memory at each barrier (Distefano and
//! Dubreil, §4). `compare` knows it, as `determined`. Neither implies the other.

use babycuda_core::evidence::{PairKey, Report, Side, Witness};
use babycuda_core::name::reserved::{BLOCK_DIM, BLOCK_IDX, GRID_DIM};
use babycuda_core::syntax::{Program, Tree};
use babycuda_core::{AccessMode, Name, Natural, Num, Stmt};
use std::collections::BTreeMap;

/// What both sides of races store, of those where all writes of the two statements to one cell store the same value.
pub fn same_values(program: &Program, races: &[Report<Witness>]) -> BTreeMap<PairKey, Natural> {
    let values = races.iter().filter_map(|race| Some((race.pair(), same_value(program, race)?)));
    values.collect()
}

/// What both sides of this race store, if all writes of its statements to one cell store the same value.
fn same_value(program: &Program, race: &Report<Witness>) -> Option<Natural> {
    let sides = [&race.first, &race.second];
    if sides.iter().any(|side| side.mode != AccessMode::Wr) {
        return None;
    }
    let stored = program.body.subterms().filter_map(|statement| match statement {
        Stmt::Write { site, array, payload, .. }
            if *array == race.cell.array && sides.iter().any(|side| side.site == *site) =>
        {
            Some(payload)
        }
        _ => None,
    });
    let stored: Vec<&Num> = stored.collect();
    let (first, others) = stored.split_first()?;
    if others.iter().any(|other| other != first) {
        return None;
    }
    let shared = |name: &Name| {
        let is = |names: &[&str; 3]| names.contains(&name.as_str());
        let of_launch = is(&BLOCK_DIM) || is(&GRID_DIM) || is(&BLOCK_IDX) && race.same_block();
        let is_parameter = program.params.iter().any(|param| param.name == *name);
        let is_bound = || program.body.subterms().any(|s| s.view().binder == Some(name));
        of_launch || is_parameter && !is_bound()
    };
    if !first.free_vars().iter().all(shared) {
        return None;
    }
    let value = first.eval(&|x| race.configuration.value_of(x, race.first.thread.index)).ok()?;
    // The run of the witness says the same of both threads.
    let ran = |side: &&Side| {
        let phase = race.phase()?;
        let history = &race.replay.as_ref()?.history;
        let (_, accesses) = history.chronological().find(|(number, _)| *number == phase)?;
        let (_, own) = accesses.threads().find(|(thread, _)| *thread == side.thread.index)?;
        own.writes.get(&race.cell).cloned()
    };
    let agrees = sides.iter().filter_map(ran).all(|stored| stored == value);
    agrees.then_some(value)
}
