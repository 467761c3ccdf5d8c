//! A program that has no type.

use super::super::drawing::{Drawing, Given, Node, Premise};
use super::super::formula::{Formula, code, math};
use super::super::run::Bound;
use super::super::types::{side, statement};
use super::{Stopped, open, premise, unseen};
use babycuda::typing::{Attempt, Context, Derivation, Judgment, Rule, infer_relative};
use babycuda_core::syntax::ForSort;
use babycuda_core::{Bool, Name, Num, Protocol, Stmt};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The tree of a program that has no type, and why it has none; `all` of it, for indented text.
pub fn stopped_type(attempt: &Attempt, why: &str, all: bool) -> Drawing {
    let mut tree = Stopped::new(all);
    tree.drawing.brief = all;
    tree.drawing.bare = all;
    let begun = &attempt.open;
    let rules: Vec<Rule> =
        begun.iter().map(|(_, program)| rule(program, &attempt.inputs)).collect();
    tree.drawing.nodes = rules.iter().map(|rule| Node::empty(rule.entry())).collect();
    for (place, (context, program)) in begun.iter().enumerate() {
        let next = begun.get(place + 1).map(|(_, program)| (place + 1, program));
        let node = tree.typed(rules[place], context, program, next, (&attempt.inputs, why));
        tree.drawing.nodes[place] = node;
    }
    tree.end()
}

fn rule(program: &Stmt, inputs: &BTreeSet<Name>) -> Rule {
    match program {
        Stmt::Write { .. } => Rule::Write,
        Stmt::Read { array, .. } if inputs.contains(array) => Rule::ReadInput,
        Stmt::Read { .. } => Rule::Read,
        Stmt::Atomic { .. } => Rule::Atomic,
        Stmt::Seq(..) => Rule::Seq,
        Stmt::If { .. } => Rule::If,
        Stmt::For { sort: ForSort::U, .. } => Rule::For,
        Stmt::For { sort: ForSort::S, .. } => Rule::ForS,
        Stmt::Skip => Rule::Skip,
        Stmt::Sync { .. } => Rule::Sync,
    }
}

/// What the premises of a statement speak of, in their order.
enum Part<'a> {
    Num(&'a Num),
    Bool(&'a Bool),
    Program(&'a Arc<Stmt>),
}

fn parts(program: &Stmt) -> Vec<Part<'_>> {
    match program {
        Stmt::Write { index, .. } => vec![Part::Num(index)],
        Stmt::Read { index, body, .. } | Stmt::Atomic { index, body, .. } => {
            vec![Part::Num(index), Part::Program(body)]
        }
        Stmt::Seq(one, other) => vec![Part::Program(one), Part::Program(other)],
        Stmt::If { condition, then, otherwise, .. } => {
            vec![Part::Bool(condition), Part::Program(then), Part::Program(otherwise)]
        }
        Stmt::For { lower, upper, body, .. } => {
            vec![Part::Num(lower), Part::Num(upper), Part::Program(body)]
        }
        Stmt::Skip | Stmt::Sync { .. } => Vec::new(),
    }
}

impl Stopped {
    fn typed(
        &mut self,
        rule: Rule,
        context: &Context,
        program: &Arc<Stmt>,
        next: Option<(usize, &Arc<Stmt>)>,
        (inputs, why): (&BTreeSet<Name>, &str),
    ) -> Node {
        let entry = rule.entry();
        let mut left = self.notation.context(context);
        left.extend([math(" ⊢ "), code(&**program), math(" ▶ ")]);
        let conclusion = open(left);
        let mut bound = Bound::default();
        bound.add(Some("V"), self.notation.context(context));
        statement(&mut bound, program);
        // A judgment of the statement, for its premises on sets.
        let protocol = Arc::new(Protocol::Skip);
        let judgment =
            Judgment::Program { context: context.clone(), program: program.clone(), protocol };
        let inner = match (&**program, rule) {
            (Stmt::For { var, .. }, _) | (Stmt::Read { var, .. }, Rule::ReadInput) => {
                context.with(var.clone())
            }
            _ => context.clone(),
        };
        let mut parts = parts(program).into_iter();
        let mut premises: Vec<Premise> = Vec::new();
        let mut failed = None;
        for (number, text) in (1..).zip(entry.premises) {
            let given = match side(text, &judgment, &mut self.notation) {
                Some(formula) if text.ends_with("∉ V") && !binds_anew(program, context) => {
                    Given::Fails(formula, why.to_owned())
                }
                Some(formula) => Given::Side(formula),
                None => match parts.next() {
                    Some(Part::Num(n)) => {
                        let expression = n.clone();
                        let judgment = Judgment::Num { context: context.clone(), expression };
                        self.expression(Rule::N, judgment, context, n.free_vars(), why)
                    }
                    Some(Part::Bool(c)) => {
                        let condition = c.clone();
                        let judgment = Judgment::Bool { context: context.clone(), condition };
                        self.expression(Rule::B, judgment, context, c.free_vars(), why)
                    }
                    Some(Part::Program(part)) => match next {
                        Some((place, begun)) if Arc::ptr_eq(part, begun) => {
                            failed = Some(number);
                            Given::Derived(place, None)
                        }
                        _ => match infer_relative(&inner, inputs, part) {
                            Ok(typed) => Given::Derived(self.add_type(&typed.derivation), None),
                            Err(_) => Given::Unseen(vec![math(*text)]),
                        },
                    },
                    None => Given::Unseen(vec![math(*text)]),
                },
            };
            if matches!(given, Given::Fails(..)) {
                failed = Some(number);
            }
            premises.push(premise(number, given));
            if let Some(number) = failed {
                premises.extend(unseen(entry, number));
                break;
            }
        }
        Node { rule: entry, conclusion, premises, bindings: bound.letters, stopped: true }
    }

    fn expression(
        &mut self,
        rule: Rule,
        judgment: Judgment,
        context: &Context,
        vars: BTreeSet<Name>,
        why: &str,
    ) -> Given {
        if vars.iter().all(|x| context.contains(x)) {
            let derivation = Derivation { rule, conclusion: judgment, premises: Vec::new() };
            return Given::Derived(self.add_type(&derivation), None);
        }
        let mut formula: Formula = self.notation.context(context);
        formula.push(math(" ⊢ "));
        formula.push(match &judgment {
            Judgment::Num { expression, .. } => code(expression),
            Judgment::Bool { condition, .. } => code(condition),
            Judgment::Program { program, .. } => code(&**program),
        });
        Given::Fails(formula, why.to_owned())
    }

    fn add_type(&mut self, derivation: &Derivation) -> usize {
        let Stopped { drawing, notation, most } = self;
        drawing.add(derivation, *most, notation)
    }
}

/// Is the variable that the statement binds not in `V`?
fn binds_anew(program: &Stmt, context: &Context) -> bool {
    match program {
        Stmt::Read { var, .. } | Stmt::Atomic { var, .. } | Stmt::For { var, .. } => {
            !context.contains(var)
        }
        _ => true,
    }
}
