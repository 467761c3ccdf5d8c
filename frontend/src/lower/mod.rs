//! The translation of one kernel: its typed tree in, BabyCUDA statements out.
//!
//! Local variables are followed in static single assignment form: [`env`] holds the
//! expression that each one has now, branches are joined with `select`, loops are solved into
//! closed forms (module [`loops`]). Only accesses of arrays that other threads see, barriers and
//! the control flow around them become statements.

mod arrays;
mod assume;
mod atomics;
mod bits;
mod branch;
mod budget;
mod bytes;
mod calls;
mod choices;
mod composed;
mod conversions;
mod copies;
mod declare;
mod emit;
mod env;
mod events;
mod exits;
mod expr;
mod fields;
mod flight;
mod floats;
mod globals;
mod groups;
pub(crate) mod inline;
mod intrinsics;
pub(crate) mod kernel;
mod launches;
mod layout;
mod loops;
mod made;
mod matrix;
mod meant;
mod memory;
mod names;
mod objects;
mod opencl;
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
mod together;
mod types;
mod unknown;

use crate::options::Options;
use crate::range::Known;
use arrays::Arrays;
use babycuda_core::deep::grow;
use babycuda_core::syntax::Note;
use babycuda_core::{Name, Num, Program, Span};
use babycuda_kernel::{At, Kernel, Var};
use budget::Budget;
use emit::Output;
use env::Env;
use launches::Launches;
use std::collections::BTreeSet;
use std::fmt;

/// A construct of a kernel that is not translated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refused {
    /// Where it stands.
    pub(crate) at: At,
    /// Its name.
    pub(crate) construct: String,
    /// Is it a barrier of which it is not known whom it holds?
    unclear: bool,
    /// What threads do before they meet such a construct: see [`kernel::kernel`].
    pub(crate) known: Option<Box<Program>>,
    /// The kernel without such barriers, likewise.
    pub(crate) freer: Option<Box<Program>>,
}

/// The result of translating a part of a kernel.
type Lowered<T> = Result<T, Refused>;

/// Refuses the construct at a place.
fn refuse<T>(at: At, construct: impl fmt::Display) -> Lowered<T> {
    let construct = construct.to_string();
    Err(Refused { at, construct, unclear: false, known: None, freer: None })
}

/// What becomes of a construct that is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Otherwise {
    /// So is the kernel.
    Refused,
    /// A thread goes no further there.
    Halts,
    /// So is the kernel; but nobody waits at a barrier of which it is not known whom it holds.
    Passes,
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
    /// What leaves the loop around, and is it taken in this iteration?
    leaving: Option<(loops::Flags, bool)>,
}

/// The state of a translation.
pub(crate) struct Lower<'t> {
    kernel: &'t Kernel,
    /// The file.
    source: &'t str,
    options: &'t Options,
    env: Env,
    arrays: Arrays,
    out: Output,
    ranges: Known,
    launches: Launches,
    budget: Budget,
    uniform: fields::Fields,
    /// The parameters and arrays that are parts of objects: those that nobody needs go.
    given: BTreeSet<Name>,
    /// What is known of asynchronous copies, where the kernel makes some.
    copies: Option<copies::Copies>,
    /// What is known of copies that work-groups make together, likewise.
    events: Option<events::Events>,
    /// Is a copy being made?
    copying: bool,
    /// What is known of copies that the threads of groups make together.
    together: copies::Together,
    /// The accesses of copies that a pipeline waits for.
    flight: flight::Copied,
    /// What is copied.
    copied: BTreeSet<crate::value::ArrayId>,
    /// Has the thread arrived at a barrier, and not waited yet?
    arrival: Option<copies::Arrival>,
    /// The arrays of which pointers point into one.
    choices: Vec<choices::Choice>,
    /// Who holds the elements of fragments, for each of their types.
    fragments: Vec<(babycuda_kernel::Type, matrix::Lanes)>,
    mode: Mode,
    /// What the conditions of the loops around speak of.
    counters: Vec<loops::Counter>,
    /// What never changes after its declaration.
    settled: BTreeSet<Var>,
    otherwise: Otherwise,
    /// Variables that hold what all threads of a block read alike, where no thread writes it then.
    alike: BTreeSet<Name>,
}

impl<'t> Lower<'t> {
    /// Counts one unit of work at `at`, and one level of nesting while `f` runs.
    fn nested<T>(&mut self, at: At, f: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        self.budget.enter(at)?;
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

    /// A variable of the program that is named like `hint` and bound in the innermost block.
    fn fresh(&mut self, hint: &str) -> Name {
        let name = self.out.names.fresh(hint, self.out.depth());
        // A trial may have used the name for something else.
        self.ranges.unset(&name);
        self.alike.remove(&name);
        name
    }

    /// The place in the file of a part of the kernel.
    fn span(&self, at: At) -> Span {
        Span::locate(self.source, self.kernel[at].bytes.clone())
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

    fn note(&mut self, message: impl Into<String>, at: Option<At>) {
        let span = at.map(|at| self.span(at));
        let note = Note { message: message.into(), span };
        if !self.out.notes.contains(&note) {
            self.out.notes.push(note);
        }
    }
}
