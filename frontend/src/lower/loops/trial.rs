//! One iteration of a loop on trial: with a symbol for what each variable holds when it starts.
//!
//! Loops inside of the one that is tried are tried themselves, and no more: nobody keeps the
//! statements. So a body in `d` loops is translated at most `d` times on trial and once for its
//! statements, and that as often as the loops around are unrolled. Two kinds of loops inside are
//! translated in full all the same, which doubles the work with each: those with a barrier, which
//! closed forms may exclude, and those of a condition, where it matters whether they access memory.

use super::recurrence::Recurrences;
use super::{Flags, Syntax};
use crate::arith::{bit, compare_natural, lit, not};
use crate::lower::emit::Item;
use crate::lower::{Lower, Lowered, Mode};
use crate::range::full;
use crate::value::{Base, Pointer, Value, VarId};
use babycuda_core::expr::Relation;
use babycuda_core::{Bool, IntType, Name, Num, Stmt};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What one iteration does, by trial.
pub(super) struct Trial {
    /// What each variable holds before the loop, and at both ends of an iteration.
    pub(super) variables: Recurrences,
    /// What each variable holds afterwards, also where the iteration leaves the loop.
    left: Vec<Value>,
    /// The loop's condition, in the symbols; `None` when evaluating it accesses memory otherwise
    /// than by `reads`.
    pub(super) condition: Option<Bool>,
    /// What evaluating it reads, each time.
    pub(super) reads: Vec<Item>,
    /// The statements.
    pub(super) body: Stmt,
    /// May an iteration leave the loop by `break` or `return`?
    pub(super) irregular: bool,
    /// When an iteration does, in the symbols, and by which flags, where they are those of this loop and this function.
    pub(super) broken: Option<(Bool, Flags)>,
    /// The flags of enclosing statements that an iteration may raise.
    pub(super) raised: Vec<VarId>,
    /// The variables whose last operation an iteration stops before when it overflows.
    pub(super) exact: Vec<VarId>,
}

impl Trial {
    /// The variables that an iteration changes.
    pub(super) fn changed(&self) -> impl Iterator<Item = VarId> + '_ {
        let Recurrences { symbols, next, .. } = &self.variables;
        (0..symbols.len()).filter(move |v| symbols[*v] != next[*v] || symbols[*v] != self.left[*v])
    }
}

impl<'t> Lower<'t> {
    /// Would unrolling tell what a variable holds? Not when it holds data read in the loop.
    pub(super) fn worth_knowing(&self, trial: &Trial, v: VarId) -> bool {
        let Recurrences { names, next, .. } = &trial.variables;
        let from_outside =
            |num: &Num| num.free_vars().iter().all(|x| names.contains(x) || self.is_bound_here(x));
        match &next[v] {
            Value::Int(_, num) => from_outside(num),
            Value::Pointer(p) => from_outside(&p.index),
            Value::Bool(c) => from_outside(&bit(c.clone())),
            Value::Poison(_) => true,
            _ => false,
        }
    }

    /// Translates one iteration and forgets the statements. At first, pointers to local variables are taken to be the same
    /// in all iterations, as those are that closures hold; where one is not, any is meant.
    pub(super) fn trial(&mut self, syntax: Syntax<'t>) -> Lowered<Trial> {
        let stays = |value: &Value| match value {
            Value::Pointer(p) => {
                matches!(p.base, Base::Local(_)) || self.is_own(p.base) == Some(true)
            }
            _ => false,
        };
        let held: BTreeSet<VarId> =
            (0..self.env.values().len()).filter(|v| stays(&self.env[*v])).collect();
        let first = self.trial_with(syntax, &held)?;
        let kept = first.changed().all(|v| !held.contains(&v));
        let (mut trial, held) = match kept {
            true => (first, held),
            false => (self.trial_with(syntax, &BTreeSet::new())?, BTreeSet::new()),
        };
        let closed = trial.variables.solve(&self.ranges, &|x| self.is_bound_here(x));
        let is_open =
            |v: VarId| closed[v].is_none() && induction_type(&trial.variables.entry[v]).is_some();
        if trial.changed().any(is_open)
            && let Some((when, flags)) = self.known_to_leave(&trial)
        {
            // Where the next iteration starts, nobody has left this one.
            let mode = Mode { leaving: Some((flags, false)), ..self.mode };
            let stayed = self.within(mode, |s| s.trial_with(syntax, &held))?;
            trial.variables.next = stayed.variables.next;
            trial.variables.assume(&not(when));
            trial.exact = stayed.exact;
        }
        Ok(trial)
    }

    /// An iteration in which the variables `held` hold what they hold now.
    fn trial_with(&mut self, syntax: Syntax<'t>, held: &BTreeSet<VarId>) -> Lowered<Trial> {
        let mark = self.mark();
        let entry = mark.values.clone();
        let names: Vec<Name> =
            (0..entry.len()).map(|v| Name::new(format!("φ{v}@{}", self.out.depth()))).collect();
        let symbols: Vec<Value> = entry
            .iter()
            .zip(&names)
            .enumerate()
            .map(|(v, (value, name))| match held.contains(&v) {
                true => value.clone(),
                false => symbol(value, name),
            })
            .collect();
        let depth = self.out.depth() + 1;
        for (name, value) in names.iter().zip(&symbols) {
            self.out.names.bind(name.clone(), depth);
            self.ranges.unset(name);
            if let Value::Int(t, _) = value {
                self.ranges.set(name.clone(), *t, full(*t));
            }
        }
        // What nothing changes is in the range that it is in now.
        for v in self.env.only_of(&self.settled).filter(|v| *v < entry.len()).collect::<Vec<_>>() {
            if let Value::Int(t, num) = &entry[v] {
                let range = self.ranges.of(num, *t);
                self.ranges.set(names[v].clone(), *t, range);
            }
        }
        self.env.restore(symbols.clone());
        let flags = self.env.flags().to_vec();
        let condition = RefCell::new(None);
        let reads = RefCell::new(Vec::new());
        let next = RefCell::new(None);
        let exact = RefCell::new(Vec::new());
        let result = self.within(Mode { on_trial: true, ..self.mode }, |s| s.in_block(|s| {
            s.env.lower(&flags);
            s.iteration(
                syntax,
                &|s, c| {
                    if let Some(found) = s.reads(0) {
                        *condition.borrow_mut() = Some(c);
                        *reads.borrow_mut() = found;
                    }
                    Ok(Bool::Lit(true))
                },
                &|s| {
                    *next.borrow_mut() = Some(s.env.values().to_vec());
                    let is_exact = |v: &VarId| matches!(&s.env[*v], Value::Int(_, num) if s.ranges.is_exact(num));
                    *exact.borrow_mut() = (0..symbols.len()).filter(is_exact).collect();
                    Ok(())
                },
            )?;
            let raised: Vec<VarId> = flags
                .iter()
                .copied()
                .filter(|f| s.env[*f] != Value::Bool(Bool::Lit(false)))
                .collect();
            Ok((raised, s.env.values().to_vec()))
        }));
        self.back_to(mark);
        let ((mut raised, left), body) = result?;
        let reads = reads.take();
        let condition = condition.take();
        // What the condition speaks of has its name for itself.
        let read = |item: &Item| match item {
            Item::Read { var, .. } => Some(var.clone()),
            _ => None,
        };
        self.out.names.keep(reads.iter().filter_map(read));
        self.out.names.keep(condition.iter().flat_map(Bool::free_vars));
        let irregular = !raised.is_empty();
        let broken = self.broken(syntax, &raised, &left);
        raised.retain(|f| *f != syntax.broken);
        let variables = |mut values: Vec<Value>| {
            values.truncate(symbols.len());
            for flag in &flags {
                values[*flag] = symbols[*flag].clone();
            }
            values
        };
        // An iteration that never goes on is the only one.
        let next = variables(next.take().unwrap_or_else(|| left.clone()));
        Ok(Trial {
            left: variables(left),
            variables: Recurrences { names, symbols, next, entry },
            condition,
            reads,
            body,
            irregular,
            broken,
            raised,
            exact: exact.take(),
        })
    }
}

/// The symbol for a variable that holds `value` before the loop.
fn symbol(value: &Value, name: &Name) -> Value {
    let var = Num::Var(name.clone());
    match value {
        Value::Int(t, _) => Value::Int(*t, var),
        Value::Bool(_) => Value::Bool(compare_natural(Relation::Ne, var, lit(0))),
        Value::Data(data, _) => Value::Data(data.clone(), Some(var)),
        Value::Pointer(p) => Value::Pointer(Pointer { index: var, ..p.clone() }),
        other => other.clone(),
    }
}

/// The index type of a value that has a closed form.
pub(super) fn induction_type(value: &Value) -> Option<IntType> {
    match value {
        Value::Int(t, _) => Some(*t),
        Value::Pointer(_) => Some(IntType::U64),
        _ => None,
    }
}
