//! What C expressions evaluate to while a kernel is translated.

use crate::ctype::{CType, Data};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Bool, IntType, Num};

/// A local variable of the kernel or of an inlined function, by number.
pub(crate) type VarId = usize;
/// An array of the program, by number.
pub(crate) type ArrayId = usize;

/// The value of an expression.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    /// An integer: the pattern, at a type.
    Int(IntType, Num),
    /// A truth value.
    Bool(Bool),
    /// A value that the calculus does not compute with; its bit pattern when it is a plain copy.
    Data(Data, Option<Num>),
    /// An object of which the parts are followed ([`objects`](crate::lower)): its type, its bit pattern when it is a
    /// plain copy, and what its parts hold.
    Object(CType, Option<Num>, Vec<Value>),
    /// A pointer.
    Pointer(Pointer),
    /// A cooperative group.
    Group(Group),
    /// No value.
    Void,
    /// A variable that has not been given a value.
    Undefined,
    /// A value that cannot be expressed, and the name of the construct to refuse on use.
    Poison(&'static str),
}

impl Value {
    /// A value of which nothing is known.
    pub(crate) const DATA: Value = Value::Data(Data::UNKNOWN, None);

    /// A null pointer: it can be stored and compared, and nothing is accessed by it.
    pub(crate) const NULL: Value = Value::Poison("null pointer");

    /// The value without what is known of its parts.
    pub(crate) fn whole(self) -> Value {
        match self {
            Value::Object(CType::Data(data), bits, _) => Value::Data(data, bits),
            Value::Object(..) => Value::DATA,
            other => other,
        }
    }

    /// The `int` literal `value`.
    pub(crate) fn int(value: i32) -> Value {
        Value::Int(IntType::I32, Num::lit(value as u32))
    }
}

/// A cooperative group: the threads that a barrier of its scope holds together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    pub(crate) scope: BarrierScope,
    /// Of a tile of a tile: how many threads that one has.
    pub(crate) of: Option<u32>,
    /// Is it held as a `thread_group`?
    pub(crate) any: bool,
}

/// A pointer with a base that is known, or chosen by a condition that is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Pointer {
    /// What it points into.
    pub(crate) base: Base,
    /// The number of its first cell, as a 64-bit pattern.
    pub(crate) index: Num,
    /// The type it points to.
    pub(crate) pointee: CType,
}

/// What a pointer points into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    /// An array that other threads see.
    Array(ArrayId),
    /// A local variable.
    Local(VarId),
    /// A local object whose parts are followed, by its variable. The pointer's index counts bytes.
    Object(VarId),
    /// A local array, whose contents are not followed.
    Private,
    /// One of several arrays: the choice of this number.
    Either(usize),
}

/// A place that can be assigned to.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Place {
    /// A local variable.
    Var(VarId),
    /// A cell of an array that other threads see, or what a pointer into a local object points to.
    Cell(Pointer),
    /// An element of a local array, of this type.
    Private(CType),
    /// A component, of this type, of a variable, or of a cell that is accessed as a whole.
    Component(Box<Place>, CType),
}

impl Place {
    /// The local variable or object that it is in.
    pub(crate) fn variable(&self) -> Option<VarId> {
        match self {
            Place::Var(v) => Some(*v),
            Place::Private(_) => None,
            Place::Cell(p) => match p.base {
                Base::Local(v) | Base::Object(v) => Some(v),
                Base::Array(_) | Base::Private | Base::Either(_) => None,
            },
            Place::Component(whole, _) => whole.variable(),
        }
    }

    /// May other threads see it?
    pub(crate) fn is_visible(&self) -> bool {
        match self {
            Place::Var(_) | Place::Private(_) => false,
            Place::Cell(p) => matches!(p.base, Base::Array(_) | Base::Either(_)),
            Place::Component(whole, _) => whole.is_visible(),
        }
    }
}

/// What a variable of the kernel stands for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Binding {
    /// A local variable.
    Var(VarId),
    /// A local object whose parts are followed, by its variable.
    Object(VarId),
    /// An array that other threads see, with its type.
    Array(ArrayId, CType),
    /// A shared or device scalar: the one cell of an array.
    Cell(ArrayId, CType),
    /// A C++ reference to a place.
    Reference(Place),
    /// A constant or a kernel parameter: a value that never changes.
    Constant(Value),
}
