//! Memory access protocols (LCL22 Fig. 2): what they mean, and whether they race.
//!
//! | module | contents |
//! |---|---|
//! | [`map`] | the semantics: Λ of a protocol, phase by phase; the reference |
//! | [`split`](mod@split) | a protocol as a list of parametrised unsynchronized phases |
//! | [`enumerate`](mod@enumerate) | race-freedom of a concrete launch, streaming |
//! | `solve` (feature `smt`) | race-freedom by solver, for symbolic launches and parameters |

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
