//! Shadow memory (HiRace): monitored accesses of one thread after the other, eight bytes a cell.
//!
//! `cargo bench -p babycuda-benches --bench shadow`

use babycuda_core::AccessMode;
use babycuda_core::shadow::Machine;
use babycuda_detectors::hirace::{Accessor, Shadow};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

/// Blocks of 256 threads, eight warps each.
const THREADS: u64 = 1 << 16;

fn threads(shadow: &Shadow, barriers: u64) -> Vec<Accessor> {
    let thread = |id: u64| {
        let (warp, block) = (id / 32 * 32, id / 256 * 256);
        let groups = [(warp..warp + 32, 0), (block..block + 256, barriers)];
        shadow.thread(id, &groups).expect("the layout has room for it")
    };
    (0..THREADS).map(thread).collect()
}

fn benches(c: &mut Criterion) {
    let new = || Shadow::new(Machine::exact(), THREADS as usize, THREADS, &[12, 16]);
    let mut shadow = new().expect("a layout of 49 bits");
    let (before, after) = (threads(&shadow, 0), threads(&shadow, 1));
    let mut group = c.benchmark_group("shadow");
    group.throughput(Throughput::Elements(3 * THREADS));
    // Each thread writes its cell and reads its neighbour's behind a barrier, which writes it then.
    let neighbour = |cell: usize| cell ^ 1;
    group.bench_function("in order", |b| {
        b.iter(|| {
            let mut races = 0;
            for (cell, thread) in before.iter().enumerate() {
                races += usize::from(shadow.access_alone(cell, thread, AccessMode::Wr).is_some());
            }
            for (cell, thread) in after.iter().enumerate() {
                let read = shadow.access_alone(neighbour(cell), thread, AccessMode::Rd);
                races += usize::from(read.is_some());
            }
            for (cell, thread) in after.iter().enumerate() {
                let write = shadow.access_alone(neighbour(cell), thread, AccessMode::Wr);
                races += usize::from(write.is_some());
            }
            black_box(races)
        });
    });
    let shadow = new().expect("a layout of 49 bits");
    group.bench_function("compare and swap", |b| {
        b.iter(|| {
            for (cell, thread) in before.iter().enumerate() {
                black_box(shadow.access(cell, thread, AccessMode::Wr));
                black_box(shadow.access(neighbour(cell), thread, AccessMode::Rd));
                black_box(shadow.access(cell, thread, AccessMode::At(Default::default())));
            }
        });
    });
    group.finish();
}

criterion_group!(shadow, benches);
criterion_main!(shadow);
