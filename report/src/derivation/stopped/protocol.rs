//! A protocol of which a thread is stuck.

use super::super::drawing::{Drawing, Given, Node};
use super::super::formula::{Formula, code, math};
use super::super::protocol::letters;
use super::super::run::Bound;
use super::{Stopped, not_reached, open, premise, unseen};
use babycuda::protocols::map::{Attempt, Premise, Rule};
use babycuda_core::{Cell, Configuration, Num, Protocol};

/// The tree of a protocol whose accesses have no derivation, and why; `all` of it, for indented text.
pub fn stopped_map(
    protocol: &Protocol,
    configuration: &Configuration,
    attempt: &Attempt,
    why: &str,
    all: bool,
) -> Drawing {
    let mut tree = Stopped::new(all);
    tree.drawing.bare = all;
    let rules: Vec<Rule> = attempt.open.iter().map(|(u, done)| rule(u, done)).collect();
    let all_rules = std::iter::once(Rule::Par).chain(rules.iter().copied());
    tree.drawing.nodes = all_rules.map(|rule| Node::empty(rule.entry())).collect();
    let mut premises = Vec::new();
    for (thread, known) in (0..).zip(&attempt.threads) {
        if let Premise::Derived(child) = known {
            let place = tree.drawing.add(child, tree.most, &mut tree.notation);
            premises.push(premise(1, Given::Derived(place, Some(thread))));
        }
    }
    premises.push(premise(
        1,
        match attempt.open.is_empty() {
            true => Given::Fails(vec![math("all threads")], why.to_owned()),
            false => Given::Derived(1, None),
        },
    ));
    let count = configuration.launch.block.count().min(1 << 16);
    let own = |i: u64| (i, protocol.subst(&configuration.substitution(i)).to_string());
    let later: Vec<(u64, String)> = (attempt.thread + 1..count).map(own).collect();
    if !later.is_empty() && !attempt.open.is_empty() {
        premises.push(premise(1, Given::Unseen(not_reached(&later, "↓", all))));
    }
    let mut bound = Bound::default();
    bound.add(Some("u"), vec![code(protocol)]);
    bound.add(Some("T"), vec![math(configuration.launch.block)]);
    let conclusion = open(vec![code(protocol), math(" ↓ ")]);
    let (rule, bindings) = (Rule::Par.entry(), bound.letters);
    tree.drawing.nodes[0] = Node { rule, conclusion, premises, bindings, stopped: true };
    for (n, (u, done)) in attempt.open.iter().enumerate() {
        let next = (n + 1 < attempt.open.len()).then_some(n + 2);
        let node = tree.accesses(rules[n], u, done, next, why);
        tree.drawing.nodes[n + 1] = node;
    }
    tree.end()
}

fn rule(u: &Protocol, done: &[Premise]) -> Rule {
    match u {
        Protocol::Skip => Rule::Skip,
        Protocol::Access { .. } => Rule::Access,
        Protocol::Seq(..) => Rule::Seq,
        Protocol::If { .. } => match done.first() {
            Some(Premise::Truth { value: false, .. }) => Rule::IfFalse,
            _ => Rule::IfTrue,
        },
        Protocol::For { .. } => Rule::For2,
        Protocol::Sync { .. } => Rule::Sync,
        Protocol::Input { .. } => Rule::Input,
        Protocol::Any { .. } => Rule::Any,
    }
}

impl Stopped {
    fn accesses(
        &mut self,
        rule: Rule,
        u: &Protocol,
        done: &[Premise],
        next: Option<usize>,
        why: &str,
    ) -> Node {
        let entry = rule.entry();
        let mut premises = Vec::new();
        for (number, known) in (1..).zip(done) {
            let given = match (known, self.notation.condition(known, None)) {
                (_, Some(formula)) => Given::Side(formula),
                (Premise::Derived(child), None) => {
                    let place = self.drawing.add(child, self.most, &mut self.notation);
                    Given::Derived(place, None)
                }
                (_, None) => continue,
            };
            premises.push(premise(number, given));
        }
        let mut number = (done.len() + 1).min(entry.premises.len().max(1));
        if let (Protocol::For { lower, .. }, [], None) = (u, done, next)
            && let Ok(value) = lower.value()
        {
            let side = vec![code(lower), math(" ↓ "), code(value)];
            premises.push(premise(1, Given::Side(side)));
            number = 2;
        }
        let given = match next {
            Some(child) => Given::Derived(child, None),
            None => Given::Fails(fails(u, done), why.to_owned()),
        };
        premises.push(premise(number, given));
        premises.extend(unseen(entry, number));
        let mut bound = Bound::default();
        letters(&mut bound, u);
        let conclusion = open(vec![code(u), math(" ↓ ")]);
        Node { rule: entry, conclusion, premises, bindings: bound.letters, stopped: true }
    }
}

/// The premise behind those that are there.
fn fails(u: &Protocol, done: &[Premise]) -> Formula {
    let number = |n: &Num| vec![code(n), math(" ↓ ?")];
    match (u, done) {
        (Protocol::Access { index, .. } | Protocol::Input { index, .. }, []) => number(index),
        (Protocol::Input { array, .. }, [Premise::Value { value, .. }]) => {
            vec![math("H0("), code(Cell::new(array.clone(), value.clone())), math(") = ?")]
        }
        (Protocol::If { condition, .. }, []) => vec![code(condition), math(" ↓ ?")],
        (Protocol::For { lower, upper, .. }, []) => match lower.value() {
            Ok(_) => number(upper),
            Err(_) => number(lower),
        },
        _ => vec![math("one more rule instance")],
    }
}
