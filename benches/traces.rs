//! Logs of accesses: all races of a log in memory, its reading included.
//!
//! Times are those of the processor, not of the clock on the wall, so that other work beside counts little.
//!
//! `cargo bench -p babycuda-benches --bench traces`

use babycuda_core::{AccessMode, Dim3, Launch, Site, Thread};
use babycuda_traces::{Access, Array, Barrier, LogReader, Options, Outcome, Record, Writer, check};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

/// Blocks of 256 threads, eight warps each.
const BLOCKS: u64 = 256;
const THREADS: u64 = 256;

/// The log of a stencil in shared memory and the sum of its block, so many times, a barrier of the grid between; thread
/// by thread, or warp by warp as lanes go together.
fn stencil(rounds: u64, together: bool) -> (Vec<u8>, u64) {
    let launch = Launch::new(Dim3::line(BLOCKS as u32), Dim3::line(THREADS as u32));
    let mut log = Writer::new(Vec::new(), launch).expect("a launch");
    for (name, shared) in [("in", false), ("tile", true), ("sum", true), ("out", false)] {
        let array = Array { name: name.into(), shared, element: 4 };
        log.write(&Record::Array(array)).expect("an array");
    }
    let (read, wrote) = (AccessMode::Rd, AccessMode::Wr);
    for block in (0..rounds).flat_map(|_| 0..BLOCKS) {
        // Which cells each thread accesses between two barriers, by statement.
        type Cells = fn(u64, u64) -> u64;
        type Phase = (u64, Vec<(AccessMode, u32, Cells)>);
        let mut phases: Vec<Phase> = vec![
            (256, vec![(read, 0, |block, t| block * 256 + t), (wrote, 1, |_, t| t + 1)]),
            (
                256,
                vec![
                    (read, 1, |_, t| t),
                    (read, 1, |_, t| t + 1),
                    (read, 1, |_, t| t + 2),
                    (wrote, 2, |_, t| t),
                ],
            ),
        ];
        let halves: [(u64, Cells); 8] = [
            (128, |_, t| t + 128),
            (64, |_, t| t + 64),
            (32, |_, t| t + 32),
            (16, |_, t| t + 16),
            (8, |_, t| t + 8),
            (4, |_, t| t + 4),
            (2, |_, t| t + 2),
            (1, |_, t| t + 1),
        ];
        for (threads, other) in halves {
            phases
                .push((threads, vec![(read, 2, |_, t| t), (read, 2, other), (wrote, 2, |_, t| t)]));
        }
        phases.push((1, vec![(read, 2, |_, t| t), (wrote, 3, |block, _| block)]));
        let mut site = 0;
        for (threads, accesses) in phases {
            let mut put = |t: u64, of: usize| {
                let (mode, array, cell) = accesses[of];
                let thread = Thread { block, index: t };
                let site = Some(Site(site + of as u32));
                let access = Access { thread, mode, array, index: cell(block, t), site };
                log.write(&Record::Access(access)).expect("an access");
            };
            let all = 0..accesses.len();
            if together {
                for warp in (0..threads).step_by(32) {
                    let lanes = || warp..threads.min(warp + 32);
                    all.clone().for_each(|of| lanes().for_each(|t| put(t, of)));
                }
            } else {
                (0..threads).for_each(|t| all.clone().for_each(|of| put(t, of)));
            }
            site += accesses.len() as u32;
            log.write(&Record::Barrier(Barrier::Block { block })).expect("a barrier");
        }
        if block + 1 == BLOCKS {
            log.write(&Record::Barrier(Barrier::Grid)).expect("a barrier");
        }
    }
    let accesses = log.tables().accesses();
    (log.finish().expect("room"), accesses)
}

/// How long a call takes the processor.
fn time<T>(call: impl FnOnce() -> T) -> Duration {
    let start = now();
    black_box(call());
    now() - start
}

#[cfg(unix)]
fn now() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Elsewhere, by the clock on the wall.
#[cfg(not(unix))]
fn now() -> Duration {
    std::time::UNIX_EPOCH.elapsed().unwrap_or_default()
}

fn benches(c: &mut Criterion) {
    let mut group = c.benchmark_group("traces");
    group.sample_size(10);
    for (name, together) in [("thread by thread", false), ("warp by warp", true)] {
        let (log, accesses) = stencil(16, together);
        println!("{name}: {accesses} accesses in {} bytes", log.len());
        group.throughput(Throughput::Elements(accesses));
        group.bench_function(format!("{name}, read"), |b| {
            b.iter_custom(|rounds| {
                let read = |_| {
                    time(|| {
                        let mut reader = LogReader::new(log.as_slice()).expect("a log");
                        let on = |access: &Access| {
                            black_box(access);
                            std::ops::ControlFlow::Continue(())
                        };
                        while reader.accesses(on).expect("a log").is_some() {}
                    })
                };
                (0..rounds).map(read).sum()
            });
        });
        group.bench_function(format!("{name}, checked"), |b| {
            b.iter_custom(|rounds| {
                let one = |_| {
                    time(|| {
                        let checked = check(|| Ok(log.as_slice()), &Options::default());
                        assert_eq!(checked.expect("a log").outcome, Outcome::Drf);
                    })
                };
                (0..rounds).map(one).sum()
            });
        });
    }
    group.finish();
}

criterion_group!(traces, benches);
criterion_main!(traces);
