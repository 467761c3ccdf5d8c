//! Assumptions over what the host stored.
//!
//! A query has instances of them: for those values of their variables at which an array is read. So
//! it may have models that no contents go with. The contents of a model are completed, in cells of
//! which it says nothing, and each assumption is evaluated on them. Where one does not hold, the
//! query is asked again with the instances that say so; and with all instances, where these are few.
//! Instances follow from the assumptions: `unsat` of a query with some of them counts.

use super::chains::chained;
use super::encode::Encoded;
use super::quantity::{Int, Quantity};
use super::world::World;
use babycuda_core::expr::{ArithOp, NumOp};
use babycuda_core::history::HostMemory;
use babycuda_core::machine::MachineOp;
use babycuda_core::syntax::{Bound, Contents, Forall};
use babycuda_core::{Cell, Configuration, Declarations, Interval, Name, Natural, Num};
use babycuda_smt::{Model, Sort, Term};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// The most instances of one assumption in a query at the reads; and everywhere.
const MAX_INSTANCES: usize = 1024;

/// How often a query is asked again with more instances.
pub(super) const MAX_ROUNDS: usize = 16;

/// The most instances that are learned from one model, of each assumption.
const MAX_LEARNED: usize = 64;

/// The value of each variable of an assumption, which has this number.
pub(super) type Instance = (usize, Vec<Natural>);

impl World {
    /// Asserts instances of assumptions over contents: these, those at the reads so far, and where
    /// they are few, those `everywhere`.
    pub(super) fn instantiate(
        &mut self,
        declarations: &Declarations,
        learned: &BTreeSet<Instance>,
        everywhere: bool,
    ) -> Encoded<()> {
        let assumed = &declarations.contents_assumed;
        let known = |assumption: &Forall| {
            assumption.arrays().into_iter().all(|array| self.stable.contains_key(array))
        };
        let known: Vec<usize> = (0..assumed.len()).filter(|k| known(&assumed[*k])).collect();
        for (number, values) in learned.iter().filter(|(of, _)| known.contains(of)) {
            let literal = |k: &Natural| Int::literal(BigInt::from(k));
            let values: Vec<Int> = values.iter().map(literal).collect();
            self.instance(&assumed[*number], &values)?;
        }
        // Those without variables read cells that the others are to hold of, too.
        let single = |of: &Forall| of.over.iter().all(|bound| bound.array().is_some());
        let (singles, others): (Vec<_>, Vec<_>) =
            known.into_iter().map(|k| &assumed[k]).partition(|of| single(of));
        for assumption in singles {
            self.instance(assumption, &[])?;
        }
        let reads = self.reads.clone();
        for assumption in others {
            for values in self.places(assumption, &reads, everywhere)? {
                self.instance(assumption, &values)?;
            }
            let ends = self.ranges(assumption)?;
            let end = ends.first().and_then(|range| range.map(|(_, end)| end));
            let Some(chained) = chained(assumption, end) else { continue };
            for values in self.places(&chained, &reads, false)? {
                self.instance(&chained, &values)?;
            }
        }
        Ok(())
    }

    /// The values of the variables, outermost first, for which an assumption reads what was read; all
    /// values `everywhere`, where they are few.
    fn places(
        &self,
        assumption: &Forall,
        reads: &[(Name, Quantity, Quantity)],
        everywhere: bool,
    ) -> Encoded<Vec<Vec<Int>>> {
        let variables = assumption.over.iter().filter(|b| b.array().is_none());
        let read_at = variables.map(|bound| self.read_at(assumption, bound.var(), reads));
        let mut places = product(&read_at.collect::<Encoded<Vec<_>>>()?);
        let ranges: Option<Vec<_>> = self.ranges(assumption)?.into_iter().collect();
        if let Some(ranges) = ranges.filter(|_| everywhere) {
            let few = |n: u64, (low, high): &(u64, u64)| n.checked_mul(high.saturating_sub(*low));
            if ranges.iter().try_fold(1, few).is_some_and(|n| n <= MAX_INSTANCES as u64) {
                let all = |(low, high)| (low..high).map(Int::literal).collect();
                places.extend(product(&ranges.into_iter().map(all).collect::<Vec<_>>()));
            }
        }
        Ok(places)
    }

    /// For each variable the range that holds all its values, the end not included; `None` where
    /// they are many.
    fn ranges(&self, assumption: &Forall) -> Encoded<Vec<Option<(u64, u64)>>> {
        let mut locals = BTreeMap::new();
        let mut ranges = Vec::new();
        for bound in &assumption.over {
            let range = match bound {
                Bound::Read { array, .. } => {
                    self.stable.get(array).map_or(Interval::ALL, |a| self.domain(a.element))
                }
                Bound::In { lower, upper, .. } => {
                    let low = self.num(lower, 0, &locals)?.natural.range.lower;
                    let high = self.num(upper, 0, &locals)?.natural.range.upper;
                    let end = |n: &Option<BigInt>| n.as_ref().and_then(|n| u64::try_from(n).ok());
                    ranges.push(end(&low).zip(end(&high)));
                    Interval { lower: low, upper: high.map(|n| n - 1) }
                }
            };
            // It stands for any value of the range, and in no assertion.
            let any = Int { term: Term::constant(bound.var().as_str(), Sort::Int), range };
            locals.insert(bound.var().clone(), Quantity::natural(any));
        }
        Ok(ranges)
    }

    /// The values of a variable `x` for which the assumption reads what was read: for `A[x + k]`,
    /// those that are k less than the indices at which A was read.
    fn read_at(
        &self,
        assumption: &Forall,
        var: &Name,
        reads: &[(Name, Quantity, Quantity)],
    ) -> Encoded<Vec<Int>> {
        let mut found: Vec<Int> = Vec::new();
        for bound in &assumption.over {
            let Bound::Read { array, index, .. } = bound else { continue };
            let Some(k) = offset(index, var) else { continue };
            for (_, at, _) in reads.iter().filter(|(of, ..)| of == array) {
                // Less than 0 is in no range.
                let value = at.natural.sub(&Int::literal(k.clone()))?;
                if !found.iter().any(|known| known.term == value.term) {
                    found.push(value);
                }
            }
        }
        Ok(found)
    }

    /// Asserts an assumption of these values of its variables.
    fn instance(&mut self, assumption: &Forall, values: &[Int]) -> Encoded<()> {
        let mut values = values.iter();
        let (mut locals, mut guards, mut defined) = (BTreeMap::new(), Vec::new(), Vec::new());
        for bound in &assumption.over {
            let value = match bound {
                Bound::In { lower, upper, .. } => {
                    let Some(x) = values.next() else { return Ok(()) };
                    let [low, high] = [lower, upper].map(|n| self.num(n, 0, &locals));
                    guards.push(x.less(&low?.natural)?.not()?);
                    guards.push(x.less(&high?.natural)?);
                    Quantity::natural(x.clone())
                }
                Bound::Read { array, index, .. } => {
                    let index = self.num(index, 0, &locals)?;
                    if let Some(Contents::Values(k)) = self.stable.get(array).map(|a| &a.contents) {
                        defined.push(index.natural.less(&Int::literal(k.len()))?);
                    }
                    self.stored(array, index)?
                }
            };
            locals.insert(bound.var().clone(), value);
        }
        let (guard, defined) = (Term::and(guards)?, Term::and(defined)?);
        self.query.assert(&guard.implies(&defined)?)?;
        if guard.as_bool() == Some(true) {
            return self.assume(&assumption.condition, 0, &locals);
        }
        let holds = self.bool(&assumption.condition, 0, &locals)?;
        self.query.assert(&guard.implies(&holds)?)?;
        Ok(())
    }

    /// What the host stored there.
    fn stored(&mut self, array: &Name, index: Quantity) -> Encoded<Quantity> {
        let known = |(of, at, _): &&(Name, Quantity, Quantity)| {
            of == array && at.natural.term == index.natural.term
        };
        if let Some((_, _, value)) = self.reads.iter().find(known) {
            return Ok(value.clone());
        }
        let Some(declared) = self.stable.get(array).cloned() else {
            return Err(super::Cause::Unbound(array.clone()));
        };
        let range = match &declared.contents {
            Contents::Fill(k) => Interval::point(&k.into()),
            _ => self.domain(declared.element),
        };
        let name = format!("{array}[{}]", self.reads.len());
        let value = Quantity::natural(self.int(&name, range)?);
        self.remember(&declared, index, value.clone())?;
        Ok(value)
    }

    /// The cells that a model gives values.
    pub(super) fn cells(&self, model: &Model) -> BTreeMap<Cell, Natural> {
        let number = |q: &Quantity| {
            let value = q.natural.term.eval(model).ok()?;
            value.as_int()?.to_biguint().map(Natural::from)
        };
        let cell = |(array, index, value): &(Name, Quantity, Quantity)| {
            let index = number(index)?;
            Some((Cell { array: array.clone(), index }, number(value)?))
        };
        self.reads.iter().filter_map(cell).collect()
    }
}

/// One of each, in all ways; at most so many.
fn product(choices: &[Vec<Int>]) -> Vec<Vec<Int>> {
    choices.iter().fold(vec![Vec::new()], |places, choice| {
        let longer = |place: Vec<Int>| {
            choice.iter().map(move |x| [place.as_slice(), std::slice::from_ref(x)].concat())
        };
        places.into_iter().flat_map(longer).take(MAX_INSTANCES).collect()
    })
}

/// The k of `x + k`, or of `x - k`, where it is -k, for the variable `x`; that of `x` is 0. Machine
/// arithmetic counts as if it never wrapped.
pub(super) fn offset(index: &Num, x: &Name) -> Option<BigInt> {
    use NumOp::{Machine, Natural};
    let is_x = |n: &Num| matches!(n, Num::Var(y) if y == x);
    match index {
        n if is_x(n) => Some(BigInt::ZERO),
        Num::Binary(op, l, r) => match (op, l.as_ref(), r.as_ref()) {
            (Natural(ArithOp::Add) | Machine(MachineOp::Add, _), n, Num::Lit(k))
            | (Natural(ArithOp::Add) | Machine(MachineOp::Add, _), Num::Lit(k), n) => {
                is_x(n).then(|| k.into())
            }
            (Natural(ArithOp::Sub) | Machine(MachineOp::Sub, _), n, Num::Lit(k)) => {
                is_x(n).then(|| -BigInt::from(k))
            }
            _ => None,
        },
        _ => None,
    }
}

/// What the cells of an array hold that nothing names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// 0.
    Zero,
    /// What the last named cell before holds; before all of them, what the first one holds.
    Last,
    /// Likewise, and 1 more in each cell than in the one before.
    Rising,
    /// Likewise, and 1 less.
    Falling,
    /// Other values than the named cells hold, all different.
    Apart,
}

impl Rest {
    const ALL: [Rest; 5] = [Rest::Zero, Rest::Last, Rest::Rising, Rest::Falling, Rest::Apart];

    /// What a cell holds, beside those that are named; `inverse` has their indices by values.
    fn value(
        self,
        index: &Natural,
        named: &BTreeMap<Natural, Natural>,
        inverse: &BTreeMap<Natural, Natural>,
    ) -> Natural {
        let zero = (&Natural::zero(), &Natural::zero());
        let (i, k) =
            named.range(..index).next_back().or_else(|| named.iter().next()).unwrap_or(zero);
        let (behind, before) = (index.monus(i), i.monus(index));
        match self {
            Rest::Zero => Natural::zero(),
            Rest::Last => k.clone(),
            Rest::Rising => (k + &behind).monus(&before),
            Rest::Falling => (k + &before).monus(&behind),
            Rest::Apart => {
                // A permutation, where the named cells are part of one.
                let mut value = index.clone();
                for _ in 0..named.len() {
                    let Some(at) = inverse.get(&value) else { break };
                    value = at.clone();
                }
                value
            }
        }
    }
}

/// Contents, and the instances of assumptions that do not hold in them.
pub(super) struct Tried {
    pub host: HostMemory,
    pub broken: BTreeSet<Instance>,
    /// Can they all be evaluated?
    pub evaluated: bool,
}

/// Contents that have these cells, and in which the assumptions hold where such were found. Cells
/// of which nobody speaks hold 0.
pub(super) fn completed(
    at: &Configuration,
    declarations: &Declarations,
    cells: &BTreeMap<Cell, Natural>,
) -> Tried {
    let mut named: BTreeMap<Name, BTreeMap<Natural, Natural>> = BTreeMap::new();
    let assumed: BTreeSet<&Name> =
        declarations.contents_assumed.iter().flat_map(Forall::arrays).collect();
    let open = |array: &&&Name| *declarations.contents(array) == Contents::Any;
    for array in assumed.iter().filter(open) {
        named.insert((*array).clone(), BTreeMap::new());
    }
    for (cell, value) in cells {
        if *declarations.contents(&cell.array) == Contents::Any {
            let array = named.entry(cell.array.clone()).or_default();
            array.insert(cell.index.clone(), value.clone());
        }
    }
    let mut rests: BTreeMap<&Name, Rest> = named.keys().map(|array| (array, Rest::Zero)).collect();
    let mut tried = Tried::of(at, declarations, &named, &rests);
    for array in named.keys().filter(|array| assumed.contains(array)) {
        for rest in Rest::ALL {
            if tried.broken.is_empty() || !tried.evaluated {
                return tried;
            }
            let before = rests.insert(array, rest);
            let next = Tried::of(at, declarations, &named, &rests);
            if !next.evaluated {
                return next;
            }
            match before {
                Some(before) if next.broken.len() >= tried.broken.len() => {
                    rests.insert(array, before);
                }
                _ => tried = next,
            }
        }
    }
    tried
}

impl Tried {
    fn of(
        at: &Configuration,
        declarations: &Declarations,
        named: &BTreeMap<Name, BTreeMap<Natural, Natural>>,
        rests: &BTreeMap<&Name, Rest>,
    ) -> Tried {
        let mut host = HostMemory::default();
        let declared = HostMemory::declared(declarations);
        for array in named.keys() {
            host.insert(array.clone(), declared.array(array).cloned().unwrap_or_default());
        }
        for (array, cells) in named {
            for (index, value) in cells {
                host.set(Cell::new(array.clone(), index.clone()), value.clone());
            }
        }
        let (mut broken, mut evaluated) = (BTreeSet::new(), true);
        let inverse = |cells: &BTreeMap<Natural, Natural>| {
            cells.iter().map(|(index, k)| (k.clone(), index.clone())).collect()
        };
        let inverses: BTreeMap<&Name, BTreeMap<Natural, Natural>> =
            named.iter().map(|(array, cells)| (array, inverse(cells))).collect();
        for (number, assumption) in declarations.contents_assumed.iter().enumerate() {
            let mut stored = |cell: &Cell| {
                let Some(cells) = named.get(&cell.array) else {
                    return declared.get(cell).cloned();
                };
                if let Some(value) = cells.get(&cell.index) {
                    return Some(value.clone());
                }
                let rest = rests.get(&cell.array).zip(inverses.get(&cell.array));
                let rest = rest.map(|(rest, inverse)| rest.value(&cell.index, cells, inverse));
                let fits = |k: &Natural| {
                    declarations.array(&cell.array).is_some_and(|a| a.element.contains(k))
                };
                let value = rest.filter(fits).unwrap_or_default();
                if value != Natural::zero() {
                    host.set(cell.clone(), value.clone());
                }
                Some(value)
            };
            match assumption.broken(&|x| at.value_of(x, 0), &mut stored, MAX_LEARNED) {
                Ok(found) => {
                    let variables = || assumption.over.iter().filter(|b| b.array().is_none());
                    for values in found {
                        // Stuck at a read of ⊥ before the other variables have values.
                        let instance = variables().filter_map(|b| values.get(b.var()).cloned());
                        broken.insert((number, instance.collect()));
                    }
                }
                Err(_) => evaluated = false,
            }
        }
        Tried { host, broken, evaluated }
    }
}
