//! The semantics as an oracle: an analyzer of yours is asked about every small program, and the first wrong answer is
//! the smallest.
//!
//! `cargo run --example oracle`

use babycuda::core::expr::tid;
use babycuda::core::{Launch, Num, Program, Stmt};
use babycuda::semantics::{Instance, RunOptions};

/// An analyzer that is wrong: it takes indices that look different for different cells.
fn analyzer(first: &Num, barrier: bool, second: &Num) -> bool {
    !barrier && first == second && *first != tid()
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let indices = || [Num::from(0), tid(), tid() + 1, tid() % 2];
    let mut asked = 0;
    for threads in 2..=4 {
        for first in indices() {
            for (barrier, second) in
                [true, false].into_iter().flat_map(|b| indices().map(|n| (b, n)))
            {
                // Each thread writes two cells.
                let between = if barrier { Stmt::sync() } else { Stmt::Skip };
                let (a, b) = (first.clone(), second.clone());
                let body = [Stmt::write("A", a, 1), between, Stmt::write("A", b, 2)];
                let program = Program::of_body(Stmt::sequence(body));
                let launch = Launch::threads(threads);
                let outcome = Instance::new(program.clone(), launch).run(&RunOptions::default());
                asked += 1;
                let truth = !outcome.history().is_drf();
                if analyzer(&first, barrier, &second) != truth {
                    println!("wrong after {asked} programs: it says {}", !truth);
                    println!("{}", program.with_launch(launch));
                    for race in outcome.history().races() {
                        println!("  {race}");
                    }
                    return Ok(());
                }
            }
        }
    }
    Err("no program shows that it is wrong".into())
}
