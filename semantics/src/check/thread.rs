//! The rules of `A, b ↓_{H,i} B`.

use super::Fault;
use super::code::{Code, Loop};
use super::premises::{Place, Premises, same};
use crate::Rule;
use crate::derivation::ThreadJudgment;
use babycuda_core::expr::Relation;
use babycuda_core::{Accesses, Cell, Stmt};

pub(super) fn check(
    rule: Rule,
    conclusion: &ThreadJudgment,
    premises: &mut Premises<'_>,
) -> Result<(), Fault> {
    let ThreadJudgment { history, thread, before, program, after } = conclusion;
    let place = Place { history, thread: *thread };
    let result = |expected: &Accesses| match same(after, expected) {
        true => Ok(()),
        false => Err(Fault::conclusion(format!("the result is {expected}"))),
    };
    match (rule, &**program) {
        (Rule::ThreadRead, Stmt::Read { var, array, index, body, .. }) => {
            let cell = Cell::new(array.clone(), premises.value(1, index)?.clone());
            let k = premises.lastwrite(2, &cell, place, before)?;
            let (read, continuation) = (before.read(cell), Code::put(body, var, k));
            result(premises.thread(3, place, &read, &continuation)?)
        }
        (Rule::ThreadWrite, Stmt::Write { array, index, payload, .. }) => {
            let cell = Cell::new(array.clone(), premises.value(1, index)?.clone());
            let k = premises.value(2, payload)?;
            result(&before.write(cell, k.clone()))
        }
        (Rule::ThreadSeq, Stmt::Seq(b, c)) => {
            let between = premises.thread(1, place, before, &Code::Same(b))?;
            result(premises.thread(2, place, between, &Code::Same(c))?)
        }
        (Rule::ThreadIfTrue, Stmt::If { condition, then, .. }) => {
            premises.truth(1, condition, true)?;
            result(premises.thread(2, place, before, &Code::Same(then))?)
        }
        (Rule::ThreadIfFalse, Stmt::If { condition, otherwise, .. }) => {
            premises.truth(1, condition, false)?;
            result(premises.thread(2, place, before, &Code::Same(otherwise))?)
        }
        (Rule::ThreadFor1, Stmt::For { lower, upper, .. }) => {
            premises.bounds(lower, upper, Relation::Ge)?;
            result(before)
        }
        (Rule::ThreadFor2, Stmt::For { site, sort, var, lower, upper, body }) => {
            let (j, k) = premises.bounds(lower, upper, Relation::Lt)?;
            let (site, sort) = (*site, *sort);
            let repeat = Loop { site, sort, var, lower: j, upper: k, body };
            let between = premises.thread(4, place, before, &repeat.iteration())?;
            result(premises.thread(5, place, between, &Code::Others(repeat))?)
        }
        (Rule::ThreadSkip, Stmt::Skip) => result(before),
        (Rule::ThreadAtomic, Stmt::Atomic { var, array, index, update, scope, body, .. }) => {
            let cell = Cell::new(array.clone(), premises.value(1, index)?.clone());
            let update = premises.operands(update)?;
            let continuation = Code::put(body, var, premises.chosen(3, &cell)?);
            let updated = before.atomic(cell, *scope, update);
            result(premises.thread(4, place, &updated, &continuation)?)
        }
        _ => Err(Fault::conclusion("the rule does not conclude this")),
    }
}
