//! Counting the pairs of a racy cell.

use babycuda_core::evidence::PairKey;
use babycuda_core::{AccessMode, Cell, Site, Thread};
use std::collections::BTreeMap;

/// One visit of a racy cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Visit {
    pub thread: Thread,
    pub statement: (Site, AccessMode),
    pub phase: usize,
    /// How many barriers, of any scope, the thread had passed.
    pub passed: u64,
}

/// A first racing pair, before its iterations are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub count: u64,
    pub cell: Cell,
    pub first: Visit,
    pub second: Visit,
}

/// Which visits may race: those of different parties of one block, or of different blocks.
#[derive(Clone, Copy)]
pub(super) struct Parties<'a> {
    pub same_block: bool,
    pub party: &'a dyn Fn(Thread) -> u64,
}

/// Adds the racing pairs among the visits of one cell.
///
/// Within a block, `visits` are those of one phase; across blocks, all. A thread that executes a
/// statement several times counts once.
pub(super) fn count(
    cell: &Cell,
    visits: &mut Vec<Visit>,
    parties: Parties<'_>,
    into: &mut BTreeMap<PairKey, Found>,
) {
    let same_block = parties.same_block;
    // Across blocks a visit in an earlier phase stands for the later ones.
    visits.sort_by_key(|v| (v.statement, v.thread, v.passed));
    visits.dedup_by_key(|v| (v.statement, v.thread));
    let mut groups: BTreeMap<(Site, AccessMode), Vec<Visit>> = BTreeMap::new();
    for visit in visits.iter() {
        groups.entry(visit.statement).or_default().push(*visit);
    }
    let statements: Vec<_> = groups.keys().copied().collect();
    for (i, s) in statements.iter().enumerate() {
        for t in &statements[i..] {
            if !s.1.conflicts(t.1, same_block) {
                continue;
            }
            let (a, b) = (&groups[s], &groups[t]);
            let pairs = if s == t { parties.distinct(a) } else { parties.mixed(a, b) };
            let Some((pairs, first, second)) = pairs else {
                continue;
            };
            let key = PairKey { array: cell.array.clone(), first: *s, second: *t, same_block };
            into.entry(key).and_modify(|found| found.count += pairs).or_insert_with(|| Found {
                count: pairs,
                cell: cell.clone(),
                first,
                second,
            });
        }
    }
}

impl Parties<'_> {
    fn apart(self, a: &Visit, b: &Visit) -> bool {
        (self.party)(a.thread) != (self.party)(b.thread)
    }

    /// Unordered pairs within one group (sorted by thread), and the first.
    fn distinct(self, group: &[Visit]) -> Option<(u64, Visit, Visit)> {
        let n = group.len() as u64;
        let all = n * n.saturating_sub(1) / 2;
        let together: u64 = self.sizes(group).into_iter().map(|(_, k)| k * (k - 1) / 2).sum();
        let first = group.first()?;
        let second = group.iter().find(|v| self.apart(first, v))?;
        Some((all - together, *first, *second))
    }

    /// Pairs of one visit from each group, both sorted by thread, and the first.
    fn mixed(self, a: &[Visit], b: &[Visit]) -> Option<(u64, Visit, Visit)> {
        let sizes = self.sizes(b);
        let size = |party: u64| {
            let place = sizes.binary_search_by_key(&party, |(own, _)| *own);
            place.map_or(0, |place| sizes[place].1)
        };
        let together: u64 = self.sizes(a).into_iter().map(|(party, k)| k * size(party)).sum();
        let pairs = a.len() as u64 * b.len() as u64 - together;
        if pairs == 0 {
            return None;
        }
        let (first, second) = a.iter().find_map(|v| {
            let other = b.iter().find(|w| self.apart(v, w))?;
            Some((*v, *other))
        })?;
        Some((pairs, first, second))
    }

    /// How many visits each party has. Visits are sorted by thread, so parties, which are a block's threads, its groups or
    /// blocks, come one after the other.
    fn sizes(self, group: &[Visit]) -> Vec<(u64, u64)> {
        let parts = group.chunk_by(|one, next| !self.apart(one, next));
        parts.map(|part| ((self.party)(part[0].thread), part.len() as u64)).collect()
    }
}
