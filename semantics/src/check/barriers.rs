//! The rules of `A, k ⇓_{H,i} (B, s)`.

use super::Fault;
use super::code::{Code, Loop};
use super::premises::{Place, Premises, same};
use crate::Rule;
use crate::derivation::{Stop, ToBarrierJudgment};
use babycuda_core::expr::Relation;
use babycuda_core::{Accesses, Cell, Stmt};
use std::sync::Arc;

pub(super) fn check(
    rule: Rule,
    conclusion: &ToBarrierJudgment,
    premises: &mut Premises<'_>,
) -> Result<(), Fault> {
    let ToBarrierJudgment { history, thread, before, program, after, stop } = conclusion;
    let place = Place { history, thread: *thread };
    let result = |(expected, at): (&Arc<Accesses>, &Stop)| match same(after, expected) {
        true if stop == at => Ok(()),
        true => Err(Fault::conclusion("the thread stops elsewhere")),
        false => Err(Fault::conclusion(format!("the accesses are {expected}"))),
    };
    match (rule, &**program) {
        (Rule::BarrierBlock, code) => {
            if code.has_sync() {
                return Err(Fault::conclusion("there is a barrier in the code"));
            }
            result((premises.thread(1, place, before, &Code::Same(code))?, &Stop::Done))
        }
        (Rule::BarrierSync, Stmt::Sync { site, scope }) => {
            let rest = Arc::new(Stmt::Skip);
            result((before, &Stop::Barrier { site: *site, scope: *scope, rest }))
        }
        (Rule::BarrierRead, Stmt::Read { var, array, index, body, .. }) => {
            let cell = Cell::new(array.clone(), premises.value(1, index)?.clone());
            let k = premises.lastwrite(2, &cell, place, before)?;
            let (read, continuation) = (before.read(cell), Code::put(body, var, k));
            result(premises.barrier(3, place, &read, &continuation)?)
        }
        (Rule::BarrierAtomic, Stmt::Atomic { var, array, index, update, scope, body, .. }) => {
            let cell = Cell::new(array.clone(), premises.value(1, index)?.clone());
            let update = premises.operands(update)?;
            let continuation = Code::put(body, var, premises.chosen(3, &cell)?);
            let updated = before.atomic(cell, *scope, update);
            result(premises.barrier(4, place, &updated, &continuation)?)
        }
        (Rule::BarrierSeq1, Stmt::Seq(first, second)) => {
            match premises.barrier(1, place, before, &Code::Same(first))? {
                (between, Stop::Done) => {
                    result(premises.barrier(2, place, between, &Code::Same(second))?)
                }
                _ => Err(Fault::premise(1, "the first statement ends")),
            }
        }
        (Rule::BarrierSeq2, Stmt::Seq(first, second)) => {
            match premises.barrier(1, place, before, &Code::Same(first))? {
                (reached, Stop::Barrier { site, scope, rest }) => {
                    let rest = Arc::new(Stmt::Seq(rest.clone(), second.clone()));
                    result((reached, &Stop::Barrier { site: *site, scope: *scope, rest }))
                }
                _ => Err(Fault::premise(1, "the first statement stops at a barrier")),
            }
        }
        (Rule::BarrierIfTrue, Stmt::If { condition, then, .. }) => {
            premises.truth(1, condition, true)?;
            result(premises.barrier(2, place, before, &Code::Same(then))?)
        }
        (Rule::BarrierIfFalse, Stmt::If { condition, otherwise, .. }) => {
            premises.truth(1, condition, false)?;
            result(premises.barrier(2, place, before, &Code::Same(otherwise))?)
        }
        (Rule::BarrierFor1, Stmt::For { lower, upper, .. }) => {
            premises.bounds(lower, upper, Relation::Ge)?;
            result((before, &Stop::Done))
        }
        (Rule::BarrierFor2, Stmt::For { site, sort, var, lower, upper, body }) => {
            let (j, k) = premises.bounds(lower, upper, Relation::Lt)?;
            let (site, sort) = (*site, *sort);
            let repeat = Loop { site, sort, var, lower: j, upper: k, body };
            result(premises.barrier(4, place, before, &Code::Unrolled(repeat))?)
        }
        _ => Err(Fault::conclusion("the rule does not conclude this")),
    }
}
