//! Loops, of all of C's three forms.
//!
//! One iteration is translated on trial ([`trial`]), with a symbol `φ` for what each variable holds
//! when the iteration starts. What a variable holds at its end, in terms of the symbols, is a recurrence;
//! module [`recurrence`] solves those it can into closed forms of the iteration's number, and
//! [`trip`] solves the condition for the number of iterations. Then the loop becomes a BabyCUDA
//! loop of stride 1 and its body is translated once more, with the closed forms in place.
//!
//! - Condition, body and update are ordered in one place, [`Lower::iteration`], for every kind of
//!   loop; the last evaluation of the condition, which ends the loop, has its effects, too.
//! - A counter may overflow for some values of the parameters. Where overflow is a stop, the loop
//!   ends and the stop follows. Where it wraps, there are two loops: one with closed forms, below
//!   the condition that the counter does not overflow, and else one of those below.
//!   A counter of a signed type that goes on by an unsigned step stops its thread likewise ([`counters`]), and so does
//!   one of an unsigned type that goes up towards a limit: nobody means it to wrap around.
//!   So are its multiples, where the condition compares one with a constant ([`multiples`]).
//! - A limit that the condition reads in an array is the same in every iteration, if the kernel does
//!   not write the array, or if the loop does not and has no barrier. The condition is evaluated once
//!   more before the loop, and what it reads there counts ([`ahead`]).
//! - A loop whose condition no iteration changes, and that nothing else leaves, runs not at all or
//!   for ever: where the condition holds, a thread that has made the accesses of an iteration goes
//!   no further. (C++ lets a compiler take such a loop to end, unless the condition is a constant:
//!   a thread that gets there is undefined.)
//! - Without a known number of iterations, the loop runs an unknown number of times, and what it
//!   changes is unknown in each iteration: an over-approximation that a checker sees as data.
//!   It may never end, so it stays even where an iteration does nothing. With a barrier inside, it
//!   is refused, unless the threads of a block leave it together ([`together`]).
//! - An iteration that a `break` or a `return` leaves, at a condition that tells when, is the last one: the iterations
//!   before it are counted, and it stands behind them ([`breaks`]).
//! - What variables hold that change places in each iteration, as buffers do, is what one of them held before the loop
//!   ([`rotations`]).
//! - What has no closed form is exact when the loop can be unrolled: when its condition has a
//!   known value every time, as under a concrete launch.

mod ahead;
mod breaks;
mod counted;
mod counters;
mod fits;
mod multiples;
mod recurrence;
mod rotations;
mod times;
mod together;
mod trial;
mod trip;
mod unknown;
mod unroll;

pub(super) use breaks::Flags;
pub(super) use counters::{Counter, settled};

use super::branch::Side;
use super::emit::Item;
use super::{At, Lower, Lowered, Mode, Otherwise, refuse};
use crate::value::VarId;
use babycuda_core::Bool;
use babycuda_core::deep::grow;
use babycuda_kernel::{Expr, Loop, Stmt};
use recurrence::Closed;
use trial::Trial;
use trip::Counted;

/// The parts of a loop.
#[derive(Clone, Copy)]
pub(super) struct Syntax<'t> {
    at: At,
    condition: Option<&'t Expr>,
    update: Option<&'t Expr>,
    body: &'t Stmt,
    /// The flags of `break` and `continue`.
    broken: VarId,
    continued: VarId,
}

/// What to take for the value of a loop's condition, given the value that it has.
type Decide<'a, 't> = &'a dyn Fn(&mut Lower<'t>, Bool) -> Lowered<Bool>;

/// What is known of a loop.
pub(super) struct Plan<'t> {
    syntax: Syntax<'t>,
    trial: Trial,
    /// The closed form of each variable that has one.
    closed: Vec<Option<Closed>>,
    /// Are its iterations counted up to the one that is left?
    breaks: bool,
}

impl<'t> Lower<'t> {
    pub(super) fn loop_statement(&mut self, parts: &'t Loop, at: At) -> Lowered<()> {
        for stmt in &parts.initial {
            self.statement(stmt)?;
        }
        let syntax = Syntax {
            at,
            condition: parts.condition.as_ref(),
            update: parts.update.as_ref(),
            body: &parts.body,
            broken: self.env.flag("break"),
            continued: self.env.flag("continue"),
        };
        let next: Side<'_, 't> = &|s| s.run_loop(syntax);
        let around = self.counters.len();
        let counters = self.counters_of(syntax);
        self.counters.extend(counters);
        let done = self.with_flag(syntax.broken, |s| {
            s.with_flag(syntax.continued, |s| match parts.test_first {
                // `do b while (c)` is `b; while (c) b`.
                false => s.turn(syntax, next),
                true => next(s),
            })
        });
        self.counters.truncate(around);
        done?;
        self.env.lower(&[syntax.broken, syntax.continued]);
        Ok(())
    }

    /// One iteration, from what the variables hold now: the condition, then the body and the
    /// update, then `next` where the loop goes on. This is the only place that orders them.
    ///
    /// The condition is evaluated in any case, for its effects; `decide` says what to take for
    /// its value.
    fn iteration(
        &mut self,
        syntax: Syntax<'t>,
        decide: Decide<'_, 't>,
        next: Side<'_, 't>,
    ) -> Lowered<()> {
        let condition = match syntax.condition {
            Some(condition) => {
                let in_full = Mode { on_trial: false, ..self.mode };
                self.within(in_full, |s| s.condition(condition))?
            }
            None => Bool::Lit(true),
        };
        let condition = decide(self, condition)?;
        // Unrolling nests one iteration in the other.
        grow(|| self.branch(condition, &|s| s.turn(syntax, next), &|_| Ok(()), syntax.at))
    }

    /// The body; then, where nobody has left the loop, the update and `next`.
    fn turn(&mut self, syntax: Syntax<'t>, next: Side<'_, 't>) -> Lowered<()> {
        self.statement(syntax.body)?;
        self.env.lower(&[syntax.continued]);
        let active = self.env.active();
        let rest: Side<'_, 't> = &|s| {
            if let Some(update) = syntax.update {
                s.effects(update)?;
            }
            next(s)
        };
        self.under(active, rest, syntax.at)
    }

    /// One iteration, for its statements. On trial, those of the loop's own trial do as well.
    fn emitted(&mut self, plan: &Plan<'t>, decide: Decide<'_, 't>) -> Lowered<()> {
        if self.mode.on_trial && !plan.trial.body.has_sync() {
            self.push(Item::Stmt(plan.trial.body.clone()));
            return Ok(());
        }
        self.iteration(plan.syntax, decide, &|_| Ok(()))
    }

    /// The last evaluation of a loop's condition, which is false.
    fn leave(&mut self, syntax: Syntax<'t>) -> Lowered<()> {
        self.iteration(syntax, &|_, _| Ok(Bool::Lit(false)), &|_| Ok(()))
    }

    fn run_loop(&mut self, syntax: Syntax<'t>) -> Lowered<()> {
        if let Some(condition) = syntax.condition
            && let Ok(Bool::Lit(false)) = self.discarded(|s| s.condition(condition))
        {
            return self.leave(syntax);
        }
        let mut tried = false;
        let result = self.attempt(|s| s.solved_loop(syntax, &mut tried));
        match result {
            // What is refused for unknown values may be known in every iteration.
            Err(_) if !tried && self.unrolled(syntax) => Ok(()),
            Err(_) if self.otherwise == Otherwise::Halts && self.once(syntax) => Ok(()),
            result => result,
        }
    }

    /// The loop by what one iteration of it does. `tried`: unrolling it was tried first.
    fn solved_loop(&mut self, syntax: Syntax<'t>, tried: &mut bool) -> Lowered<()> {
        let trial = self.trial(syntax)?;
        self.know_all_threads();
        let closed = trial.variables.solve(&self.ranges, &|x| self.is_bound_here(x));
        let open = trial.changed().any(|v| closed[v].is_none() && self.worth_knowing(&trial, v));
        let fixed = self.read_ahead(syntax, &trial)?;
        let unbroken = self.count_unbroken(&trial, &closed, &fixed);
        let breaks = unbroken.as_ref().is_some_and(|counted| !counted.partial);
        let by_condition = |condition| self.count(condition, &trial, &closed, &fixed);
        let in_part = unbroken.filter(|_| breaks || !trial.body.has_sync());
        let counted = match breaks {
            true => in_part,
            false => trial.condition.as_ref().and_then(by_condition).or(in_part),
        };
        let plan = Plan { syntax, trial, closed, breaks };
        if let Some(condition) = self.endless(&plan.trial) {
            return self.endless_loop(&plan, condition);
        }
        let solved = matches!(&counted, Some(c) if c.safe == Bool::Lit(true) && !c.partial);
        *tried = !solved || open || (plan.trial.irregular && !plan.breaks);
        if *tried && self.unrolled(syntax) {
            return Ok(());
        }
        let partial = |c: &Counted| c.partial && plan.trial.body.has_sync();
        let Some(counted) = counted.filter(|c| !partial(c) || !self.is_left_together(&plan)) else {
            return self.unknown_loop(&plan);
        };
        if plan.trial.body.has_sync() && counted.safe != Bool::Lit(true) {
            return refuse(
                syntax.at,
                format!(
                    "barrier in a loop whose counter `{}` may overflow (an assumption that bounds it would help)",
                    self.env.name(counted.variable)
                ),
            );
        }
        self.branch(
            counted.safe.clone(),
            &|s| s.counted_loop(&plan, &counted),
            &|s| s.unknown_loop(&plan),
            syntax.at,
        )
    }
}
