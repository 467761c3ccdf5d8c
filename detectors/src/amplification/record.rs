//! An entry of the log as bytes of a file.

use super::log::Entry;
use babycuda_core::syntax::Scope;
use babycuda_core::{AccessMode, Site};

/// Bytes of an entry: eight words of 64 bits, two of 32, and the mode.
pub(super) const BYTES: usize = 8 * 8 + 2 * 4 + 1 + 1;

pub(super) fn encode(entry: &Entry) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let words = [
        entry.owner,
        entry.index,
        entry.block,
        entry.interval,
        entry.warp,
        entry.stage,
        entry.thread,
        entry.epoch,
    ];
    for (at, word) in words.into_iter().enumerate() {
        bytes[at * 8..at * 8 + 8].copy_from_slice(&word.to_le_bytes());
    }
    bytes[64..68].copy_from_slice(&entry.array.to_le_bytes());
    bytes[68..72].copy_from_slice(&entry.site.map_or(0, |site| site.0).to_le_bytes());
    bytes[72] = u8::from(entry.site.is_some());
    bytes[73] = match entry.mode {
        AccessMode::Rd => 0,
        AccessMode::Wr => 1,
        AccessMode::At(Scope::Block) => 2,
        AccessMode::At(Scope::Device) => 3,
        AccessMode::At(Scope::System) => 4,
    };
    bytes
}

/// The entry of these bytes; `None`: of none.
pub(super) fn decode(bytes: &[u8; BYTES]) -> Option<Entry> {
    let word =
        |at: usize| Some(u64::from_le_bytes(bytes.get(at * 8..at * 8 + 8)?.try_into().ok()?));
    let half = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let site = Site(half(68)?);
    Some(Entry {
        array: half(64)?,
        owner: word(0)?,
        index: word(1)?,
        block: word(2)?,
        interval: word(3)?,
        warp: word(4)?,
        stage: word(5)?,
        thread: word(6)?,
        epoch: word(7)?,
        mode: match bytes[73] {
            0 => AccessMode::Rd,
            1 => AccessMode::Wr,
            2 => AccessMode::At(Scope::Block),
            3 => AccessMode::At(Scope::Device),
            4 => AccessMode::At(Scope::System),
            _ => return None,
        },
        site: (bytes[72] == 1).then_some(site),
    })
}
