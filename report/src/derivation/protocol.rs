//! Derivations of the accesses of protocols, drawn.

use super::drawing::{Part, Source};
use super::formula::{Formula, code, math};
use super::notation::Notation;
use super::run::Bound;
use babycuda::protocols::map::{Derivation, Judgment, Premise, Reached, Rule};
use babycuda_core::Protocol;
use babycuda_core::rules;

impl Source for Derivation {
    fn entry(&self) -> &'static rules::Rule {
        self.rule.entry()
    }

    fn conclusion(&self, _: &mut Notation) -> Formula {
        let (protocol, accesses) = match &self.conclusion {
            Judgment::Thread { protocol, reached } => (protocol, reached.to_string()),
            Judgment::Block { protocol, .. } => {
                let all = self.conclusion.to_string();
                let start = protocol.to_string().len() + " ↓ ".len();
                (protocol, all.get(start..).unwrap_or_default().to_owned())
            }
        };
        vec![code(&**protocol), math(" ↓ "), code(accesses)]
    }

    fn parts(&self, notation: &mut Notation) -> Vec<(usize, Part)> {
        let mut parts = Vec::new();
        for (position, premise) in self.premises.iter().enumerate() {
            let all = self.rule == Rule::Par;
            let part = match notation.condition(premise, None) {
                Some(formula) => Part::Side(formula),
                None => Part::Child(all.then_some(position as u64)),
            };
            parts.push((if all { 1 } else { position + 1 }, part));
        }
        parts
    }

    fn bindings(&self, _: &mut Notation) -> Vec<(String, Formula)> {
        let mut bound = Bound::default();
        match &self.conclusion {
            Judgment::Block { protocol, configuration, .. } => {
                bound.add(Some("u"), vec![code(&**protocol)]);
                bound.add(Some("T"), vec![math(configuration.launch.block)]);
            }
            Judgment::Thread { protocol, reached } => {
                letters(&mut bound, protocol);
                let one = match self.rule {
                    Rule::IfTrue | Rule::IfFalse | Rule::Input | Rule::Any => Some("Λ"),
                    _ => None,
                };
                bound.add(one, vec![code(&**reached)]);
            }
        }
        for (text, premise) in self.rule.entry().premises.iter().zip(&self.premises) {
            match premise {
                Premise::Value { value, .. } => {
                    bound.add(text.rsplit(" ↓ ").next(), vec![code(value)]);
                }
                Premise::LastWrite { value, .. } => {
                    bound.add(text.rsplit(" = ").next(), vec![code(value)]);
                }
                Premise::Chosen { value, .. } => {
                    bound.add(text.split(" ∈ ").next(), vec![code(value)]);
                }
                Premise::Derived(child) if matches!(self.rule, Rule::Seq | Rule::For2) => {
                    if let Some(reached) = reached(child) {
                        bound.add(text.rsplit(" ↓ ").next(), vec![code(reached)]);
                    }
                }
                Premise::Truth { .. } | Premise::Derived(_) => {}
            }
        }
        bound.letters
    }
}

fn reached(node: &Derivation) -> Option<&Reached> {
    match &node.conclusion {
        Judgment::Thread { reached, .. } => Some(reached),
        Judgment::Block { .. } => None,
    }
}

/// The letters of a protocol.
pub(super) fn letters(bound: &mut Bound, protocol: &Protocol) {
    match protocol {
        Protocol::Access { mode, array, index, .. } => {
            bound.add(Some("o"), vec![code(mode)]);
            bound.add(Some("A"), vec![code(array)]);
            bound.add(Some("n"), vec![code(index)]);
        }
        Protocol::Seq(one, other) => {
            bound.add(Some("u1"), vec![code(one)]);
            bound.add(Some("u2"), vec![code(other)]);
        }
        Protocol::If { condition, then, otherwise, .. } => {
            bound.add(Some("c"), vec![code(condition)]);
            bound.add(Some("u1"), vec![code(then)]);
            bound.add(Some("u2"), vec![code(otherwise)]);
        }
        Protocol::For { var, lower, upper, body, .. } => {
            bound.add(Some("x"), vec![code(var)]);
            bound.add(Some("n"), vec![code(lower)]);
            bound.add(Some("m"), vec![code(upper)]);
            bound.add(Some("u"), vec![code(body)]);
        }
        Protocol::Input { var, array, index, body, .. } => {
            bound.add(Some("x"), vec![code(var)]);
            bound.add(Some("A"), vec![code(array)]);
            bound.add(Some("n"), vec![code(index)]);
            bound.add(Some("u"), vec![code(body)]);
        }
        Protocol::Any { var, body, .. } => {
            bound.add(Some("x"), vec![code(var)]);
            bound.add(Some("u"), vec![code(body)]);
        }
        Protocol::Sync { site, .. } => bound.add(Some("ℓ"), vec![code(site)]),
        Protocol::Skip => {}
    }
}
