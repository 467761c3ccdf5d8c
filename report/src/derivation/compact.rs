//! The indented form.

use super::notation::{Notation, plain};
use babycuda::semantics::Derivation;
use std::fmt::Write;

/// Nodes above this are not indented further; their height is printed instead.
const DEEPEST: usize = 40;

/// One node a line, the root first, premises indented below their conclusion, each with its rule.
/// Beyond 40 rules above the root, their number is printed instead of more indentation.
/// The side conditions of a node stand on its line, behind `⟵`.
pub fn compact(derivation: &Derivation) -> String {
    let (mut notation, mut text) = (Notation::default(), String::new());
    let mut pending = vec![(0, derivation)];
    while let Some((depth, node)) = pending.pop() {
        let conclusion = plain(&notation.judgment(&node.conclusion));
        if depth > DEEPEST {
            let _ = write!(text, "{:indent$}({depth}) ", "", indent = 2 * DEEPEST);
        } else {
            let _ = write!(text, "{:indent$}", "", indent = 2 * depth);
        }
        let _ = write!(text, "{}  {conclusion}", node.rule);
        let conditions = notation.conditions(node);
        for (position, condition) in conditions.iter().enumerate() {
            let mark = if position == 0 { "   ⟵ " } else { ";  " };
            let _ = write!(text, "{mark}{}", plain(condition));
        }
        text.push('\n');
        pending.extend(node.children().rev().map(|child| (depth + 1, &**child)));
    }
    for (name, history) in notation.legend() {
        let _ = writeln!(text, "{name} = {history}");
    }
    text
}
