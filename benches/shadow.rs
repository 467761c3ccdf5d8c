//! Shadow memory (HiRace): monitored accesses of one thread after the other, eight bytes a cell.
//!
//! Times are those of the processor, not of the clock on the wall, so that other work beside counts little.
//!
//! `cargo bench -p babycuda-benches --bench shadow`

use babycuda::frontend::{Options, parse_cuda};
use babycuda_core::shadow::Machine;
use babycuda_core::{AccessMode, Configuration, Dim3, Launch};
use babycuda_detectors::execute::{Limits, Schedule, run};
use babycuda_detectors::hirace::{Accessor, Bounds, Monitor, Numbered, Shadow};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

/// Blocks of 256 threads, eight warps each.
const THREADS: u64 = 1 << 16;
const BLOCK: u32 = 256;

/// A stencil in shared memory, and the sum of its block.
const KERNEL: &str = "__global__ void k(int *out, const int *in) {
    __shared__ int tile[258];
    __shared__ int sum[256];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    tile[t + 1] = in[i];
    if (t == 0) { tile[0] = 0; tile[257] = 0; }
    __syncthreads();
    sum[t] = tile[t] + tile[t + 1] + tile[t + 2];
    __syncthreads();
    for (unsigned s = 128; s > 0; s = s / 2) {
        if (t < s) sum[t] = sum[t] + sum[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}";

/// The accesses and barriers of a run of the kernel, threads in order.
fn recorded() -> Numbered {
    let kernels = parse_cuda(KERNEL, &Options::default()).expect("CUDA C");
    let kernel = kernels[0].tree.clone().expect("a kernel");
    let launch = Launch::new(Dim3::line(THREADS as u32 / BLOCK), Dim3::line(BLOCK));
    let at = Configuration::of_launch(launch);
    let run = run(&kernel, &at, Schedule::InOrder, &Limits::default()).expect("a launch");
    assert_eq!(run.stop, None);
    Numbered::of(&run.trace, Machine::exact().chain()).expect("few cells")
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

fn threads(shadow: &Shadow, barriers: u64) -> Vec<Accessor> {
    let thread = |id: u64| {
        let (warp, block) = (id / 32 * 32, id / 256 * 256);
        let groups = [(warp..warp + 32, 0), (block..block + 256, barriers)];
        shadow.thread(id, &groups).expect("the layout has room for it")
    };
    (0..THREADS).map(thread).collect()
}

fn benches(c: &mut Criterion) {
    let mut group = c.benchmark_group("shadow");
    let run = recorded();
    group.throughput(Throughput::Elements(run.accesses() as u64));
    println!("a run of {} accesses of {} cells", run.accesses(), run.cells());
    group.bench_function("a recorded run", |b| {
        b.iter_custom(|rounds| {
            let round = |_| {
                let machine = Machine::exact();
                let monitor = Monitor::new(&run, &machine, &[12, 16], Bounds::default());
                let monitor = monitor.expect("a layout of 49 bits");
                time(|| {
                    let replay = monitor.replay();
                    assert!(replay.races.is_empty() && replay.stop.is_none());
                })
            };
            (0..rounds).map(round).sum()
        });
    });
    let new = || Shadow::new(Machine::exact(), THREADS as usize, THREADS, &[12, 16]);
    let shadow = new().expect("a layout of 49 bits");
    let before = threads(&shadow, 0);
    // Each thread writes its cell, reads its neighbour's, and updates its own.
    let neighbour = |cell: usize| cell ^ 1;
    group.throughput(Throughput::Elements(3 * THREADS));
    group.bench_function("compare and swap", |b| {
        b.iter_custom(|rounds| {
            time(|| {
                for (cell, thread) in (0..rounds).flat_map(|_| before.iter().enumerate()) {
                    black_box(shadow.access(cell, thread, AccessMode::Wr));
                    black_box(shadow.access(neighbour(cell), thread, AccessMode::Rd));
                    black_box(shadow.access(cell, thread, AccessMode::At(Default::default())));
                }
            })
        });
    });
    group.finish();
}

criterion_group!(shadow, benches);
criterion_main!(shadow);
