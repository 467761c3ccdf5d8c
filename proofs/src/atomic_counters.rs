//! T13: what atomic updates of one cell yield.
//!
//! ```text
//! u_1, …, u_N are the updates that all threads make of a cell between two barriers, which holds v
//! before. In every interleaving, with x_k what u_k yields:
//!
//! every u_k adds a_k, v + Σ a_k < 2^w:  v <= x_k, x_k + a_k <= v + Σ a_k, and for all k ≠ l
//!                                       x_k + a_k <= x_l or x_l + a_l <= x_k; k before l in a
//!                                       thread: the first
//! every u_k adds a_k, Σ a_k <= 2^w:     the same modulo 2^w: the ranges are disjoint parts of one
//!                                       of length Σ a_k
//! every u_k adds c:                     the x_k are distinct iff N <= 2^w / gcd(c, 2^w)
//! every u_k is a compare-and-swap or
//! an exchange that never stores e:      at most one compare-and-swap that expects e yields e
//! ```
//!
//! The interleavings are those of a program that makes the updates and stores what they yield.

use crate::statement::{
    Checked, Counterexample, Coverage, Proof, Statement, Vacuous, test, theorem,
};
use babycuda_core::expr::Relation;
use babycuda_core::rules::Item;
use babycuda_core::syntax::{
    ArrayDecl, AtomicOp, AtomicUpdate, Contents, Domain, Extent, Geometry, Scope,
};
use babycuda_core::{Bool, Cell, Declarations, IntType, Launch, Natural, Num, Program, Stmt};
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{End, ExplorationLimits, Reduction, explore};

/// T13.
pub static STATEMENT: Statement = Statement {
    id: "T13",
    name: "atomic_counters",
    source: "THEORY §4",
    text: "let every update of a cell in an interval be an atomic addition, and let the sum not \
           wrap. Then in every interleaving the ranges [x, x + amount) of the values x that they \
           yield lie one after the other, between the value before and the value after. If only \
           the amounts come to at most 2^w, they are disjoint modulo 2^w. N additions of c with \
           wrap-around yield distinct values iff N ≤ 2^w / gcd(c, 2^w). Of the compare-and-swaps \
           that expect v at most one succeeds, if no update of the interval leaves v in the cell.",
    rust: Item { file: "proofs/src/atomic_counters.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[
            theorem("proofs/coq/AtomicCounters.v", "additions_yield_ranges"),
            theorem("proofs/coq/AtomicCounters.v", "additions_distinct_iff"),
            theorem("proofs/coq/AtomicCounters.v", "at_most_one_winner"),
        ],
        Coverage::Restricted(
            "of any order of the updates, not of interleavings of programs; nothing about ranges \
             of a sum that wraps.",
        ),
    ),
    tests: &[test("proofs/tests/small_scope_counters.rs", "t13_on_all_few_updates")],
    holds: true,
};

/// Updates of one cell, between two barriers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Updates {
    /// The type of the cell.
    pub element: IntType,
    /// What it holds before: a pattern of the type.
    pub before: Natural,
    /// What each thread does, in order. At least one does something.
    pub threads: Vec<Vec<AtomicUpdate<Natural>>>,
}

/// Which parts of the statement say something of the updates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Evidence {
    /// The ranges of sums that do not wrap.
    pub ranges: bool,
    /// Those modulo 2 to the width.
    pub around: bool,
    /// Equal additions; `Some`: are their values distinct?
    pub equal: Option<bool>,
    /// Compare-and-swaps.
    pub winners: bool,
}

/// One update in an interleaving: its thread, what it does, what it yields. By thread, each thread's
/// in its order.
type Made<'a> = (usize, &'a AtomicUpdate<Natural>, u64);

impl Updates {
    /// The program that makes the updates: `Y[i]` of thread t's array `Yt` is what its i-th yields.
    pub fn program(&self) -> Program {
        let geometry = Geometry {
            block: [self.threads.len() as u32, 1, 1].map(Extent::Known),
            ..Geometry::line()
        };
        let mut declarations = Declarations::of_geometry(geometry);
        declarations.arrays.push(ArrayDecl {
            element: Domain::Machine(self.element),
            contents: Contents::Fill(self.before.clone()),
            ..ArrayDecl::implicit("C".into())
        });
        let thread = |(t, updates): (usize, &Vec<AtomicUpdate<Natural>>)| {
            let made = updates.iter().enumerate().map(|(i, update)| {
                let update = AtomicUpdate {
                    op: update.op,
                    operand: Num::Lit(update.operand.clone()),
                    expected: update.expected.clone().map(Num::Lit),
                };
                let store = Stmt::write(yields(t), i as u64, "x");
                Stmt::atomic("x", "C", Num::lit(0u32), update, Scope::Block, store)
            });
            let mine = Bool::compare(Relation::Eq, Num::var("tid"), Num::lit(t as u32));
            Stmt::branch(mine, Stmt::sequence(made.collect::<Vec<_>>()), Stmt::Skip)
        };
        let body = Stmt::sequence(self.threads.iter().enumerate().map(thread).collect::<Vec<_>>());
        declarations.around(body.numbered())
    }

    fn modulus(&self) -> u128 {
        1 << self.element.width.bits()
    }

    /// What an update adds, modulo 2 to the width.
    fn amount(&self, update: &AtomicUpdate<Natural>) -> Option<u128> {
        let operand = u128::from(update.operand.to_u64()?) % self.modulus();
        match update.op {
            AtomicOp::Add(Some(t)) if t == self.element => Some(operand),
            AtomicOp::Sub(Some(t)) if t == self.element => {
                Some((self.modulus() - operand) % self.modulus())
            }
            _ => None,
        }
    }
}

fn yields(thread: usize) -> String {
    format!("Y{thread}")
}

/// Checks T13 of the updates in all interleavings.
///
/// # Errors
/// [`Failure`](crate::Failure)
pub fn check(updates: &Updates) -> Checked<Evidence> {
    let program = updates.program();
    let instance = Instance::new(program.clone(), Launch::threads(updates.threads.len() as u32));
    let all = explore(&instance, Reduction::SleepSets, &ExplorationLimits::default());
    let all = all.map_err(|_| Vacuous::TooLarge)?;
    let mut evidence = Evidence { equal: Some(true), ..Evidence::default() };
    for end in &all.ends {
        let made = made(updates, end).ok_or(Vacuous::TooLarge)?;
        let found = of_one(updates, &made).map_err(|why| {
            let values: Vec<u64> = made.iter().map(|m| m.2).collect();
            Counterexample::refutes(&STATEMENT, program.clone(), format!("{why}: {values:?}"))
        })?;
        let equal = evidence.equal.zip(found.equal).map(|(all, one)| all && one);
        evidence = Evidence { equal, ..found };
    }
    Ok(evidence)
}

/// The updates of an interleaving, with what they yield; `None`: a number is too large.
fn made<'a>(updates: &'a Updates, end: &End) -> Option<Vec<Made<'a>>> {
    let mut made = Vec::new();
    for (t, mine) in updates.threads.iter().enumerate() {
        for (i, update) in mine.iter().enumerate() {
            let value = end.memory.get(&Cell::new(yields(t), i as u32))?.to_u64()?;
            made.push((t, update, value));
        }
    }
    Some(made)
}

/// Checks T13 of one interleaving; what is wrong, in words.
fn of_one(updates: &Updates, made: &[Made<'_>]) -> Result<Evidence, String> {
    let mut evidence = Evidence::default();
    let modulus = updates.modulus();
    let amounts: Option<Vec<u128>> = made.iter().map(|m| updates.amount(m.1)).collect();
    if let Some(amounts) = &amounts {
        let sum: u128 = amounts.iter().sum();
        let before = u128::from(updates.before.to_u64().unwrap_or(0));
        evidence.ranges = before + sum < modulus;
        evidence.around = sum <= modulus;
        for (k, (x, a)) in made.iter().zip(amounts).enumerate() {
            let at = u128::from(x.2);
            if evidence.ranges && !(before <= at && at + a <= before + sum) {
                return Err(format!("update {k} is not between before and after"));
            }
            for (l, (y, b)) in made.iter().zip(amounts).enumerate().skip(k + 1) {
                if *a == 0 || *b == 0 {
                    continue;
                }
                let (from, to) = (at, u128::from(y.2));
                let (first, last) = (from + a <= to, to + b <= from);
                if evidence.ranges && (first == last || last && x.0 == y.0) {
                    return Err(format!("the ranges of updates {k} and {l} are not in order"));
                }
                let follows = |from: u128, a: u128, to: u128, b: u128| {
                    let steps = (to + modulus - from) % modulus;
                    a <= steps && steps + b <= sum
                };
                if evidence.around && !follows(from, *a, to, *b) && !follows(to, *b, from, *a) {
                    return Err(format!("the ranges of updates {k} and {l} meet modulo 2^w"));
                }
            }
        }
        if let Some(c) = amounts.first().filter(|c| amounts.iter().all(|a| a == *c)) {
            let mut values: Vec<u64> = made.iter().map(|m| m.2).collect();
            values.sort_unstable();
            let distinct = values.windows(2).all(|pair| pair[0] != pair[1]);
            if distinct != (made.len() as u128 <= modulus / gcd(*c, modulus)) {
                return Err("equal additions are distinct, or not".to_owned());
            }
            evidence.equal = Some(distinct);
        }
    }
    for (_, update, _) in made {
        let Some(value) = &update.expected else { continue };
        let known = |u: &AtomicUpdate<Natural>| matches!(u.op, AtomicOp::Cas | AtomicOp::Exch);
        if made.iter().any(|m| !known(m.1) || m.1.operand == *value) {
            continue;
        }
        evidence.winners = true;
        let wins =
            |m: &&Made<'_>| m.1.expected.as_ref() == Some(value) && Natural::from(m.2) == *value;
        if made.iter().filter(wins).count() > 1 {
            return Err(format!("two compare-and-swaps find {value}"));
        }
    }
    Ok(evidence)
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
