//! Inference rules in LaTeX.

use super::notation::{Formula, Notation, Piece};
use babycuda::semantics::{Derivation, Premise};
use babycuda_core::deep::grow;
use std::fmt::Write;

/// Text in math mode.
fn math(text: &str) -> String {
    let mut out = String::new();
    let mut words = text;
    while let Some(c) = words.chars().next() {
        let word: String = words.chars().take_while(char::is_ascii_alphabetic).collect();
        if word.len() > 1 {
            let _ = write!(out, "\\mathit{{{word}}}");
            words = &words[word.len()..];
            continue;
        }
        match c {
            '↓' => out.push_str("\\downarrow "),
            '⇓' => out.push_str("\\Downarrow "),
            '∈' => out.push_str("\\in "),
            'ℕ' => out.push_str("\\mathbb{N}"),
            '▷' => out.push_str("\\triangleright "),
            '∅' => out.push_str("\\emptyset "),
            ' ' => out.push_str("\\ "),
            '{' | '}' | '#' | '_' | '&' | '%' | '$' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
        words = &words[c.len_utf8()..];
    }
    out
}

/// Concrete syntax.
fn code(text: &str) -> String {
    let mut out = String::from("\\mathtt{");
    for c in text.chars() {
        match c {
            '∅' => out.push_str("\\emptyset "),
            c if c.is_whitespace() => out.push_str("\\ "),
            '\\' => out.push_str("\\backslash "),
            '^' => out.push_str("\\hat{\\ }"),
            '~' => out.push_str("\\sim "),
            '\'' => out.push_str("{'}"),
            '{' | '}' | '#' | '_' | '&' | '%' | '$' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out.push('}');
    out
}

fn formula(formula: &Formula) -> String {
    let pieces = formula.iter().map(|piece| match piece {
        Piece::Math(text) => math(text),
        Piece::Code(text) => code(text),
        Piece::Sub(text) => format!("_{{{}}}", math(text)),
    });
    pieces.collect()
}

fn rule(node: &Derivation, depth: usize, indent: usize, notation: &mut Notation, out: &mut String) {
    let conclusion = formula(&notation.judgment(&node.conclusion));
    let _ = writeln!(out, "{:indent$}\\inferrule*[right={}]", "", node.rule);
    let _ = writeln!(out, "{:indent$}{{", "");
    for (position, premise) in node.premises.iter().enumerate() {
        if position > 0 {
            let _ = writeln!(out, "{:indent$}  \\\\", "");
        }
        match premise {
            Premise::Derived(_) if depth == 0 => {
                let _ = writeln!(out, "{:indent$}  \\vdots", "");
            }
            Premise::Derived(child) => {
                grow(|| rule(child, depth - 1, indent + 2, notation, out));
            }
            side => {
                let condition = notation.condition(side, &node.conclusion).unwrap_or_default();
                let _ = writeln!(out, "{:indent$}  {}", "", formula(&condition));
            }
        }
    }
    let _ = writeln!(out, "{:indent$}}}", "");
    let _ = writeln!(out, "{:indent$}{{{conclusion}}}", "");
}

/// Inference rules in LaTeX, for the package `mathpartir`: an environment of that name and a
/// legend. Whatever is more than `depth` rules above the root is `\vdots`.
pub fn latex(derivation: &Derivation, depth: usize) -> String {
    let mut notation = Notation::default();
    let mut out = String::from("\\begin{mathpar}\n");
    rule(derivation, depth, 0, &mut notation, &mut out);
    out.push_str("\\end{mathpar}\n\\begin{align*}\n");
    for (name, history) in notation.legend() {
        let _ = writeln!(out, "{name} &= {} \\\\", code(&history));
    }
    out.push_str("\\end{align*}\n");
    out
}
