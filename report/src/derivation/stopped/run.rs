//! A run that is stuck.

use super::super::drawing::{Drawing, Given, Node, Premise};
use super::super::formula::{Formula, code, math, name, sub};
use super::super::notation::threads;
use super::super::run::Bound;
use super::{Stopped, not_reached, open, premise, unseen};
use babycuda::semantics::{Attempt, Rule, Started, Unfinished};
use babycuda_core::derivation;
use babycuda_core::expr::Relation;
use babycuda_core::{Accesses, Bool, Cell, History, Num, Stmt};
use std::sync::Arc;

/// The tree of a run that has no derivation, and why it has none; `all` of it, for indented text.
pub fn stopped_run(attempt: &Attempt, why: &str, all: bool) -> Drawing {
    let mut tree = Stopped::new(all);
    let rules = rules(&attempt.open);
    tree.drawing.nodes = rules.iter().map(|rule| Node::empty(rule.entry())).collect();
    for (place, begun) in attempt.open.iter().enumerate() {
        let next = (place + 1 < attempt.open.len()).then_some(place + 1);
        let node = tree.node(begun, rules[place], next, why);
        tree.drawing.nodes[place] = node;
    }
    tree.end()
}

/// The rules of what was begun: where none is known, the one that could conclude it.
fn rules(begun: &[Unfinished]) -> Vec<Rule> {
    let rule = |unfinished: &Unfinished| match (&unfinished.rule, &unfinished.started) {
        (Some(rule), _) => *rule,
        (None, Started::Program { .. }) => Rule::BlockStart,
        (None, Started::Block { remaining, .. }) => {
            let waits = remaining.iter().any(|(_, program)| program.has_sync());
            if waits { Rule::BlockSyncs } else { Rule::BlockEnds }
        }
        (None, Started::Thread { to_barrier, program, .. }) => of_statement(*to_barrier, program),
    };
    begun.iter().map(rule).collect()
}

fn of_statement(to_barrier: bool, program: &Stmt) -> Rule {
    if to_barrier && !program.has_sync() {
        return Rule::BarrierBlock;
    }
    let either = |barrier, thread| if to_barrier { barrier } else { thread };
    match program {
        Stmt::Skip => Rule::ThreadSkip,
        Stmt::Write { .. } => Rule::ThreadWrite,
        Stmt::Read { .. } => either(Rule::BarrierRead, Rule::ThreadRead),
        Stmt::Atomic { .. } => either(Rule::BarrierAtomic, Rule::ThreadAtomic),
        Stmt::Seq(..) => either(Rule::BarrierSeq1, Rule::ThreadSeq),
        Stmt::If { condition, .. } => match condition.value() {
            Ok(false) => either(Rule::BarrierIfFalse, Rule::ThreadIfFalse),
            _ => either(Rule::BarrierIfTrue, Rule::ThreadIfTrue),
        },
        Stmt::For { lower, upper, .. } => match (lower.value(), upper.value()) {
            (Ok(j), Ok(k)) if j >= k => either(Rule::BarrierFor1, Rule::ThreadFor1),
            _ => either(Rule::BarrierFor2, Rule::ThreadFor2),
        },
        Stmt::Sync { .. } => Rule::BarrierSync,
    }
}

type At<'a> = (u64, &'a Arc<Accesses>, &'a Arc<History>);

impl Stopped {
    fn node(&mut self, begun: &Unfinished, rule: Rule, next: Option<usize>, why: &str) -> Node {
        let entry = rule.entry();
        let (mut premises, mut bound) = (Vec::new(), Bound::default());
        let mut at: Option<At<'_>> = None;
        let conclusion = match &begun.started {
            Started::Program { block, before, program } => {
                let before = name(self.notation.history(before));
                let below = sub(threads(*block));
                open(vec![before, math(", "), code(&**program), math(" ⇓"), below, math(" ")])
            }
            Started::Block { before, remaining, .. } => {
                let mut left = vec![name(self.notation.history(before)), math(", {")];
                left.extend(self.notation.remaining(remaining));
                left.push(math("} ⇓ "));
                open(left)
            }
            Started::Thread { to_barrier, history, thread, before, program } => {
                let place = (*thread, before, history);
                at = Some(place);
                let arrow = if *to_barrier { " ⇓" } else { " ↓" };
                let mut left = vec![code(&**before), math(", "), code(&**program), math(arrow)];
                left.extend(self.notation.below(history, *thread));
                left.push(math(" "));
                bound.place(rule, &mut self.notation, place);
                bound.code(rule, program);
                open(left)
            }
        };
        for (position, known) in begun.premises.iter().enumerate() {
            let number = self.number(begun, position);
            let given = match (known, self.notation.condition(known, at)) {
                (_, Some(formula)) => Given::Side(formula),
                (derivation::Premise::Derived(child), None) => {
                    let thread = self.thread(begun, position);
                    Given::Derived(self.add(child), thread)
                }
                (_, None) => continue,
            };
            if let Some(text) = entry.premise(number) {
                bound.premise(text, known);
            }
            premises.push(premise(number, given));
        }
        let mut number = premises.last().map_or(1, |last| last.number + 1);
        if let (Started::Thread { program, .. }, None) = (&begun.started, begun.rule) {
            let holds = self.sides(program, rule, next.is_none(), at, &mut premises, why);
            if !holds {
                let last = premises.last().map_or(1, |last: &Premise| last.number);
                premises.extend(unseen(entry, last));
                let bindings = bound.letters;
                return Node { rule: entry, conclusion, premises, bindings, stopped: true };
            }
            number = premises.last().map_or(1, |last| last.number + 1);
        }
        match next {
            Some(child) => {
                // Threads are all of premise 1.
                let threads = matches!(begun.started, Started::Block { .. });
                if threads && begun.rule.is_none() {
                    number = 1;
                }
                let number = number.min(entry.premises.len().max(1));
                premises.push(premise(number, Given::Derived(child, None)));
                premises.extend(self.later(begun));
                premises.extend(unseen(entry, number));
            }
            None => {
                let fails = Given::Fails(vec![math("one more rule instance")], why.to_owned());
                premises.push(premise(number.min(entry.premises.len().max(1)), fails));
                premises.extend(unseen(entry, number));
            }
        }
        Node { rule: entry, conclusion, premises, bindings: bound.letters, stopped: true }
    }

    fn add(&mut self, child: &babycuda::semantics::Derivation) -> usize {
        let Stopped { drawing, notation, most } = self;
        drawing.add(child, *most, notation)
    }

    fn number(&self, begun: &Unfinished, position: usize) -> usize {
        match (&begun.started, begun.rule) {
            (Started::Block { .. }, _) => 1,
            (_, Some(Rule::ThreadAtomic | Rule::BarrierAtomic)) => match begun.premises[position] {
                derivation::Premise::Value { .. } => (position + 1).min(2),
                _ => 3,
            },
            _ => position + 1,
        }
    }

    fn thread(&self, begun: &Unfinished, position: usize) -> Option<u64> {
        match &begun.started {
            Started::Block { remaining, .. } => remaining.get(position).map(|(i, _)| *i),
            _ => None,
        }
    }

    /// The threads behind the one that is stuck.
    fn later(&self, begun: &Unfinished) -> Option<Premise> {
        let (Started::Block { remaining, .. }, None) = (&begun.started, begun.rule) else {
            return None;
        };
        let later: Vec<(u64, String)> = remaining
            .iter()
            .skip(begun.premises.len() + 1)
            .map(|(i, program)| (*i, program.to_string()))
            .collect();
        let all = self.notation.spelled;
        let formula = (!later.is_empty()).then(|| not_reached(&later, "⇓", all));
        formula.map(|formula| premise(1, Given::Unseen(formula)))
    }

    /// The side conditions of a statement whose rule was not applied; false, where one fails.
    fn sides(
        &mut self,
        program: &Stmt,
        rule: Rule,
        last: bool,
        at: Option<At<'_>>,
        premises: &mut Vec<Premise>,
        why: &str,
    ) -> bool {
        if rule == Rule::BarrierBlock {
            return true;
        }
        let number = |n: &Num, place: usize, premises: &mut Vec<Premise>| match n.value() {
            Ok(value) => {
                let side = vec![code(n), math(" ↓ "), code(&value)];
                premises.push(premise(place, Given::Side(side)));
                Some(value)
            }
            Err(_) => {
                let side = vec![code(n), math(" ↓ ?")];
                premises.push(premise(place, Given::Fails(side, why.to_owned())));
                None
            }
        };
        match program {
            Stmt::Read { array, index, .. } => {
                let Some(j) = number(index, 1, premises) else { return false };
                if last {
                    let cell = Cell::new(array.clone(), j);
                    let mut lookup: Formula = self.notation.last_write(&cell, at);
                    lookup.push(math(" = ?"));
                    premises.push(premise(2, Given::Fails(lookup, why.to_owned())));
                }
                !last
            }
            Stmt::Write { index, payload, .. } => {
                number(index, 1, premises).and_then(|_| number(payload, 2, premises)).is_some()
            }
            Stmt::Atomic { index, update, .. } => {
                let operands = [Some(&update.operand), update.expected.as_ref()];
                number(index, 1, premises).is_some()
                    && operands.into_iter().flatten().all(|n| number(n, 2, premises).is_some())
            }
            Stmt::If { condition, .. } => {
                let value = condition.value();
                let text = value.as_ref().map_or("?".to_owned(), ToString::to_string);
                let side = vec![code(condition), math(" ↓ "), code(text)];
                premises.push(premise(
                    1,
                    match value {
                        Ok(_) => Given::Side(side),
                        Err(_) => Given::Fails(side, why.to_owned()),
                    },
                ));
                value.is_ok()
            }
            Stmt::For { lower, upper, .. } => {
                let Some(j) = number(lower, 1, premises) else { return false };
                let Some(k) = number(upper, 2, premises) else { return false };
                let relation = if j < k { Relation::Lt } else { Relation::Ge };
                let test = Bool::compare(relation, Num::Lit(j), Num::Lit(k));
                let side = vec![code(test), math(" ↓ "), code(true)];
                premises.push(premise(3, Given::Side(side)));
                true
            }
            Stmt::Seq(..) | Stmt::Skip | Stmt::Sync { .. } => true,
        }
    }
}
