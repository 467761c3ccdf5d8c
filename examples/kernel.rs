//! A CUDA kernel, checked for every launch and every parameter.
//!
//! `cargo run --example kernel --features frontend,solver`

use babycuda::core::verdict::Outcome;
use babycuda::frontend::{self, Translation, parse_cuda};
use babycuda::{CheckOptions, check};

const SOURCE: &str = r"
__global__ void shift(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = a[i + 1];
}
__global__ void scale(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = 2 * a[i];
}";

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = Vec::new();
    for kernel in parse_cuda(SOURCE, &frontend::Options::default())? {
        let Translation::Program(program) = kernel.translation else {
            println!("{}: not supported", kernel.name);
            continue;
        };
        let verdict = check(&program, &CheckOptions::default())?.verdict;
        words.push(verdict.outcome.word());
        println!("{}: {}", kernel.name, verdict.outcome.word());
        for race in &verdict.races {
            println!("  {}", race.witness);
        }
        if let Outcome::Unknown(why) = &verdict.outcome {
            println!("  {why}");
        }
    }
    assert_eq!(words, ["racy", "drf"]);
    Ok(())
}
