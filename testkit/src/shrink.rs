//! Smaller programs that resemble a given one.

use babycuda_core::{Bool, Declarations, Natural, Num, Program, Stmt};
use std::sync::Arc;

/// Programs that are a little smaller than `program`: one statement is left out, replaced by a
/// part of itself, or one literal is made smaller. They are well-scoped where `program` is, and
/// every one is strictly smaller, so shrinking ends.
pub fn smaller_programs(program: &Program) -> impl Iterator<Item = Program> {
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
    let mut least = program.clone();
    let mut left = steps;
    loop {
        let next = smaller_programs(&least).take(left).inspect(|_| left -= 1).find(|p| fails(p));
        match next {
            Some(next) => least = next,
            None => return least,
        }
    }
}

fn smaller(b: &Stmt) -> Vec<Stmt> {
    let zero = Natural::zero();
    let mut results = Vec::new();
    if *b != Stmt::Skip {
        results.push(Stmt::Skip);
    }
    match b {
        Stmt::Skip | Stmt::Sync { .. } => {}
        Stmt::Write { index, payload, .. } => {
            for n in smaller_nums(index) {
                let mut copy = b.clone();
                if let Stmt::Write { index, .. } = &mut copy {
                    *index = n;
                }
                results.push(copy);
            }
            for n in smaller_nums(payload) {
                let mut copy = b.clone();
                if let Stmt::Write { payload, .. } = &mut copy {
                    *payload = n;
                }
                results.push(copy);
            }
        }
        Stmt::Read { var, index, body, .. } | Stmt::Atomic { var, index, body, .. } => {
            results.push(body.subst_value(var, &zero));
            for n in smaller_nums(index) {
                let mut copy = b.clone();
                if let Stmt::Read { index, .. } | Stmt::Atomic { index, .. } = &mut copy {
                    *index = n;
                }
                results.push(copy);
            }
            results.extend(with_body(b, body));
        }
        Stmt::For { var, lower, upper, body, .. } => {
            results.push(body.subst_value(var, &zero));
            for (n, is_lower) in smaller_nums(lower)
                .into_iter()
                .map(|n| (n, true))
                .chain(smaller_nums(upper).into_iter().map(|n| (n, false)))
            {
                let mut copy = b.clone();
                if let Stmt::For { lower, upper, .. } = &mut copy {
                    *(if is_lower { lower } else { upper }) = n;
                }
                results.push(copy);
            }
            results.extend(with_body(b, body));
        }
        Stmt::Seq(first, second) => {
            results.extend([first.as_ref().clone(), second.as_ref().clone()]);
            results
                .extend(smaller(first).into_iter().map(|s| Stmt::seq(s, second.as_ref().clone())));
            results
                .extend(smaller(second).into_iter().map(|s| Stmt::seq(first.as_ref().clone(), s)));
        }
        Stmt::If { condition, then, otherwise, .. } => {
            results.extend([then.as_ref().clone(), otherwise.as_ref().clone()]);
            let rebuilt = |c: Bool, t: &Stmt, o: &Stmt| Stmt::branch(c, t.clone(), o.clone());
            if !matches!(condition, Bool::Lit(_)) {
                results.push(rebuilt(Bool::Lit(true), then, otherwise));
            }
            results.extend(smaller(then).iter().map(|s| rebuilt(condition.clone(), s, otherwise)));
            results.extend(smaller(otherwise).iter().map(|s| rebuilt(condition.clone(), then, s)));
        }
    }
    results
}

/// `b` with each smaller form of its `body`.
fn with_body<'a>(b: &'a Stmt, body: &Stmt) -> impl Iterator<Item = Stmt> + 'a {
    smaller(body).into_iter().map(move |s| {
        let mut copy = b.clone();
        if let Stmt::Read { body, .. } | Stmt::Atomic { body, .. } | Stmt::For { body, .. } =
            &mut copy
        {
            *body = Arc::new(s);
        }
        copy
    })
}

fn smaller_nums(n: &Num) -> Vec<Num> {
    match n {
        Num::Lit(k) => match k.to_u64() {
            Some(0) => Vec::new(),
            Some(k) => vec![Num::lit(0u32), Num::lit(k / 2)],
            None => vec![Num::lit(0u32), Num::lit(u64::MAX)],
        },
        Num::Var(_) => vec![Num::lit(0u32)],
        Num::Binary(_, l, r) | Num::Select(_, l, r) => {
            vec![Num::lit(0u32), l.as_ref().clone(), r.as_ref().clone()]
        }
        Num::Cast(_, _, n) => vec![Num::lit(0u32), n.as_ref().clone()],
    }
}
