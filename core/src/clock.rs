//! The clock of time limits.
//!
//! It is that of the standard library. In a web page there is none, and a look at it would end the program: there it is
//! the clock of the page.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;
