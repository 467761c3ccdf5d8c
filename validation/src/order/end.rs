//! How a program ends when its threads step in a given order: by its small steps with one memory,
//! and without a look at any log.

use crate::reference::Reference;
use crate::threads::Place;
use babycuda_core::history::Access;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Cell, Natural};
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{End, EndKind, Next, TooLarge, advance};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Silent steps of all threads.
const STEPS: u64 = 1 << 24;

/// The end of the block in this order of its threads' accesses; None where a thread of the order has
/// no access to make. Every cell is defined.
///
/// # Errors
/// [`TooLarge`].
pub(crate) fn end(reference: &Reference, order: &[usize]) -> Result<Option<End>, TooLarge> {
    let (instance, mut fuel) = (&reference.instance, STEPS);
    let mut threads = reference.starts().clone()?;
    let mut memory: BTreeMap<Cell, Natural> = BTreeMap::new();
    let mut intervals = vec![BTreeSet::new()];
    for thread in order {
        if matches!(threads[*thread].0, Next::Barrier(..))
            && !pass_barriers(instance, &mut threads, &mut intervals, &mut fuel)?
        {
            return Ok(None);
        }
        let (next, rest) = &mut threads[*thread];
        let Some((mode, cell)) = next.access() else { return Ok(None) };
        let access = Access { thread: *thread as u64, mode, cell: cell.clone() };
        intervals.last_mut().map(|interval| interval.insert(access));
        let held = || memory.get(cell).or_else(|| instance.host().get(cell)).cloned();
        match &*next {
            Next::Write(cell, value) => drop(memory.insert(cell.clone(), value.clone())),
            Next::Read(_, x, body) => {
                let Some(value) = held() else { return Ok(None) };
                rest.push(Arc::new(body.subst_value(x, &value)));
            }
            Next::Atomic(cell, _, update, x, body) => {
                let Some(value) = held() else { return Ok(None) };
                memory.insert(cell.clone(), update.apply(&value));
                rest.push(Arc::new(body.subst_value(x, &value)));
            }
            Next::Barrier(..) | Next::End => {}
        }
        (*next, *rest) = advance(std::mem::take(rest), &mut fuel)?;
    }
    pass_barriers(instance, &mut threads, &mut intervals, &mut fuel)?;
    if threads.iter().any(|(next, _)| next.access().is_some()) {
        return Ok(None);
    }
    let done = threads.iter().all(|(next, _)| *next == Next::End);
    let kind = if done { EndKind::Done } else { EndKind::Diverged };
    Ok(Some(End { kind, intervals, memory, unordered: None }))
}

/// Lets each group pass as long as all of it wait at one barrier; does any?
fn pass_barriers(
    instance: &Instance,
    threads: &mut [Place],
    intervals: &mut Vec<BTreeSet<Access>>,
    fuel: &mut u64,
) -> Result<bool, TooLarge> {
    let (launch, mut passed, mut i) = (instance.configuration.launch, false, 0);
    while let Some((next, _)) = threads.get(i) {
        if let Next::Barrier(_, scope) = *next {
            let group = launch.group(scope, instance.block().thread(i as u64));
            let members = group.first as usize..group.end as usize;
            if threads[members.clone()].iter().all(|(other, _)| other == next) {
                for (next, rest) in &mut threads[members.clone()] {
                    (*next, *rest) = advance(std::mem::take(rest), fuel)?;
                }
                if scope >= BarrierScope::Block {
                    intervals.push(BTreeSet::new());
                }
                // Others may wait for these.
                (passed, i) = (true, members.start);
                continue;
            }
        }
        i += 1;
    }
    Ok(passed)
}
