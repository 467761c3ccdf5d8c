//! Statements.

use super::Profile;
use super::arrays::{Array, Discipline};
use super::broken::BrokenRule;
use super::expr::{Exprs, Kind, Var};
use crate::choices::Choices;
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::name::reserved::TID;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, ForSort, Scope};
use babycuda_core::{Bool, IntType, Name, Num, Stmt};

/// A generator of statements.
pub(super) struct Stmts<'g, 'c> {
    pub choices: &'g mut Choices<'c>,
    pub profile: Profile,
    /// Not empty.
    pub arrays: Vec<Array>,
    pub scope: Vec<Var>,
    pub threads: u64,
    /// How many names are in use.
    pub names: usize,
    /// How many loops are open.
    pub loops: usize,
    /// The thread that alone runs what is being generated.
    pub alone: Option<u64>,
    /// The rule that is still to be broken.
    pub broken: Option<BrokenRule>,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
    Update,
}

impl<'c> Stmts<'_, 'c> {
    /// A statement of about `size` nodes. `together`: all threads of the block run it, equally
    /// often.
    pub(super) fn stmt(&mut self, size: usize, together: bool) -> Stmt {
        if let Some(rule) = self.broken
            && self.choices.chance(1, 4)
        {
            self.broken = None;
            return self.breach(rule);
        }
        let p = self.profile;
        let compound = usize::from(size > 1);
        let barrier =
            usize::from(p.barriers && (together || p.divergent && self.choices.chance(1, 4)));
        let repeated = compound * usize::from(self.loops < 2);
        let atomic = compound * usize::from(p.atomics);
        // Leaves end a program early: they are rare as long as there is room for more.
        let leaf = if size > 2 { 1 } else { 4 };
        match self.choices.weighted(&[
            1,
            2 * leaf,
            if p.inputs { 12 } else { 6 } * compound,
            7 * compound,
            3 * compound,
            3 * repeated,
            if p.counters { 12 } else { 2 } * atomic,
            leaf * barrier,
        ]) {
            0 => Stmt::Skip,
            1 => self.write(),
            2 => self.read(size - 1, together),
            3 => {
                let first = self.choices.below(size - 1) + 1;
                let b = self.stmt(first, together);
                Stmt::seq(b, self.stmt(size - first, together))
            }
            4 => self.branch(size - 1, together),
            5 => self.repetition(size - 1, together),
            6 => self.update(size - 1, together),
            _ => Stmt::sync(),
        }
    }

    fn exprs(&mut self, most: Kind) -> Exprs<'_, 'c> {
        Exprs {
            choices: self.choices,
            scope: &self.scope,
            machine: self.profile.machine,
            huge: self.profile.huge,
            most,
        }
    }

    /// The most private kind of variable that indices, guards and bounds may use.
    fn most(&mut self) -> Kind {
        if self.profile.data_dependent && self.choices.chance(1, 2) {
            Kind::Data
        } else {
            Kind::Private
        }
    }

    /// An array that may be used so, with an index.
    fn target(&mut self, purpose: Use) -> Option<(Array, Num)> {
        let fits = |a: &&Array| match purpose {
            Use::Read => a.readable(),
            Use::Write => a.writable(),
            Use::Update => a.updatable(),
        };
        let usable: Vec<Array> = self.arrays.iter().filter(fits).cloned().collect();
        if usable.is_empty() {
            return None;
        }
        let array = self.choices.pick(&usable).clone();
        let most = self.most();
        let index = match array.discipline {
            Discipline::Private => {
                let row = self.exprs(most).num(1);
                let row = match row {
                    Num::Lit(ref k) if k.to_u64() == Some(0) => {
                        return Some((array, Num::var(TID)));
                    }
                    row => row,
                };
                let offset = Num::arith(ArithOp::Mul, Num::lit(self.threads), row);
                Num::arith(ArithOp::Add, Num::var(TID), offset)
            }
            // Few cells, so that accesses meet.
            _ => match self.choices.weighted(&[4, 3, 4]) {
                0 => Num::lit(self.choices.below(3)),
                1 => Num::var(TID),
                _ => self.exprs(most).num(1),
            },
        };
        Some((array, index))
    }

    /// What runs an access to `array`: the access, or an `if` that only its owner passes.
    fn by_owner(&mut self, array: &Array, access: impl FnOnce(&mut Self) -> Stmt) -> Stmt {
        let Discipline::Owned(owner) = array.discipline else {
            return access(self);
        };
        if self.alone == Some(owner) {
            return access(self);
        }
        let outside = self.alone.replace(owner);
        let access = access(self);
        self.alone = outside;
        let condition = Bool::compare(Relation::Eq, Num::var(TID), Num::lit(owner));
        Stmt::branch(condition, access, Stmt::Skip)
    }

    fn write(&mut self) -> Stmt {
        let Some((array, index)) = self.target(Use::Write) else {
            return Stmt::Skip;
        };
        let payload = self.exprs(Kind::Data).num(2);
        self.by_owner(&array, |_| Stmt::write(array.name.clone(), index, payload))
    }

    fn read(&mut self, size: usize, together: bool) -> Stmt {
        let Some((mut array, index)) = self.target(Use::Read) else {
            return Stmt::Skip;
        };
        let input = |a: &&Array| a.discipline == Discipline::ReadOnly;
        if let Some(input) = self.arrays.iter().find(input)
            && self.profile.inputs
            && self.choices.chance(2, 3)
        {
            array = input.clone();
        }
        let together = together && !matches!(array.discipline, Discipline::Owned(_));
        let input = self.profile.inputs && array.discipline == Discipline::ReadOnly;
        let (index, kind) = match input {
            true if self.choices.chance(1, 2) => (self.exprs(Kind::Uniform).num(1), Kind::Uniform),
            true => (index, Kind::Private),
            false => (index, Kind::Data),
        };
        self.by_owner(&array, |this| {
            let var = this.binder();
            let body = this.below(var.clone(), kind, |this| this.stmt(size, together));
            Stmt::read(var, array.name.clone(), index, body)
        })
    }

    fn update(&mut self, size: usize, together: bool) -> Stmt {
        let Some((array, index)) = self.target(Use::Update) else {
            return Stmt::Skip;
        };
        if self.profile.counters && array.discipline == Discipline::Atomic {
            return self.ticket(&array, size, together);
        }
        let together = together && !matches!(array.discipline, Discipline::Owned(_));
        let op = self.atomic_op();
        let operand = self.exprs(Kind::Data).num(1);
        let expected = (op == AtomicOp::Cas).then(|| self.exprs(Kind::Data).num(0));
        let scope = *self.choices.pick(&[Scope::Device, Scope::Block, Scope::System]);
        self.by_owner(&array, |this| {
            let var = this.binder();
            let body = this.below(var.clone(), Kind::Data, |this| this.stmt(size, together));
            let update = AtomicUpdate { op, operand, expected };
            Stmt::atomic(var, array.name.clone(), index, update, scope, body)
        })
    }

    /// A small number is added to a counter, and its old value says where to write.
    fn ticket(&mut self, counter: &Array, size: usize, together: bool) -> Stmt {
        let amount = Num::lit(self.choices.weighted(&[1, 8, 4]));
        let update = AtomicUpdate { op: AtomicOp::Add(None), operand: amount, expected: None };
        let (var, index) = (self.binder(), Num::lit(self.choices.below(8) / 7));
        let ticket = Num::Var(var.clone());
        let offset = Num::lit(self.choices.below(2));
        let slot = match self.choices.below(3) {
            0 => Num::arith(ArithOp::Mul, ticket, Num::lit(2u32)),
            1 => Num::arith(ArithOp::Add, ticket, offset),
            _ => ticket,
        };
        let free = self.arrays.iter().find(|a| a.discipline == Discipline::Free).cloned();
        let write = free.map(|array| Stmt::write(array.name, slot, Num::var(TID)));
        let body = self.below(var.clone(), Kind::Data, |this| this.stmt(size, together));
        let body = write.into_iter().fold(body, |body, write| Stmt::seq(write, body));
        Stmt::atomic(var, counter.name.clone(), index, update, Scope::Device, body)
    }

    fn atomic_op(&mut self) -> AtomicOp {
        let t = *self.choices.pick(&[None, Some(IntType::U32), Some(IntType::I32)]);
        let machine = t.unwrap_or(IntType::U32);
        *self.choices.pick(&[
            AtomicOp::Add(t),
            AtomicOp::Max(t),
            AtomicOp::Min(t),
            AtomicOp::Sub(t),
            AtomicOp::And(machine),
            AtomicOp::Or(machine),
            AtomicOp::Xor(machine),
            AtomicOp::Exch,
            AtomicOp::Inc,
            AtomicOp::Dec,
            AtomicOp::Cas,
        ])
    }

    fn branch(&mut self, size: usize, together: bool) -> Stmt {
        let uniform = together && self.profile.barriers && self.choices.chance(1, 2);
        let most = if uniform { Kind::Uniform } else { self.most() };
        let condition = self.exprs(most).bool(1);
        let then = self.choices.below(size + 1);
        let b = self.stmt(then, uniform);
        Stmt::branch(condition, b, self.stmt(size - then, uniform))
    }

    fn repetition(&mut self, size: usize, together: bool) -> Stmt {
        let uniform = together && self.profile.barriers && self.choices.chance(2, 3);
        let most = if uniform { Kind::Uniform } else { self.most() };
        let (sort, kind) = match uniform {
            true => (ForSort::S, Kind::Uniform),
            false => (ForSort::U, if most == Kind::Data { Kind::Data } else { Kind::Private }),
        };
        let lower = match self.choices.chance(1, 4) {
            true => self.exprs(most).bound(),
            false => Num::lit(0u32),
        };
        let upper = self.exprs(most).bound();
        let var = self.binder();
        self.loops += 1;
        let body = self.below(var.clone(), kind, |this| this.stmt(size, uniform));
        self.loops -= 1;
        Stmt::repeat(sort, var, lower, upper, body)
    }

    /// Runs `f` with `name` in scope.
    pub(super) fn below<T>(&mut self, name: Name, kind: Kind, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.scope.clone();
        self.scope.retain(|v| v.name != name);
        self.scope.push(Var { name, kind });
        let result = f(self);
        self.scope = outside;
        result
    }

    /// A name for a binder: new, or sometimes that of another binder.
    pub(super) fn binder(&mut self) -> Name {
        self.names += 1;
        let new = self.names - 1;
        let number = match self.profile.shadowing && self.choices.chance(1, 8) {
            true => self.choices.below(new + 1),
            false => new,
        };
        Name::new(format!("x{number}"))
    }
}
