//! What can be said of a program that may have no type.

mod any;
mod certainty;
mod domain;
mod flow;
mod translate;

pub use certainty::{AccessCertainty, BarrierCertainty};
pub use flow::{Counter, DataFlow, DataSource};

use babycuda_core::interval::Interval;
use babycuda_core::syntax::AtomicUpdate;
use babycuda_core::{Name, Program, Protocol, Site};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A protocol for any program, with how far it can be trusted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Approximation {
    /// Covers every access of every run, phase by phase (for runs whose host memory respects the
    /// declared element types). Where the value of a read reaches an index, guard or bound, that
    /// part stands below `let x = input A[n]` for a [read-only input](Program::inputs), otherwise
    /// below `any x`.
    ///
    /// On a well-typed program it is the inferred protocol, [normalized](crate::normalize).
    pub protocol: Protocol,
    /// Each access of the text, in its order: does data decide it?
    pub accesses: Vec<AccessCertainty>,
    /// Each barrier of the text, in its order: does data decide whether it is reached?
    pub barriers: Vec<BarrierCertainty>,
    /// The data that decides whether threads come to their end, and in which phase, as in
    /// [`AccessCertainty::phase_data`].
    pub end_data: Vec<DataFlow>,
}

impl Approximation {
    /// The accesses of a site: one, unless the program contains copies of a statement.
    pub fn accesses_at(&self, site: Site) -> impl Iterator<Item = &AccessCertainty> {
        self.accesses.iter().filter(move |a| a.site == site)
    }

    /// Does the site access something, and does data decide none of its copies?
    pub fn is_independent(&self, site: Site) -> bool {
        let mut accesses = self.accesses_at(site).peekable();
        accesses.peek().is_some() && accesses.all(AccessCertainty::is_independent)
    }

    /// Does a thread stop at the barrier `site`, or at its end, whatever the data?
    pub fn is_certain_stop(&self, site: Option<Site>) -> bool {
        let Some(site) = site else { return self.end_data.is_empty() };
        let mut barriers = self.barriers.iter().filter(|b| b.site == site);
        barriers.all(|b| b.control_data.is_empty() && b.phase_data.is_empty())
    }

    /// Does only what the host stored in `inputs` decide whether a thread stops at the barrier
    /// `site`, or at its end (THEORY T11)?
    pub fn is_relative_stop(&self, site: Option<Site>, inputs: &BTreeSet<Name>) -> bool {
        let relative = |flow: &DataFlow| flow.is_input(inputs);
        let Some(site) = site else { return self.end_data.iter().all(relative) };
        let mut barriers = self.barriers.iter().filter(|b| b.site == site);
        barriers.all(|b| b.control_data.iter().chain(&b.phase_data).all(relative))
    }

    /// Are all accesses and barriers independent of data? Then the protocol is free of `any` and of
    /// inputs, and is that of the program for all data. Where no loop has an opaque bound, the converse
    /// holds too. (The program may still be ill-typed, for the name of a binder, or for data in a guard
    /// with nothing under it.)
    pub fn is_exact(&self) -> bool {
        self.accesses.iter().all(AccessCertainty::is_independent)
            && self.barriers.iter().all(|b| b.control_data.is_empty())
    }
}

/// A protocol that covers the accesses of `program`, and what of it is independent of data.
///
/// Total. In a program that is not well-scoped, a variable that nothing binds stays free in the
/// protocol.
///
/// Domains: the values that `any x` ranges over are those of the element type of the array that
/// was read, when nothing that the program stores there can exceed it, and otherwise all naturals.
pub fn approximate(program: &Program) -> Approximation {
    let domains = domain::Domains::of(program);
    let (accesses, barriers, end_data) = certainty::certainties(program);
    let protocol = translate::translate(program, &domains);
    Approximation { protocol, accesses, barriers, end_data }
}

/// What the atomic statements of each site of `program` do, with what their operands may be, for
/// runs whose host memory respects the declared element types (THEORY T13). Left out: sites of copies
/// with different operators, and those where a read stands too.
pub fn updates(program: &Program) -> BTreeMap<Site, AtomicUpdate<Interval>> {
    domain::Domains::of(program).updates(program)
}
