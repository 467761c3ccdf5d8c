//! Derivations for readers: in text, as a tree of inference rules or indented; in LaTeX; in HTML.
//!
//! Histories are long and the same in most places, so judgments name them `H0`, `H1`, … and a
//! legend says what they are.

mod compact;
mod html;
mod latex;
mod notation;
mod tree;

use crate::derivation::Derivation;

/// One node a line, the root first, premises indented below their conclusion, each with its rule.
/// Beyond 40 rules above the root, their number is printed instead of more indentation.
/// The side conditions of a node stand on its line, behind `⟵`.
pub fn compact(derivation: &Derivation) -> String {
    compact::compact(derivation)
}

/// Inference rules in text: premises, a line with the rule's id, the conclusion. Whatever is more
/// than `depth` rules above the root is `⋮`.
pub fn tree(derivation: &Derivation, depth: usize) -> String {
    tree::tree(derivation, depth)
}

/// Inference rules in LaTeX, for the package `mathpartir`: an environment of that name and a
/// legend. Whatever is more than `depth` rules above the root is `\vdots`.
pub fn latex(derivation: &Derivation, depth: usize) -> String {
    latex::latex(derivation, depth)
}

/// A page of HTML that needs nothing else. Whatever is more than `depth` rules above the root is
/// `⋮`.
pub fn html(derivation: &Derivation, depth: usize) -> String {
    html::html(derivation, depth)
}

impl std::fmt::Display for Derivation {
    /// [`compact`].
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&compact(self))
    }
}
