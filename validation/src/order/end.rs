//! How a program ends when its threads step in a given order: by its small steps with one memory,
//! and without a look at any log.

use crate::reference::Reference;
use crate::walk::{Walk, Walker};
use babycuda_core::history::Access;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Cell, Natural};
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{End, EndKind, Next, TooLarge};
use std::collections::{BTreeMap, BTreeSet};

/// Barriers that threads pass.
const BARRIERS: u64 = 1 << 20;

/// The end of the block in this order of its threads' accesses; None where a thread of the order has
/// no access to make. Every cell is defined.
///
/// # Errors
/// [`TooLarge`].
pub(crate) fn end(reference: &Reference, order: &[usize]) -> Result<Option<End>, TooLarge> {
    let (instance, mut fuel) = (&reference.instance, BARRIERS);
    let mut threads: Vec<Walker<'_>> = reference.walks()?.iter().map(Walk::start).collect();
    let mut memory: BTreeMap<Cell, Natural> = BTreeMap::new();
    let mut intervals = vec![BTreeSet::new()];
    for thread in order {
        if matches!(threads[*thread].next(), Next::Barrier(..))
            && !pass_barriers(instance, &mut threads, &mut intervals, &mut fuel)?
        {
            return Ok(None);
        }
        let walker = &mut threads[*thread];
        let Some((mode, cell)) = walker.next().access() else { return Ok(None) };
        let access = Access { thread: *thread as u64, mode, cell: cell.clone() };
        intervals.last_mut().map(|interval| interval.insert(access));
        let held = || memory.get(cell).or_else(|| instance.host().get(cell)).cloned();
        let seen = match walker.next() {
            Next::Write(cell, value) => {
                memory.insert(cell.clone(), value.clone());
                Natural::zero()
            }
            Next::Read(..) => {
                let Some(value) = held() else { return Ok(None) };
                value
            }
            Next::Atomic(cell, _, update, ..) => {
                let Some(value) = held() else { return Ok(None) };
                memory.insert(cell.clone(), update.apply(&value));
                value
            }
            Next::Barrier(..) | Next::End => Natural::zero(),
        };
        walker.go_on(seen)?;
    }
    pass_barriers(instance, &mut threads, &mut intervals, &mut fuel)?;
    if threads.iter().any(|thread| thread.next().access().is_some()) {
        return Ok(None);
    }
    let done = threads.iter().all(|thread| *thread.next() == Next::End);
    let kind = if done { EndKind::Done } else { EndKind::Diverged };
    Ok(Some(End { kind, intervals, memory, unordered: None }))
}

/// Lets each group pass as long as all of it wait at one barrier; does any?
fn pass_barriers(
    instance: &Instance,
    threads: &mut [Walker<'_>],
    intervals: &mut Vec<BTreeSet<Access>>,
    fuel: &mut u64,
) -> Result<bool, TooLarge> {
    let (launch, mut passed, mut i) = (instance.configuration.launch, false, 0);
    while let Some(next) = threads.get(i).map(Walker::next) {
        if let Next::Barrier(_, scope) = *next {
            let group = launch.group(scope, instance.block().thread(i as u64));
            let members = group.first as usize..group.end as usize;
            if threads[members.clone()].iter().all(|other| other.next() == next) {
                for member in &mut threads[members.clone()] {
                    *fuel = fuel.checked_sub(1).ok_or(TooLarge::Steps)?;
                    member.go_on(Natural::zero())?;
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
