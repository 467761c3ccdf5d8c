//! One instruction that accesses memory.

use super::assigned;
use crate::expr::{Expr, ExprKind, Member, Place, PlaceKind};
use crate::kernel::At;
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
            Some((address, offset)) => (address, bytes(offset)?),
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
                let of_loads = |part: &&str| ["nc", "const"].contains(part);
                if name == "st" && parts.iter().any(of_loads) {
                    return None;
                }
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
                if name == "red" && matches!(update, "exch" | "cas") {
                    return None;
                }
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
        if !used.iter().copied().eq(0..outputs.len() + inputs.len()) {
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
        let count = match &self.does {
            Does::Load(all) | Does::Store(all) => all.len(),
            Does::Update(..) => 1,
        };
        let ty = match count {
            1 => self.ty.clone(),
            n => Type::Vector(Box::new(self.ty.clone()), n as u32),
        };
        let pointer = || {
            let bytes = address.clone().converted(&Type::Int(IntType::U8).pointer(), at);
            let pointer = bytes.ty.clone();
            let offset = Expr::int(Type::Int(IntType::I64), self.offset as u64, at);
            let both = Box::new([bytes, offset]);
            let there = make(ExprKind::Arithmetic(MachineOp::Add, both), &pointer);
            there.converted(&ty.clone().pointer(), at)
        };
        let object = || {
            let kind = PlaceKind::Deref(Box::new(pointer()));
            Place { kind, ty: ty.clone(), at }
        };
        let all = match &self.does {
            Does::Load(to) => {
                let to: Option<Vec<Place>> = to.iter().map(|to| place(*to)).collect();
                let to = to.ok_or_else(unknown)?;
                if let [to] = &to[..] {
                    assigned(to.clone(), bits(object().value(), &to.ty, at), at)
                } else if Node::Expr(address).is_repeatable() && to.iter().all(is_variable) {
                    loaded(&to, &object(), &self.ty, at)
                } else {
                    return Err(unknown());
                }
            }
            Does::Store(from) => {
                let written = from.iter().map(|from| Some(bits(value(*from)?, &self.ty, at)));
                let mut written: Vec<Expr> = written.collect::<Option<_>>().ok_or_else(unknown)?;
                let written = match count {
                    1 => written.remove(0),
                    _ => make(ExprKind::List(written), &ty),
                };
                assigned(object(), written, at)
            }
            Does::Update(function, to, from) => {
                let given = from.iter().map(|from| Some(bits(value(*from)?, &self.ty, at)));
                let given: Vec<Expr> = given.collect::<Option<_>>().ok_or_else(unknown)?;
                let args = std::iter::once(pointer()).chain(given).collect();
                let update = device(function, args, &self.ty);
                match to {
                    None => update,
                    Some(to) => {
                        let place = place(*to).ok_or_else(unknown)?;
                        let read = bits(update, &place.ty, at);
                        assigned(place, read, at)
                    }
                }
            }
        };
        Ok(all.converted(&Type::Void, at))
    }
}

/// Assigns the parts of a vector to variables; all are read before the first one is written: `x = {v.x, y = v.y}.first`.
fn loaded(to: &[Place], vector: &Place, ty: &Type, at: At) -> Expr {
    let make = |kind, ty: &Type| Expr { kind, ty: ty.clone(), at };
    let part = |of: Expr, lane| make(ExprKind::Component(Box::new(of), Member::Lane(lane)), ty);
    let read = |lane: usize| part(vector.clone().value(), lane as u32);
    let last = to.len() - 1;
    let end = assigned(to[last].clone(), bits(read(last), &to[last].ty, at), at);
    to[..last].iter().enumerate().rfold(end, |later, (lane, to)| {
        let both = ExprKind::List(vec![read(lane), bits(later, ty, at)]);
        let first = part(make(both, &Type::Vector(Box::new(ty.clone()), 2)), 0);
        assigned(to.clone(), bits(first, &to.ty, at), at)
    })
}

/// A value as one of another type with the same bits: where the types are of different kinds, it is another number.
fn bits(value: Expr, ty: &Type, at: At) -> Expr {
    match (&value.ty, ty) {
        (Type::Int(_), Type::Int(_)) => value.converted(ty, at),
        (one, other) if one == other => value,
        _ => {
            let kind = ExprKind::Device(Name::new("ptx::bits"), vec![value]);
            Expr { kind, ty: ty.clone(), at }
        }
    }
}

fn is_variable(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Variable(_) => true,
        PlaceKind::Member(of, _) => is_variable(of),
        _ => false,
    }
}

/// An offset of 32 bits. With a 0 before it, it is octal.
fn bytes(text: &str) -> Option<i64> {
    let offset: i32 = text.trim().parse().ok()?;
    let digits = text.trim().trim_start_matches(['-', '+']);
    (digits == "0" || !digits.starts_with('0')).then_some(offset.into())
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
