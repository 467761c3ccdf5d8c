//! A program made in Rust, its history, and its verdict with a witness.
//!
//! `cargo run --example race`

use babycuda::core::expr::tid;
use babycuda::core::{Launch, Program, Stmt};
use babycuda::semantics::{Instance, RunOptions};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Every thread takes its right neighbour's element, while that one takes another.
    let shift = Stmt::sequence([
        Stmt::write("A", tid(), tid() * 10),
        Stmt::sync(),
        Stmt::read("x", "A", (tid() + 1) % 4, Stmt::write("A", tid(), "x")),
    ]);
    let launch = Launch::threads(4);
    let program = Program::of_body(shift).with_launch(launch);
    println!("{program}");

    let outcome = Instance::new(program.clone(), launch).run(&RunOptions::default());
    println!("history: {}", outcome.history());
    assert!(!outcome.history().is_drf());

    let checked = babycuda::check(&program, &babycuda::CheckOptions::default())?;
    for race in &checked.verdict.races {
        println!("{}", race.witness);
    }
    assert!(!checked.verdict.races.is_empty());
    Ok(())
}
