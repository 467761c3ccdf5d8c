//! The translation of one kernel: C statements in, BabyCUDA statements out.
//!
//! Local variables are followed in static single assignment form: [`env`] holds the
//! expression that each one has now, branches are joined with `select`, loops are solved into
//! closed forms (module [`loops`]). Only accesses of arrays that other threads see, barriers and
//! the control flow around them become statements.

mod arrays;
mod assign;
pub(crate) mod assume;
mod atomics;
mod branch;
mod budget;
mod calls;
mod conversions;
mod declare;
mod emit;
mod env;
mod exits;
mod expr;
mod globals;
mod groups;
mod inline;
pub(crate) mod intrinsics;
pub(crate) mod kernel;
mod launches;
mod loops;
mod memory;
mod names;
mod operators;
mod order;
mod overflow;
mod places;
mod prune;
mod purity;
mod sites;
mod stmt;
mod switch;
mod tables;
mod types;
mod unknown;

use crate::error::Lowered;
use crate::options::Options;
use crate::range::Known;
use crate::unit::Unit;
use arrays::Arrays;
use babycuda_core::deep::grow;
use babycuda_core::syntax::Note;
use babycuda_core::{Name, Num};
use budget::Budget;
use emit::Output;
use env::Env;
use launches::Launches;
use tree_sitter::Node;

/// Do CUDA or the language declare this name?
pub(crate) fn is_of_cuda(name: &str) -> bool {
    name.starts_with("__")
        || name.starts_with("atomic")
        || matches!(name, "threadIdx" | "blockIdx" | "blockDim" | "gridDim")
        || intrinsics::is_known(name)
        || expr::constant(name).is_some()
        || crate::ctype::named(name).is_some()
        || crate::ctype::is_of_library(name)
}

/// Expressions beyond this size are treated as unknown.
const MAX_SIZE: usize = 1_000;

/// What a translation is for.
#[derive(Clone, Copy, Default, Debug)]
struct Mode {
    /// An assumption: calls and accesses make no sense.
    pure: bool,
    /// An expression, to see whether it has effects.
    probing: bool,
    /// A loop, to see what an iteration does.
    on_trial: bool,
    /// What C evaluates in some threads only, without statements of its own.
    perhaps: bool,
}

/// The state of a translation.
pub(crate) struct Lower<'t> {
    unit: &'t Unit<'t>,
    options: &'t Options,
    env: Env,
    arrays: Arrays,
    out: Output,
    ranges: Known,
    launches: Launches,
    budget: Budget,
    mode: Mode,
}

impl<'t> Lower<'t> {
    /// Counts one unit of work at `node`, and one level of nesting while `f` runs.
    fn nested<T>(&mut self, node: Node<'t>, f: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        self.budget.enter(node)?;
        // Nesting is bounded, but one level of a loop in a branch takes several calls.
        let result = grow(|| f(self));
        self.budget.leave();
        result
    }

    /// Runs `f` in another mode.
    fn within<T>(&mut self, mode: Mode, f: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.mode, mode);
        let result = f(self);
        self.mode = around;
        result
    }

    /// Runs `f` in a new scope.
    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.env.open();
        let result = f(self);
        self.env.close();
        result
    }

    /// A variable of the program that is named like `hint` and bound in the innermost block.
    fn fresh(&mut self, hint: &str) -> Name {
        let name = self.out.names.fresh(hint, self.out.depth());
        // A trial may have used the name for something else.
        self.ranges.unset(&name);
        name
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        self.unit.text_of(node)
    }

    /// Is every variable of `num` bound here, and is it small enough to copy?
    fn usable(&self, num: &Num) -> bool {
        num.is_within(MAX_SIZE) && num.free_vars().iter().all(|x| self.is_bound_here(x))
    }

    fn usable_bool(&self, c: &babycuda_core::Bool) -> bool {
        let as_num = Num::select(c.clone(), Num::from(1), Num::from(0));
        self.usable(&as_num)
    }

    fn is_bound_here(&self, x: &Name) -> bool {
        self.out.names.is_bound(x, self.out.depth())
    }

    fn note(&mut self, message: impl Into<String>, node: Option<Node<'_>>) {
        let span = node.map(|n| self.out.sites.span(self.unit, &n.byte_range()));
        let note = Note { message: message.into(), span };
        if !self.out.notes.contains(&note) {
            self.out.notes.push(note);
        }
    }
}
