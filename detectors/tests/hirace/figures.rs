//! The paper's figures and listings, on the derived machine.

use super::*;

fn exact() -> (Machine, Shape) {
    let machine = Machine::exact();
    let shape = two_of_each(machine.chain());
    (machine, shape)
}

/// Fig. 2, without barriers, threads of different blocks: `INIT`, `READ`, `GREAD`, `WRITE` and `RACE`, with an
/// edge for each pair of mode and relation.
#[test]
fn figure_2_code_without_barriers() {
    let (machine, shape) = exact();
    let race = machine.race();
    let after = |events: &[Event]| *states(&machine, &shape, events).last().expect("a state");
    let [own, other, third] = [0, 4, 1];
    let read = after(&[access(R, own)]);
    let write = after(&[access(W, own)]);
    let everywhere = after(&[access(R, own), access(R, other)]);
    assert!(read != write && write != everywhere && everywhere != read && everywhere != race);
    assert_eq!(after(&[access(R, own), access(R, own)]), read);
    assert_eq!(after(&[access(R, own), access(W, own)]), write);
    assert_eq!(after(&[access(R, own), access(W, other)]), race);
    assert_eq!(after(&[access(W, own), access(R, own)]), write);
    assert_eq!(after(&[access(W, own), access(W, own)]), write);
    for mode in [R, W] {
        assert_eq!(after(&[access(W, own), access(mode, other)]), race);
    }
    for thread in [own, other, third] {
        let reads = [access(R, own), access(R, other)];
        assert_eq!(after(&[reads[0], reads[1], access(R, thread)]), everywhere);
        assert_eq!(after(&[reads[0], reads[1], access(W, thread)]), race);
    }
    assert_eq!(after(&[access(W, own), access(W, other), access(R, own)]), race);
}

/// Fig. 4 and the scenario of its text: reads of a block, a barrier, a write; then a read by another
/// block.
#[test]
fn figure_4_code_with_block_barriers() {
    let (machine, shape) = exact();
    let race = machine.race();
    let after = |events: &[Event]| *states(&machine, &shape, events).last().expect("a state");
    let reads = [access(R, 3), access(R, 0)];
    let block = after(&reads);
    assert_eq!(after(&[reads[0], reads[1], access(R, 3)]), block, "BREAD stays");
    let everywhere = after(&[reads[0], reads[1], access(R, 6)]);
    for writer in 0..8 {
        assert_eq!(after(&[reads[0], reads[1], access(R, 6), access(W, writer)]), race);
        let anew = [reads[0], reads[1], access(R, 6), barrier(2, 0), access(W, writer)];
        assert_eq!(after(&anew), race, "another block has read");
    }
    assert_eq!(after(&[access(R, 3), access(R, 6)]), everywhere);
    let write = after(&[access(W, 3)]);
    for writer in 0..4 {
        let written = [reads[0], reads[1], barrier(2, 0), access(W, writer)];
        assert_ne!(after(&written), race);
        assert_eq!(
            after(&[reads[0], reads[1], barrier(2, 0), access(W, writer), access(R, 6)]),
            race
        );
        assert_eq!(after(&written), write);
    }
}

/// Listings 2 and 5: whoever of the readers writes, with every other thread between them.
#[test]
fn listings_2_and_5_a_read_that_is_not_the_last() {
    let (machine, shape) = exact();
    for (reader, writer) in (0..8).flat_map(|r| (0..8).map(move |w| (r, w))) {
        let races =
            states(&machine, &shape, &[access(R, reader), access(R, writer), access(W, writer)]);
        assert_eq!(races.last() == Some(&machine.race()), reader != writer, "{reader} {writer}");
    }
}

/// Listing 3: all threads of two blocks read a cell, and behind a barrier of each block one of each
/// writes it.
#[test]
fn listing_3_barriers_of_blocks_do_not_order_blocks() {
    let (machine, shape) = exact();
    let read = (0..8).map(|thread| access(R, thread));
    let rest = [barrier(2, 0), barrier(2, 1), access(W, 1)];
    let all: Vec<Event> = read.chain(rest).collect();
    assert_eq!(states(&machine, &shape, &all).last(), Some(&machine.race()));
    let one_block: Vec<Event> = all.iter().take(4).chain(&all[8..]).copied().collect();
    assert_ne!(states(&machine, &shape, &one_block).last(), Some(&machine.race()));
}

/// Two traces with atomics that the published machine gets wrong.
#[test]
fn atomics_behind_barriers() {
    let (machine, shape) = exact();
    let last = |events: &[Event]| *states(&machine, &shape, events).last().expect("a state");
    let unordered = [access(W, 0), barrier(1, 0), access(GA, 0), access(GA, 1), access(R, 1)];
    assert_eq!(last(&unordered), machine.race());
    assert_ne!(last(&unordered[..4]), machine.race());
    assert_ne!(last(&[access(R, 0), barrier(2, 0), access(GA, 0), access(GA, 1)]), machine.race());
    assert_eq!(last(&[access(BA, 0), access(GA, 4)]), machine.race(), "not the scope of both");
}

/// “93 %” is another share than its counts give.
#[test]
fn a_share_of_the_paper() {
    let page = include_str!("../../../docs/HIRACE.md");
    let line = page.lines().find(|line| line.starts_with("What the paper gives as")).expect("it");
    let numbers: Vec<f64> = line.split([' ', ':']).filter_map(|word| word.parse().ok()).collect();
    let [said, part, whole, share] = numbers[..] else { panic!("{line}") };
    assert_eq!((said, part, whole), (93.0, 1861.0, 2076.0));
    assert_eq!(format!("{:.1}", 100.0 * part / whole), share.to_string());
}
