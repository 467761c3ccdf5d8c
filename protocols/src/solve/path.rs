//! The way to each access of a phase: the loops, conditions and reads around it.

use crate::split::{Binder, ParamPhase, either, repeated, without};
use babycuda_core::deep::grow;
use babycuda_core::machine::IntType;
use babycuda_core::simplify;
use babycuda_core::{AccessMode, Bool, Name, Num, Protocol, Site};
use std::collections::{BTreeMap, BTreeSet};

/// One step on the way to an access. Later steps may mention the variables of earlier ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// `var` in `lower..upper`: of both threads alike when shared, otherwise each thread's own.
    Counter { site: Site, var: Name, lower: Num, upper: Num, shared: bool },
    /// A condition that holds.
    Guard(Bool),
    /// A value read: each thread's own, and of an array that nobody writes, the same for the same
    /// index. Or what an atomic update of `update` yields that the thread makes on its way.
    Data {
        site: Site,
        var: Name,
        domain: Option<IntType>,
        read: Option<(Name, Num)>,
        update: Option<(Name, Num)>,
    },
}

/// An access and the way to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Path {
    pub site: Site,
    pub mode: AccessMode,
    pub array: Name,
    pub index: Num,
    pub steps: Vec<Step>,
}

impl Path {
    /// The data steps whose values matter to the access: in a condition, bound or index.
    pub(super) fn relevant_data(&self) -> Vec<&Step> {
        let mut used = self.index.free_vars();
        let mut relevant = Vec::new();
        for step in self.steps.iter().rev() {
            match step {
                Step::Guard(c) => c.collect_vars(&mut used),
                Step::Counter { lower, upper, .. } => {
                    lower.collect_vars(&mut used);
                    upper.collect_vars(&mut used);
                }
                Step::Data { var, read, .. } if used.contains(var) => {
                    if let Some((_, index)) = read {
                        index.collect_vars(&mut used);
                    }
                    relevant.push(step);
                }
                Step::Data { .. } => {}
            }
        }
        relevant.reverse();
        relevant
    }
}

/// The steps that a context stands for.
pub(super) fn steps_of(context: &[Binder]) -> Vec<Step> {
    let step = |binder: &Binder| match binder {
        Binder::At(_) => None,
        Binder::For { site, var, lower, upper } => Some(Step::Counter {
            site: *site,
            var: var.clone(),
            lower: lower.clone(),
            upper: upper.clone(),
            shared: true,
        }),
        Binder::If(c) => Some(Step::Guard(c.clone())),
        Binder::Any { site, var, domain } => {
            let (site, var) = (*site, var.clone());
            Some(Step::Data { site, var, domain: *domain, read: None, update: None })
        }
        Binder::Input { site, var, array, index } => Some(input(*site, var, array, index)),
    };
    context.iter().filter_map(step).collect()
}

/// The read of a read-only input.
fn input(site: Site, var: &Name, array: &Name, index: &Num) -> Step {
    let read = Some((array.clone(), index.clone()));
    Step::Data { site, var: var.clone(), domain: None, read, update: None }
}

/// The accesses of a phase.
pub(super) fn paths_of_phase(phase: &ParamPhase, stops: &BTreeSet<Name>) -> Vec<Path> {
    paths(&phase.body, steps_of(&phase.context), stops)
}

/// The accesses of a protocol, whose binders are unique, on the way `steps`. Barriers do not
/// matter, and every loop is each thread's own. What follows a read of one of `stops` stands below
/// the condition that the thread did not stop there, as far as that can be said.
pub(super) fn paths(protocol: &Protocol, steps: Vec<Step>, stops: &BTreeSet<Name>) -> Vec<Path> {
    let (reads, left) = (BTreeMap::new(), BTreeSet::new());
    let mut walk = Walk { stops, steps, reads, updates: BTreeMap::new(), left, found: Vec::new() };
    walk.visit(protocol);
    walk.found
}

struct Walk<'a> {
    stops: &'a BTreeSet<Name>,
    steps: Vec<Step>,
    /// The read that was last seen at a site: the one that a value bound there came from.
    reads: BTreeMap<Site, (Name, Num)>,
    /// The update of a site that the thread has made last, where it surely has made one.
    updates: BTreeMap<Site, (Name, Num)>,
    /// The variables whose scope has ended: binders are unique, so they mean nothing any more.
    left: BTreeSet<Name>,
    found: Vec<Path>,
}

impl Walk<'_> {
    fn within(&mut self, step: Step, p: &Protocol) -> Bool {
        self.steps.push(step);
        let stuck = grow(|| self.visit(p));
        if let Some(Step::Counter { var, .. } | Step::Data { var, .. }) = self.steps.pop() {
            self.left.insert(var);
        }
        stuck
    }

    /// The same for what the thread may leave out: which updates it made there is not known then.
    fn perhaps(&mut self, step: Step, p: &Protocol) -> Bool {
        let mut updates = self.updates.clone();
        let stuck = self.within(step, p);
        updates.retain(|site, cell| self.updates.get(site) == Some(cell));
        self.updates = updates;
        stuck
    }

    /// A cell, where its index still has a meaning.
    fn known(&self, cell: Option<&(Name, Num)>) -> Option<(Name, Num)> {
        cell.filter(|(_, index)| index.free_vars().is_disjoint(&self.left)).cloned()
    }

    /// Notes the accesses of `p`; returns a condition under which the thread is stuck in it.
    fn visit(&mut self, p: &Protocol) -> Bool {
        match p {
            Protocol::Skip | Protocol::Sync { .. } => Bool::Lit(false),
            Protocol::Access { mode: AccessMode::Rd, array, .. } if self.stops.contains(array) => {
                Bool::Lit(true)
            }
            Protocol::Access { site, mode, array, index } => {
                let cell = (array.clone(), index.clone());
                match mode {
                    AccessMode::Rd => drop(self.reads.insert(*site, cell)),
                    AccessMode::At(_) => drop(self.updates.insert(*site, cell)),
                    AccessMode::Wr => {}
                }
                self.found.push(Path {
                    site: *site,
                    mode: *mode,
                    array: array.clone(),
                    index: index.clone(),
                    steps: self.steps.clone(),
                });
                Bool::Lit(false)
            }
            Protocol::Seq(p, q) => {
                let first = grow(|| self.visit(p));
                let second = match &first {
                    Bool::Lit(false) => grow(|| self.visit(q)),
                    Bool::Lit(true) => return first,
                    stuck => self.within(Step::Guard(simplify::not(stuck.clone())), q),
                };
                simplify::or(first, second)
            }
            Protocol::If { condition, then, otherwise, .. } => {
                let then = self.perhaps(Step::Guard(condition.clone()), then);
                let otherwise = self.perhaps(Step::Guard(Bool::not(condition.clone())), otherwise);
                either(&simplify::bool(condition), then, otherwise)
            }
            Protocol::For { site, var, lower, upper, body, .. } => {
                let step = Step::Counter {
                    site: *site,
                    var: var.clone(),
                    lower: lower.clone(),
                    upper: upper.clone(),
                    shared: false,
                };
                let stuck = self.perhaps(step, body);
                repeated(var, lower, upper, stuck)
            }
            Protocol::Input { site, var, array, index, body } => {
                let stuck = self.within(input(*site, var, array, index), body);
                without(var, stuck)
            }
            Protocol::Any { site, var, domain, body } => {
                let step = Step::Data {
                    site: *site,
                    var: var.clone(),
                    domain: *domain,
                    read: self.known(self.reads.get(site)),
                    update: self.known(self.updates.get(site)),
                };
                let stuck = self.within(step, body);
                without(var, stuck)
            }
        }
    }
}
