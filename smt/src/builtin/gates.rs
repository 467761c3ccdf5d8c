//! Boolean circuits as clauses: constants folded, equal gates shared.

use std::{cell::Cell, collections::HashMap};

use babycuda_core::clock::Instant;
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};

/// A signal of the circuit: a constant, an input, a gate, or the inverse of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Bit(u32);

impl Bit {
    pub(super) const FALSE: Bit = Bit(0);
    pub(super) const TRUE: Bit = Bit(1);

    pub(super) fn constant(b: bool) -> Bit {
        if b { Bit::TRUE } else { Bit::FALSE }
    }

    /// The truth value of a constant signal.
    pub(super) fn value(self) -> Option<bool> {
        match self {
            Bit::FALSE => Some(false),
            Bit::TRUE => Some(true),
            _ => None,
        }
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

/// Stops the search at the deadline.
struct Watch {
    deadline: Instant,
    calls: Cell<u32>,
    /// Once out of time, always: the search asks again on its way out.
    expired: Cell<bool>,
}

impl Callbacks for Watch {
    fn stop(&self) -> bool {
        // Asked before every decision; the clock is read at every eighth.
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if calls % 8 == 1 && Instant::now() >= self.deadline {
            self.expired.set(true);
        }
        self.expired.get()
    }
}

/// Why a circuit was not built to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overrun {
    Time,
    Gates,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Bit, Bit),
    Xor(Bit, Bit),
    Xor3(Bit, Bit, Bit),
    Majority(Bit, Bit, Bit),
    Choose(Bit, Bit, Bit),
}

/// A circuit in a SAT solver. Signal 0 is the constant; it occurs in no clause.
pub(super) struct Circuit {
    solver: Solver<Watch>,
    gates: HashMap<Gate, Bit>,
    signals: u32,
    max_signals: usize,
    deadline: Instant,
    clause: Vec<Lit>,
}

impl Circuit {
    pub(super) fn new(deadline: Instant, max_signals: usize) -> Circuit {
        let watch = Watch { deadline, calls: Cell::new(0), expired: Cell::new(false) };
        Circuit {
            solver: Solver::new(SolverOpts::default(), watch),
            gates: HashMap::new(),
            signals: 1,
            max_signals,
            deadline,
            clause: Vec::new(),
        }
    }

    /// Whether the circuit may grow further.
    pub(super) fn check(&self) -> Result<(), Overrun> {
        if self.signals as usize > self.max_signals {
            Err(Overrun::Gates)
        } else if Instant::now() >= self.deadline {
            Err(Overrun::Time)
        } else {
            Ok(())
        }
    }

    /// A free signal.
    pub(super) fn input(&mut self) -> Bit {
        let bit = Bit(self.signals * 2);
        self.signals += 1;
        bit
    }

    /// A signal that holds in every model.
    pub(super) fn assert(&mut self, bit: Bit) {
        self.clause(&[bit]);
    }

    /// A disjunction that holds in every model.
    pub(super) fn clause(&mut self, bits: &[Bit]) {
        let mut clause = std::mem::take(&mut self.clause);
        clause.clear();
        let mut satisfied = false;
        for bit in bits {
            match bit.value() {
                Some(true) => satisfied = true,
                Some(false) => {}
                None => clause.push(self.literal(*bit)),
            }
        }
        if !satisfied {
            // The result says whether the clauses are still consistent; `solve` finds that too.
            self.solver.add_clause_reuse(&mut clause);
        }
        self.clause = clause;
    }

    fn literal(&mut self, bit: Bit) -> Lit {
        Lit::new(self.solver.var_of_int(bit.0 >> 1), bit.0 & 1 == 0)
    }

    /// `Some(true)`: satisfiable, and [`Circuit::model`] has values; `None`: out of time.
    pub(super) fn solve(&mut self) -> Option<bool> {
        let answer = self.solver.solve_limited(&[]);
        if answer == lbool::TRUE {
            Some(true)
        } else if answer == lbool::FALSE {
            Some(false)
        } else {
            None
        }
    }

    /// The value of a signal in the model; `false` for one that does not matter.
    pub(super) fn model(&mut self, bit: Bit) -> bool {
        match bit.value() {
            Some(value) => value,
            None => {
                let literal = self.literal(bit);
                self.solver.value_lit(literal) == lbool::TRUE
            }
        }
    }

    /// The signal of a gate, and whether it is new.
    fn gate(&mut self, gate: Gate) -> (Bit, bool) {
        if let Some(bit) = self.gates.get(&gate) {
            return (*bit, false);
        }
        let bit = self.input();
        self.gates.insert(gate, bit);
        (bit, true)
    }

    pub(super) fn and(&mut self, a: Bit, b: Bit) -> Bit {
        match (a.value(), b.value()) {
            (Some(false), _) | (_, Some(false)) => return Bit::FALSE,
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            _ if a == b => return a,
            _ if a == !b => return Bit::FALSE,
            _ => {}
        }
        let (out, new) = self.gate(Gate::And(a.min(b), a.max(b)));
        if new {
            self.clause(&[!out, a]);
            self.clause(&[!out, b]);
            self.clause(&[out, !a, !b]);
        }
        out
    }

    pub(super) fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub(super) fn all(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        bits.into_iter().fold(Bit::TRUE, |all, bit| self.and(all, bit))
    }

    pub(super) fn any(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        bits.into_iter().fold(Bit::FALSE, |any, bit| self.or(any, bit))
    }

    pub(super) fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        match (a.value(), b.value()) {
            (Some(v), _) => return if v { !b } else { b },
            (_, Some(v)) => return if v { !a } else { a },
            _ if a == b => return Bit::FALSE,
            _ if a == !b => return Bit::TRUE,
            _ => {}
        }
        // Inverses move out, so that a gate and its inverse are one.
        let inverted = (a.0 ^ b.0) & 1 == 1;
        let (a, b) = (Bit(a.0 & !1), Bit(b.0 & !1));
        let (a, b) = (a.min(b), a.max(b));
        let (out, new) = self.gate(Gate::Xor(a, b));
        if new {
            self.clause(&[!out, a, b]);
            self.clause(&[!out, !a, !b]);
            self.clause(&[out, !a, b]);
            self.clause(&[out, a, !b]);
        }
        if inverted { !out } else { out }
    }

    /// The sum bit of a full adder.
    pub(super) fn xor3(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let folds = |x: Bit, y: Bit| x.0 >> 1 == y.0 >> 1 || x.value().is_some();
        if folds(a, b) || folds(b, c) || folds(c, a) {
            // Pair up what folds, so that no gate is built for it.
            let (x, y, z) = if folds(a, b) {
                (a, b, c)
            } else if folds(b, c) {
                (b, c, a)
            } else {
                (c, a, b)
            };
            let first = self.xor(x, y);
            return self.xor(first, z);
        }
        let inverted = (a.0 ^ b.0 ^ c.0) & 1 == 1;
        let mut inputs = [Bit(a.0 & !1), Bit(b.0 & !1), Bit(c.0 & !1)];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        let (out, new) = self.gate(Gate::Xor3(a, b, c));
        if new {
            for pattern in 0..8u32 {
                let flip = |bit: Bit, at: u32| Bit(bit.0 ^ ((pattern >> at) & 1));
                let odd = pattern.count_ones() % 2;
                // Inputs equal to `pattern` make the output its parity.
                self.clause(&[flip(a, 0), flip(b, 1), flip(c, 2), Bit(out.0 ^ (1 - odd))]);
            }
        }
        if inverted { !out } else { out }
    }

    /// The carry bit of a full adder: at least two of three.
    pub(super) fn majority(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        for (x, y, z) in [(a, b, c), (b, c, a), (c, a, b)] {
            match x.value() {
                Some(false) => return self.and(y, z),
                Some(true) => return self.or(y, z),
                None if x == y => return x,
                None if x == !y => return z,
                None => {}
            }
        }
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        let (out, new) = self.gate(Gate::Majority(a, b, c));
        if new {
            for (x, y) in [(a, b), (b, c), (a, c)] {
                self.clause(&[out, !x, !y]);
                self.clause(&[!out, x, y]);
            }
        }
        out
    }

    /// `if condition { then } else { otherwise }`.
    pub(super) fn choose(&mut self, condition: Bit, then: Bit, otherwise: Bit) -> Bit {
        match condition.value() {
            Some(true) => return then,
            Some(false) => return otherwise,
            None => {}
        }
        if then == otherwise {
            return then;
        }
        if then == !otherwise {
            return self.xor(condition, otherwise);
        }
        match (then.value(), otherwise.value()) {
            (Some(true), _) => return self.or(condition, otherwise),
            (Some(false), _) => return self.and(!condition, otherwise),
            (_, Some(true)) => return self.or(!condition, then),
            (_, Some(false)) => return self.and(condition, then),
            _ => {}
        }
        let (out, new) = self.gate(Gate::Choose(condition, then, otherwise));
        if new {
            self.clause(&[!condition, !then, out]);
            self.clause(&[!condition, then, !out]);
            self.clause(&[condition, !otherwise, out]);
            self.clause(&[condition, otherwise, !out]);
            // Implied, and good for propagation.
            self.clause(&[!then, !otherwise, out]);
            self.clause(&[then, otherwise, !out]);
        }
        out
    }
}
