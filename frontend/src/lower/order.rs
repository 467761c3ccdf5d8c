//! The order of evaluation. C++ leaves open which operand of an operator, or which argument of a
//! call, is evaluated first, but for `&&`, `||`, `,`, `?:`, `<<`, `>>`, subscripts and assignments.
//! We evaluate from left to right, so an expression whose meaning depends on it is refused.

use super::{At, Lower, Lowered, refuse};
use babycuda_kernel::device::Device;
use babycuda_kernel::{
    Expr, ExprKind, Initial, Node, Place, PlaceKind, StmtKind, Storage, Type, Var,
};
use std::collections::BTreeSet;

/// Calls that are followed deeper than this change whatever they are given.
const MAX_DEPTH: usize = 3;

impl<'t> Lower<'t> {
    /// Is the order of the operands immaterial: is nothing named in one that another changes?
    pub(super) fn in_any_order(&self, operands: &[Node<'t>], at: At) -> Lowered<()> {
        for (i, operand) in operands.iter().enumerate() {
            let mut changed = BTreeSet::new();
            self.changes(*operand, 0, &mut changed);
            if changed.is_empty() {
                continue;
            }
            let others = operands.iter().enumerate().filter(|(j, _)| *j != i);
            let used = others.flat_map(|(_, other)| names(*other));
            if let Some(v) = used.into_iter().find(|v| changed.contains(v)) {
                let name = &self.kernel[v].name;
                let what = "is changed in one operand and used in another";
                return refuse(at, format!("`{name}` {what}: C++ leaves open which comes first"));
            }
        }
        Ok(())
    }

    /// What evaluating the node may change: variables, arrays, and pointers through which something
    /// is changed.
    fn changes(&self, node: Node<'t>, depth: usize, changed: &mut BTreeSet<Var>) {
        for node in node.subterms() {
            let Node::Expr(expr) = node else { continue };
            match &expr.kind {
                ExprKind::Step { place, .. }
                | ExprKind::Assign(place, _)
                | ExprKind::Update { place, .. } => changed.extend(root(place)),
                ExprKind::Call { function, arguments, .. } => {
                    let parameters = &self.kernel[*function].parameters;
                    for (v, argument) in parameters.iter().zip(arguments) {
                        if self.may_change(*v, &self.kernel[*function].body, depth) {
                            changed.extend(self.reached(argument.into()));
                        }
                    }
                }
                // Whichever draws first, the state is not known; and what only loads changes nothing.
                ExprKind::Device(name, _)
                    if matches!(
                        Device::of(name.as_str()),
                        Some(Device::Generator | Device::Load)
                    ) => {}
                ExprKind::Device(name, arguments) => {
                    for (i, argument) in arguments.iter().enumerate() {
                        let by_address = matches!(argument.kind, ExprKind::AddressOf(_));
                        let output = Device::of(name.as_str()) == Some(Device::Outputs);
                        let compares = name.as_str().starts_with("opencl::compare_exchange");
                        let written =
                            if compares { i < 2 } else { i == 0 && writes(name.as_str()) };
                        if by_address || output || written {
                            changed.extend(self.reached(argument.into()));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// What may be changed where an argument stands for a place or points to one: the numbers in it only say which.
    fn reached(&self, argument: Node<'t>) -> BTreeSet<Var> {
        let number =
            |v: &Var| matches!(self.kernel[*v].ty, Type::Int(_) | Type::Bool | Type::Float(_));
        let itself = match argument {
            Node::Place(place) => Some(place),
            Node::Expr(Expr { kind: ExprKind::AddressOf(place), .. }) => Some(place.as_ref()),
            _ => None,
        };
        let whole = itself.and_then(own_variable);
        names(argument).into_iter().filter(|v| !number(v) || whole == Some(*v)).collect()
    }

    /// May a function with this body change what its parameter stands for or points to?
    fn may_change(&self, parameter: Var, body: &'t babycuda_kernel::Stmt, depth: usize) -> bool {
        let variable = &self.kernel[parameter];
        let points = matches!(variable.ty, Type::Pointer(_));
        if !points && variable.storage != Storage::Reference {
            return false;
        }
        if depth >= MAX_DEPTH {
            return true;
        }
        let mut inside = BTreeSet::new();
        self.changes(body.into(), depth + 1, &mut inside);
        inside.contains(&parameter) || self.aliases(body.into(), parameter)
    }

    /// May the body give a variable another name: is it the whole of an initializer, or moved in one?
    fn aliases(&self, body: Node<'t>, own: Var) -> bool {
        body.subterms().any(|node| match node {
            Node::Stmt(stmt) => match &stmt.kind {
                StmtKind::Declare(v, Some(initial)) => {
                    let points = matches!(self.kernel[*v].ty, Type::Pointer(_));
                    let refers = matches!(initial, Initial::Place(_));
                    (points || refers) && names(initial.into()).contains(&own)
                }
                _ => false,
            },
            _ => false,
        })
    }
}

/// The variable that a place is, or a part of.
fn own_variable(place: &Place) -> Option<Var> {
    match &place.kind {
        PlaceKind::Variable(v) => Some(*v),
        PlaceKind::Member(of, _) => own_variable(of),
        _ => None,
    }
}

/// The variable, array or pointer below subscripts, members and dereferences.
fn root(place: &Place) -> Option<Var> {
    names_in_order(place.into()).next()
}

/// The variables that are named in the node.
fn names(node: Node<'_>) -> BTreeSet<Var> {
    names_in_order(node).collect()
}

fn names_in_order(node: Node<'_>) -> impl Iterator<Item = Var> {
    node.subterms().filter_map(|node| match node {
        Node::Place(Place { kind: PlaceKind::Variable(v), .. }) => Some(*v),
        _ => None,
    })
}

/// Does the function of CUDA write through its first argument?
fn writes(name: &str) -> bool {
    name.starts_with("bytes::")
        || name.starts_with("atomic")
        || name.starts_with("__st")
        || name == "wmma::store_matrix_sync"
}
