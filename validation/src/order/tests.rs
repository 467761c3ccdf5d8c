//! Litmus tests: runs that interleavings explain, and runs that only weaker memories do; and many
//! small runs, each beside all its interleavings.

use super::{Found, Question, search};
use crate::coherence::incoherent;
use crate::threads::{Effect, Run, Step};
use Answer::{Interleaving, Never, Undecided, Weaker};
use Effect::{Read, Update, Write};
use babycuda_campaign::random;
use rand_xoshiro::rand_core::RngCore;

/// Cells of one array.
const X: u64 = 0;
const Y: u64 = 1;

/// What is true of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// An interleaving explains it.
    Interleaving,
    /// None does, but each cell by itself is explained.
    Weaker,
    /// No device has it.
    Never,
    Undecided,
}

/// A thread's accesses: the phase, the cell, and what they do to it.
type Thread = Vec<(u32, u64, Effect)>;

/// Asks about threads, all cells 0 before, that leave `after` in X and Y. An order that is found is
/// one of the accesses.
fn ask(threads: &[&[(u32, u64, Effect)]], left: [u64; 2], work: usize) -> Answer {
    let step = |(phase, index, effect): &(u32, u64, Effect)| Step {
        phase: *phase,
        passed: 0,
        cell: (0, *index),
        effect: *effect,
    };
    let run = |steps: &&[(u32, u64, Effect)]| Run {
        steps: steps.iter().map(step).collect(),
        barriers: Vec::new(),
    };
    let runs: Vec<Run> = threads.iter().map(run).collect();
    let last_phase = runs.iter().flat_map(|run| &run.steps).map(|step| step.phase).max();
    let last_phase = last_phase.unwrap_or(0);
    let after = |(_, index): (u32, u64)| left.get(index as usize).copied();
    let (runs, before) = (&runs, &|_: (u32, u64)| Some(0));
    let question = Question { runs, last_phase, meetings: &[], before, after: &after };
    let found = search(&question, work);
    match incoherent(&question, [(0, X), (0, Y)].into_iter(), &found) {
        Some(_) => Never,
        None => match found {
            Found::None => Weaker,
            Found::Undecided => Undecided,
            Found::Interleaving(order) => {
                assert!(explains(threads, &order, left), "{order:?} of {threads:?}");
                Interleaving
            }
        },
    }
}

/// Do the accesses, in this order, see what they yield, and leave that? No barrier is passed early.
fn explains(threads: &[&[(u32, u64, Effect)]], order: &[usize], left: [u64; 2]) -> bool {
    let (mut memory, mut positions, mut phase) = ([0; 2], vec![0; threads.len()], 0);
    for thread in order {
        let Some((own, cell, effect)) = threads[*thread].get(positions[*thread]) else {
            return false;
        };
        let held = &mut memory[*cell as usize];
        if *own < phase || effect.seen().is_some_and(|seen| seen != *held) {
            return false;
        }
        (phase, *held) = (*own, effect.stored().unwrap_or(*held));
        positions[*thread] += 1;
    }
    memory == left && positions.iter().zip(threads).all(|(position, own)| *position == own.len())
}

const WORK: usize = 1 << 12;

#[test]
fn store_buffering_is_beyond_interleavings_and_coherent() {
    let threads = |first, second| {
        let (one, two) =
            ([(0, X, Write(1)), (0, Y, Read(first))], [(0, Y, Write(1)), (0, X, Read(second))]);
        ask(&[&one, &two], [1, 1], WORK)
    };
    assert_eq!(threads(0, 0), Weaker);
    for (first, second) in [(0, 1), (1, 0), (1, 1)] {
        assert_eq!(threads(first, second), Interleaving);
    }
    assert_eq!(threads(0, 2), Never);
}

#[test]
fn message_passing_out_of_order_is_beyond_interleavings_and_coherent() {
    let threads = |flag, data| {
        let (one, two) =
            ([(0, X, Write(1)), (0, Y, Write(1))], [(0, Y, Read(flag)), (0, X, Read(data))]);
        ask(&[&one, &two], [1, 1], WORK)
    };
    assert_eq!(threads(1, 0), Weaker);
    for (flag, data) in [(0, 0), (0, 1), (1, 1)] {
        assert_eq!(threads(flag, data), Interleaving);
    }
}

#[test]
fn barriers_order_what_came_before() {
    let threads = |data| ask(&[&[(0, X, Write(1))], &[(1, X, Read(data))]], [1, 0], WORK);
    assert_eq!(threads(1), Interleaving);
    assert_eq!(threads(0), Never);
}

#[test]
fn of_two_writes_one_is_last() {
    let threads = |left| ask(&[&[(0, X, Write(1))], &[(0, X, Write(2))]], [left, 0], WORK);
    assert_eq!(threads(1), Interleaving);
    assert_eq!(threads(2), Interleaving);
    assert_eq!(threads(0), Never);
}

#[test]
fn the_last_write_is_the_one_that_is_seen_next() {
    let both = |seen, left| {
        let one = [(0, X, Write(1)), (1, X, Read(seen)), (2, X, Write(3))];
        ask(&[&one, &[(0, X, Write(2))]], [left, 0], WORK)
    };
    assert_eq!(both(1, 3), Interleaving);
    assert_eq!(both(2, 3), Interleaving);
    assert_eq!(both(3, 3), Never);
    // Nobody sees who was last: another phase overwrites it.
    let unseen = ask(&[&[(0, X, Write(1)), (1, X, Write(3))], &[(0, X, Write(2))]], [3, 0], WORK);
    assert_eq!(unseen, Interleaving);
}

#[test]
fn updates_form_a_chain() {
    let add = |before| [(0, X, Update { before, after: before + 1 })];
    let adds = |first, second| ask(&[&add(first), &add(second)], [2, 0], WORK);
    assert_eq!(adds(0, 1), Interleaving);
    assert_eq!(adds(1, 0), Interleaving);
    // A lost update.
    assert_eq!(adds(0, 0), Never);
}

#[test]
fn a_thread_does_not_read_what_it_overwrote() {
    let threads =
        |seen| ask(&[&[(0, X, Write(1)), (0, X, Read(seen))], &[(0, X, Write(2))]], [1, 0], WORK);
    assert_eq!(threads(0), Never);
    assert_eq!(threads(1), Interleaving);
    // It reads 2 after its own 1, so 2 is last.
    assert_eq!(threads(2), Never);
}

#[test]
fn a_hundred_threads_that_write_one_cell_need_no_search() {
    let writes: Vec<[(u32, u64, Effect); 2]> =
        (0..100).map(|value| [(0, X, Write(value)), (1, X, Read(42))]).collect();
    let threads: Vec<&[(u32, u64, Effect)]> = writes.iter().map(|own| &own[..]).collect();
    assert_eq!(ask(&threads, [42, 0], 100), Interleaving);
    assert_eq!(ask(&threads, [41, 0], 100), Never);
}

#[test]
fn too_much_work_is_no_answer() {
    let one = [(0, X, Write(1)), (0, Y, Write(1))];
    let other = [(0, Y, Write(2)), (0, X, Write(2))];
    assert_eq!(ask(&[&one, &other], [1, 2], 0), Undecided);
    assert_eq!(ask(&[&one, &other], [1, 2], 2), Weaker);
}

/// Threads that make no access cost nothing, and neither do states that were visited.
#[test]
fn what_has_nothing_to_do_is_no_work() {
    let writers: Vec<[(u32, u64, Effect); 2]> =
        (1..=4).map(|value| [(0, X, Write(value)), (0, Y, Write(value))]).collect();
    let mut threads: Vec<&[(u32, u64, Effect)]> = writers.iter().map(|own| &own[..]).collect();
    let reads =
        [(0, X, Read(1)), (0, X, Read(2)), (0, Y, Read(2)), (0, Y, Read(1)), (0, X, Read(1))];
    threads.push(&reads);
    let least = (0..).find(|work| ask(&threads, [3, 4], *work) != Undecided).expect("enough");
    let answer = ask(&threads, [3, 4], least);
    threads.resize(1024, &[]);
    assert_eq!(ask(&threads, [3, 4], least), answer);
    // Each of five threads is somewhere in its accesses, and each cell holds one of five values.
    assert!(least <= 5 * 3usize.pow(4) * 6 * 25, "{least}");
}

#[test]
fn a_value_is_not_older_than_the_one_read_before() {
    let threads = |first, second| {
        ask(&[&[(0, X, Write(1))], &[(0, X, Read(first)), (0, X, Read(second))]], [1, 0], WORK)
    };
    assert_eq!(threads(1, 0), Never);
    for (first, second) in [(0, 0), (0, 1), (1, 1)] {
        assert_eq!(threads(first, second), Interleaving);
    }
}

#[test]
fn the_last_writes_of_two_cells_have_one_order() {
    // 2+2W.
    let one = [(0, X, Write(1)), (0, Y, Write(1))];
    let other = [(0, Y, Write(2)), (0, X, Write(2))];
    let left = |x, y| ask(&[&one, &other], [x, y], WORK);
    assert_eq!(left(1, 2), Weaker);
    for (x, y) in [(1, 1), (2, 1), (2, 2)] {
        assert_eq!(left(x, y), Interleaving);
    }
}

#[test]
fn a_last_write_and_a_read_have_one_order() {
    // S: who sees the flag writes after what came before it.
    let s = |seen, x| {
        let one = [(0, X, Write(1)), (0, Y, Write(1))];
        ask(&[&one, &[(0, Y, Read(seen)), (0, X, Write(2))]], [x, 1], WORK)
    };
    assert_eq!(s(1, 1), Weaker);
    assert_eq!((s(1, 2), s(0, 1), s(0, 2)), (Interleaving, Interleaving, Interleaving));
    // R: whose write is last sees what came before the other's.
    let r = |y, seen| {
        let one = [(0, X, Write(1)), (0, Y, Write(1))];
        ask(&[&one, &[(0, Y, Write(2)), (0, X, Read(seen))]], [1, y], WORK)
    };
    assert_eq!(r(2, 0), Weaker);
    assert_eq!((r(2, 1), r(1, 0), r(1, 1)), (Interleaving, Interleaving, Interleaving));
}

/// Is there an interleaving? All of them, one after the other.
fn by_hand(
    threads: &[Thread],
    positions: &mut [usize],
    phase: u32,
    memory: [u64; 2],
    left: [u64; 2],
) -> bool {
    let mut ended = true;
    for thread in 0..threads.len() {
        let Some((own, cell, effect)) = threads[thread].get(positions[thread]).copied() else {
            continue;
        };
        ended = false;
        let behind = |(t, position): (&Thread, &usize)| t.get(*position).is_some_and(|a| a.0 < own);
        if own < phase || threads.iter().zip(&*positions).any(behind) {
            continue;
        }
        if effect.seen().is_some_and(|seen| seen != memory[cell as usize]) {
            continue;
        }
        let mut after = memory;
        after[cell as usize] = effect.stored().unwrap_or(memory[cell as usize]);
        positions[thread] += 1;
        let found = by_hand(threads, positions, own, after, left);
        positions[thread] -= 1;
        if found {
            return true;
        }
    }
    ended && memory == left
}

/// Makes each cell's accesses see, and leave, what they do in some order of them: one for each cell.
/// Returns what is left.
fn explain_cells(threads: &mut [Thread], below: &mut dyn FnMut(u32) -> u64) -> [u64; 2] {
    [X, Y].map(|cell| {
        let mut held = 0;
        for phase in 0..2 {
            let mut positions = vec![0; threads.len()];
            loop {
                let is_own = |a: &(u32, u64, Effect)| (a.0, a.1) == (phase, cell);
                let open: Vec<(usize, usize)> = (0..threads.len())
                    .filter_map(|t| {
                        let rest = threads[t].iter().skip(positions[t]);
                        Some((t, positions[t] + rest.clone().position(is_own)?))
                    })
                    .collect();
                if open.is_empty() {
                    break;
                }
                let (thread, position) = open[below(open.len() as u32) as usize];
                let effect = &mut threads[thread][position].2;
                match effect {
                    Read(value) | Update { before: value, .. } => *value = held,
                    Write(_) => {}
                }
                held = effect.stored().unwrap_or(held);
                positions[thread] = position + 1;
            }
        }
        held
    })
}

#[test]
fn small_runs_are_judged_as_all_their_interleavings_say() {
    let mut seen = [0; 3];
    for number in 0..20_000 {
        let mut random = random(7, number);
        let mut below = |n: u32| u64::from(random.next_u32() % n);
        let mut access = |phase: u32| {
            let effect = match below(8) {
                0..4 => Write(below(3)),
                4..7 => Read(0),
                _ => Update { before: 0, after: below(3) },
            };
            (phase, below(2), effect)
        };
        let mut threads: Vec<Thread> = Vec::new();
        for thread in 0..2 + number % 2 {
            let length = |phase: u64| 1 + (number >> (4 * thread + 2 * phase)) % 3;
            let phase = |phase: u64| std::iter::repeat_n(phase as u32, length(phase) as usize);
            threads.push([0, 1].into_iter().flat_map(phase).map(&mut access).collect());
        }
        let mut left = explain_cells(&mut threads, &mut below);
        if number % 4 == 0 {
            left[below(2) as usize] = below(3);
        }
        let expected = by_hand(&threads, &mut vec![0; threads.len()], 0, [0; 2], left);
        let slices: Vec<&[(u32, u64, Effect)]> = threads.iter().map(|own| &own[..]).collect();
        let answer = ask(&slices, left, 1 << 20);
        assert_ne!(answer, Undecided);
        assert_eq!(answer == Interleaving, expected, "{answer:?}: {threads:?} to {left:?}");
        seen[answer as usize] += 1;
    }
    // Enough of each: interleavings, runs that each cell alone allows, and others.
    assert!(seen.iter().all(|count| *count > 400), "{seen:?}");
}

#[test]
fn a_wider_barrier_before_a_narrower_one_holds() {
    // t0: X := 1; barrier of all | t1: barrier of all; its own barrier; X = seen.
    let explained = |seen| {
        let step = |passed, effect| Step { phase: 0, passed, cell: (0, X), effect };
        let run = |steps| Run { steps, barriers: Vec::new() };
        let runs = [run(vec![step(0, Write(1))]), run(vec![step(2, Read(seen))])];
        let (meetings, last) = ([vec![0..2, 1..2]], |_: (u32, u64)| Some(1));
        let (before, after) = (&|_: (u32, u64)| Some(0), &last);
        let question = Question { runs: &runs, last_phase: 0, meetings: &meetings, before, after };
        matches!(search(&question, WORK), Found::Interleaving(_))
    };
    assert!(explained(1));
    assert!(!explained(0));
}
