//! Inference rules in text.

use super::notation::{Notation, plain};
use babycuda::semantics::{Derivation, Premise};
use babycuda_core::deep::grow;
use std::fmt::Write;

/// A picture: lines, the last of which is the conclusion.
struct Picture {
    lines: Vec<String>,
    width: usize,
    /// Where the conclusion begins and ends.
    conclusion: (usize, usize),
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// The text in `columns` columns.
fn pad(text: &str, columns: usize) -> String {
    format!("{text}{:missing$}", "", missing = columns.saturating_sub(width(text)))
}

fn line(text: String) -> Picture {
    let width = width(&text);
    Picture { lines: vec![text], width, conclusion: (0, width) }
}

/// Pictures side by side, their conclusions on one line.
fn beside(pictures: Vec<Picture>) -> Picture {
    const GAP: usize = 4;
    let height = pictures.iter().map(|p| p.lines.len()).max().unwrap_or(0);
    let mut lines = vec![String::new(); height];
    let (mut columns, mut begin, mut end) = (0, None, 0);
    for picture in pictures {
        if begin.is_some() {
            columns += GAP;
        }
        let missing = height - picture.lines.len();
        for (own, all) in picture.lines.iter().zip(&mut lines[missing..]) {
            *all = pad(all, columns) + own;
        }
        begin.get_or_insert(columns + picture.conclusion.0);
        end = columns + picture.conclusion.1;
        columns += picture.width;
    }
    Picture { lines, width: columns, conclusion: (begin.unwrap_or(0), end) }
}

/// The premises, a line with the rule's id, and the conclusion in the middle.
fn infer(premises: Picture, conclusion: String, rule: &str) -> Picture {
    let (begin, end) = premises.conclusion;
    let wide = width(&conclusion);
    let rule_width = wide.max(end - begin);
    // Where the line begins; premises and conclusion are moved to be in its middle.
    let offset = (begin + (end - begin) / 2).checked_sub(rule_width / 2);
    let (start, shift) = match offset {
        Some(start) => (start, 0),
        None => (0, rule_width / 2 - begin - (end - begin) / 2),
    };
    let mut lines: Vec<String> =
        premises.lines.iter().map(|text| format!("{:shift$}{text}", "")).collect();
    let begin = start + (rule_width - wide) / 2;
    let dashes = format!("{:start$}{} {rule}", "", "─".repeat(rule_width));
    let conclusion = format!("{:begin$}{conclusion}", "");
    let width = (premises.width + shift).max(width(&dashes)).max(width(&conclusion));
    lines.extend([dashes, conclusion]);
    Picture { lines, width, conclusion: (begin, begin + wide) }
}

fn picture(node: &Derivation, depth: usize, notation: &mut Notation) -> Picture {
    let conclusion = plain(&notation.judgment(&node.conclusion));
    let premises = node.premises.iter().map(|premise| match premise {
        Premise::Derived(_) if depth == 0 => line("⋮".to_owned()),
        Premise::Derived(child) => grow(|| picture(child, depth - 1, notation)),
        side => {
            let condition = notation.condition(side, &node.conclusion);
            line(plain(&condition.unwrap_or_default()))
        }
    });
    let premises = premises.collect();
    infer(beside(premises), conclusion, node.rule.id())
}

/// Inference rules in text: premises, a line with the rule's id, the conclusion. Whatever is more
/// than `depth` rules above the root is `⋮`.
pub fn tree(derivation: &Derivation, depth: usize) -> String {
    let mut notation = Notation::default();
    let mut text = String::new();
    for line in picture(derivation, depth, &mut notation).lines {
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for (name, history) in notation.legend() {
        let _ = writeln!(text, "{name} = {history}");
    }
    text
}
