//! T9 by exhaustive search: the derived machine reaches the race exactly on the traces that have one.

use super::{access, barrier, two_of_each, *};
use babycuda_core::syntax::BarrierScope;
use babycuda_detectors::hirace::{classes, compare, events, inexact};

/// All traces of two blocks of two warps of two threads, of whatever length.
#[test]
fn the_derived_machine_is_exact() {
    let machine = derived(&Chain::published());
    let situations = inexact(&machine, &two_of_each(machine.chain())).expect("an exact machine");
    assert!(situations > 100_000, "{situations}");
}

#[test]
fn other_chains_have_exact_machines_too() {
    let (warp, block) = (BarrierScope::Warp, BarrierScope::Block);
    let chains: [(&[BarrierScope], bool, &[usize]); 6] = [
        (&[block], false, &[3, 2]),
        (&[block], true, &[2, 1]),
        (&[block], true, &[1, 3]),
        (&[warp, block], true, &[2, 1, 1]),
        (&[warp, block], true, &[1, 2, 1]),
        (&[BarrierScope::Tile(2), warp, block], false, &[2, 1, 1, 2]),
    ];
    for (scopes, grid_barriers, widths) in chains {
        let chain = Chain::new(scopes, grid_barriers).expect("a chain");
        let shape = Shape::new(&chain, widths).expect("a shape");
        let machine = derived(&chain);
        let situations = inexact(&machine, &shape).expect("an exact machine");
        println!("{scopes:?}: {situations}");
    }
}

/// 21 states, where the published machine has 25; no smaller machine says the same, since each two of
/// them are told apart by some labels, and every state is met on some trace.
#[test]
fn the_derived_machine_is_the_smallest() {
    let machine = derived(&Chain::published());
    assert_eq!(machine.names().len(), 21, "{:?}", machine.names());
    let mut classes = classes(&machine);
    classes.sort_unstable();
    classes.dedup();
    assert_eq!(classes.len(), 21);
    let mut met = vec![INIT];
    let mut done = 0;
    while let Some(state) = met.get(done).copied() {
        done += 1;
        for label in machine.chain().labels() {
            let next = machine.next(state, label.comparable());
            if !met.contains(&next) {
                met.push(next);
            }
        }
    }
    assert_eq!(met.len(), 21);
}

/// The table that devices use is the derived one. (`BABYCUDA_BLESS=1` writes it.)
#[test]
fn the_table_of_core_is_the_derived_one() {
    let derived = derived(&Chain::published()).to_csv();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/src/shadow/exact.csv");
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(path, &derived).expect("a table");
    }
    assert_eq!(Machine::exact().to_csv(), derived, "BABYCUDA_BLESS=1 writes it");
}

/// Whichever cell is changed, one trace shows it: the search finds it, and so does the comparison.
#[test]
fn every_fault_in_a_cell_is_found() {
    let exact = derived(&Chain::published());
    let chain = exact.chain().clone();
    let mut faults = 0;
    for state in (0..21).filter(|state| *state != exact.race()) {
        for label in chain.labels().filter(|label| label.comparable() == *label) {
            // To the race where there is none, and back to a thread's own read where there is.
            let own_read = exact.next(INIT, chain.labels().next().expect("a label"));
            let right = exact.next(state, label);
            let wrong = if right == exact.race() { own_read } else { exact.race() };
            let next = |q, l| if (q, l) == (state, label) { wrong } else { exact.next(q, l) };
            let faulty = Machine::new(chain.clone(), exact.names().to_vec(), exact.race(), next);
            let faulty = faulty.expect("a machine");
            let differences = compare(&faulty, &exact);
            let found = differences.iter().find(|d| (d.state, d.label) == (state, label));
            // Of the first access nothing is known, so most labels of the start are never met.
            let found = match found {
                Some(found) => found,
                None => panic!("{} {}", exact.names()[usize::from(state)], chain.show(label)),
            };
            assert_eq!(found.races, right == exact.race());
            if state != INIT {
                let shape = two_of_each(&chain);
                let events = events(&found.trace);
                let says = states(&faulty, &shape, &events).last() == Some(&exact.race());
                let is = states(&exact, &shape, &events).last() == Some(&exact.race());
                assert_ne!(says, is, "{events:?}");
                faults += 1;
            }
        }
    }
    assert_eq!(faults, 19 * 36);
}

/// A fault that only a search of traces sees.
#[test]
fn the_search_finds_a_fault() {
    let exact = derived(&Chain::published());
    let (chain, race) = (exact.chain().clone(), exact.race());
    // Two threads of a warp read; a barrier of the warp; a third read.
    let shape = Shape::new(&chain, &[2, 1, 1]).expect("a shape");
    let trace = [access(R, 0), access(R, 1), barrier(1, 0), access(W, 0)];
    let through = states(&exact, &shape, &trace);
    let [_, state, after] = through[..] else { panic!("three accesses") };
    assert_ne!(after, race);
    let next = |q, l| match exact.next(q, l) {
        next if q == state && next == after => race,
        next => next,
    };
    let faulty =
        Machine::new(chain.clone(), exact.names().to_vec(), race, next).expect("a machine");
    let found = inexact(&faulty, &shape).expect_err("a trace");
    assert!(!found.races);
    assert_eq!(found.events.len(), 4, "{:?}", found.events);
}
