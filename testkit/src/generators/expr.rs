//! Expressions over the variables in scope.

use crate::choices::Choices;
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::{Bool, IntType, MachineOp, Name, Natural, Num};

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// The same for all threads: parameters, `forS` counters.
    Uniform,
    /// A thread's own: `tid`, `forU` counters.
    Private,
    /// Read from an array.
    Data,
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub name: Name,
    pub kind: Kind,
}

/// A generator of expressions.
pub(super) struct Exprs<'g, 'c> {
    pub choices: &'g mut Choices<'c>,
    pub scope: &'g [Var],
    pub machine: bool,
    pub huge: bool,
    /// The most private kind of variable that may occur.
    pub most: Kind,
}

impl Exprs<'_, '_> {
    /// An expression of at most `depth` operators in a row.
    pub(super) fn num(&mut self, depth: usize) -> Num {
        let inner = usize::from(depth > 0);
        let machine = usize::from(self.machine) * inner;
        match self.choices.weighted(&[3, 6, 5 * inner, 2 * machine, machine, machine]) {
            0 => self.literal(),
            1 => self.variable(),
            2 => {
                let op = *self.choices.pick(&ArithOp::ALL);
                let left = self.num(depth - 1);
                Num::arith(op, left, self.right(op == ArithOp::Mul, depth))
            }
            3 => {
                let op = *self.choices.pick(&MachineOp::ALL);
                let t = self.int_type();
                let left = self.num(depth - 1);
                Num::machine(op, t, left, self.num(depth - 1))
            }
            4 => {
                let (from, to) = (self.int_type(), self.int_type());
                Num::cast(from, to, self.num(depth - 1))
            }
            _ => {
                let condition = self.bool(depth - 1);
                let then = self.num(depth - 1);
                Num::select(condition, then, self.num(depth - 1))
            }
        }
    }

    /// A right operand. A product of two data would double the length of a number at every
    /// iteration of a loop, so a factor on the right is no data.
    fn right(&mut self, factor: bool, depth: usize) -> Num {
        let most = self.most;
        if factor {
            self.most = most.min(Kind::Private);
        }
        let right = self.num(depth - 1);
        self.most = most;
        right
    }

    /// A condition of at most `depth` operators in a row.
    pub(super) fn bool(&mut self, depth: usize) -> Bool {
        let inner = usize::from(depth > 0);
        let machine = usize::from(self.machine);
        match self.choices.weighted(&[1, 8, 2 * machine, 2 * inner, inner]) {
            0 => Bool::Lit(self.choices.chance(1, 2)),
            1 => {
                let relation = *self.choices.pick(&Relation::ALL);
                let left = self.num(inner);
                Bool::compare(relation, left, self.num(0))
            }
            2 => {
                let relation = *self.choices.pick(&Relation::ALL);
                let t = self.int_type();
                let left = self.num(inner);
                Bool::compare_machine(relation, t, left, self.num(0))
            }
            3 => {
                let op = *self.choices.pick(&BoolOp::ALL);
                let left = self.bool(depth - 1);
                Bool::connective(op, left, self.bool(depth - 1))
            }
            _ => Bool::not(self.bool(depth - 1)),
        }
    }

    /// A number of iterations: at most 5.
    pub(super) fn bound(&mut self) -> Num {
        match self.choices.weighted(&[4, 3]) {
            0 => Num::lit(self.choices.below(5)),
            _ => {
                let n = self.num(1);
                Num::arith(ArithOp::Mod, n, Num::lit(2 + self.choices.below(4)))
            }
        }
    }

    fn int_type(&mut self) -> IntType {
        // 32 bits, as in most kernels, in half of the cases.
        match self.choices.below(4) {
            0 => IntType::U32,
            1 => IntType::I32,
            _ => *self.choices.pick(&IntType::ALL),
        }
    }

    fn literal(&mut self) -> Num {
        Num::Lit(literal(self.choices, self.huge))
    }

    fn variable(&mut self) -> Num {
        let most = self.most;
        // Where data may occur, it mostly does: it is what tells programs apart.
        let data = most == Kind::Data && self.choices.chance(1, 2);
        let fits = |v: &&Var| if data { v.kind == Kind::Data } else { v.kind <= most };
        let mut usable: Vec<&Var> = self.scope.iter().filter(fits).collect();
        if usable.is_empty() {
            usable = self.scope.iter().filter(|v| v.kind <= most).collect();
        }
        if usable.is_empty() {
            return self.literal();
        }
        Num::Var(self.choices.pick(&usable).name.clone())
    }
}

/// A literal: mostly small, sometimes at the edge of a machine type, or beyond 64 bits.
pub(super) fn literal(choices: &mut Choices<'_>, huge: bool) -> Natural {
    match choices.weighted(&[16, 2, usize::from(huge)]) {
        0 => Natural::from(choices.below(5)),
        1 => {
            let edge = *choices.pick(&[7u32, 8, 15, 16, 31, 32]);
            let nudge = choices.below(3) as u64;
            Natural::from((1u64 << edge) - 1 + nudge)
        }
        _ => {
            let nudge = choices.below(3) as u128;
            let edge = *choices.pick(&[63u32, 64, 100]);
            Natural::from((1u128 << edge) - 1 + nudge)
        }
    }
}
