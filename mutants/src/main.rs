//! Hunts for a case that tells the mutant that is on from the original, and prints the [`Report`]
//! as one line of JSON. In the mutated sources the environment (`BABYCUDA_MUTANT`) says which
//! mutant is on; elsewhere this is the control.
//!
//! [`Report`]: babycuda_mutants::hunt::Report

use babycuda_mutants::hunt::hunt;
use babycuda_mutants::run::{TIME, TIMED_OUT};
use std::process::ExitCode;
use std::thread;

fn main() -> ExitCode {
    // A mutant may run for ever. That kills nothing, and says so.
    thread::spawn(|| {
        thread::sleep(TIME);
        std::process::exit(TIMED_OUT);
    });
    match serde_json::to_string(&hunt()) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
