//! One view of statements and protocols, for all that is no judgment: what a node is, its
//! expressions, its binder, its children. A construct is added here once; comparing, free
//! variables, substitution, alpha-equivalence, sites, projection, scopes and tables follow.

use super::{AtomicOp, AtomicUpdate, BarrierScope, ForSort, Protocol, Scope, Stmt};
use crate::expr::{Expr, ExprMut};
use crate::history::AccessMode;
use crate::machine::IntType;
use crate::name::Name;
use crate::site::Site;
use std::collections::BTreeSet;
use std::hash::Hash;
use std::sync::Arc;

/// What a node is, without its site, its expressions, its binder and its children: how many there
/// are of each follows from the head, except for the value that an atomic update expects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Head<'a> {
    /// `skip`
    Skip,
    /// `sync`, of a scope
    Sync(BarrierScope),
    /// `b ; c`
    Seq,
    /// `if`
    If,
    /// `forU` or `forS`
    For(ForSort),
    /// A write to an array.
    Write(&'a Name),
    /// A read from an array.
    Read(&'a Name),
    /// An atomic update of an array.
    Atomic(&'a Name, AtomicOp, Scope),
    /// An access of a protocol.
    Access(AccessMode, &'a Name),
    /// What the host stored in an array.
    Input(&'a Name),
    /// `any x`
    Any(Option<IntType>),
}

impl<'a> Head<'a> {
    /// How a node accesses which array.
    pub fn access(self) -> Option<(AccessMode, &'a Name)> {
        match self {
            Head::Write(array) => Some((AccessMode::Wr, array)),
            Head::Read(array) => Some((AccessMode::Rd, array)),
            Head::Atomic(array, _, scope) => Some((AccessMode::At(scope), array)),
            Head::Access(mode, array) => Some((mode, array)),
            Head::Skip | Head::Sync(_) | Head::Seq | Head::If | Head::For(_) => None,
            Head::Input(_) | Head::Any(_) => None,
        }
    }

    /// The array that a node accesses.
    pub fn accessed(self) -> Option<&'a Name> {
        self.access().map(|(_, array)| array)
    }

    /// The array that a node writes or updates.
    pub fn written(self) -> Option<&'a Name> {
        self.access().filter(|(mode, _)| *mode != AccessMode::Rd).map(|(_, array)| array)
    }

    /// Is it an atomic update, of a program or in a protocol?
    pub fn is_atomic(self) -> bool {
        matches!(self.access(), Some((AccessMode::At(_), _)))
    }
}

/// A node taken apart: references to a site `S`, expressions `E`, a binder `B`, children `C`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct View<S, E, B, C> {
    /// The site; `skip` and `;` have none.
    pub site: Option<S>,
    /// The expressions, in the order in which they are written. The binder does not bind in them.
    pub exprs: [Option<E>; 3],
    /// The variable that is bound in the children.
    pub binder: Option<B>,
    /// The children.
    pub children: [Option<C>; 2],
}

/// A node to look at.
pub type Node<'a, T> = View<Site, Expr<'a>, &'a Name, &'a Arc<T>>;

/// A node to change. Its children are shared until they are replaced.
pub type NodeMut<'a, T> = View<&'a mut Site, ExprMut<'a>, &'a mut Name, &'a mut Arc<T>>;

impl<B, C> View<Site, Expr<'_>, B, C> {
    /// The variables in the expressions of the node.
    pub fn variables(&self) -> BTreeSet<Name> {
        let mut variables = BTreeSet::new();
        for expr in self.exprs.into_iter().flatten() {
            expr.collect_vars(&mut variables);
        }
        variables
    }
}

impl<S, E, B, C> View<S, E, B, C> {
    const NOTHING: Self =
        View { site: None, exprs: [None, None, None], binder: None, children: [None, None] };

    fn at(site: S) -> Self {
        View { site: Some(site), ..Self::NOTHING }
    }

    fn with(self, exprs: [Option<E>; 3]) -> Self {
        View { exprs, ..self }
    }

    fn below(self, binder: B, body: C) -> Self {
        View { binder: Some(binder), children: [Some(body), None], ..self }
    }

    fn over(self, first: C, second: C) -> Self {
        View { children: [Some(first), Some(second)], ..self }
    }
}

/// A statement or a protocol.
pub trait Tree: Clone + Ord + Hash {
    /// `skip`: what may stand for a child that is elsewhere.
    const SKIP: Self;

    /// What the root is.
    fn head(&self) -> Head<'_>;

    /// The root, taken apart.
    fn view(&self) -> Node<'_, Self>;

    /// The root, taken apart to be changed.
    fn view_mut(&mut self) -> NodeMut<'_, Self>;

    /// The scope of the root, if it is a barrier.
    fn scope_mut(&mut self) -> Option<&mut BarrierScope>;

    /// The tree with each child of the root replaced.
    #[must_use]
    fn map_children(&self, mut f: impl FnMut(&Arc<Self>) -> Arc<Self>) -> Self {
        let mut mapped = self.clone();
        for child in mapped.view_mut().children.into_iter().flatten() {
            *child = f(child);
        }
        mapped
    }
}

/// The view of a statement, for any kind of reference.
macro_rules! stmt_view {
    ($stmt:expr, $E:ident, |$site:ident| $at:expr) => {
        match $stmt {
            Stmt::Skip => View::NOTHING,
            Stmt::Sync { site: $site, .. } => View::at($at),
            Stmt::Write { site: $site, index, payload, .. } => {
                View::at($at).with([Some($E::Num(index)), Some($E::Num(payload)), None])
            }
            Stmt::Read { site: $site, var, index, body, .. } => {
                View::at($at).with([Some($E::Num(index)), None, None]).below(var, body)
            }
            Stmt::Atomic { site: $site, var, index, update, body, .. } => {
                let AtomicUpdate { operand, expected, .. } = update;
                let expected = expected.into_iter().next().map($E::Num);
                let exprs = [Some($E::Num(index)), Some($E::Num(operand)), expected];
                View::at($at).with(exprs).below(var, body)
            }
            Stmt::Seq(first, second) => View::NOTHING.over(first, second),
            Stmt::If { site: $site, condition, then, otherwise } => {
                let exprs = [Some($E::Bool(condition)), None, None];
                View::at($at).with(exprs).over(then, otherwise)
            }
            Stmt::For { site: $site, var, lower, upper, body, .. } => {
                let exprs = [Some($E::Num(lower)), Some($E::Num(upper)), None];
                View::at($at).with(exprs).below(var, body)
            }
        }
    };
}

/// The view of a protocol, for any kind of reference.
macro_rules! protocol_view {
    ($protocol:expr, $E:ident, |$site:ident| $at:expr) => {
        match $protocol {
            Protocol::Skip => View::NOTHING,
            Protocol::Sync { site: $site, .. } => View::at($at),
            Protocol::Access { site: $site, index, .. } => {
                View::at($at).with([Some($E::Num(index)), None, None])
            }
            Protocol::Seq(first, second) => View::NOTHING.over(first, second),
            Protocol::If { site: $site, condition, then, otherwise } => {
                let exprs = [Some($E::Bool(condition)), None, None];
                View::at($at).with(exprs).over(then, otherwise)
            }
            Protocol::For { site: $site, var, lower, upper, body, .. } => {
                let exprs = [Some($E::Num(lower)), Some($E::Num(upper)), None];
                View::at($at).with(exprs).below(var, body)
            }
            Protocol::Input { site: $site, var, index, body, .. } => {
                View::at($at).with([Some($E::Num(index)), None, None]).below(var, body)
            }
            Protocol::Any { site: $site, var, body, .. } => View::at($at).below(var, body),
        }
    };
}

impl Tree for Stmt {
    const SKIP: Stmt = Stmt::Skip;

    fn head(&self) -> Head<'_> {
        match self {
            Stmt::Skip => Head::Skip,
            Stmt::Sync { scope, .. } => Head::Sync(*scope),
            Stmt::Write { array, .. } => Head::Write(array),
            Stmt::Read { array, .. } => Head::Read(array),
            Stmt::Atomic { array, update, scope, .. } => Head::Atomic(array, update.op, *scope),
            Stmt::Seq(..) => Head::Seq,
            Stmt::If { .. } => Head::If,
            Stmt::For { sort, .. } => Head::For(*sort),
        }
    }

    fn view(&self) -> Node<'_, Stmt> {
        stmt_view!(self, Expr, |site| *site)
    }

    fn view_mut(&mut self) -> NodeMut<'_, Stmt> {
        stmt_view!(self, ExprMut, |site| site)
    }

    fn scope_mut(&mut self) -> Option<&mut BarrierScope> {
        match self {
            Stmt::Sync { scope, .. } => Some(scope),
            _ => None,
        }
    }
}

impl Tree for Protocol {
    const SKIP: Protocol = Protocol::Skip;

    fn head(&self) -> Head<'_> {
        match self {
            Protocol::Skip => Head::Skip,
            Protocol::Sync { scope, .. } => Head::Sync(*scope),
            Protocol::Access { mode, array, .. } => Head::Access(*mode, array),
            Protocol::Seq(..) => Head::Seq,
            Protocol::If { .. } => Head::If,
            Protocol::For { sort, .. } => Head::For(*sort),
            Protocol::Input { array, .. } => Head::Input(array),
            Protocol::Any { domain, .. } => Head::Any(*domain),
        }
    }

    fn view(&self) -> Node<'_, Protocol> {
        protocol_view!(self, Expr, |site| *site)
    }

    fn view_mut(&mut self) -> NodeMut<'_, Protocol> {
        protocol_view!(self, ExprMut, |site| site)
    }

    fn scope_mut(&mut self) -> Option<&mut BarrierScope> {
        match self {
            Protocol::Sync { scope, .. } => Some(scope),
            _ => None,
        }
    }
}
