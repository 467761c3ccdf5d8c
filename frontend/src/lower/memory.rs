//! Loads and stores.

use super::emit::Item;
use super::sites::Event;
use super::{At, Lower, Lowered, refuse};
use crate::arith::{bit, compare_natural, lit, machine};
use crate::ctype::CType;
use crate::range::full;
use crate::value::{ArrayId, Base, Place, Pointer, Value};
use babycuda_core::expr::Relation;
use babycuda_core::syntax::Domain;
use babycuda_core::{IntType, MachineOp, Name, Num, Stmt};

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
            Place::Component(whole, CType::Array(element, _)) => match whole.as_ref() {
                Place::Var(v) => Ok(Value::Pointer(Pointer {
                    base: Base::Local(*v),
                    index: lit(0),
                    pointee: element.as_ref().clone(),
                })),
                _ => Ok(Value::Poison("a pointer into an array that is not known")),
            },
            Place::Component(whole, lane) => {
                self.load(whole, at)?;
                Ok(self.unknown(lane, at))
            }
        }
    }

    fn load_cell(&mut self, p: &Pointer, at: At) -> Lowered<Value> {
        if let CType::Array(element, _) = &p.pointee {
            // An array in an expression is a pointer to its first element.
            return Ok(Value::Pointer(Pointer { pointee: element.as_ref().clone(), ..p.clone() }));
        }
        if let Some(value) = self.load_chosen(p, at)? {
            return Ok(value);
        }
        if let Base::Object(object) = p.base {
            return self.load_object(object, p, at);
        }
        if let Some(value) = self.load_composed(p, at)? {
            return Ok(value);
        }
        let array = self.array_of(p, at)?;
        let cells = self.touched(array, &p.pointee, at)?;
        if let Some(value) = self.table_element(p) {
            return Ok(value);
        }
        if let Some(value) = self.load_parts(p, array, cells, at) {
            return Ok(value);
        }
        let hint = self.arrays[array].decl.name.to_lowercase();
        let name = self.arrays[array].decl.name.clone();
        let site = self.site(Event::Read, at);
        let mut read = None;
        self.each_cell(p, cells, at, |s, index| {
            let var = s.fresh(&format!("{}_", hint.trim_start_matches('_')));
            s.read_alike(&var, array, &index);
            s.push(Item::Read { site, var: var.clone(), array: name, index });
            read = Some(var);
        })?;
        let known = self.is_exact(array, &p.pointee);
        match read.filter(|_| known && cells == 1) {
            Some(var) => Ok(self.loaded(var, &p.pointee)),
            // The bits are there, but not what they mean.
            None => Ok(self.unknown(&p.pointee, at)),
        }
    }

    /// An integer that takes several cells of what only the host stores: what each of them holds, the lowest first.
    fn load_parts(&mut self, p: &Pointer, array: ArrayId, cells: u64, at: At) -> Option<Value> {
        let declared = &self.arrays[array].decl;
        let (CType::Int(t), Domain::Machine(cell)) = (&p.pointee, declared.element) else {
            return None;
        };
        let fits = cells > 1 && cells * u64::from(cell.width.bits()) == u64::from(t.width.bits());
        let name = declared.name.clone();
        if !fits || !self.arrays.take_as_input(&name) {
            return None;
        }
        let u = IntType { signed: false, ..*t };
        let mut value = lit(0);
        for number in 0..cells {
            let index = machine(MachineOp::Add, IntType::U64, p.index.clone(), lit(number));
            let var = self.fresh(&format!("{}_", name.to_lowercase().trim_start_matches('_')));
            let part = IntType { signed: false, ..cell };
            self.ranges.set(var.clone(), part, full(part));
            let site = self.site(Event::Read, at);
            self.push(Item::Read { site, var: var.clone(), array: name.clone(), index });
            let place = lit(1u64 << (number * u64::from(cell.width.bits())));
            let part = machine(MachineOp::Mul, u, Num::Var(var), place);
            value = machine(MachineOp::Add, u, value, part);
        }
        Some(Value::Int(*t, value))
    }

    /// One access for each of the cells that begin where a pointer points to.
    fn each_cell(
        &mut self,
        p: &Pointer,
        cells: u64,
        at: At,
        access: impl FnOnce(&mut Self, Num),
    ) -> Lowered<()> {
        if cells == 1 {
            access(self, p.index.clone());
            return Ok(());
        }
        let (var, body) = self.in_block(|s| {
            let var = s.fresh("cell");
            s.ranges.set(var.clone(), IntType::U64, (0, i128::from(cells) - 1));
            let index =
                machine(MachineOp::Add, IntType::U64, p.index.clone(), Num::Var(var.clone()));
            access(s, index);
            Ok(var)
        })?;
        self.push_for(at, var, lit(0), lit(cells), body);
        Ok(())
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
                let value = if small { value.whole() } else { self.unknown(&ctype, at) };
                self.set(*v, value.clone());
                return Ok(value);
            }
            Place::Private(_) => {}
            Place::Cell(p) if self.store_chosen(p, &value, at)? => {}
            Place::Cell(Pointer { base: Base::Object(object), .. }) => {
                let Place::Cell(p) = place else { return Ok(value) };
                self.store_object(*object, p, value.clone(), at);
            }
            Place::Cell(p) => {
                let array = self.array_of(p, at)?;
                if self.arrays.of_objects.contains(&array) {
                    return refuse(at, "assignment to a long array in a parameter");
                }
                let cells = self.touched(array, &p.pointee, at)?;
                let decl = &self.arrays[array].decl;
                let (name, domain) = (decl.name.clone(), decl.element);
                let payload = match cells == 1 && self.is_exact(array, &p.pointee) {
                    true => self.payload(value.clone(), at),
                    false => self.unknown_in(domain, at),
                };
                let site = self.site(Event::Write, at);
                self.each_cell(p, cells, at, |s, index| {
                    s.push(Item::Stmt(Stmt::Write { site, array: name, index, payload }));
                })?;
            }
            Place::Component(whole, _) => match whole.as_ref() {
                Place::Var(v) => {
                    let ctype = self.env.ctype(*v).clone();
                    self.env[*v] = self.unknown(&ctype, at);
                }
                Place::Cell(Pointer { base: Base::Object(object), .. }) => {
                    self.forget_object(*object, at);
                }
                _ => return refuse(at, "assignment to a component of an array's element"),
            },
        }
        Ok(value)
    }

    /// What a write of `value` stores: its bit pattern, or an unknown natural.
    pub(super) fn payload(&mut self, value: Value, at: At) -> Num {
        match value {
            Value::Int(_, num) => num,
            Value::Bool(c) => bit(c),
            Value::Data(_, Some(bits)) | Value::Object(_, Some(bits), _) => bits,
            _ => self.unknown_natural(at),
        }
    }

    /// The array that a cell belongs to.
    pub(super) fn array_of(&mut self, p: &Pointer, at: At) -> Lowered<ArrayId> {
        match (p.base, &p.pointee) {
            (_, CType::Pointer(_)) => refuse(at, "an array whose elements are pointers"),
            (_, CType::Void) => refuse(at, "access through `void *`"),
            (_, CType::Array(..)) => refuse(at, "an array as a value"),
            (Base::Array(array), _) => self.while_copying(array, at).map(|()| array),
            (Base::Either(_), _) => refuse(at, "a pointer that may point into several arrays"),
            _ => refuse(at, "a pointer to a local variable"),
        }
    }
}
