//! Expressions: from trees to instructions with few registers.
//!
//! Every operator is total and touches no memory, so the order in which operands are evaluated is
//! free. The one that needs more registers goes first (Sethi and Ullman 1970): an expression of n
//! binary operators needs at most log2(n + 1) + 1 registers, whichever way it leans.

use super::instruction::{Instruction, Register};
use babycuda_core::deep::grow;
use babycuda_core::expr::BoolOp;
use babycuda_core::{Bool, CompareOp, IntType, Name, Natural, Num, NumOp};

/// What keeps an expression from having instructions.
pub(super) enum Failure {
    /// More registers than there are.
    Registers,
    /// A literal of more than 64 bits.
    Literal(Natural),
}

/// The position of a node in an [`Arena`].
pub(super) type NodeId = usize;

/// The nodes of some expressions, operands before operators.
#[derive(Default)]
pub(super) struct Arena {
    /// Each with the number of registers that its evaluation needs.
    nodes: Vec<(Node, usize)>,
}

/// A node of an expression.
#[derive(Clone, Copy)]
enum Node {
    /// Has its value in a register already.
    Variable(Register),
    Constant(u64),
    Unary(Unary, NodeId),
    Binary(Binary, [NodeId; 2]),
    /// Condition, consequence, alternative.
    Select([NodeId; 3]),
}

#[derive(Clone, Copy)]
enum Unary {
    Cast(IntType, IntType),
    Not,
}

#[derive(Clone, Copy)]
enum Binary {
    Number(NumOp),
    Compare(CompareOp),
    Connective(BoolOp),
}

/// Knows the register of every variable that may occur.
pub(super) trait Registers {
    fn register(&self, variable: &Name) -> Register;
}

impl Arena {
    fn push(&mut self, node: Node) -> NodeId {
        let need = match node {
            Node::Variable(_) => 0,
            Node::Constant(_) => 1,
            Node::Unary(_, operand) => self.need([operand]),
            Node::Binary(_, operands) => self.need(operands),
            Node::Select(operands) => self.need(operands),
        };
        self.nodes.push((node, need));
        self.nodes.len() - 1
    }

    /// The operands by need, the neediest first.
    fn order<const N: usize>(&self, operands: [NodeId; N]) -> [usize; N] {
        let mut order = std::array::from_fn(|position| position);
        order.sort_by_key(|position| std::cmp::Reverse(self.nodes[operands[*position]].1));
        order
    }

    /// How many registers the operands need together, and at least one for the result.
    fn need<const N: usize>(&self, operands: [NodeId; N]) -> usize {
        // The operands that are evaluated before hold a register each.
        let needs = self.order(operands).map(|position| self.nodes[operands[position]].1);
        let needed = needs.into_iter().filter(|need| *need > 0).enumerate();
        needed.map(|(held, need)| held + need).max().unwrap_or(1)
    }

    /// The nodes of a numeric expression.
    pub(super) fn num(&mut self, n: &Num, registers: &impl Registers) -> Result<NodeId, Failure> {
        let node = match n {
            Num::Var(x) => Node::Variable(registers.register(x)),
            Num::Lit(k) => Node::Constant(k.to_u64().ok_or_else(|| Failure::Literal(k.clone()))?),
            Num::Binary(op, l, r) => {
                let l = grow(|| self.num(l, registers))?;
                let r = grow(|| self.num(r, registers))?;
                Node::Binary(Binary::Number(*op), [l, r])
            }
            Num::Cast(from, to, n) => {
                let n = grow(|| self.num(n, registers))?;
                Node::Unary(Unary::Cast(*from, *to), n)
            }
            Num::Select(c, n, m) => {
                let c = grow(|| self.bool(c, registers))?;
                let n = grow(|| self.num(n, registers))?;
                let m = grow(|| self.num(m, registers))?;
                Node::Select([c, n, m])
            }
        };
        Ok(self.push(node))
    }

    /// The nodes of a condition.
    pub(super) fn bool(&mut self, c: &Bool, registers: &impl Registers) -> Result<NodeId, Failure> {
        let node = match c {
            Bool::Lit(value) => Node::Constant(u64::from(*value)),
            Bool::Compare(op, l, r) => {
                let l = grow(|| self.num(l, registers))?;
                let r = grow(|| self.num(r, registers))?;
                Node::Binary(Binary::Compare(*op), [l, r])
            }
            Bool::Connective(op, l, r) => {
                let l = grow(|| self.bool(l, registers))?;
                let r = grow(|| self.bool(r, registers))?;
                Node::Binary(Binary::Connective(*op), [l, r])
            }
            Bool::Not(c) => {
                let c = grow(|| self.bool(c, registers))?;
                Node::Unary(Unary::Not, c)
            }
        };
        Ok(self.push(node))
    }

    /// Evaluates nodes, and says which registers hold their values. The registers from `free` on
    /// may be used; values that were computed are in the first of them.
    pub(super) fn evaluate<const N: usize>(
        &self,
        nodes: [NodeId; N],
        free: usize,
        emit: &mut impl FnMut(Instruction),
    ) -> Result<[Register; N], Failure> {
        let mut registers = [Register::TID; N];
        let mut next = free;
        for position in self.order(nodes) {
            registers[position] = grow(|| self.evaluate_one(nodes[position], next, emit))?;
            next += usize::from(self.nodes[nodes[position]].1 > 0);
        }
        Ok(registers)
    }

    fn evaluate_one(
        &self,
        node: NodeId,
        free: usize,
        emit: &mut impl FnMut(Instruction),
    ) -> Result<Register, Failure> {
        let to = || Register::new(free).ok_or(Failure::Registers);
        let (to, instruction) = match self.nodes[node].0 {
            Node::Variable(register) => return Ok(register),
            Node::Constant(value) => {
                let to = to()?;
                (to, Instruction::Const { to, value })
            }
            Node::Unary(op, operand) => {
                let [from] = self.evaluate([operand], free, emit)?;
                let to = to()?;
                let instruction = match op {
                    Unary::Cast(source, target) => Instruction::Cast { source, target, to, from },
                    Unary::Not => Instruction::Not { to, from },
                };
                (to, instruction)
            }
            Node::Binary(op, operands) => {
                let [left, right] = self.evaluate(operands, free, emit)?;
                let to = to()?;
                let instruction = match op {
                    Binary::Number(NumOp::Natural(op)) => {
                        Instruction::Natural { op, to, left, right }
                    }
                    Binary::Number(NumOp::Machine(op, of)) => {
                        Instruction::Machine { op, of, to, left, right }
                    }
                    Binary::Compare(op) => Instruction::Compare { op, to, left, right },
                    Binary::Connective(op) => Instruction::Connective { op, to, left, right },
                };
                (to, instruction)
            }
            Node::Select(operands) => {
                let [condition, then, otherwise] = self.evaluate(operands, free, emit)?;
                let to = to()?;
                (to, Instruction::Select { to, condition, then, otherwise })
            }
        };
        emit(instruction);
        Ok(to)
    }
}
