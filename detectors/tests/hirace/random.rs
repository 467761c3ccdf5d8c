//! Random traces of many threads, against the definition: every pair of accesses.

use super::*;
use babycuda_core::shadow::MODES;
use babycuda_core::syntax::BarrierScope;
use proptest::prelude::*;
use std::cell::Cell;

/// Does the last access race with one before it? All pairs, with what stands between them.
fn races(widths: &[usize], block: usize, events: &[Event]) -> bool {
    let size = |level: usize| widths[..level].iter().product::<usize>();
    let Some((Event::Access { thread: t, mode }, before)) = events.split_last() else {
        return false;
    };
    before.iter().enumerate().any(|(place, earlier)| {
        let Event::Access { thread: u, mode: other } = earlier else { return false };
        let together = |level: &usize| t / size(*level) == u / size(*level);
        let level = (0..=widths.len()).find(together).expect("the grid holds both");
        let ordered = t == u
            || before[place..].iter().any(|between| match between {
                Event::Barrier { level: wide, group } => {
                    *wide >= level && *group == t / size(*wide)
                }
                Event::Access { .. } => false,
            });
        !ordered && mode.conflicts(*other, level <= block)
    })
}

fn chains() -> impl Strategy<Value = Chain> {
    let (tile, warp, block) = (BarrierScope::Tile(2), BarrierScope::Warp, BarrierScope::Block);
    let all = [vec![warp, block], vec![tile, warp, block], vec![block]];
    (0..all.len(), any::<bool>())
        .prop_map(move |(i, grid)| Chain::new(&all[i], grid).expect("a chain"))
}

#[test]
fn random_traces() {
    let racy = Cell::new(0);
    let trace = chains().prop_flat_map(|chain| {
        let widths = prop::collection::vec(1..4usize, chain.grid());
        // Mostly accesses of a mode that the traces favour: others race at once.
        let events = prop::collection::vec((0..10u8, any::<u16>(), any::<u16>()), 1..40);
        (Just(chain), widths, events, 0..MODES.len())
    });
    let config = ProptestConfig::with_cases(cases());
    proptest!(config, |((chain, widths, drawn, mode) in trace)| {
        let machine = derived(&chain);
        let shape = Shape::new(&chain, &widths).expect("a shape");
        let size = |level: usize| widths[..level].iter().product::<usize>();
        let all = size(widths.len());
        let mut events = Vec::new();
        let (mut traces, mut state) = (Traces::start(&shape), INIT);
        let mut at = 0;
        for (kind, a, b) in drawn {
            let (a, b) = (usize::from(a), usize::from(b));
            events.push(match kind {
                // Near the last one, often.
                0..5 => {
                    at = if b % 3 == 0 { a % all } else { at / 2 * 2 + a % 2 } % all;
                    access(if b % 4 == 1 { MODES[a / 7 % 4] } else { MODES[mode] }, at)
                }
                _ => {
                    let level = b % chain.widest_barrier() + 1;
                    barrier(level, if a % 2 == 0 { at / size(level) } else { a % (all / size(level)) })
                }
            });
            let found = races(&widths, chain.block(), &events);
            let event = *events.last().expect("one was pushed");
            if let Event::Access { thread, mode } = event {
                state = machine.next(state, traces.label(&shape, thread, mode));
            }
            let (after, races) = traces.then(&shape, &chain, event);
            traces = after;
            prop_assert_eq!(races, found, "{:?} {:?}", widths, events);
            prop_assert_eq!(state == machine.race(), found, "{:?} {:?}", widths, events);
            if found {
                racy.set(racy.get() + 1);
                break;
            }
        }
    });
    let all = cases();
    assert!((all / 5..all * 9 / 10).contains(&racy.get()), "{} of {all} race", racy.get());
}
