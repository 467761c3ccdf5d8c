//! Programs and protocols.

mod program;
mod protocol;
mod stmt;
mod subst;
mod vars;

pub use program::{
    ArrayDecl, Contents, Domain, Expectation, Extent, Geometry, Note, Param, Program, Sources,
    Space,
};
pub use protocol::{DEFAULT_ARRAY, MapFile, Protocol};
pub use stmt::{AtomicOp, AtomicUpdate, ForSort, Scope, Stmt};
