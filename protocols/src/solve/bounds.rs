//! Where witnesses are looked for: among launches of some size, with parameters up to some value, or guessed.
//!
//! What is race-free there need not be so: only a witness tells something, and that all launches have none.

use super::quantity::power;
use babycuda_core::launch::MAX_BLOCK_THREADS;
use babycuda_core::syntax::Domain;
use num_bigint::BigInt;

/// The largest values that a query considers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Bounds {
    /// Threads in a block of symbolic size, and each extent.
    pub threads: u64,
    /// Each symbolic extent of the grid.
    pub grid: u32,
    /// Parameters, and values read; `None`: what their domains allow.
    pub values: Option<u32>,
    /// Are threads of different blocks known by their places alone?
    pub places: bool,
    /// What the parameters are.
    pub guess: Option<Guess>,
}

/// So many parameters are guessed; the others are as usual.
const MAX_GUESSED: usize = 6;

/// Values of all parameters that have none: this one for that parameter, by number, and [`Guess::OTHERS`] for all others.
/// So multiplications of them become ones by numbers, which are easy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Guess {
    pub parameter: usize,
    pub value: i64,
}

impl Guess {
    /// More than a few iterations of loops have nothing new.
    const OTHERS: i64 = 5;
    /// The ends of loops and of domains, and what is 1 in the low 24 bits.
    const ODD: [i64; 5] = [1, -1, 0, (1 << 24) + 1, 2];

    /// The guesses for so many parameters.
    fn all(parameters: usize) -> impl Iterator<Item = Guess> {
        let of = move |value| (0..parameters).map(move |parameter| Guess { parameter, value });
        Guess::ODD.into_iter().flat_map(of)
    }

    /// The value of a parameter; `None`: the domain has none that is so.
    pub(super) fn of(self, parameter: usize, domain: Domain) -> Option<BigInt> {
        let value = if parameter == self.parameter { self.value } else { Guess::OTHERS };
        match domain {
            Domain::Machine(t) => Some(BigInt::from(value) & (power(t.width.bits()) - 1)),
            Domain::Natural => u32::try_from(value).ok().map(BigInt::from),
        }
    }
}

impl Bounds {
    /// Everything that a device allows.
    pub(super) const ALL: Bounds = Bounds {
        threads: MAX_BLOCK_THREADS,
        grid: u32::MAX,
        values: None,
        places: false,
        guess: None,
    };
    /// The same, with threads of different blocks known by their places alone: less is said, so that only no model tells.
    pub(super) const PLACES: Bounds = Bounds { places: true, ..Bounds::ALL };
    /// Where most witnesses are found, and found quickly.
    pub(super) const SMALL: Bounds =
        Bounds { threads: 64, grid: 4, values: Some(64), ..Bounds::ALL };
    /// Blocks of two threads, where their extents are not fixed.
    pub(super) const PAIR: Bounds = Bounds { threads: 2, ..Bounds::SMALL };

    /// Where odd witnesses are found: small launches, with guesses for so many parameters.
    pub(super) fn guesses(parameters: usize) -> impl Iterator<Item = Bounds> {
        let small = |guess| Bounds { guess: Some(guess), ..Bounds::SMALL };
        Guess::all(parameters.min(MAX_GUESSED)).map(small)
    }
}
