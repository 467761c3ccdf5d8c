//! States by 128 bits of a hash, which each move changes a little. Nobody chooses states in order to be
//! taken for others.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// What is known of a state: the exclusive or of what its phase, the moves that its threads have made in
/// the phase, and the values in its cells add.
pub(super) type Fingerprint = u128;

/// The states that were visited.
pub(super) type Known = HashSet<Fingerprint, BuildHasherDefault<Low>>;

pub(super) fn of_phase(phase: usize) -> Fingerprint {
    mixed(1, phase as u64)
}

/// A move of a thread, by its number in the phase.
pub(super) fn of_move(thread: usize, number: usize) -> Fingerprint {
    mixed(2, (thread as u64) << 32 | number as u64)
}

/// A value in a cell.
pub(super) fn of_value(value: u32) -> Fingerprint {
    mixed(3, value.into())
}

fn mixed(sort: u64, number: u64) -> Fingerprint {
    let number = number ^ sort << 62;
    let halves = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03].map(|seed| {
        // The finalizer of SplitMix64.
        let n = (number ^ seed).wrapping_mul(0x2545_f491_4f6c_dd1d) ^ seed;
        let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        u128::from(n ^ n >> 31)
    });
    halves[0] << 64 | halves[1]
}

/// Hashes what is a hash already.
#[derive(Default)]
pub(super) struct Low(u64);

impl Hasher for Low {
    fn write(&mut self, bytes: &[u8]) {
        let (words, _) = bytes.as_chunks::<8>();
        self.0 = words.iter().fold(self.0, |all, word| all ^ u64::from_le_bytes(*word));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
