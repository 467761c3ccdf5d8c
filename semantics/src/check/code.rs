//! The statement of a premise, held beside what the rule puts there. No statement is built:
//! instances are recognised by [`babycuda_core::instance`], not by the substitution of the
//! evaluators.

use babycuda_core::instance::{Values, is_instance};
use babycuda_core::syntax::ForSort;
use babycuda_core::{Name, Natural, Num, Site, Stmt};
use std::fmt;

/// What the statement of a premise must be.
pub(super) enum Code<'a> {
    /// This one.
    Same(&'a Stmt),
    /// `b[x := k, …]`
    Instance(&'a Stmt, Values),
    /// `for x in j+1..k {b}`
    Others(Loop<'a>),
    /// `b[x := j] ; for x in j+1..k {b}`
    Unrolled(Loop<'a>),
}

/// `for x in j..k {b}`
#[derive(Clone, Copy)]
pub(super) struct Loop<'a> {
    pub(super) site: Site,
    pub(super) sort: ForSort,
    pub(super) var: &'a Name,
    pub(super) lower: &'a Natural,
    pub(super) upper: &'a Natural,
    pub(super) body: &'a Stmt,
}

impl<'a> Loop<'a> {
    /// `b[x := j]`
    pub(super) fn iteration(self) -> Code<'a> {
        Code::put(self.body, self.var, self.lower)
    }

    /// Is `code` the loop behind the first iteration?
    fn is_others(self, code: &Stmt) -> bool {
        let Stmt::For { site, sort, var, lower, upper, body } = code else {
            return false;
        };
        (site, sort, var) == (&self.site, &self.sort, self.var)
            && matches!(lower, Num::Lit(next) if *next == self.lower.successor())
            && matches!(upper, Num::Lit(k) if k == self.upper)
            && is_same(body, self.body)
    }
}

fn is_same(a: &Stmt, b: &Stmt) -> bool {
    std::ptr::eq(a, b) || a == b
}

impl<'a> Code<'a> {
    /// `b[x := k]`
    pub(super) fn put(body: &'a Stmt, var: &Name, value: &Natural) -> Code<'a> {
        Code::Instance(body, Values::unit(var.clone(), value.clone()))
    }

    /// Is it this one?
    pub(super) fn is(&self, code: &Stmt) -> bool {
        match self {
            Code::Same(expected) => is_same(expected, code),
            Code::Instance(pattern, values) => is_instance(code, pattern, values),
            Code::Others(repeat) => repeat.is_others(code),
            Code::Unrolled(repeat) => match code {
                Stmt::Seq(first, rest) => repeat.iteration().is(first) && repeat.is_others(rest),
                _ => false,
            },
        }
    }
}

impl fmt::Display for Code<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Code::Same(code) => write!(f, "{code}"),
            Code::Instance(pattern, values) => {
                write!(f, "{{{pattern}}}[")?;
                for (n, (x, k)) in values.iter().enumerate() {
                    write!(f, "{}{x} := {k}", if n == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Code::Others(Loop { var, lower, upper, body, .. }) => {
                write!(f, "for {var} in {}..{upper} {{ {body} }}", lower.successor())
            }
            Code::Unrolled(repeat) => {
                write!(f, "{}; {}", repeat.iteration(), Code::Others(*repeat))
            }
        }
    }
}
