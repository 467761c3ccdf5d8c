//! What expressions yield, and what evaluating them accesses (LGAGJL12 §4.1, “explicit flow”).

use super::taint::{Flow, Taint};
use super::walk::{Object, Value, Walk};
use babycuda_kernel::{At, Expr, ExprKind, Place, PlaceKind, Storage, Type};
use std::collections::BTreeSet;

impl<'a> Walk<'a> {
    /// The value of an expression.
    pub fn value(&mut self, expr: &'a Expr) -> Value {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Null
            | ExprKind::String
            | ExprKind::Launch(..)
            | ExprKind::WarpSize => Value::default(),
            ExprKind::Load(place) => {
                let (objects, address) = self.place(place);
                self.load(expr.at, &objects, address)
            }
            ExprKind::Decay(place) | ExprKind::AddressOf(place) => {
                let (points, taint) = self.place(place);
                Value { taint, points }
            }
            ExprKind::Component(value, _) | ExprKind::Unary(_, value) => self.value(value),
            ExprKind::Convert(value) if expr.ty == Type::Void => self.dropped(value),
            ExprKind::Convert(value) => self.value(value),
            ExprKind::Arithmetic(_, both) | ExprKind::Compare(_, both) => self.both(both),
            ExprKind::Logical(_, both) => {
                let [l, r] = both.as_ref();
                let left = self.value(l);
                let taint = self.decides(expr.at, &left);
                let right = self.guarded(taint, |walk| walk.value(r));
                left.join(right)
            }
            ExprKind::Conditional(all) => {
                let [condition, yes, no] = all.as_ref();
                let condition = self.value(condition);
                let taint = self.decides(expr.at, &condition);
                let [yes, no] =
                    self.guarded(taint, |walk| [yes, no].map(|operand| walk.value(operand)));
                let value = yes.join(no);
                Value { taint: value.taint.or(taint), ..value }
            }
            ExprKind::Comma(both) => {
                let [first, second] = both.as_ref();
                self.dropped(first);
                self.value(second)
            }
            ExprKind::Assign(place, value) => {
                let value = self.value(value);
                let (objects, address) = self.place(place);
                self.store(expr.at, &objects, address, &value);
                value
            }
            ExprKind::Update { place, value, .. } => {
                let value = self.value(value);
                let (objects, address) = self.place(place);
                let result = self.load(expr.at, &objects, address).join(value);
                self.store(expr.at, &objects, address, &result);
                result
            }
            ExprKind::Step { place, .. } => {
                let (objects, address) = self.place(place);
                let value = self.load(expr.at, &objects, address);
                self.store(expr.at, &objects, address, &value);
                value
            }
            ExprKind::List(values) => self.values(values),
            ExprKind::Call { function, arguments, .. } => self.call(expr.at, *function, arguments),
            ExprKind::Device(name, operands) => self.device(expr.at, name, operands),
            ExprKind::Unsupported(construct) => {
                self.unknown(expr.at, construct);
                self.nothing_known(expr.at, construct)
            }
        }
    }

    fn both(&mut self, both: &'a [Expr; 2]) -> Value {
        let [left, right] = both.each_ref().map(|operand| self.value(operand));
        left.join(right)
    }

    /// The join of the values of all.
    pub fn values(&mut self, all: &'a [Expr]) -> Value {
        let mut joined = Value::default();
        for value in all {
            let value = self.value(value);
            joined = joined.join(value);
        }
        joined
    }

    /// An expression whose value nobody wants. A load that may or may not happen is one of the analysis.
    fn dropped(&mut self, expr: &'a Expr) -> Value {
        self.value(expr);
        Value::default()
    }

    /// A value of which nothing is known but that it was computed here.
    pub fn nothing_known(&mut self, at: At, what: &str) -> Value {
        let taint = self.taints.step(self.context, at, Flow::Unknown(what.to_owned()), None);
        Value { taint: Some(taint), points: BTreeSet::from([Object::Any]) }
    }

    /// What one of these objects holds, at an address of this taint.
    pub fn load(&mut self, at: At, from: &BTreeSet<Object>, address: Option<Taint>) -> Value {
        self.access(at, from, address);
        let mut value = Value { taint: address, points: BTreeSet::new() };
        for object in from {
            value = value.join(self.held(*object));
            if *object == Object::Any {
                value = value.join(self.nothing_known(at, "memory"));
            }
        }
        value
    }

    /// One of these objects is written, at an address of this taint.
    pub fn store(&mut self, at: At, to: &BTreeSet<Object>, address: Option<Taint>, value: &Value) {
        self.access(at, to, address);
        let value = Value { taint: value.taint.or(address), points: value.points.clone() };
        if to.contains(&Object::Any) {
            // It may be any memory that there is: of the analysis nothing is left.
            self.unknown(at, "a store through a pointer of unknown origin");
        }
        self.assign(at, to, &value);
    }

    /// The objects that a pointer points to. One that comes from nowhere points anywhere.
    pub fn pointees(&mut self, value: &Value) -> BTreeSet<Object> {
        match value.points.is_empty() {
            true => BTreeSet::from([Object::Any]),
            false => value.points.clone(),
        }
    }

    /// The objects that a place may be in, and the taint of its address.
    pub fn place(&mut self, place: &'a Place) -> (BTreeSet<Object>, Option<Taint>) {
        match &place.kind {
            PlaceKind::Variable(v) => {
                let object = self.object(*v);
                if self.kernel[*v].storage != Storage::Reference {
                    return (BTreeSet::from([object]), None);
                }
                let bound = self.held(object);
                (self.pointees(&bound), bound.taint)
            }
            PlaceKind::Deref(pointer) => {
                let pointer = self.value(pointer);
                (self.pointees(&pointer), pointer.taint)
            }
            PlaceKind::Index(both) => {
                let [pointer, index] = both.each_ref().map(|operand| self.value(operand));
                (self.pointees(&pointer), pointer.taint.or(index.taint))
            }
            PlaceKind::Member(of, _) => self.place(of),
            PlaceKind::Unsupported(construct) => {
                self.unknown(place.at, construct);
                let value = self.nothing_known(place.at, construct);
                (value.points, value.taint)
            }
        }
    }
}
