//! Inference rules in HTML.

use super::notation::{Formula, Notation, Piece};
use babycuda::semantics::{Derivation, Premise};
use babycuda_core::deep::grow;
use std::fmt::Write;

const STYLE: &str = "\
body { font-family: serif; }
.node { display: inline-flex; flex-direction: column; align-items: center; }
.premises { display: flex; align-items: flex-end; gap: 2em; }
.conclusion { border-top: 1px solid; padding: 0.1em 0.5em; white-space: nowrap; }
.rule { font-size: small; font-variant: small-caps; margin-left: 1em; }
code { font-family: monospace; }
";

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn formula(formula: &Formula) -> String {
    let pieces = formula.iter().map(|piece| match piece {
        Piece::Math(text) => escape(text),
        Piece::Code(text) => format!("<code>{}</code>", escape(text)),
        Piece::Sub(text) => format!("<sub>{}</sub>", escape(text)),
    });
    pieces.collect()
}

fn node(derivation: &Derivation, depth: usize, notation: &mut Notation, out: &mut String) {
    let conclusion = formula(&notation.judgment(&derivation.conclusion));
    out.push_str("<div class=\"node\"><div class=\"premises\">\n");
    for premise in &derivation.premises {
        match premise {
            Premise::Derived(_) if depth == 0 => out.push_str("<div>⋮</div>\n"),
            Premise::Derived(child) => grow(|| node(child, depth - 1, notation, out)),
            side => {
                let condition =
                    notation.condition(side, &derivation.conclusion).unwrap_or_default();
                let _ = writeln!(out, "<div>{}</div>", formula(&condition));
            }
        }
    }
    let rule = escape(derivation.rule.id());
    let _ = writeln!(
        out,
        "</div><div class=\"conclusion\">{conclusion}<span class=\"rule\">{rule}</span></div></div>"
    );
}

/// A page of HTML that needs nothing else. Whatever is more than `depth` rules above the root is
/// `⋮`.
pub fn html(derivation: &Derivation, depth: usize) -> String {
    let mut notation = Notation::default();
    let mut body = String::new();
    node(derivation, depth, &mut notation, &mut body);
    let mut legend = String::new();
    for (name, history) in notation.legend() {
        let _ = writeln!(legend, "<dt>{name}</dt><dd><code>{}</code></dd>", escape(&history));
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>Derivation</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
         <dl>\n{legend}</dl>\n</body>\n</html>\n"
    )
}
