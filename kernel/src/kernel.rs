//! A kernel with all that it needs of its file.

use crate::expr::{Expr, ExprKind, Member};
use crate::stmt::Stmt;
use crate::types::Type;
use babycuda_core::syntax::Space;
use std::collections::BTreeSet;
use std::ops::{Index, Range};
use std::sync::Arc;

/// A language that kernels are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    /// CUDA C++.
    #[default]
    Cuda,
    /// OpenCL C.
    OpenCl,
}

/// A file that includes another one, which cannot be read alone: what stands around the `#include`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Includer {
    /// The name of the file, also for the files beside it that it includes.
    pub path: String,
    /// Its text before the `#include`.
    pub before: String,
    /// Its text behind it, with as many lines before it as the file has.
    pub after: String,
}

impl Kernel {
    /// Is something assumed of names that nobody declares?
    pub fn assumes_names(&self) -> bool {
        !self.assumed_numbers.is_empty() || !self.assumed_constants.is_empty()
    }

    /// May a name that nobody declares be assumed to be a constant of type `int`? One in capitals is mostly a macro's
    /// that the file is compiled with; those of libraries begin with their names.
    pub fn may_be_constant(name: &str) -> bool {
        let mut characters = name.chars();
        name.len() > 1
            && characters.next().is_some_and(|c| c.is_ascii_uppercase())
            && characters.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && !["CU", "CL", "MPI"].iter().any(|library| name.starts_with(library))
    }
}

impl Includer {
    /// The file `path` with this text, of which these bytes are the `#include`.
    pub fn new(path: &str, text: &str, include: Range<usize>) -> Includer {
        let part = |range: Range<usize>| text.get(range).unwrap_or_default();
        let lines = part(0..include.end).matches('\n').count();
        Includer {
            path: path.to_owned(),
            before: part(0..include.start).to_owned(),
            after: "\n".repeat(lines) + part(include.end..text.len()),
        }
    }
}

/// A kernel: its function, those that it calls, and what the file declares for them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kernel {
    /// The kernel's own function first, then the others: one for each instance of a template.
    pub functions: Vec<Function>,
    /// All variables.
    pub variables: Vec<Variable>,
    /// Structures, classes and unions.
    pub records: Vec<Record>,
    /// The integers that parametrise the kernel's template; its types stay opaque.
    pub template: Vec<Var>,
    /// Declarations of variables outside of functions, in order.
    pub globals: Vec<Stmt>,
    /// The most threads that a block of a launch has (`__launch_bounds__`).
    pub most_threads: Option<Expr>,
    /// The extents of the block of each launch (`reqd_work_group_size`).
    pub block: Option<[u32; 3]>,
    /// Types that nobody declares, which are assumed to be types of numbers ([`Type::Opaque`] here).
    pub assumed_numbers: BTreeSet<Arc<str>>,
    /// Those of [`Kernel::template`] that are none: constants that nobody declares, which are assumed to be of type
    /// `int` and to have any value.
    pub assumed_constants: Vec<Var>,
    /// Barriers that order accesses of one space only; one that is named with both orders none.
    pub narrow_barriers: Vec<(At, Space)>,
    /// Where the threads of a block meet, and it is not said whether that orders their accesses.
    pub open_barriers: Vec<At>,
    /// Copies that a block makes together: they are complete at the next of those.
    pub group_copies: Vec<At>,
    /// What is assumed, in the order in which it was stated.
    pub assumptions: Vec<Assumption>,
    /// May functions of the file make, copy and change structures and vectors otherwise than part by part, where the
    /// tree does not say so? Then they are values of which nothing is known.
    pub opaque_objects: bool,
    /// May a place be volatile?
    pub volatile: bool,
    /// May a place be volatile that no volatile variable holds: is there a pointer or a cast to such?
    pub volatile_places: bool,
    /// Where nodes stand.
    pub origins: Vec<Origin>,
}

/// The number of a variable of a [`Kernel`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

/// The number of a function of a [`Kernel`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(pub u32);

/// The number of a record of a [`Kernel`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(pub u32);

/// The number of an origin of a [`Kernel`]. Nodes at different places of the text that the compiler sees
/// have different ones, also where one use of a macro made both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct At(pub u32);

/// A function with its body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters. Those of a reference type are bound to places.
    pub parameters: Vec<Var>,
    /// The type of its value.
    pub result: Type,
    /// Its body.
    pub body: Stmt,
    /// Where it is defined.
    pub at: At,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type; of a reference, that of what it is bound to.
    pub ty: Type,
    /// Where it lives.
    pub storage: Storage,
    /// Is it declared `const` or `constexpr`?
    pub constant: bool,
    /// Is it declared `volatile`, or a pointer to such?
    pub volatile: bool,
    /// Where its name is declared.
    pub at: At,
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// In a thread, as long as its block runs: local variables and parameters.
    Local,
    /// It is a reference, another name of a place.
    Reference,
    /// In a block: `__shared__`, `__local`; of a kernel's pointer, what it points to.
    Shared,
    /// In a block, where all such begin at one address: `extern __shared__`.
    Dynamic,
    /// In the device's memory, set by the host at first.
    Device,
    /// In the device's memory, and only the host sets it: `__constant__`.
    Constant,
    /// Of the file, and of the host: a constant where it is one.
    File,
    /// It is a parameter of the kernel's template.
    Template,
}

/// A structure, class or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its name, or nothing.
    pub name: String,
    /// Its fields, those of its bases first.
    pub fields: Vec<Field>,
    /// Its size in bytes, at least 1.
    pub size: u64,
    /// What its place is a multiple of, in bytes: at least 1.
    pub align: u64,
}

/// A field of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its first byte. In a union, fields overlap.
    pub offset: u64,
}

/// What is assumed of parameters, extents and what the host stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// As it was stated.
    pub text: String,
    /// For all values of these variables, from the first to before the second.
    pub over: Vec<(Var, Expr, Expr)>,
    /// This holds.
    pub condition: Expr,
}

/// Where a node stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// Bytes of the file; where a macro was expanded, those of its use.
    pub bytes: Range<usize>,
    /// Bytes of the file in the definition of that macro, where they are known.
    pub spelled: Option<Range<usize>>,
    /// The included file and the line there, if it stands in one: then `bytes` are those of the `#include`.
    pub included: Option<(Arc<str>, u32)>,
}

impl Kernel {
    /// The kernel's own function; `None`: there is no function yet.
    pub fn entry(&self) -> Option<&Function> {
        self.functions.first()
    }

    /// The first byte of a component of an object of the type, where it is known.
    pub fn offset(&self, of: &Type, member: &Member) -> Option<u64> {
        match (of, member) {
            (Type::Vector(lane, _), Member::Lane(n)) => lane.size()?.checked_mul(u64::from(*n)),
            (Type::Record(record), Member::Field(n)) => Some(self[*record].fields.get(*n)?.offset),
            _ => None,
        }
    }

    /// The size in bytes of an object of the type, where it is known.
    pub fn size(&self, ty: &Type) -> Option<u64> {
        match ty {
            // One that is being made has none yet.
            Type::Record(record) => Some(self[*record].size).filter(|size| *size > 0),
            Type::Array(element, extent) => match extent.as_deref()?.kind {
                ExprKind::Int(extent) => extent.checked_mul(self.size(element)?),
                _ => None,
            },
            other => other.size(),
        }
    }
}

macro_rules! indexed {
    ($id:ident, $list:ident, $item:ty) => {
        impl Index<$id> for Kernel {
            type Output = $item;

            fn index(&self, id: $id) -> &$item {
                &self.$list[id.0 as usize]
            }
        }
    };
}

indexed!(Var, variables, Variable);
indexed!(FunctionId, functions, Function);
indexed!(RecordId, records, Record);
indexed!(At, origins, Origin);
