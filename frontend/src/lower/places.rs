//! Places: what can be assigned to.

use super::{At, Lower, Lowered, refuse};
use crate::ctype::{CType, Data};
use crate::value::{Base, Binding, Place, Pointer, Value};
use babycuda_core::MachineOp;
use babycuda_kernel::{Member, PlaceKind, Type};

impl<'t> Lower<'t> {
    /// The place that is meant. Its operands are evaluated.
    pub(super) fn place(&mut self, place: &'t babycuda_kernel::Place) -> Lowered<Place> {
        self.nested(place.at, |s| s.place_of(place))
    }

    fn place_of(&mut self, place: &'t babycuda_kernel::Place) -> Lowered<Place> {
        let at = place.at;
        match &place.kind {
            PlaceKind::Variable(v) => match self.env.lookup(*v).cloned() {
                Some(Binding::Var(v)) => Ok(match self.env.ctype(v) {
                    array @ CType::Array(..) => Place::Private(array.clone()),
                    _ => Place::Var(v),
                }),
                Some(Binding::Object(object)) => Ok(self.whole_object(object)),
                Some(Binding::Array(array, pointee) | Binding::Cell(array, pointee)) => {
                    let index = crate::arith::lit(0);
                    Ok(Place::Cell(Pointer { base: Base::Array(array), index, pointee }))
                }
                Some(Binding::Reference(place)) => Ok(place),
                Some(Binding::Constant(_)) => {
                    refuse(at, format!("assignment to `{}`", self.kernel[*v].name))
                }
                None => refuse(at, format!("unknown name `{}`", self.kernel[*v].name)),
            },
            PlaceKind::Index(both) => {
                let [base, index] = both.as_ref();
                let pointer = self.eval(base)?;
                let offset = self.eval(index)?;
                match pointer {
                    Value::Pointer(p) => {
                        let p = self.offset(p, MachineOp::Add, offset, at)?;
                        self.deref(p, at)
                    }
                    Value::Poison(what) => refuse(at, what),
                    _ => refuse(at, "subscript of a value that is no array"),
                }
            }
            PlaceKind::Deref(pointer) => match self.eval(pointer)? {
                Value::Pointer(p) => self.deref(p, at),
                Value::Poison(what) => refuse(at, what),
                _ => refuse(at, "`*` on a value that is no pointer"),
            },
            PlaceKind::Member(of, member) => {
                let offset = self.kernel.offset(&of.ty, member);
                let of = self.place(of)?;
                let lane = match member {
                    Member::Field(_) => self.ctype(&place.ty)?,
                    // What a lane holds of a fragment.
                    Member::Named(_) if matches!(place.ty, Type::Array(..)) => {
                        self.ctype(&place.ty)?
                    }
                    _ => self.lane(&of, member, at)?,
                };
                Ok(match of {
                    Place::Private(_) => Place::Private(lane),
                    Place::Component(whole, _) => Place::Component(whole, lane),
                    Place::Cell(p) => {
                        let part = offset.and_then(|bytes| self.part(&p, bytes, lane.clone()));
                        match part {
                            Some(part) => self.in_object(part),
                            None => Place::Component(Box::new(Place::Cell(p)), lane),
                        }
                    }
                    Place::Var(v) => Place::Component(Box::new(Place::Var(v)), lane),
                })
            }
            PlaceKind::Unsupported(construct) => refuse(at, construct),
        }
    }

    /// The type of a component. Of an opaque value nothing is known, so it is data.
    fn lane(&self, place: &Place, member: &Member, at: At) -> Lowered<CType> {
        match (self.place_type(place), member) {
            (CType::Data(Data { lane: Some((lane, _)), .. }), Member::Lane(_)) => Ok(*lane),
            (CType::Data(Data { lane: None, .. }), _) => Ok(CType::Data(Data::UNKNOWN)),
            _ => refuse(at, "member of a value that has no such one"),
        }
    }

    /// The type of what a place holds.
    pub(super) fn place_type(&self, place: &Place) -> CType {
        match place {
            Place::Var(v) => self.env.ctype(*v).clone(),
            Place::Cell(p) => p.pointee.clone(),
            Place::Private(ctype) | Place::Component(_, ctype) => ctype.clone(),
        }
    }

    /// The place that a pointer points to.
    pub(super) fn deref(&mut self, p: Pointer, at: At) -> Lowered<Place> {
        match p.base {
            Base::Array(_) | Base::Either(_) => Ok(Place::Cell(p)),
            Base::Object(_) => Ok(self.in_object(p)),
            Base::Private => Ok(Place::Private(p.pointee)),
            // A part of it, or all of it as something else: which part does not matter.
            Base::Local(v) if p.pointee != *self.env.ctype(v) => {
                Ok(Place::Component(Box::new(Place::Var(v)), p.pointee))
            }
            Base::Local(v) if crate::arith::as_lit(&p.index) == Some(0) => Ok(Place::Var(v)),
            Base::Local(_) => refuse(at, "arithmetic on the address of a local variable"),
        }
    }

    /// `&place`
    pub(super) fn address_of(&mut self, place: Place, at: At) -> Lowered<Value> {
        let local = |base, pointee| {
            Ok(Value::Pointer(Pointer { base, index: crate::arith::lit(0), pointee }))
        };
        match place {
            Place::Cell(p) => Ok(Value::Pointer(p)),
            Place::Var(v) => match self.env.part_of(v) {
                Some((object, offset)) => Ok(Value::Pointer(Pointer {
                    base: Base::Object(object),
                    index: crate::arith::lit(offset),
                    pointee: self.env.ctype(v).clone(),
                })),
                None => local(Base::Local(v), self.env.ctype(v).clone()),
            },
            Place::Private(ctype) => local(Base::Private, ctype),
            Place::Component(whole, lane) => match *whole {
                Place::Var(v) if lane != *self.env.ctype(v) => local(Base::Local(v), lane),
                _ => refuse(at, "address of a component"),
            },
        }
    }
}
