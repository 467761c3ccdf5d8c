//! Published techniques that find data races of GPU kernels, as executable models.
//!
//! | module | technique | paper |
//! |---|---|---|
//! | [`hirace`] | a state machine for each memory cell, over a record of its last accessor | HiRace |

pub mod hirace;
