//! Smaller programs that resemble a given one.

use babycuda_campaign::reduce;
use babycuda_core::expr::{Expr, ExprMut};
use babycuda_core::syntax::{NodeMut, Tree};
use babycuda_core::{Bool, Declarations, Natural, Num, Program, Stmt};
use std::sync::Arc;

/// Programs that are a little smaller than `program`: one statement is left out, replaced by a
/// part of itself, or one literal is made smaller. They are well-scoped where `program` is, and
/// every one is strictly smaller, so shrinking ends.
pub fn smaller_programs(program: &Program) -> impl Iterator<Item = Program> + use<> {
    let declarations = Declarations { sources: Default::default(), ..program.declarations.clone() };
    smaller(&program.body).into_iter().map(move |b| declarations.clone().around(b.numbered()))
}

/// The smallest program that `fails` and is reached from `program`, which fails, by steps of
/// [`smaller_programs`] that fail. At most `steps` programs are tried.
pub fn minimise(
    program: &Program,
    mut fails: impl FnMut(&Program) -> bool,
    steps: usize,
) -> Program {
    let judge = |p: &Program| fails(p).then_some(());
    reduce((program.clone(), ()), smaller_programs, judge, steps).0
}

fn smaller(b: &Stmt) -> Vec<Stmt> {
    let node = b.view();
    let changed = |change: &dyn Fn(NodeMut<'_, Stmt>)| {
        let mut copy = b.clone();
        change(copy.view_mut());
        copy
    };
    let mut results = Vec::new();
    if *b != Stmt::Skip {
        results.push(Stmt::Skip);
    }
    for child in b.children() {
        results.push(match node.binder {
            Some(var) => child.subst_value(var, &Natural::zero()),
            None => child.clone(),
        });
    }
    for (at, expr) in node.exprs.iter().enumerate() {
        match expr {
            Some(Expr::Num(n)) => results.extend(smaller_nums(n).iter().map(|n| {
                changed(&|node| {
                    if let Some(ExprMut::Num(place)) = node.exprs.into_iter().nth(at).flatten() {
                        *place = n.clone();
                    }
                })
            })),
            Some(Expr::Bool(c)) if !matches!(c, Bool::Lit(_)) => results.push(changed(&|node| {
                if let [Some(ExprMut::Bool(place)), ..] = node.exprs {
                    *place = Bool::Lit(true);
                }
            })),
            Some(Expr::Bool(_)) | None => {}
        }
    }
    for (at, child) in b.children().enumerate() {
        results.extend(smaller(child).into_iter().map(Arc::new).map(|s| {
            changed(&|node| {
                if let Some(place) = node.children.into_iter().flatten().nth(at) {
                    *place = s.clone();
                }
            })
        }));
    }
    results
}

fn smaller_nums(n: &Num) -> Vec<Num> {
    match n {
        Num::Lit(k) => match k.to_u64() {
            Some(0) => Vec::new(),
            Some(k) => vec![Num::lit(0u32), Num::lit(k / 2)],
            None => vec![Num::lit(0u32), Num::lit(u64::MAX)],
        },
        Num::Var(_) => vec![Num::lit(0u32)],
        Num::Binary(op, l, r) => {
            let mut results = vec![Num::lit(0u32), l.as_ref().clone(), r.as_ref().clone()];
            let left = smaller_nums(l).into_iter().map(|l| (Arc::new(l), r.clone()));
            let right = smaller_nums(r).into_iter().map(|r| (l.clone(), Arc::new(r)));
            results.extend(left.chain(right).map(|(l, r)| Num::Binary(*op, l, r)));
            results
        }
        Num::Select(_, l, r) => vec![Num::lit(0u32), l.as_ref().clone(), r.as_ref().clone()],
        Num::Cast(_, _, n) => vec![Num::lit(0u32), n.as_ref().clone()],
    }
}
