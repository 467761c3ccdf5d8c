//! Loops with barriers.

use super::parts::{Parts, Splitter, sequence, unless};
use super::{Binder, Decision, ParamPhase, UNROLL, Unaligned};
use babycuda_core::expr::{ArithOp, Relation, Renaming};
use babycuda_core::simplify;
use babycuda_core::syntax::ForSort;
use babycuda_core::{Bool, Name, Natural, Num, Protocol, Site};
use std::sync::Arc;

/// `for var in lower..upper`
#[derive(Clone)]
struct Loop {
    site: Site,
    var: Name,
    lower: Num,
    upper: Num,
}

impl Splitter<'_> {
    /// The parts of a loop that contains a barrier.
    pub(super) fn repeat(&mut self, p: &Protocol) -> Result<Parts, Unaligned> {
        let Protocol::For { site, var, lower, upper, body, .. } = p else {
            return Ok(self.unsynchronized(p));
        };
        let mut header = Loop {
            site: *site,
            var: var.clone(),
            lower: simplify::num(lower),
            upper: simplify::num(upper),
        };
        let mut body = body.as_ref().clone();
        // Threads that start at different places are in step when they count from 0.
        if self.may_differ(&header.lower.free_vars()) {
            let x = Num::Var(var.clone());
            let shifted = Num::arith(ArithOp::Add, header.lower.clone(), x);
            body = body.subst(&Renaming::from([(var.clone(), shifted)]));
            header.upper = simplify::num(&Num::arith(ArithOp::Sub, header.upper, header.lower));
            header.lower = Num::lit(0u32);
        }
        let count = Num::arith(ArithOp::Sub, header.upper.clone(), header.lower.clone());
        if self.may_differ(&count.free_vars()) {
            let count = simplify::num(&count);
            self.oblige(*site, Decision::Count { count });
        }
        let mark = self.mark();
        let binder = header.binder();
        let (parts, syncs) = self.within(binder, |s| {
            let parts = s.parts(&body)?;
            let syncs = s.decided(parts.syncs.clone());
            Ok::<_, Unaligned>((parts, syncs))
        })?;
        if !syncs.free_vars().contains(var) {
            return Ok(self.whole(&header, parts, &syncs));
        }
        if let Some(ranges) = by_threshold(&header, &syncs) {
            let pieces = ranges.into_iter().map(|(lower, upper, syncs)| {
                let piece = Loop { lower, upper, ..header.clone() };
                self.whole(&piece, parts.clone(), &Bool::Lit(syncs))
            });
            return Ok(sequence(pieces.collect()));
        }
        if let Some(values) = header.literal_values() {
            self.forget(mark);
            let iterations = values.into_iter().map(|k| {
                let now = body.subst_value(var, &k);
                self.parts(&now)
            });
            return Ok(sequence(iterations.collect::<Result<Vec<_>, _>>()?));
        }
        Err(Unaligned::SomeIterations { site: *site, condition: Box::new(syncs) })
    }

    /// A loop whose iterations all reach a barrier if `syncs` holds, and none otherwise.
    fn whole(&mut self, header: &Loop, body: Parts, syncs: &Bool) -> Parts {
        let x = || Num::Var(header.var.clone());
        let one = || Num::lit(1u32);
        let at = |p: &Protocol, n: Num| p.subst(&Renaming::from([(header.var.clone(), n)]));
        let unsynchronized = Protocol::For {
            site: header.site,
            sort: ForSort::U,
            var: header.var.clone(),
            lower: header.lower.clone(),
            upper: header.upper.clone(),
            body: Arc::new(body.pre.clone()),
        };
        if *syncs == Bool::Lit(false) {
            return self.unsynchronized(&unsynchronized);
        }
        let runs = Bool::compare(Relation::Lt, header.lower.clone(), header.upper.clone());
        let runs = self.decided(runs);
        if runs == Bool::Lit(false) {
            return self.unsynchronized(&Protocol::Skip);
        }
        let site = header.site;
        let first = at(&body.pre, header.lower.clone());
        let pre = simplify::branch(site, &runs, first, Protocol::Skip);
        // Where `syncs` holds the loop runs, so its last iteration is upper - 1.
        let last = simplify::num(&Num::arith(ArithOp::Sub, header.upper.clone(), one()));
        let post = at(&body.post, last.clone());
        let iterations = body.inner.into_iter().map(|phase| {
            let phase = phase.under(Binder::At(0)).under(header.binder());
            phase.given(syncs, 0)
        });
        let mut inner: Vec<ParamPhase> = iterations.collect();
        let next = Num::arith(ArithOp::Add, x(), one());
        let seam = ParamPhase {
            context: vec![Loop { upper: last, ..header.clone() }.binder(), Binder::At(1)],
            body: unless(&body.early, Protocol::seq(body.post, at(&body.pre, next))),
        };
        inner.push(seam.given(syncs, 0));
        Parts {
            syncs: simplify::and(syncs.clone(), runs),
            pre: simplify::branch(site, syncs, pre, unsynchronized),
            post,
            inner,
            stuck: Bool::Lit(false),
            early: Bool::Lit(false),
        }
    }
}

impl Loop {
    fn binder(&self) -> Binder {
        Binder::For {
            site: self.site,
            var: self.var.clone(),
            lower: self.lower.clone(),
            upper: self.upper.clone(),
        }
    }

    /// The values of the counter, when they are known and few.
    fn literal_values(&self) -> Option<Vec<Natural>> {
        let (lower, upper) = (self.lower.value().ok()?, self.upper.value().ok()?);
        if upper.monus(&lower) > Natural::from(UNROLL) {
            return None;
        }
        let mut values = Vec::new();
        let mut next = lower;
        while next < upper {
            values.push(next.clone());
            next = next.successor();
        }
        Some(values)
    }
}

/// Splits the range of a loop where a comparison of its counter changes its truth: consecutive
/// ranges, each with the truth of `condition` in it.
fn by_threshold(header: &Loop, condition: &Bool) -> Option<Vec<(Num, Num, bool)>> {
    let (truth, condition) = match condition {
        Bool::Not(operand) => (false, operand.as_ref()),
        c => (true, c),
    };
    let Bool::Compare(op, l, r) = condition else {
        return None;
    };
    let x = Num::Var(header.var.clone());
    let (relation, n) = match (l.as_ref(), r.as_ref()) {
        _ if op.machine.is_some() => return None,
        (l, n) if *l == x => (op.relation, n),
        (n, r) if *r == x => (op.relation.mirrored(), n),
        _ => return None,
    };
    if n.free_vars().contains(&header.var) {
        return None;
    }
    let (lower, upper) = (&header.lower, &header.upper);
    let after = Num::arith(ArithOp::Add, n.clone(), Num::lit(1u32));
    // Where the range is cut: never before its start, never after its end.
    let cut = |n: &Num| {
        let within = Num::arith(ArithOp::Min, n.clone(), upper.clone());
        simplify::num(&Num::arith(ArithOp::Max, within, lower.clone()))
    };
    // After a cut the rest starts there; an empty loop (lower above upper) stays empty, because
    // every cut is at least `lower`.
    let two = |at: &Num, first: bool| {
        let cut = cut(at);
        vec![(lower.clone(), cut.clone(), first == truth), (cut, upper.clone(), first != truth)]
    };
    Some(match relation {
        Relation::Lt => two(n, true),
        Relation::Le => two(&after, true),
        Relation::Ge => two(n, false),
        Relation::Gt => two(&after, false),
        Relation::Eq | Relation::Ne => {
            let point = (relation == Relation::Eq) == truth;
            let (a, b) = (cut(n), cut(&after));
            vec![
                (lower.clone(), a.clone(), !point),
                (a, b.clone(), point),
                (b, upper.clone(), !point),
            ]
        }
    })
}
