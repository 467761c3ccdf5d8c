//! Values of objects whose parts are followed ([`objects`](super::objects)): made of parts, taken apart, computed part by
//! part.

use super::operators::Operator;
use super::{At, Lower, Lowered, refuse};
use crate::ctype::{CType, Data};
use crate::value::{Place, Pointer, Value};
use babycuda_core::{Bool, Num};
use babycuda_kernel::{Expr, Language};

/// An object of more parts is read as a whole.
const MAX_READ: usize = 8;

impl<'t> Lower<'t> {
    /// The object that a list of values makes.
    pub(super) fn list(&mut self, ctype: CType, list: &'t [Expr], at: At) -> Lowered<Value> {
        let parts = self.parts(&ctype);
        let mut values = Vec::new();
        for item in list {
            let value = self.eval(item)?;
            if parts.is_none() && matches!(value, Value::Pointer(_)) {
                return refuse(item.at, "pointer kept in an object");
            }
            values.push((value, item.at));
        }
        self.composed(ctype, values, at)
    }

    /// The object that is made of these values.
    pub(super) fn composed(
        &mut self,
        ctype: CType,
        values: Vec<(Value, At)>,
        at: At,
    ) -> Lowered<Value> {
        let Some(parts) = self.parts(&ctype) else {
            return Ok(match ctype {
                CType::Data(data) => Value::Data(data, None),
                _ => Value::DATA,
            });
        };
        let mut given = Vec::new();
        for (value, at) in values {
            match value {
                Value::Object(_, _, values) => given.extend(values.into_iter().map(|v| (v, at))),
                Value::Data(data, bits) => {
                    let ctype = CType::Data(data.clone());
                    match self.parts(&ctype) {
                        None => given.push((Value::Data(data, bits), at)),
                        Some(_) => {
                            let values = self.parts_of(Value::Data(data, bits), &ctype, at);
                            given.extend(values.into_iter().map(|v| (v, at)));
                        }
                    }
                }
                value => given.push((value, at)),
            }
        }
        let whole = given.len() == parts.len();
        let mut held = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            held.push(match (given.get(number).filter(|_| whole), &part.ctype) {
                (_, CType::Array(..)) => Value::Void,
                (Some((value, at)), ctype) => self.convert(value.clone(), ctype, *at)?,
                (None, ctype) => self.unknown(ctype, at),
            });
        }
        Ok(Value::Object(ctype, None, held))
    }

    /// What a pointer points to of an array, part by part; `None`: it has no parts, so many that it is better read
    /// as a whole, or its pattern tells what they hold.
    pub(super) fn load_composed(&mut self, p: &Pointer, at: At) -> Lowered<Option<Value>> {
        let size = p.pointee.size();
        let one = size.is_some_and(|size| size <= 8 && self.cell(p.base).is_none_or(|c| c >= size));
        let Some(parts) = self.parts(&p.pointee).filter(|parts| !one && parts.len() <= MAX_READ)
        else {
            return Ok(None);
        };
        // Bytes are copied, and no numbers.
        let bytes = parts.iter().all(|part| part.ctype.size() == Some(1));
        if bytes
            || !parts
                .iter()
                .all(|part| matches!(part.ctype, CType::Int(_) | CType::Bool | CType::Data(_)))
        {
            return Ok(None);
        }
        let mut values = Vec::new();
        for part in parts {
            let Some(place) = self.part(p, part.offset, part.ctype) else { return Ok(None) };
            values.push(self.load(&Place::Cell(place), at)?);
        }
        Ok(Some(Value::Object(p.pointee.clone(), None, values)))
    }

    /// The part of an object that has this type and begins at this byte.
    pub(super) fn part_of_value(
        &mut self,
        object: Value,
        offset: Option<u64>,
        ctype: &CType,
        at: At,
    ) -> Value {
        if let Value::Object(of, _, values) = object
            && let Some(first) = offset
            && let Some(parts) = self.parts(&of)
            && let Some(number) = parts.iter().position(|part| part.offset == first)
        {
            if parts[number].ctype == *ctype {
                return values.into_iter().nth(number).unwrap_or(Value::DATA);
            }
            let wanted = self.parts(ctype).unwrap_or_default();
            let found = parts.iter().skip(number).zip(&wanted);
            let same = found.clone().count() == wanted.len()
                && found.clone().all(|(part, wanted)| {
                    (part.offset, &part.ctype) == (first + wanted.offset, &wanted.ctype)
                });
            if same && !wanted.is_empty() {
                let values = values.into_iter().skip(number).take(wanted.len()).collect();
                return Value::Object(ctype.clone(), None, values);
            }
        }
        self.unknown(ctype, at)
    }

    /// An operator of OpenCL C on vectors of integers, or on one and a number: component by component; `None`: it is
    /// something else.
    pub(super) fn by_parts(
        &mut self,
        op: Operator,
        left: &Value,
        right: &Value,
        at: At,
    ) -> Lowered<Option<Value>> {
        // What CUDA's programs mean by an operator on vectors is theirs to say.
        if self.options.language != Language::OpenCl {
            return Ok(None);
        }
        let vector = |value: &Value| match value {
            Value::Object(CType::Data(Data { lane: Some(_), .. }), _, parts) => Some(parts.len()),
            _ => None,
        };
        let (count, of) = match (vector(left), vector(right), left, right) {
            (Some(l), Some(r), Value::Object(of, ..), _) if l == r => (l, of),
            (Some(l), None, Value::Object(of, ..), Value::Int(..) | Value::Bool(_)) => (l, of),
            (None, Some(r), Value::Int(..) | Value::Bool(_), Value::Object(of, ..)) => (r, of),
            _ => return Ok(None),
        };
        let (CType::Data(Data { lane: Some((lane, _)), .. }), Operator::Compute(_)) = (of, op)
        else {
            return Ok(None);
        };
        let part = |value: &Value, number: usize| match value {
            Value::Object(_, _, parts) => parts[number].clone(),
            other => other.clone(),
        };
        let mut parts = Vec::new();
        for number in 0..count {
            let value = self.binary(op, part(left, number), part(right, number), at)?;
            parts.push(self.convert(value, lane, at)?);
        }
        Ok(Some(Value::Object(of.clone(), None, parts)))
    }

    /// One of two objects of a type: their patterns, and what their parts hold.
    pub(super) fn joined_objects(
        &mut self,
        condition: &Bool,
        of: CType,
        (x, xs): (Option<Num>, Vec<Value>),
        (y, ys): (Option<Num>, Vec<Value>),
        at: At,
    ) -> Value {
        let whole = self.joined(
            condition,
            Value::Data(Data::UNKNOWN, x),
            Value::Data(Data::UNKNOWN, y),
            &of,
            at,
        );
        let bits = match whole {
            Value::Data(_, bits) => bits,
            _ => None,
        };
        let parts = self.parts(&of).unwrap_or_default();
        let both = parts.into_iter().zip(xs.into_iter().zip(ys));
        let joined = both.map(|(part, (x, y))| match x == y && self.usable_value(&x) {
            true => x,
            false => self.joined(condition, x, y, &part.ctype, at),
        });
        let joined = joined.collect();
        Value::Object(of, bits, joined)
    }
}
