//! Expressions: each leaves one value on the stack.

use super::Compiler;
use crate::execute::code::{Number, Op};
use crate::execute::value::Shape;
use babycuda_core::deep::grow;
use babycuda_core::expr::BoolOp;
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::{
    At, Expr, ExprKind, FunctionId, Initial, Place, PlaceKind, Storage, Type, UnaryOp, constant,
    promote,
};

/// What conversions and arithmetic see of a type.
pub(super) fn number(ty: &Type) -> Option<Number> {
    match ty {
        Type::Bool => Some(Number::Bool),
        Type::Int(t) => Some(Number::Int(*t)),
        Type::Float(bytes) => Some(Number::Float(*bytes)),
        // An address is a number, too.
        Type::Pointer(_) => Some(Number::Int(IntType::U64)),
        _ => None,
    }
}

impl<'a> Compiler<'a> {
    /// Is it made of literals and of variables that nobody else sees? Then nobody sees whether it was computed.
    fn is_plain(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => true,
            ExprKind::Load(place) => match place.kind {
                PlaceKind::Variable(v) => {
                    let hidden =
                        [Storage::Local, Storage::Template, Storage::Constant, Storage::File];
                    hidden.contains(&self.kernel[v].storage)
                }
                _ => false,
            },
            ExprKind::Convert(x) => number(&expr.ty).is_some() && self.is_plain(x),
            ExprKind::Unary(UnaryOp::Negate, x) => {
                matches!(x.ty, Type::Float(_)) && self.is_plain(x)
            }
            ExprKind::Arithmetic(_, both) if matches!(expr.ty, Type::Float(_)) => {
                both.iter().all(|x| self.is_plain(x))
            }
            _ => constant(expr, &|_| None).is_some(),
        }
    }

    /// The value of an expression, on the stack.
    pub(super) fn value(&mut self, expr: &'a Expr) {
        grow(|| self.value_of(expr));
    }

    fn value_of(&mut self, expr: &'a Expr) {
        let at = expr.at;
        match &expr.kind {
            ExprKind::Int(bits) => self.emit(Op::Push(*bits), at),
            ExprKind::Float(Some(bits)) => self.emit(Op::Push(*bits), at),
            ExprKind::Float(None) => self.forget(0, &expr.ty, at),
            ExprKind::Null => self.emit(Op::Push(0), at),
            // Nobody but `printf` reads it.
            ExprKind::String => self.emit(Op::Forget(0, Shape::Scalar(8)), at),
            ExprKind::Launch(launch, dimension) => self.emit(Op::Launch(*launch, *dimension), at),
            ExprKind::WarpSize => self.emit(Op::WarpSize, at),
            ExprKind::Load(place) => {
                self.address(place);
                self.load(&place.ty, place.at);
            }
            ExprKind::Decay(place) | ExprKind::AddressOf(place) => self.address(place),
            ExprKind::Component(of, member) => {
                self.value(of);
                match (self.kernel.offset(&of.ty, member), self.shape(&expr.ty)) {
                    (Some(offset), Some(shape)) => self.emit(Op::Part(offset, shape), at),
                    _ => self.forget(1, &expr.ty, at),
                }
            }
            ExprKind::Convert(from) => self.convert(from, &expr.ty, at),
            ExprKind::Unary(op, x) => self.unary(*op, x, at),
            ExprKind::Arithmetic(op, both) => {
                self.value(&both[0]);
                self.value(&both[1]);
                self.arithmetic(*op, both, &expr.ty, at);
            }
            ExprKind::Compare(relation, both) => {
                self.value(&both[0]);
                self.value(&both[1]);
                match number(&both[0].ty) {
                    Some(Number::Bool) => self.emit(Op::Compare(*relation, IntType::U8), at),
                    Some(Number::Int(t)) => self.emit(Op::Compare(*relation, t), at),
                    Some(Number::Float(bytes)) => {
                        self.emit(Op::CompareFloat(*relation, bytes), at);
                    }
                    None => self.forget(2, &expr.ty, at),
                }
            }
            ExprKind::Logical(op, both) => self.logical(*op, both, at),
            ExprKind::Conditional(all) if all[1..].iter().all(|x| self.is_plain(x)) => {
                all.iter().for_each(|part| self.value(part));
                match self.shape(&expr.ty) {
                    Some(shape) => self.emit(Op::Choose(shape), at),
                    None => self.unsupported("a value of this type", at),
                }
            }
            ExprKind::Conditional(all) => {
                self.value(&all[0]);
                let otherwise = self.jump(Op::Unless, at);
                self.value(&all[1]);
                let end = self.jump(Op::Jump, at);
                self.land(otherwise);
                self.value(&all[2]);
                self.land(end);
            }
            ExprKind::Comma(both) => {
                self.effect(&both[0]);
                self.value(&both[1]);
            }
            ExprKind::Assign(place, value) => {
                self.value(value);
                self.address(place);
                self.store(&place.ty, place.at);
            }
            ExprKind::Update { op, place, value, computed } => {
                self.update(*op, place, value, computed, at);
            }
            ExprKind::Step { place, up, prefix } => self.step(place, *up, *prefix, at),
            ExprKind::List(parts) => self.list(parts, &expr.ty, at),
            ExprKind::Call { function, arguments, .. } => self.call(*function, arguments, at),
            ExprKind::Device(name, arguments) => self.device(name, arguments, expr),
            ExprKind::Unsupported(construct) => self.unsupported(construct, at),
        }
    }

    /// In place of so many values, one of a type of which nothing is known.
    pub(super) fn forget(&mut self, values: usize, ty: &Type, at: At) {
        match self.shape(ty) {
            Some(shape) => self.emit(Op::Forget(values, shape), at),
            None => self.unsupported("a value of this type", at),
        }
    }

    pub(super) fn load(&mut self, ty: &Type, at: At) {
        match self.shape(ty) {
            Some(shape) => self.emit(Op::Load(shape), at),
            None => self.unsupported("an array as a value", at),
        }
    }

    pub(super) fn store(&mut self, ty: &Type, at: At) {
        match self.shape(ty) {
            Some(shape) => self.emit(Op::Store(shape), at),
            None => self.unsupported("assignment to an array", at),
        }
    }

    fn convert(&mut self, from: &'a Expr, to: &Type, at: At) {
        if *to == Type::Void {
            self.effect(from);
            return self.emit(Op::Push(0), at);
        }
        self.value(from);
        self.conversion(&from.ty, to, at);
    }

    /// Converts the last value.
    pub(super) fn conversion(&mut self, from: &Type, to: &Type, at: At) {
        match (number(from), number(to)) {
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) => self.emit(Op::Convert(x, y), at),
            _ if from == to => {}
            _ if matches!((from, to), (Type::Group(_), Type::Group(_))) => {}
            _ => self.forget(1, to, at),
        }
    }

    fn unary(&mut self, op: UnaryOp, x: &'a Expr, at: At) {
        self.value(x);
        match (op, number(&x.ty)) {
            (UnaryOp::Not, Some(Number::Float(_)) | None) => self.forget(1, &Type::Bool, at),
            (UnaryOp::Not, Some(_)) => self.emit(Op::Not, at),
            (UnaryOp::Negate, Some(Number::Int(t))) => self.emit(Op::Negate(t), at),
            (UnaryOp::Negate, Some(Number::Float(bytes))) => self.emit(Op::NegateFloat(bytes), at),
            (UnaryOp::Complement, Some(Number::Int(t))) => self.emit(Op::Complement(t), at),
            _ => self.forget(1, &x.ty, at),
        }
    }

    /// Of two operands on the stack, `l op r`.
    fn arithmetic(&mut self, op: MachineOp, both: &'a [Expr; 2], ty: &Type, at: At) {
        let [l, r] = both;
        match (&l.ty, &r.ty) {
            (Type::Pointer(element), Type::Pointer(_)) if op == MachineOp::Sub => {
                match self.size(element).filter(|size| *size > 0) {
                    Some(size) => self.emit(Op::Distance(size), at),
                    None => self.unsupported("elements of a size that is not known", at),
                }
            }
            (Type::Pointer(_), _) if matches!(op, MachineOp::Add | MachineOp::Sub) => {
                self.elements(l, r, op == MachineOp::Sub, at);
            }
            (_, Type::Pointer(_)) if op == MachineOp::Add => {
                self.emit(Op::Swap, at);
                self.elements(r, l, false, at);
            }
            _ => self.computed(op, ty, &r.ty, at),
        }
    }

    /// Of two numbers on the stack, of which the second may be a count of another type, `l op r`.
    fn computed(&mut self, op: MachineOp, ty: &Type, right: &Type, at: At) {
        let shift = matches!(op, MachineOp::Shl | MachineOp::Shr);
        match (ty, right.integer()) {
            (Type::Int(t), Some(count)) if shift => self.emit(Op::Shift(op, *t, count), at),
            (Type::Int(t), _) if !shift => self.emit(Op::Integer(op, *t), at),
            (Type::Float(bytes), _) if !shift => self.emit(Op::Float(op, *bytes), at),
            _ => self.forget(2, ty, at),
        }
    }

    fn logical(&mut self, op: BoolOp, both: &'a [Expr; 2], at: At) {
        self.value(&both[0]);
        self.emit(Op::Dup, at);
        if op == BoolOp::Or {
            self.emit(Op::Not, at);
        }
        let end = self.jump(Op::Unless, at);
        self.emit(Op::Pop, at);
        self.value(&both[1]);
        self.land(end);
    }

    fn update(
        &mut self,
        op: MachineOp,
        place: &'a Place,
        value: &'a Expr,
        computed: &Type,
        at: At,
    ) {
        self.value(value);
        self.address(place);
        self.emit(Op::Dup, at);
        self.load(&place.ty, place.at);
        // The value, the address, and what is there.
        if let (Type::Pointer(element), Some(t)) = (&place.ty, value.ty.integer()) {
            self.emit(Op::Pick(2), at);
            match self.size(element) {
                Some(size) if matches!(op, MachineOp::Add | MachineOp::Sub) => {
                    self.emit(Op::Elements(size, t, op == MachineOp::Sub), at);
                }
                _ => self.unsupported("arithmetic on a pointer", at),
            }
        } else {
            self.conversion(&place.ty, computed, at);
            self.emit(Op::Pick(2), at);
            self.computed(op, computed, &value.ty, at);
            self.conversion(computed, &place.ty, at);
        }
        self.emit(Op::Swap, at);
        self.store(&place.ty, place.at);
        self.emit(Op::Nip, at);
    }

    fn step(&mut self, place: &'a Place, up: bool, prefix: bool, at: At) {
        self.address(place);
        self.emit(Op::Dup, at);
        self.load(&place.ty, place.at);
        if !prefix {
            self.emit(Op::Dup, at);
        }
        let op = if up { MachineOp::Add } else { MachineOp::Sub };
        match &place.ty {
            Type::Int(t) => {
                let wide = Type::Int(promote(*t));
                self.conversion(&place.ty, &wide, at);
                self.emit(Op::Push(1), at);
                self.emit(Op::Integer(op, promote(*t)), at);
                self.conversion(&wide, &place.ty, at);
            }
            Type::Float(bytes @ (4 | 8)) => {
                let one = if *bytes == 4 { u64::from(1f32.to_bits()) } else { 1f64.to_bits() };
                self.emit(Op::Push(one), at);
                self.emit(Op::Float(op, *bytes), at);
            }
            Type::Pointer(element) => match self.size(element) {
                Some(size) => {
                    self.emit(Op::Push(1), at);
                    self.emit(Op::Elements(size, IntType::I32, !up), at);
                }
                None => self.unsupported("elements of a size that is not known", at),
            },
            other => self.forget(1, other, at),
        }
        if prefix {
            self.emit(Op::Swap, at);
            self.store(&place.ty, place.at);
        } else {
            self.emit(Op::Pick(2), at);
            self.store(&place.ty, place.at);
            self.emit(Op::Pop, at);
            self.emit(Op::Nip, at);
        }
    }

    fn list(&mut self, parts: &'a [Expr], ty: &Type, at: At) {
        let Some(size) = self.size(ty) else { return self.unsupported("a list of this type", at) };
        let mut places = Vec::new();
        match ty {
            Type::Vector(lane, _) => {
                let mut next = 0;
                for part in parts {
                    self.value(part);
                    match (&part.ty, self.shape(&part.ty)) {
                        (Type::Vector(..), Some(shape)) => {
                            places.push((next, shape));
                            next += shape.size();
                        }
                        _ => {
                            self.conversion(&part.ty, lane, at);
                            let size = self.size(lane).unwrap_or(0);
                            places.push((next, Shape::Scalar(size)));
                            next += size;
                        }
                    }
                }
                // OpenCL says that one number is all lanes, C++ that it is the first; of a `dim3` the others are 1.
                if next != size {
                    return self.forget(parts.len(), ty, at);
                }
            }
            Type::Record(record) => {
                let fields = &self.kernel[*record].fields;
                let union = fields.len() > 1 && fields.iter().all(|field| field.offset == 0);
                let fits = parts.len() <= if union { 1 } else { fields.len() };
                for part in parts {
                    self.value(part);
                }
                for (part, field) in parts.iter().zip(fields) {
                    if let Some(shape) = self.shape(&field.ty).filter(|_| part.ty == field.ty) {
                        places.push((field.offset, shape));
                    }
                }
                // What a class says that an object in it holds at first is not known here.
                let object =
                    |ty: &Type| matches!(ty.innermost(), Type::Vector(..) | Type::Record(_));
                let rest = fields.iter().skip(parts.len()).any(|field| object(&field.ty));
                if !fits || places.len() != parts.len() || (rest && !union) {
                    return self.forget(parts.len(), ty, at);
                }
            }
            _ => match (parts, self.shape(ty)) {
                ([], Some(Shape::Bytes(_) | Shape::Void) | None) => {}
                ([], Some(_)) => return self.emit(Op::Push(0), at),
                ([one], Some(_)) => {
                    self.value(one);
                    return self.conversion(&one.ty, ty, at);
                }
                _ => return self.unsupported("a list of this type", at),
            },
        }
        match self.shape(ty) {
            Some(Shape::Bytes(size)) => self.emit(Op::Pack(places, size), at),
            _ => self.unsupported("a list of this type", at),
        }
    }

    fn call(&mut self, function: FunctionId, arguments: &'a [Initial], at: At) {
        for argument in arguments {
            match argument {
                Initial::Value(value) => self.value(value),
                Initial::Place(place) => self.address(place),
            }
        }
        self.emit(Op::Call(function.0 as usize), at);
    }
}
