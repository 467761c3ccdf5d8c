//! Evaluation of expressions: on machine words as long as they last, on naturals otherwise.

use super::code::{Code, Expression, Operation};
use super::value::Value;
use babycuda_core::expr::ArithOp;
use babycuda_core::machine::compare;
use babycuda_core::{CompareOp, Name, Natural};

/// Why an expression has no value.
pub(super) enum Failure {
    /// A variable has none.
    Unbound(Name),
    /// It has more bits than allowed.
    TooBig,
}

impl Code {
    /// The value of an expression. `stack` is for use in here; what it holds is immaterial. `wide` is
    /// set where a number on the way has more than 64 bits.
    pub(super) fn evaluate(
        &self,
        expression: Expression,
        slots: &[Value],
        stack: &mut Vec<u64>,
        wide: &mut bool,
        bits: u64,
    ) -> Result<Value, Failure> {
        let operations = &self.operations[expression.start as usize..expression.end as usize];
        match operations {
            [Operation::Constant(k)] => return Ok(Value::Small(*k)),
            [Operation::Slot(slot)] => {
                if let Value::Small(k) = slots[*slot as usize] {
                    return Ok(Value::Small(k));
                }
            }
            _ => {
                if let Some(k) = on_words(operations, slots, stack) {
                    return Ok(Value::Small(k));
                }
            }
        }
        // Words were not enough.
        *wide = true;
        let value = self.on_naturals(operations, slots)?;
        if value.bits() > bits.max(64) { Err(Failure::TooBig) } else { Ok(value.into()) }
    }

    fn on_naturals(&self, operations: &[Operation], slots: &[Value]) -> Result<Natural, Failure> {
        let mut stack: Vec<Natural> = Vec::new();
        let truth = |b: bool| Natural::from(u8::from(b));
        for operation in operations {
            // An operation finds its operands on the stack: the compiler put them there.
            let mut pop = || stack.pop().unwrap_or_default();
            let value = match *operation {
                Operation::Slot(slot) => match &slots[slot as usize] {
                    Value::Unbound => {
                        return Err(Failure::Unbound(self.free[slot as usize].name.clone()));
                    }
                    value => value.to_natural(),
                },
                Operation::Constant(k) => Natural::from(k),
                Operation::Literal(k) => self.literals[k as usize].clone(),
                Operation::Natural(op) => {
                    let r = pop();
                    op.apply(&pop(), &r)
                }
                Operation::Machine(op, t) => {
                    let r = pop();
                    op.apply_natural(t, &pop(), &r)
                }
                Operation::Cast(from, to) => Natural::from(from.convert(from.pattern(&pop()), to)),
                Operation::Select => {
                    let (c, m, n) = (pop(), pop(), pop());
                    if c == Natural::zero() { m } else { n }
                }
                Operation::Compare(CompareOp { relation, machine }) => {
                    let (r, l) = (pop(), pop());
                    let ordering = machine.map_or_else(|| l.cmp(&r), |t| compare(t, &l, &r));
                    truth(relation.holds(ordering))
                }
                Operation::Connective(op) => {
                    let (r, l) = (pop() != Natural::zero(), pop() != Natural::zero());
                    truth(op.apply(l, r))
                }
                Operation::Not => truth(pop() == Natural::zero()),
            };
            stack.push(value);
        }
        Ok(stack.pop().unwrap_or_default())
    }
}

/// The value, when all numbers on the way are below 2^64.
fn on_words(operations: &[Operation], slots: &[Value], stack: &mut Vec<u64>) -> Option<u64> {
    stack.clear();
    for operation in operations {
        let value = match *operation {
            Operation::Slot(slot) => match slots[slot as usize] {
                Value::Small(k) => k,
                _ => return None,
            },
            Operation::Constant(k) => k,
            Operation::Literal(_) => return None,
            Operation::Natural(op) => {
                let r = stack.pop()?;
                natural(op, stack.pop()?, r)?
            }
            Operation::Machine(op, t) => {
                let r = stack.pop()?;
                op.apply(t, stack.pop()?, r)
            }
            Operation::Cast(from, to) => from.convert(stack.pop()?, to),
            Operation::Select => {
                let (c, m, n) = (stack.pop()?, stack.pop()?, stack.pop()?);
                if c == 0 { m } else { n }
            }
            Operation::Compare(CompareOp { relation, machine }) => {
                let (r, l) = (stack.pop()?, stack.pop()?);
                let ordering = match machine {
                    None => l.cmp(&r),
                    Some(t) => t.read(l).cmp(&t.read(r)),
                };
                u64::from(relation.holds(ordering))
            }
            Operation::Connective(op) => {
                let (r, l) = (stack.pop()? != 0, stack.pop()? != 0);
                u64::from(op.apply(l, r))
            }
            Operation::Not => u64::from(stack.pop()? == 0),
        };
        stack.push(value);
    }
    stack.pop()
}

/// The operators of naturals; `None` when the result does not fit.
fn natural(op: ArithOp, l: u64, r: u64) -> Option<u64> {
    match op {
        ArithOp::Add => l.checked_add(r),
        ArithOp::Sub => Some(l.saturating_sub(r)),
        ArithOp::Mul => l.checked_mul(r),
        ArithOp::Div => Some(l.checked_div(r).unwrap_or(0)),
        ArithOp::Mod => Some(l.checked_rem(r).unwrap_or(l)),
        ArithOp::Min => Some(l.min(r)),
        ArithOp::Max => Some(l.max(r)),
    }
}
