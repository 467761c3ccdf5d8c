//! How many accesses a second enumeration handles:
//! `cargo run --release -p babycuda-protocols --example throughput`.

use babycuda_core::parse::parse_protocol;
use babycuda_core::syntax::Geometry;
use babycuda_core::{Configuration, Declarations};
use babycuda_protocols::enumerate;
use babycuda_protocols::enumerate::EnumerationLimits;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let declarations = Declarations::of_geometry(Geometry::line());
    let at = Configuration::threads(1024).with("n", 20_000u32);
    for text in [
        "forU i in 0..n { rd A[i * blockDim.x + tid] }",
        "forU i in 0..n { wr A[tid + 1024 * (i % 64)] }",
        "forU i in 0..n { rd A[(i * 17 + tid) % 4096]; rd A[i % 1024] }",
        "forS k in 0..64 { forU i in 0..n / 64 { if add.i32(i, tid) < 20000 { rd A[add.i32(mul.i32(k, 1024), tid)] } else { skip } }; sync }",
    ] {
        let protocol = parse_protocol(text)?;
        let start = Instant::now();
        let result = enumerate(&protocol, &declarations, &at, &EnumerationLimits::default())?;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{:6.1} million accesses/s  {:9} accesses  {:3} MiB of shadow  {text}",
            result.accesses as f64 / seconds / 1e6,
            result.accesses,
            result.shadow.values().sum::<u64>() >> 20,
        );
    }
    Ok(())
}
