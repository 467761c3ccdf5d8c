//! Where `any` stands.
//!
//! `any x {p}` means `p` for every value of `x`, so Λ of `any x {p; q}` is Λ of
//! `any x {p}; any x {q}`, and `any` moves through sequences, branches and loops whose own
//! condition does not mention `x`, without changing Λ, phase by phase. Narrow binders keep
//! barriers out of them, which is what splitting a protocol into phases wants.
//!
//! One thing would be lost: when `x` decides whether a barrier is reached, separate binders forget
//! that the accesses before and after it belong to the same choice. Then the binder stays around
//! everything from the first to the last mention.

use babycuda_core::deep::grow;
use babycuda_core::machine::IntType;
use babycuda_core::{Bool, Name, Num, Protocol, Site};
use std::sync::Arc;

/// `any x {p}`, with the binders as far in as they go; `p` itself when `x` does not occur in it.
///
/// No binder in `p` may have the name `var`.
pub(super) fn any(site: Site, var: &Name, domain: Option<IntType>, p: Protocol) -> Protocol {
    let binder = Binder { site, var, domain };
    let together = binder.decides_barrier(&p);
    match binder.narrow(&p, together) {
        Part::Free => p,
        Part::Whole => binder.around(p),
        Part::Done(p) => p,
    }
}

struct Binder<'a> {
    site: Site,
    var: &'a Name,
    domain: Option<IntType>,
}

/// What narrowing found of a part of a protocol.
enum Part {
    /// The variable does not occur.
    Free,
    /// The binder belongs right around the part.
    Whole,
    /// The part, with binders somewhere inside.
    Done(Protocol),
}

impl Binder<'_> {
    fn around(&self, body: Protocol) -> Protocol {
        Protocol::Any {
            site: self.site,
            var: self.var.clone(),
            domain: self.domain,
            body: Arc::new(body),
        }
    }

    fn num(&self, n: &Num) -> bool {
        n.free_vars().contains(self.var)
    }

    fn bool(&self, c: &Bool) -> bool {
        c.free_vars().contains(self.var)
    }

    /// Does the variable occur in the guard or a bound of something that has a barrier inside?
    fn decides_barrier(&self, p: &Protocol) -> bool {
        p.subterms().any(|p| match p {
            Protocol::If { condition, .. } => self.bool(condition) && p.has_sync(),
            Protocol::For { lower, upper, body, .. } => {
                (self.num(lower) || self.num(upper)) && body.has_sync()
            }
            _ => false,
        })
    }

    fn finish(&self, part: Part, p: &Protocol) -> Arc<Protocol> {
        Arc::new(match part {
            Part::Free => p.clone(),
            Part::Whole => self.around(p.clone()),
            Part::Done(p) => p,
        })
    }

    /// `together`: all mentions must stay below one binder.
    fn narrow(&self, p: &Protocol, together: bool) -> Part {
        grow(|| self.narrow_node(p, together))
    }

    fn narrow_node(&self, p: &Protocol, together: bool) -> Part {
        let whole_if = |mentioned| if mentioned { Part::Whole } else { Part::Free };
        match p {
            Protocol::Skip | Protocol::Sync { .. } => Part::Free,
            Protocol::Access { index, .. } => whole_if(self.num(index)),
            Protocol::Seq(first, second) => {
                match (self.narrow(first, together), self.narrow(second, together)) {
                    (Part::Free, Part::Free) => Part::Free,
                    // Unless `together`, parts with a barrier inside are never whole.
                    (Part::Whole, Part::Whole) => Part::Whole,
                    (Part::Whole | Part::Done(_), Part::Whole | Part::Done(_)) if together => {
                        Part::Whole
                    }
                    (one, other) => Part::Done(Protocol::Seq(
                        self.finish(one, first),
                        self.finish(other, second),
                    )),
                }
            }
            Protocol::If { site, condition, then, otherwise } => {
                if self.bool(condition) {
                    return Part::Whole;
                }
                match (self.narrow(then, together), self.narrow(otherwise, together)) {
                    (Part::Free, Part::Free) => Part::Free,
                    (one, other) => Part::Done(Protocol::If {
                        site: *site,
                        condition: condition.clone(),
                        then: self.finish(one, then),
                        otherwise: self.finish(other, otherwise),
                    }),
                }
            }
            Protocol::For { site, sort, var, lower, upper, body } => {
                if self.num(lower) || self.num(upper) {
                    return Part::Whole;
                }
                match self.narrow(body, together) {
                    Part::Free => Part::Free,
                    Part::Whole | Part::Done(_) if together => Part::Whole,
                    part => Part::Done(Protocol::For {
                        site: *site,
                        sort: *sort,
                        var: var.clone(),
                        lower: lower.clone(),
                        upper: upper.clone(),
                        body: self.finish(part, body),
                    }),
                }
            }
            Protocol::Any { site, var, domain, body } => match self.narrow(body, together) {
                Part::Free => Part::Free,
                part => Part::Done(Protocol::Any {
                    site: *site,
                    var: var.clone(),
                    domain: *domain,
                    body: self.finish(part, body),
                }),
            },
        }
    }
}
