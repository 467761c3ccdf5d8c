//! Loads and stores.

use super::emit::Item;
use super::sites::Event;
use super::{At, Lower, Lowered, refuse};
use crate::arith::{bit, compare_natural, lit};
use crate::ctype::CType;
use crate::range::full;
use crate::value::{ArrayId, Base, Place, Pointer, Value};
use babycuda_core::expr::Relation;
use babycuda_core::{IntType, Name, Num, Stmt};

impl<'t> Lower<'t> {
    /// The value at a place.
    pub(super) fn load(&mut self, place: &Place, at: At) -> Lowered<Value> {
        match place {
            Place::Var(v) => {
                if self.env[*v] == Value::Undefined {
                    let ctype = self.env.ctype(*v).clone();
                    self.env[*v] = self.unknown(&ctype, at);
                }
                Ok(self.env[*v].clone())
            }
            Place::Cell(p) => self.load_cell(p, at),
            Place::Private(CType::Array(element, _)) => Ok(Value::Pointer(Pointer {
                base: Base::Private,
                index: lit(0),
                pointee: element.as_ref().clone(),
            })),
            Place::Private(ctype) => Ok(self.unknown(ctype, at)),
            Place::Component(place, lane) => {
                self.load(place, at)?;
                Ok(self.unknown(lane, at))
            }
        }
    }

    fn load_cell(&mut self, p: &Pointer, at: At) -> Lowered<Value> {
        if let CType::Array(element, _) = &p.pointee {
            // An array in an expression is a pointer to its first element.
            return Ok(Value::Pointer(Pointer { pointee: element.as_ref().clone(), ..p.clone() }));
        }
        if let Some(value) = self.table_element(p) {
            return Ok(value);
        }
        let array = self.array_of(p, at)?;
        let hint = self.arrays[array].decl.name.to_lowercase();
        let element = self.arrays[array].element.clone();
        let name = self.arrays[array].decl.name.clone();
        let var = self.fresh(&format!("{}_", hint.trim_start_matches('_')));
        let site = self.site(Event::Read, at);
        let index = p.index.clone();
        self.push(Item::Read { site, var: var.clone(), array: name, index });
        if element != p.pointee {
            // A view of another type: the bits are there, but not what they mean.
            return Ok(self.unknown(&p.pointee, at));
        }
        Ok(self.loaded(var, &element))
    }

    /// The value that a variable bound to a cell's contents has at the element's type.
    pub(super) fn loaded(&mut self, var: Name, element: &CType) -> Value {
        match element {
            CType::Int(t) => {
                self.ranges.set(var.clone(), *t, full(*t));
                Value::Int(*t, Num::Var(var))
            }
            CType::Bool => {
                self.ranges.set(var.clone(), IntType::U8, full(IntType::U8));
                Value::Bool(compare_natural(Relation::Ne, Num::Var(var), lit(0)))
            }
            CType::Data(data) => Value::Data(data.clone(), Some(Num::Var(var))),
            _ => Value::Poison("an array whose elements are pointers"),
        }
    }

    /// Assigns `value` to a place and returns it as converted.
    pub(super) fn store(&mut self, place: &Place, value: Value, at: At) -> Lowered<Value> {
        let ctype = self.place_type(place);
        let value = self.convert(value, &ctype, at)?;
        match place {
            Place::Var(v) => {
                let small = match &value {
                    Value::Int(_, num) => num.is_within(super::MAX_SIZE),
                    Value::Pointer(p) => p.index.is_within(super::MAX_SIZE),
                    _ => true,
                };
                let value = if small { value } else { self.unknown(&ctype, at) };
                self.env[*v] = value.clone();
                return Ok(value);
            }
            Place::Private(_) => {}
            Place::Cell(p) => {
                let array = self.array_of(p, at)?;
                let payload = if self.arrays[array].element == p.pointee {
                    self.payload(value.clone(), at)
                } else {
                    self.unknown_natural(at)
                };
                let site = self.site(Event::Write, at);
                self.push(Item::Stmt(Stmt::Write {
                    site,
                    array: self.arrays[array].decl.name.clone(),
                    index: p.index.clone(),
                    payload,
                }));
            }
            Place::Component(inner, _) => match inner.as_ref() {
                Place::Var(v) => {
                    if let Value::Data(_, bits) = &mut self.env[*v] {
                        *bits = None;
                    }
                }
                Place::Private(_) => {}
                Place::Component(..) => return self.store(inner, Value::DATA, at),
                Place::Cell(_) => {
                    return refuse(at, "assignment to a component of an array's element");
                }
            },
        }
        Ok(value)
    }

    /// What a write of `value` stores: its bit pattern, or an unknown natural.
    pub(super) fn payload(&mut self, value: Value, at: At) -> Num {
        match value {
            Value::Int(_, num) => num,
            Value::Bool(c) => bit(c),
            Value::Data(_, Some(bits)) => bits,
            _ => self.unknown_natural(at),
        }
    }

    /// The array that a cell belongs to.
    pub(super) fn array_of(&mut self, p: &Pointer, at: At) -> Lowered<ArrayId> {
        match (p.base, &p.pointee) {
            (_, CType::Pointer(_)) => refuse(at, "an array whose elements are pointers"),
            (_, CType::Void) => refuse(at, "access through `void *`"),
            (_, CType::Array(..)) => refuse(at, "an array as a value"),
            (Base::Array(array), _) => Ok(array),
            _ => refuse(at, "a pointer to a local variable"),
        }
    }
}
