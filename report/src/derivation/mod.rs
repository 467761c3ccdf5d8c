//! Derivations: in text, as a tree of inference rules or indented; in LaTeX; in HTML.
//!
//! Histories are long and the same in most places, so judgments of runs name them `H0`, `H1`, … and a
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

use babycuda::{protocols::map, typing};
use std::fmt::{Display, Write};

/// The derivation of a type: one node a line, the root first, premises indented below their
/// conclusion: `t-write  {tid} ⊢ A[tid] := 1 ▶ wr[tid]`.
pub fn of_type(derivation: &typing::Derivation) -> String {
    let name = |node: &typing::Derivation| node.rule.entry().name();
    indented(derivation.nodes().map(|(depth, node)| (depth, name(node), &node.conclusion)))
}

/// Likewise the derivation of a protocol's accesses.
pub fn of_map(derivation: &map::Derivation) -> String {
    indented(derivation.nodes().map(|(depth, node)| (depth, node.rule, &node.conclusion)))
}

fn indented(nodes: impl Iterator<Item = (usize, impl Display, impl Display)>) -> String {
    let mut text = String::new();
    for (depth, rule, conclusion) in nodes {
        let _ = writeln!(text, "{:indent$}{rule}  {conclusion}", "", indent = 2 * depth);
    }
    text
}
