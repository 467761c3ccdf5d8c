//! From what a run touched to a trace: bytes become cells.
//!
//! A cell of an array is an element, where all accesses are of whole elements; else as many bytes as divide
//! elements, accesses, and where they begin. An access is then one of each cell that it touches, so that
//! two overlap exactly where they share a cell (THEORY §4).

use super::memory::{Array, Memory};
use super::value::Byte;
use crate::site;
use babycuda_core::budget::look;
use babycuda_core::history::{HostArray, HostMemory};
use babycuda_core::launch::Group;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{AccessMode, Cell, Launch, Natural, Thread};
use babycuda_kernel::At;

/// What happened.
#[derive(Clone, Debug)]
pub(super) enum Touch {
    /// A thread accessed bytes of an array. What a plain write stored, if it is one number that is known.
    Access {
        thread: Thread,
        mode: AccessMode,
        array: usize,
        offset: i64,
        size: u64,
        at: At,
        stored: Option<u64>,
    },
    /// A group passed a barrier.
    Barrier(Group),
    /// Lanes of a warp passed one.
    Lanes { block: u64, warp: u64, lanes: u64 },
}

/// The bytes of a cell of each array.
pub(super) fn cells(log: &[Touch], arrays: &[Array]) -> Vec<u64> {
    let mut cells: Vec<u64> = arrays.iter().map(|array| array.element).collect();
    for touch in log {
        if let Touch::Access { array, offset, size, .. } = touch
            && let Some(cell) = cells.get_mut(*array)
        {
            *cell = gcd(gcd(*cell, *size), offset.unsigned_abs());
        }
    }
    cells.iter().map(|cell| (*cell).max(1)).collect()
}

/// The trace of what happened, and what its events stored in their cells.
pub(super) fn trace(
    log: &[Touch],
    arrays: &[Array],
    cells: &[u64],
    launch: Launch,
) -> (Trace, Vec<Option<u64>>) {
    let shared = arrays.iter().filter(|array| array.shared).map(|array| array.name.clone());
    let mut events = Vec::with_capacity(log.len());
    let mut values = Vec::with_capacity(log.len());
    for touch in log {
        match touch {
            Touch::Barrier(group) => {
                events.push(barrier(*group, &launch));
                values.push(None);
            }
            Touch::Lanes { block, warp, lanes } => {
                events.push(Event::LaneBarrier { block: *block, warp: *warp, lanes: *lanes });
                values.push(None);
            }
            Touch::Access { thread, mode, array, offset, size, at, stored } => {
                let (name, bytes) = (&arrays[*array].name, cells[*array]);
                let first = offset.div_euclid(bytes as i64);
                for number in 0..(size / bytes).max(1) as i64 {
                    // As indices go: of 64 bits.
                    let index = Natural::from(first.wrapping_add(number) as u64);
                    let cell = Cell { array: name.clone(), index };
                    let site = Some(site(*at));
                    events.push(Event::Access { thread: *thread, mode: *mode, cell, site });
                    // At most 8 bytes are one number, the lowest first.
                    let part = |stored: u64| {
                        let bits = 8 * bytes.min(8) as u32;
                        stored.checked_shr(bits * number as u32).unwrap_or(0)
                            & (u64::MAX >> (64 - bits))
                    };
                    values.push(stored.filter(|_| *size <= 8).map(part));
                }
            }
        }
    }
    (Trace { launch, shared: shared.collect(), events }, values)
}

fn barrier(group: Group, launch: &Launch) -> Event {
    let block = group.block.unwrap_or(0);
    match group.scope {
        BarrierScope::Grid => Event::GridBarrier,
        BarrierScope::Block => Event::BlockBarrier { block },
        BarrierScope::Warp => {
            Event::WarpBarrier { block, warp: group.first / u64::from(launch.warp.max(1)) }
        }
        BarrierScope::Tile(size) => Event::TileBarrier { block, size, first: group.first },
    }
}

/// What the arrays of the device hold, by cells: those that were stored and hold known values.
pub(super) fn contents(memory: &Memory, arrays: &[Array], cells: &[u64]) -> HostMemory {
    let mut end = HostMemory::default();
    for object in &memory.objects {
        let Some(number) = object.array.filter(|number| !arrays[*number].shared) else { continue };
        let (bytes, mut found) = (cells[number], HostArray::default());
        let mut word: Vec<u8> = Vec::new();
        let mut next = None;
        for (place, byte) in object.stored() {
            let aligned = place.rem_euclid(bytes as i64) == 0;
            if aligned {
                word.clear();
            }
            match byte {
                Byte::Known(byte) if aligned || next == Some(place) => {
                    word.push(byte);
                    next = Some(place + 1);
                }
                _ => next = None,
            }
            if next.is_some() && word.len() as u64 == bytes {
                look();
                let index = place.div_euclid(bytes as i64) as u64;
                let value = word.iter().rev().fold(Natural::zero(), |n, byte| {
                    &(&n * &Natural::from(256u32)) + &Natural::from(*byte)
                });
                found.cells.insert(Natural::from(index), value);
            }
        }
        end.insert(arrays[number].name.clone(), found);
    }
    end
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
