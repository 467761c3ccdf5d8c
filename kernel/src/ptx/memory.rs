//! One instruction that accesses memory.

use super::assigned;
use crate::expr::{Expr, ExprKind, Place, PlaceKind};
use crate::kernel::{At, Var};
use crate::tree::Node;
use crate::types::Type;
use babycuda_core::{IntType, MachineOp, Name};

/// `ld`, `st`, `red` or `atom`. Operands are numbers of those that the statement has, outputs first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// What is accessed: one object, or several that follow each other.
    pub(super) ty: Type,
    pub(super) does: Does,
    pub(super) address: usize,
    /// In bytes.
    pub(super) offset: i64,
}

/// What an access does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Does {
    /// It reads to these operands.
    Load(Vec<usize>),
    /// It writes these ones.
    Store(Vec<usize>),
    /// It updates as the function of this name does, whose value goes to the first operand.
    Update(String, Option<usize>, Vec<usize>),
}

/// What tells caches what to do, and the spaces that an address of C can be of.
const CACHES: &str = "weak volatile global local const nc ca cg cs lu cv wb wt";

/// Updates, and the functions that do the same.
const UPDATES: [(&str, &str); 10] = [
    ("add", "atomicAdd"),
    ("min", "atomicMin"),
    ("max", "atomicMax"),
    ("and", "atomicAnd"),
    ("or", "atomicOr"),
    ("xor", "atomicXor"),
    ("exch", "atomicExch"),
    ("inc", "atomicInc"),
    ("dec", "atomicDec"),
    ("cas", "atomicCAS"),
];

impl Access {
    /// An instruction with its modifiers, and what follows it.
    pub(super) fn of(instruction: &str, operands: &str) -> Option<Access> {
        let mut parts = instruction.split('.');
        let name = parts.next()?;
        let mut parts: Vec<&str> = parts.collect();
        let ty = scalar(parts.pop()?)?;
        let (mut before, rest) = operands.split_once('[')?;
        let (address, after) = rest.split_once(']')?;
        before = before.trim().trim_end_matches(',');
        let after = after.trim();
        let after = if after.is_empty() { "" } else { after.strip_prefix(',')? };
        let (address, offset) = match address.split_once('+') {
            Some((address, offset)) => (address, offset.trim().parse().ok()?),
            None => (address, 0),
        };
        let address = operand(address)?;
        let list = |text: &str| -> Option<Vec<usize>> {
            let named = text.split(',').filter(|word| !word.trim().is_empty());
            named.map(operand).collect()
        };
        let (before, after) = (list(before)?, list(after)?);
        let is_cache = |part: &&str| {
            CACHES.split(' ').any(|c| c == *part)
                || part.starts_with("L1::")
                || part.starts_with("L2::")
        };
        let does = match name {
            "ld" | "st" => {
                parts.retain(|part| !is_cache(part));
                let count = match parts[..] {
                    [] => 1,
                    ["v2"] => 2,
                    ["v4"] => 4,
                    _ => return None,
                };
                match (name, before.len(), after.len()) {
                    ("ld", n, 0) if n == count => Does::Load(before),
                    ("st", 0, n) if n == count => Does::Store(after),
                    _ => return None,
                }
            }
            "red" | "atom" => {
                parts.retain(|part| !matches!(*part, "relaxed" | "global" | "gpu"));
                let (scope, update) = match parts[..] {
                    ["cta", update] => ("_block", update),
                    ["sys", update] => ("_system", update),
                    [update] => ("", update),
                    _ => return None,
                };
                let (_, function) = UPDATES.iter().find(|(name, _)| *name == update)?;
                let takes = if update == "cas" { 2 } else { 1 };
                let gives = usize::from(name == "atom");
                if before.len() != gives || after.len() != takes {
                    return None;
                }
                Does::Update(format!("{function}{scope}"), before.first().copied(), after)
            }
            _ => return None,
        };
        Some(Access { ty, does, address, offset })
    }

    fn is_vector(&self) -> bool {
        matches!(&self.does, Does::Load(all) | Does::Store(all) if all.len() > 1)
    }

    /// As an expression of what the operands are: places, then values.
    pub(super) fn expr(&self, outputs: &[Place], inputs: &[Expr], at: At) -> Result<Expr, String> {
        let unknown = || "inline assembly with such operands".to_owned();
        let mut used = vec![self.address];
        used.extend(match &self.does {
            Does::Load(all) | Does::Store(all) => all.clone(),
            Does::Update(_, to, from) => from.iter().chain(to).copied().collect(),
        });
        used.sort_unstable();
        // What is not used would not be evaluated, and what is used again would be so twice.
        let each_once = used.iter().copied().eq(0..outputs.len() + inputs.len());
        if !each_once || (self.is_vector() && !apart(outputs, inputs)) {
            return Err(unknown());
        }
        let value = |number: usize| {
            inputs.get(number.checked_sub(outputs.len())?).filter(|i| is_number(&i.ty)).cloned()
        };
        let place = |number: usize| outputs.get(number).filter(|p| is_number(&p.ty)).cloned();
        let address = self.address.checked_sub(outputs.len()).and_then(|n| inputs.get(n));
        let Some(address) = address else { return Err(unknown()) };
        if !matches!(address.ty, Type::Pointer(_)) {
            return Err(
                "inline assembly that accesses memory at an address that is a number".to_owned()
            );
        }
        let make = |kind, ty: &Type| Expr { kind, ty: ty.clone(), at };
        let device =
            |name: &str, args, ty: &Type| make(ExprKind::Device(Name::new(name), args), ty);
        let pointer = |number: usize| {
            let bytes = address.clone().converted(&Type::Int(IntType::U8).pointer(), at);
            let size = self.ty.size().unwrap_or(0);
            let offset = self.offset.wrapping_add((size * number as u64) as i64);
            let ty = bytes.ty.clone();
            let offset = Expr::int(Type::Int(IntType::I64), offset as u64, at);
            let there = make(ExprKind::Arithmetic(MachineOp::Add, Box::new([bytes, offset])), &ty);
            there.converted(&self.ty.clone().pointer(), at)
        };
        let object = |number: usize| {
            let kind = PlaceKind::Deref(Box::new(pointer(number)));
            Place { kind, ty: self.ty.clone(), at }
        };
        // Bits are another number where types are of different kinds.
        let bits = |value: Expr, ty: &Type| match (&value.ty, ty) {
            (Type::Int(_), Type::Int(_)) => value.converted(ty, at),
            (one, other) if one == other => value,
            _ => device("ptx::bits", vec![value], ty),
        };
        let mut steps = Vec::new();
        match &self.does {
            Does::Load(to) => {
                for (number, to) in to.iter().enumerate() {
                    let place = place(*to).ok_or_else(unknown)?;
                    let read = bits(object(number).value(), &place.ty);
                    steps.push(assigned(place, read, at));
                }
            }
            Does::Store(from) => {
                for (number, from) in from.iter().enumerate() {
                    let written = bits(value(*from).ok_or_else(unknown)?, &self.ty);
                    steps.push(assigned(object(number), written, at));
                }
            }
            Does::Update(function, to, from) => {
                let mut args = vec![pointer(0)];
                for from in from {
                    args.push(bits(value(*from).ok_or_else(unknown)?, &self.ty));
                }
                let update = device(function, args, &self.ty);
                steps.push(match to {
                    None => update,
                    Some(to) => {
                        let place = place(*to).ok_or_else(unknown)?;
                        let read = bits(update, &place.ty);
                        assigned(place, read, at)
                    }
                });
            }
        }
        let all = steps.into_iter().reduce(|all, next| {
            let ty = next.ty.clone();
            make(ExprKind::Comma(Box::new([all, next])), &ty)
        });
        all.map(|all| all.converted(&Type::Void, at)).ok_or_else(unknown)
    }
}

/// May what is done with the operands be done one after the other? It may if what is written are variables that no value
/// rests on, and no value rests on memory or changes something.
fn apart(outputs: &[Place], inputs: &[Expr]) -> bool {
    let written: Option<Vec<Var>> = outputs.iter().map(variable).collect();
    let Some(written) = written else { return false };
    let rests_on_no_memory = |node: Node<'_>| match node {
        Node::Expr(Expr { kind: ExprKind::Load(place), .. }) => {
            variable(place).is_some_and(|v| !written.contains(&v))
        }
        _ => true,
    };
    inputs
        .iter()
        .map(Node::Expr)
        .all(|input| input.is_repeatable() && input.subterms().all(rests_on_no_memory))
}

/// The variable that a place is, or is a part of.
fn variable(place: &Place) -> Option<Var> {
    match &place.kind {
        PlaceKind::Variable(v) => Some(*v),
        PlaceKind::Member(of, _) => variable(of),
        _ => None,
    }
}

/// The number of an operand, `%3`.
fn operand(text: &str) -> Option<usize> {
    text.trim().strip_prefix('%')?.parse().ok()
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Int(_) | Type::Float(_))
}

/// A type of PTX.
fn scalar(name: &str) -> Option<Type> {
    Some(match name {
        "u8" | "b8" => Type::Int(IntType::U8),
        "s8" => Type::Int(IntType::I8),
        "u16" | "b16" => Type::Int(IntType::U16),
        "s16" => Type::Int(IntType::I16),
        "u32" | "b32" => Type::Int(IntType::U32),
        "s32" => Type::Int(IntType::I32),
        "u64" | "b64" => Type::Int(IntType::U64),
        "s64" => Type::Int(IntType::I64),
        "f32" => Type::Float(4),
        "f64" => Type::Float(8),
        _ => return None,
    })
}
