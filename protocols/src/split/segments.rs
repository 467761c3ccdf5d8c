//! What threads do between stops, whether or not all decide alike (THEORY §4, divergence).
//!
//! A race counts when both accesses are in one phase of their block, and the phase in which threads
//! diverge is a phase: each thread's accesses up to where it stops. The phases of a split are these
//! only where its obligations hold. Segments need no obligations: there is one for the start and
//! one for each barrier, with all that a thread may access from there to its next stop. Two threads
//! that never decided differently are in one segment, with the same counters. Two that did are at
//! different places, and do not meet again unless [`may_meet_again`] says so.
//!
//! A loop of which only some iterations reach a barrier is described with too many accesses, never
//! too few: whoever finds a race in a segment checks it in the semantics.

use super::unique::{apart, unique_binders};
use super::{Binder, ParamPhase, may_differ};
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, Relation, Renaming};
use babycuda_core::simplify;
use babycuda_core::syntax::{ForSort, Tree};
use babycuda_core::{Bool, Name, Num, Protocol, Site};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The segments of `protocol`: contexts lead to the barrier, bodies are unsynchronized.
pub fn segments(protocol: &Protocol) -> Vec<ParamPhase> {
    Found::of(protocol).segments
}

/// The branches and loops at the site `decision` that have barriers inside, each with what stands
/// around it, counters in step.
#[cfg(feature = "smt")]
pub(crate) fn decisions(protocol: &Protocol, decision: Site) -> Vec<(Vec<Binder>, Protocol)> {
    let mut decisions = Found::of(protocol).decisions;
    decisions.retain(|(_, p)| p.site() == Some(decision));
    decisions
}

struct Found {
    context: Vec<Binder>,
    segments: Vec<ParamPhase>,
    /// Branches and loops with barriers inside.
    decisions: Vec<(Vec<Binder>, Protocol)>,
}

impl Found {
    fn of(protocol: &Protocol) -> Found {
        let protocol = unique_binders(protocol);
        let (context, segments, decisions) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = Found { context, segments, decisions };
        found.add(&pre(&protocol));
        found.visit(&protocol, &Protocol::Skip);
        found
    }

    fn add(&mut self, body: &Protocol) {
        let bound = self.context.iter().filter_map(Binder::var).cloned();
        let body = apart(body, bound.collect());
        self.segments.push(ParamPhase { context: self.context.clone(), body });
    }

    fn within(&mut self, binder: Binder, p: &Protocol, after: &Protocol) {
        self.context.push(binder);
        grow(|| self.visit(p, after));
        self.context.pop();
    }

    /// The segments that start in `p`; `after`: what a thread does from the end of `p` to its next
    /// stop.
    fn visit(&mut self, p: &Protocol, after: &Protocol) {
        if !p.has_sync() {
            return;
        }
        if let Protocol::If { .. } | Protocol::For { .. } = p {
            self.decisions.push((self.context.clone(), p.clone()));
        }
        match p {
            Protocol::Skip | Protocol::Access { .. } => {}
            Protocol::Sync { .. } => self.add(after),
            Protocol::Seq(p, q) => {
                let between = up_to_stop(q, || after.clone());
                grow(|| self.visit(p, &between));
                grow(|| self.visit(q, after));
            }
            Protocol::If { condition, then, otherwise, .. } => {
                self.within(Binder::If(condition.clone()), then, after);
                self.within(Binder::If(simplify::not(condition.clone())), otherwise, after);
            }
            Protocol::Any { site, var, domain, body } => {
                let binder = Binder::Any { site: *site, var: var.clone(), domain: *domain };
                self.within(binder, body, after);
            }
            Protocol::Input { site, var, array, index, body } => {
                let (array, index) = (array.clone(), index.clone());
                let binder = Binder::Input { site: *site, var: var.clone(), array, index };
                self.within(binder, body, after);
            }
            Protocol::For { site, var, lower, upper, body, .. } => {
                let (lower, upper, body) = self.in_step(var, lower, upper, body);
                let header = Header { site: *site, var, lower: &lower, upper: &upper };
                let rest = header.rest(&body, after);
                let binder = Binder::For {
                    site: *site,
                    var: var.clone(),
                    lower: lower.clone(),
                    upper: upper.clone(),
                };
                self.within(binder, &body, &rest);
            }
        }
    }

    /// The loop with a counter that says the same of all threads: how many iterations came before,
    /// where threads may start at different values.
    fn in_step(
        &self,
        var: &Name,
        lower: &Num,
        upper: &Num,
        body: &Protocol,
    ) -> (Num, Num, Protocol) {
        if !may_differ(&self.context, &lower.free_vars()) {
            return (lower.clone(), upper.clone(), body.clone());
        }
        let shifted = Num::arith(ArithOp::Add, lower.clone(), Num::Var(var.clone()));
        let count = Num::arith(ArithOp::Sub, upper.clone(), lower.clone());
        let body = body.subst(&Renaming::from([(var.clone(), shifted)]));
        (Num::lit(0u32), simplify::num(&count), body)
    }
}

/// `for var in lower..upper`
struct Header<'a> {
    site: Site,
    var: &'a Name,
    lower: &'a Num,
    upper: &'a Num,
}

impl Header<'_> {
    /// What a thread does from the end of an iteration to its next stop: in the iterations that
    /// are left, and after the loop.
    fn rest(&self, body: &Protocol, after: &Protocol) -> Protocol {
        let next =
            simplify::num(&Num::arith(ArithOp::Add, Num::Var(self.var.clone()), Num::lit(1u32)));
        let left = Header { lower: &next, ..*self };
        Protocol::seq(
            left.pre(body),
            simplify::branch(self.site, &left.passes(body), after.clone(), Protocol::Skip),
        )
    }

    /// What a thread that enters the loop does to its next stop inside.
    fn pre(&self, body: &Protocol) -> Protocol {
        let (first, free) = (pre(body), free(body));
        let at = |n: &Num| Renaming::from([(self.var.clone(), n.clone())]);
        if free == Bool::Lit(false) {
            let runs = Bool::compare(Relation::Lt, self.lower.clone(), self.upper.clone());
            let first = first.subst(&at(self.lower));
            return simplify::branch(self.site, &simplify::bool(&runs), first, Protocol::Skip);
        }
        // The counter of the loop around may stand in `lower`.
        let taken = self.lower.free_vars();
        let var = self.var.fresh(|x| {
            taken.contains(x) || (x != self.var && (body.free_vars().contains(x) || binds(body, x)))
        });
        let now = Num::Var(var.clone());
        let before = Num::arith(ArithOp::Sub, now.clone(), Num::lit(1u32));
        // A thread that comes to an iteration was not stopped in the one before.
        let came = simplify::or(
            Bool::compare(Relation::Eq, now.clone(), self.lower.clone()),
            simplify::bool(&free.subst(&at(&before))),
        );
        let body = simplify::branch(self.site, &came, first.subst(&at(&now)), Protocol::Skip);
        Protocol::For {
            site: self.site,
            sort: ForSort::U,
            var,
            lower: self.lower.clone(),
            upper: self.upper.clone(),
            body: Arc::new(body),
        }
    }

    /// What holds if a thread runs through the loop without a barrier.
    fn passes(&self, body: &Protocol) -> Bool {
        let last = simplify::num(&Num::arith(ArithOp::Sub, self.upper.clone(), Num::lit(1u32)));
        let free = free(body).subst(&Renaming::from([(self.var.clone(), last)]));
        let empty = Bool::compare(Relation::Ge, self.lower.clone(), self.upper.clone());
        simplify::or(simplify::bool(&empty), simplify::bool(&free))
    }
}

fn binds(p: &Protocol, x: &Name) -> bool {
    p.subterms().any(|p| p.view().binder == Some(x))
}

/// `p` up to its first barrier, and `after` where there is none.
fn up_to_stop(p: &Protocol, after: impl FnOnce() -> Protocol) -> Protocol {
    match free(p) {
        Bool::Lit(false) => pre(p),
        free => {
            let rest = simplify::branch(Site(u32::MAX), &free, after(), Protocol::Skip);
            Protocol::seq(pre(p), rest)
        }
    }
}

/// What a thread may do in `p` before it stops: at least all that it does.
fn pre(p: &Protocol) -> Protocol {
    if !p.has_sync() {
        return p.clone();
    }
    grow(|| match p {
        Protocol::Skip | Protocol::Access { .. } | Protocol::Sync { .. } => Protocol::Skip,
        Protocol::Seq(p, q) => up_to_stop(p, || pre(q)),
        Protocol::If { site, condition, then, otherwise } => {
            simplify::branch(*site, condition, pre(then), pre(otherwise))
        }
        Protocol::For { site, var, lower, upper, body, .. } => {
            Header { site: *site, var, lower, upper }.pre(body)
        }
        Protocol::Input { .. } | Protocol::Any { .. } => p.map_children(|body| Arc::new(pre(body))),
    })
}

/// What holds if a thread runs through `p` without a barrier.
fn free(p: &Protocol) -> Bool {
    if !p.has_sync() {
        return Bool::Lit(true);
    }
    grow(|| match p {
        Protocol::Skip | Protocol::Access { .. } => Bool::Lit(true),
        Protocol::Sync { .. } => Bool::Lit(false),
        Protocol::Seq(p, q) => simplify::and(free(p), free(q)),
        Protocol::If { condition, then, otherwise, .. } => {
            let c = simplify::bool(condition);
            simplify::or(
                simplify::and(c.clone(), free(then)),
                simplify::and(simplify::not(c), free(otherwise)),
            )
        }
        Protocol::For { site, var, lower, upper, body, .. } => {
            Header { site: *site, var, lower, upper }.passes(body)
        }
        Protocol::Input { var, body, .. } | Protocol::Any { var, body, .. } => {
            let free = free(body);
            if free.free_vars().contains(var) { Bool::Lit(true) } else { free }
        }
    })
}

/// May two threads that decide differently at the branch or loop `decision`, and so run different
/// barriers, come to barriers of one site after all?
pub fn may_meet_again(protocol: &Protocol, decision: Site) -> bool {
    meet_again(protocol, decision, &BTreeSet::new())
}

/// `after`: the barriers at which a thread may stop next from the end of `p` on.
fn meet_again(p: &Protocol, decision: Site, after: &BTreeSet<Site>) -> bool {
    if !p.has_sync() {
        return false;
    }
    grow(|| match p {
        Protocol::Skip | Protocol::Access { .. } | Protocol::Sync { .. } => false,
        Protocol::Seq(p, q) => {
            meet_again(p, decision, &stops(q, after)) || meet_again(q, decision, after)
        }
        Protocol::If { site, then, otherwise, .. } => {
            let none = BTreeSet::new();
            let here = *site == decision
                && (!stops(then, &none).is_disjoint(&stops(otherwise, after))
                    || !stops(otherwise, &none).is_disjoint(&stops(then, after)));
            here || meet_again(then, decision, after) || meet_again(otherwise, decision, after)
        }
        Protocol::For { site, body, .. } => {
            let inside = stops(body, &BTreeSet::new());
            let here = *site == decision && !inside.is_disjoint(after);
            let after = inside.union(after).copied().collect();
            here || meet_again(body, decision, &after)
        }
        Protocol::Input { body, .. } | Protocol::Any { body, .. } => {
            meet_again(body, decision, after)
        }
    })
}

/// The barriers at which a thread may stop first in `p`, or, where it runs through, in `after`.
fn stops(p: &Protocol, after: &BTreeSet<Site>) -> BTreeSet<Site> {
    if !p.has_sync() {
        return after.clone();
    }
    grow(|| match p {
        Protocol::Skip | Protocol::Access { .. } => after.clone(),
        Protocol::Sync { site, .. } => BTreeSet::from([*site]),
        Protocol::Seq(p, q) => stops(p, &stops(q, after)),
        Protocol::If { then, otherwise, .. } => {
            stops(then, after).union(&stops(otherwise, after)).copied().collect()
        }
        Protocol::For { body, .. } => stops(body, after).union(after).copied().collect(),
        Protocol::Input { body, .. } | Protocol::Any { body, .. } => stops(body, after),
    })
}
