//! Terms as circuits.
//!
//! Integers become two's complement words that are exactly wide enough for the interval of the
//! term, so no operation on them wraps around.
//!
//! A signal beside each word, *open*, says that the value hangs on an integer division by zero. It
//! follows the evaluator's rules: a connective with a deciding part, and an `ite` whose chosen
//! branch is closed, are closed. An assertion is encoded as “true or open”, which admits every
//! choice SMT-LIB leaves to a solver; so `unsat` is certain, and a model is evaluated anyway.

use std::{collections::HashMap, sync::Arc};

use babycuda_core::Interval;
use num_bigint::BigInt;
use num_traits::Signed;

use super::{
    gates::{Bit, Circuit, Overrun},
    words::{Word, constant, number, resize_signed},
};
use crate::{
    model::Model,
    query::{Declaration, Query},
    ranges::{ByZero, Intervals},
    sort::Sort,
    term::{Op, Term, postorder},
    value::Value,
};

/// Why a query has no circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    Overrun(Overrun),
    /// An integer constant or term without bounds.
    Unbounded(String),
}

impl From<Overrun> for Obstacle {
    fn from(overrun: Overrun) -> Obstacle {
        Obstacle::Overrun(overrun)
    }
}

#[derive(Clone)]
struct Encoded {
    /// One bit for a Bool.
    word: Word,
    open: Bit,
}

pub(super) struct Encoder {
    circuit: Circuit,
    ranges: Intervals,
    done: HashMap<Term, Encoded>,
    divisions: HashMap<(Term, Term), (Word, Word, Bit)>,
}

/// The least width at which two's complement holds the interval.
fn width(interval: &Interval) -> Option<usize> {
    let (lo, hi) = interval.ends()?;
    // Bits of the magnitude, of -n-1 for negative n, and a sign.
    let bits = |n: &BigInt| {
        if n.is_negative() { (-n - 1u32).bits() } else { n.bits() }
    };
    usize::try_from(bits(lo).max(bits(hi)) + 1).ok()
}

impl Encoder {
    /// Encodes a query. The bounds of integer constants are part of it.
    pub(super) fn new(circuit: Circuit, query: &Query) -> Result<Encoder, Obstacle> {
        let constants =
            query.declarations().iter().map(|d| (Arc::clone(&d.name), d.bounds.clone())).collect();
        let mut encoder = Encoder {
            circuit,
            ranges: Intervals::new(constants, ByZero::Excluded),
            done: HashMap::new(),
            divisions: HashMap::new(),
        };
        for declaration in query.declarations() {
            encoder.declare(declaration)?;
        }
        for term in postorder(query.assertions()) {
            encoder.circuit.check()?;
            if !encoder.done.contains_key(&term) {
                let encoded = encoder.encode(&term)?;
                encoder.done.insert(term, encoded);
            }
        }
        for assertion in query.assertions() {
            let encoded = encoder.get(assertion);
            encoder.circuit.clause(&[encoded.word[0], encoded.open]);
        }
        Ok(encoder)
    }

    /// The satisfying values of the constants; `Ok(None)` when there are none.
    pub(super) fn solve(mut self, declarations: &[Declaration]) -> Result<Option<Model>, Overrun> {
        match self.circuit.solve() {
            None => return Err(Overrun::Time),
            Some(false) => return Ok(None),
            Some(true) => {}
        }
        let mut model = Model::new();
        for declaration in declarations {
            let word = self.get(&declaration.term()).word;
            let bits: Vec<bool> = word.iter().map(|bit| self.circuit.model(*bit)).collect();
            let value = match declaration.sort {
                Sort::Bool => Value::Bool(bits[0]),
                Sort::Int => Value::Int(number(&bits)),
            };
            model.insert(Arc::clone(&declaration.name), value);
        }
        Ok(Some(model))
    }

    fn get(&self, term: &Term) -> Encoded {
        // Every argument is encoded before the term; the default is never used.
        self.done.get(term).cloned().unwrap_or(Encoded { word: vec![Bit::FALSE], open: Bit::TRUE })
    }

    fn declare(&mut self, declaration: &Declaration) -> Result<(), Obstacle> {
        let term = declaration.term();
        let word = match declaration.sort {
            Sort::Bool => self.circuit.inputs(1),
            Sort::Int => {
                if declaration.bounds.is_empty() {
                    self.circuit.assert(Bit::FALSE);
                }
                let width = self.int_width(&term)?;
                let mut word = self.circuit.inputs(width);
                if let Some((lo, hi)) = declaration.bounds.ends() {
                    if !lo.is_negative() {
                        word[width - 1] = Bit::FALSE;
                    }
                    let least = self.circuit.below_signed(&constant(width, lo), &word, true);
                    let greatest = self.circuit.below_signed(&word, &constant(width, hi), true);
                    self.circuit.assert(least);
                    self.circuit.assert(greatest);
                }
                word
            }
        };
        let open = Bit::FALSE;
        self.done.insert(term, Encoded { word, open });
        Ok(())
    }

    /// The width of an integer term.
    fn int_width(&mut self, term: &Term) -> Result<usize, Obstacle> {
        let interval = self.ranges.of(term);
        width(&interval).ok_or_else(|| Obstacle::Unbounded(format!("`{term}` in {interval}")))
    }

    fn encode(&mut self, term: &Term) -> Result<Encoded, Obstacle> {
        let args: Vec<Encoded> = term.args().iter().map(|arg| self.get(arg)).collect();
        match (term.op(), args.as_slice()) {
            (Op::And, parts) => Ok(self.connective(parts, false)),
            (Op::Or, parts) => Ok(self.connective(parts, true)),
            (Op::Ite, [c, a, b]) => self.ite(term, c, a, b),
            (op, args) => {
                let open = self.circuit.any(args.iter().map(|arg| arg.open));
                let words: Vec<&Word> = args.iter().map(|arg| &arg.word).collect();
                match term.args().first().unwrap_or(term).sort() {
                    Sort::Int => self.integer(term, &words, open),
                    Sort::Bool => Ok(Encoded { word: self.truth(term, op, &words)?, open }),
                }
            }
        }
    }

    /// `and`, or with `dual` `or`.
    fn connective(&mut self, parts: &[Encoded], dual: bool) -> Encoded {
        let c = &mut self.circuit;
        let flip = |bit: Bit| if dual { !bit } else { bit };
        let value = c.all(parts.iter().map(|part| flip(part.word[0])));
        let some_open = c.any(parts.iter().map(|part| part.open));
        let mut decided = Bit::FALSE;
        if some_open != Bit::FALSE {
            for part in parts {
                let decides = c.and(!part.open, !flip(part.word[0]));
                decided = c.or(decided, decides);
            }
        }
        Encoded { word: vec![flip(value)], open: c.and(some_open, !decided) }
    }

    fn ite(
        &mut self,
        term: &Term,
        condition: &Encoded,
        then: &Encoded,
        otherwise: &Encoded,
    ) -> Result<Encoded, Obstacle> {
        let (a, b) = if term.sort() == Sort::Int {
            let width = self.int_width(term)?;
            (resize_signed(&then.word, width), resize_signed(&otherwise.word, width))
        } else {
            (then.word.clone(), otherwise.word.clone())
        };
        let c = &mut self.circuit;
        let word = c.choose_word(condition.word[0], &a, &b);
        let chosen = c.choose(condition.word[0], then.open, otherwise.open);
        let open = c.or(condition.open, chosen);
        Ok(Encoded { word, open })
    }

    /// Operators on integers.
    fn integer(&mut self, term: &Term, args: &[&Word], open: Bit) -> Result<Encoded, Obstacle> {
        if let [a, b] = args {
            let both = a.len().max(b.len());
            let (x, y) = (resize_signed(a, both), resize_signed(b, both));
            let c = &mut self.circuit;
            let truth = match term.op() {
                Op::Eq => Some(c.equal(&x, &y)),
                Op::Le => Some(c.below_signed(&x, &y, true)),
                Op::Lt => Some(c.below_signed(&x, &y, false)),
                _ => None,
            };
            if let Some(truth) = truth {
                return Ok(Encoded { word: vec![truth], open });
            }
        }
        let interval = self.ranges.of(term);
        let width = self.int_width(term)?;
        let at = |word: &Word| resize_signed(word, width);
        let mut open = open;
        let c = &mut self.circuit;
        let mut word = match (term.op(), args) {
            (Op::Value(Value::Int(n)), _) => constant(width, n),
            (Op::Add, [a, b]) => c.add(&at(a), &at(b), Bit::FALSE),
            (Op::Sub, [a, b]) => c.subtract(&at(a), &at(b)),
            (Op::Mul, [a, b]) => c.multiply_signed(a, b, width)?,
            (Op::Div | Op::Mod, [a, b]) => {
                let (q, r, zero) = self.division(term, a, b)?;
                open = self.circuit.or(open, zero);
                if *term.op() == Op::Div { at(&q) } else { at(&r) }
            }
            _ => return Err(Obstacle::Unbounded(term.to_string())),
        };
        if interval.is_nonnegative() {
            word[width - 1] = Bit::FALSE;
        }
        Ok(Encoded { word, open })
    }

    fn division(&mut self, term: &Term, a: &Word, b: &Word) -> Result<(Word, Word, Bit), Obstacle> {
        let [n, d] = term.args() else {
            return Err(Obstacle::Unbounded(term.to_string()));
        };
        let key = (n.clone(), d.clone());
        if let Some(done) = self.divisions.get(&key) {
            return Ok(done.clone());
        }
        let (over, under) = (self.ranges.of(n), self.ranges.of(d));
        let missing = || Obstacle::Unbounded(term.to_string());
        let q_width = width(&over.div(&under)).ok_or_else(missing)?;
        let r_width = width(&over.modulo(&under)).ok_or_else(missing)?;
        let done = self.circuit.divide_euclid(a, b, (q_width, r_width))?;
        self.divisions.insert(key, done.clone());
        Ok(done)
    }

    /// Operators on Bool.
    fn truth(&mut self, term: &Term, op: &Op, args: &[&Word]) -> Result<Word, Obstacle> {
        Ok(vec![match (op, args) {
            (Op::Value(Value::Bool(b)), _) => Bit::constant(*b),
            (Op::Not, [a]) => !a[0],
            (Op::Xor, [a, b]) => self.circuit.xor(a[0], b[0]),
            (Op::Eq, [a, b]) => self.circuit.equal(a, b),
            _ => return Err(Obstacle::Unbounded(term.to_string())),
        }])
    }
}
