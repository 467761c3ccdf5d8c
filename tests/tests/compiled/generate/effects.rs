//! What evaluating an expression reads and writes, and whether C++17 defines it.

use super::{Callable, Place, Takes};
use crate::syntax::Expr;
use std::collections::BTreeSet;

/// Variables and arrays, by name.
#[derive(Clone, Default, Debug)]
pub struct Effects {
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
}

impl Effects {
    fn read(name: &str) -> Effects {
        Effects { reads: [name.to_owned()].into(), writes: BTreeSet::new() }
    }

    /// Both happen.
    fn and(mut self, other: Effects) -> Effects {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self
    }

    fn writing(mut self, names: BTreeSet<String>) -> Effects {
        self.writes.extend(names);
        self
    }

    /// Is the result the same whichever comes first?
    fn independent(&self, other: &Effects) -> bool {
        self.writes.is_disjoint(&other.writes)
            && self.writes.is_disjoint(&other.reads)
            && self.reads.is_disjoint(&other.writes)
    }

    pub fn is_pure(&self) -> bool {
        self.writes.is_empty()
    }
}

/// The names that expressions may use.
pub struct Names<'a> {
    pub places: &'a [Place],
    pub callables: &'a [Callable],
    /// Does an overflow stop the thread?
    pub stops: bool,
}

/// May evaluating the expression, or a part of it, overflow?
fn computes(e: &Expr) -> bool {
    let here = match e {
        Expr::Binary(op, ..) => ["+", "-", "*", "/", "%"].contains(op),
        Expr::Assign(op, ..) => *op != "=",
        Expr::Unary(op, _) => *op == "-",
        Expr::Step { .. } | Expr::Call(..) => true,
        _ => false,
    };
    here || e.parts().into_iter().any(computes)
}

/// Does evaluating the expression access arrays?
fn accesses(e: &Expr) -> bool {
    let here = match e {
        Expr::Index(..) | Expr::Call(..) => true,
        Expr::Unary(op, _) => *op == "*",
        // It may be a reference.
        Expr::Atom(name) => matches!(name.as_str(), "x" | "y" | "z"),
        _ => false,
    };
    match e {
        Expr::Unary("&", cell) => cell.parts().into_iter().any(accesses),
        _ => here || e.parts().into_iter().any(accesses),
    }
}

impl Names<'_> {
    /// The effects of the expression; `None` when its meaning depends on an order that C++17
    /// leaves open.
    pub fn effects(&self, e: &Expr) -> Option<Effects> {
        match e {
            Expr::Atom(name) => Some(Effects::read(self.array(name))),
            Expr::Unary(_, e) | Expr::Cast(_, e) => self.effects(e),
            // These have an order, or the order of their operands is that of C++17.
            Expr::Binary("&&" | "||" | "," | "<<" | ">>", l, r) => {
                Some(self.effects(l)?.and(self.effects(r)?))
            }
            Expr::Index(l, r) => Some(self.effects(l)?.and(self.effects(r)?)),
            Expr::Conditional(c, x, y) => {
                Some(self.effects(c)?.and(self.effects(x)?).and(self.effects(y)?))
            }
            // C++ leaves open which operand comes first, and so what comes before an overflow.
            Expr::Binary(_, l, r)
                if self.stops && (computes(l) && accesses(r) || computes(r) && accesses(l)) =>
            {
                None
            }
            Expr::Binary(_, l, r) => {
                let (l, r) = (self.effects(l)?, self.effects(r)?);
                l.independent(&r).then(|| l.and(r))
            }
            Expr::Assign(_, place, value) => {
                let both = self.effects(place)?.and(self.effects(value)?);
                Some(both.writing(self.roots(place)))
            }
            Expr::Step { place, .. } => Some(self.effects(place)?.writing(self.roots(place))),
            Expr::Call(name, args) => self.call(name, args),
        }
    }

    fn call(&self, name: &str, args: &[Expr]) -> Option<Effects> {
        let callable = self.callables.iter().find(|c| c.name == name);
        let is_macro = callable.is_some_and(|c| c.is_macro);
        // Likewise arguments; those of a macro become operands.
        let open = |i: usize| (0..args.len()).any(|j| i != j && accesses(&args[j]));
        if self.stops && (0..args.len()).any(|i| computes(&args[i]) && open(i)) {
            return None;
        }
        let mut all = Effects::default();
        for (i, arg) in args.iter().enumerate() {
            let mut effects = self.effects(arg)?;
            if is_macro && !effects.is_pure() {
                return None;
            }
            let takes = callable.and_then(|c| c.takes.get(i));
            let atomic = name.starts_with("atomic") && i == 0;
            if atomic || matches!(takes, Some(Takes::Reference(_) | Takes::Pointer(_))) {
                effects = effects.writing(self.roots(arg));
            }
            if !all.independent(&effects) {
                return None;
            }
            all = all.and(effects);
        }
        Some(all)
    }

    /// The array that a name stands for; any other name stands for itself.
    fn array<'a>(&'a self, name: &'a str) -> &'a str {
        self.places.iter().rev().find(|p| p.name == name).map_or(name, |p| &p.base)
    }

    /// What an assignment to the place may change.
    fn roots(&self, place: &Expr) -> BTreeSet<String> {
        match place {
            Expr::Atom(name) => [self.array(name).to_owned(), name.clone()].into(),
            // Of `a[i]` and `a + i` it is `a`.
            Expr::Index(l, _) | Expr::Binary(_, l, _) => self.roots(l),
            other => other.parts().into_iter().flat_map(|e| self.roots(e)).collect(),
        }
    }
}
