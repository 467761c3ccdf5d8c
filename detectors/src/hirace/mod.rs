//! HiRace: a state machine for each cell, over a record of the last thread that accessed it.
//!
//! - [`derive()`] makes the machine of a chain of scopes from the definition of a race;
//! - [`Traces`] is that definition for the traces of one cell, and [`inexact`] searches for a trace on
//!   which a machine is wrong;
//! - [`compare()`] says what differs in another table, and [`repair()`] the fewest cells of it to change;
//! - [`Shadow`] is the machine's memory, and [`replay()`] takes the trace of a run through it;
//! - [`LaneShadow`] is the same where lanes of a warp have barriers of their own;
//! - [`HiRace`] runs a kernel and watches the run so.

mod compare;
mod derive;
mod detector;
mod exact;
mod lanes;
mod minimal;
mod repair;
mod replay;
mod shadow;
mod traces;

pub use compare::{Difference, compare, events};
pub use derive::derive;
pub use detector::HiRace;
pub use exact::{Inexact, inexact};
pub use lanes::{Bounds, LaneShadow};
pub use minimal::classes;
pub use repair::{Change, repair};
pub use replay::{Monitor, Numbered, Replay, Stop, replay, replay_within};
pub use shadow::{Accessor, LayoutError, Overflow, Shadow, Sighting};
pub use traces::{Event, Shape, Traces};
