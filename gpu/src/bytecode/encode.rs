//! Instructions as words, and back.

use super::Faulty;
use super::instruction::{Instruction, Register};
use crate::image::INSTRUCTION_WORDS;
use crate::numbers::{TYPE_NATURAL, atomic, op, scope};
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::syntax::{AtomicOp, BarrierScope};
use babycuda_core::{CompareOp, IntType, MachineOp};

/// Why words are no instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// Fewer words than an instruction has.
    #[error("it has fewer than 4 words")]
    Incomplete,
    /// No such operation.
    #[error("unknown operation {0}")]
    Operation(u32),
    /// The operation has no such variant.
    #[error("unknown variant {0} of the operation")]
    Sub(u32),
    /// No such type, or none that the operation can have.
    #[error("type {0} does not suit the operation")]
    Type(u32),
    /// No such register.
    #[error("there is no register {0}")]
    Register(u32),
    /// Something that the operation does not use is not 0.
    #[error("an unused field is not 0")]
    Unused,
}

/// Operation, variant and type of an instruction, its registers `d a b c` and its number `k`.
#[derive(Default)]
struct Fields {
    op: u32,
    sub: u32,
    of: u32,
    d: u32,
    a: u32,
    b: u32,
    c: u32,
    k: u32,
}

fn position<T: PartialEq>(all: &[T], item: &T) -> u32 {
    all.iter().position(|other| other == item).unwrap_or(all.len()) as u32
}

fn type_number(t: IntType) -> u32 {
    position(&IntType::ALL, &t)
}

fn optional_type(t: Option<IntType>) -> u32 {
    t.map_or(TYPE_NATURAL, type_number)
}

fn atomic_numbers(op: AtomicOp) -> (u32, u32) {
    match op {
        AtomicOp::Add(t) => (atomic::ADD, optional_type(t)),
        AtomicOp::Sub(t) => (atomic::SUB, optional_type(t)),
        AtomicOp::Min(t) => (atomic::MIN, optional_type(t)),
        AtomicOp::Max(t) => (atomic::MAX, optional_type(t)),
        AtomicOp::And(t) => (atomic::AND, type_number(t)),
        AtomicOp::Or(t) => (atomic::OR, type_number(t)),
        AtomicOp::Xor(t) => (atomic::XOR, type_number(t)),
        AtomicOp::Exch => (atomic::EXCH, TYPE_NATURAL),
        AtomicOp::Inc => (atomic::INC, TYPE_NATURAL),
        AtomicOp::Dec => (atomic::DEC, TYPE_NATURAL),
        AtomicOp::Cas => (atomic::CAS, TYPE_NATURAL),
        AtomicOp::Opaque => (atomic::OPAQUE, TYPE_NATURAL),
    }
}

/// The number of the scope, and for a tile the logarithm of its threads.
fn scope_numbers(of: BarrierScope) -> (u32, u32) {
    match of {
        BarrierScope::Block => (scope::BLOCK, 0),
        BarrierScope::Warp => (scope::WARP, 0),
        BarrierScope::Tile(threads) => (scope::TILE, threads.checked_ilog2().unwrap_or(0)),
        BarrierScope::Grid => (scope::GRID, 0),
    }
}

/// The words of an instruction.
pub fn encode(instruction: Instruction) -> [u32; INSTRUCTION_WORDS] {
    let r = |register: Register| register.number() as u32;
    let none = Fields::default();
    let fields = match instruction {
        Instruction::Halt => none,
        Instruction::Const { to, value } => {
            // Its value takes the places of the other registers and of `k`.
            return [op::CONST, r(to), value as u32, (value >> 32) as u32];
        }
        Instruction::Move { to, from } => Fields { op: op::MOVE, d: r(to), a: r(from), ..none },
        Instruction::Natural { op, to, left, right } => {
            let sub = position(&ArithOp::ALL, &op);
            Fields { op: op::NATURAL, sub, d: r(to), a: r(left), b: r(right), ..none }
        }
        Instruction::Machine { op, of, to, left, right } => {
            let (sub, of) = (position(&MachineOp::ALL, &op), type_number(of));
            Fields { op: op::MACHINE, sub, of, d: r(to), a: r(left), b: r(right), ..none }
        }
        Instruction::Cast { source, target, to, from } => {
            let (sub, of) = (type_number(source), type_number(target));
            Fields { op: op::CAST, sub, of, d: r(to), a: r(from), ..none }
        }
        Instruction::Select { to, condition, then, otherwise } => Fields {
            op: op::SELECT,
            d: r(to),
            a: r(condition),
            b: r(then),
            c: r(otherwise),
            ..none
        },
        Instruction::Compare { op, to, left, right } => {
            let (sub, of) = (position(&Relation::ALL, &op.relation), optional_type(op.machine));
            Fields { op: op::COMPARE, sub, of, d: r(to), a: r(left), b: r(right), ..none }
        }
        Instruction::Connective { op, to, left, right } => {
            let sub = position(&BoolOp::ALL, &op);
            Fields { op: op::CONNECTIVE, sub, d: r(to), a: r(left), b: r(right), ..none }
        }
        Instruction::Not { to, from } => Fields { op: op::NOT, d: r(to), a: r(from), ..none },
        Instruction::Read { to, array, index } => {
            Fields { op: op::READ, d: r(to), a: r(index), k: array, ..none }
        }
        Instruction::Write { array, index, value } => {
            Fields { op: op::WRITE, a: r(index), b: r(value), k: array, ..none }
        }
        Instruction::Atomic { op, to, array, index, operand, expected } => {
            let (sub, of) = atomic_numbers(op);
            let (a, b, c) = (r(index), r(operand), r(expected));
            Fields { op: op::ATOMIC, sub, of, d: r(to), a, b, c, k: array }
        }
        Instruction::Jump { to } => Fields { op: op::JUMP, k: to, ..none },
        Instruction::Unless { condition, to } => {
            Fields { op: op::UNLESS, a: r(condition), k: to, ..none }
        }
        Instruction::Sync { scope, barrier } => {
            let (sub, of) = scope_numbers(scope);
            Fields { op: op::SYNC, sub, of, k: barrier, ..none }
        }
    };
    let Fields { op, sub, of, d, a, b, c, k } = fields;
    [op | sub << 8 | of << 16, d | a << 16, b | c << 16, k]
}

/// The instructions that `words` encode: the inverse of [`encode`].
///
/// # Errors
/// A [`DecodeErrorKind`]: the first words that no instruction is encoded as.
pub fn decode(words: &[u32]) -> Result<Vec<Instruction>, Faulty<DecodeErrorKind>> {
    let instruction = |(pc, words): (usize, &[u32])| {
        let words = words.try_into().map_err(|_| DecodeErrorKind::Incomplete);
        words.and_then(decode_one).map_err(|kind| Faulty { pc, kind })
    };
    words.chunks(INSTRUCTION_WORDS).enumerate().map(instruction).collect()
}

fn variant<T: Copy>(all: &[T], sub: u32) -> Result<T, DecodeErrorKind> {
    all.get(sub as usize).copied().ok_or(DecodeErrorKind::Sub(sub))
}

fn machine_type(number: u32) -> Result<IntType, DecodeErrorKind> {
    IntType::ALL.get(number as usize).copied().ok_or(DecodeErrorKind::Type(number))
}

fn type_or_natural(number: u32) -> Result<Option<IntType>, DecodeErrorKind> {
    match number {
        TYPE_NATURAL => Ok(None),
        _ => machine_type(number).map(Some),
    }
}

fn register(number: u32) -> Result<Register, DecodeErrorKind> {
    Register::new(number as usize).ok_or(DecodeErrorKind::Register(number))
}

/// The operator with these numbers.
fn atomic_op(sub: u32, of: u32) -> Result<AtomicOp, DecodeErrorKind> {
    use AtomicOp::*;
    if sub > atomic::OPAQUE {
        return Err(DecodeErrorKind::Sub(sub));
    }
    let t = type_or_natural(of)?;
    let bitwise = t.into_iter().flat_map(|t| [And(t), Or(t), Xor(t)]);
    let all = [Add(t), Sub(t), Min(t), Max(t), Exch, Inc, Dec, Cas, Opaque].into_iter();
    let found = all.chain(bitwise).find(|op| atomic_numbers(*op) == (sub, of));
    found.ok_or(DecodeErrorKind::Type(of))
}

/// The scope with these numbers.
fn barrier_scope(sub: u32, of: u32) -> Result<BarrierScope, DecodeErrorKind> {
    match sub {
        scope::BLOCK => Ok(BarrierScope::Block),
        scope::WARP => Ok(BarrierScope::Warp),
        scope::TILE => {
            1u32.checked_shl(of).map(BarrierScope::Tile).ok_or(DecodeErrorKind::Type(of))
        }
        scope::GRID => Ok(BarrierScope::Grid),
        _ => Err(DecodeErrorKind::Sub(sub)),
    }
}

fn decode_one(words: [u32; INSTRUCTION_WORDS]) -> Result<Instruction, DecodeErrorKind> {
    let [head, da, bc, k] = words;
    let (op, sub, of) = (head & 0xff, head >> 8 & 0xff, head >> 16);
    let (d, a, b, c) = (
        || register(da & 0xffff),
        || register(da >> 16),
        || register(bc & 0xffff),
        || register(bc >> 16),
    );
    let instruction = match op {
        op::HALT => Instruction::Halt,
        op::CONST => Instruction::Const { to: d()?, value: u64::from(bc) | u64::from(k) << 32 },
        op::MOVE => Instruction::Move { to: d()?, from: a()? },
        op::NATURAL => {
            let op = variant(&ArithOp::ALL, sub)?;
            Instruction::Natural { op, to: d()?, left: a()?, right: b()? }
        }
        op::MACHINE => {
            let (op, of) = (variant(&MachineOp::ALL, sub)?, machine_type(of)?);
            Instruction::Machine { op, of, to: d()?, left: a()?, right: b()? }
        }
        op::CAST => {
            let (source, target) = (machine_type(sub)?, machine_type(of)?);
            Instruction::Cast { source, target, to: d()?, from: a()? }
        }
        op::SELECT => {
            Instruction::Select { to: d()?, condition: a()?, then: b()?, otherwise: c()? }
        }
        op::COMPARE => {
            let relation = variant(&Relation::ALL, sub)?;
            let op = CompareOp { relation, machine: type_or_natural(of)? };
            Instruction::Compare { op, to: d()?, left: a()?, right: b()? }
        }
        op::CONNECTIVE => {
            let op = variant(&BoolOp::ALL, sub)?;
            Instruction::Connective { op, to: d()?, left: a()?, right: b()? }
        }
        op::NOT => Instruction::Not { to: d()?, from: a()? },
        op::READ => Instruction::Read { to: d()?, array: k, index: a()? },
        op::WRITE => Instruction::Write { array: k, index: a()?, value: b()? },
        op::ATOMIC => {
            let op = atomic_op(sub, of)?;
            let (index, operand, expected) = (a()?, b()?, c()?);
            Instruction::Atomic { op, to: d()?, array: k, index, operand, expected }
        }
        op::JUMP => Instruction::Jump { to: k },
        op::UNLESS => Instruction::Unless { condition: a()?, to: k },
        op::SYNC => Instruction::Sync { scope: barrier_scope(sub, of)?, barrier: k },
        _ => return Err(DecodeErrorKind::Operation(op)),
    };
    // What was not looked at is what encoding leaves 0.
    match encode(instruction) == words {
        true => Ok(instruction),
        false => Err(DecodeErrorKind::Unused),
    }
}
