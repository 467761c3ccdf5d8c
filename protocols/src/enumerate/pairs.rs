//! Counting the pairs of a racy cell.

use babycuda_core::evidence::PairKey;
use babycuda_core::{AccessMode, Cell, Site, Thread};
use std::collections::{BTreeMap, BTreeSet};

/// One visit of a racy cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Visit {
    pub thread: Thread,
    pub statement: (Site, AccessMode),
    pub phase: usize,
}

/// A first racing pair, before its iterations are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub count: u64,
    pub cell: Cell,
    pub first: Visit,
    pub second: Visit,
}

/// Adds the racing pairs among the visits of one cell.
///
/// Within a block, `visits` are those of one phase; across blocks, all. A thread that executes a
/// statement several times counts once.
pub(super) fn count(
    cell: &Cell,
    visits: &mut Vec<Visit>,
    same_block: bool,
    into: &mut BTreeMap<PairKey, Found>,
) {
    // Across blocks a visit in an earlier phase stands for the later ones.
    visits.sort_by_key(|v| (v.statement, v.thread, v.phase));
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
            let pairs =
                if s == t { distinct_pairs(a, same_block) } else { mixed_pairs(a, b, same_block) };
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

/// May two visits race: different threads of one block, or threads of different blocks?
fn apart(a: &Visit, b: &Visit, same_block: bool) -> bool {
    if same_block { a.thread != b.thread } else { a.thread.block != b.thread.block }
}

/// Unordered pairs within one group (sorted by thread), and the first.
fn distinct_pairs(group: &[Visit], same_block: bool) -> Option<(u64, Visit, Visit)> {
    let n = group.len() as u64;
    let all = n * n.saturating_sub(1) / 2;
    let together: u64 = block_sizes(group, same_block).into_values().map(|k| k * (k - 1) / 2).sum();
    let first = group.first()?;
    let second = group.iter().find(|v| apart(first, v, same_block))?;
    Some((all - together, *first, *second))
}

/// Pairs of one visit from each group, and the first.
fn mixed_pairs(a: &[Visit], b: &[Visit], same_block: bool) -> Option<(u64, Visit, Visit)> {
    let together: u64 = if same_block {
        let threads: BTreeSet<Thread> = a.iter().map(|v| v.thread).collect();
        b.iter().filter(|v| threads.contains(&v.thread)).count() as u64
    } else {
        let sizes = block_sizes(b, false);
        let size = |block| sizes.get(&block).copied().unwrap_or(0);
        a.iter().map(|v| size(v.thread.block)).sum()
    };
    let pairs = a.len() as u64 * b.len() as u64 - together;
    if pairs == 0 {
        return None;
    }
    let (first, second) = a.iter().find_map(|v| {
        let other = b.iter().find(|w| apart(v, w, same_block))?;
        Some((*v, *other))
    })?;
    Some((pairs, first, second))
}

/// How many visits each block has; within one block, threads are all apart.
fn block_sizes(group: &[Visit], same_block: bool) -> BTreeMap<u64, u64> {
    let mut sizes = BTreeMap::new();
    if !same_block {
        for visit in group {
            *sizes.entry(visit.thread.block).or_insert(0u64) += 1;
        }
    }
    sizes
}
