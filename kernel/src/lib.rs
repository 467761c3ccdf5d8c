//! Kernels as typed trees: what a parser of CUDA C or OpenCL C makes of a file, and what techniques
//! translate.
//!
//! It is C without its sugar, and no copy of C++:
//!
//! - Names are resolved: a variable is a number ([`Var`]), a function another, one for each instance
//!   of a template. Methods and lambdas are functions, `this` and what is captured are parameters.
//! - Every expression has its type, and both operands of an operator the type at which it computes:
//!   [`ExprKind::Convert`] says each conversion, also those that C leaves out. Two things stay as they are
//!   written: what is added to a pointer, and what a shift shifts by, which is promoted only.
//! - A place is something else than the value that it holds ([`Place`], [`ExprKind::Load`]).
//! - What the device provides is called by its name ([`ExprKind::Device`], [`device`]): barriers, atomics,
//!   groups, mathematics. A group's method is a function of the group.
//! - A construct that a parser does not know is a node that says so (`Unsupported`). So a kernel
//!   with one still has a tree, and what the rest does can be told.
//! - [`Origin`] says where a node stands, and where in a macro.
//!
//! [`Node::subterms`] walks through a tree, [`Graph`] is its control flow, and a [`Kernel`] prints as C.
//! [`Kernel::check`] says whether a tree that was made elsewhere is one.
//!
//! ```
//! use babycuda_core::IntType;
//! use babycuda_kernel::{At, Expr, ExprKind, Type};
//!
//! let seven = Expr { kind: ExprKind::Int(7), ty: Type::Int(IntType::I32), at: At(0) };
//! assert_eq!(babycuda_kernel::constant(&seven, &|_| None), Some(7));
//! ```

mod check;
mod constant;
mod copies;
pub mod device;
mod expr;
mod graph;
mod kernel;
pub mod matrix;
mod operators;
mod print;
pub mod ptx;
mod stmt;
pub mod surface;
mod tree;
mod types;

pub use check::Malformed;
pub use constant::constant;
pub use expr::{Expr, ExprKind, Initial, Launch, Member, Place, PlaceKind, UnaryOp};
pub use graph::{Block, Exit, Graph, Step};
pub use kernel::{
    Assumption, At, Field, Function, FunctionId, Includer, Kernel, Language, Origin, Record,
    RecordId, Storage, Var, Variable,
};
pub use operators::{arithmetic, relation};
pub use stmt::{Case, Loop, Stmt, StmtKind};
pub use tree::Node;
pub use types::{Group, Type, common, promote};
