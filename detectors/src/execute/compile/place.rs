//! Addresses of places.

use super::Compiler;
use crate::execute::code::Op;
use crate::execute::setup::Home;
use crate::execute::value::Shape;
use babycuda_core::deep::grow;
use babycuda_kernel::{At, Expr, ExprKind, Place, PlaceKind, Storage, Type, Var};

impl<'a> Compiler<'a> {
    /// The address of a place, on the stack.
    pub(super) fn address(&mut self, place: &'a Place) {
        grow(|| self.address_of(place));
    }

    fn address_of(&mut self, place: &'a Place) {
        match &place.kind {
            PlaceKind::Variable(v) => self.variable(*v, place.at),
            PlaceKind::Deref(pointer) => self.value(pointer),
            PlaceKind::Index(both) => {
                let [base, index] = both.as_ref();
                self.value(base);
                self.value(index);
                self.elements(base, index, false, place.at);
            }
            PlaceKind::Member(of, member) => {
                self.address(of);
                match self.kernel.offset(&of.ty, member) {
                    Some(0) => {}
                    Some(offset) => self.emit(Op::Offset(offset), place.at),
                    // All of it is one thing of which nothing is known.
                    None if matches!(of.ty, Type::Opaque(_)) => {}
                    None => self.unsupported("a member that is not known", place.at),
                }
            }
            PlaceKind::Unsupported(construct) => self.unsupported(construct, place.at),
        }
    }

    /// The address of a variable, or of what a reference is bound to.
    pub(super) fn variable(&mut self, v: Var, at: At) {
        match self.layout.home(v) {
            Some(Home::Object(object)) => self.emit(Op::Object(object), at),
            Some(Home::Shared(number)) => self.emit(Op::Shared(number), at),
            None => {
                let slot = self.slot(v);
                self.emit(Op::Slot(slot), at);
                if self.kernel[v].storage == Storage::Reference {
                    self.emit(Op::Load(Shape::Scalar(8)), at);
                }
            }
        }
    }

    /// Of an address and a count on the stack, the address of that element.
    pub(super) fn elements(&mut self, base: &'a Expr, index: &'a Expr, back: bool, at: At) {
        let Type::Pointer(element) = &base.ty else {
            return self.unsupported("a subscript of what is no pointer", at);
        };
        match (self.size(element), index.ty.integer()) {
            (Some(size), Some(t)) => self.emit(Op::Elements(size, t, back), at),
            (None, _) => self.unsupported("elements of a size that is not known", at),
            (_, None) => self.unsupported("an index that is no integer", at),
        }
    }

    /// Stores what a list, or another value, says of an array where `address` is.
    pub(super) fn array_value(&mut self, ty: &Type, value: &'a Expr, address: &dyn Fn(&mut Self)) {
        let mut parts = Vec::new();
        let whole = self.size(ty);
        if !self.parts(ty, value, 0, &mut parts) || whole.is_none_or(|size| size > 1 << 20) {
            return self.unsupported("the first value of an array", value.at);
        }
        // Of an object, a class may say what it holds at first (of a `dim3`, that is 1).
        let object = |ty: &Type| matches!(ty, Type::Vector(..) | Type::Record(_));
        let element = ty.innermost();
        let told: u64 = parts.iter().map(|(_, _, shape)| shape.size()).sum();
        let other = parts.iter().any(|(_, part, _)| part.ty != *element);
        if object(element) && (other || whole.is_some_and(|whole| told < whole)) {
            return self.unsupported("the first value of an array of objects", value.at);
        }
        // What no part says is 0.
        if let Some(size) = whole {
            let mut rest = size;
            while rest > 0 {
                let piece = rest.min(1 << 12);
                rest -= piece;
                self.emit(Op::Pack(Vec::new(), piece), value.at);
                address(self);
                self.emit(Op::Offset(rest), value.at);
                self.emit(Op::Store(Shape::Bytes(piece)), value.at);
                self.emit(Op::Pop, value.at);
            }
        }
        for (offset, part, shape) in parts {
            self.value(part);
            address(self);
            self.emit(Op::Offset(offset), part.at);
            self.emit(Op::Store(shape), part.at);
            self.emit(Op::Pop, part.at);
        }
    }

    /// The parts of an array's first value, with where they belong; false: it is another one.
    fn parts(
        &self,
        ty: &Type,
        value: &'a Expr,
        first: u64,
        found: &mut Vec<(u64, &'a Expr, Shape)>,
    ) -> bool {
        match (ty, &value.kind) {
            (Type::Array(element, _), ExprKind::List(list)) => {
                let Some(size) = self.size(element) else { return false };
                // Braces may be left out around the rows of an array.
                let flat = |e: &Expr| !matches!(e.kind, ExprKind::List(_));
                if matches!(**element, Type::Array(..)) && list.iter().any(flat) {
                    return false;
                }
                let places = (0..).map(|i| first + i * size);
                list.iter().zip(places).all(|(e, place)| self.parts(element, e, place, found))
            }
            (Type::Array(..), _) => false,
            _ => self.shape(ty).is_some_and(|shape| {
                found.push((first, value, shape));
                true
            }),
        }
    }
}
