//! What each thread may access in a phase, or in a run, and how often.

use babycuda_core::deep::grow;
use babycuda_core::interval::{Interval, Ranges};
use babycuda_core::syntax::{Domain, Tree};
use babycuda_core::{AccessMode, Declarations, Name, Num, Protocol, Site};
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// An access of a period.
pub(super) struct Counted {
    pub site: Site,
    pub mode: AccessMode,
    pub array: Name,
    pub index: Num,
    /// How often a thread makes it, at most; `None`: not known.
    pub times: Option<BigInt>,
}

/// The accesses that each thread may make in a phase, or in a run.
pub(super) struct Period(pub Vec<Counted>);

impl Period {
    /// What a thread does in `p`.
    pub(super) fn of(p: &Protocol, declarations: &Declarations) -> Period {
        let mut period = Period(Vec::new());
        period.add(p, &Ranges::of(declarations), Some(BigInt::one()));
        period
    }

    fn add(&mut self, p: &Protocol, scope: &Ranges, times: Option<BigInt>) {
        if let Protocol::Access { site, mode, array, index } = p {
            let (array, index) = (array.clone(), index.clone());
            self.0.push(Counted { site: *site, mode: *mode, array, index, times });
            return;
        }
        let node = p.view();
        let (mut inner, mut below) = (scope.clone(), times);
        if let Some(var) = node.binder {
            let range = match p {
                Protocol::For { lower, upper, .. } => {
                    let (low, high) = (scope.num(lower).lower, scope.num(upper).upper);
                    let rounds = high.map(|high| high - low.unwrap_or_default());
                    below = below.zip(rounds).map(|(n, rounds)| n * rounds.max(BigInt::zero()));
                    scope.counter(lower, upper)
                }
                Protocol::Any { domain, .. } => {
                    Interval::of_domain(domain.map_or(Domain::Natural, Domain::Machine))
                }
                _ => Interval::at_least(0),
            };
            inner.insert(var.clone(), range);
        }
        for child in node.children.into_iter().flatten() {
            grow(|| self.add(child, &inner, below.clone()));
        }
    }

    /// The updates of a site.
    pub(super) fn updates(&self, site: Site) -> impl Iterator<Item = &Counted> {
        self.0.iter().filter(move |a| a.site == site && matches!(a.mode, AccessMode::At(_)))
    }

    /// The update of a site, if there is one only.
    pub(super) fn only(&self, site: Site) -> Option<&Counted> {
        let mut there = self.updates(site);
        there.next().filter(|_| there.next().is_none())
    }

    /// The cell of the updates of a site, if it is the same one for all.
    pub(super) fn cell(&self, site: Site) -> Option<(&Name, &Num)> {
        let mut there = self.updates(site).map(|a| (&a.array, &a.index));
        let first = there.next().filter(|(_, index)| matches!(index, Num::Lit(_)))?;
        there.all(|cell| cell == first).then_some(first)
    }
}
