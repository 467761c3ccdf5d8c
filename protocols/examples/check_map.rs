//! Checks a `.map` file from standard input with one solver:
//! `cargo run -p babycuda-protocols --example check_map -- builtin < FILE.map`.

use babycuda_core::parse::parse_map;
use babycuda_protocols::solve::{SolveOptions, check};
use babycuda_smt::SolverName;
use std::io::Read;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let solver: SolverName = std::env::args().nth(1).as_deref().unwrap_or("auto").parse()?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let map = parse_map(&text)?;
    let declarations = map.declarations;
    let solver = solver.solver();
    let start = Instant::now();
    let result = check(&map.protocol, &declarations, &solver, &SolveOptions::default());
    for w in &result.races {
        println!("{w:#}");
    }
    for (decision, d) in &result.divergences {
        println!("{d}, decided at {decision}");
    }
    for u in &result.undecided {
        println!("undecided {:?}: {}", u.subject, u.cause);
    }
    println!("{:?} in all; {:?}", start.elapsed(), result.statistics);
    Ok(())
}
