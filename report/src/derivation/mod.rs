//! Derivations of runs: in text, as a tree of inference rules or indented; in LaTeX; in HTML.
//!
//! Histories are long and the same in most places, so judgments name them `H0`, `H1`, … and a
//! legend says what they are.

mod compact;
mod html;
mod latex;
mod notation;
mod tree;

pub use compact::compact;
pub use html::html;
pub use latex::latex;
pub use tree::tree;
