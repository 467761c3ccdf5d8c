//! Race-freedom by solver, against enumeration (T8).
#![cfg(feature = "smt")]

mod alike;
mod brute_force;
#[path = "../common/mod.rs"]
mod common;
mod examples;
mod inputs;
mod overflow;

use babycuda_core::evidence::{Confirmation, PairKey, Side, Witness};
use babycuda_core::history::{HostArray, RaceKind};
use babycuda_core::parse::{parse_bool, parse_protocol};
use babycuda_core::syntax::{ArrayDecl, Contents, Domain, Extent, Geometry, Space};
use babycuda_core::{
    Configuration, Declarations, Dim3, IntType, Launch, Name, Natural, Protocol, Site,
};
use babycuda_protocols::enumerate::{self, enumerate};
use babycuda_protocols::solve::{Cause, Checked, SolveOptions, Subject, Undecided, check};
use babycuda_protocols::split::Unaligned;
use babycuda_smt::{Builtin, Solver, SolverName};
use common::{Control, protocol, reading};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;

fn parsed(text: &str) -> Protocol {
    parse_protocol(text).unwrap_or_else(|e| panic!("{e}"))
}

fn line() -> Declarations {
    Declarations::of_geometry(Geometry::line())
}

fn assuming(mut declarations: Declarations, conditions: &[&str]) -> Declarations {
    declarations.assumptions =
        conditions.iter().map(|c| parse_bool(c).unwrap_or_else(|e| panic!("{e}"))).collect();
    declarations
}

fn with_array(mut d: Declarations, name: &str, space: Space, contents: Contents) -> Declarations {
    d.arrays.push(ArrayDecl {
        name: name.into(),
        space,
        element: Domain::Machine(IntType::U32),
        contents,
        length: None,
    });
    d
}

fn solved(text: &str, declarations: &Declarations) -> Checked {
    check(&parsed(text), declarations, &Builtin, &SolveOptions::default())
}

#[track_caller]
fn drf(text: &str, declarations: &Declarations) {
    let result = solved(text, declarations);
    assert!(result.is_drf(), "{text}: {result:#?}");
}

/// The result, which has races only, all of them confirmed by running.
#[track_caller]
fn racy(text: &str, declarations: &Declarations) -> Checked {
    let result = solved(text, declarations);
    assert!(!result.races.is_empty(), "{text}: {result:#?}");
    assert!(result.undecided.is_empty() && result.divergences.is_empty(), "{text}: {result:#?}");
    result
}

type Pairs = BTreeSet<PairKey>;

/// Launches of one to four threads: all of them, or one; parameters below 3.
fn small(threads: Option<u32>) -> Declarations {
    let line = threads.map_or(Geometry::line(), |n| Geometry::exactly(Launch::threads(n)));
    assuming(
        Declarations::of_geometry(line)
            .with_param("n", Domain::Natural)
            .with_param("m", Domain::Natural),
        &["n < 3", "m < 3", "blockDim.x <= 4"],
    )
}

/// Brute force: the pairs that race, and whether anything diverges.
fn enumerated(p: &Protocol, declarations: &Declarations) -> (Pairs, bool) {
    let (mut pairs, mut diverges) = (BTreeSet::new(), false);
    for threads in 1u32..=4 {
        for n in 0u32..3 {
            for m in 0u32..3 {
                let blocks = if declarations.has_grid() { 2 } else { 1 };
                let launch = Launch { grid: Dim3::line(blocks), ..Launch::threads(threads) };
                let at = Configuration::of_launch(launch).with("n", n).with("m", m);
                if !declarations.admits(&at) {
                    continue;
                }
                let limits = enumerate::EnumerationLimits::default();
                let result = enumerate(p, declarations, &at, &limits).unwrap();
                diverges |= !result.divergences.is_empty();
                pairs.extend(result.races.into_keys());
            }
        }
    }
    (pairs, diverges)
}

/// How many of the cases were what.
#[derive(Default)]
struct Counts {
    racy: Cell<u32>,
    free: Cell<u32>,
    divergent: Cell<u32>,
    /// Divergent, and everything decided.
    decided: Cell<u32>,
    /// Divergent, with races before.
    both: Cell<u32>,
}

fn count(counter: &Cell<u32>, what: bool) {
    counter.set(counter.get() + u32::from(what));
}
