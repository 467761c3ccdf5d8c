//! `syncs`, `pre`, `post` and the phases between, for every construct but loops.

use super::{Binder, Decision, MAX_WORK, Obligation, ParamPhase, Prove, Unaligned};
use crate::simplify;
use babycuda_core::deep::grow;
use babycuda_core::name::reserved;
use babycuda_core::{Bool, Name, Protocol, Site};
use std::collections::BTreeSet;

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
}

impl Parts {
    /// A part without barriers.
    pub fn unsynchronized(p: Protocol) -> Parts {
        Parts { syncs: Bool::Lit(false), pre: p, post: Protocol::Skip, inner: Vec::new() }
    }

    /// The phases of a whole protocol.
    pub fn into_phases(self) -> Vec<ParamPhase> {
        let mut phases = vec![ParamPhase { context: vec![Binder::At(0)], body: self.pre }];
        phases.extend(self.inner.into_iter().map(|p| p.under(Binder::At(1))));
        if self.syncs != Bool::Lit(false) {
            let last = ParamPhase { context: vec![Binder::At(2)], body: self.post };
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
    /// What stands around the current part.
    pub context: Vec<Binder>,
    obligations: Vec<Obligation>,
    /// How much more work may be done; see [`MAX_WORK`].
    room: usize,
}

impl<'a> Splitter<'a> {
    pub fn new(prover: &'a mut dyn Prove) -> Splitter<'a> {
        Splitter { prover, context: Vec::new(), obligations: Vec::new(), room: MAX_WORK }
    }

    pub fn into_obligations(self) -> Vec<Obligation> {
        self.obligations
    }

    /// How many obligations there are, to go back to with [`Splitter::forget`].
    pub fn mark(&self) -> usize {
        self.obligations.len()
    }

    /// Drops the obligations made since `mark`.
    pub fn forget(&mut self, mark: usize) {
        self.obligations.truncate(mark);
    }

    /// Runs `f` with one more binder in the context.
    pub fn within<T>(&mut self, binder: Binder, f: impl FnOnce(&mut Self) -> T) -> T {
        self.context.push(binder);
        let result = f(self);
        self.context.pop();
        result
    }

    /// The condition, as a literal where it is proved or refuted in the current context.
    pub fn decided(&mut self, condition: Bool) -> Bool {
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
    pub fn may_differ(&self, vars: &BTreeSet<Name>) -> bool {
        let data = |x: &Name| {
            self.context.iter().any(|b| matches!(b, Binder::Any { var, .. } if var == x))
        };
        vars.iter().any(|x| reserved::is_private(x) || data(x))
    }

    /// Notes that all threads must decide alike at `site`.
    pub fn oblige(&mut self, site: Site, decision: Decision) {
        self.obligations.push(Obligation { site, context: self.context.clone(), decision });
    }

    /// The parts of a protocol whose binders are unique.
    ///
    /// # Errors
    /// [`Unaligned`]; also when the time or the number of parts is used up.
    pub fn parts(&mut self, p: &Protocol) -> Result<Parts, Unaligned> {
        if !p.has_sync() {
            return Ok(Parts::unsynchronized(p.clone()));
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
            Protocol::Sync { .. } => Ok(Parts {
                syncs: Bool::Lit(true),
                pre: Protocol::Skip,
                post: Protocol::Skip,
                inner: Vec::new(),
            }),
            Protocol::Seq(..) => {
                let mut flat = Vec::new();
                flatten(p, &mut flat);
                let parts = flat.into_iter().map(|q| self.parts(q));
                Ok(sequence(parts.collect::<Result<Vec<_>, _>>()?))
            }
            Protocol::If { site, condition, then, otherwise } => {
                self.branch(*site, condition, then, otherwise)
            }
            Protocol::For { .. } => self.repeat(p),
            Protocol::Any { site, var, domain, body } => {
                let binder = Binder::Any { site: *site, var: var.clone(), domain: *domain };
                let parts = self.within(binder.clone(), |s| s.parts(body))?;
                if parts.syncs.free_vars().contains(var) {
                    return Err(Unaligned::Data { site: *site, var: var.clone() });
                }
                let wrap = |body: Protocol| Protocol::Any {
                    site: *site,
                    var: var.clone(),
                    domain: *domain,
                    body: body.into(),
                };
                let inner = parts.inner.into_iter().map(|p| p.under(binder.clone()));
                Ok(Parts {
                    syncs: parts.syncs,
                    pre: wrap(parts.pre),
                    post: wrap(parts.post),
                    inner: inner.collect(),
                })
            }
            Protocol::Skip | Protocol::Access { .. } => Ok(Parts::unsynchronized(p.clone())),
        }
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
    let mut result = Parts::unsynchronized(Protocol::Skip);
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
            continue;
        }
        let before = result.syncs.clone();
        let seam = simplify::and(before.clone(), next.syncs.clone());
        if seam != Bool::Lit(false) {
            let phase = ParamPhase {
                context: vec![Binder::At(place)],
                body: Protocol::seq(result.post.clone(), next.pre.clone()),
            };
            result.inner.push(phase.given(&seam, 1));
            place += 1;
        }
        let inner = next.inner.into_iter().map(|p| p.under(Binder::At(place)));
        result.inner.extend(inner);
        place += 1;
        let open = Protocol::seq(result.post, next.pre.clone());
        result.post = simplify::branch(site(), &next.syncs, next.post, open);
        let sync_free = simplify::not(before.clone());
        let pre = simplify::branch(site(), &sync_free, next.pre, Protocol::Skip);
        result.pre = Protocol::seq(result.pre, pre);
        result.syncs = simplify::or(before, next.syncs);
    }
    result
}

/// Guards that splitting introduces stand nowhere in the source.
fn site() -> Site {
    Site(u32::MAX)
}
