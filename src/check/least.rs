//! The least contents of the host that show a race or a divergence.

use babycuda_core::history::HostMemory;
use babycuda_core::syntax::Contents;
use babycuda_core::{Cell, Declarations, Natural};
use std::ops::Range;

/// Runs that look for smaller contents of a witness.
const MAX_TRIES: u64 = 256;

/// The cells that do not hold 0, of the arrays whose contents the declarations leave to the host.
pub(super) fn chosen(declarations: &Declarations, host: &HostMemory) -> Vec<(Cell, Natural)> {
    let open = |cell: &Cell| *declarations.contents(&cell.array) == Contents::Any;
    host.cells().filter(|(cell, value)| open(cell) && *value != Natural::zero()).collect()
}

/// The contents with 0 in as many cells as were found not to matter, and small values in the others;
/// and what they show. `shown` is what `host` shows; one look at other contents costs so many steps, of
/// which `steps` may be made.
pub(super) fn least<T>(
    declarations: &Declarations,
    host: HostMemory,
    shown: T,
    (cost, steps): (u64, u64),
    shows: impl Fn(&HostMemory) -> Option<T>,
) -> (HostMemory, T) {
    let mut tries = 0..MAX_TRIES.min(steps / cost.max(1));
    let cells = chosen(declarations, &host);
    let (mut host, mut shown) = sparse(host, shown, cells, &mut tries, &shows);
    for (cell, mut value) in chosen(declarations, &host) {
        // 1, or a value between one that does not do and one that does.
        let (mut below, mut next) = (Natural::zero(), Natural::from(1u32));
        while below < next && next < value && tries.next().is_some() {
            let mut smaller = host.clone();
            smaller.set(cell.clone(), next.clone());
            match shows(&smaller) {
                Some(again) => (host, shown, value) = (smaller, again, next),
                None => below = next,
            }
            next = (&below + &value).div_total(&Natural::from(2u32));
        }
    }
    (host, shown)
}

/// The contents with 0 in as many of these cells as were found not to matter, and what they show; each look takes one
/// of the `tries`.
pub(crate) fn sparse<T>(
    mut host: HostMemory,
    mut shown: T,
    cells: Vec<(Cell, Natural)>,
    tries: &mut Range<u64>,
    shows: impl Fn(&HostMemory) -> Option<T>,
) -> (HostMemory, T) {
    let mut parts = vec![cells];
    while let Some(part) = parts.pop() {
        if part.is_empty() {
            continue;
        }
        if tries.next().is_none() {
            break;
        }
        let mut smaller = host.clone();
        for (cell, _) in &part {
            smaller.set(cell.clone(), Natural::zero());
        }
        match shows(&smaller) {
            Some(again) => (host, shown) = (smaller, again),
            None if part.len() > 1 => {
                let (first, second) = part.split_at(part.len() / 2);
                parts.extend([second.to_vec(), first.to_vec()]);
            }
            None => {}
        }
    }
    (host, shown)
}
