//! Code as text: one instruction a line, with its number and the statement it came from.

use super::code::Code;
use super::instruction::{Instruction, Register};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Name, NumOp, Site};
use std::fmt;

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, name) in self.inputs().iter().enumerate() {
            let head = if position == 0 { "; inputs:" } else { "," };
            write!(f, "{head} r{} = {name}", Register::FIRST_INPUT + position)?;
        }
        if !self.inputs().is_empty() {
            writeln!(f)?;
        }
        let digits = (self.instructions().len().saturating_sub(1)).to_string().len();
        let site = |pc| self.site(pc).map(|site: Site| site.to_string()).unwrap_or_default();
        let pcs = || (0u32..).zip(self.instructions());
        let width = pcs().map(|(pc, _)| site(pc).len()).max().unwrap_or(0);
        for (pc, instruction) in pcs() {
            let line = Line { instruction: *instruction, arrays: self.arrays() };
            writeln!(f, "{pc:>digits$} {:<width$} {line}", site(pc))?;
        }
        Ok(())
    }
}

/// An instruction with the names of the arrays.
struct Line<'a> {
    instruction: Instruction,
    arrays: &'a [Name],
}

impl Line<'_> {
    /// `A[r5]`
    fn cell(&self, array: u32, index: Register) -> String {
        match self.arrays.get(array as usize) {
            Some(name) => format!("{name}[{index}]"),
            None => format!("array {array}[{index}]"),
        }
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.instruction {
            Instruction::Halt => write!(f, "halt"),
            Instruction::Const { to, value } => write!(f, "{to} := {value}"),
            Instruction::Move { to, from } => write!(f, "{to} := {from}"),
            Instruction::Natural { op, to, left, right } => {
                operation(f, to, NumOp::Natural(op), left, right)
            }
            Instruction::Machine { op, of, to, left, right } => {
                operation(f, to, NumOp::Machine(op, of), left, right)
            }
            Instruction::Cast { source, target, to, from } => {
                write!(f, "{to} := cast.{source}.{target}({from})")
            }
            Instruction::Select { to, condition, then, otherwise } => {
                write!(f, "{to} := select({condition}, {then}, {otherwise})")
            }
            Instruction::Compare { op, to, left, right } => operation(f, to, op, left, right),
            Instruction::Connective { op, to, left, right } => operation(f, to, op, left, right),
            Instruction::Not { to, from } => write!(f, "{to} := !{from}"),
            Instruction::Read { to, array, index } => {
                write!(f, "{to} := {}", self.cell(array, index))
            }
            Instruction::Write { array, index, value } => {
                write!(f, "{} := {value}", self.cell(array, index))
            }
            Instruction::Atomic { op, to, array, index, operand, expected } => {
                write!(f, "{to} := atomic {} {op} {operand}", self.cell(array, index))?;
                match expected {
                    Instruction::NOTHING_EXPECTED => Ok(()),
                    expected => write!(f, " if {expected}"),
                }
            }
            Instruction::Jump { to } => write!(f, "jump {to}"),
            Instruction::Unless { condition, to } => write!(f, "unless {condition} jump {to}"),
            Instruction::Sync { scope: BarrierScope::Block, barrier } => {
                write!(f, "sync {barrier}")
            }
            Instruction::Sync { scope, barrier } => write!(f, "sync.{scope} {barrier}"),
        }
    }
}

/// `r6 := r5 + r4`
fn operation(
    f: &mut fmt::Formatter<'_>,
    to: Register,
    op: impl fmt::Display,
    left: Register,
    right: Register,
) -> fmt::Result {
    write!(f, "{to} := {left} {op} {right}")
}
