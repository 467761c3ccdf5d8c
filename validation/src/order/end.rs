//! How a program ends when its threads step in a given order: by its small steps with one memory,
//! and without a look at any log.

use crate::finish::Finish;
use crate::reference::{Accesses, Reference, in_order, numbered, on_machine};
use babycuda_core::Natural;
use babycuda_core::syntax::BarrierScope;
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{EndKind, TooLarge};
use babycuda_semantics::vm::{Next, Threads};
use std::collections::HashMap;

/// Barriers that threads pass.
const BARRIERS: u64 = 1 << 20;

/// The block on its way.
struct Block<'a> {
    instance: &'a Instance,
    threads: Threads<'a>,
    /// What each thread does next.
    next: Vec<Next>,
    intervals: Vec<Accesses>,
    fuel: u64,
}

/// The end of the block in this order of its threads' accesses; None where a thread of the order has
/// no access to make. Every cell is defined.
///
/// # Errors
/// [`TooLarge`].
pub(crate) fn end(reference: &Reference, order: &[usize]) -> Result<Option<Finish>, TooLarge> {
    on_machine(|machine| {
        let (instance, code) = (&reference.instance, &reference.code);
        let mut threads = machine.threads(code, instance);
        let next =
            (0..threads.len()).map(|thread| threads.next(thread)).collect::<Result<_, _>>()?;
        let (intervals, fuel) = (vec![Vec::new()], BARRIERS);
        let mut block = Block { instance, threads, next, intervals, fuel };
        let arrays = code.arrays().iter();
        let host: Vec<_> = arrays.map(|name| instance.host().array(name)).collect();
        let mut memory: HashMap<(usize, Natural), Natural> = HashMap::new();
        for thread in order {
            if matches!(block.next[*thread], Next::Barrier(..)) && !block.pass_barriers()? {
                return Ok(None);
            }
            let next = &block.next[*thread];
            let Some((mode, array, index)) = next.access() else { return Ok(None) };
            let access = numbered(*thread as u64, mode, array, index.to_u64().unwrap_or(u64::MAX));
            block.intervals.last_mut().into_iter().for_each(|interval| interval.push(access));
            let cell = (array, index.clone());
            let stored = || host[array].and_then(|own| own.get(&cell.1));
            let held = memory.get(&cell).or_else(stored).cloned();
            let (seen, stored) = match (next, held) {
                (Next::Write { value, .. }, _) => (Natural::zero(), Some(value.clone())),
                (Next::Atomic { update, .. }, Some(value)) => {
                    let stored = update.apply(&value);
                    (value, Some(stored))
                }
                (_, Some(value)) => (value, None),
                (_, None) => return Ok(None),
            };
            if let Some(value) = stored {
                memory.insert(cell, value);
            }
            block.go_on(*thread, seen)?;
        }
        block.pass_barriers()?;
        if block.next.iter().any(|next| next.access().is_some()) {
            return Ok(None);
        }
        let done = block.next.iter().all(|next| *next == Next::End);
        Ok(Some(Finish {
            kind: if done { EndKind::Done } else { EndKind::Diverged },
            intervals: block.intervals.into_iter().map(in_order).collect(),
            memory: memory
                .into_iter()
                .map(|((array, index), value)| (array, index.to_u64(), value.to_u64()))
                .collect(),
        }))
    })
}

impl Block<'_> {
    fn go_on(&mut self, thread: usize, seen: Natural) -> Result<(), TooLarge> {
        self.threads.go_on(thread, seen);
        self.next[thread] = self.threads.next(thread)?;
        Ok(())
    }

    /// Lets each group pass as long as all of it wait at one barrier; does any?
    fn pass_barriers(&mut self) -> Result<bool, TooLarge> {
        let (launch, mut passed, mut i) = (self.instance.configuration.launch, false, 0);
        while let Some(next) = self.next.get(i) {
            if let Next::Barrier(_, scope) = *next {
                let group = launch.group(scope, self.instance.block().thread(i as u64));
                let members = group.first as usize..group.end as usize;
                if self.next[members.clone()].iter().all(|other| other == next) {
                    for member in members.clone() {
                        self.fuel = self.fuel.checked_sub(1).ok_or(TooLarge::Steps)?;
                        self.go_on(member, Natural::zero())?;
                    }
                    if scope >= BarrierScope::Block {
                        self.intervals.push(Vec::new());
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
}
