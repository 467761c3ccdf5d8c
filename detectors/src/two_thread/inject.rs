//! The four kinds of errors that the paper injects (SKBG18 §6.1).

use babycuda_kernel::{At, Expr, ExprKind, Kernel, Node, PlaceKind, Stmt, StmtKind, Storage, Type};

/// A kind of error: what it takes away.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Error {
    /// Type 1: a barrier between a write and a read after it.
    ReadAfterWrite,
    /// Type 2: a barrier between a read and a write after it.
    WriteAfterRead,
    /// Type 3: a barrier between two writes.
    WriteAfterWrite,
    /// Type 4: "false data-locality in the conditional branch". The paper does not say more; here two
    /// neighbouring threads take the same element for their own.
    FalseLocality,
}

impl Error {
    /// The number that the paper gives it.
    pub fn number(self) -> usize {
        self as usize + 1
    }
}

/// The barriers of a kernel, in the order of the text.
pub fn barriers(kernel: &Kernel) -> Vec<At> {
    let Some(entry) = kernel.entry() else { return Vec::new() };
    let is_barrier = |node: Node<'_>| match node {
        Node::Expr(Expr { kind: ExprKind::Device(name, _), at, .. }) => {
            (name.as_str() == "__syncthreads").then_some(*at)
        }
        _ => None,
    };
    Node::from(&entry.body).subterms().filter_map(is_barrier).collect()
}

/// The kernel without a barrier (Types 1 to 3).
#[must_use]
pub fn without_barrier(kernel: &Kernel, barrier: At) -> Kernel {
    let mut changed = kernel.clone();
    if let Some(entry) = changed.functions.first_mut() {
        each(&mut entry.body, false, &mut |stmt, _| {
            let StmtKind::Expr(expr) = &stmt.kind else { return };
            if Node::from(expr).subterms().any(|n| n.at() == barrier) {
                stmt.kind = StmtKind::Block(Vec::new());
            }
        });
    }
    changed
}

/// The kernel with an index `e` of each shared array that is written in a branch replaced by `e / 2`, one
/// statement a kernel (Type 4), and the statement.
pub fn false_localities(kernel: &Kernel) -> Vec<(At, Kernel)> {
    let mut found = Vec::new();
    for number in 0.. {
        let mut changed = kernel.clone();
        let (mut seen, mut place) = (0, None);
        let shared = shared(kernel);
        if let Some(entry) = changed.functions.first_mut() {
            each(&mut entry.body, false, &mut |stmt, in_branch| {
                let StmtKind::Expr(expr) = &mut stmt.kind else { return };
                if !in_branch || !is_store(expr, &shared) {
                    return;
                }
                if seen == number {
                    place = Some(stmt.at);
                    halve(expr);
                }
                seen += 1;
            });
        }
        match place {
            Some(at) => found.push((at, changed)),
            None => break,
        }
    }
    found
}

fn shared(kernel: &Kernel) -> Vec<bool> {
    let shared = |v: &babycuda_kernel::Variable| match v.storage {
        Storage::Shared | Storage::Dynamic | Storage::Device => true,
        _ => matches!(v.ty, Type::Pointer(_)),
    };
    kernel.variables.iter().map(shared).collect()
}

/// Statements, and whether they are in a branch.
fn each(stmt: &mut Stmt, in_branch: bool, f: &mut dyn FnMut(&mut Stmt, bool)) {
    f(stmt, in_branch);
    match &mut stmt.kind {
        StmtKind::Block(stmts) => stmts.iter_mut().for_each(|s| each(s, in_branch, f)),
        StmtKind::If(_, then, otherwise) => {
            each(then, true, f);
            if let Some(otherwise) = otherwise {
                each(otherwise, true, f);
            }
        }
        StmtKind::Loop(parts) => each(&mut parts.body, in_branch, f),
        _ => {}
    }
}

fn is_store(expr: &Expr, shared: &[bool]) -> bool {
    let (ExprKind::Assign(place, _) | ExprKind::Update { place, .. }) = &expr.kind else {
        return false;
    };
    let of = |n: Node<'_>| match n {
        Node::Place(p) => match p.kind {
            PlaceKind::Variable(v) => Some(v),
            _ => None,
        },
        _ => None,
    };
    let array = Node::from(&**place).subterms().find_map(of);
    let known = array.and_then(|v| shared.get(v.0 as usize).copied()).unwrap_or(false);
    known && matches!(place.kind, PlaceKind::Index(_))
}

fn halve(expr: &mut Expr) {
    let (ExprKind::Assign(place, _) | ExprKind::Update { place, .. }) = &mut expr.kind else {
        return;
    };
    let PlaceKind::Index(both) = &mut place.kind else { return };
    let index = both[1].clone();
    let (ty, at) = (index.ty.clone(), index.at);
    let two = Expr::int(ty.clone(), 2, at);
    let kind = ExprKind::Arithmetic(babycuda_core::MachineOp::Div, Box::new([index, two]));
    both[1] = Expr { kind, ty, at };
}
