//! Loops, of all of C's three forms.
//!
//! One iteration is translated on trial, with a symbol `φ` for what each variable holds when the
//! iteration starts. What a variable holds at its end, in terms of the symbols, is a recurrence;
//! module [`recurrence`] solves those it can into closed forms of the iteration's number, and
//! [`trip`] solves the condition for the number of iterations. Then the loop becomes a BabyCUDA
//! loop of stride 1 and its body is translated once more, with the closed forms in place.
//!
//! - Condition, body and update are ordered in one place, [`Lower::iteration`], for every kind of
//!   loop; the last evaluation of the condition, which ends the loop, has its effects, too.
//! - A counter that could overflow, for some values of the parameters: where overflow is a stop, the
//!   loop ends and the stop follows. Where it wraps, it splits the loop: the closed forms below the
//!   condition that it does not, the next case otherwise.
//! - A loop whose condition no iteration changes, and that nothing else leaves, runs not at all or
//!   for ever: where the condition holds, a thread that has made the accesses of an iteration goes
//!   no further. (C++ lets a compiler take such a loop to end, unless the condition is a constant:
//!   a thread that gets there is undefined.)
//! - Without a known number of iterations, the loop runs an unknown number of times, and what it
//!   changes is unknown in each iteration: an over-approximation that a checker sees as data.
//!   It may never end, so it stays even where an iteration does nothing. With a barrier inside, it
//!   is refused.
//! - What has no closed form is exact when the loop can be unrolled: when its condition has a
//!   known value every time, as under a concrete launch.

mod counted;
mod recurrence;
mod trip;
mod unroll;

use super::Lower;
use super::branch::Side;
use super::emit::Item;
use crate::arith::compare_natural;
use crate::ctype::CType;
use crate::error::{Lowered, refuse};
use crate::value::{Pointer, Value, VarId};
use babycuda_core::deep::grow;
use babycuda_core::expr::Relation;
use babycuda_core::{Bool, IntType, Name, Num, Stmt};
use recurrence::{Closed, Recurrences};
use std::cell::RefCell;
use tree_sitter::Node;
pub(super) use trip::mirrored;

/// The parts of a loop.
#[derive(Clone, Copy)]
pub(super) struct Syntax<'t> {
    node: Node<'t>,
    condition: Option<Node<'t>>,
    update: Option<Node<'t>>,
    body: Node<'t>,
    /// The flags of `break` and `continue`.
    broken: VarId,
    continued: VarId,
}

/// What to take for the value of a loop's condition, given the value that it has.
type Decide<'a, 't> = &'a dyn Fn(&mut Lower<'t>, Bool) -> Lowered<Bool>;

/// What one iteration does, by trial.
pub(super) struct Trial {
    /// The symbol for each variable.
    symbols: Vec<Value>,
    /// The names of the symbols.
    names: Vec<Name>,
    /// What each variable holds when the next iteration starts.
    next: Vec<Value>,
    /// What each variable holds afterwards, also where the iteration leaves the loop.
    left: Vec<Value>,
    /// The loop's condition, in the symbols; `None` when evaluating it accesses memory.
    condition: Option<Bool>,
    /// The statements.
    body: Stmt,
    /// May an iteration leave the loop by `break` or `return`?
    irregular: bool,
    /// The flags of enclosing statements that an iteration may raise.
    raised: Vec<VarId>,
    /// The variables whose last operation an iteration stops before when it overflows.
    exact: Vec<VarId>,
}

impl Trial {
    /// The variables that an iteration changes.
    fn changed(&self) -> impl Iterator<Item = VarId> + '_ {
        let same = |v: VarId, values: &[Value]| self.symbols[v] == values[v];
        (0..self.symbols.len()).filter(move |v| !same(*v, &self.next) || !same(*v, &self.left))
    }
}

/// What is known of a loop.
pub(super) struct Plan<'t> {
    syntax: Syntax<'t>,
    trial: Trial,
    /// The closed form of each variable that has one.
    closed: Vec<Option<Closed>>,
    /// The values before the loop.
    entry: Vec<Value>,
}

impl<'t> Lower<'t> {
    pub(super) fn loop_statement(&mut self, node: Node<'t>) -> Lowered<()> {
        let Some(body) = node.child_by_field_name("body") else {
            return refuse(node, "syntax error");
        };
        self.scoped(|s| {
            match node.child_by_field_name("initializer") {
                Some(declaration) if declaration.kind() == "declaration" => {
                    s.declaration(declaration)?;
                }
                Some(expression) => s.effects(expression)?,
                None => {}
            }
            let syntax = Syntax {
                node,
                condition: node.child_by_field_name("condition"),
                update: node.child_by_field_name("update"),
                body,
                broken: s.flag("break"),
                continued: s.flag("continue"),
            };
            let next: Side<'_, 't> = &|s| s.run_loop(syntax);
            s.with_flag(syntax.broken, |s| {
                s.with_flag(syntax.continued, |s| match node.kind() {
                    // `do b while (c)` is `b; while (c) b`.
                    "do_statement" => s.turn(syntax, next),
                    _ => next(s),
                })
            })?;
            s.lower_flags(&[syntax.broken, syntax.continued]);
            Ok(())
        })
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
            Some(condition) => self.condition(condition)?,
            None => Bool::Lit(true),
        };
        let condition = decide(self, condition)?;
        // Unrolling nests one iteration in the other.
        grow(|| self.branch(condition, &|s| s.turn(syntax, next), &|_| Ok(()), syntax.node))
    }

    /// The body; then, where nobody has left the loop, the update and `next`.
    fn turn(&mut self, syntax: Syntax<'t>, next: Side<'_, 't>) -> Lowered<()> {
        self.scoped(|s| s.statement(syntax.body))?;
        self.lower_flags(&[syntax.continued]);
        let active = self.active();
        let rest: Side<'_, 't> = &|s| {
            if let Some(update) = syntax.update {
                s.effects(update)?;
            }
            next(s)
        };
        self.under(active, rest, syntax.node)
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
        let entry = self.values.clone();
        let trial = match self.trial(syntax) {
            Ok(trial) => trial,
            // What is refused for unknown values may be known in every iteration.
            Err(refusal) => return if self.unrolled(syntax)? { Ok(()) } else { Err(refusal) },
        };
        let recurrences = Recurrences {
            names: &trial.names,
            symbols: &trial.symbols,
            next: &trial.next,
            entry: &entry,
        };
        let closed = recurrences.solve(&self.ranges, &|x| self.is_bound_here(x));
        let open = trial
            .changed()
            .any(|v| closed[v].is_none() && self.worth_knowing(&trial.next[v], &trial.names));
        let counted = self.count(&trial, &closed, &entry);
        if let Some(condition) = self.endless(&trial, &recurrences) {
            let plan = Plan { syntax, trial, closed, entry };
            return self.endless_loop(&plan, condition);
        }
        let solved = matches!(&counted, Some(c) if c.safe == Bool::Lit(true) && !c.partial);
        let mut tried = false;
        if !solved || open || trial.irregular {
            tried = true;
            if self.unrolled(syntax)? {
                return Ok(());
            }
        }
        let plan = Plan { syntax, trial, closed, entry };
        let Some(counted) = counted else {
            return self.unknown_loop(&plan);
        };
        if counted.safe == Bool::Lit(true) {
            return self.counted_loop(&plan, &counted);
        }
        if plan.trial.body.has_sync() {
            if !tried && self.unrolled(syntax)? {
                return Ok(());
            }
            return refuse(
                syntax.node,
                format!(
                    "barrier in a loop whose counter `{}` may overflow (an assumption that bounds it would help)",
                    self.variables[counted.variable].name
                ),
            );
        }
        let safe = counted.safe.clone();
        self.branch(
            safe,
            &|s| s.counted_loop(&plan, &counted),
            &|s| s.unknown_loop(&plan),
            syntax.node,
        )
    }

    /// Would unrolling tell what a variable holds? Not when it holds data read in the loop.
    fn worth_knowing(&self, next: &Value, symbols: &[Name]) -> bool {
        let from_outside = |num: &Num| {
            num.free_vars().iter().all(|x| symbols.contains(x) || self.is_bound_here(x))
        };
        match next {
            Value::Int(_, num) => from_outside(num),
            Value::Pointer(p) => from_outside(&p.index),
            Value::Bool(c) => {
                from_outside(&Num::select(c.clone(), crate::arith::lit(1), crate::arith::lit(0)))
            }
            Value::Poison(_) => true,
            _ => false,
        }
    }

    /// Translates one iteration and forgets the statements.
    fn trial(&mut self, syntax: Syntax<'t>) -> Lowered<Trial> {
        let entry = self.values.clone();
        let used = self.used.clone();
        let names: Vec<Name> =
            (0..entry.len()).map(|v| Name::new(format!("φ{v}@{}", self.blocks.len()))).collect();
        let symbols: Vec<Value> =
            entry.iter().zip(&names).map(|(value, name)| symbol(value, name)).collect();
        let depth = self.blocks.len() + 1;
        for (name, value) in names.iter().zip(&symbols) {
            self.bound_at.insert(name.clone(), depth);
            self.ranges.unset(name);
            if let Value::Int(t, _) = value {
                self.ranges.set(name.clone(), *t, crate::range::full(*t));
            }
        }
        self.values = symbols.clone();
        let flags = self.frames.last().map(|f| f.flags.clone()).unwrap_or_default();
        let condition = RefCell::new(None);
        let next = RefCell::new(None);
        let exact = RefCell::new(Vec::new());
        let result = self.in_block(|s| {
            s.lower_flags(&flags);
            s.iteration(
                syntax,
                &|s, c| {
                    let items = s.blocks.last().map_or(&[][..], |items| items);
                    let accesses = items.iter().any(|i| !s.is_unknown(i));
                    *condition.borrow_mut() = (!accesses).then_some(c);
                    Ok(Bool::Lit(true))
                },
                &|s| {
                    *next.borrow_mut() = Some(s.values.clone());
                    let is_exact = |v: &VarId| matches!(&s.values[*v], Value::Int(_, num) if s.ranges.is_exact(num));
                    *exact.borrow_mut() = (0..symbols.len()).filter(is_exact).collect();
                    Ok(())
                },
            )?;
            let raised: Vec<VarId> = flags
                .iter()
                .copied()
                .filter(|f| s.values[*f] != Value::Bool(Bool::Lit(false)))
                .collect();
            Ok((raised, s.values.clone()))
        });
        self.values = entry;
        self.variables.truncate(self.values.len());
        self.restore_used(used);
        let ((mut raised, left), body) = result?;
        let irregular = !raised.is_empty();
        raised.retain(|f| *f != syntax.broken);
        let variables = |mut values: Vec<Value>| {
            values.truncate(symbols.len());
            for flag in &flags {
                values[*flag] = symbols[*flag].clone();
            }
            values
        };
        Ok(Trial {
            // An iteration that never goes on is the only one.
            next: variables(next.take().unwrap_or_else(|| left.clone())),
            left: variables(left),
            condition: condition.take(),
            symbols,
            names,
            body,
            irregular,
            raised,
            exact: exact.take(),
        })
    }

    fn lower_flags(&mut self, flags: &[VarId]) {
        for flag in flags {
            self.values[*flag] = Value::Bool(Bool::Lit(false));
        }
    }

    /// Is the item a read of an unknown value, which is no access?
    pub(super) fn is_unknown(&self, item: &Item) -> bool {
        match item {
            item if self.only_stops(item) => true,
            Item::Read { array, .. } => {
                self.arrays.iter().any(|a| a.unknown && a.decl.name == *array)
            }
            _ => false,
        }
    }

    /// Makes what an iteration changes unknown.
    fn forget(&mut self, plan: &Plan<'t>) {
        for v in plan.trial.changed() {
            let ctype = self.variables[v].ctype.clone();
            self.values[v] = match (&plan.entry[v], &plan.trial.next[v]) {
                (Value::Pointer(p), Value::Pointer(q)) if p.base == q.base => {
                    let index = self.unknown_int(IntType::U64, plan.syntax.node);
                    Value::Pointer(Pointer { index, ..p.clone() })
                }
                (Value::Void, _) => Value::Void,
                _ => self.unknown(&ctype, plan.syntax.node),
            };
        }
    }

    /// Raises, or not, the flags of enclosing statements that an iteration may raise: nobody knows.
    fn forget_flags(&mut self, plan: &Plan<'t>) {
        for flag in &plan.trial.raised {
            self.values[*flag] = Value::Bool(self.unknown_bool(plan.syntax.node));
        }
    }

    /// The condition of a loop that runs for ever where it holds: no iteration changes it, nor
    /// leaves the loop otherwise.
    fn endless(&self, trial: &Trial, recurrences: &Recurrences<'_>) -> Option<Bool> {
        let condition = trial.condition.as_ref()?.subst(&recurrences.unchanged());
        let known = |x: &Name| !trial.names.contains(x) && self.is_bound_here(x);
        let same = condition.free_vars().iter().all(known) && self.usable_bool(&condition);
        (same && !trial.irregular).then_some(condition)
    }

    /// A loop that runs for ever where `condition` holds.
    fn endless_loop(&mut self, plan: &Plan<'t>, condition: Bool) -> Lowered<()> {
        if plan.trial.body.has_sync() {
            return refuse(plan.syntax.node, "barrier in a loop that does not end");
        }
        let syntax = plan.syntax;
        let rounds: Side<'_, 't> = &|s| {
            s.turns(plan, false)?;
            s.halt(Bool::Lit(true), "a loop does not end", syntax.node);
            // Nobody gets here: what variables hold is what they hold where nobody was in the loop.
            s.values.clone_from_slice(&plan.entry);
            s.leave(syntax)
        };
        self.branch(condition, rounds, &|s| s.leave(syntax), syntax.node)
    }

    /// A loop that runs an unknown number of times, perhaps for ever. So it stays where its
    /// iterations do nothing: what follows it rests on that number.
    fn unknown_loop(&mut self, plan: &Plan<'t>) -> Lowered<()> {
        self.turns(plan, true)
    }

    /// An unknown number of iterations; `stays`: also of one that does nothing.
    fn turns(&mut self, plan: &Plan<'t>, stays: bool) -> Lowered<()> {
        let syntax = plan.syntax;
        if plan.trial.body.has_sync() {
            return refuse(
                syntax.node,
                "barrier in a loop whose number of iterations is not known",
            );
        }
        let base = self.values.len();
        if plan.trial.condition.is_none() {
            // At least once, the condition is evaluated with what variables hold now.
            self.leave(syntax)?;
            self.values.truncate(base);
            self.variables.truncate(base);
            self.values.clone_from_slice(&plan.entry);
        }
        let times = self.unknown_natural(syntax.node);
        if stays {
            times.collect_vars(&mut self.turns);
        }
        let ((), body) = self.in_block(|s| {
            s.forget(plan);
            s.iteration(syntax, &|_, condition| Ok(condition), &|_| Ok(()))
        })?;
        self.values.truncate(base);
        self.variables.truncate(base);
        self.values.clone_from_slice(&plan.entry);
        let var = self.fresh("round");
        self.push_for(syntax.node, var, crate::arith::lit(0), times, body);
        self.forget(plan);
        self.forget_flags(plan);
        Ok(())
    }
}

/// The symbol for a variable that holds `value` before the loop.
fn symbol(value: &Value, name: &Name) -> Value {
    let var = Num::Var(name.clone());
    match value {
        Value::Int(t, _) => Value::Int(*t, var),
        Value::Bool(_) => Value::Bool(compare_natural(Relation::Ne, var, crate::arith::lit(0))),
        Value::Data(data, _) => Value::Data(data.clone(), Some(var)),
        Value::Pointer(p) => Value::Pointer(Pointer { index: var, ..p.clone() }),
        other => other.clone(),
    }
}

/// The index type of a value that has a closed form.
fn induction_type(value: &Value, ctype: &CType) -> Option<IntType> {
    match (value, ctype) {
        (Value::Int(t, _), _) => Some(*t),
        (Value::Pointer(_), _) => Some(IntType::U64),
        _ => None,
    }
}
