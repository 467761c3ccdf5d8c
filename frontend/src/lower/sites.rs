//! Sites: what happens where, and how they lead back to the source.

use crate::unit::Unit;
use babycuda_core::syntax::{ArrayDecl, Sources, Stopping};
use babycuda_core::{Site, Span, Stmt};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
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

/// The identity of a site: what happens, where in the preprocessed text, called from where.
type Key = (Event, Range<usize>, Vec<usize>);

/// The sites of a kernel. Copies of a statement that unrolling makes share their original's.
#[derive(Clone, Default, Debug)]
pub(super) struct SiteTable {
    numbers: BTreeMap<(Event, usize, usize, Vec<usize>), u32>,
    ranges: Vec<Range<usize>>,
    /// The operations that each stop stands for.
    overflows: BTreeMap<Site, BTreeSet<(usize, usize)>>,
    /// Why a thread goes no further at the other stops.
    stops: BTreeMap<Site, &'static str>,
}

impl SiteTable {
    /// Notes that the stop whose read is `site` stands for the operation at `range`.
    pub(super) fn overflow(&mut self, site: Site, range: &Range<usize>) {
        self.overflows.entry(site).or_default().insert((range.start, range.end));
    }

    /// Notes why a thread goes no further at the stop whose read is `site`.
    pub(super) fn stop(&mut self, site: Site, why: &'static str) {
        self.stops.insert(site, why);
    }

    pub(super) fn number(&mut self, (event, range, calls): Key) -> Site {
        let next = self.ranges.len() as u32;
        let key = (event, range.start, range.end, calls);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.ranges.push(range);
        }
        Site(number)
    }

    /// The place in the file of a range of the preprocessed text.
    pub(super) fn span(&self, unit: &Unit<'_>, range: &Range<usize>) -> Span {
        Span::locate(unit.source, unit.expanded.map.original(range))
    }

    /// Renumbers the sites of `body` from 0 in pre-order, and says where each stands. `whole` is the
    /// body before it was pruned, `stopping` the same without the stops that cannot be said;
    /// `declared` are the arrays of a body.
    pub(super) fn finish(
        &self,
        [whole, stopping, body]: [&Stmt; 3],
        declared: impl Fn(&Stmt) -> Vec<ArrayDecl>,
        unit: &Unit<'_>,
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
                let range = self.ranges.get(old.0 as usize)?;
                Some((*new, self.span(unit, range)))
            })
            .collect();
        let places = |ranges: &BTreeSet<(usize, usize)>| {
            let mut spans: Vec<Span> =
                ranges.iter().map(|(start, end)| self.span(unit, &(*start..*end))).collect();
            spans.dedup();
            spans
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
        let overflows = overflows(&order);
        let stated = Vec::new();
        let sources =
            Sources { spans, overflows, unstopped, stops, stopping, stated, ..Sources::default() };
        (body, sources)
    }
}
