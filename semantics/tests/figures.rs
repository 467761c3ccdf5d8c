//! The examples of LCL22 §2 and §3, as printed.

use babycuda_core::Launch;
use babycuda_core::parse::parse_program;
use babycuda_core::{AccessMode, Accesses, Cell, History, Natural, Phase, Program};
use babycuda_semantics::{Instance, Outcome, RunOptions};

fn program(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|e| panic!("{e}"))
}

fn done(instance: &Instance) -> History {
    match instance.run(&RunOptions::default()) {
        Outcome::Done { history } => history,
        other => panic!("{other:?}"),
    }
}

#[test]
fn figure_3_races_on_every_cell_of_the_loop() {
    let text =
        "param M = 3; shared A = [5, 6, 7]; forU x in 0..M { let y = A[x] in A[x] := y + 1 }";
    let history = done(&Instance::new(program(text), Launch::threads(2)));
    assert_eq!(
        history.to_string(),
        "[{0: ({0, 1, 2}, {0: 6, 1: 7, 2: 8}), 1: ({0, 1, 2}, {0: 6, 1: 7, 2: 8})}]"
    );
    // Per cell: write-write, and each thread's read with the other's write.
    assert_eq!(history.races().count(), 9);
}

#[test]
fn figure_4_is_drf() {
    let text = "if tid == 0 { A[0] := tid } else { skip }";
    let history = done(&Instance::new(program(text), Launch::threads(4)));
    assert_eq!(history.to_string(), "[{0: (∅, {0: 0})}]");
    assert!(history.is_drf());
}

/// Phase 0: thread 0 wrote 9 to index 1, thread 1 wrote 10 to index 2. Phase 1: both wrote their
/// identifier to index 0, which thread 1 read as well.
#[test]
fn equation_1_is_the_history_of_a_program() {
    let text = "if tid == 0 { A[1] := 9 } else { A[2] := 10 }; sync;
                A[0] := tid; if tid == 1 { let x = A[0] in skip } else { skip }";
    let history = done(&Instance::new(program(text), Launch::threads(2)));
    let wrote = |j: u32, k: u32| Accesses::default().write(Cell::new("A", j), Natural::from(k));
    let phase_0: Phase = [(0, wrote(1, 9)), (1, wrote(2, 10))].into_iter().collect();
    let phase_1: Phase =
        [(0, wrote(0, 0)), (1, wrote(0, 1).read(Cell::new("A", 0u32)))].into_iter().collect();
    let printed = History::empty(history.host().clone()).push(phase_0.clone()).push(phase_1);
    assert_eq!(history, printed);
    assert_eq!(
        history.to_string(),
        "[{0: (∅, {0: 0}), 1: ({0}, {0: 1})}, {0: (∅, {1: 9}), 1: (∅, {2: 10})}]"
    );
    assert!(!phase_0.is_racy());
    let races: Vec<String> = history.races().map(|race| race.to_string()).collect();
    assert_eq!(
        races,
        [
            "phase 1: thread 0 wr / thread 1 rd on A[0]",
            "phase 1: thread 0 wr / thread 1 wr on A[0]",
        ]
    );
    let write = AccessMode::Wr;
    assert!(history.races().all(|race| race.first == (0, write)));
}
