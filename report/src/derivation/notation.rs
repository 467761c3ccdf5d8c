//! How judgments and premises are written, whatever the medium.

use babycuda::semantics::{Block, Derivation, Ending, Judgment, Premise, Stop};
use babycuda_core::History;
use babycuda_core::syntax::BarrierScope;
use std::fmt::Display;
use std::sync::Arc;

/// A piece of a formula.
pub(super) enum Piece {
    /// Mathematics: `↓`, `,`, `lastwrite`.
    Math(String),
    /// The concrete syntax of a program, a set or a number.
    Code(String),
    /// A subscript.
    Sub(String),
}

pub(super) type Formula = Vec<Piece>;

/// Names histories in the order in which they are met.
#[derive(Default)]
pub(super) struct Notation {
    histories: Vec<Arc<History>>,
}

fn math(text: impl Into<String>) -> Piece {
    Piece::Math(text.into())
}

fn code(text: impl Display) -> Piece {
    Piece::Code(text.to_string())
}

impl Notation {
    fn history(&mut self, history: &Arc<History>) -> String {
        let same = |known: &Arc<History>| Arc::ptr_eq(known, history) || known == history;
        let number = self.histories.iter().position(same).unwrap_or_else(|| {
            self.histories.push(history.clone());
            self.histories.len() - 1
        });
        format!("H{number}")
    }

    /// What the names mean: `H0 = […]`.
    pub(super) fn legend(&self) -> impl Iterator<Item = (String, String)> {
        let named = self.histories.iter().enumerate();
        named.map(|(number, history)| (format!("H{number}"), history.to_string()))
    }

    pub(super) fn judgment(&mut self, judgment: &Judgment) -> Formula {
        match judgment {
            Judgment::Thread(j) => vec![
                code(&*j.before),
                math(", "),
                code(&*j.program),
                math(" ↓"),
                Piece::Sub(format!("{},{}", self.history(&j.history), j.thread)),
                math(" "),
                code(&*j.after),
            ],
            Judgment::ToBarrier(j) => {
                let mut formula = vec![
                    code(&*j.before),
                    math(", "),
                    code(&*j.program),
                    math(" ⇓"),
                    Piece::Sub(format!("{},{}", self.history(&j.history), j.thread)),
                    math(" ("),
                    code(&*j.after),
                    math(", "),
                ];
                formula.extend(stop(&j.stop));
                formula.push(math(")"));
                formula
            }
            Judgment::Parallel(j) => vec![
                math(self.history(&j.before)),
                math(", "),
                code(&*j.program),
                math(" ↓"),
                Piece::Sub(threads(j.block)),
                math(" "),
                math(self.history(&j.after)),
            ],
            Judgment::Block(j) => {
                let mut formula = vec![math(self.history(&j.before)), math(", {")];
                for (position, (i, program)) in j.remaining.iter().enumerate() {
                    let comma = if position == 0 { "" } else { ", " };
                    formula.extend([math(format!("{comma}{i}: ")), code(&**program)]);
                }
                formula.push(math("} ⇓ "));
                formula.extend(self.ending(&j.ending));
                formula
            }
            Judgment::Program(j) => {
                let mut formula = vec![
                    math(self.history(&j.before)),
                    math(", "),
                    code(&*j.program),
                    math(" ⇓"),
                    Piece::Sub(threads(j.block)),
                    math(" "),
                ];
                formula.extend(self.ending(&j.ending));
                formula
            }
        }
    }

    fn ending(&mut self, ending: &Ending) -> Formula {
        let mut formula = vec![math(self.history(&ending.history))];
        if let Some(divergence) = &ending.divergence {
            for (thread, site) in [divergence.first, divergence.second] {
                let place = site.map_or("done".to_owned(), |site| format!("sync {site}"));
                formula.push(math(format!(", {thread} at {place}")));
            }
        }
        formula
    }

    /// A side condition; `None` for a derived premise. The node's conclusion gives `A`, `H`, `i`.
    pub(super) fn condition(&mut self, premise: &Premise, node: &Judgment) -> Option<Formula> {
        Some(match premise {
            Premise::Derived(_) => return None,
            Premise::Value { expression, value } => {
                vec![code(expression), math(" ↓ "), code(value)]
            }
            Premise::Truth { condition, value } => {
                vec![code(condition), math(" ↓ "), code(value)]
            }
            Premise::LastWrite { cell, value } => {
                let mut formula = vec![math("lastwrite("), code(cell), math(", ")];
                let place = match node {
                    Judgment::Thread(j) => Some((j.thread, &j.before, &j.history)),
                    Judgment::ToBarrier(j) => Some((j.thread, &j.before, &j.history)),
                    _ => None,
                };
                if let Some((thread, before, history)) = place {
                    let history = self.history(history);
                    formula.extend([math(format!("{{{thread}: ")), code(&**before)]);
                    formula.push(math(format!("}} :: {history}")));
                }
                formula.extend([math(") = "), code(value)]);
                formula
            }
            Premise::Chosen { value, .. } => vec![code(value), math(" ∈ ℕ")],
        })
    }

    /// The side conditions of a node.
    pub(super) fn conditions(&mut self, node: &Derivation) -> Vec<Formula> {
        let premises = node.premises.iter();
        premises.filter_map(|premise| self.condition(premise, &node.conclusion)).collect()
    }
}

fn threads(block: Block) -> String {
    match block.launch.grid.count() {
        1 => format!("T={}", block.launch.block),
        _ => format!("T={}@{}", block.launch.block, block.index),
    }
}

fn stop(stop: &Stop) -> Formula {
    match stop {
        Stop::Done => vec![math("done")],
        Stop::Barrier { site, scope: BarrierScope::Block, rest } => {
            vec![math(format!("sync {site} ▷ ")), code(&**rest)]
        }
        Stop::Barrier { site, scope, rest } => {
            vec![math(format!("sync.{scope} {site} ▷ ")), code(&**rest)]
        }
    }
}

/// A formula in plain text, on one line.
pub(super) fn plain(formula: &Formula) -> String {
    let text = formula.iter().map(|piece| match piece {
        Piece::Math(text) | Piece::Code(text) => text.clone(),
        Piece::Sub(text) => format!("_{{{text}}} "),
    });
    text.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
