//! Digests of accesses: what many threads did, as one number a phase and cell.
//!
//! A log of every access does not fit where a launch has a million threads. There each access adds
//! a number to the sum of its phase and cell, modulo 2^64: a mixed function of who accessed, how
//! and in which phase. Sums do not depend on the order of their terms, and a term that is missing,
//! doubled or elsewhere changes them, but for one chance in 2^64 or so. What is counted are
//! accesses, not cells accessed: a thread that reads a cell twice in a phase adds its term twice.
//!
//! Instrumented texts compute the same function (`emit`, [`Instrumentation::Digest`]).
//!
//! [`Instrumentation::Digest`]: crate::emit::Instrumentation::Digest

use babycuda_core::syntax::Scope;
use babycuda_core::{AccessMode, Thread};
use std::fmt;

/// The sums of a run, by phase and cell.
#[derive(Clone, PartialEq, Eq)]
pub struct Digest {
    cells: usize,
    sums: Vec<u64>,
}

impl Digest {
    /// The digest of no accesses, in `phases` phases to `cells` cells.
    pub fn new(phases: usize, cells: usize) -> Digest {
        Digest { cells, sums: vec![0; phases.saturating_mul(cells)] }
    }

    /// The digest with these sums, phase by phase; `None` where they are no whole phases.
    pub(crate) fn from_sums(cells: usize, sums: Vec<u64>) -> Option<Digest> {
        let whole = if cells == 0 { sums.is_empty() } else { sums.len().is_multiple_of(cells) };
        whole.then_some(Digest { cells, sums })
    }

    /// Adds an access; `false` when the digest has no such phase or cell.
    #[must_use]
    pub fn add(&mut self, thread: Thread, mode: AccessMode, phase: usize, cell: usize) -> bool {
        let place = phase.checked_mul(self.cells).and_then(|row| row.checked_add(cell));
        let sum = place.filter(|_| cell < self.cells).and_then(|at| self.sums.get_mut(at));
        match sum {
            Some(sum) => {
                *sum = sum.wrapping_add(term(thread, mode, phase as u64));
                true
            }
            None => false,
        }
    }

    /// The sum of a phase and cell; `None` when there is no such.
    pub fn sum(&self, phase: usize, cell: usize) -> Option<u64> {
        let row = phase.checked_mul(self.cells)?;
        if cell < self.cells { self.sums.get(row.checked_add(cell)?).copied() } else { None }
    }

    /// The first phase and cell on which two digests differ. One that has no such phase or cell
    /// has the sum 0 there.
    pub fn first_difference(&self, other: &Digest) -> Option<(usize, usize)> {
        let cells = self.cells.max(other.cells);
        let phases = self.phases().max(other.phases());
        let sum = |digest: &Digest, phase, cell| digest.sum(phase, cell).unwrap_or(0);
        (0..phases)
            .flat_map(|phase| (0..cells).map(move |cell| (phase, cell)))
            .find(|&(phase, cell)| sum(self, phase, cell) != sum(other, phase, cell))
    }

    /// How many phases there are.
    pub fn phases(&self) -> usize {
        self.sums.len().checked_div(self.cells).unwrap_or(0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phases = self.sums.chunks(self.cells.max(1));
        f.debug_list().entries(phases.map(|sums| format!("{sums:016x?}"))).finish()
    }
}

/// What an access adds to the sum of its phase and cell.
pub fn term(thread: Thread, mode: AccessMode, phase: u64) -> u64 {
    let who = mix(mix(thread.block) ^ thread.index);
    mix(who ^ (phase << 3 | u64::from(mode_number(mode))))
}

/// The number of an access mode in digests: below 8.
pub(crate) fn mode_number(mode: AccessMode) -> u8 {
    match mode {
        AccessMode::Rd => 0,
        AccessMode::Wr => 1,
        AccessMode::At(Scope::Block) => 2,
        AccessMode::At(Scope::Device) => 3,
        AccessMode::At(Scope::System) => 4,
    }
}

/// The step and output function of SplitMix64 (Steele, Lea, Flood: *Fast Splittable Pseudorandom
/// Number Generators*, OOPSLA 2014): a bijection that changes half of the bits for each one that
/// differs.
fn mix(word: u64) -> u64 {
    let z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Thread, mode, phase and cell.
    type Made = (Thread, AccessMode, usize, usize);

    const PHASES: usize = 3;
    const CELLS: usize = 5;

    /// Every access of two blocks of three threads in all modes, phases and cells.
    fn accesses() -> Vec<Made> {
        let modes = [
            AccessMode::Rd,
            AccessMode::Wr,
            AccessMode::At(Scope::Block),
            AccessMode::At(Scope::Device),
            AccessMode::At(Scope::System),
        ];
        let mut all = Vec::new();
        for block in 0..2 {
            for index in 0..3 {
                for mode in modes {
                    for phase in 0..PHASES {
                        let made = |cell| (Thread { block, index }, mode, phase, cell);
                        all.extend((0..CELLS).map(made));
                    }
                }
            }
        }
        all
    }

    fn digest<'a>(accesses: impl IntoIterator<Item = &'a Made>) -> Digest {
        let mut digest = Digest::new(PHASES, CELLS);
        for &(thread, mode, phase, cell) in accesses {
            assert!(digest.add(thread, mode, phase, cell));
        }
        digest
    }

    #[test]
    fn order_does_not_matter() {
        let all = accesses();
        let wanted = digest(&all);
        assert_eq!(digest(all.iter().rev()), wanted);
        for step in [7, 11, 77] {
            let shuffled = (0..all.len()).map(|n| &all[n * step % all.len()]);
            let visited: BTreeSet<usize> = (0..all.len()).map(|n| n * step % all.len()).collect();
            assert_eq!(visited.len(), all.len());
            assert_eq!(digest(shuffled), wanted);
        }
    }

    #[test]
    fn an_access_that_is_missing_doubled_or_elsewhere_matters() {
        let all = accesses();
        let wanted = digest(&all);
        for (n, &(thread, mode, phase, cell)) in all.iter().enumerate() {
            let without = || all.iter().enumerate().filter(|(k, _)| *k != n).map(|(_, made)| made);
            let missing = digest(without());
            assert_eq!(missing.first_difference(&wanted), Some((phase, cell)));
            let doubled = digest(all.iter().chain([&all[n]]));
            assert_eq!(doubled.first_difference(&wanted), Some((phase, cell)));
            let Thread { block, index } = thread;
            let elsewhere = [
                (Thread { block: block + 2, index }, mode, phase, cell),
                (Thread { block, index: index + 3 }, mode, phase, cell),
                (Thread { block: index, index: block + 7 }, mode, phase, cell),
                (thread, mode, (phase + 1) % PHASES, cell),
                (thread, mode, phase, (cell + 1) % CELLS),
            ];
            for moved in &elsewhere {
                assert_ne!(digest(without().chain([moved])), wanted, "{moved:?} for {:?}", all[n]);
            }
        }
    }

    #[test]
    fn terms_of_a_million_threads_differ() {
        let threads = (0..1u64 << 10)
            .flat_map(|block| (0..1u64 << 10).map(move |index| Thread { block, index }));
        let mut terms: Vec<u64> = threads.map(|t| term(t, AccessMode::Rd, 0)).collect();
        terms.sort_unstable();
        terms.dedup();
        assert_eq!(terms.len(), 1 << 20);
    }

    #[test]
    fn the_mixing_function_is_split_mix_64() {
        // The first outputs of the generator with the seed 1234567, as its authors publish them.
        let outputs = (0..3u64).map(|n| mix(1_234_567 + n.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let published =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert!(outputs.eq(published));
    }

    #[test]
    fn places_outside_are_refused() {
        let thread = Thread { block: 0, index: 0 };
        let mut digest = Digest::new(2, 3);
        assert!(!digest.add(thread, AccessMode::Rd, 2, 0));
        assert!(!digest.add(thread, AccessMode::Rd, 0, 3));
        assert!(!digest.add(thread, AccessMode::Rd, usize::MAX, 0));
        assert_eq!(digest, Digest::new(2, 3));
        assert_eq!((digest.phases(), digest.sum(1, 2), digest.sum(1, 3)), (2, Some(0), None));
        assert_eq!(Digest::from_sums(2, vec![1, 2, 3]), None);
        assert_eq!(Digest::from_sums(0, vec![]), Some(Digest::new(7, 0)));
        let longer = Digest::from_sums(2, vec![0, 0, 0, 9]).expect("two phases");
        assert_eq!(longer.first_difference(&Digest::new(1, 2)), Some((1, 1)));
        assert_eq!(longer.first_difference(&longer), None);
    }
}
