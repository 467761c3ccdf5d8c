//! What a cell holds where barriers of tiles and warps order some of what was done to it (THEORY
//! T12).

use super::memory::{Content, Deed, after_phase};
use babycuda_core::history::MAX_LISTED;
use std::ops::Range;

/// How many barriers of a phase had been passed before, and by which thread.
pub(super) type Spot = (u32, u32);

/// Did a group with both threads pass a barrier after the first spot, and before the second?
pub(super) fn is_before(passes: &[Range<u32>], (k, i): Spot, (l, j): Spot) -> bool {
    let between = passes.get(k as usize..l as usize).unwrap_or_default();
    k < l && i == j || between.iter().any(|group| group.contains(&i) && group.contains(&j))
}

/// The content after all of this, in part one after the other.
pub(super) fn after_stages(
    passes: &[Range<u32>],
    mut before: Content,
    mut deeds: Vec<(Spot, Deed<'_>)>,
) -> Content {
    let earlier = |deeds: &[(Spot, Deed<'_>)], spot: Spot| {
        deeds.iter().filter(|(other, _)| is_before(passes, *other, spot)).count()
    };
    // What has fewer before it comes first, where there is an order.
    let counts: Vec<usize> = deeds.iter().map(|(spot, _)| earlier(&deeds, *spot)).collect();
    let mut order: Vec<usize> = (0..deeds.len()).collect();
    order.sort_by_key(|n| counts[*n]);
    let mut slots: Vec<Option<(Spot, Deed<'_>)>> = deeds.drain(..).map(Some).collect();
    let mut rest: Vec<(Spot, Deed<'_>)> = order.iter().filter_map(|n| slots[*n].take()).collect();
    while !rest.is_empty() {
        let all_before = |cut: &usize| {
            let (part, later) = rest.split_at(*cut);
            later.iter().all(|(spot, _)| earlier(part, *spot) == *cut)
        };
        let cut = (1..rest.len()).find(all_before).unwrap_or(rest.len());
        let later = rest.split_off(cut);
        before = after_part(passes, before, rest);
        rest = later;
    }
    before
}

fn after_part(passes: &[Range<u32>], before: Content, mut deeds: Vec<(Spot, Deed<'_>)>) -> Content {
    if let [(_, alone)] = deeds.as_slice() {
        return alone.done_to(before);
    }
    deeds.sort_by_key(|((stage, thread), _)| (*thread, *stage));
    let spots: Vec<Spot> = deeds.iter().map(|(spot, _)| *spot).collect();
    let deeds: Vec<Deed<'_>> = deeds.into_iter().map(|(_, deed)| deed).collect();
    let follows = |n: usize, m: usize| is_before(passes, spots[n], spots[m]);
    let last = |n: &usize| !(0..spots.len()).any(|m| follows(*n, m));
    let last: Vec<usize> = (0..spots.len()).filter(last).collect();
    if last.iter().all(|n| deeds[*n].updates.is_empty()) {
        let written: Vec<Deed<'_>> = last.iter().map(|n| deeds[*n].clone()).collect();
        return after_phase(before, &written);
    }
    if last.len() == deeds.len() || Deed::commute(&deeds) {
        return after_phase(before, &deeds);
    }
    let turn = |falling: bool| {
        let mut left: Vec<usize> = (0..deeds.len()).collect();
        let mut content = before.clone();
        while !left.is_empty() {
            let ready = |n: &usize| left.iter().all(|m| !follows(*m, *n));
            let mut free = left.iter().copied().filter(ready);
            let next = if falling { free.next_back() } else { free.next() };
            let Some(next) = next else { break };
            content = deeds[next].done_to(content);
            left.retain(|n| *n != next);
        }
        content
    };
    Content::either(turn(false), turn(true), MAX_LISTED)
}
