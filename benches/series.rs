//! Kernels that grow in one thing: from the text to the verdict.
//!
//! `cargo bench -p babycuda-benches --bench series`

use babycuda::frontend::{Options, Translation, parse_cuda};
use babycuda::{CheckOptions, check};
use babycuda_testkit::series::SERIES;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::time::Duration;

fn verdicts(source: &str) -> usize {
    let kernels = parse_cuda(source, &Options::default()).unwrap_or_default();
    let checked = kernels.iter().filter_map(|kernel| match &kernel.translation {
        Translation::Program(program) => check(program, &CheckOptions::default()).ok(),
        _ => None,
    });
    checked.count()
}

fn series(c: &mut Criterion) {
    for series in SERIES {
        let mut group = c.benchmark_group(series.name);
        group.sample_size(10).warm_up_time(Duration::from_millis(200));
        group.measurement_time(Duration::from_secs(1));
        let mut sizes = [16, 64, 256].map(|n: usize| n.min(series.most)).to_vec();
        sizes.dedup();
        for n in sizes {
            let kernel = series.kernel(n);
            group.bench_function(BenchmarkId::from_parameter(n), |b| b.iter(|| verdicts(&kernel)));
        }
        group.finish();
    }
}

criterion_group!(benches, series);
criterion_main!(benches);
