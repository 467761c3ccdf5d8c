//! A run on the simulator is one of the interleavings of the small-step semantics, and every
//! interleaving is one of the simulator's runs.

use crate::instances::{for_instances, simulated};
use babycuda_core::parse::parse_program;
use babycuda_core::{AccessMode, Cell, Launch, Natural};
use babycuda_gpu::Report;
use babycuda_gpu::report::Status;
use babycuda_gpu::sim::Schedule;
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{End, EndKind, ExplorationLimits, Reduction, explore};
use babycuda_testkit::generators::Profile;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The report as the end of an execution; where barriers have scopes, with the races of its log.
fn end(instance: &Instance, report: &Report) -> End {
    let kind = match report.status {
        Status::Done => EndKind::Done,
        Status::Divergence(_) => EndKind::Diverged,
        ref other => panic!("{other}"),
    };
    let entries = report.threads.iter().flat_map(|thread| &thread.log);
    let written = entries.filter(|entry| entry.mode != AccessMode::Rd).map(|entry| {
        let cell = report.cell(entry);
        let value = report.value(&cell.array, entry.index).expect("a cell that was accessed");
        (cell, Natural::from(value))
    });
    let scoped = instance.program.body.scoped_barrier().is_some();
    let phases = report.phases();
    let races = || (0..).zip(&phases).flat_map(|(number, phase)| phase.races(number));
    let unordered = scoped.then(|| races().collect());
    End { kind, intervals: report.accesses(), memory: written.collect(), unordered }
}

/// The cells that nobody wrote hold what the host stored.
fn others_are_untouched(report: &Report, end: &End, instance: &Instance) -> bool {
    report.arrays.iter().all(|array| {
        (0u64..).zip(&array.cells).all(|(index, value)| {
            let cell = Cell::new(array.name.clone(), index);
            let stored = || instance.host().get(&cell) == Some(&Natural::from(*value));
            end.memory.contains_key(&cell) || stored()
        })
    })
}

#[test]
fn every_run_is_an_interleaving() {
    let profile = Profile { huge: false, undefined: false, size: 12, ..Profile::ANY };
    let limits = ExplorationLimits { executions: 1_000, steps: 20_000 };
    let seen = for_instances(4_000, profile, |instance, schedule| {
        Ok(match simulated(&instance, schedule) {
            Err(label) => label,
            Ok(report) => match explore(&instance, Reduction::SleepSets, &limits) {
                Err(_) => "too many interleavings",
                Ok(exploration) => {
                    let end = end(&instance, &report);
                    prop_assert!(exploration.ends.contains(&end), "{:?}", end);
                    prop_assert!(others_are_untouched(&report, &end, &instance));
                    match exploration.ends.len() {
                        1 => "one end",
                        _ => "several ends",
                    }
                }
            },
        })
    });
    seen.assert_share("several ends", 0.05..=0.6);
    seen.assert_share("one end", 0.2..=0.8);
}

#[test]
fn every_interleaving_is_a_run() {
    for (text, threads, least) in [
        ("A[0] := tid; let x = A[0] in A[1 + tid] := x", 3, 20),
        ("let x = A[0] in A[0] := x + 1", 3, 3),
        ("let x = atomic A[0] add 1 in A[x + 1] := tid", 3, 6),
        ("A[tid] := 1; let x = A[1 - tid] in if x == 0 { sync } else { skip }; B[x] := 2", 2, 3),
        ("A[0] := tid; sync; let x = A[0] in if x == tid { A[1] := 5 } else { A[1] := x }", 2, 4),
        // Warps of two: one waits for nobody of the other.
        ("A[tid / 2] := tid; sync.warp; let x = A[0] in B[tid] := x", 3, 2),
        ("A[0] := tid; sync.warp; let x = A[0] in if x == 2 { B[tid] := 1 } else { skip }", 3, 8),
        ("if tid == 2 { sync.warp; A[0] := 5 } else { let x = A[0] in B[tid] := x }", 3, 3),
        ("sync.tile1; A[0] := tid; sync.warp; sync; A[1] := tid", 3, 9),
        ("if tid == 0 { skip } else { sync.warp }; let x = A[0] in A[0] := x + 1", 4, 3),
    ] {
        let program =
            parse_program(&format!("warp 2; shared A = fill 0; shared B = fill 0; {text}"));
        let program = program.unwrap_or_else(|e| panic!("{text}: {e}"));
        let launch = Launch { warp: 2, ..Launch::threads(threads) };
        let instance = Instance::new(program, launch);
        let all =
            explore(&instance, Reduction::None, &ExplorationLimits::default()).expect("few").ends;
        assert!(all.len() >= least, "{text}: {}", all.len());
        let runs = (0..2_000).map(|seed| simulated(&instance, Schedule::Random(seed)));
        let runs: BTreeSet<End> =
            runs.map(|report| end(&instance, &report.expect("it is exact"))).collect();
        assert_eq!(runs, all, "{text}");
    }
}
