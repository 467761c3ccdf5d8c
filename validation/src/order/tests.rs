//! Litmus tests: runs that interleavings explain, and runs that only weaker memories do.

use super::{Found, Question, search};
use crate::coherence;
use crate::threads::{Effect, Run, Step};
use Effect::{Read, Update, Write};

/// Cells of one array.
const X: u64 = 0;
const Y: u64 = 1;

/// Asks about threads of accesses `(phase, cell, effect)`, all cells 0 before, that leave `after`
/// in X and Y.
fn ask(threads: &[&[(u32, u64, Effect)]], after: [u64; 2], work: usize) -> (bool, Found) {
    let step = |(phase, index, effect): &(u32, u64, Effect)| Step {
        phase: *phase,
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
    let left = [((0, X), after[0]), ((0, Y), after[1])];
    let coherent = coherence::check(&runs, last_phase, &|_| Some(0), left.into_iter()).is_ok();
    let after = |(_, index): (u32, u64)| after.get(index as usize).copied();
    let question = Question { runs: &runs, last_phase, before: &|_| Some(0), after: &after };
    (coherent, search(&question, work))
}

const WORK: usize = 1 << 12;

#[test]
fn store_buffering_is_beyond_interleavings_and_coherent() {
    let threads = |first, second| {
        let (one, two) =
            ([(0, X, Write(1)), (0, Y, Read(first))], [(0, Y, Write(1)), (0, X, Read(second))]);
        ask(&[&one, &two], [1, 1], WORK)
    };
    assert_eq!(threads(0, 0), (true, Found::None));
    for (first, second) in [(0, 1), (1, 0), (1, 1)] {
        assert_eq!(threads(first, second), (true, Found::Interleaving));
    }
    assert_eq!(threads(0, 2), (false, Found::None));
}

#[test]
fn message_passing_out_of_order_is_beyond_interleavings_and_coherent() {
    let threads = |flag, data| {
        let (one, two) =
            ([(0, X, Write(1)), (0, Y, Write(1))], [(0, Y, Read(flag)), (0, X, Read(data))]);
        ask(&[&one, &two], [1, 1], WORK)
    };
    assert_eq!(threads(1, 0), (true, Found::None));
    for (flag, data) in [(0, 0), (0, 1), (1, 1)] {
        assert_eq!(threads(flag, data), (true, Found::Interleaving));
    }
}

#[test]
fn barriers_order_what_came_before() {
    let threads = |data| ask(&[&[(0, X, Write(1))], &[(1, X, Read(data))]], [1, 0], WORK);
    assert_eq!(threads(1), (true, Found::Interleaving));
    assert_eq!(threads(0), (false, Found::None));
}

#[test]
fn of_two_writes_one_is_last() {
    let threads = |left| ask(&[&[(0, X, Write(1))], &[(0, X, Write(2))]], [left, 0], WORK);
    assert_eq!(threads(1), (true, Found::Interleaving));
    assert_eq!(threads(2), (true, Found::Interleaving));
    assert_eq!(threads(0), (false, Found::None));
}

#[test]
fn the_last_write_is_the_one_that_is_seen_next() {
    let both = |seen, left| {
        let one = [(0, X, Write(1)), (1, X, Read(seen)), (2, X, Write(3))];
        ask(&[&one, &[(0, X, Write(2))]], [left, 0], WORK)
    };
    assert_eq!(both(1, 3), (true, Found::Interleaving));
    assert_eq!(both(2, 3), (true, Found::Interleaving));
    assert_eq!(both(3, 3), (false, Found::None));
    // Nobody sees who was last: another phase overwrites it.
    let unseen = ask(&[&[(0, X, Write(1)), (1, X, Write(3))], &[(0, X, Write(2))]], [3, 0], WORK);
    assert_eq!(unseen, (true, Found::Interleaving));
}

#[test]
fn updates_form_a_chain() {
    let add = |before| [(0, X, Update { before, after: before + 1 })];
    let adds = |first, second| ask(&[&add(first), &add(second)], [2, 0], WORK);
    assert_eq!(adds(0, 1), (true, Found::Interleaving));
    assert_eq!(adds(1, 0), (true, Found::Interleaving));
    // A lost update: coherent, were it not atomic.
    assert_eq!(adds(0, 0).1, Found::None);
}

#[test]
fn a_thread_does_not_read_what_it_overwrote() {
    let threads =
        |seen| ask(&[&[(0, X, Write(1)), (0, X, Read(seen))], &[(0, X, Write(2))]], [1, 0], WORK);
    assert_eq!(threads(0), (false, Found::None));
    assert_eq!(threads(1), (true, Found::Interleaving));
    // It reads 2 after its own 1, so 2 is last.
    assert_eq!(threads(2), (true, Found::None));
}

#[test]
fn a_hundred_threads_that_write_one_cell_need_no_search() {
    let writes: Vec<[(u32, u64, Effect); 2]> =
        (0..100).map(|value| [(0, X, Write(value)), (1, X, Read(42))]).collect();
    let threads: Vec<&[(u32, u64, Effect)]> = writes.iter().map(|own| &own[..]).collect();
    assert_eq!(ask(&threads, [42, 0], 100), (true, Found::Interleaving));
    assert_eq!(ask(&threads, [41, 0], 100), (false, Found::None));
}

#[test]
fn too_much_work_is_no_answer() {
    let own: [(u32, u64, Effect); 6] =
        [0, 1, 2, 3, 4, 5].map(|k| if k % 2 == 0 { (0, X, Write(k)) } else { (0, Y, Read(7)) });
    let other = own.map(|(phase, cell, effect)| match effect {
        Write(value) => (phase, cell, Write(value + 10)),
        Read(_) | Update { .. } => (phase, X, Read(3)),
    });
    let threads: [&[(u32, u64, Effect)]; 2] = [&own, &other];
    assert_eq!(ask(&threads, [4, 0], 0).1, Found::Undecided);
}
