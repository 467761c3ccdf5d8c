//! Devices whose output is not that of any run.

use crate::fake::Fake;
use crate::{job_of, small};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Cell, Site};
use babycuda_gpu::report::{Entry, Report};
use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, Failure, Job, JobOptions, Malformed, MalformedThread, Output, Runner};
use proptest::prelude::*;

/// Runs jobs on a device that changes its output.
fn with(jobs: &[Job], change: impl Fn(&mut Output)) -> Vec<Result<Report, Failure>> {
    let mut device = Fake::new(|_, image| {
        let mut output = Sim::new(Schedule::RoundRobin).launch(image).expect("it runs");
        change(&mut output);
        Some(Ok(output))
    });
    Runner::new(&mut device).run(jobs)
}

/// Two threads at: 0 read, 1 and 2 arithmetic, 3 write, 4 sync, 5 arithmetic, 6 write, 7 halt.
fn job() -> Job {
    let options = JobOptions { fuel: 9, log: 3, length: 2, ..small() };
    job_of("let x = A[tid] in { A[1 - tid] := x; sync; B[tid] := tid + x }", 2, &options)
}

#[test]
fn every_lie_is_found_where_it_is() {
    let thread = |thread, kind| Malformed::Thread { thread, kind };
    let entry = |pc: u64, phase: u64| pc | phase << 32;
    type Change = Box<dyn Fn(&mut Output)>;
    let word =
        |number: usize, value: u32| -> Change { Box::new(move |o| o.threads[number] = value) };
    let words = |changes: &'static [(usize, u32)]| -> Change {
        Box::new(move |o| changes.iter().for_each(|(n, value)| o.threads[*n] = *value))
    };
    let long = |number: usize, value: u64| -> Change { Box::new(move |o| o.log[number] = value) };
    let code = job();
    let pc_of_halt = code.code().instructions().len() as u32 - 1;
    let stop = |pc, status| MalformedThread::Stop { pc, status };
    let length = |what, found, expected| Malformed::Length { what, found, expected };
    let cases: Vec<(Change, Malformed)> = vec![
        (Box::new(|o| o.memory.clear()), length("longs of memory", 0, 8)),
        (Box::new(|o| o.log.push(0)), length("longs of the log", 37, 36)),
        (Box::new(|o| o.threads.truncate(3)), length("words of thread results", 3, 32)),
        (word(0, 5), thread(0, MalformedThread::Status(5))),
        (word(8, 1), thread(1, stop(pc_of_halt, 1))),
        (word(8, 3), thread(1, stop(pc_of_halt, 3))),
        (word(1, 3), thread(0, stop(3, 0))),
        (word(1, 99), thread(0, stop(99, 0))),
        (word(2, 4), thread(0, MalformedThread::Entries { entries: 4, capacity: 3 })),
        (
            words(&[(0, 3), (1, 0), (2, 2)]),
            thread(0, MalformedThread::Entries { entries: 2, capacity: 3 }),
        ),
        (
            words(&[(0, 4), (1, 0), (6, 1)]),
            thread(0, MalformedThread::Index { index: 1, cells: 2 }),
        ),
        (word(11, 1), thread(1, MalformedThread::Overflow(0))),
        (word(11, 77), thread(1, MalformedThread::Overflow(76))),
        (word(13, 10), thread(1, MalformedThread::Fuel { left: 10, given: 9 })),
        (words(&[(8, 2)]), thread(1, MalformedThread::Fuel { left: 1, given: 9 })),
        (word(12, 7), Malformed::Phases { thread: 1, first: 1, other: 7 }),
        (word(4, 9), thread(0, MalformedThread::Barriers { phase: 9, executed: 8 })),
        (long(0, entry(2, 0)), thread(0, MalformedThread::Access { entry: 0, pc: 2 })),
        (long(9, entry(44, 0)), thread(1, MalformedThread::Access { entry: 0, pc: 44 })),
        (long(0, entry(0, 1)), thread(0, MalformedThread::Phase { entry: 1, phase: 0 })),
        (long(6, entry(0, 2)), thread(0, MalformedThread::Phase { entry: 2, phase: 2 })),
        (long(1, 2), thread(0, MalformedThread::Cell { entry: 0, cell: Cell::new("A", 2u32) })),
        (
            words(&[(0, 1), (1, 4), (8, 1), (9, 4)]),
            Malformed::OneBarrier(Site(2), BarrierScope::Block),
        ),
    ];
    assert!(with(std::slice::from_ref(&code), |_| {})[0].is_ok(), "{}", code.code());
    for (number, (change, malformed)) in cases.into_iter().enumerate() {
        let results = with(&[job(), job()], change);
        let everywhere = matches!(malformed, Malformed::Length { .. });
        assert_eq!(results[0], Err(malformed.into()), "case {number}\n{}", code.code());
        // The other job did not suffer, unless no one knows where its part is.
        assert_eq!(results[1].is_err(), everywhere, "case {number}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    /// Whatever a device leaves behind, there is a report that can be read, or an error.
    #[test]
    fn no_output_is_trusted(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), 0u32..12), 1..4),
        longs in proptest::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 0..3),
    ) {
        let results = with(&[job()], |output| {
            for (index, value) in &changes {
                let length = output.threads.len();
                output.threads[index.index(length)] = value.wrapping_sub(1);
            }
            for (index, value) in &longs {
                let length = output.log.len();
                output.log[index.index(length)] = *value;
            }
        });
        if let Ok(report) = &results[0] {
            let accesses: usize = report.threads.iter().map(|thread| thread.log.len()).sum();
            prop_assert!(report.last_phase <= 9 && accesses <= 6);
            prop_assert_eq!(report.trace().events.len(), accesses + report.last_phase as usize);
            let cells = |thread: &[Entry]| thread.iter().all(|entry| entry.index < 2);
            prop_assert!(report.threads.iter().all(|thread| cells(&thread.log)));
        }
    }
}
