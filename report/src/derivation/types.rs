//! Typing derivations, drawn.

use super::drawing::{Part, Source};
use super::formula::{Formula, code, math};
use super::notation::Notation;
use super::run::Bound;
use babycuda::typing::{Context, Derivation, Judgment};
use babycuda_core::rules;
use babycuda_core::{Name, Protocol, Stmt};
use std::collections::BTreeSet;

impl Source for Derivation {
    fn entry(&self) -> &'static rules::Rule {
        self.rule.entry()
    }

    fn conclusion(&self, notation: &mut Notation) -> Formula {
        let mut formula = notation.context(context(&self.conclusion));
        formula.push(math(" ⊢ "));
        match &self.conclusion {
            Judgment::Num { expression, .. } => formula.push(code(expression)),
            Judgment::Bool { condition, .. } => formula.push(code(condition)),
            Judgment::Program { program, protocol, .. } => {
                formula.extend([code(&**program), math(" ▶ "), code(&**protocol)]);
            }
        }
        formula
    }

    fn parts(&self, notation: &mut Notation) -> Vec<(usize, Part)> {
        let premises = (1..).zip(self.entry().premises);
        let part = |(number, text): (usize, &&str)| {
            (number, side(text, &self.conclusion, notation).map_or(Part::Child(None), Part::Side))
        };
        premises.map(part).collect()
    }

    fn bindings(&self, notation: &mut Notation) -> Vec<(String, Formula)> {
        let mut bound = Bound::default();
        bound.add(Some("V"), notation.context(context(&self.conclusion)));
        match &self.conclusion {
            Judgment::Num { expression, .. } => bound.add(Some("n"), vec![code(expression)]),
            Judgment::Bool { condition, .. } => bound.add(Some("c"), vec![code(condition)]),
            Judgment::Program { program, protocol, .. } => {
                statement(&mut bound, program);
                inner(&mut bound, protocol);
            }
        }
        bound.letters
    }
}

pub(super) fn context(judgment: &Judgment) -> &Context {
    match judgment {
        Judgment::Num { context, .. }
        | Judgment::Bool { context, .. }
        | Judgment::Program { context, .. } => context,
    }
}

/// What a premise that is no judgment says; `None`: it is one.
pub(super) fn side(text: &str, node: &Judgment, notation: &mut Notation) -> Option<Formula> {
    let within = |vars: BTreeSet<Name>, notation: &mut Notation| {
        let vars: Vec<&str> = vars.iter().map(Name::as_str).collect();
        let mut formula = vec![code(format!("{{{}}}", vars.join(", "))), math(" ⊆ ")];
        formula.extend(notation.context(context(node)));
        formula
    };
    let program = match node {
        Judgment::Num { expression, .. } => return Some(within(expression.free_vars(), notation)),
        Judgment::Bool { condition, .. } => return Some(within(condition.free_vars(), notation)),
        Judgment::Program { program, .. } => program,
    };
    let (var, array) = match &**program {
        Stmt::Read { var, array, .. } | Stmt::Atomic { var, array, .. } => (var, Some(array)),
        Stmt::For { var, .. } => (var, None),
        _ => return None,
    };
    if text.ends_with("∉ V") {
        let mut formula = vec![code(var), math(" ∉ ")];
        formula.extend(notation.context(context(node)));
        return Some(formula);
    }
    let array = array.filter(|_| text.starts_with("A ∈ RO"))?;
    Some(vec![code(array), math(" ∈ RO")])
}

/// The letters of a statement.
pub(super) fn statement(bound: &mut Bound, program: &Stmt) {
    match program {
        Stmt::Write { array, index, payload, .. } => {
            bound.add(Some("A"), vec![code(array)]);
            bound.add(Some("n"), vec![code(index)]);
            bound.add(Some("m"), vec![code(payload)]);
        }
        Stmt::Read { var, array, index, body, .. } => {
            bound.add(Some("y"), vec![code(var)]);
            bound.add(Some("A"), vec![code(array)]);
            bound.add(Some("n"), vec![code(index)]);
            bound.add(Some("b"), vec![code(body)]);
        }
        Stmt::Atomic { var, array, index, update, body, .. } => {
            bound.add(Some("y"), vec![code(var)]);
            bound.add(Some("A"), vec![code(array)]);
            bound.add(Some("n"), vec![code(index)]);
            bound.add(Some("⋆ m"), vec![code(update)]);
            bound.add(Some("b"), vec![code(body)]);
        }
        Stmt::Seq(one, other) => {
            bound.add(Some("b1"), vec![code(one)]);
            bound.add(Some("b2"), vec![code(other)]);
        }
        Stmt::If { condition, then, otherwise, .. } => {
            bound.add(Some("c"), vec![code(condition)]);
            bound.add(Some("b1"), vec![code(then)]);
            bound.add(Some("b2"), vec![code(otherwise)]);
        }
        Stmt::For { var, lower, upper, body, .. } => {
            bound.add(Some("x"), vec![code(var)]);
            bound.add(Some("n"), vec![code(lower)]);
            bound.add(Some("m"), vec![code(upper)]);
            bound.add(Some("b"), vec![code(body)]);
        }
        Stmt::Sync { scope, .. } => bound.add(Some("s"), vec![code(scope)]),
        Stmt::Skip => {}
    }
}

/// `u`, `u1` and `u2` of the protocol that a statement gets. Of a read it is `rd A[n]; u`.
fn inner(bound: &mut Bound, protocol: &Protocol) {
    let is_program = |bound: &Bound| bound.letters.iter().any(|(letter, _)| letter == "b1");
    match protocol {
        Protocol::Seq(one, other) if is_program(bound) => {
            bound.add(Some("u1"), vec![code(one)]);
            bound.add(Some("u2"), vec![code(other)]);
        }
        Protocol::Seq(_, rest) => match &**rest {
            Protocol::Input { body, .. } => bound.add(Some("u"), vec![code(body)]),
            rest => bound.add(Some("u"), vec![code(rest)]),
        },
        Protocol::If { then, otherwise, .. } => {
            bound.add(Some("u1"), vec![code(then)]);
            bound.add(Some("u2"), vec![code(otherwise)]);
        }
        Protocol::For { body, .. } => bound.add(Some("u"), vec![code(body)]),
        _ => {}
    }
}
