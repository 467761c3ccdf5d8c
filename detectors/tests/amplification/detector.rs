//! The whole technique on kernels.

use super::*;
use babycuda_core::syntax::Space;
use babycuda_core::verdict::{Outcome, Verdict};
use babycuda_core::{Configuration, Dim3, Launch};
use babycuda_detectors::amplification::Amplification;
use babycuda_detectors::{Detector, Refusal};

fn detect(source: &str, configuration: &Configuration) -> Result<Verdict, Refusal> {
    Amplification::default().detect(&kernel(source), configuration)
}

fn word(source: &str) -> String {
    let grid = Launch::new(Dim3::line(2), Dim3::line(64));
    let configuration = Configuration::of_launch(grid).with("n", 100u64).with("m", 3u64);
    match detect(source, &configuration) {
        Ok(verdict) => verdict.outcome.word().to_owned(),
        Err(refusal) => refusal.to_string(),
    }
}

/// A clean run of an invariant kernel: race-free for all data, and for all values of what decides no access.
#[test]
fn a_clean_run_speaks_for_all_data() {
    let source = "__global__ void k(int *a, const int *b, int n, int m) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) { int x = b[i]; a[i] = x > m ? m : x; } }";
    let configuration = Configuration::threads(8).with("n", 100u64).with("m", (1u64 << 32) - 1);
    let verdict = detect(source, &configuration).expect("in the language");
    assert_eq!(verdict.outcome, Outcome::Drf);
    let scope = verdict.scope.expect("a scope");
    let fixed: Vec<String> = scope.fixed.iter().map(|(x, k)| format!("{x} = {k}")).collect();
    assert_eq!((scope.block[0].as_str(), fixed), ("8", vec!["n = 100".to_owned()]));
    assert!(scope.assumptions.contains(&"pointer parameters do not overlap".to_owned()));
    // It is no more than that: what is fixed decides.
    assert_eq!(word(source), "drf");
}

#[test]
fn a_race_of_the_run_is_reported_once_for_two_statements() {
    let source = "__global__ void k(int *a) { a[threadIdx.x / 2] = threadIdx.x; }";
    let verdict = detect(source, &Configuration::threads(8)).expect("in the language");
    assert_eq!(verdict.outcome, Outcome::Racy);
    let [race] = &verdict.races[..] else { panic!("{verdict:?}") };
    assert_eq!(race.cell.to_string(), "a[0]");
    let kernel = kernel(source);
    assert_eq!(text(source, &kernel, At(race.first.site.0)), "a[threadIdx.x / 2]");
    // Blocks race on global memory whatever barriers there are, and not on shared.
    assert_eq!(word("__global__ void k(int *a) { __syncthreads(); a[threadIdx.x] = 1; }"), "racy");
    let shared = "__global__ void k(int *a) { __shared__ int s[64]; s[threadIdx.x] = 1; }";
    assert_eq!(word(shared), "drf");
}

/// A run that happens to be clean says nothing where data decides: never race-free.
#[test]
fn a_clean_run_of_a_variant_kernel_is_unknown() {
    for body in [
        "if (b[0]) a[0] = t;",
        "if (b[t] > n) a[0] = t;",
        "int x = 0; if (b[t]) x = 1; if (x) a[0] = t;",
        "if (!b[t]) return; a[0] = t;",
        "for (int i = 0; i < b[t]; i++) a[i] = t;",
    ] {
        let kernel = format!(
            "__global__ void k(int *a, const int *b, int n) {{ int t = threadIdx.x; {body} }}"
        );
        let configuration = Configuration::threads(8).with("n", 100u64);
        let verdict = detect(&kernel, &configuration).expect("in the language");
        let Outcome::Unknown(reason) = &verdict.outcome else { panic!("{body}: {verdict:?}") };
        assert!(reason.contains("input `b`"), "{reason}");
    }
}

/// A run that does not end is not amplified: Theorem 1 as printed would.
#[test]
fn an_unfinished_run_is_unknown() {
    for body in [
        "if (n > 3) __trap(); a[0] = 1;",
        "int x = n / (m - 3); a[0] = x;",
        "if (threadIdx.x < m) __syncthreads();",
        "while (true) { }",
    ] {
        let kernel = format!("__global__ void k(int *a, int n, int m) {{ {body} }}");
        assert_eq!(word(&kernel), "unknown", "{body}");
    }
}

#[test]
fn what_the_paper_has_not_is_refused() {
    for (body, construct) in [
        ("atomicAdd(a, 1);", "atomicAdd"),
        ("a[0] = __ballot_sync(0xffffffff, 1);", "__ballot_sync"),
        ("a[0] = __shfl_sync(0xffffffff, 1, 0);", "__shfl_sync"),
        ("__syncwarp();", "__syncwarp"),
    ] {
        let found = word(&format!("__global__ void k(int *a) {{ {body} }}"));
        assert!(found.starts_with(construct), "{found}");
    }
    let mut local = Kernel::clone(&kernel("__global__ void k(int *a) { __syncthreads(); }"));
    local.narrow_barriers = vec![(At(0), Space::Shared)];
    let refusal = Amplification::default().detect(&local, &Configuration::threads(2));
    assert!(matches!(refusal, Err(Refusal::Unsupported { .. })));
    let claims = Amplification::default().claims();
    let fragment = claims.misses_no_race.expect("it claims so");
    assert!((fragment.holds)(&kernel("__global__ void k(int *a) { a[0] = 1; }")));
    assert!(!(fragment.holds)(&kernel("__global__ void k(int *a) { atomicAdd(a, 1); }")));
}
