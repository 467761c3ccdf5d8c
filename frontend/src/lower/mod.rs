//! The translation of one kernel: C statements in, BabyCUDA statements out.
//!
//! Local variables are followed in static single assignment form: [`Lower::values`] holds the
//! expression that each one has now, branches are joined with `select`, loops are solved into
//! closed forms (module [`loops`]). Only accesses of arrays that other threads see, barriers and
//! the control flow around them become statements.

mod assign;
mod assume;
mod atomics;
mod branch;
mod builtins;
mod calls;
mod conversions;
mod declare;
mod emit;
mod exits;
mod expr;
mod globals;
mod inline;
pub(crate) mod intrinsics;
pub(crate) mod kernel;
mod loops;
mod memory;
mod names;
mod operators;
mod order;
mod overflow;
mod places;
mod purity;
mod stmt;
mod switch;
mod tables;
mod types;

use crate::ctype::CType;
use crate::error::{Lowered, refuse};
use crate::options::Options;
use crate::range::Ranges;
use crate::unit::Unit;
use crate::value::{Binding, Value, VarId};
use babycuda_core::deep::grow;
use babycuda_core::syntax::{ArrayDecl, Note, Param};
use babycuda_core::{Name, Num};
use emit::{Item, SiteTable};
use std::collections::{BTreeSet, HashMap};
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

/// A kernel may ask for at most this many statements to be translated, counting every copy that
/// inlining, unrolling and solving loops make.
const MAX_WORK: usize = 60_000;
/// Expressions beyond this size are treated as unknown.
const MAX_SIZE: usize = 1_000;

/// A local variable.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ctype: CType,
}

/// An inlined function, or the kernel itself.
#[derive(Clone, Debug)]
struct Frame {
    /// The function's name, to detect recursion.
    function: String,
    /// The first scope that its body sees, besides the file's.
    first_scope: usize,
    /// Flags that stop the statements that follow: returned, broken out of, continued.
    flags: Vec<VarId>,
    /// The flag of `return`.
    returned: VarId,
    /// The variable that holds the value to return.
    result: VarId,
    /// Where it is called.
    call: usize,
    /// What its template parameters are bound to.
    instance: Vec<Binding>,
}

/// An array of the program.
#[derive(Clone, Debug)]
struct Array {
    decl: ArrayDecl,
    /// The innermost element type.
    element: CType,
    /// An array that stands for values that cannot be expressed?
    unknown: bool,
}

/// What the translation knows of the launch.
#[derive(Clone, Copy, Default, Debug)]
struct Mentioned {
    /// Which dimensions of a block the kernel mentions.
    block: [bool; 3],
}

/// The state of a translation.
pub(crate) struct Lower<'t> {
    unit: &'t Unit<'t>,
    options: &'t Options,
    /// Names, innermost scope last; the first scope is the file's.
    scopes: Vec<HashMap<String, Binding>>,
    frames: Vec<Frame>,
    variables: Vec<Variable>,
    /// What each variable holds now.
    values: Vec<Value>,
    arrays: Vec<Array>,
    params: Vec<Param>,
    ranges: Ranges,
    /// In how many nested blocks a variable of the program is bound.
    bound_at: HashMap<Name, usize>,
    /// The statements of the blocks that are being built, innermost last.
    blocks: Vec<Vec<Item>>,
    sites: SiteTable,
    used: BTreeSet<Name>,
    /// Shared arrays that were declared, by the place of their declaration, and for which instance
    /// of the template that declares them.
    declared: HashMap<usize, (usize, Vec<Binding>)>,
    /// The array of `extern __shared__` declarations.
    dynamic: Option<usize>,
    mentioned: Mentioned,
    notes: Vec<Note>,
    work: usize,
    depth: usize,
    /// Translating an assumption: calls and accesses make no sense.
    pure: bool,
    /// Running an expression on trial, to see whether it has effects.
    probing: bool,
    /// Translating a loop on trial, to see what an iteration does.
    on_trial: bool,
    /// Arrays that the file initializes and the host may set.
    initialized: BTreeSet<Name>,
    /// The array of stops on overflow, once there is one.
    overflow: Option<Name>,
    /// The array of other stops, once there is one.
    stop: Option<Name>,
    /// How often the loops run of which nobody knows whether they end.
    turns: BTreeSet<Name>,
    /// The dimensions of the grid in which the threads are numbered by an `int`.
    int_grid: [bool; 3],
    /// The most blocks that are meant in each dimension of the grid, where that is limited.
    most_blocks: [Option<u64>; 3],
}

impl<'t> Lower<'t> {
    /// Counts one unit of work at `node`, and one level of nesting while `f` runs.
    fn nested<T>(&mut self, node: Node<'t>, f: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        self.work += 1;
        if self.work > MAX_WORK {
            return refuse(
                node,
                format_args!(
                    "a kernel of more than {MAX_WORK} statements, after inlining and unrolling; \
                     no option allows more"
                ),
            );
        }
        if self.depth > crate::unit::MAX_DEPTH {
            let most = crate::unit::MAX_DEPTH;
            return refuse(node, format_args!("nesting of more than {most} levels"));
        }
        self.depth += 1;
        // Nesting is bounded, but one level of a loop in a branch takes several calls.
        let result = grow(|| f(self));
        self.depth -= 1;
        result
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
        self.bound_at.get(x).is_none_or(|depth| *depth <= self.blocks.len())
    }

    fn note(&mut self, message: impl Into<String>, node: Option<Node<'_>>) {
        let span = node.map(|n| self.sites.span(self.unit, &n.byte_range()));
        let note = Note { message: message.into(), span };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}
