//! Well-typed programs with one premise broken.

use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::syntax::ForSort;
use babycuda_core::{Bool, Name, Num, Site, Stmt};
use babycuda_typing::Rule;

/// Every program that comes from `b` by putting a visible `let` variable into one index, guard or
/// bound; with the rule and premise that this breaks, the site and the variable.
pub fn poisonings(b: &Stmt) -> Vec<(Rule, usize, Site, Name, Stmt)> {
    let mut all = Vec::new();
    poison(b, None, &mut |rule, premise, site, x, c| {
        all.push((rule, premise, site, x.clone(), c));
    });
    all
}

type Found<'a> = &'a mut dyn FnMut(Rule, usize, Site, &Name, Stmt);

fn poison(b: &Stmt, data: Option<&Name>, found: Found<'_>) {
    let num = |n: &Num, x: &Name| Num::arith(ArithOp::Add, n.clone(), Num::Var(x.clone()));
    match b {
        Stmt::Skip | Stmt::Sync { .. } => {}
        Stmt::Write { site, index, .. } => {
            if let Some(x) = data {
                let mut c = b.clone();
                if let Stmt::Write { index: i, .. } = &mut c {
                    *i = num(index, x);
                }
                found(Rule::Write, 1, *site, x, c);
            }
        }
        Stmt::Read { site, var, index, body, .. } | Stmt::Atomic { site, var, index, body, .. } => {
            let rule = match b {
                Stmt::Read { .. } => Rule::Read,
                _ => Rule::Atomic,
            };
            if let Some(x) = data {
                let mut c = b.clone();
                if let Stmt::Read { index: i, .. } | Stmt::Atomic { index: i, .. } = &mut c {
                    *i = num(index, x);
                }
                found(rule, 1, *site, x, c);
            }
            poison(body, Some(var), &mut |rule, premise, site, x, inner| {
                let mut c = b.clone();
                if let Stmt::Read { body, .. } | Stmt::Atomic { body, .. } = &mut c {
                    *body = inner.into();
                }
                found(rule, premise, site, x, c);
            });
        }
        Stmt::Seq(one, two) => {
            poison(one, data, &mut |r, p, s, x, c| {
                found(r, p, s, x, Stmt::Seq(c.into(), two.clone()));
            });
            poison(two, data, &mut |r, p, s, x, c| {
                found(r, p, s, x, Stmt::Seq(one.clone(), c.into()));
            });
        }
        Stmt::If { site, condition, then, otherwise } => {
            let with = |condition: &Bool, then: Stmt, otherwise: Stmt| Stmt::If {
                site: *site,
                condition: condition.clone(),
                then: then.into(),
                otherwise: otherwise.into(),
            };
            if let Some(x) = data {
                let zero = Bool::compare(Relation::Eq, Num::Var(x.clone()), Num::lit(0u32));
                let condition = Bool::and(condition.clone(), zero);
                let c = with(&condition, (**then).clone(), (**otherwise).clone());
                found(Rule::If, 1, *site, x, c);
            }
            poison(then, data, &mut |r, p, s, x, c| {
                found(r, p, s, x, with(condition, c, (**otherwise).clone()));
            });
            poison(otherwise, data, &mut |r, p, s, x, c| {
                found(r, p, s, x, with(condition, (**then).clone(), c));
            });
        }
        Stmt::For { site, sort, var, lower, upper, body } => {
            let rule = match sort {
                ForSort::U => Rule::For,
                ForSort::S => Rule::ForS,
            };
            let with = |lower: Num, upper: Num, body: Stmt| Stmt::For {
                site: *site,
                sort: *sort,
                var: var.clone(),
                lower,
                upper,
                body: body.into(),
            };
            if let Some(x) = data {
                let c = with(num(lower, x), upper.clone(), (**body).clone());
                found(rule, 1, *site, x, c);
                let c = with(lower.clone(), num(upper, x), (**body).clone());
                found(rule, 2, *site, x, c);
            }
            let visible = data.filter(|x| *x != var);
            poison(body, visible, &mut |r, p, s, x, c| {
                found(r, p, s, x, with(lower.clone(), upper.clone(), c));
            });
        }
    }
}
