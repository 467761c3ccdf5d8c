//! Shadow memory, the tables that machines are read from, and runs replayed through them.

use super::*;
use babycuda_core::trace::{self, Trace};
use babycuda_core::{Cell, Dim3, Launch, Thread};
use babycuda_detectors::hirace::{LayoutError, Overflow, Shadow, Stop, replay};
use std::collections::BTreeSet;

#[test]
fn a_machine_is_what_its_table_says() {
    let machine = Machine::exact();
    assert_eq!(Machine::from_csv(&machine.to_csv(), machine.chain().clone()), Ok(machine.clone()));
    let table = machine.to_csv();
    let edit = |line: usize, new: &str| {
        let lines = table.lines().zip(1..).map(|(old, n)| if n == line { new } else { old });
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let refused = [
        (String::new(), "line 1: the table is empty"),
        ("a,b\n".to_owned(), "line 1: expected `state,access,sync,relation,next`"),
        (edit(3, "INIT,R,U"), "line 3: expected five fields"),
        (edit(4, "INIT,Q,U,S,INIT"), "line 4: no access is `Q`"),
        (edit(4, "INIT,R,G,S,INIT"), "line 4: no barrier is `G`"),
        (edit(4, "INIT,R,U,U,INIT"), "line 4: no relation is `U`"),
        (edit(4, "INIT,R,U,B,NOWHERE"), "line 4: no line is of the state `NOWHERE`"),
        (edit(4, "INIT,R,U,S,INIT"), "line 4: line 2 is of the same state and label"),
        (edit(4, "INIT,R,U,B,RACE"), "line 4: one access alone is no race"),
        (edit(4, ",R,U,B,INIT"), "line 4: `` is no name of a state"),
        (edit(4, "INIT,R,U,B,"), "line 4: `` is no name of a state"),
        (edit(4, "\"INIT,R,U,B,INIT"), "line 4: `\"INIT` is no name of a state"),
        (edit(4, "INIT,R,U,B,\"INIT"), "line 4: `\"INIT` is no name of a state"),
        (edit(4, "INIT ,R,U,B,INIT"), "line 4: `INIT ` is no name of a state"),
        (edit(4, ""), "line 49: INIT has no line for R{U,B}"),
        (table.replace("RACE", "race"), "line 1009: there is no state `RACE`"),
    ];
    for (text, message) in refused {
        let error = Machine::from_csv(&text, Chain::published()).expect_err(message);
        assert_eq!(error.to_string(), message);
    }
    let (bytes, chain) = (table.replacen("INIT,R,U,B", "INIT,R,?,B", 1), Chain::published());
    let bytes: Vec<u8> = bytes.bytes().map(|b| if b == b'?' { 0xff } else { b }).collect();
    let error = Machine::read_csv(&bytes, chain.clone()).expect_err("bytes");
    assert_eq!(error.to_string(), "line 4: what is no UTF-8");
    assert_eq!(Machine::read_csv(table.as_bytes(), chain), Ok(machine));
    let healed = table.replacen("RACE,R,U,S,RACE", "RACE,R,U,S,INIT", 1);
    let error = Machine::from_csv(&healed, Chain::published()).expect_err("a race stays one");
    assert_eq!(healed.lines().nth(error.line - 1), Some("RACE,R,U,S,INIT"));
    assert_eq!(error.problem, "a race stays one");
}

#[test]
fn words_have_room_or_there_is_an_error() {
    let new = |threads, clocks: &[u32]| Shadow::new(Machine::exact(), 1, threads, clocks);
    assert!(new(1 << 31, &[12, 16]).is_ok(), "5 + 31 + 28 bits");
    assert_eq!(new(1 << 31, &[13, 16]).err(), Some(LayoutError::Bits(65)));
    assert_eq!(new(4, &[8]).err(), Some(LayoutError::Clocks { given: 1, wanted: 2 }));
    let shadow = new(4, &[1, 0]).expect("a layout");
    let groups = [(2..4, 0), (0..4, 0)];
    assert_eq!(shadow.thread(4, &groups), Err(Overflow::Thread(4)));
    let group = |level| Err(Overflow::Group { thread: 3, level });
    assert_eq!(shadow.thread(3, &[(0..3, 0), (0..4, 0)]), group(1));
    assert_eq!(shadow.thread(3, &[(2..4, 0), (0..1 << 32, 0)]), group(2));
    assert_eq!(shadow.thread(3, &groups[..1]), group(2));
    let mut thread = shadow.thread(3, &groups).expect("a thread");
    assert_eq!(shadow.pass(&mut thread, 1), Ok(()));
    let overflow = Overflow::Clock { thread: 3, level: 1, most: 1 };
    assert_eq!(shadow.pass(&mut thread, 1), Err(overflow));
    let overflow = Overflow::Clock { thread: 3, level: 2, most: 0 };
    assert_eq!(shadow.pass(&mut thread, 2), Err(overflow));
}

fn at(block: u64, index: u64, mode: AccessMode, cell: &Cell) -> trace::Event {
    let thread = Thread { block, index };
    trace::Event::Access { thread, mode, cell: cell.clone(), site: None }
}

/// Two blocks of 64 threads, so two warps each.
fn run(events: Vec<trace::Event>, shared: &[&str]) -> Trace {
    let launch = Launch::new(Dim3::line(2), Dim3::line(64));
    Trace {
        launch,
        shared: shared.iter().map(|name| (*name).into()).collect::<BTreeSet<_>>(),
        events,
    }
}

#[test]
fn runs_are_replayed_through_words() {
    let (a, s) = (Cell::new("A", 0u64), Cell::new("S", 0u64));
    let events = vec![
        at(0, 0, W, &a),
        at(0, 0, W, &s),
        // Another block has another S.
        at(1, 5, W, &s),
        trace::Event::WarpBarrier { block: 0, warp: 0 },
        at(0, 31, R, &a),
        // A warp's barrier is not one of the next warp.
        at(0, 33, R, &s),
        trace::Event::BlockBarrier { block: 0 },
        at(0, 40, R, &a),
        at(1, 0, R, &a),
        at(1, 1, R, &a),
    ];
    let machine = Machine::exact();
    let result = replay(&run(events.clone(), &["S"]), &machine, &[12, 16]).expect("a layout");
    let found: Vec<(usize, u64, u64)> =
        result.races.iter().map(|(event, race)| (*event, race.thread, race.last)).collect();
    assert_eq!(found, [(5, 33, 0), (8, 64, 40)]);
    assert_eq!(result.stop, None);
    // With one S for both blocks, their writes race.
    let result = replay(&run(events.clone(), &[]), &machine, &[12, 16]).expect("a layout");
    assert_eq!(result.races[0].0, 2);
    // Before a clock goes round all is as it was.
    let result = replay(&run(events, &["S"]), &machine, &[1, 0]).expect("a layout");
    assert_eq!(result.races.len(), 1);
    let (event, stop) = result.stop.expect("no clock of blocks");
    assert_eq!(event, 7);
    assert!(matches!(stop, Stop::Overflow(Overflow::Clock { level: 2, most: 0, .. })), "{stop}");
}

/// The first and the last thread of a warp are of that warp.
#[test]
fn groups_have_ends() {
    let cell = Cell::new("A", 0u64);
    for (writer, reader) in [(31, 0), (0, 31), (63, 32), (32, 63)] {
        let barrier = |warp| trace::Event::WarpBarrier { block: 1, warp };
        let own = [at(1, writer, W, &cell), barrier(writer / 32), at(1, reader, R, &cell)];
        let result =
            replay(&run(own.to_vec(), &[]), &Machine::exact(), &[12, 16]).expect("a layout");
        assert_eq!(result.races, [], "{writer} {reader}");
        let other = [own[0].clone(), barrier(1 - writer / 32), own[2].clone()];
        let result =
            replay(&run(other.to_vec(), &[]), &Machine::exact(), &[12, 16]).expect("a layout");
        assert_eq!(result.races.len(), 1, "{writer} {reader}");
    }
}

#[test]
fn events_outside_of_the_launch_end_a_replay() {
    let cell = Cell::new("A", 0u64);
    for event in [
        at(2, 0, R, &cell),
        at(0, 64, R, &cell),
        at(u64::MAX, u64::MAX, R, &cell),
        trace::Event::BlockBarrier { block: 2 },
        trace::Event::WarpBarrier { block: 0, warp: 2 },
        trace::Event::WarpBarrier { block: 0, warp: u64::MAX },
    ] {
        let result =
            replay(&run(vec![event], &[]), &Machine::exact(), &[12, 16]).expect("a layout");
        assert_eq!(result.stop, Some((0, Stop::Launch)));
    }
}

/// CPU threads that update words at the same time: whatever their order, a cell that one block shares with
/// another is racy, and one that a block keeps to itself is not.
#[test]
fn words_are_updated_by_many_threads_at_once() {
    let shadow = Shadow::new(Machine::exact(), 64, 64, &[8, 8]).expect("a layout");
    let found: Vec<usize> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4u64)
            .map(|block| {
                let shadow = &shadow;
                scope.spawn(move || {
                    let mut racy = Vec::new();
                    for round in 0..200 {
                        for index in 0..16 {
                            let (id, first) = (block * 16 + index, block * 16);
                            let warp = first + index / 8 * 8;
                            let groups = [(warp..warp + 8, 0), (first..first + 16, round % 4)];
                            let thread = shadow.thread(id, &groups).expect("a thread");
                            // A cell of the thread's own, and behind the barriers one of all blocks.
                            let own = usize::try_from(id).expect("a cell");
                            racy.extend(shadow.access(own, &thread, W).map(|_| own));
                            racy.extend(shadow.access(own, &thread, R).map(|_| own));
                            if index == 7 {
                                racy.extend(shadow.access(3, &thread, R).map(|_| 3));
                            }
                        }
                    }
                    racy
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker")).collect()
    });
    assert_eq!(found, [3], "each race is said once");
}
