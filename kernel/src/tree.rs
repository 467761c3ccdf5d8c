//! One view of the tree, for all that only walks through it.

use crate::device::Device;
use crate::expr::{Expr, ExprKind, Initial, Place, PlaceKind};
use crate::kernel::At;
use crate::stmt::{Stmt, StmtKind};

/// A node of a tree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Node<'a> {
    /// A statement.
    Stmt(&'a Stmt),
    /// An expression.
    Expr(&'a Expr),
    /// A place.
    Place(&'a Place),
}

impl<'a> From<&'a Stmt> for Node<'a> {
    fn from(stmt: &'a Stmt) -> Self {
        Node::Stmt(stmt)
    }
}

impl<'a> From<&'a Expr> for Node<'a> {
    fn from(expr: &'a Expr) -> Self {
        Node::Expr(expr)
    }
}

impl<'a> From<&'a Place> for Node<'a> {
    fn from(place: &'a Place) -> Self {
        Node::Place(place)
    }
}

impl<'a> From<&'a Initial> for Node<'a> {
    fn from(initial: &'a Initial) -> Self {
        match initial {
            Initial::Value(value) => Node::Expr(value),
            Initial::Place(place) => Node::Place(place),
        }
    }
}

impl<'a> Node<'a> {
    /// Where it stands.
    pub fn at(self) -> At {
        match self {
            Node::Stmt(stmt) => stmt.at,
            Node::Expr(expr) => expr.at,
            Node::Place(place) => place.at,
        }
    }

    /// The name of the construct, if it was not understood.
    pub fn unsupported(self) -> Option<&'a str> {
        match self {
            Node::Stmt(Stmt { kind: StmtKind::Unsupported(construct), .. })
            | Node::Expr(Expr { kind: ExprKind::Unsupported(construct), .. })
            | Node::Place(Place { kind: PlaceKind::Unsupported(construct), .. }) => Some(construct),
            _ => None,
        }
    }

    /// The nodes directly in it, in the order in which they are written. Bodies of functions that are
    /// called are not among them.
    pub fn children(self) -> Vec<Node<'a>> {
        match self {
            Node::Stmt(stmt) => of_stmt(&stmt.kind),
            Node::Expr(expr) => of_expr(&expr.kind),
            Node::Place(place) => match &place.kind {
                PlaceKind::Variable(_) | PlaceKind::Unsupported(_) => Vec::new(),
                PlaceKind::Deref(pointer) => vec![Node::Expr(pointer)],
                PlaceKind::Index(both) => list(&both[..]),
                PlaceKind::Member(of, _) => vec![Node::Place(of)],
            },
        }
    }

    /// Does evaluating it again do nothing more, and yield the same?
    pub fn is_repeatable(self) -> bool {
        self.subterms().all(|node| match node {
            Node::Expr(Expr { kind: ExprKind::Device(name, _), .. }) => {
                Device::of(name.as_str()) == Some(Device::Exact)
            }
            Node::Expr(Expr { kind, .. }) => {
                use ExprKind::{Assign, Call, Step, Unsupported, Update};
                !matches!(
                    kind,
                    Assign(..) | Update { .. } | Step { .. } | Call { .. } | Unsupported(_)
                )
            }
            Node::Place(_) | Node::Stmt(_) => true,
        })
    }

    /// The node and every node in it, in pre-order.
    pub fn subterms(self) -> impl Iterator<Item = Node<'a>> {
        let mut pending = vec![self];
        std::iter::from_fn(move || {
            let next = pending.pop()?;
            pending.extend(next.children().into_iter().rev());
            Some(next)
        })
    }
}

fn list<'a, T>(nodes: &'a [T]) -> Vec<Node<'a>>
where
    &'a T: Into<Node<'a>>,
{
    nodes.iter().map(Into::into).collect()
}

fn of_stmt(kind: &StmtKind) -> Vec<Node<'_>> {
    match kind {
        StmtKind::Block(stmts) => list(stmts),
        StmtKind::Declare(_, initial) => initial.iter().map(Into::into).collect(),
        StmtKind::Expr(expr) => vec![expr.into()],
        StmtKind::If(condition, then, otherwise) => {
            let otherwise = otherwise.as_deref().map(Node::from);
            [condition.into(), Node::from(then.as_ref())].into_iter().chain(otherwise).collect()
        }
        StmtKind::Loop(parts) => {
            let initial = parts.initial.iter().map(Node::from);
            let condition = parts.condition.iter().map(Node::from);
            let update = parts.update.iter().map(Node::from);
            initial.chain(condition).chain(update).chain([(&parts.body).into()]).collect()
        }
        StmtKind::Switch(value, cases) => {
            let cases = cases.iter().flat_map(|case| {
                case.label.iter().map(Node::from).chain(case.body.iter().map(Node::from))
            });
            [Node::from(value)].into_iter().chain(cases).collect()
        }
        StmtKind::Return(value) => value.iter().map(Into::into).collect(),
        StmtKind::Break | StmtKind::Continue | StmtKind::Unsupported(_) => Vec::new(),
    }
}

fn of_expr(kind: &ExprKind) -> Vec<Node<'_>> {
    match kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Null
        | ExprKind::String
        | ExprKind::Launch(..)
        | ExprKind::WarpSize
        | ExprKind::Unsupported(_) => Vec::new(),
        ExprKind::Load(place) | ExprKind::Decay(place) | ExprKind::AddressOf(place) => {
            vec![Node::Place(place)]
        }
        ExprKind::Component(value, _) | ExprKind::Convert(value) | ExprKind::Unary(_, value) => {
            vec![Node::Expr(value)]
        }
        ExprKind::Arithmetic(_, both)
        | ExprKind::Compare(_, both)
        | ExprKind::Logical(_, both)
        | ExprKind::Comma(both) => list(&both[..]),
        ExprKind::Conditional(all) => list(&all[..]),
        ExprKind::Assign(place, value) | ExprKind::Update { place, value, .. } => {
            vec![Node::Place(place), Node::Expr(value)]
        }
        ExprKind::Step { place, .. } => vec![Node::Place(place)],
        ExprKind::List(values) | ExprKind::Device(_, values) => list(values),
        ExprKind::Call { arguments, .. } => list(arguments),
    }
}
