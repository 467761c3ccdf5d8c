//! Sites: what happens where, and how they lead back to the source.

use babycuda_core::syntax::{ArrayDecl, Counted, Sources, Stopping};
use babycuda_core::{Site, Span, Stmt};
use babycuda_kernel::At;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What happens at a site: together with the place, its identity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Event {
    Read,
    Write,
    Atomic,
    Unknown,
    Branch,
    Loop,
    Sync,
    /// A stop on overflow: its branch.
    MayOverflow,
    /// A stop on overflow: its read.
    Overflow,
    /// Another stop: its branch.
    MayStop,
    /// Another stop: its read.
    Stop,
}

/// The identity of a site: what happens, where, called from where.
type Key = (Event, At, Vec<At>);

/// The sites of a kernel. Copies of a statement that unrolling makes share their original's.
#[derive(Clone, Default, Debug)]
pub(super) struct SiteTable {
    numbers: BTreeMap<Key, u32>,
    places: Vec<At>,
    /// The operations that each stop stands for.
    overflows: BTreeMap<Site, BTreeSet<At>>,
    /// Why a thread goes no further at the other stops.
    stops: BTreeMap<Site, &'static str>,
    /// What loops count; `None`: copies of a loop count differently.
    counted: BTreeMap<Site, Option<Counted>>,
}

impl SiteTable {
    /// Notes that the stop whose read is `site` stands for the operation at `at`.
    pub(super) fn overflow(&mut self, site: Site, at: At) {
        self.overflows.entry(site).or_default().insert(at);
    }

    /// Notes why a thread goes no further at the stop whose read is `site`.
    pub(super) fn stop(&mut self, site: Site, why: &'static str) {
        self.stops.insert(site, why);
    }

    /// Notes what the loop counts, or one of its copies.
    pub(super) fn counts(&mut self, site: Site, counted: Counted) {
        let known = self.counted.entry(site).or_insert_with(|| Some(counted.clone()));
        if known.as_ref() != Some(&counted) {
            *known = None;
        }
    }

    /// Where a site stands.
    pub(super) fn place(&self, site: Site) -> At {
        self.places.get(site.0 as usize).copied().unwrap_or(At(0))
    }

    pub(super) fn number(&mut self, key: Key) -> Site {
        let (next, at) = (self.places.len() as u32, key.1);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.places.push(at);
        }
        Site(number)
    }

    /// Renumbers the sites of `body` from 0 in pre-order, and says where each stands. `whole` is the
    /// body before it was pruned, `stopping` the same without the stops that cannot be said;
    /// `declared` are the arrays of a body, `span` says where a place is.
    pub(super) fn finish(
        &self,
        [whole, stopping, body]: [&Stmt; 3],
        declared: impl Fn(&Stmt) -> Vec<ArrayDecl>,
        span: impl Fn(At) -> Span,
    ) -> (Stmt, Sources) {
        let mut order: BTreeMap<Site, Site> = BTreeMap::new();
        let renumbered = |body: &Stmt, order: &mut BTreeMap<Site, Site>| {
            body.map_sites(&mut |site| {
                let next = Site(order.len() as u32);
                *order.entry(site).or_insert(next)
            })
        };
        let body = renumbered(body, &mut order);
        let mut all = order.clone();
        let stopping = renumbered(stopping, &mut all);
        let spans = all
            .iter()
            .filter_map(|(old, new)| {
                let at = self.places.get(old.0 as usize)?;
                Some((*new, span(*at)))
            })
            .collect();
        let places = |places: &BTreeSet<At>| -> Vec<Span> {
            let spans: BTreeSet<Span> = places.iter().map(|at| span(*at)).collect();
            spans.into_iter().collect()
        };
        let overflows = |order: &BTreeMap<Site, Site>| {
            let overflows = self.overflows.iter();
            overflows.filter_map(|(old, at)| Some((*order.get(old)?, places(at)))).collect()
        };
        let stopping = (stopping != body).then(|| {
            let (arrays, overflows) = (declared(&stopping), overflows(&all));
            Arc::new(Stopping { body: stopping, arrays, overflows })
        });
        let pruned = whole.subterms().filter_map(Stmt::site).filter(|old| !order.contains_key(old));
        let unstopped: BTreeSet<Span> =
            pruned.filter_map(|old| self.overflows.get(&old)).flat_map(places).collect();
        let unstopped = unstopped.into_iter().collect();
        let stops = self.stops.iter();
        let stops = stops.filter_map(|(old, why)| Some((*order.get(old)?, (*why).to_owned())));
        let stops = stops.collect();
        let counted = self.counted.iter();
        let counted = counted.filter_map(|(old, known)| Some((*order.get(old)?, known.clone()?)));
        let counted = counted.collect();
        let overflows = overflows(&order);
        let known = Sources::default();
        let sources = Sources { spans, overflows, unstopped, stops, stopping, counted, ..known };
        (body, sources)
    }
}
