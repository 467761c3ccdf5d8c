//! Derivations of a run of one thread: `write  (∅, ∅), A[0] := 3 ↓ (∅, {0: 3})`.

use super::outline::{Lines, Node, cut, read};
use super::rejected;
use super::types::unsited;
use crate::exercise::{ExerciseError, Source};
use crate::grade::Fault;
use crate::kinds::account::{Account, cell, number, unreadable};
use crate::limits;
use crate::reading::material;
use babycuda::semantics::{
    Derivation, Judgment, Premise, Rule, ThreadJudgment, check_derivation, thread,
};
use babycuda_core::expr::Relation;
use babycuda_core::history::HostMemory;
use babycuda_core::parse::parse_stmt;
use babycuda_core::{Accesses, Bool, Cell, Configuration, History, Num, Stmt};
use std::sync::Arc;

/// The run that is to be derived: from no accesses.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    history: Arc<History>,
    thread: u64,
    program: Stmt,
}

impl Runs {
    pub(super) fn read(source: &Source<'_>) -> Result<Runs, ExerciseError> {
        let program = material(source.need_block("bcuda")?)?;
        let thread: u64 = source.number("thread")?;
        let account = Account::read(source.block("history").unwrap_or_default());
        let account = account.map_err(|fault| ExerciseError::new(fault.why))?;
        let host = HostMemory::declared(&program.declarations);
        let account = Account { memory: host, ..account };
        let at = Configuration::threads(32).substitution(thread);
        let runs = Runs {
            history: Arc::new(account.history()),
            thread,
            program: unsited(&program.body.subst(&at)),
        };
        let run = thread::evaluate(
            &Accesses::default(),
            &runs.program,
            &runs.history,
            thread,
            &limits::running(),
        );
        run.map_err(|stuck| ExerciseError::new(stuck.to_string()))?;
        Ok(runs)
    }

    /// How many nodes the derivation has.
    pub(super) fn judge(&self, answer: &str) -> Result<usize, Box<Fault>> {
        let root = read(answer)?;
        let mut lines = Lines::default();
        let derivation = self.derivation(&root, &mut Vec::new(), &mut lines)?;
        let Judgment::Thread(judgment) = &derivation.conclusion else {
            return Err(unreadable(root.line, "the root is no run of a thread"));
        };
        if !judgment.before.is_empty() || *judgment.program != self.program {
            let why = "the root is about another program, or does not start from (∅, ∅)";
            let expected = format!("(∅, ∅), {} ↓ …", self.program);
            return Err(Fault::wrong("the root", why).expecting(expected).at(root.line));
        }
        check_derivation(&derivation).map_err(|wrong| rejected(&wrong, &lines))?;
        Ok(derivation.size())
    }

    fn derivation(
        &self,
        node: &Node<'_>,
        path: &mut Vec<usize>,
        lines: &mut Lines,
    ) -> Result<Derivation, Box<Fault>> {
        lines.put(path, node.line);
        let fail = |why: String| unreadable(node.line, why);
        let (name, rest) = node.text.split_once(' ').unwrap_or((node.text, ""));
        let id = format!("thread/{}", name.trim_start_matches("thread/"));
        let rule = Rule::ALL.into_iter().find(|rule| rule.id() == id);
        let rule = rule.ok_or_else(|| fail(format!("there is no rule `{id}`")))?;
        let (rest, lookup) = cut(rest, &["⟵", "<-"]).unwrap_or((rest.trim(), ""));
        let form = || fail(format!("`{}` is not `RULE  (R, W), PROGRAM ↓ (R, W)`", node.text));
        let (before, rest) =
            accesses(rest).map_err(|why| fail(why.unwrap_or_else(|| form().why)))?;
        let rest = rest.trim_start().strip_prefix(',').ok_or_else(form)?;
        let (program, after) = cut(rest, &["↓", "=>"]).ok_or_else(form)?;
        let (after, end) =
            accesses(after).map_err(|why| fail(why.unwrap_or_else(|| form().why)))?;
        if !end.trim().is_empty() {
            return Err(form());
        }
        let program = parse_stmt(program).map_err(|error| fail(error.kind.to_string()))?;
        let program = unsited(&program);
        let mut premises = values(rule, &program);
        if !lookup.is_empty() {
            premises.push(lastwrite(lookup).map_err(fail)?);
        }
        for below in &node.below {
            path.push(premises.len());
            premises.push(Premise::Derived(Arc::new(self.derivation(below, path, lines)?)));
            path.pop();
        }
        let conclusion = Judgment::Thread(ThreadJudgment {
            history: self.history.clone(),
            thread: self.thread,
            before: Arc::new(before),
            program: Arc::new(program),
            after: Arc::new(after),
        });
        Ok(Derivation { rule, conclusion, premises })
    }
}

/// The premises about values, which are not written. Where an expression has none, the checker says so.
fn values(rule: Rule, program: &Stmt) -> Vec<Premise> {
    let value = |n: &Num| {
        let value = n.value().ok()?;
        Some(Premise::Value { expression: n.clone(), value })
    };
    let truth =
        |condition: &Bool, value| Some(Premise::Truth { condition: condition.clone(), value });
    let premises = match (rule, program) {
        (Rule::ThreadRead, Stmt::Read { index, .. }) => vec![value(index)],
        (Rule::ThreadWrite, Stmt::Write { index, payload, .. }) => {
            vec![value(index), value(payload)]
        }
        (Rule::ThreadIfTrue, Stmt::If { condition, .. }) => vec![truth(condition, true)],
        (Rule::ThreadIfFalse, Stmt::If { condition, .. }) => vec![truth(condition, false)],
        (Rule::ThreadFor1 | Rule::ThreadFor2, Stmt::For { lower, upper, .. }) => {
            let relation = if rule == Rule::ThreadFor1 { Relation::Ge } else { Relation::Lt };
            let (j, k) = (lower.value().ok(), upper.value().ok());
            let test = j.zip(k).map(|(j, k)| Bool::compare(relation, Num::Lit(j), Num::Lit(k)));
            vec![value(lower), value(upper), test.and_then(|test| truth(&test, true))]
        }
        _ => Vec::new(),
    };
    premises.into_iter().flatten().collect()
}

/// `lastwrite(A[0]) = 3`
fn lastwrite(text: &str) -> Result<Premise, String> {
    let wrong =
        || format!("`{text}` is not `lastwrite(A[0]) = 3`; values of expressions are not written");
    let rest = text.strip_prefix("lastwrite(").ok_or_else(wrong)?;
    let (of, value) = rest.split_once(')').ok_or_else(wrong)?;
    let value = value.trim().strip_prefix('=').ok_or_else(wrong)?;
    Ok(Premise::LastWrite { cell: short(of)?, value: number(value)? })
}

/// A cell as histories print it: a number is a cell of `A`.
fn short(text: &str) -> Result<Cell, String> {
    match text.trim() {
        digits if digits.bytes().all(|b| b.is_ascii_digit()) => Ok(Cell::new("A", number(digits)?)),
        other => cell(other),
    }
}

/// `(R, W)` at the beginning of a text, and what follows. An error without words: it has not this form.
fn accesses(text: &str) -> Result<(Accesses, &str), Option<String>> {
    let text = text.trim_start().strip_prefix('(').ok_or(None)?;
    let (reads, text) = braces(text).ok_or(None)?;
    let text = text.trim_start().strip_prefix(',').ok_or(None)?;
    let (writes, text) = braces(text).ok_or(None)?;
    let rest = text.trim_start().strip_prefix(')').ok_or(None)?;
    let mut accesses = Accesses::default();
    for text in items(reads) {
        accesses = accesses.read(short(text)?);
    }
    for text in items(writes) {
        let (of, value) =
            text.split_once(':').ok_or_else(|| Some(format!("`{text}` is not `CELL: VALUE`")))?;
        accesses = accesses.write(short(of)?, number(value)?);
    }
    Ok((accesses, rest))
}

fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

/// What stands between braces, or nothing for `∅`; and what follows.
fn braces(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    match text.strip_prefix('∅') {
        Some(rest) => Some(("", rest)),
        None => text.strip_prefix('{')?.split_once('}'),
    }
}
