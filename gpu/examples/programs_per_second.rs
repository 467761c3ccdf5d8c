//! How many programs of 64 threads a back end runs in a second, in large batches:
//!
//! `cargo run --release -p babycuda-gpu --features wgpu --example programs_per_second -- wgpu 20000`

use babycuda_core::{Launch, parse::parse_program};
use babycuda_gpu::{BackendName, Job, JobOptions, Runner, open};
use babycuda_semantics::Instance;
use std::error::Error;
use std::time::Instant;

/// Phases, loops, divergent branches, atomic updates; some race.
const PROGRAMS: [&str; 3] = [
    "A[tid] := tid; sync; let x = A[(tid + 1) % 64] in B[tid] := x + 5",
    "forU i in 0..4 { let x = A[(tid + i) % 64] in A[tid] := x + i };
     sync;
     if tid < 32 { B[tid] := 7 } else { let y = B[tid] in A[y % 64] := 3 }",
    "let old = atomic A[tid % 8] add 1 in B[old % 64] := tid;
     sync;
     let q = B[tid] in A[tid] := q * 3",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "sim".to_owned());
    let count = arguments.next().map_or(Ok(10_000), |count| count.parse())?;
    let backend = BackendName::ALL.into_iter().find(|backend| backend.to_string() == name);
    let mut device = open(backend.ok_or("the back ends are sim, wgpu, opencl and cuda")?, 1)?;
    println!("{} ({})", device.device().name, device.device().driver);

    let options = JobOptions { fuel: 1000, log: 32, length: 64, ..JobOptions::default() };
    let job = |text: &&str| -> Result<Job, Box<dyn Error>> {
        Ok(Job::new(&Instance::new(parse_program(text)?, Launch::threads(64)), &options)?)
    };
    let kinds = PROGRAMS.iter().map(job).collect::<Result<Vec<_>, _>>()?;
    let jobs: Vec<Job> = kinds.iter().cycle().take(count).cloned().collect();

    // The first batch also compiles the interpreter.
    for batch in ["first", "second", "third"] {
        let start = Instant::now();
        let results = Runner::new(&mut *device).run(&jobs);
        let seconds = start.elapsed().as_secs_f64();
        for result in &results {
            result.as_ref().map_err(ToString::to_string)?;
        }
        println!("{batch} batch: {:.0} programs a second", count as f64 / seconds);
    }
    Ok(())
}
