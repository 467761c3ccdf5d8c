//! `syncs`, `pre`, `post` and the phases between, for every construct but loops.

use super::stuck::{either, stuck, without};
use super::{Binder, Decision, MAX_WORK, Obligation, ParamPhase, Prove, Unaligned, may_differ};
use babycuda_core::deep::grow;
use babycuda_core::simplify;
use babycuda_core::syntax::Tree;
use babycuda_core::{Bool, Name, Protocol, Site};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A part of a protocol, seen from its barriers.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// Does it reach a barrier?
    pub syncs: Bool,
    /// What runs up to the first barrier, or all of it.
    pub pre: Protocol,
    /// What runs after the last barrier; meant only where `syncs` holds.
    pub post: Protocol,
    /// The phases between its first and its last barrier.
    pub inner: Vec<ParamPhase>,
    /// Where this holds, a thread is stuck in it.
    pub stuck: Bool,
    /// Where this holds, a thread is stuck in it before its last barrier.
    pub early: Bool,
}

impl Parts {
    /// A part without barriers, in which a thread is stuck where `stuck` holds.
    pub(super) fn unsynchronized(p: Protocol, stuck: Bool) -> Parts {
        let never = Bool::Lit(false);
        let (post, inner) = (Protocol::Skip, Vec::new());
        Parts { syncs: never.clone(), pre: p, post, inner, stuck, early: never }
    }

    /// The phases of a whole protocol.
    pub(super) fn into_phases(self) -> Vec<ParamPhase> {
        let mut phases = vec![ParamPhase { context: vec![Binder::At(0)], body: self.pre }];
        phases.extend(self.inner.into_iter().map(|p| p.under(Binder::At(1))));
        if self.syncs != Bool::Lit(false) {
            let body = unless(&self.early, self.post);
            let last = ParamPhase { context: vec![Binder::At(2)], body };
            phases.push(last.given(&self.syncs, 1));
        }
        phases
    }
}

impl ParamPhase {
    /// The phase with one more binder around it.
    pub(super) fn under(mut self, binder: Binder) -> ParamPhase {
        self.context.insert(0, binder);
        self
    }

    /// The phase where `condition` holds, asked after the first `position` binders.
    pub(super) fn given(mut self, condition: &Bool, position: usize) -> ParamPhase {
        if *condition != Bool::Lit(true) {
            let position = position.min(self.context.len());
            self.context.insert(position, Binder::If(condition.clone()));
        }
        self
    }
}

/// The state of one splitting.
pub(super) struct Splitter<'a> {
    prover: &'a mut dyn Prove,
    /// The arrays a read of which stops its thread.
    pub stops: &'a BTreeSet<Name>,
    /// What stands around the current part.
    pub context: Vec<Binder>,
    /// Where in the context it is said that the thread did not stop before.
    goes_on: Vec<usize>,
    obligations: Vec<Obligation>,
    /// How much more work may be done; see [`MAX_WORK`].
    room: usize,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(prover: &'a mut dyn Prove, stops: &'a BTreeSet<Name>) -> Splitter<'a> {
        Splitter {
            prover,
            stops,
            context: Vec::new(),
            goes_on: Vec::new(),
            obligations: Vec::new(),
            room: MAX_WORK,
        }
    }

    pub(super) fn into_obligations(self) -> Vec<Obligation> {
        self.obligations
    }

    /// How many obligations there are, to go back to with [`Splitter::forget`].
    pub(super) fn mark(&self) -> usize {
        self.obligations.len()
    }

    /// Drops the obligations made since `mark`.
    pub(super) fn forget(&mut self, mark: usize) {
        self.obligations.truncate(mark);
    }

    /// Runs `f` with one more binder in the context.
    pub(super) fn within<T>(&mut self, binder: Binder, f: impl FnOnce(&mut Self) -> T) -> T {
        self.context.push(binder);
        let result = f(self);
        self.context.pop();
        result
    }

    /// The condition, as a literal where it is proved or refuted in the current context.
    pub(super) fn decided(&mut self, condition: Bool) -> Bool {
        let condition = simplify::bool(&condition);
        if matches!(condition, Bool::Lit(_)) {
            return condition;
        }
        if self.prover.holds(&self.context, &condition) {
            return Bool::Lit(true);
        }
        let negation = simplify::not(condition.clone());
        if self.prover.holds(&self.context, &negation) {
            return Bool::Lit(false);
        }
        condition
    }

    /// May two threads of a block, in the current context, disagree on the values of `vars`?
    pub(super) fn may_differ(&self, vars: &BTreeSet<Name>) -> bool {
        may_differ(&self.context, vars)
    }

    /// Notes that all threads must decide alike at `site`.
    pub(super) fn oblige(&mut self, site: Site, decision: Decision) {
        let around = self.context.iter().enumerate();
        // Threads that stopped are asked as well: what they did before belongs to phases, too.
        let around = around.filter(|(at, _)| !self.goes_on.contains(at));
        let context = around.map(|(_, binder)| binder.clone()).collect();
        self.obligations.push(Obligation { site, context, decision });
    }

    /// The parts of a protocol whose binders are unique.
    ///
    /// # Errors
    /// [`Unaligned`]; also when the time or the number of parts is used up.
    pub(super) fn parts(&mut self, p: &Protocol) -> Result<Parts, Unaligned> {
        if !p.has_sync() {
            return Ok(self.unsynchronized(p));
        }
        let parts = grow(|| self.synchronized(p))?;
        // Each phase within gets one more binder here. A loop that may have no barrier doubles what
        // runs before its first one, and loops within loops do so again and again.
        let copied = [&parts.pre, &parts.post].map(|p| p.subterms().take(self.room + 1).count());
        let work = 1 + parts.inner.len() + copied.iter().sum::<usize>();
        self.room = self.room.checked_sub(work).ok_or(Unaligned::TooLarge)?;
        self.prover.check()?;
        Ok(parts)
    }

    fn synchronized(&mut self, p: &Protocol) -> Result<Parts, Unaligned> {
        match p {
            Protocol::Sync { site, scope } if !scope.is_block() => {
                Err(Unaligned::Scope { site: *site, scope: *scope })
            }
            Protocol::Sync { .. } => Ok(Parts {
                syncs: Bool::Lit(true),
                pre: Protocol::Skip,
                post: Protocol::Skip,
                inner: Vec::new(),
                stuck: Bool::Lit(false),
                early: Bool::Lit(false),
            }),
            Protocol::Seq(..) => {
                let mut flat = Vec::new();
                flatten(p, &mut flat);
                Ok(sequence(self.in_order(flat)?))
            }
            Protocol::If { site, condition, then, otherwise } => {
                self.branch(*site, condition, then, otherwise)
            }
            Protocol::For { .. } => self.repeat(p),
            Protocol::Any { site, var, domain, body } => {
                let binder = Binder::Any { site: *site, var: var.clone(), domain: *domain };
                self.bound(p, binder, *site, var, body)
            }
            Protocol::Input { site, var, array, index, body } => {
                let (array, index) = (array.clone(), index.clone());
                let binder = Binder::Input { site: *site, var: var.clone(), array, index };
                self.bound(p, binder, *site, var, body)
            }
            Protocol::Skip | Protocol::Access { .. } => Ok(self.unsynchronized(p)),
        }
    }

    /// The parts of `p`, which binds a value in `body`: each below a binder of its own.
    fn bound(
        &mut self,
        p: &Protocol,
        binder: Binder,
        site: Site,
        var: &Name,
        body: &Protocol,
    ) -> Result<Parts, Unaligned> {
        let parts = self.within(binder.clone(), |s| s.parts(body))?;
        if parts.syncs.free_vars().contains(var) {
            return Err(Unaligned::Data { site, var: var.clone() });
        }
        let wrap = |body: Protocol| {
            let body = Arc::new(body);
            p.map_children(|_| body.clone())
        };
        let inner = parts.inner.into_iter().map(|p| p.under(binder.clone()));
        Ok(Parts {
            syncs: parts.syncs,
            pre: wrap(parts.pre),
            // Where data decides it, the condition goes with the value.
            post: wrap(unless(&parts.early, parts.post)),
            inner: inner.collect(),
            stuck: without(var, parts.stuck),
            early: without(var, parts.early),
        })
    }

    pub(super) fn unsynchronized(&self, p: &Protocol) -> Parts {
        Parts::unsynchronized(p.clone(), stuck(p, self.stops))
    }

    /// The parts of what runs in sequence: each below the condition that the thread got there.
    fn in_order(&mut self, list: Vec<&Protocol>) -> Result<Vec<Parts>, Unaligned> {
        let mut all = Vec::new();
        let mut before = Bool::Lit(false);
        for p in list {
            let parts = match &before {
                Bool::Lit(false) => self.parts(p)?,
                c => {
                    let goes_on = Binder::If(simplify::not(c.clone()));
                    self.goes_on.push(self.context.len());
                    let parts = self.within(goes_on, |s| s.parts(p));
                    self.goes_on.pop();
                    parts?
                }
            };
            before = simplify::or(before, parts.stuck.clone());
            all.push(parts);
        }
        Ok(all)
    }

    fn branch(
        &mut self,
        site: Site,
        condition: &Bool,
        then: &Protocol,
        otherwise: &Protocol,
    ) -> Result<Parts, Unaligned> {
        let c = self.decided(condition.clone());
        match c {
            Bool::Lit(true) => return self.parts(then),
            Bool::Lit(false) => return self.parts(otherwise),
            _ => {}
        }
        let not_c = simplify::not(c.clone());
        let p = self.within(Binder::If(c.clone()), |s| s.parts(then))?;
        let q = self.within(Binder::If(not_c.clone()), |s| s.parts(otherwise))?;
        if self.may_differ(&c.free_vars()) {
            let decision = Decision::Branch {
                condition: c.clone(),
                then_syncs: p.syncs.clone(),
                otherwise_syncs: q.syncs.clone(),
            };
            self.oblige(site, decision);
        }
        let syncs = if p.syncs == q.syncs {
            p.syncs.clone()
        } else {
            simplify::or(
                simplify::and(c.clone(), p.syncs.clone()),
                simplify::and(not_c.clone(), q.syncs.clone()),
            )
        };
        let left = p.inner.into_iter().map(|phase| phase.given(&c, 0));
        let right = q.inner.into_iter().map(|phase| phase.given(&not_c, 0));
        Ok(Parts {
            syncs,
            pre: simplify::branch(site, &c, p.pre, q.pre),
            post: simplify::branch(site, &c, p.post, q.post),
            inner: left.chain(right).collect(),
            stuck: either(&c, p.stuck, q.stuck),
            early: either(&c, p.early, q.early),
        })
    }
}

/// The statements of nested sequences, in order.
fn flatten<'p>(p: &'p Protocol, into: &mut Vec<&'p Protocol>) {
    let mut rest = vec![p];
    while let Some(p) = rest.pop() {
        match p {
            Protocol::Seq(first, second) => {
                rest.push(second);
                rest.push(first);
            }
            p => into.push(p),
        }
    }
}

/// `p1 ; p2 ; …`
pub(super) fn sequence(parts: Vec<Parts>) -> Parts {
    let mut result = Parts::unsynchronized(Protocol::Skip, Bool::Lit(false));
    let mut place = 0;
    for next in parts {
        if next.syncs == Bool::Lit(false) {
            // Nothing but its accesses: they belong to the phase that is open.
            let sync_free = simplify::not(result.syncs.clone());
            let pre = simplify::branch(site(), &sync_free, next.pre.clone(), Protocol::Skip);
            result.pre = Protocol::seq(result.pre, pre);
            if result.syncs != Bool::Lit(false) {
                result.post = Protocol::seq(result.post, next.pre);
            }
            result.stuck = simplify::or(result.stuck, next.stuck);
            continue;
        }
        let before = result.syncs.clone();
        let seam = simplify::and(before.clone(), next.syncs.clone());
        if seam != Bool::Lit(false) {
            let body = Protocol::seq(result.post.clone(), next.pre.clone());
            let body = unless(&result.early, body);
            let phase = ParamPhase { context: vec![Binder::At(place)], body };
            result.inner.push(phase.given(&seam, 1));
            place += 1;
        }
        let inner = next.inner.into_iter().map(|p| {
            let body = unless(&result.stuck, p.body);
            ParamPhase { body, ..p }.under(Binder::At(place))
        });
        result.inner.extend(inner);
        place += 1;
        let open = Protocol::seq(result.post, next.pre.clone());
        result.post = simplify::branch(site(), &next.syncs, next.post, open);
        let sync_free = simplify::not(before.clone());
        let pre = simplify::branch(site(), &sync_free, next.pre, Protocol::Skip);
        result.pre = Protocol::seq(result.pre, pre);
        let late = simplify::or(result.stuck.clone(), next.early);
        result.early = either(&next.syncs, late, result.early);
        result.stuck = simplify::or(result.stuck, next.stuck);
        result.syncs = simplify::or(before, next.syncs);
    }
    result
}

/// What a thread does that is stuck where `stuck` holds.
pub(super) fn unless(stuck: &Bool, p: Protocol) -> Protocol {
    simplify::branch(site(), stuck, Protocol::Skip, p)
}

/// Guards that splitting introduces stand nowhere in the source.
fn site() -> Site {
    Site(u32::MAX)
}
