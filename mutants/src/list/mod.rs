//! The mutants, file by file.

mod approximate;
mod arithmetic;
mod check;
mod check_map;
mod check_types;
mod core;
mod cuts;
mod device;
mod emit;
mod enumerate;
mod frontend;
mod kernels;
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
        check_map::ALL,
        check_types::ALL,
        approximate::ALL,
        cuts::ALL,
        solve::ALL,
        smt::ALL,
        frontend::ALL,
        device::ALL,
        kernels::ALL,
        emit::ALL,
    ];
    [calculus.concat(), others.concat()].concat()
}
