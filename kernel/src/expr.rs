//! Expressions and places.

use crate::kernel::{At, FunctionId, Var};
use crate::types::{Group, Type};
use babycuda_core::expr::{BoolOp, Relation};
use babycuda_core::{IntType, MachineOp, Name};

/// A value, and what computing it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Type,
    /// Where it stands.
    pub at: At,
}

/// What an expression is. Operands are evaluated from left to right, but for `=`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// An integer or truth value, by its bit pattern.
    Int(u64),
    /// A floating value, by its bit pattern where that is known.
    Float(Option<u64>),
    /// The null pointer.
    Null,
    /// A string.
    String,
    /// `threadIdx.y` and the like, an `unsigned int`: of which, and in which dimension, from 0.
    Launch(Launch, usize),
    /// `warpSize`
    WarpSize,
    /// The value that a place holds; the place is no array.
    Load(Box<Place>),
    /// The pointer to the first element of a place that is an array.
    Decay(Box<Place>),
    /// `&place`
    AddressOf(Box<Place>),
    /// A component of a value that is nowhere: `make_float4(…).x`.
    Component(Box<Expr>, Member),
    /// The value converted to the expression's type, as an assignment or a cast does it. To `void`, the
    /// value is dropped: a place is not read then.
    Convert(Box<Expr>),
    /// `-x`, `~x`, `!x`
    Unary(UnaryOp, Box<Expr>),
    /// `l op r`: on numbers of one type; a pointer with an integer; two pointers. The count of a shift may
    /// be of another type.
    Arithmetic(MachineOp, Box<[Expr; 2]>),
    /// `l relation r`, a truth value; operands as for `Arithmetic`.
    Compare(Relation, Box<[Expr; 2]>),
    /// `l && r`, `l || r`: the right operand is evaluated only where it matters.
    Logical(BoolOp, Box<[Expr; 2]>),
    /// `c ? x : y`, of one type.
    Conditional(Box<[Expr; 3]>),
    /// `l, r`: the value of the first is dropped.
    Comma(Box<[Expr; 2]>),
    /// `place = value`, of the place's type: the value is evaluated first.
    Assign(Box<Place>, Box<Expr>),
    /// `place op= value`: what the place holds is converted to `computed`, and the result back.
    Update {
        /// The operator.
        op: MachineOp,
        /// What is changed; evaluated after the value.
        place: Box<Place>,
        /// The right operand.
        value: Box<Expr>,
        /// The type at which it is computed.
        computed: Type,
    },
    /// `place++` and the like: up or down, and is the value that from before?
    Step {
        /// What is changed.
        place: Box<Place>,
        /// `++`?
        up: bool,
        /// Is it the new value?
        prefix: bool,
    },
    /// An object from its parts: `{…}`, and `float4(…)` of OpenCL.
    List(Vec<Expr>),
    /// A call of a function of the file.
    Call {
        /// Which.
        function: FunctionId,
        /// For each of its parameters.
        arguments: Vec<Initial>,
        /// What is assumed for this function to be the one that is meant.
        assumed: Option<String>,
    },
    /// A call of a function that the device provides (module [`device`](crate::device)).
    Device(Name, Vec<Expr>),
    /// A construct that was not understood, by its name. It may do anything.
    Unsupported(String),
}

/// What the launch says to a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launch {
    /// `threadIdx`
    ThreadIdx,
    /// `blockIdx`
    BlockIdx,
    /// `blockDim`
    BlockDim,
    /// `gridDim`
    GridDim,
}

impl Launch {
    /// The variable that CUDA names so.
    pub fn named(name: &str) -> Option<Launch> {
        let all = [Launch::ThreadIdx, Launch::BlockIdx, Launch::BlockDim, Launch::GridDim];
        all.into_iter().find(|launch| launch.name() == name)
    }

    /// The variable whose value a method of groups of a class yields.
    pub fn of_group(class: &Group, method: &str) -> Option<Launch> {
        match (class, method) {
            (Group::Block, "thread_index") => Some(Launch::ThreadIdx),
            (Group::Block, "group_index") | (Group::Grid, "block_index") => Some(Launch::BlockIdx),
            (Group::Block, "group_dim" | "dim_threads") => Some(Launch::BlockDim),
            (Group::Grid, "group_dim" | "dim_blocks") => Some(Launch::GridDim),
            _ => None,
        }
    }

    /// CUDA's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Launch::ThreadIdx => "threadIdx",
            Launch::BlockIdx => "blockIdx",
            Launch::BlockDim => "blockDim",
            Launch::GridDim => "gridDim",
        }
    }
}

/// An operator with one operand, which has the type of the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `~`
    Complement,
    /// `!`
    Not,
}

/// Where a value can be kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// The type of what it holds.
    pub ty: Type,
    /// Where it stands.
    pub at: At,
}

/// What a place is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceKind {
    /// A variable, or what a reference is bound to.
    Variable(Var),
    /// `*pointer`
    Deref(Box<Expr>),
    /// `pointer[index]`
    Index(Box<[Expr; 2]>),
    /// `place.member`; `pointer->member` is one of `*pointer`.
    Member(Box<Place>, Member),
    /// A construct that was not understood, by its name.
    Unsupported(String),
}

/// What a component is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Member {
    /// A component of a vector, from 0.
    Lane(u32),
    /// A field of a record, from 0.
    Field(usize),
    /// One of a type of which nothing is known.
    Named(String),
}

/// What a variable, a reference or a parameter is at first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initial {
    /// A value of its type.
    Value(Expr),
    /// The place that a reference is bound to.
    Place(Place),
}

impl Expr {
    /// The literal `value` of an integer type or of `bool`, by its bit pattern.
    pub fn int(ty: Type, value: u64, at: At) -> Expr {
        Expr { kind: ExprKind::Int(value), ty, at }
    }

    /// Is it the null pointer, of whatever type?
    pub fn is_null(&self) -> bool {
        match &self.kind {
            ExprKind::Convert(inner) => inner.kind == ExprKind::Null,
            kind => *kind == ExprKind::Null,
        }
    }

    /// A construct that was not understood.
    pub fn unsupported(construct: impl Into<String>, at: At) -> Expr {
        Expr { kind: ExprKind::Unsupported(construct.into()), ty: Type::Void, at }
    }

    /// The value converted to a type; itself where it has that.
    #[must_use]
    pub fn converted(self, to: &Type, at: At) -> Expr {
        if self.ty == *to || matches!(self.kind, ExprKind::Unsupported(_)) {
            return self;
        }
        Expr { kind: ExprKind::Convert(Box::new(self)), ty: to.clone(), at }
    }
}

/// The most bytes that [`Expr::bytes`] makes one assignment of.
const MOST_BYTES: u64 = 256;

impl Expr {
    /// A call of `memcpy`, `memmove` or `memset`: with a small known number of bytes the assignment of a vector of
    /// them, and else a call of what the device provides; `None`: it is no such call.
    pub fn bytes(name: &str, arguments: &[Expr], at: At) -> Option<Expr> {
        let [to, from, count] = arguments else { return None };
        let known = crate::constant(count, &|_| None);
        let Some(known) = known.filter(|n| (1..=MOST_BYTES).contains(n)) else {
            return Expr::long_bytes(name, arguments, at);
        };
        let byte = Type::Int(IntType::U8);
        let ty = Type::Vector(Box::new(byte.clone()), u32::try_from(known).ok()?);
        let place = |pointer: &Expr| {
            let Type::Pointer(_) = pointer.ty else { return None };
            let pointer = pointer.clone().converted(&ty.clone().pointer(), at);
            Some(Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: ty.clone(), at })
        };
        let value = match name {
            "memcpy" | "memmove" => place(from)?.value(),
            "memset" => {
                let lanes = vec![from.clone().converted(&byte, at); usize::try_from(known).ok()?];
                Expr { kind: ExprKind::List(lanes), ty: ty.clone(), at }
            }
            _ => return None,
        };
        let kind = ExprKind::Assign(Box::new(place(to)?), Box::new(value));
        Some(Expr { kind, ty, at })
    }

    /// A copy of so many bytes, by one call of what the device provides; `None`: it is none of memory.
    pub fn copied(to: &Expr, from: &Expr, count: &Expr, at: At) -> Option<Expr> {
        Expr::long_bytes("memcpy", &[to.clone(), from.clone(), count.clone()], at)
    }

    /// The same with any number of bytes.
    fn long_bytes(name: &str, arguments: &[Expr], at: At) -> Option<Expr> {
        let [to, from, count] = arguments else { return None };
        let points = |value: &Expr| matches!(value.ty, Type::Pointer(_));
        let (name, from) = match name {
            "memcpy" | "memmove" if points(from) => ("bytes::copy", from.clone()),
            "memset" => {
                let byte = Type::Int(IntType::U8);
                ("bytes::fill", from.clone().converted(&byte, at))
            }
            _ => return None,
        };
        count.ty.integer().filter(|_| points(to))?;
        let count = count.clone().converted(&Type::Int(IntType::U64), at);
        let kind = ExprKind::Device(Name::new(name), vec![to.clone(), from, count]);
        Some(Expr { kind, ty: Type::Void, at })
    }
}

impl Place {
    /// A variable as a place.
    pub fn variable(v: Var, ty: Type, at: At) -> Place {
        Place { kind: PlaceKind::Variable(v), ty, at }
    }

    /// What the place holds, as an expression; of an array, the pointer to its first element.
    pub fn value(self) -> Expr {
        let at = self.at;
        match self.ty.clone() {
            Type::Array(element, _) => {
                Expr { kind: ExprKind::Decay(Box::new(self)), ty: Type::Pointer(element), at }
            }
            ty => match self.kind {
                PlaceKind::Unsupported(construct) => Expr::unsupported(construct, at),
                _ => Expr { kind: ExprKind::Load(Box::new(self)), ty, at },
            },
        }
    }
}
