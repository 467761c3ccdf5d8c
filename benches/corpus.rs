//! The corpus: front end, and decision for all block sizes and parameters.
//!
//! `cargo bench -p babycuda-benches --bench corpus`

use babycuda::core::Program;
use babycuda::frontend::{Options, Translation, parse_cuda};
use babycuda::{CheckOptions, check};
use criterion::{Criterion, criterion_group, criterion_main};
use std::path::Path;

/// Every kernel of the corpus, with its source.
fn kernels() -> Vec<(String, String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let mut kernels = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(name) = path.file_stem().map(|s| s.to_string_lossy().into_owned()) else {
            continue;
        };
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        let Ok(found) = parse_cuda(&source, &Options::default()) else { continue };
        for kernel in found {
            if let Translation::Program(program) = kernel.translation {
                kernels.push((name.clone(), source.clone(), program));
            }
        }
    }
    kernels.sort_by(|a, b| a.0.cmp(&b.0));
    kernels
}

fn corpus(c: &mut Criterion) {
    let kernels = kernels();
    c.bench_function("front end, whole corpus", |b| {
        let options = Options::default();
        b.iter(|| kernels.iter().filter(|k| parse_cuda(&k.1, &options).is_ok()).count());
    });
    let mut group = c.benchmark_group("all sizes");
    group.sample_size(10);
    for (name, _, program) in &kernels {
        group.bench_function(name, |b| b.iter(|| check(program, &CheckOptions::default())));
    }
    group.finish();
}

criterion_group!(benches, corpus);
criterion_main!(benches);
