//! How long each solver takes for each race-shaped query of the test suite.
//!
//! `cargo run --release -p babycuda-smt --example race_queries -- [SECONDS] [SOLVER…]`

#[path = "../tests/common/races.rs"]
mod races;

use std::time::{Duration, Instant};

use babycuda_smt::{Answer, QueryLimits, Solver, SolverName};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let seconds = args.next().and_then(|n| n.parse().ok()).unwrap_or(10);
    let names: Vec<String> = args.collect();
    let solvers: Vec<Box<dyn Solver>> = if names.is_empty() {
        babycuda_smt::installed()
    } else {
        let parsed: Result<Vec<SolverName>, _> = names.iter().map(|n| n.parse()).collect();
        parsed?.into_iter().map(SolverName::solver).collect()
    };
    for case in races::cases() {
        for solver in &solvers {
            let start = Instant::now();
            let answer =
                solver.check(&case.query, &QueryLimits::time(Duration::from_secs(seconds)));
            let verdict = match answer {
                Answer::Sat(_) => "sat".to_owned(),
                Answer::Unsat => "unsat".to_owned(),
                Answer::Unknown(reason) => format!("unknown: {reason}"),
            };
            let time = start.elapsed();
            println!("{:24} {:8} {time:>12.1?} {verdict}", case.query.name(), solver.name());
        }
    }
    Ok(())
}
