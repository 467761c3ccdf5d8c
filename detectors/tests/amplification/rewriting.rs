//! The rewriting of Fig. 6.

use super::*;
use babycuda_core::verdict::Outcome;
use babycuda_core::{Cell, Configuration, Natural};
use babycuda_detectors::Detector;
use babycuda_detectors::amplification::{Amplification, VarianceKind, rewrite};
use babycuda_detectors::execute::{Limits, Run, Schedule, run};

/// A bitonic sort with the conditional swap of Fig. 6.
const BITONIC: &str = "__global__ void sort(int *data) {
    __shared__ int A[16];
    int i = threadIdx.x;
    A[i] = data[i];
    __syncthreads();
    for (int k = 2; k <= 16; k *= 2) {
        for (int s = k / 2; s > 0; s /= 2) {
            int j = i ^ s;
            if (j > i) {
                if ((A[i] > A[j]) == ((i & k) == 0)) { int t = A[i]; A[i] = A[j]; A[j] = t; }
            }
            __syncthreads();
        }
    }
    data[i] = A[i];
}";

fn go(kernel: &Kernel, configuration: &Configuration) -> Run {
    let run = run(kernel, configuration, Schedule::InOrder, &Limits::default()).expect("a run");
    assert_eq!(run.stop, None);
    run
}

fn stored(values: &[u64]) -> Configuration {
    let mut configuration = Configuration::threads(16);
    for (i, value) in values.iter().enumerate() {
        let cell = Cell::new("data", i as u64);
        configuration.host.set(cell, Natural::from(*value));
    }
    configuration
}

/// §5.2: with the rewriting, sortingNetworks is invariant. It still sorts.
#[test]
fn the_bitonic_sort_becomes_invariant() {
    let original = kernel(BITONIC);
    let found = analysed(BITONIC);
    assert!(found.variances.iter().all(|v| v.kind == VarianceKind::Guard) && !found.holds());
    let (rewritten, branches) = rewrite(&original, &data(&original));
    rewritten.check().expect("a well-formed tree");
    let [at] = branches.iter().collect::<Vec<_>>()[..] else { panic!("{branches:?}") };
    assert!(text(BITONIC, &original, *at).starts_with("if ((A[i]"));
    let found = invariance(&rewritten, &data(&rewritten));
    assert!(found.holds(), "{:?}", found.variances);
    let values: Vec<u64> = (0..16).map(|i| i * 37 % 101 * (i % 3)).collect();
    let configuration = stored(&values);
    let [before, after] = [&original, &rewritten].map(|kernel| go(kernel, &configuration));
    let mut sorted = values.clone();
    sorted.sort_unstable();
    for (i, value) in sorted.into_iter().enumerate() {
        for run in [&before, &after] {
            let held = run.memory.get(&Cell::new("data", i as u64));
            assert_eq!(held, Some(&Natural::from(value)), "{i}");
        }
    }
    // A clean run of the rewritten kernel speaks for all data; one of the original does not.
    let verdict = |kernel: &Kernel| {
        let verdict = Amplification::default().detect(kernel, &configuration);
        verdict.expect("in the language").outcome
    };
    assert_eq!(verdict(&rewritten), Outcome::Drf);
    assert!(matches!(verdict(&original), Outcome::Unknown(_)));
}

/// What was not done before is not done now, on all values of a small input.
#[test]
fn rewritten_kernels_store_the_same() {
    for body in [
        "if (d[0] > d[1]) d[2] = 7;",
        "if (d[0] > d[1]) d[2] = 7; else d[2] = 8;",
        "if (d[0]) { d[0] = d[1]; d[1] = d[0]; } else { d[1] = 5; }",
        "int x = 3; if (d[0]) { if (d[1]) x = 4; else { int y = d[1]; x = y + x; } d[3] = x; } d[2] = x;",
        "int x = 0; if (d[0] && d[1]) x = 1; else if (d[1]) x = 2; d[2] = x;",
    ] {
        let original = kernel(&format!("__global__ void k(int *d) {{ {body} }}"));
        let (rewritten, branches) = rewrite(&original, &data(&original));
        assert!(!branches.is_empty(), "{body}");
        rewritten.check().expect("a well-formed tree");
        for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
            let mut configuration = Configuration::threads(1);
            configuration.host.set(Cell::new("d", 0u64), Natural::from(a as u64));
            configuration.host.set(Cell::new("d", 1u64), Natural::from(b as u64));
            let [before, after] = [&original, &rewritten].map(|kernel| go(kernel, &configuration));
            for i in 0..4u64 {
                let held =
                    |run: &Run| run.memory.get(&Cell::new("d", i)).cloned().unwrap_or_default();
                assert_eq!(held(&before), held(&after), "{body} {a} {b} {i}");
            }
        }
    }
}

/// What has other effects stays as it is.
#[test]
fn effects_are_not_rewritten() {
    for body in [
        "if (d[0]) __syncthreads();",
        "if (d[0]) return;",
        "int i = 0; if (d[0]) d[i++] = 1;",
        "if (d[0]) atomicAdd(d, 1);",
        "if (d[0]) for (int i = 0; i < 3; i++) d[i] = 1;",
        // No data decides.
        "if (threadIdx.x > 3) d[0] = 1;",
    ] {
        let original = kernel(&format!("__global__ void k(int *d) {{ {body} }}"));
        let (rewritten, branches) = rewrite(&original, &data(&original));
        assert!(branches.is_empty() && rewritten == *original, "{body}");
    }
}
