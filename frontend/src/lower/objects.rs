//! Local objects whose parts are followed: structures, vectors and short arrays that hold what the calculus computes
//! with, or pointers. Each part is a variable of its own, so that branches and loops see scalars only. A pointer into
//! such an object counts bytes: a part is meant where its first byte and its type are. Where an index is computed, one
//! of the parts of that type is meant, if the access can be of no other; what is written otherwise leaves nothing known of
//! the object.
//!
//! An object has a variable for itself, too: its bit pattern, as long as it is a plain copy.

use super::{At, Lower, Lowered};
use crate::arith::{as_lit, cast, compare_natural, lit, machine};
use crate::ctype::{CType, Data};
use crate::value::{Base, Binding, Place, Pointer, Value, VarId};
use babycuda_core::expr::Relation;
use babycuda_core::{Bool, IntType, MachineOp, Num};
use babycuda_kernel::{RecordId, Var};

/// An object of more parts is not followed.
const MAX_PARTS: usize = 128;
/// An array of more pointers is not followed as a part.
const MAX_POINTERS: u64 = 16;
/// An array of more other elements is not followed as a part.
const MAX_NUMBERS: u64 = 16;
/// Likewise, in an object that would have too many parts otherwise.
const FEW_NUMBERS: u64 = 4;

/// A part of an object.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Part {
    /// Its first byte in the object.
    pub(super) offset: u64,
    pub(super) ctype: CType,
    /// What stands behind the object's name: `.pos.x`.
    pub(super) name: String,
    /// How it is reached, from the outside.
    pub(super) steps: Vec<Step>,
}

/// A step from an object to a component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Step {
    Field(RecordId, usize),
    Lane(u32),
    Element,
}

impl<'t> Lower<'t> {
    /// The parts of objects of the type; `None`: they are not followed.
    pub(super) fn parts(&mut self, ctype: &CType) -> Option<Vec<Part>> {
        [MAX_NUMBERS, FEW_NUMBERS].into_iter().find_map(|numbers| self.parts_of_few(ctype, numbers))
    }

    /// The same, if an array of more than so many numbers is one part.
    fn parts_of_few(&mut self, ctype: &CType, numbers: u64) -> Option<Vec<Part>> {
        let components = self.components(ctype, numbers)?;
        let mut parts = Vec::new();
        for component in components {
            match self.parts_of_few(&component.ctype, numbers) {
                Some(inner) => parts.extend(inner.into_iter().map(|part| Part {
                    offset: component.offset + part.offset,
                    ctype: part.ctype,
                    name: component.name.clone() + &part.name,
                    steps: component.steps.iter().copied().chain(part.steps).collect(),
                })),
                None => parts.push(component),
            }
        }
        let computed = |part: &Part| {
            matches!(part.ctype, CType::Int(_) | CType::Bool | CType::Pointer(_) | CType::Group(_))
        };
        (parts.len() <= MAX_PARTS && parts.iter().any(computed)).then_some(parts)
    }

    /// The components of a type that has some, if no two share a byte.
    fn components(&mut self, ctype: &CType, numbers: u64) -> Option<Vec<Part>> {
        let mut components = Vec::new();
        match ctype {
            CType::Data(_) if self.kernel.opaque_objects => return None,
            CType::Data(Data { record: Some(record), .. }) => {
                let kernel = self.kernel;
                let mut end = 0;
                for (number, field) in kernel[*record].fields.iter().enumerate() {
                    let ctype = self.ctype(&field.ty).ok()?;
                    if field.offset < end {
                        return None;
                    }
                    end = field.offset + kernel.size(&field.ty)?;
                    let steps = vec![Step::Field(*record, number)];
                    let name = format!(".{}", field.name);
                    components.push(Part { offset: field.offset, ctype, name, steps });
                }
            }
            CType::Data(Data { lane: Some((lane, lanes)), .. }) => {
                let each = lane.size()?;
                for number in 0..*lanes {
                    let name = match ["x", "y", "z", "w"].get(number as usize) {
                        Some(name) if *lanes <= 4 => format!(".{name}"),
                        _ => format!(".s{number:x}"),
                    };
                    let offset = u64::from(number) * each;
                    let steps = vec![Step::Lane(number)];
                    components.push(Part { offset, ctype: (**lane).clone(), name, steps });
                }
            }
            CType::Array(element, Some(Num::Lit(extent))) => {
                let most = match **element {
                    CType::Pointer(_) => MAX_POINTERS,
                    _ => numbers,
                };
                let extent = extent.to_u64().filter(|extent| *extent <= most)?;
                let size = element.size()?;
                for number in 0..extent {
                    let (offset, ctype) = (number * size, (**element).clone());
                    let name = format!(".{number}");
                    components.push(Part { offset, ctype, name, steps: vec![Step::Element] });
                }
            }
            _ => return None,
        }
        Some(components)
    }

    /// What a new variable of a function stands for, which holds the value.
    pub(super) fn local(&mut self, v: Var, ctype: CType, value: Value, at: At) -> Binding {
        let variable = &self.kernel[v];
        let parts = if variable.volatile { None } else { self.parts(&ctype) };
        let Some(parts) = parts else {
            return Binding::Var(self.env.variable(&variable.name, ctype, value.whole()));
        };
        let object = self.env.object(&variable.name, ctype, &parts);
        if !matches!(value, Value::Void | Value::Undefined) {
            self.store_object(object, &self.all_of(object), value, at);
        }
        Binding::Object(object)
    }

    /// The pointer to an object.
    fn all_of(&self, object: VarId) -> Pointer {
        let pointee = self.env.ctype(object).clone();
        Pointer { base: Base::Object(object), index: lit(0), pointee }
    }

    /// An object as a place.
    pub(super) fn whole_object(&self, object: VarId) -> Place {
        Place::Cell(self.all_of(object))
    }

    /// What a pointer points to, which may point into an object.
    pub(super) fn in_object(&self, p: Pointer) -> Place {
        let (Base::Object(object), Some(offset)) = (p.base, as_lit(&p.index)) else {
            return Place::Cell(p);
        };
        let is_it = |(v, at): &(VarId, u64)| *at == offset && *self.env.ctype(*v) == p.pointee;
        match (self.env.parts(object).into_iter().find(is_it), &p.pointee) {
            (Some((v, _)), CType::Array(..)) => match &self.env[v] {
                Value::Pointer(given) => Place::Cell(given.clone()),
                // Its elements are not followed.
                _ => Place::Private(p.pointee),
            },
            (Some((v, _)), _) => Place::Var(v),
            (None, _) => Place::Cell(p),
        }
    }

    /// Gives a variable a value: what it is a part of is no plain copy any more.
    pub(super) fn set(&mut self, v: VarId, value: Value) {
        self.env[v] = value;
        if let Some((object, _)) = self.env.part_of(v) {
            self.env[object] = Value::DATA;
        }
    }

    /// The parts of an object that are those of an object of the type at this byte; `None`: it has others.
    fn same_parts(&mut self, object: VarId, offset: u64, ctype: &CType) -> Option<Vec<VarId>> {
        let wanted = self.parts(ctype)?;
        let all = self.env.parts(object);
        let first = all.iter().position(|(_, at)| *at == offset)?;
        let found = all.get(first..first + wanted.len())?;
        let same = found.iter().zip(&wanted).all(|((v, at), part)| {
            *at == offset + part.offset && *self.env.ctype(*v) == part.ctype
        });
        same.then(|| found.iter().map(|(v, _)| *v).collect())
    }

    /// The parts of which an access is one at an index that is computed, with the condition that it is this one. None,
    /// where it may be of bytes of another part: C lets a `char` be any byte, and a part that is not followed hold any type.
    fn candidates(&self, object: VarId, p: &Pointer) -> Vec<(VarId, Bool)> {
        let (own, others): (Vec<_>, Vec<_>) =
            self.env.parts(object).into_iter().partition(|(v, _)| *self.env.ctype(*v) == p.pointee);
        let holds = |ctype: &CType| match ctype {
            CType::Data(Data { record, lane, .. }) if record.is_some() || lane.is_some() => true,
            _ => p.pointee.size().is_none_or(|size| size == 1),
        };
        if others.iter().any(|(v, _)| holds(self.env.ctype(*v))) {
            return Vec::new();
        }
        let is_it = |at| compare_natural(Relation::Eq, p.index.clone(), lit(at));
        own.into_iter().map(|(v, at)| (v, is_it(at))).collect()
    }

    /// What an object holds where the pointer points to.
    pub(super) fn load_object(&mut self, object: VarId, p: &Pointer, at: At) -> Lowered<Value> {
        if let Some(offset) = as_lit(&p.index) {
            let Some(parts) = self.same_parts(object, offset, &p.pointee) else {
                return Ok(self.unknown(&p.pointee, at));
            };
            let mut values = Vec::new();
            for v in parts {
                values.push(self.load(&Place::Var(v), at)?);
            }
            let bits = match &self.env[object] {
                Value::Data(_, bits) if *self.env.ctype(object) == p.pointee => bits.clone(),
                _ => None,
            };
            return Ok(Value::Object(p.pointee.clone(), bits, values));
        }
        let mut found: Option<Value> = None;
        for (v, is_it) in self.candidates(object, p).into_iter().rev() {
            let value = self.load(&Place::Var(v), at)?;
            found = Some(match found {
                Some(other) => self.joined(&is_it, value, other, &p.pointee, at),
                None => value,
            });
        }
        Ok(found.unwrap_or_else(|| self.unknown(&p.pointee, at)))
    }

    /// Stores a value where the pointer points to in an object.
    pub(super) fn store_object(&mut self, object: VarId, p: &Pointer, value: Value, at: At) {
        let literal = as_lit(&p.index);
        let parts = literal.and_then(|offset| self.same_parts(object, offset, &p.pointee));
        if let Some(parts) = parts {
            let bits = match &value {
                Value::Data(_, bits) | Value::Object(_, bits, _) => bits.clone(),
                _ => None,
            };
            let values = self.parts_of(value, &p.pointee, at);
            for (v, value) in parts.into_iter().zip(values) {
                self.set(v, value);
            }
            if let (CType::Data(data), true) = (&p.pointee, *self.env.ctype(object) == p.pointee) {
                self.env[object] = Value::Data(data.clone(), bits);
            }
            return;
        }
        let candidates = match literal {
            Some(_) => Vec::new(),
            None => self.candidates(object, p),
        };
        if candidates.is_empty() {
            return self.forget_object(object, at);
        }
        for (v, is_it) in candidates {
            let old = self.env[v].clone();
            let new = self.joined(&is_it, value.clone(), old, &p.pointee, at);
            self.set(v, new);
        }
    }

    /// Leaves nothing known of what an object holds.
    pub(super) fn forget_object(&mut self, object: VarId, at: At) {
        for (v, _) in self.env.parts(object) {
            let unknown = match self.env.ctype(v).clone() {
                // Not even that it is as the host gave it.
                CType::Array(..) => Value::Void,
                ctype => self.unknown(&ctype, at),
            };
            self.set(v, unknown);
        }
    }

    /// What the parts hold of a value of the type, which has some.
    pub(super) fn parts_of(&mut self, value: Value, ctype: &CType, at: At) -> Vec<Value> {
        let parts = self.parts(ctype).unwrap_or_default();
        let bits = match value {
            Value::Object(_, _, values) if values.len() == parts.len() => return values,
            Value::Data(_, bits) => bits.filter(|_| ctype.size().is_some_and(|size| size <= 8)),
            _ => None,
        };
        parts.into_iter().map(|part| self.cut(bits.as_ref(), part, at)).collect()
    }

    /// What a part holds of an object that has this bit pattern, where it is known.
    fn cut(&mut self, bits: Option<&Num>, part: Part, at: At) -> Value {
        let t = match part.ctype {
            CType::Int(t) => t,
            CType::Array(..) => return Value::Void,
            _ => return self.unknown(&part.ctype, at),
        };
        let Some(bits) = bits.filter(|bits| self.usable(bits)) else {
            return self.unknown(&part.ctype, at);
        };
        let shifted = machine(MachineOp::Shr, IntType::U64, bits.clone(), lit(8 * part.offset));
        Value::Int(t, cast(IntType::U64, t, shifted, &self.ranges))
    }
}
