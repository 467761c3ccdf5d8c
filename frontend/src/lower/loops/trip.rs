//! The number of iterations of a loop whose condition compares a variable that has a closed form
//! with something that does not change.

use super::multiples::{Unscaled, unscaled};
use super::recurrence::{Closed, Form, Recurrences, linear};
use super::times::Test;
use super::trial::{Trial, induction_type};
use crate::arith::{and, as_lit, cast, compare, lit, machine, natural, not, or, pattern, select};
use crate::lower::Lower;
use crate::options::Overflow;
use crate::range::{Range, full};
use crate::value::VarId;
use babycuda_core::expr::{ArithOp, BoolOp, Relation, Renaming};
use babycuda_core::{Bool, IntType, MachineOp, Name, Num};

/// A loop that runs a known number of times.
pub(super) struct Counted {
    /// The variable that counts.
    pub(super) variable: VarId,
    /// The number of iterations, a natural.
    pub(super) count: Num,
    /// The condition under which that is so: no overflow before the loop ends.
    pub(super) safe: Bool,
    /// The condition under which the counter does not overflow at the end of the last iteration.
    /// Where it does, the thread stops.
    pub(super) fits: Bool,
    /// Is an unsigned counter taken to fit, although it may not?
    pub(super) taken_to_fit: bool,
    /// Is a multiple of it that the condition compares taken to fit, although it may not?
    pub(super) multiples_fit: bool,
    /// Does the condition have a part that may end the loop earlier?
    pub(super) partial: bool,
    /// May another iteration begin behind these, as one that leaves the loop does?
    pub(super) one_more: bool,
    /// What the variable is, read at a type, while the condition holds.
    pub(super) range: Option<(IntType, Range)>,
    /// The bounds of the variable itself, when it counts up by 1 from a natural.
    pub(super) direct: Option<(Num, Num)>,
}

impl Counted {
    /// Is it known of both loops together whether a counter overflows at the end?
    fn goes_with(&self, other: &Counted) -> bool {
        let never = |c: &Counted| c.fits == Bool::Lit(true);
        self.variable == other.variable || (never(self) && never(other))
    }

    /// The loop that runs while both conditions hold.
    fn or_sooner(self, other: Counted) -> Counted {
        let sooner = |one, other| natural(ArithOp::Min, one, other);
        let direct = match (self.direct, other.direct) {
            (Some((lower, one)), Some((same, other_upper)))
                if self.variable == other.variable && lower == same =>
            {
                Some((lower, sooner(one, other_upper)))
            }
            _ => None,
        };
        let count = sooner(self.count, other.count);
        let safe = and(self.safe, other.safe);
        // A counter that ends sooner goes less far.
        let fits = or(self.fits, other.fits);
        let taken_to_fit = self.taken_to_fit || other.taken_to_fit;
        let multiples_fit = self.multiples_fit || other.multiples_fit;
        Counted { count, direct, safe, fits, taken_to_fit, multiples_fit, ..self }
    }
}

/// The conjuncts of a condition.
pub(super) fn conjuncts(c: &Bool, out: &mut Vec<Bool>) {
    match c {
        Bool::Connective(BoolOp::And, l, r) => {
            conjuncts(l, out);
            conjuncts(r, out);
        }
        Bool::Not(c) if let Bool::Connective(BoolOp::Or, l, r) = c.as_ref() => {
            conjuncts(&not(l.as_ref().clone()), out);
            conjuncts(&not(r.as_ref().clone()), out);
        }
        other => out.push(other.clone()),
    }
}

impl<'t> Lower<'t> {
    /// The number of iterations that begin while `condition` holds, when it gives it.
    /// `fixed`: what no iteration changes.
    pub(super) fn count(
        &self,
        condition: &Bool,
        trial: &Trial,
        closed: &[Option<Closed>],
        fixed: &Renaming,
    ) -> Option<Counted> {
        let condition = condition.subst(fixed);
        let inside = |x: &Name| trial.variables.names.contains(x) || !self.is_bound_here(x);
        let mut parts = Vec::new();
        conjuncts(&condition, &mut parts);
        let mut enabled = Bool::Lit(true);
        let mut counted: Option<Counted> = None;
        let mut partial = false;
        for part in parts {
            if !part.free_vars().iter().any(inside) {
                enabled = and(enabled, part);
                continue;
            }
            counted = match (counted, self.count_by(&part, trial, closed)) {
                (None, found) => {
                    partial |= found.is_none();
                    found
                }
                (Some(one), Some(other)) if one.goes_with(&other) => Some(one.or_sooner(other)),
                (one, _) => {
                    partial = true;
                    one
                }
            };
        }
        let mut counted = counted?;
        counted.partial = partial;
        if enabled != Bool::Lit(true) {
            counted.fits = or(not(enabled.clone()), counted.fits);
            counted.count = select(enabled, counted.count, lit(0));
            counted.direct = None;
        }
        Some(counted)
    }

    /// The number of iterations for which one comparison holds.
    fn count_by(&self, part: &Bool, trial: &Trial, closed: &[Option<Closed>]) -> Option<Counted> {
        let Unscaled { part, wraps } = unscaled(part, &self.ranges);
        let Bool::Compare(op, l, r) = &part else {
            return None;
        };
        let t = op.machine?;
        let Recurrences { names, symbols, .. } = &trial.variables;
        let outside = |n: &Num| n.free_vars().iter().all(|x| self.is_bound_here(x));
        let mentions = |n: &Num| n.free_vars().iter().any(|x| names.contains(x));
        let (side, limit, relation) = match (mentions(l), mentions(r)) {
            (true, false) => (l, r, op.relation),
            (false, true) => (r, l, op.relation.mirrored()),
            _ => return None,
        };
        let vars = side.free_vars();
        let v = names.iter().position(|n| vars.contains(n)).filter(|_| outside(limit))?;
        let form = closed[v].as_ref()?;
        let tv = induction_type(&symbols[v])?;
        // The variable itself, converted to a wider type, or plus something that does not change.
        // Without a conversion its pattern counts at a wider type: it is read as unsigned there.
        let (inner, tv) = match side.as_ref() {
            Num::Cast(from, to, n) if from.width == tv.width && to.width == t.width => {
                (n.as_ref(), *from)
            }
            other if t.width > tv.width => (other, IntType { signed: false, ..tv }),
            other => (other, tv),
        };
        let rest = linear(inner, &names[v], tv).filter(outside)?;
        let is_linear = matches!(form.form, Form::Up(_) | Form::Down(_));
        if rest != lit(0) && !(is_linear && t.width == tv.width) {
            return None;
        }
        let start = machine(MachineOp::Add, tv, form.start.clone(), rest.clone());
        let stops = match tv.signed {
            true => trial.exact.contains(&v),
            false => self.means_no_wrap(tv, relation, form),
        };
        if wraps && (tv.signed || !stops) {
            return None;
        }
        let limit = limit.as_ref().clone();
        let said = Test { t, relation, start, limit, form, ranges: &self.ranges };
        let Narrowed { test, as_said, runs } = narrowed(said, tv, stops)?;
        let (count, safe) = test.times(stops)?;
        let count = select(runs.clone(), count, lit(0));
        let (safe, fits, open) = match test.fits() {
            fits if !stops => (and(safe, fits), Bool::Lit(true), false),
            fits @ Bool::Lit(true) => (safe, fits, false),
            _ => (safe, test.last_fits(&count), true),
        };
        let direct = match &form.form {
            Form::Up(step)
                if as_lit(step) == Some(1) && rest == lit(0) && runs == Bool::Lit(true) =>
            {
                test.bounds()
            }
            _ => None,
        };
        Some(Counted {
            variable: v,
            range: (rest == lit(0)).then(|| (test.t, test.values())),
            count,
            safe: and(as_said, safe),
            fits,
            taken_to_fit: open && !tv.signed,
            multiples_fit: wraps,
            partial: false,
            one_more: false,
            direct,
        })
    }
}

impl Lower<'_> {
    /// Is a counter of the unsigned type `t` meant to pass its limit before it wraps around: does it go up towards
    /// one, by less than half of what it can hold (more may be a step back), or by shifts?
    fn means_no_wrap(&self, t: IntType, relation: Relation, form: &Closed) -> bool {
        let half = full(IntType { signed: true, ..t }).1;
        let small = match &form.form {
            Form::Up(step) => self.ranges.of(step, t).1 <= half,
            Form::Left(_) => true,
            _ => false,
        };
        let limited = matches!(relation, Relation::Lt | Relation::Le);
        self.options.overflow != Overflow::Wrap && limited && small
    }
}

/// A test at the width of the variable.
struct Narrowed<'a> {
    test: Test<'a>,
    /// The condition under which it is the one that the file says, if that one holds at first.
    as_said: Bool,
    /// Does the one that the file says hold at first? Otherwise there is no iteration.
    runs: Bool,
}

/// The test `said` at the variable's own type `tv`: C compares at a wider type when the limit has one. `stops`:
/// a thread stops when the counter overflows.
fn narrowed(said: Test<'_>, tv: IntType, stops: bool) -> Option<Narrowed<'_>> {
    let yes = Bool::Lit(true);
    if said.t.width == tv.width {
        return Some(Narrowed { test: said, as_said: yes.clone(), runs: yes });
    }
    let Test { t, ranges, form, .. } = said;
    let up = matches!(form.form, Form::Up(_));
    let (min, max) = full(tv);
    let (safe, floor) = match tv.signed && !t.signed {
        // Negative values would count as huge ones.
        true if !up && !matches!(form.form, Form::Left(_)) => return None,
        true => (compare(Relation::Ge, tv, said.start.clone(), lit(0), ranges), 0),
        false => (yes.clone(), min),
    };
    let at_most = said.is(Relation::Le, t, &said.limit, pattern(t, max));
    let at_least = said.is(Relation::Ge, t, &said.limit, pattern(t, floor));
    let within = and(at_most, at_least);
    let steps = up || matches!(form.form, Form::Down(_));
    let Some(strict) = said.is_strict(up).filter(|_| within != yes && stops && steps) else {
        let limit = cast(t, tv, said.limit.clone(), ranges);
        let test = Test { t: tv, limit, ..said };
        return Some(Narrowed { test, as_said: and(safe, within), runs: yes });
    };
    // Beyond its own type the counter stops: the last value of that is the last one of the loop.
    let start = cast(tv, t, said.start.clone(), ranges);
    let runs = said.is(said.relation, t, &start, said.limit.clone());
    let (inwards, nearer, end, relation) = match up {
        true => (MachineOp::Sub, MachineOp::Min, max, Relation::Le),
        false => (MachineOp::Add, MachineOp::Max, min, Relation::Ge),
    };
    let last = match strict {
        true => machine(inwards, t, said.limit.clone(), lit(1)),
        false => said.limit.clone(),
    };
    let last = machine(nearer, t, last, pattern(t, end));
    let test = Test { t: tv, relation, limit: cast(t, tv, last, ranges), ..said };
    Some(Narrowed { test, as_said: safe, runs })
}
