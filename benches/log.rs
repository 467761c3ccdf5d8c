//! Test amplification (LGAGJL12): a log sorted within a budget of memory, and swept for conflicts.
//!
//! `cargo bench -p babycuda-benches --bench log`

use babycuda_core::AccessMode;
use babycuda_detectors::amplification::{Entry, Sorter, Sweep};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

/// Accesses of the log: 100 MB of entries.
const ACCESSES: u64 = 1 << 20;

/// Each of 2^16 threads accesses cells of its own, thread by thread, a barrier between.
fn entry(n: u64) -> Entry {
    let (thread, round) = (n % (1 << 16), n >> 16);
    Entry {
        array: 0,
        owner: 0,
        index: thread ^ round << 16,
        epoch: 0,
        block: thread / 256,
        interval: round,
        warp: thread % 256 / 32,
        stage: 0,
        thread: thread % 256,
        mode: if round % 2 == 0 { AccessMode::Wr } else { AccessMode::Rd },
        site: None,
    }
}

fn benches(c: &mut Criterion) {
    let mut group = c.benchmark_group("log");
    group.sample_size(10).throughput(Throughput::Elements(ACCESSES));
    for (name, budget) in [("in memory", 1 << 28), ("within a twentieth", 5 << 20)] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let place = std::env::temp_dir();
                let mut sorter = Sorter::new(budget, &place).expect("a folder");
                for n in 0..ACCESSES {
                    sorter.push(entry(n)).expect("room for the log");
                }
                let conflicts = Sweep::new(sorter.finish().expect("room for the log")).count();
                assert_eq!(black_box(conflicts), 0);
            });
        });
    }
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
