//! State machines that watch one memory cell through a record of its last accessor (HiRace, §III).
//!
//! The record is the thread that accessed the cell last, with the barriers that it had passed. An
//! access by some thread is then a [`Label`]: how it accesses the cell, which barrier it passed since
//! the last access, and how far away the last accessor is. A [`Machine`] reads the labels of the
//! accesses of one cell and says at which one there is a race.

mod csv;
mod label;
mod machine;

pub use csv::TableError;
pub use label::{Chain, Label, MODES, mode_letter};
pub use machine::{INIT, Machine, State};
