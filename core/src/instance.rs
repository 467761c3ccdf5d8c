//! Is one term another one with values put in for variables?
//!
//! The checkers of derivations ask this where the evaluators substitute. Nothing of
//! [`Stmt::subst`](crate::Stmt::subst) is used: the two terms are walked side by side, and no term
//! is built.

use crate::expr::{Expr, Head};
use crate::name::Name;
use crate::natural::Natural;
use crate::syntax::Tree;
use im::OrdMap;

/// What is put in for variables. Numbers have no variables, so no binder is ever renamed.
pub type Values = OrdMap<Name, Natural>;

/// Is `code` the statement or protocol `pattern[values]`?
pub fn is_instance<T: Tree>(code: &T, pattern: &T, values: &Values) -> bool {
    let mut pending = vec![(pattern, code, values.clone())];
    while let Some((pattern, code, values)) = pending.pop() {
        if values.is_empty() {
            if pattern != code {
                return false;
            }
            continue;
        }
        let (p, c) = (pattern.view(), code.view());
        if (pattern.head(), p.site, p.binder) != (code.head(), c.site, c.binder)
            || !p.exprs.into_iter().zip(c.exprs).all(|(p, c)| is_expr_instance(c, p, &values))
        {
            return false;
        }
        let values = p.binder.map_or_else(|| values.clone(), |var| values.without(var));
        let pairs = p.children.into_iter().zip(c.children);
        pending.extend(pairs.filter_map(|(p, c)| Some((&**p?, &**c?, values.clone()))));
    }
    true
}

/// Is the one expression `pattern[values]`, or are both absent?
fn is_expr_instance(code: Option<Expr<'_>>, pattern: Option<Expr<'_>>, values: &Values) -> bool {
    let mut pending = vec![(pattern, code)];
    while let Some(pair) = pending.pop() {
        let (pattern, code) = match pair {
            (None, None) => continue,
            (Some(pattern), Some(code)) => (pattern, code),
            _ => return false,
        };
        let ((p, patterns), (c, codes)) = (pattern.parts(), code.parts());
        let same = match (p, c) {
            (Head::Var(x), Head::Lit(k)) => values.get(x) == Some(k),
            (Head::Var(x), Head::Var(y)) => x == y && !values.contains_key(x),
            (p, c) => p == c,
        };
        if !same {
            return false;
        }
        pending.extend(patterns.into_iter().zip(codes));
    }
    true
}
