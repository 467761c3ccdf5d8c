//! Which values a read may yield.
//!
//! An array of element type `u8` holds patterns below 2^8, if the host respects the declaration
//! and the program stores nothing else: the calculus writes whatever natural it is given. So the
//! element type counts only for arrays in which every payload provably fits. That is an invariant
//! of runs: assume it of every array of a set, and if then each payload stored in an array of the
//! set fits, it holds at the start and no step breaks it. We compute the largest such set.

use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, NumOp};
use babycuda_core::machine::IntType;
use babycuda_core::name::reserved;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, Contents, Domain, Program};
use babycuda_core::{Name, Natural, Num, Stmt};
use im::OrdMap;
use std::collections::BTreeMap;

/// The arrays whose cells always hold patterns of their element type.
pub(super) struct Domains(BTreeMap<Name, IntType>);

/// The largest value that something may have; `None` when no bound of 64 bits is known.
type Bound = Option<Natural>;
type Scope = OrdMap<Name, Bound>;

impl Domains {
    /// The machine type of everything that a read of `array` may yield; `None`: any natural.
    pub(super) fn of_array(&self, array: &Name) -> Option<IntType> {
        self.0.get(array).copied()
    }

    pub(super) fn of(program: &Program) -> Domains {
        let candidates = program.arrays.iter().rev().filter_map(|a| match a.element {
            Domain::Machine(t) if contents_fit(&a.contents, t) => Some((a.name.clone(), t)),
            Domain::Machine(_) | Domain::Natural => None,
        });
        let mut domains = Domains(candidates.collect());
        loop {
            let mut misfits = Vec::new();
            domains.misfits(&program.body, &start(program), &mut misfits);
            if misfits.is_empty() {
                return domains;
            }
            for array in misfits {
                domains.0.remove(&array);
            }
        }
    }

    /// Adds the arrays of the set in which `b` may store a value too large, the set assumed.
    fn misfits(&self, b: &Stmt, scope: &Scope, misfits: &mut Vec<Name>) {
        grow(|| self.misfits_of_node(b, scope, misfits));
    }

    fn misfits_of_node(&self, b: &Stmt, scope: &Scope, misfits: &mut Vec<Name>) {
        let fits = |value: Bound, t: IntType| value.is_some_and(|v| v <= largest(t));
        match b {
            Stmt::Skip | Stmt::Sync { .. } => {}
            Stmt::Write { array, payload, .. } => {
                if let Some(t) = self.of_array(array)
                    && !fits(bound(payload, scope), t)
                {
                    misfits.push(array.clone());
                }
            }
            Stmt::Read { var, array, body, .. } => {
                self.misfits(body, &scope.update(var.clone(), self.bound(array)), misfits)
            }
            Stmt::Atomic { var, array, update, body, .. } => {
                if let Some(t) = self.of_array(array)
                    && !fits(updated(update, t, scope), t)
                {
                    misfits.push(array.clone());
                }
                self.misfits(body, &scope.update(var.clone(), self.bound(array)), misfits);
            }
            Stmt::Seq(b, c) => {
                self.misfits(b, scope, misfits);
                self.misfits(c, scope, misfits);
            }
            Stmt::If { then, otherwise, .. } => {
                self.misfits(then, scope, misfits);
                self.misfits(otherwise, scope, misfits);
            }
            Stmt::For { var, upper, body, .. } => {
                // The counter is below the upper bound.
                let counter = bound(upper, scope).map(|m| m.monus(&one()));
                self.misfits(body, &scope.update(var.clone(), counter), misfits);
            }
        }
    }

    fn bound(&self, array: &Name) -> Bound {
        self.of_array(array).map(largest)
    }
}

/// The bounds of parameters and of the variables of the launch. Extents are 32-bit numbers, and
/// no device runs 2^32 threads in a block.
fn start(program: &Program) -> Scope {
    let launch =
        [reserved::THREAD_IDX, reserved::BLOCK_IDX, reserved::BLOCK_DIM, reserved::GRID_DIM];
    let launch = [reserved::TID]
        .into_iter()
        .chain(launch.into_iter().flatten())
        .map(|x| (Name::new(x), Some(Natural::from(u32::MAX))));
    // A fixed value does not count: a launch may override it.
    let params = program.params.iter().map(|p| {
        let declared = match p.domain {
            Domain::Machine(t) => Some(largest(t)),
            Domain::Natural => None,
        };
        (p.name.clone(), declared)
    });
    launch.chain(params).collect()
}

fn contents_fit(contents: &Contents, t: IntType) -> bool {
    let fits = |value: &Natural| *value <= largest(t);
    match contents {
        Contents::Undefined | Contents::Any | Contents::Opaque => true,
        Contents::Values(values) => values.iter().all(fits),
        Contents::Fill(value) => fits(value),
    }
}

/// The largest pattern of a machine type.
fn largest(t: IntType) -> Natural {
    Natural::from(t.width.mask())
}

fn one() -> Natural {
    Natural::from(1u32)
}

/// A bound of a cell after the update, when it held a pattern of `t` before.
fn updated(update: &AtomicUpdate<Num>, t: IntType, scope: &Scope) -> Bound {
    let operand = || bound(&update.operand, scope);
    match update.op {
        AtomicOp::Add(Some(t))
        | AtomicOp::Sub(Some(t))
        | AtomicOp::Min(Some(t))
        | AtomicOp::Max(Some(t))
        | AtomicOp::And(t)
        | AtomicOp::Or(t)
        | AtomicOp::Xor(t) => Some(largest(t)),
        // At most the old value.
        AtomicOp::Sub(None) | AtomicOp::Min(None) => Some(largest(t)),
        // At most the operand or the old value.
        AtomicOp::Max(None) | AtomicOp::Exch | AtomicOp::Cas | AtomicOp::Inc | AtomicOp::Dec => {
            Some(operand()?.max(largest(t)))
        }
        AtomicOp::Add(None) | AtomicOp::Opaque => None,
    }
}

/// A bound of the value of `n`, whatever values within their bounds its variables have.
fn bound(n: &Num, scope: &Scope) -> Bound {
    match n {
        Num::Var(x) => scope.get(x).cloned().flatten(),
        Num::Lit(k) => Some(k.clone()),
        Num::Binary(NumOp::Natural(op), l, r) => {
            let (left, right) = (bound(l, scope), bound(r, scope));
            match op {
                // No element type is wider than 64 bits, and larger bounds may grow without end.
                ArithOp::Add => Some(&left? + &right?).filter(|sum| sum.to_u64().is_some()),
                ArithOp::Mul => Some(&left? * &right?).filter(|k| k.to_u64().is_some()),
                ArithOp::Max => Some(left?.max(right?)),
                ArithOp::Min => least(left, right),
                // None of them exceeds its left operand; `n % k` is below k, except for k = 0.
                ArithOp::Sub | ArithOp::Div => left,
                ArithOp::Mod => match &**r {
                    Num::Lit(k) if *k != Natural::zero() => least(left, Some(k.monus(&one()))),
                    _ => left,
                },
            }
        }
        Num::Binary(NumOp::Machine(_, t), ..) | Num::Cast(_, t, _) => Some(largest(*t)),
        Num::Select(_, n, m) => Some(bound(n, scope)?.max(bound(m, scope)?)),
    }
}

/// The smaller of two bounds of one value.
fn least(a: Bound, b: Bound) -> Bound {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
