//! Programs and protocols.

mod alpha;
mod atomic;
mod barrier;
mod declarations;
mod forall;
mod program;
mod project;
mod protocol;
mod sites;
mod sources;
mod stmt;
mod subst;
mod tree;
mod vars;
mod view;

pub use atomic::{AtomicOp, AtomicUpdate, Scope};
pub use barrier::BarrierScope;
pub use declarations::{
    ArrayDecl, Contents, Declarations, Domain, Expectation, Extent, Geometry, Param, Space,
};
pub use forall::{Bound, Forall, MAX_BOUND, MAX_EVALUATED, NotEvaluated};
pub use program::Program;
pub use protocol::{DEFAULT_ARRAY, MapFile, Protocol};
pub use sources::{Counted, Note, Shape, Sources, Stopping};
pub use stmt::{ForSort, Stmt};
pub(crate) use tree::subterms;
pub use view::{Head, Node, NodeMut, Tree, View};
