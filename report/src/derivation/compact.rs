//! The indented form.

use super::drawing::{Drawing, Given};
use super::formula::plain;
use std::fmt::Write;

/// Nodes above this are not indented further; their height is printed instead.
const DEEPEST: usize = 40;

/// One node a line, the root first, premises indented below their conclusion, each with its rule.
/// Beyond 40 rules above the root, their number is printed instead of more indentation.
/// The side conditions of a node stand on its line, behind `⟵`. Where the tree stops, the premise
/// that fails has a line of its own.
pub fn compact(drawing: &Drawing) -> String {
    let mut text = String::new();
    let mut pending = vec![(0, 0)];
    while let Some((depth, place)) = pending.pop() {
        let Some(node) = drawing.nodes.get(place) else { break };
        indent(&mut text, depth);
        let rule = if drawing.brief { node.rule.name() } else { node.rule.id };
        let _ = write!(text, "{rule}  {}", plain(&node.conclusion));
        let sides = node.premises.iter().filter_map(|premise| match &premise.given {
            Given::Side(formula) if !drawing.bare || node.stopped => Some(formula),
            _ => None,
        });
        for (position, side) in sides.enumerate() {
            let mark = if position == 0 { "   ⟵ " } else { ";  " };
            let _ = write!(text, "{mark}{}", plain(side));
        }
        text.push('\n');
        for premise in &node.premises {
            match &premise.given {
                Given::Fails(formula, why) => {
                    indent(&mut text, depth + 1);
                    let (number, formula) = (premise.number, plain(formula));
                    let _ = writeln!(text, "✗ premise {number}: {formula}   fails: {why}");
                }
                Given::Unseen(formula) => {
                    indent(&mut text, depth + 1);
                    let (number, formula) = (premise.number, plain(formula));
                    let _ = writeln!(text, "? premise {number}: {formula}");
                }
                Given::Omitted(count) => {
                    indent(&mut text, depth + 1);
                    let _ = writeln!(text, "⋮ {count} not shown");
                }
                _ => {}
            }
        }
        pending.extend(drawing.children(place).rev().map(|(_, child)| (depth + 1, child)));
    }
    for (name, meaning) in &drawing.legend {
        let _ = writeln!(text, "{name} = {meaning}");
    }
    for note in &drawing.notes {
        let _ = writeln!(text, "{note}");
    }
    text
}

fn indent(text: &mut String, depth: usize) {
    let _ = match depth > DEEPEST {
        true => write!(text, "{:indent$}({depth}) ", "", indent = 2 * DEEPEST),
        false => write!(text, "{:indent$}", "", indent = 2 * depth),
    };
}
