//! The vocabulary of babycuda: what every other crate talks about.
//!
//! | module | contents | source |
//! |---|---|---|
//! | [`natural`], [`machine`] | values: unbounded naturals, and machine arithmetic as operators on them | LCL22 §2 |
//! | [`expr`] | numeric and boolean expressions with one total evaluation function | LCL22 Fig. 2 |
//! | [`syntax`] | BabyCUDA statements, whole programs, memory access protocols | LCL22 Figs. 2 and 5 |
//! | [`parse`] | concrete syntax: the parser; the printer is `Display` | LCL22 Figs. 2 to 5 |
//! | [`interval`], [`simplify`] | what expressions may be, and expressions with the same values | |
//! | [`scope`] | well-scopedness | |
//! | [`deep`] | recursion that cannot overflow the stack | |
//! | [`derivation`], [`instance`], [`table`] | what checkers of derivations need: walks, terms with values put in, terms as tables | |
//! | [`configuration`] | a launch, one of its blocks, the parameters | |
//! | [`budget`], [`clock`] | how long a question may take | |
//! | [`launch`] | blocks, grids, threads, warps | CUDA |
//! | [`history`] | accesses, phases, histories, `lastwrite`, races | LCL22 §3, Def. 1 |
//! | [`rules`] | the rule ledger: every inference rule of every judgment, as data | |
//! | [`together`] | a grid whose blocks wait for each other, as one block | THEORY §4 |
//! | [`shadow`] | state machines over a record of the last accessor of a cell | HiRace §III |
//! | [`trace`] | accesses and barriers of one run, in order | |
//! | [`json`] | versioned documents of all these | |
//! | [`evidence`] | witnesses of races and divergences | |
//! | [`verdict`] | what a checker may answer, with its evidence | |
//!
//! Nothing here evaluates a program: that is `babycuda-semantics`.

pub mod budget;
pub mod clock;
pub mod configuration;
pub mod deep;
pub mod derivation;
pub mod evidence;
pub mod expr;
pub mod history;
pub mod instance;
pub mod interval;
pub mod json;
pub mod launch;
pub mod machine;
pub mod name;
pub mod natural;
pub mod parse;
mod print;
pub mod rules;
#[cfg(feature = "schema")]
mod schema;
pub mod scope;
pub mod settings;
pub mod shadow;
pub mod simplify;
pub mod site;
pub mod syntax;
pub mod table;
pub mod together;
pub mod trace;
pub mod verdict;

pub use budget::Budget;
pub use configuration::Configuration;
pub use expr::{Bool, CompareOp, Num, NumOp};
pub use history::{Access, AccessMode, Accesses, Cell, History, HostMemory, LastWrite, Phase};
pub use interval::Interval;
pub use launch::{Dim3, Launch, Thread};
pub use machine::{IntType, MachineOp, Width};
pub use name::Name;
pub use natural::Natural;
pub use num_bigint::BigInt;
pub use print::counted;
pub use settings::{Settings, SettingsError};
pub use site::{Site, Span};
pub use syntax::{Declarations, Program, Protocol, Stmt};
pub use together::Together;
