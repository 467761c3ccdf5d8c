//! Interval analysis of expressions: what a machine integer may be, from the limits of launches
//! and the assumptions on parameters. It decides where a conversion changes nothing, where a loop
//! counter cannot overflow, and how many levels a geometric loop may have.

use babycuda_core::expr::NumOp;
use babycuda_core::interval::Interval;
pub(crate) use babycuda_core::interval::word::{Range, exact, full};
use babycuda_core::interval::word::{convert, machine, reread};
use babycuda_core::{IntType, Name, Num};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Intervals look at no more nodes of an expression than this.
const MAX_NODES: usize = 256;

/// Facts about larger expressions than this are not kept.
const MAX_FACT: usize = 48;
/// Facts, the latest ones, at which is looked.
const MAX_FACTS: usize = 256;

/// What is known where the translation stands: of a variable, the type at which to read its pattern,
/// and the interval of that. (The `Ranges` of `core` are those of naturals.)
#[derive(Clone, Default, Debug)]
pub(crate) struct Known {
    known: HashMap<Name, (IntType, Range)>,
    /// What is known of whole expressions where the translation stands: by the guards around it,
    /// and by the conditions of the loops around it.
    facts: Vec<(Keyed, IntType, Range)>,
    /// Results that are known to be no overflow there.
    exact: Vec<Keyed>,
}

/// A small expression, after its hash: most others differ in that.
#[derive(Clone, PartialEq, Debug)]
struct Keyed(u64, Num);

impl Keyed {
    /// `None` for an expression of which no facts are kept.
    fn new(num: &Num) -> Option<Keyed> {
        let mut hasher = DefaultHasher::new();
        (!matches!(num, Num::Lit(_)) && num.is_within(MAX_FACT)).then(|| {
            num.hash(&mut hasher);
            Keyed(hasher.finish(), num.clone())
        })
    }
}

/// How much is known, to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    facts: usize,
    exact: usize,
}

impl Known {
    /// Records that the pattern of `name`, read at type `t`, lies in `range`.
    pub(crate) fn set(&mut self, name: Name, t: IntType, range: Range) {
        self.known.insert(name, (t, range));
    }

    /// Forgets what is recorded of `name`.
    pub(crate) fn unset(&mut self, name: &Name) {
        self.known.remove(name);
    }

    /// What is recorded of `name`.
    pub(crate) fn get(&self, name: &Name) -> Option<(IntType, Range)> {
        self.known.get(name).copied()
    }

    /// Adds the fact that `num`, read at type `t`, lies in `range`, until [`Known::forget`].
    pub(crate) fn assume(&mut self, num: &Num, t: IntType, range: Range) {
        if range.0 <= range.1 {
            self.facts.extend(Keyed::new(num).map(|num| (num, t, range)));
        }
    }

    /// How much is known, to go back to with [`Known::forget`].
    pub(crate) fn facts(&self) -> Mark {
        Mark { facts: self.facts.len(), exact: self.exact.len() }
    }

    /// Forgets what was learned since.
    pub(crate) fn forget(&mut self, known: Mark) {
        self.facts.truncate(known.facts);
        self.exact.truncate(known.exact);
    }

    /// Adds the fact that the operation `num` does not overflow, until [`Known::forget`].
    pub(crate) fn assume_exact(&mut self, num: &Num) {
        self.exact.extend(Keyed::new(num));
    }

    /// Is the operation `num` known not to overflow?
    pub(crate) fn is_exact(&self, num: &Num) -> bool {
        let num = Keyed::new(num);
        num.is_some_and(|num| self.exact.iter().rev().take(MAX_FACTS).any(|known| *known == num))
    }

    /// The values that `num` may have, read at type `t`.
    pub(crate) fn of(&self, num: &Num, t: IntType) -> Range {
        self.bounded(num, t, &mut MAX_NODES.clone())
    }

    /// `of`, with a look at no more nodes than `fuel`: of what lies below, nothing is known.
    fn bounded(&self, num: &Num, t: IntType, fuel: &mut usize) -> Range {
        if *fuel == 0 {
            return full(t);
        }
        *fuel -= 1;
        let mut range = self.structural(num, t, fuel);
        let key = if self.facts.is_empty() { None } else { Keyed::new(num) };
        for (fact, at, known) in self.facts.iter().rev().take(MAX_FACTS) {
            if at.width <= t.width && key.as_ref() == Some(fact) {
                let known = reread(*known, *at, t);
                let both = (range.0.max(known.0), range.1.min(known.1));
                // Contradictory facts belong to code that never runs: any answer will do.
                if both.0 <= both.1 {
                    range = both;
                }
            }
        }
        range
    }

    /// The values that `num` may have by its structure alone.
    fn structural(&self, num: &Num, t: IntType, fuel: &mut usize) -> Range {
        match num {
            Num::Lit(k) => {
                let value = t.read(t.pattern(k));
                (value, value)
            }
            Num::Var(x) => match self.known.get(x) {
                Some((at, range)) => reread(*range, *at, t),
                None => full(t),
            },
            Num::Cast(from, to, n) => reread(convert(self.bounded(n, *from, fuel), *to), *to, t),
            Num::Select(_, n, m) => {
                let (n, m) = (self.bounded(n, t, fuel), self.bounded(m, t, fuel));
                (n.0.min(m.0), n.1.max(m.1))
            }
            Num::Binary(NumOp::Machine(op, at), l, r) => {
                let (l, r) = (self.bounded(l, *at, fuel), self.bounded(r, *at, fuel));
                reread(machine(*op, *at, l, r), *at, t)
            }
            Num::Binary(NumOp::Natural(_), ..) => match self.natural_bounded(num, fuel) {
                Some(range) => convert(range, t),
                None => full(t),
            },
        }
    }

    /// The naturals that `num` may be; `None` when there is no bound worth having.
    pub(crate) fn natural(&self, num: &Num) -> Option<Range> {
        self.natural_bounded(num, &mut MAX_NODES.clone())
    }

    fn natural_bounded(&self, num: &Num, fuel: &mut usize) -> Option<Range> {
        match num {
            Num::Lit(k) => {
                let value = i128::from(k.to_u64()?);
                Some((value, value))
            }
            Num::Binary(NumOp::Natural(op), l, r) => {
                *fuel = fuel.checked_sub(1)?;
                let (l, r) = (self.natural_bounded(l, fuel)?, self.natural_bounded(r, fuel)?);
                let interval = |range: Range| Interval::new(range.0, range.1);
                Interval::natural(*op, &interval(l), &interval(r)).word()
            }
            Num::Select(_, n, m) => {
                *fuel = fuel.checked_sub(1)?;
                let (n, m) = (self.natural_bounded(n, fuel)?, self.natural_bounded(m, fuel)?);
                Some((n.0.min(m.0), n.1.max(m.1)))
            }
            // Machine operators and recorded variables are patterns of at most 64 bits.
            Num::Binary(NumOp::Machine(_, t), ..) | Num::Cast(_, t, _) => {
                let unsigned = IntType { signed: false, ..*t };
                Some(self.bounded(num, unsigned, fuel))
            }
            Num::Var(x) => {
                let (t, range) = self.known.get(x)?;
                let unsigned = IntType { signed: false, ..*t };
                Some(convert(*range, unsigned))
            }
        }
    }
}

#[cfg(test)]
mod tests;
