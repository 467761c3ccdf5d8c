//! The mutants, file by file.

/// The mutants of some files: where, what they break, and each with its name, its place and what
/// becomes of it.
macro_rules! mutants {
    ($($file:literal, $breaks:literal { $($name:literal: $place:literal => $to:literal;)* })*) => {
        pub(super) const ALL: &[crate::mutant::Mutant] = &[$($(crate::mutant::Mutant {
            name: $name,
            breaks: $breaks,
            file: $file,
            place: $place,
            to: $to,
        },)*)*];
    };
}

mod approximate;
mod arithmetic;
mod check;
mod check_map;
mod check_types;
mod core;
mod cuts;
mod detectors;
mod device;
mod emit;
mod enumerate;
mod exercises;
mod facade;
mod frontend;
mod kernels;
mod machine;
mod map;
mod semantics;
mod smt;
mod solve;
mod split;
mod traces;
mod typing;

use crate::mutant::Mutant;

/// All mutants. The switch of the mutated sources counts them from 1, in this order.
pub fn all() -> Vec<Mutant> {
    [
        core::ALL,
        semantics::ALL,
        typing::ALL,
        map::ALL,
        split::ALL,
        enumerate::ALL,
        arithmetic::ALL,
        machine::ALL,
        check::ALL,
        check_map::ALL,
        check_types::ALL,
        approximate::ALL,
        cuts::ALL,
        solve::ALL,
        smt::ALL,
        facade::ALL,
        frontend::ALL,
        device::ALL,
        detectors::ALL,
        traces::ALL,
        kernels::ALL,
        emit::ALL,
        exercises::ALL,
    ]
    .concat()
}
