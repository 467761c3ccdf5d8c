//! Where `any` and `input` stand.
//!
//! `any x {p}` means `p` for every value of `x`, so Λ of `any x {p; q}` is Λ of
//! `any x {p}; any x {q}`, and `any` moves through sequences, branches and loops whose own
//! condition does not mention `x`, without changing Λ, phase by phase. Narrow binders keep
//! barriers out of them, which is what splitting a protocol into phases wants.
//!
//! Likewise `let x = input A[n] in p`, where no binder that it moves through binds a variable of n.
//!
//! One thing would be lost: when `x` decides whether a barrier is reached, separate binders forget
//! that the accesses before and after it belong to the same choice. Then the binder stays around
//! everything from the first to the last mention. And what an update yields would be separated from
//! the cell that it updates: then the binder of a variable of the cell's index stays around both. So
//! does that of what is added there, where a read of that site names it.

use babycuda_core::deep::grow;
use babycuda_core::machine::IntType;
use babycuda_core::syntax::{Head, Tree};
use babycuda_core::{Name, Num, Protocol, Site};
use std::sync::Arc;

/// Where the values of a variable come from.
pub(super) enum Source<'a> {
    /// Any value of a type, or any natural.
    Any(Option<IntType>),
    /// What the host stored in a cell.
    Input(&'a Name, Num),
}

/// `any x {p}`, or `let x = input A[n] in p`, with the binders as far in as they go; `p` itself when
/// `x` does not occur in it.
///
/// No binder in `p` may have the name `var`, or that of a variable of the source.
pub(super) fn bind(site: Site, var: &Name, source: &Source<'_>, p: Protocol) -> Protocol {
    let binder = Binder { site, var, source };
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
    source: &'a Source<'a>,
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
        let (site, var, body) = (self.site, self.var.clone(), Arc::new(body));
        match self.source {
            Source::Any(domain) => Protocol::Any { site, var, domain: *domain, body },
            Source::Input(array, index) => {
                let (array, index) = ((*array).clone(), index.clone());
                Protocol::Input { site, var, array, index, body }
            }
        }
    }

    /// Does the variable occur in the root of the protocol?
    fn is_in(&self, p: &Protocol) -> bool {
        p.view().variables().contains(self.var)
    }

    /// Does the variable occur in the guard or a bound of something that has a barrier inside?
    fn decides_barrier(&self, p: &Protocol) -> bool {
        p.subterms().any(|p| self.is_in(p) && p.has_sync())
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
        if self.is_in(p) {
            return Part::Whole;
        }
        let parts: Vec<Part> = p.children().map(|child| self.narrow(child, together)).collect();
        match (p.head(), parts.as_slice()) {
            (_, parts) if parts.iter().all(|part| matches!(part, Part::Free)) => Part::Free,
            // Unless `together`, parts with a barrier inside are never whole.
            (Head::Seq, [Part::Whole, Part::Whole]) => Part::Whole,
            (Head::Seq, [Part::Whole | Part::Done(_), Part::Whole | Part::Done(_)]) if together => {
                Part::Whole
            }
            (Head::For(_), _) if together => Part::Whole,
            // What an update yields is told from the cell that it updates (THEORY T13).
            (Head::Seq, [Part::Whole, Part::Free | Part::Done(_)])
                if binds_update(p) && !p.has_sync() =>
            {
                Part::Whole
            }
            _ => {
                let mut parts = parts.into_iter();
                // Proof: there is a part for each child.
                Part::Done(p.map_children(|child| match parts.next() {
                    Some(part) => self.finish(part, child),
                    None => child.clone(),
                }))
            }
        }
    }
}

/// Is it an update, or its operand, followed by what uses the value that the update yields?
fn binds_update(p: &Protocol) -> bool {
    let Protocol::Seq(first, rest) = p else { return false };
    let is_here = |q: &Protocol| q.site() == first.site();
    let is_update = |q: &Protocol| is_here(q) && q.head().is_atomic();
    (is_update(first) || rest.subterms().any(is_update))
        && rest.subterms().any(|q| matches!(q, Protocol::Any { .. }) && is_here(q))
}
