//! The way to each access of a phase: the loops, conditions and reads around it.

use crate::split::{Binder, ParamPhase, either, repeated, without};
use babycuda_core::deep::grow;
use babycuda_core::machine::IntType;
use babycuda_core::simplify;
use babycuda_core::{AccessMode, Bool, Declarations, Name, Num, Protocol, Site};
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
        update: Option<Updated>,
    },
}

/// An atomic update that a thread makes on its way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Updated {
    pub array: Name,
    pub index: Num,
    /// The operand, where that is known.
    pub operand: Option<Num>,
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
pub(super) fn paths_of_phase(phase: &ParamPhase, declarations: &Declarations) -> Vec<Path> {
    paths(&phase.body, steps_of(&phase.context), declarations)
}

/// The accesses of a protocol, whose binders are unique, on the way `steps`. Barriers do not
/// matter, and every loop is each thread's own. What follows a read of one of the declared `stops`
/// stands below the condition that the thread did not stop there, as far as that can be said.
pub(super) fn paths(
    protocol: &Protocol,
    steps: Vec<Step>,
    declarations: &Declarations,
) -> Vec<Path> {
    let (operands, reads, updates) = Default::default();
    let (left, found) = Default::default();
    let mut walk = Walk { declarations, steps, operands, reads, updates, left, found };
    walk.visit(protocol);
    walk.found
}

struct Walk<'a> {
    declarations: &'a Declarations,
    steps: Vec<Step>,
    /// What the thread evaluated last for an update of a site.
    operands: BTreeMap<Site, Num>,
    /// The read that was last seen at a site: the one that a value bound there came from.
    reads: BTreeMap<Site, (Name, Num)>,
    /// The update of a site that the thread has made last, where it surely has made one.
    updates: BTreeMap<Site, Updated>,
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
        updates.retain(|site, update| self.updates.get(site) == Some(update));
        self.updates = updates;
        stuck
    }

    /// Has it still a meaning?
    fn is_known(&self, n: &Num) -> bool {
        n.free_vars().is_disjoint(&self.left)
    }

    /// The update of a site, where its cell still has a meaning.
    fn update(&self, site: Site) -> Option<Updated> {
        let update = self.updates.get(&site).filter(|update| self.is_known(&update.index))?;
        let operand = update.operand.clone().filter(|n| self.is_known(n));
        Some(Updated { operand, ..update.clone() })
    }

    /// Notes the accesses of `p`; returns a condition under which the thread is stuck in it.
    fn visit(&mut self, p: &Protocol) -> Bool {
        match p {
            Protocol::Skip | Protocol::Sync { .. } => Bool::Lit(false),
            Protocol::Access { mode: AccessMode::Rd, array, .. }
                if self.declarations.stops.contains(array) =>
            {
                Bool::Lit(true)
            }
            Protocol::Access { site, mode, array, index } => {
                let (array, index) = (array.clone(), index.clone());
                match mode {
                    AccessMode::Rd if self.declarations.updates.contains_key(site) => {
                        self.operands.insert(*site, index.clone());
                    }
                    AccessMode::Rd => {
                        self.reads.insert(*site, (array.clone(), index.clone()));
                    }
                    AccessMode::At(_) => {
                        let operand = self.operands.remove(site);
                        let (array, index) = (array.clone(), index.clone());
                        self.updates.insert(*site, Updated { array, index, operand });
                    }
                    AccessMode::Wr => {}
                }
                self.found.push(Path {
                    site: *site,
                    mode: *mode,
                    array,
                    index,
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
                    read: self.reads.get(site).filter(|(_, index)| self.is_known(index)).cloned(),
                    update: self.update(*site),
                };
                let stuck = self.within(step, body);
                without(var, stuck)
            }
        }
    }
}
