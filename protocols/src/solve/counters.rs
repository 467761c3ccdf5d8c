//! What is known of the values that atomic updates yield, in every interleaving (THEORY T13).
//!
//! `any x` stands for every value. But updates of one cell take place one after the other: while
//! nothing is done to a cell but adding to it, no two additions yield the same value, and while
//! nothing stores v there, at most one compare-and-swap that expects v succeeds. Nor does an addition
//! yield less than the cell held at first, where that is declared. So a race query may say so of the values of its two threads, where everything that any thread does to the cell in
//! the meantime is known:
//!
//! - in the phase of their block in which both accesses stand, if both threads make their updates in
//!   it; of global arrays only where there is one block, since other blocks have other phases;
//! - or in the whole run.
//!
//! Whatever is not known to be harmless (a plain access, another operator, an operand of which too
//! little is known, too many iterations) leaves the values free, as does a site that copies of a
//! statement share, where it does not tell which update a value comes from.

use super::encode::Encoded;
use super::path::{Path, Step};
use super::period::{Counted, Period};
use super::quantity::{Int, Quantity, power};
use super::world::{Threads, World};
use babycuda_core::interval::{Interval, euclid};
use babycuda_core::launch::{MAX_BLOCK_THREADS, MAX_GRID_DIM};
use babycuda_core::machine::IntType;
use babycuda_core::name::reserved;
use babycuda_core::syntax::{ArrayDecl, AtomicOp, AtomicUpdate, Contents, Extent, Space};
use babycuda_core::{AccessMode, Declarations, Name, Num, Protocol, Site};
use babycuda_smt::Term;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// All that is known of the updates of a protocol.
pub(super) struct Updates<'a> {
    declarations: &'a Declarations,
    /// What each site does.
    pub(super) known: BTreeMap<Site, AtomicUpdate<Interval>>,
    pub(super) run: Period,
    /// The arrays of which something was said.
    pub(super) used: RefCell<BTreeSet<Name>>,
}

/// A value that a thread has from an update.
struct Yielded<'a> {
    site: Site,
    var: &'a Name,
    /// Of what type it is.
    domain: Option<IntType>,
    array: &'a Name,
    index: &'a Num,
    update: &'a AtomicUpdate<Interval>,
    /// The operand, where that is known.
    operand: Option<Quantity>,
    /// Was the update made in the phase of the access?
    here: bool,
}

/// What holds of the values x and y that two updates of one cell yield.
enum Fact {
    /// `[x, x + a)` and `[y, y + b)` are disjoint parts of an interval no longer than `sum`, all
    /// modulo 2 to a width.
    Apart { amounts: [Int; 2], sum: Option<BigInt>, width: Option<u32> },
    /// x is not y.
    Distinct,
    /// Not both are this value.
    OneWinner(BigInt),
}

impl<'a> Updates<'a> {
    /// What is known of the updates of `protocol`, which stands for a program.
    pub(super) fn of(protocol: &Protocol, declarations: &'a Declarations) -> Updates<'a> {
        let any = !declarations.updates.is_empty();
        let run = if any { Period::of(protocol, declarations) } else { Period(Vec::new()) };
        let known = declarations.updates.clone();
        Updates { declarations, known, run, used: RefCell::default() }
    }

    /// Is anything known of any update?
    pub(super) fn is_empty(&self) -> bool {
        self.run.0.is_empty()
    }

    /// The values that a thread has from updates; `encoded` are its expressions.
    fn yielded<'b>(
        &'b self,
        steps: &'b [Step],
        encoded: impl Fn(&Num) -> Encoded<Quantity>,
    ) -> Vec<Yielded<'b>> {
        let yielded = |step: &'b Step| {
            let Step::Data { site, var, domain, update: here, .. } = step else { return None };
            let update = self.known.get(site)?;
            let here = here.as_ref().filter(|_| self.run.only(*site).is_some());
            let (array, index) = match here {
                Some(here) => (&here.array, &here.index),
                None => self.run.cell(*site)?,
            };
            let operand = here.and_then(|here| encoded(here.operand.as_ref()?).ok());
            let (site, domain, here) = (*site, *domain, here.is_some());
            Some(Yielded { site, var, domain, array, index, update, operand, here })
        };
        steps.iter().filter_map(yielded).collect()
    }

    /// The array that updates are of, if something may be said of them, and whether other blocks see
    /// it. Where no grid is given, the block is one of any grid.
    pub(super) fn array(&self, name: &Name) -> Option<(&ArrayDecl, bool)> {
        let array = self.declarations.array(name)?;
        let one_block = self.declarations.geometry.grid == Some([Extent::Known(1); 3]);
        let known = array.contents != Contents::Opaque;
        known.then_some((array, array.space == Space::Global && !one_block))
    }

    /// What holds of two values of different updates, if the updates are of one cell.
    fn fact(&self, [x, y]: [&Yielded<'_>; 2], periods: &[Period], world: &World) -> Option<Fact> {
        let (_, across) = self.array(x.array).filter(|_| x.array == y.array)?;
        if world.threads == Threads::DifferentBlocks && !across {
            return None;
        }
        let threads = self.threads(across, world)?;
        // The phase of the block in which both updates stand, if it can be no other one.
        let both = |p: &&Period| [x.site, y.site].iter().all(|s| p.0.iter().any(|a| a.site == *s));
        let mut there = periods.iter().filter(both);
        let phase = there.next().filter(|_| there.next().is_none());
        let phase = phase.filter(|_| x.here && y.here && !across);
        let in_phase = phase.and_then(|phase| self.fact_in(phase, [x, y], &threads, across));
        in_phase.or_else(|| self.fact_in(&self.run, [x, y], &threads, across))
    }

    /// The values of an update of a cell that is only added to, from what it holds at first.
    fn between(&self, x: &Yielded<'_>, world: &World) -> Option<Interval> {
        let (array, across) = self.array(x.array)?;
        let first = match (&array.contents, x.index) {
            (Contents::Fill(k), _) => k,
            (Contents::Values(values), Num::Lit(j)) => {
                values.get(usize::try_from(j.to_u64()?).ok()?)?
            }
            _ => return None,
        };
        let first = BigInt::from(first);
        let threads = self.threads(across, world)?;
        match self.fact_in(&self.run, [x, x], &threads, across)? {
            Fact::Apart { amounts: [a, _], sum: Some(sum), width } => {
                let end = &first + sum;
                let wraps = width.is_some_and(|w| end > power(w));
                let least = a.range.lower.unwrap_or_default();
                (!wraps).then(|| Interval::new(first, end - least))
            }
            Fact::Apart { sum: None, width: None, .. } => Some(Interval::at_least(first)),
            _ => None,
        }
    }

    /// How many threads there are in a block, or in all blocks, at most.
    pub(super) fn threads(&self, all_blocks: bool, world: &World) -> Option<BigInt> {
        let geometry = &self.declarations.geometry;
        let (mut block, mut grid, mut both) = (BigInt::one(), BigInt::one(), BigInt::one());
        for d in 0..3 {
            let width = world.extent(reserved::BLOCK_DIM[d])?;
            let most = width.range.upper.clone()?;
            block *= &most;
            if !all_blocks {
                continue;
            }
            // Without a grid, the block is one of any line of blocks, or of any grid in the dimensions
            // that are mentioned.
            let any = if d == 0 { Extent::Symbolic } else { Extent::Known(1) };
            let grid_dim = geometry.grid.map_or(any, |grid| grid[d]);
            let most_blocks = match grid_dim {
                Extent::Known(k) => Int::literal(k),
                Extent::Symbolic => Int::literal(MAX_GRID_DIM[d]),
            };
            let count = world.extent(reserved::GRID_DIM[d]).unwrap_or(most_blocks);
            let blocks = count.range.upper.clone()?;
            // What is assumed of the product may say more.
            let said = [count.mul(&width).ok()?, width.mul(&count).ok()?];
            let said = said.into_iter().filter_map(|n| world.facts.refine(n).range.upper);
            both *= said.chain([&blocks * most]).min()?;
            grid *= blocks;
        }
        if geometry.block.contains(&Extent::Symbolic) {
            block = block.min(MAX_BLOCK_THREADS.into());
        }
        Some(if all_blocks { both.min(block * grid) } else { block })
    }

    /// The same, where a period holds all that so many threads do to the cell.
    fn fact_in(
        &self,
        period: &Period,
        [x, y]: [&Yielded<'_>; 2],
        threads: &BigInt,
        across: bool,
    ) -> Option<Fact> {
        let elsewhere = |a: &Counted| [x.index, y.index].iter().any(|n| differ(&a.index, n));
        let mut made = Vec::new();
        for access in period.0.iter().filter(|a| a.array == *x.array && !elsewhere(a)) {
            let AccessMode::At(scope) = access.mode else { return None };
            let update = self.known.get(&access.site)?;
            if !scope.covers(!across) {
                return None;
            }
            made.push((update, access.times.as_ref().map(|n| n * threads)));
        }
        match (x.update.op, y.update.op) {
            (AtomicOp::Cas, AtomicOp::Cas) => one_winner([x, y], &made),
            _ => additions([x, y], &made),
        }
    }
}

/// Are the indices two different constants?
fn differ(a: &Num, b: &Num) -> bool {
    matches!((a, b), (Num::Lit(j), Num::Lit(k)) if j != k)
}

/// Updates, and how often they are made at most.
type Made<'a> = [(&'a AtomicUpdate<Interval>, Option<BigInt>)];

/// What holds of the values of two additions, where nothing is done but adding.
fn additions([x, y]: [&Yielded<'_>; 2], made: &Made<'_>) -> Option<Fact> {
    let width = x.domain.map(|t| t.width.bits());
    if y.domain.map(|t| t.width.bits()) != width {
        return None;
    }
    let (mut sum, mut count, mut amounts) = (Some(BigInt::zero()), Some(BigInt::zero()), None);
    for (update, times) in made {
        let amount = amount(update, width)?;
        let most = amount.upper.as_ref().zip(times.as_ref()).map(|(most, n)| most * n);
        sum = sum.zip(most).map(|(sum, most)| sum + most);
        count = count.zip(times.as_ref()).map(|(count, n)| count + n);
        amounts = Some(amounts.map_or(amount.clone(), |all: Interval| all.join(&amount)));
    }
    let fits = width.is_none_or(|w| sum.as_ref().is_some_and(|sum| *sum <= power(w)));
    if fits {
        let amounts = [added(x, width)?, added(y, width)?];
        let none = amounts.iter().all(|n| n.range.upper.as_ref().is_some_and(Zero::is_zero));
        return (!none).then_some(Fact::Apart { amounts, sum, width });
    }
    // Equal additions come back to a value after `2^w / gcd(c, 2^w)` of them.
    let (c, w) = (amounts?.single()?.clone(), width?);
    let zeros = c.trailing_zeros().filter(|zeros| *zeros < u64::from(w))?;
    (count? <= power(w) >> zeros).then_some(Fact::Distinct)
}

/// What an update adds, modulo 2 to the width; `None`: it does not add, or not at this width.
fn amount(update: &AtomicUpdate<Interval>, width: Option<u32>) -> Option<Interval> {
    let at = |t: Option<IntType>| t.map(|t| t.width.bits()) == width;
    let operand = &update.operand;
    let Some(w) = width else {
        return (update.op == AtomicOp::Add(None)).then(|| operand.clone());
    };
    let modulo = |n: &BigInt| Interval::point(&euclid(n, &power(w)).1);
    match update.op {
        AtomicOp::Add(t) if at(t) => match operand.single() {
            Some(n) => Some(modulo(n)),
            None => operand.is_within(&Interval::new(0, power(w) - 1)).then(|| operand.clone()),
        },
        AtomicOp::Sub(t) if at(t) => operand.single().map(|n| modulo(&-n)),
        // `old >= m ? 0 : old + 1`, with the largest m that there is.
        AtomicOp::Inc if operand.single() == Some(&(power(w) - 1)) => Some(modulo(&BigInt::one())),
        _ => None,
    }
}

/// What an addition adds: the operand itself, or where that is not known the least that it may be.
fn added(z: &Yielded<'_>, width: Option<u32>) -> Option<Int> {
    let all = amount(z.update, width)?;
    match (&z.operand, all.single()) {
        (Some(operand), None) => {
            let Int { term, range } = match width {
                Some(w) => operand.pattern(w).ok()?,
                None => operand.natural.clone(),
            };
            let range = Some(range.meet(&all)).filter(|met| !met.is_empty()).unwrap_or(range);
            Some(Int { term, range })
        }
        _ => Some(Int::literal(all.lower?)),
    }
}

/// What holds of the values of two compare-and-swaps that expect the same, where nobody stores that.
fn one_winner([x, y]: [&Yielded<'_>; 2], made: &Made<'_>) -> Option<Fact> {
    let expected = |z: &Yielded<'_>| z.update.expected.as_ref()?.single().cloned();
    let value = expected(x).filter(|v| expected(y).as_ref() == Some(v))?;
    let never_stored = made.iter().all(|(update, _)| {
        matches!(update.op, AtomicOp::Cas | AtomicOp::Exch) && !update.operand.contains(&value)
    });
    never_stored.then_some(Fact::OneWinner(value))
}

impl World {
    /// Asserts what is known of the values that updates on these paths yield. `periods` are the phases
    /// of the block, where both threads are known to be in one of them.
    pub(super) fn order(
        &mut self,
        updates: &Updates<'_>,
        periods: &[Period],
        paths: [&Path; 2],
        locals: [&BTreeMap<Name, Quantity>; 2],
    ) -> Encoded<()> {
        let yielded = |i: usize| {
            let path: &Path = paths[i];
            updates.yielded(&path.steps, |n| self.num(n, i, locals[i]))
        };
        let [first, second] = [yielded(0), yielded(1)];
        let across = first.iter().flat_map(|x| second.iter().map(move |y| ((x, 0), (y, 1))));
        for ((x, i), (y, j)) in across {
            if let Some(fact) = updates.fact([x, y], periods, self) {
                let indices = [self.num(x.index, i, locals[i])?, self.num(y.index, j, locals[j])?];
                let values = [(x, i), (y, j)].map(|(z, i)| locals[i].get(z.var).cloned());
                let [Some(x_value), Some(y_value)] = values else { continue };
                let same = indices[0].equal(&indices[1])?;
                let holds = fact.term(&x_value.natural, &y_value.natural)?;
                self.query.assert(&same.implies(&holds)?)?;
                updates.used.borrow_mut().insert(x.array.clone());
            }
        }
        for (x, i) in first.iter().map(|x| (x, 0)).chain(second.iter().map(|y| (y, 1))) {
            if let Some(range) = updates.between(x, self)
                && let Some(value) = locals[i].get(x.var)
            {
                let ends = [range.lower, range.upper].map(|end| end.map(Int::literal));
                let from = ends[0].as_ref().map(|low| value.natural.less(low)?.not());
                let to = ends[1].as_ref().map(|high| high.less(&value.natural)?.not());
                for holds in from.into_iter().chain(to) {
                    self.query.assert(&holds?)?;
                }
                updates.used.borrow_mut().insert(x.array.clone());
            }
        }
        Ok(())
    }
}

impl Fact {
    /// The fact of x and y.
    fn term(&self, x: &Int, y: &Int) -> Encoded<Term> {
        match self {
            Fact::Distinct => Ok(x.equal(y)?.not()?),
            Fact::OneWinner(value) => {
                let value = Int::literal(value.clone());
                Ok(Term::and([x.equal(&value)?, y.equal(&value)?])?.not()?)
            }
            Fact::Apart { amounts, sum, width } => {
                let [a, b] = amounts;
                let around = width.map(|w| Int::literal(power(w)));
                let at_most = |n: &Int, m: &Int| m.less(n)?.not();
                let mut orders = Vec::new();
                for (x, a, y, b) in [(x, a, y, b), (y, b, x, a)] {
                    // x comes first: then `x + a <= y` and `y + b <= x + sum`, or once around.
                    let later = around.iter().map(|around| y.add(around));
                    for y in [Ok(y.clone())].into_iter().chain(later) {
                        let y = y?;
                        let mut holds = vec![at_most(&x.add(a)?, &y)?];
                        if let Some(sum) = sum {
                            let end = x.add(&Int::literal(sum.clone()))?;
                            holds.push(at_most(&y.add(b)?, &end)?);
                        }
                        orders.push(Term::and(holds)?);
                    }
                }
                Ok(Term::or(orders)?)
            }
        }
    }
}
