//! May a variable be read before it is set?

use super::walk::mentions;
use babycuda_kernel::{
    Exit, Expr, ExprKind, Function, Graph, Kernel, Node, PlaceKind, Step, Storage, Type, Var,
};
use std::collections::BTreeSet;

/// May a local variable that is declared without a value be read before it is set? On every way from its
/// declaration, the first statement that mentions it must assign to all of it.
pub(super) fn unset(kernel: &Kernel, function: &Function, v: Var) -> bool {
    if kernel[v].storage != Storage::Local {
        return false;
    }
    if matches!(
        kernel[v].ty,
        Type::Record(_) | Type::Array(..) | Type::Vector(..) | Type::Opaque(_)
    ) {
        // Its parts are set one by one: nobody counts them here.
        return true;
    }
    let graph = Graph::of(function);
    let declares = |step: &Step<'_>| matches!(step, Step::Declare(w, None) if *w == v);
    let mut seen = BTreeSet::new();
    let mut pending: Vec<(usize, usize)> = Vec::new();
    for (number, block) in graph.blocks.iter().enumerate() {
        let at = block.steps.iter().position(declares);
        pending.extend(at.map(|step| (number, step + 1)));
    }
    while let Some((number, from)) = pending.pop() {
        let block = &graph.blocks[number];
        match block.steps[from..].iter().find_map(|step| first(step, v)) {
            Some(true) => continue,
            Some(false) => return true,
            None => {}
        }
        let condition = match &block.exit {
            Exit::Goto(_) => None,
            Exit::Branch(condition, _) => Some(*condition),
            Exit::Switch(value, ..) => Some(*value),
            Exit::Return(value) => *value,
        };
        if condition.is_some_and(|condition| mentions(condition.into(), v)) {
            return true;
        }
        let next = graph.successors(number).into_iter().filter(|next| seen.insert(*next));
        pending.extend(next.map(|next| (next, 0)));
    }
    false
}

/// Does a step set the variable, as the first thing that it does with it? `None`: it does not mention it.
fn first(step: &Step<'_>, v: Var) -> Option<bool> {
    match step {
        // It begins to live anew; what follows is looked at from there.
        Step::Declare(w, None) if *w == v => Some(true),
        Step::Declare(_, initial) => {
            let mentioned = initial.is_some_and(|initial| mentions(initial.into(), v));
            mentioned.then_some(false)
        }
        Step::Evaluate(expr) => mentions(Node::Expr(expr), v).then(|| sets(expr, v)),
        Step::Unsupported(..) => Some(false),
    }
}

fn sets(expr: &Expr, v: Var) -> bool {
    match &expr.kind {
        ExprKind::Assign(place, value) => match &place.kind {
            PlaceKind::Variable(w) if *w == v => {
                !mentions(value.as_ref().into(), v) || sets(value, v)
            }
            _ => !mentions(place.as_ref().into(), v) && sets(value, v),
        },
        ExprKind::Convert(value) => sets(value, v),
        ExprKind::Comma(both) => {
            let [l, r] = both.as_ref();
            if mentions(l.into(), v) { sets(l, v) } else { sets(r, v) }
        }
        _ => false,
    }
}
