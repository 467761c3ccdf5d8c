//! From programs to code.
//!
//! Registers are given out as on a stack: the reserved variables and the uniform inputs first, then
//! the variables that are bound around a statement, then what its expressions need. A loop has
//! two, for its counter and its bound behind it.

use super::code::{Code, Origin};
use super::expression::{Arena, Failure, NodeId, Registers};
use super::instruction::{Instruction, Register};
use super::verify::VerifyErrorKind;
use crate::Located;
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::name::reserved;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, BarrierScope};
use babycuda_core::{AccessMode, CompareOp, Name, Natural, Num, Program, Site, Stmt};
use std::collections::BTreeMap;

/// Why a program has no code.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileErrorKind {
    /// More variables in scope and intermediate values than registers.
    #[error("too many values at once for the registers of a thread")]
    TooManyRegisters,
    /// A literal that no register holds.
    #[error("the literal {0} has more than 64 bits")]
    LiteralTooLarge(Natural),
    /// A `cas` without the value it expects.
    #[error("`cas` needs the value that it expects")]
    CasWithoutExpected,
    /// Another atomic operator with a value it expects.
    #[error("only `cas` expects a value")]
    ExpectedWithoutCas,
    /// The code is none that interpreters may be given: the program is too long, or has a tile of
    /// no power of two of threads.
    #[error("{0}")]
    Verify(#[from] VerifyErrorKind),
}

/// Compiles a program. Its free variables become inputs, in alphabetical order, so do its arrays.
///
/// # Errors
/// A [`CompileErrorKind`]: what the machine has no room for, and malformed atomics.
pub fn compile(program: &Program) -> Result<Code, Located<CompileErrorKind>> {
    let located = |(kind, site)| Located::new(kind, site, program);
    let mut compiler = Compiler::new(&program.body).map_err(|kind| located((kind, None)))?;
    compiler.stmt(&program.body).map_err(|kind| located((kind, compiler.site)))?;
    compiler.site = None;
    compiler.emit(Instruction::Halt);
    let Compiler { code, arrays, inputs, .. } = compiler;
    Code::new(code, arrays, inputs).map_err(|error| located((error.kind.into(), None)))
}

/// The compiler's state.
struct Compiler<'a> {
    code: Vec<(Instruction, Origin)>,
    arrays: Vec<Name>,
    inputs: Vec<Name>,
    /// The registers of inputs and reserved variables.
    free: BTreeMap<Name, Register>,
    /// The open binders with their registers.
    binders: Vec<(&'a Name, Register)>,
    /// The next free register.
    next: usize,
    /// The numbers of the barriers.
    barriers: BTreeMap<(Site, BarrierScope), u32>,
    /// The statement that is being compiled.
    site: Option<Site>,
}

impl Registers for Compiler<'_> {
    fn register(&self, variable: &Name) -> Register {
        let bound = self.binders.iter().rev().find(|(name, _)| *name == variable);
        let known = bound.map(|(_, register)| register).or_else(|| self.free.get(variable));
        // Proof: a variable that no open binder binds is free in the body, and `new` gave those
        // registers.
        *known.expect("free variables have registers")
    }
}

impl<'a> Compiler<'a> {
    fn new(body: &Stmt) -> Result<Self, CompileErrorKind> {
        let private = [reserved::TID].into_iter().chain(reserved::THREAD_IDX).map(Name::new);
        let own = [Register::TID].into_iter().chain(Register::THREAD_IDX);
        let mut free: BTreeMap<Name, Register> = private.zip(own).collect();
        let inputs = body.free_vars().into_iter().filter(|x| !reserved::is_private(x));
        let inputs: Vec<Name> = inputs.collect();
        for (number, name) in (Register::FIRST_INPUT..).zip(&inputs) {
            let register = Register::new(number).ok_or(CompileErrorKind::TooManyRegisters)?;
            free.insert(name.clone(), register);
        }
        Ok(Compiler {
            code: Vec::new(),
            arrays: body.arrays().into_iter().collect(),
            next: Register::FIRST_INPUT + inputs.len(),
            inputs,
            free,
            binders: Vec::new(),
            barriers: BTreeMap::new(),
            site: None,
        })
    }

    fn emit(&mut self, instruction: Instruction) -> usize {
        self.emit_access(instruction, None)
    }

    fn emit_access(&mut self, instruction: Instruction, mode: Option<AccessMode>) -> usize {
        self.code.push((instruction, Origin { site: self.site, mode }));
        self.code.len() - 1
    }

    /// Where the next instruction will stand. A program for which it does not fit is too long.
    fn here(&self) -> u32 {
        u32::try_from(self.code.len()).unwrap_or(u32::MAX)
    }

    /// Makes a jump lead to where the next instruction will stand.
    fn aim(&mut self, jump: usize) {
        let here = self.here();
        if let Instruction::Jump { to } | Instruction::Unless { to, .. } = &mut self.code[jump].0 {
            *to = here;
        }
    }

    /// The next free register, for a variable or a value that lasts.
    fn hold(&mut self) -> Result<Register, CompileErrorKind> {
        let register = Register::new(self.next).ok_or(CompileErrorKind::TooManyRegisters)?;
        self.next += 1;
        Ok(register)
    }

    /// The number of the array; all of the program's are known.
    fn array(&self, name: &Name) -> u32 {
        self.arrays.partition_point(|array| array < name) as u32
    }

    /// Evaluates the expressions that `nodes` puts into an arena; the values stay until the next
    /// register is taken.
    fn evaluate<const N: usize>(
        &mut self,
        nodes: impl FnOnce(&mut Arena, &Self) -> Result<[NodeId; N], Failure>,
    ) -> Result<[Register; N], CompileErrorKind> {
        let mut arena = Arena::default();
        let origin = Origin { site: self.site, mode: None };
        let values = nodes(&mut arena, self).and_then(|nodes| {
            let mut emit = |instruction| self.code.push((instruction, origin));
            arena.evaluate(nodes, self.next, &mut emit)
        });
        values.map_err(|failure| match failure {
            Failure::Registers => CompileErrorKind::TooManyRegisters,
            Failure::Literal(k) => CompileErrorKind::LiteralTooLarge(k),
        })
    }

    /// Evaluates an expression into the next free register, and holds it.
    fn hold_value(&mut self, n: &Num) -> Result<Register, CompileErrorKind> {
        let [from] = self.evaluate(|arena, this| Ok([arena.num(n, this)?]))?;
        let to = self.hold()?;
        if from != to {
            self.emit(Instruction::Move { to, from });
        }
        Ok(to)
    }

    fn stmt(&mut self, b: &'a Stmt) -> Result<(), CompileErrorKind> {
        let (binders, next) = (self.binders.len(), self.next);
        grow(|| self.stmt_in_scope(b))?;
        self.binders.truncate(binders);
        self.next = next;
        Ok(())
    }

    fn stmt_in_scope(&mut self, mut b: &'a Stmt) -> Result<(), CompileErrorKind> {
        loop {
            // `skip` and `;` have no site, and no instructions.
            self.site = b.site();
            match b {
                Stmt::Skip => return Ok(()),
                Stmt::Sync { site, scope } => {
                    let (fresh, scope) = (self.barriers.len() as u32, *scope);
                    let barrier = *self.barriers.entry((*site, scope)).or_insert(fresh);
                    self.emit(Instruction::Sync { scope, barrier });
                    return Ok(());
                }
                Stmt::Write { array, index, payload, .. } => {
                    let [index, value] = self.evaluate(|arena, this| {
                        Ok([arena.num(index, this)?, arena.num(payload, this)?])
                    })?;
                    let array = self.array(array);
                    let write = Instruction::Write { array, index, value };
                    self.emit_access(write, Some(AccessMode::Wr));
                    return Ok(());
                }
                Stmt::Read { var, array, index, body, .. } => {
                    let [index] = self.evaluate(|arena, this| Ok([arena.num(index, this)?]))?;
                    let (array, to) = (self.array(array), self.hold()?);
                    let read = Instruction::Read { to, array, index };
                    self.emit_access(read, Some(AccessMode::Rd));
                    self.binders.push((var, to));
                    b = body;
                }
                Stmt::Atomic { var, array, index, update, scope, body, .. } => {
                    let [index, operand, expected] = self.update_operands(index, update)?;
                    let (array, to) = (self.array(array), self.hold()?);
                    let op = update.op;
                    let update = Instruction::Atomic { op, to, array, index, operand, expected };
                    self.emit_access(update, Some(AccessMode::At(*scope)));
                    self.binders.push((var, to));
                    b = body;
                }
                Stmt::Seq(first, second) => {
                    self.stmt(first)?;
                    b = second;
                }
                Stmt::If { condition, then, otherwise, .. } => {
                    let [condition] =
                        self.evaluate(|arena, this| Ok([arena.bool(condition, this)?]))?;
                    let branch = self.emit(Instruction::Unless { condition, to: 0 });
                    self.stmt(then)?;
                    self.site = b.site();
                    let jump = self.emit(Instruction::Jump { to: 0 });
                    self.aim(branch);
                    self.stmt(otherwise)?;
                    self.aim(jump);
                    return Ok(());
                }
                Stmt::For { var, lower, upper, body, .. } => {
                    let counter = self.hold_value(lower)?;
                    let bound = self.hold_value(upper)?;
                    self.binders.push((var, counter));
                    return self.iterations(b.site(), counter, bound, body);
                }
            }
        }
    }

    /// Index, operand and expected value of an atomic update.
    fn update_operands(
        &mut self,
        index: &Num,
        update: &AtomicUpdate<Num>,
    ) -> Result<[Register; 3], CompileErrorKind> {
        let AtomicUpdate { op, operand, expected } = update;
        match (op, expected) {
            (AtomicOp::Cas, Some(expected)) => self.evaluate(|arena, this| {
                let [index, operand] = [arena.num(index, this)?, arena.num(operand, this)?];
                Ok([index, operand, arena.num(expected, this)?])
            }),
            (AtomicOp::Cas, None) => Err(CompileErrorKind::CasWithoutExpected),
            (_, Some(_)) => Err(CompileErrorKind::ExpectedWithoutCas),
            (_, None) => {
                let [index, operand] = self.evaluate(|arena, this| {
                    Ok([arena.num(index, this)?, arena.num(operand, this)?])
                })?;
                Ok([index, operand, Instruction::NOTHING_EXPECTED])
            }
        }
    }

    /// A loop whose counter holds its first value: test, body, step. The counter never
    /// overflows, since it is below the bound when it is increased.
    fn iterations(
        &mut self,
        site: Option<Site>,
        counter: Register,
        bound: Register,
        body: &'a Stmt,
    ) -> Result<(), CompileErrorKind> {
        let scratch = Register::new(self.next).ok_or(CompileErrorKind::TooManyRegisters)?;
        let test = self.here();
        let op = CompareOp::natural(Relation::Lt);
        self.emit(Instruction::Compare { op, to: scratch, left: counter, right: bound });
        let exit = self.emit(Instruction::Unless { condition: scratch, to: 0 });
        self.stmt(body)?;
        self.site = site;
        self.emit(Instruction::Const { to: scratch, value: 1 });
        let op = ArithOp::Add;
        self.emit(Instruction::Natural { op, to: counter, left: counter, right: scratch });
        self.emit(Instruction::Jump { to: test });
        self.aim(exit);
        Ok(())
    }
}
