//! Where and when the threads of a program run, stirred on purpose, so that its runs differ.

use crate::numbers::{DELAY, PLACED, STRESS, STRIDED};

/// What is done to the placement and the timing of a program's threads (`BYTECODE.md`, Jitter).
/// The default does nothing. What a program may do does not depend on it: a program without races
/// ends in the same memory whatever the jitter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Jitter {
    /// Everything is drawn from it.
    pub seed: u32,
    /// Lanes that the workgroup has at least; the threads are spread over them by a seeded
    /// permutation. 0: thread `t` is lane `t`.
    pub lanes: u32,
    /// Is the permutation a stride: from lane to lane the number of the thread grows by the same odd
    /// number, modulo a power of two?
    pub strided: bool,
    /// The most accesses that a thread makes before it waits for the others, at a barrier that is
    /// none of the program; how many, from 0 on, is drawn each time. 0: it does not wait.
    pub turn: u8,
    /// Before each access a thread spins for less than `2^delay` rounds; and in each phase, or turn,
    /// so does its warp. At most 15. Devices that count iterations ([`crate::Device::iterations`])
    /// spin for none.
    pub delay: u8,
    /// Lanes without a thread make `2^stress - 1` accesses of their own in each phase, or turn. At
    /// most 15, none where there are no delays.
    pub stress: u8,
}

/// Cells that the lanes without threads of one launch access.
pub(crate) const SCRATCH: usize = 256;

/// The largest delay and stress.
const MOST: u8 = 15;

impl Jitter {
    /// A jitter of some kind: 64 seeds in a row are of many.
    pub fn seeded(seed: u32) -> Jitter {
        let mixed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b1);
        let pick = |of: &[u8], shift: u32| of[(mixed >> shift) as usize % of.len()];
        Jitter {
            seed,
            lanes: 1 << pick(&[5, 6, 7, 7], 5),
            strided: pick(&[0, 0, 1], 27) == 1,
            turn: pick(&[1, 1, 2, 3, 5, 0], 11),
            delay: pick(&[0, 0, 3, 5, 7], 17),
            stress: pick(&[0, 0, 3, 0, 5], 23),
        }
    }

    /// The words of a program's header.
    pub(crate) fn words(self) -> [u32; 2] {
        let part = |part: u8, shift: u32| u32::from(part.min(MOST)) << shift;
        let placed = u32::from(self.lanes > 0) << PLACED;
        let placed = placed | u32::from(self.lanes > 0 && self.strided) << STRIDED;
        [
            self.seed,
            u32::from(self.turn) | part(self.delay, DELAY) | part(self.stress, STRESS) | placed,
        ]
    }

    /// What the words say, where they say something; of the lanes, whether there are any.
    pub(crate) fn read(words: [u32; 2]) -> Option<Jitter> {
        let [seed, word] = words;
        let part = |shift: u32| (word >> shift) as u8 & MOST;
        let (lanes, strided, turn) = (word >> PLACED & 1, word >> STRIDED & 1 == 1, word as u8);
        let (delay, stress) = (part(DELAY), part(STRESS));
        let jitter = Jitter { seed, lanes, strided, turn, delay, stress };
        (jitter.words() == words).then_some(jitter)
    }
}
