//! The indented form.

use super::drawing::{Drawing, Given};
use super::formula::{equation, plain, text_of};
use super::letter::settled;
use std::fmt::Write;

/// Nodes above this are not indented further; their height is printed instead.
const DEEPEST: usize = 40;

/// What a line is of.
enum Line {
    Node(usize),
    Text(String),
}

/// One node a line, the root first, premises indented below their conclusion, each with its rule.
/// Beyond 40 rules above the root, their number is printed instead of more indentation.
/// The side conditions of a node stand on its line, behind `⟵`. Where the tree stops, the premise
/// that fails has a line of its own.
pub fn compact(drawing: &Drawing) -> String {
    let mut text = String::new();
    let mut pending = vec![(0, Line::Node(0))];
    while let Some((depth, line)) = pending.pop() {
        indent(&mut text, depth);
        let place = match line {
            Line::Node(place) => place,
            Line::Text(line) => {
                let _ = writeln!(text, "{line}");
                continue;
            }
        };
        let Some(node) = drawing.nodes.get(place) else { break };
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
        for premise in node.premises.iter().rev() {
            let number = premise.number;
            let line = match &premise.given {
                Given::Side(_) => continue,
                Given::Derived(child, _) | Given::Family(child, _) => Line::Node(*child),
                Given::Fails(formula, why) => {
                    let formula = plain(formula);
                    Line::Text(format!("✗ premise {number}: {formula}   fails: {why}"))
                }
                Given::Unseen(formula) => {
                    Line::Text(format!("? premise {number}: {}", plain(formula)))
                }
                Given::Omitted(count) => Line::Text(format!("⋮ {count} not shown")),
            };
            pending.push((depth + 1, line));
        }
    }
    for (name, meaning) in &drawing.legend {
        let _ = writeln!(text, "{}", text_of(&equation(name, meaning)));
    }
    for note in &drawing.notes {
        let _ = writeln!(text, "{note}");
    }
    settled(&text, drawing)
}

fn indent(text: &mut String, depth: usize) {
    let _ = match depth > DEEPEST {
        true => write!(text, "{:indent$}({depth}) ", "", indent = 2 * DEEPEST),
        false => write!(text, "{:indent$}", "", indent = 2 * depth),
    };
}
