//! Test amplification (LGAGJL12): the log and its sweep, access invariance, the model of its section 3.

#[path = "../common/mod.rs"]
mod common;
mod corpus;
mod detector;
mod determinism;
mod invariance;
mod model;
mod rewriting;
mod sorting;
mod variance;

use babycuda_detectors::amplification::{Invariance, data, invariance};
use babycuda_kernel::{At, Kernel};
use std::sync::Arc;

/// The first kernel of a file.
fn kernel(source: &str) -> Arc<Kernel> {
    let kernels = babycuda_frontend::parse_cuda(source, &Default::default()).expect("a file");
    let tree = kernels.into_iter().next().and_then(|kernel| kernel.tree);
    tree.expect("a tree")
}

/// What the static half says where its inputs are data as usual.
fn analysed(source: &str) -> Invariance {
    let kernel = kernel(source);
    kernel.check().expect("a well-formed tree");
    invariance(&kernel, &data(&kernel))
}

/// The text where a node stands.
fn text<'a>(source: &'a str, kernel: &Kernel, at: At) -> &'a str {
    &source[kernel[at].bytes.clone()]
}
