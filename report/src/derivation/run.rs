//! Derivations of runs, drawn.

use super::drawing::{Part, Source};
use super::formula::{Formula, code, math, name};
use super::notation::{Notation, stop, threads};
use babycuda::semantics::{Derivation, Judgment, Premise, Rule};
use babycuda_core::rules;
use babycuda_core::{Accesses, History, Stmt};
use std::sync::Arc;

/// The thread of a judgment, with `A` and `H`.
pub(super) fn at(judgment: &Judgment) -> Option<(u64, &Arc<Accesses>, &Arc<History>)> {
    match judgment {
        Judgment::Thread(j) => Some((j.thread, &j.before, &j.history)),
        Judgment::ToBarrier(j) => Some((j.thread, &j.before, &j.history)),
        Judgment::Parallel(_) | Judgment::Block(_) | Judgment::Program(_) => None,
    }
}

impl Source for Derivation {
    fn entry(&self) -> &'static rules::Rule {
        self.rule.entry()
    }

    fn conclusion(&self, notation: &mut Notation) -> Formula {
        notation.judgment(&self.conclusion)
    }

    fn parts(&self, notation: &mut Notation) -> Vec<(usize, Part)> {
        let mut parts = Vec::new();
        for (position, premise) in self.premises.iter().enumerate() {
            let part = match notation.condition(premise, at(&self.conclusion)) {
                Some(formula) => Part::Side(formula),
                None => Part::Child(thread_of(self, position)),
            };
            parts.push((number(self, position, premise), part));
        }
        parts
    }

    fn bindings(&self, notation: &mut Notation) -> Vec<(String, Formula)> {
        let mut bound = Bound::default();
        match &self.conclusion {
            Judgment::Thread(j) => {
                bound.place(self.rule, notation, (j.thread, &j.before, &j.history));
                bound.code(self.rule, &j.program);
                bound.add(result(self.rule.entry().conclusion), vec![code(&*j.after)]);
            }
            Judgment::ToBarrier(j) => {
                bound.place(self.rule, notation, (j.thread, &j.before, &j.history));
                bound.code(self.rule, &j.program);
                bound.add(result(self.rule.entry().conclusion), vec![code(&*j.after)]);
                if let Some(site) = j.stop.site()
                    && self.rule.entry().conclusion.contains("sync_ℓ")
                {
                    bound.add(Some("ℓ"), vec![code(site)]);
                }
                if self.rule.entry().conclusion.ends_with(", s)") {
                    bound.add(Some("s"), stop(&j.stop));
                }
            }
            Judgment::Parallel(j) => {
                bound.add(Some("P::H"), vec![name(notation.history(&j.before))]);
                bound.add(Some("b"), vec![code(&*j.program)]);
                bound.add(Some("T"), vec![math(threads(j.block))]);
                bound.add(Some("Q::H"), vec![name(notation.history(&j.after))]);
            }
            Judgment::Block(j) => {
                bound.add(Some("P::H"), vec![name(notation.history(&j.before))]);
                bound.add(Some("{i: k_i, …}"), notation.remaining(&j.remaining));
                bound.add(Some("outcome"), notation.ending(&j.ending));
            }
            Judgment::Program(j) => {
                bound.add(Some("H"), vec![name(notation.history(&j.before))]);
                bound.add(Some("k"), vec![code(&*j.program)]);
                bound.add(Some("T"), vec![math(threads(j.block))]);
                bound.add(Some("outcome"), notation.ending(&j.ending));
            }
        }
        if at(&self.conclusion).is_some() {
            for (position, premise) in self.premises.iter().enumerate() {
                let text = self.rule.entry().premise(number(self, position, premise));
                bound.premise(text.unwrap_or_default(), premise);
            }
        }
        bound.letters
    }
}

/// Which premise of its rule it is, from 1.
fn number(node: &Derivation, position: usize, premise: &Premise) -> usize {
    let last = node.rule.entry().premises.len();
    match node.rule {
        Rule::Par | Rule::BlockStart => 1,
        Rule::BlockEnds | Rule::BlockDiverges => 1,
        Rule::BlockSyncs | Rule::BlockGroupSyncs if position + 1 < node.premises.len() => 1,
        Rule::BlockSyncs | Rule::BlockGroupSyncs => last,
        Rule::ThreadAtomic | Rule::BarrierAtomic => match premise {
            // A compare-and-swap has two operands.
            Premise::Value { .. } => (position + 1).min(2),
            Premise::Chosen { .. } => 3,
            _ => last,
        },
        _ => position + 1,
    }
}

fn thread_of(node: &Derivation, position: usize) -> Option<u64> {
    match (&node.conclusion, node.rule) {
        (Judgment::Parallel(_), _) => Some(position as u64),
        (Judgment::Block(j), _) => j.remaining.get(position).map(|(i, _)| *i),
        _ => None,
    }
}

/// What stands for the letters of a rule.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) letters: Vec<(String, Formula)>,
}

impl Bound {
    pub(super) fn add(&mut self, letter: Option<&str>, formula: Formula) {
        if let Some(letter) = letter
            && self.letters.iter().all(|(known, _)| known != letter)
        {
            self.letters.push((letter.to_owned(), formula));
        }
    }

    pub(super) fn place(
        &mut self,
        rule: Rule,
        notation: &mut Notation,
        (thread, before, history): (u64, &Arc<Accesses>, &Arc<History>),
    ) {
        self.add(Some("H"), vec![name(notation.history(history))]);
        self.add(Some("i"), vec![code(thread)]);
        let conclusion = rule.entry().conclusion;
        let pairs = ["(R, W, U)", "(R, W)", "A"];
        let letter = pairs.into_iter().find(|letter| conclusion.starts_with(letter));
        self.add(letter, vec![code(&**before)]);
    }

    /// The parts of a statement.
    pub(super) fn code(&mut self, rule: Rule, program: &Stmt) {
        let body = match rule.entry().judgment {
            rules::Judgment::Barrier if rule != Rule::BarrierBlock => "k",
            _ => "b",
        };
        let two = |n| format!("{body}{n}");
        match program {
            _ if rule == Rule::BarrierBlock => self.add(Some("b"), vec![code(program)]),
            Stmt::Write { array, .. } => self.add(Some("A"), vec![code(array)]),
            Stmt::Read { var, array, body: b, .. } => {
                self.add(Some("x"), vec![code(var)]);
                self.add(Some("A"), vec![code(array)]);
                self.add(Some(body), vec![code(b)]);
            }
            Stmt::Atomic { var, array, update, body: b, .. } => {
                self.add(Some("x"), vec![code(var)]);
                self.add(Some("A"), vec![code(array)]);
                self.add(Some("⋆ m"), vec![code(update)]);
                self.add(Some(body), vec![code(b)]);
            }
            Stmt::Seq(one, other) => {
                self.add(Some(&two(1)), vec![code(one)]);
                self.add(Some(&two(2)), vec![code(other)]);
            }
            Stmt::If { then, otherwise, .. } => {
                self.add(Some(&two(1)), vec![code(then)]);
                self.add(Some(&two(2)), vec![code(otherwise)]);
            }
            Stmt::For { var, body: b, .. } => {
                self.add(Some("x"), vec![code(var)]);
                self.add(Some(body), vec![code(b)]);
            }
            Stmt::Sync { site, .. } => self.add(Some("ℓ"), vec![code(site)]),
            Stmt::Skip => {}
        }
    }

    /// What a premise says of the letters in the text that the rule has for it.
    pub(super) fn premise(&mut self, text: &str, premise: &Premise) {
        match premise {
            Premise::Value { expression, value } => {
                if let Some((n, k)) = text.split_once(" ↓ ") {
                    self.add(Some(n), vec![code(expression)]);
                    self.add(Some(k), vec![code(value)]);
                }
            }
            Premise::Truth { condition, .. } => {
                let letter = text.split(" ↓ ").next().filter(|letter| *letter == "c");
                self.add(letter, vec![code(condition)]);
            }
            Premise::LastWrite { value, .. } => {
                let letter = text.rsplit(" = ").next();
                self.add(letter, vec![code(value)]);
            }
            Premise::Chosen { value, .. } => {
                let letter = text.split(" ∈ ").next();
                self.add(letter, vec![code(value)]);
            }
            Premise::Derived(child) => {
                let after = match &child.conclusion {
                    Judgment::Thread(j) => &j.after,
                    Judgment::ToBarrier(j) => &j.after,
                    _ => return,
                };
                self.add(result(text), vec![code(&**after)]);
            }
        }
    }
}

/// `B` of `A, b ↓_{H,i} B`, and of `A, k ⇓_{H,i} (B, s)`.
fn result(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("_{H,i} ")?;
    let letter = after.trim_start_matches('(').split([',', ')', ' ']).next()?;
    (letter.chars().count() == 1 && letter != "R").then_some(letter)
}
