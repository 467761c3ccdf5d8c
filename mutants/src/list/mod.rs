//! The mutants, file by file.

mod core;
mod enumerate;
mod map;
mod semantics;
mod split;
mod typing;

use crate::mutant::Mutant;

/// All mutants. The switch of the mutated sources counts them from 1, in this order.
pub fn all() -> Vec<Mutant> {
    [core::ALL, semantics::ALL, typing::ALL, map::ALL, split::ALL, enumerate::ALL].concat()
}
