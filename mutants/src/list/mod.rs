//! The mutants, file by file.

mod approximate;
mod arithmetic;
mod check;
mod core;
mod cuts;
mod device;
mod enumerate;
mod frontend;
mod machine;
mod map;
mod semantics;
mod smt;
mod solve;
mod split;
mod typing;

use crate::mutant::Mutant;

/// All mutants. The switch of the mutated sources counts them from 1, in this order.
pub fn all() -> Vec<Mutant> {
    let calculus = [core::ALL, semantics::ALL, typing::ALL, map::ALL, split::ALL, enumerate::ALL];
    let others = [
        arithmetic::ALL,
        machine::ALL,
        check::ALL,
        approximate::ALL,
        cuts::ALL,
        solve::ALL,
        smt::ALL,
        frontend::ALL,
        device::ALL,
    ];
    [calculus.concat(), others.concat()].concat()
}
