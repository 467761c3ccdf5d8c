//! A fast virtual machine with the results of the reference semantics.
//!
//! Statements are compiled to instructions over slots, so nothing is substituted; numbers are
//! machine words that become big naturals when they no longer fit; the accesses of a phase are one
//! flat log, and every cell carries its `lastwrite`. A thread stops at a barrier and goes on from
//! there. Histories and outcomes are those of [`Instance::run`], to which property tests hold it;
//! derivations it has none.
//!
//! ```
//! use babycuda_core::{Launch, parse::parse_program};
//! use babycuda_semantics::{Instance, RunOptions, vm::{Code, Machine}};
//!
//! let program = parse_program("A[tid] := 1; sync; let x = A[0] in A[0] := x + 1").unwrap();
//! let instance = Instance::new(program, Launch::threads(2));
//! let code = Code::compile(&instance.program.body);
//! let mut machine = Machine::default();
//! let run = machine.run(&code, &instance, &RunOptions::default());
//! assert!(run.is_racy());
//! assert_eq!(run.outcome(), instance.run(&RunOptions::default()));
//! ```

mod alone;
mod arithmetic;
mod cells;
mod code;
mod compile;
mod groups;
mod log;
mod machine;
mod memory;
mod report;
mod stages;
mod value;

pub use alone::{Next, Threads};
pub use code::Code;
pub use machine::{Ending, Machine, Visit};
pub use report::{Run, Touch};

use crate::instance::Instance;
use crate::options::RunOptions;
use crate::outcome::Outcome;

/// What the run of the block comes to: the same as [`Instance::run`].
pub fn run(instance: &Instance, options: &RunOptions) -> Outcome {
    let instance = instance.together();
    let code = Code::compile(&instance.program.body);
    Machine::default().run(&code, &instance, options).outcome()
}
