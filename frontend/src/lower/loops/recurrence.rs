//! Recurrences of scalars, and their closed forms.

use super::trip::conjuncts;
use crate::arith::{as_lit, compare_natural, lit, literal_reading, machine, natural, not, select};
use crate::range::{Known, full};
use crate::value::{Value, VarId};
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, NumOp, Relation, Renaming};
use babycuda_core::{Bool, IntType, MachineOp, Name, Num};

/// Of a variable that goes through more numbers in turn, nothing is known.
const MAX_AROUND: u64 = 64;

/// A closed form: what a variable holds when iteration `k` starts.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Closed {
    /// The type at which the variable is computed; it may have the other sign.
    pub(super) t: IntType,
    /// What it holds before the loop.
    pub(super) start: Num,
    pub(super) form: Form,
}

/// How a variable changes from one iteration to the next.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Form {
    /// `x + step`
    Up(Num),
    /// `x - step`
    Down(Num),
    /// `x << bits`
    Left(u64),
    /// `x >> bits` at the type of the closed form; for `x / 2^bits` of a value that is not
    /// negative, too.
    Right(u64),
    /// `c - x` or `c ^ x`: every second value is the first.
    Flip(MachineOp, Num),
    /// `(x + step) % count`, of a value that is not negative, where no sum wraps around.
    Around(u64, u64),
    /// An expression over what other variables held an iteration before.
    After(Num),
}

/// The recurrences of a loop: what each variable holds.
pub(super) struct Recurrences {
    /// The name of each variable's symbol.
    pub(super) names: Vec<Name>,
    /// When an iteration starts.
    pub(super) symbols: Vec<Value>,
    /// When the next one starts.
    pub(super) next: Vec<Value>,
    /// Before the loop.
    pub(super) entry: Vec<Value>,
}

/// The number in a value, when it is an integer or a pointer.
fn number(value: &Value) -> Option<(IntType, &Num)> {
    match value {
        Value::Int(t, num) => Some((*t, num)),
        Value::Pointer(p) => Some((IntType::U64, &p.index)),
        _ => None,
    }
}

impl Recurrences {
    fn changed(&self, v: VarId) -> bool {
        self.symbols[v] != self.next[v]
    }

    /// What the symbols of variables that do not change stand for.
    pub(super) fn unchanged(&self) -> Renaming {
        (0..self.names.len())
            .filter(|v| !self.changed(*v))
            .filter_map(|v| Some((self.names[v].clone(), number(&self.entry[v])?.1.clone())))
            .collect()
    }

    /// Takes a condition to hold at the end of each iteration, in what variables hold when the next one starts.
    pub(super) fn assume(&mut self, condition: &Bool) {
        let mut facts = Vec::new();
        conjuncts(condition, &mut facts);
        for value in &mut self.next {
            match value {
                Value::Int(_, num) => *num = chosen(num, &facts),
                Value::Pointer(p) => p.index = chosen(&p.index, &facts),
                _ => {}
            }
        }
    }

    /// The closed form of every variable that has one. `outside` tells which names are bound
    /// outside of the loop.
    pub(super) fn solve(
        &self,
        ranges: &Known,
        outside: &impl Fn(&Name) -> bool,
    ) -> Vec<Option<Closed>> {
        let unchanged = self.unchanged();
        let mut closed: Vec<Option<Closed>> = vec![None; self.names.len()];
        // A form may build on others: repeat while that finds more.
        loop {
            let mut found = false;
            for v in 0..self.names.len() {
                if closed[v].is_some() || !self.changed(v) {
                    continue;
                }
                let Some(candidate) = self.solve_one(v, &unchanged, &closed, ranges, outside)
                else {
                    continue;
                };
                closed[v] = Some(candidate);
                found = true;
            }
            if !found {
                return closed;
            }
        }
    }

    fn solve_one(
        &self,
        v: VarId,
        unchanged: &Renaming,
        closed: &[Option<Closed>],
        ranges: &Known,
        outside: &impl Fn(&Name) -> bool,
    ) -> Option<Closed> {
        let (t, start) = number(&self.entry[v])?;
        let (u, next) = number(&self.next[v])?;
        let same_base = match (&self.entry[v], &self.next[v]) {
            (Value::Pointer(p), Value::Pointer(q)) => p.base == q.base && p.pointee == q.pointee,
            _ => t == u,
        };
        if !same_base {
            return None;
        }
        let next = next.subst(unchanged);
        let symbol = &self.names[v];
        let invariant =
            |n: &Num| n.free_vars().iter().all(|x| outside(x) && !self.names.contains(x));
        let direct = form(&next, symbol, t, ranges, start).filter(|(_, form)| match form {
            Form::Up(n) | Form::Down(n) | Form::Flip(_, n) => invariant(n),
            _ => true,
        });
        let direct = direct.or_else(|| Some((t, around(&next, symbol, start, ranges)?)));
        let (t, form) = direct.or_else(|| {
            let known = |x: &Name| match self.names.iter().position(|n| n == x) {
                Some(other) => other != v && closed[other].is_some(),
                None => outside(x),
            };
            next.free_vars().iter().all(known).then(|| (t, Form::After(next.clone())))
        })?;
        Some(Closed { t, start: start.clone(), form })
    }

    /// What variable `v` holds when iteration `k` starts.
    pub(super) fn at(
        &self,
        v: VarId,
        closed: &[Option<Closed>],
        k: &Num,
        ranges: &Known,
    ) -> Option<Num> {
        let Closed { t, start, form } = closed[v].as_ref()?;
        let start = start.clone();
        let times =
            |step: &Num, k: &Num| machine(MachineOp::Mul, *t, step.clone(), wrapped(k, *t, ranges));
        Some(match form {
            Form::Up(step) => machine(MachineOp::Add, *t, start, times(step, k)),
            Form::Down(step) => machine(MachineOp::Sub, *t, start, times(step, k)),
            Form::Left(bits) => machine(MachineOp::Shl, *t, start, shifts(*bits, *t, k, ranges)),
            Form::Right(bits) => machine(MachineOp::Shr, *t, start, shifts(*bits, *t, k, ranges)),
            Form::Flip(op, with) => {
                let parity = natural(ArithOp::Mod, k.clone(), lit(2));
                let even = compare_natural(Relation::Eq, parity, lit(0));
                let flipped = machine(*op, *t, with.clone(), start.clone());
                select(even, start, flipped)
            }
            Form::Around(step, count) => {
                let far = natural(ArithOp::Mul, lit(*step), k.clone());
                let sum = natural(ArithOp::Add, start.clone(), far);
                let around = natural(ArithOp::Mod, sum, lit(*count));
                if ranges.natural(&start).is_some_and(|r| r.1 < i128::from(*count)) {
                    return Some(around);
                }
                let first = compare_natural(Relation::Eq, k.clone(), lit(0));
                select(first, start, around)
            }
            Form::After(next) => {
                let before = natural(ArithOp::Sub, k.clone(), lit(1));
                let mut map = Renaming::new();
                for x in next.free_vars() {
                    if let Some(other) = self.names.iter().position(|n| *n == x) {
                        map.insert(x, self.at(other, closed, &before, ranges)?);
                    }
                }
                let first = compare_natural(Relation::Eq, k.clone(), lit(0));
                select(first, start, next.subst(&map))
            }
        })
    }
}

/// A number in which conditions are decided that are among the facts, or whose opposite is.
fn chosen(num: &Num, facts: &[Bool]) -> Num {
    let inner = |num: &Num| grow(|| chosen(num, facts));
    match num {
        Num::Select(c, x, _) if facts.contains(c) => inner(x),
        Num::Select(c, _, y) if facts.contains(&not(c.as_ref().clone())) => inner(y),
        Num::Binary(NumOp::Machine(op, t), l, r) => machine(*op, *t, inner(l), inner(r)),
        other => other.clone(),
    }
}

/// The form of a variable that goes through numbers in turn, however that is written: up from 0 by steps and back to it
/// (`x == 2 ? 0 : x + 1`), or down by 1.
fn around(next: &Num, x: &Name, start: &Num, ranges: &Known) -> Option<Form> {
    if !next.free_vars().iter().eq([x]) {
        return None;
    }
    let after = |v: u64| {
        let next = next.eval(&|y| (y == x).then(|| v.into())).ok()?;
        next.to_u64()
    };
    let step = after(0).filter(|step| (1..=u64::from(u32::MAX)).contains(step))?;
    let down = || step < MAX_AROUND && (1..=step).all(|v| after(v) == Some(v - 1));
    let count = match down() {
        true => step + 1,
        false => {
            let turn = (1..=MAX_AROUND)
                .find(|n| after(n * step) == Some(0) || after(n * step) != Some((n + 1) * step));
            turn.filter(|n| after(n * step) == Some(0)).map(|n| (n + 1) * step)?
        }
    };
    let begins = match as_lit(start) {
        Some(start) => start < count && (start % step == 0 || down()),
        None => {
            let most = ranges.natural(start)?.1;
            most < i128::from(count) && (step == 1 || down())
        }
    };
    begins.then_some(Form::Around(step, count))
}

/// The number of an iteration, as a pattern of type `t`.
fn wrapped(k: &Num, t: IntType, ranges: &Known) -> Num {
    let fits = ranges.natural(k).is_some_and(|r| r.1 <= i128::from(t.width.mask()));
    if fits { k.clone() } else { Num::cast(IntType::U64, t, k.clone()) }
}

/// The number of bits that `k` shifts by `bits` shift a value of type `t`. Once nothing is left to
/// shift out, more shifts change nothing; the number itself must not wrap around at type `t`.
fn shifts(bits: u64, t: IntType, k: &Num, ranges: &Known) -> Num {
    let most = u64::from(t.width.bits()).div_ceil(bits.max(1));
    let few = ranges.natural(k).is_some_and(|r| r.1 <= i128::from(most));
    let k = if few { k.clone() } else { natural(ArithOp::Min, k.clone(), lit(most)) };
    natural(ArithOp::Mul, lit(bits), k)
}

/// The form of the recurrence `x := next` of a variable of type `t`, and the type at which to
/// compute it.
fn form(next: &Num, x: &Name, t: IntType, ranges: &Known, start: &Num) -> Option<(IntType, Form)> {
    if let Some(step) = linear(next, x, t) {
        return Some((t, up_or_down(step, t, ranges)));
    }
    let is_x = |n: &Num| matches!(n, Num::Var(y) if y == x);
    let Num::Binary(NumOp::Machine(op, at), l, r) = next else {
        return None;
    };
    if at.width != t.width {
        return None;
    }
    let form = match op {
        MachineOp::Add if is_x(l) && is_x(r) => Form::Left(1),
        MachineOp::Mul if is_x(l) => Form::Left(power_of_two(r)?),
        MachineOp::Mul if is_x(r) => Form::Left(power_of_two(l)?),
        MachineOp::Shl if is_x(l) => Form::Left(as_lit(r).filter(|b| *b < 64)?),
        MachineOp::Shr if is_x(l) => Form::Right(as_lit(r).filter(|b| *b < 64)?),
        MachineOp::Rem => {
            let (step, count) = (as_lit(&linear(l, x, *at)?)?, as_lit(r).filter(|n| *n > 0)?);
            // Neither the first sum nor a later one wraps around.
            let (least, most) = ranges.of(start, *at);
            let highest = most.max(i128::from(count) - 1) + i128::from(step);
            if least < 0 || highest > full(*at).1 || i128::from(count) > full(*at).1 {
                return None;
            }
            Form::Around(step, count)
        }
        // Dividing is shifting where nothing is negative.
        MachineOp::Div if is_x(l) && ranges.of(start, *at).0 >= 0 => Form::Right(power_of_two(r)?),
        MachineOp::Sub | MachineOp::Xor if is_x(r) && !mentions(l, x) => {
            Form::Flip(*op, l.as_ref().clone())
        }
        MachineOp::Xor if is_x(l) && !mentions(r, x) => Form::Flip(*op, r.as_ref().clone()),
        _ => return None,
    };
    Some((if matches!(form, Form::Right(_)) { *at } else { t }, form))
}

fn mentions(num: &Num, x: &Name) -> bool {
    num.free_vars().contains(x)
}

/// `b` when `num` is the literal `2^b`, `b ≥ 1`.
fn power_of_two(num: &Num) -> Option<u64> {
    let value = as_lit(num)?;
    (value.is_power_of_two() && value > 1).then(|| u64::from(value.trailing_zeros()))
}

/// `rest` when `num` is `x + rest`, computed at the width of `t`.
pub(super) fn linear(num: &Num, x: &Name, t: IntType) -> Option<Num> {
    match num {
        Num::Var(y) if y == x => Some(lit(0)),
        Num::Binary(NumOp::Machine(op, at), l, r) if at.width == t.width => {
            match (op, mentions(l, x), mentions(r, x)) {
                (MachineOp::Add, true, false) => {
                    let rest = linear(l, x, t)?;
                    Some(machine(MachineOp::Add, t, rest, r.as_ref().clone()))
                }
                (MachineOp::Add, false, true) => {
                    let rest = linear(r, x, t)?;
                    Some(machine(MachineOp::Add, t, rest, l.as_ref().clone()))
                }
                (MachineOp::Sub, true, false) => {
                    let rest = linear(l, x, t)?;
                    Some(machine(MachineOp::Sub, t, rest, r.as_ref().clone()))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The direction of a step: down when it is written as a subtraction or is known to be negative.
fn up_or_down(step: Num, t: IntType, ranges: &Known) -> Form {
    if let Num::Binary(NumOp::Machine(MachineOp::Sub, _), zero, amount) = &step
        && as_lit(zero) == Some(0)
    {
        return Form::Down(amount.as_ref().clone());
    }
    let signed = IntType { signed: true, ..t };
    let negative = match &step {
        Num::Lit(k) => literal_reading(k, signed) < 0,
        _ => t.signed && ranges.of(&step, signed).1 < 0,
    };
    if negative { Form::Down(machine(MachineOp::Sub, t, lit(0), step)) } else { Form::Up(step) }
}

#[cfg(test)]
mod tests;
