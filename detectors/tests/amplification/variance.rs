//! The patterns of variance of LGAGJL12 §5.2, and the way of the taint.

use super::*;
use babycuda_detectors::amplification::{Flow, VarianceKind};

fn kinds(source: &str) -> Vec<VarianceKind> {
    let mut kinds: Vec<_> = analysed(source).variances.into_iter().map(|v| v.kind).collect();
    kinds.dedup();
    kinds
}

/// Fig. 5, with threads.
const HISTOGRAM: &str = "__global__ void histogram(unsigned char *data, int *bin, int size) {
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        int b = data[i] & 0x3F;
        bin[b]++;
    }
}";

/// Direct flow: the address is an input's value.
#[test]
fn direct_flow() {
    assert_eq!(kinds(HISTOGRAM), [VarianceKind::Address]);
    let found = analysed(HISTOGRAM);
    let kernel = kernel(HISTOGRAM);
    let [variance] = &found.variances[..] else { panic!("{found:?}") };
    assert_eq!(text(HISTOGRAM, &kernel, variance.at), "bin[b]++");
    let way: Vec<(Flow, &str)> = variance
        .way
        .iter()
        .map(|step| (step.flow.clone(), text(HISTOGRAM, &kernel, step.at)))
        .collect();
    let wanted = [Flow::Input("data".into()), Flow::Into("b".into())];
    assert_eq!(way.iter().map(|(flow, _)| flow.clone()).collect::<Vec<_>>(), wanted);
    assert!(way[1].1.contains("data[i] & 0x3F"), "{way:?}");
}

/// Indirect flow: a loop goes on as long as data says so (as in eigenvalues).
#[test]
fn indirect_flow() {
    let source = "__global__ void split(float *lower, float *upper, const float *bound) {
        float low = lower[threadIdx.x];
        while (upper[threadIdx.x] - low > bound[0]) { low += 1.0f; lower[threadIdx.x] = low; }
    }";
    assert_eq!(kinds(source), [VarianceKind::Guard]);
    let found = analysed(source);
    assert_eq!(found.loops.len(), 1);
    assert!(found.branches.is_empty());
    for variance in &found.variances {
        let decides = variance.way.iter().any(|step| step.flow == Flow::Decides);
        assert!(decides && matches!(variance.way[0].flow, Flow::Input(_)), "{variance:?}");
    }
}

/// A way through functions, references and conditions begins at an input, and each step has its place.
#[test]
fn a_way_through_calls() {
    let source = "__device__ void set(int &r, int x) { r = x; }
        __device__ int sign(int x) { if (x > 0) return 1; return 0; }
        __global__ void k(int *a, int *b) { int i = 0; set(i, sign(b[0])); a[i] = 1; }";
    let found = analysed(source);
    let [variance] = &found.variances[..] else { panic!("{found:?}") };
    let flows: Vec<Flow> = variance.way.iter().map(|step| step.flow.clone()).collect();
    let wanted = [
        Flow::Input("b".into()),
        Flow::Into("x".into()),
        Flow::Decides,
        Flow::Returned("sign".into()),
        Flow::Into("x".into()),
        Flow::Into("i".into()),
    ];
    assert_eq!(flows, wanted);
}

#[test]
fn what_is_not_understood_varies() {
    let source = "__global__ void k(int *a) { asm(\"trap;\"); a[0] = 1; }";
    assert!(matches!(kinds(source)[..], [VarianceKind::Unknown(_)]), "{:?}", kinds(source));
    let nested = "__device__ int g(int n) { return n; } __device__ int f(int n) { return g(n); }
        __global__ void k(int *a) { a[f(3)] = 1; }";
    let mut kernel = Kernel::clone(&kernel(nested));
    assert!(invariance(&kernel, &data(&kernel)).holds());
    // Both functions call the second now.
    let body = |name| kernel.functions.iter().position(|f| f.name == name).expect("a function");
    let (f, g) = (body("f"), body("g"));
    kernel.functions[g].body = kernel.functions[f].body.clone();
    let recursive = invariance(&kernel, &data(&kernel)).variances;
    assert!(recursive.iter().any(|v| v.kind == VarianceKind::Unknown("recursion".into())));
    let anywhere = "__global__ void k(int **a) { int *p = (int *)7; *p = 1; }";
    assert!(kinds(anywhere).iter().any(|kind| matches!(kind, VarianceKind::Unknown(_))));
}

#[test]
fn barriers_that_data_decides() {
    let source = "__global__ void k(int *a) { if (a[threadIdx.x]) __syncthreads(); }";
    assert_eq!(kinds(source), [VarianceKind::Barrier]);
    assert!(!analysed(source).branches.is_empty());
}
