//! From statements to instructions: variables become slots, so nothing is ever substituted.
//!
//! A binder takes the next free slot and gives it back at the end of its scope; a loop takes two,
//! for its counter and its bound, which stands right behind. Names are resolved here, the innermost
//! binder first, which is what substitution that stops at binders of the same name comes to.

use super::code::{Atomic, Code, Expression, Free, Instruction, Kind, Operation};
use babycuda_core::deep::grow;
use babycuda_core::name::reserved;
use babycuda_core::syntax::AtomicUpdate;
use babycuda_core::{Bool, Name, Num, NumOp, Stmt};

/// Marks the slot of a bound variable until the number of free variables is known.
const BOUND: u32 = 1 << 31;

/// The compiler's state.
#[derive(Default)]
struct Compiler<'a> {
    code: Code,
    /// The open binders with their slots.
    scope: Vec<(&'a Name, u32)>,
    /// The next free slot.
    next: u32,
    /// The most slots ever in use.
    most: u32,
}

impl Code {
    /// Compiles a statement.
    pub fn compile(body: &Stmt) -> Code {
        let mut compiler = Compiler::default();
        compiler.stmt(body);
        compiler.emit(Instruction::End);
        let Compiler { mut code, most, .. } = compiler;
        let free = code.free.len() as u32;
        let place = |slot: &mut u32| {
            if *slot & BOUND != 0 {
                *slot = (*slot & !BOUND) + free;
            }
        };
        for operation in &mut code.operations {
            if let Operation::Slot(slot) = operation {
                place(slot);
            }
        }
        for instruction in &mut code.instructions {
            match instruction {
                Instruction::Read { to: slot, .. }
                | Instruction::Atomic { to: slot, .. }
                | Instruction::Enter { counter: slot, .. }
                | Instruction::Again { counter: slot, .. } => place(slot),
                _ => {}
            }
        }
        code.slots = (free + most) as usize;
        code.scoped = body.scoped_barrier().is_some();
        code
    }
}

impl<'a> Compiler<'a> {
    fn emit(&mut self, instruction: Instruction) -> usize {
        self.code.instructions.push(instruction);
        self.code.instructions.len() - 1
    }

    /// Where the next instruction will stand.
    fn here(&self) -> u32 {
        self.code.instructions.len() as u32
    }

    /// Opens a binder, with `slots` slots.
    fn bind(&mut self, var: &'a Name, slots: u32) -> u32 {
        let slot = self.next;
        self.next += slots;
        self.most = self.most.max(self.next);
        self.scope.push((var, slot | BOUND));
        slot | BOUND
    }

    fn stmt(&mut self, b: &'a Stmt) {
        let (scope, next) = (self.scope.len(), self.next);
        grow(|| self.stmt_in_scope(b));
        self.scope.truncate(scope);
        self.next = next;
    }

    fn stmt_in_scope(&mut self, mut b: &'a Stmt) {
        loop {
            match b {
                Stmt::Skip => return,
                Stmt::Sync { site, scope } => {
                    self.emit(Instruction::Sync { site: *site, scope: *scope });
                    return;
                }
                Stmt::Write { site, array, index, payload } => {
                    let (site, array) = (*site, self.array(array));
                    let (index, payload) = (self.num(index), self.num(payload));
                    self.emit(Instruction::Write { site, array, index, payload });
                    return;
                }
                Stmt::Read { site, var, array, index, body } => {
                    let (site, array, index) = (*site, self.array(array), self.num(index));
                    let to = self.bind(var, 1);
                    self.emit(Instruction::Read { site, array, index, to });
                    b = body;
                }
                Stmt::Atomic { site, var, array, index, update, scope, body } => {
                    let (array, index) = (self.array(array), self.num(index));
                    let AtomicUpdate { op, operand, expected } = update;
                    let operand = self.num(operand);
                    let expected = expected.as_ref().map(|n| self.num(n));
                    let (op, scope) = (*op, *scope);
                    let atomic = self.code.atomics.len() as u32;
                    let update = Atomic { array, index, op, operand, expected, scope };
                    self.code.atomics.push(update);
                    let to = self.bind(var, 1);
                    self.emit(Instruction::Atomic { site: *site, atomic, to });
                    b = body;
                }
                Stmt::Seq(first, second) => {
                    self.stmt(first);
                    b = second;
                }
                Stmt::If { site, condition, then, otherwise } => {
                    let condition = self.bool(condition);
                    let branch =
                        self.emit(Instruction::Branch { site: *site, condition, otherwise: 0 });
                    self.stmt(then);
                    let jump = self.emit(Instruction::Jump { to: 0 });
                    self.aim(branch);
                    self.stmt(otherwise);
                    self.aim(jump);
                    return;
                }
                Stmt::For { site, var, lower, upper, body, .. } => {
                    let (site, lower, upper) = (*site, self.num(lower), self.num(upper));
                    let counter = self.bind(var, 2);
                    let enter =
                        self.emit(Instruction::Enter { site, lower, upper, counter, exit: 0 });
                    let start = self.here();
                    self.stmt(body);
                    self.emit(Instruction::Again { site, counter, body: start });
                    self.aim(enter);
                    return;
                }
            }
        }
    }

    /// Makes a jump lead to where the next instruction will stand.
    fn aim(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.code.instructions[jump] {
            Instruction::Branch { otherwise: to, .. }
            | Instruction::Jump { to }
            | Instruction::Enter { exit: to, .. } => *to = here,
            _ => {}
        }
    }

    fn array(&mut self, name: &Name) -> u32 {
        let known = self.code.arrays.iter().position(|array| array == name);
        known.unwrap_or_else(|| {
            self.code.arrays.push(name.clone());
            self.code.arrays.len() - 1
        }) as u32
    }

    fn slot(&mut self, name: &Name) -> u32 {
        if let Some((_, slot)) = self.scope.iter().rev().find(|(var, _)| *var == name) {
            return *slot;
        }
        let known = self.code.free.iter().position(|free| free.name == *name);
        known.unwrap_or_else(|| {
            let dimension = reserved::THREAD_IDX.iter().position(|x| *x == name.as_str());
            let kind = match dimension {
                Some(d) => Kind::ThreadIdx(d),
                None if name.as_str() == reserved::TID => Kind::Tid,
                None => Kind::Uniform,
            };
            self.code.free.push(Free { name: name.clone(), kind });
            self.code.free.len() - 1
        }) as u32
    }

    fn num(&mut self, n: &Num) -> Expression {
        let start = self.code.operations.len() as u32;
        self.push_num(n);
        Expression { start, end: self.code.operations.len() as u32 }
    }

    fn bool(&mut self, c: &Bool) -> Expression {
        let start = self.code.operations.len() as u32;
        self.push_bool(c);
        Expression { start, end: self.code.operations.len() as u32 }
    }

    /// Operands come in the order in which the reference evaluates them: of two unbound variables,
    /// the same is found first.
    fn push_num(&mut self, n: &Num) {
        let operation = match n {
            Num::Var(x) => Operation::Slot(self.slot(x)),
            Num::Lit(k) => match k.to_u64() {
                Some(small) => Operation::Constant(small),
                None => {
                    self.code.literals.push(k.clone());
                    Operation::Literal(self.code.literals.len() as u32 - 1)
                }
            },
            Num::Binary(op, l, r) => {
                grow(|| self.push_num(l));
                grow(|| self.push_num(r));
                match *op {
                    NumOp::Natural(op) => Operation::Natural(op),
                    NumOp::Machine(op, t) => Operation::Machine(op, t),
                }
            }
            Num::Cast(from, to, n) => {
                grow(|| self.push_num(n));
                Operation::Cast(*from, *to)
            }
            Num::Select(c, n, m) => {
                grow(|| self.push_num(n));
                grow(|| self.push_num(m));
                grow(|| self.push_bool(c));
                Operation::Select
            }
        };
        self.code.operations.push(operation);
    }

    fn push_bool(&mut self, c: &Bool) {
        let operation = match c {
            Bool::Lit(value) => Operation::Constant(u64::from(*value)),
            Bool::Compare(op, l, r) => {
                grow(|| self.push_num(l));
                grow(|| self.push_num(r));
                Operation::Compare(*op)
            }
            Bool::Connective(op, l, r) => {
                grow(|| self.push_bool(l));
                grow(|| self.push_bool(r));
                Operation::Connective(*op)
            }
            Bool::Not(c) => {
                grow(|| self.push_bool(c));
                Operation::Not
            }
        };
        self.code.operations.push(operation);
    }
}
