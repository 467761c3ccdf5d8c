//! Elements of arrays (SKBG18 §4.1, "Array Expression"). The rows of an array of arrays follow each other.

use super::super::formula::{ArrayId, Kind, Node, Wff};
use super::{Translation, Translator};
use crate::Refusal;
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::{At, Expr, ExprKind, Place, PlaceKind, Type};

/// The type of an index: as wide as addresses.
pub(super) const INDEX: Kind = Kind::Int(IntType::I64);

impl Translator<'_> {
    /// The array and the index of an element.
    pub(super) fn element(&mut self, place: &Place) -> Translation<(ArrayId, Wff)> {
        let (array, index) = self.part(place)?;
        let kind = self.kind(&place.ty, place.at)?;
        if self.out.arrays[array.0].kind != kind {
            return Err(Refusal::unsupported("a row as a value", place.at));
        }
        Ok((array, index.unwrap_or(int(0))))
    }

    /// The array, and the index of the first of the elements.
    fn part(&mut self, place: &Place) -> Translation<(ArrayId, Option<Wff>)> {
        match &place.kind {
            PlaceKind::Variable(v) => match self.arrays.get(v) {
                Some(array) => Ok((*array, None)),
                None if matches!(place.ty, Type::Array(..)) => {
                    Err(Refusal::unsupported("an array with initial values", place.at))
                }
                None => Err(Refusal::unsupported("a place that is no array", place.at)),
            },
            PlaceKind::Index(both) => {
                let [pointer, index] = &**both;
                let (array, first) = self.base(pointer)?;
                let index = self.expr(index)?;
                let Kind::Int(_) = index.kind else {
                    return Err(Refusal::unsupported("an index that is no integer", place.at));
                };
                let length = self.length(&place.ty, place.at)?;
                let index = times(converted(index, INDEX), length);
                Ok((array, Some(first.map_or(index.clone(), |first| sum(first, index)))))
            }
            PlaceKind::Deref(_) => Err(Refusal::unsupported("a pointer", place.at)),
            PlaceKind::Member(..) => Err(Refusal::unsupported("a structure", place.at)),
            PlaceKind::Unsupported(construct) => Err(Refusal::unsupported(construct, place.at)),
        }
    }

    fn base(&mut self, pointer: &Expr) -> Translation<(ArrayId, Option<Wff>)> {
        match &pointer.kind {
            ExprKind::Decay(place) | ExprKind::Load(place) => self.part(place),
            _ => Err(Refusal::unsupported("pointer arithmetic", pointer.at)),
        }
    }

    /// How many innermost elements an object of the type has.
    fn length(&self, ty: &Type, at: At) -> Translation<u64> {
        let Type::Array(element, extent) = ty else { return Ok(1) };
        let extent = match extent.as_deref().map(|e| &e.kind) {
            Some(ExprKind::Int(extent)) => *extent,
            _ => return Err(Refusal::unsupported("a row of unknown length", at)),
        };
        let product = self.length(element, at)?.checked_mul(extent);
        let product = product.filter(|p| i64::try_from(*p).is_ok());
        product.ok_or_else(|| Refusal::unsupported("a row of that length", at))
    }
}

fn int(value: u64) -> Wff {
    Wff { node: Node::Num(value), kind: INDEX }
}

fn times(index: Wff, length: u64) -> Wff {
    match length {
        1 => index,
        _ => {
            Wff { node: Node::Binary(MachineOp::Mul, Box::new([index, int(length)])), kind: INDEX }
        }
    }
}

fn sum(l: Wff, r: Wff) -> Wff {
    Wff { node: Node::Binary(MachineOp::Add, Box::new([l, r])), kind: INDEX }
}

/// A formula converted to a kind.
pub(super) fn converted(wff: Wff, kind: Kind) -> Wff {
    if wff.kind == kind {
        return wff;
    }
    Wff { node: Node::Convert(Box::new(wff)), kind }
}
