//! Memory access protocols (LCL22 Fig. 2): what they mean, and whether they race.
//!
//! | module | contents |
//! |---|---|
//! | [`map`] | the semantics: Λ of a protocol, phase by phase; the reference |
//! | [`split`](mod@split) | a protocol as a list of parametrised unsynchronized phases |
//! | [`enumerate`](mod@enumerate) | race-freedom of a concrete launch, streaming |
//! | `solve` (feature `smt`) | race-freedom by solver, for symbolic launches and parameters |
//!
//! What a protocol says that threads access, and its races:
//!
//! ```
//! use babycuda_core::parse::parse_map;
//! use babycuda_core::{Configuration, Launch};
//! use babycuda_protocols::map::{MapError, MapLimits, evaluate};
//!
//! // Each thread writes its cell, and reads the other's.
//! let races = |text: &str| {
//!     let map = parse_map(text).expect("a protocol");
//!     let launch = Configuration::of_launch(Launch::threads(2));
//!     let lambda = evaluate(&map.protocol, &launch, &MapLimits::default())?;
//!     Ok::<_, MapError>((lambda.accesses().len(), lambda.races().len()))
//! };
//! assert_eq!(races("threads 2; wr[tid]; rd[1 - tid]")?, (1, 2)); // one phase, and a race on each cell
//! assert_eq!(races("threads 2; wr[tid]; sync; rd[1 - tid]")?, (2, 0)); // the barrier begins another phase
//! # Ok::<(), MapError>(())
//! ```

pub mod enumerate;
pub mod map;
mod relation;
#[cfg(feature = "smt")]
pub mod solve;
pub mod split;

pub use enumerate::enumerate;
pub use map::{Lambda, MapError};
pub use relation::Relation;
pub use split::{ParamPhase, Split, split};
