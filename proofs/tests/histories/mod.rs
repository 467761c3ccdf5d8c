//! Random histories.

use babycuda_core::{Accesses, Cell, History, HostMemory, Name, Natural, Phase};
use babycuda_proofs::situation::unrealizable_read;
use babycuda_testkit::Choices;

/// One to three phases. In half of the histories each cell is one thread's only, so they are
/// race-free; in most the head is empty.
pub fn history(
    choices: &mut Choices<'_>,
    arrays: &[Name],
    threads: u32,
    host: &HostMemory,
) -> History {
    let tidy = choices.chance(1, 2);
    let cells = if tidy { 4 } else { 2 };
    let older = choices.below(3);
    let mut history = History::empty(host.clone());
    for number in 0..=older {
        let mut phase = Phase::default();
        let accesses = if number == older && choices.chance(1, 2) { 0 } else { choices.below(7) };
        for _ in 0..accesses {
            let Some(array) = arrays.get(choices.below(arrays.len())) else { continue };
            let cell = Cell::new(array.clone(), choices.below(cells) as u64);
            let thread = match tidy {
                true => cell.index.low_u64() % u64::from(threads),
                false => choices.below(threads as usize) as u64,
            };
            let value = Natural::from(choices.below(3) as u64);
            let before: Accesses = phase.get(thread);
            let after = match choices.chance(2, 3) {
                true => before.write(cell, value),
                false => before.read(cell),
            };
            // What no program can have read is left out.
            let mut next = phase.clone();
            next.insert(thread, after);
            if unrealizable_read(&history.push(next.clone())).is_none() {
                phase = next;
            }
        }
        history = history.push(phase);
    }
    history
}
