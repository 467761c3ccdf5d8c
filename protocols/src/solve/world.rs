//! The constants of a race query: one launch, its parameters, two threads.

use super::encode::{self, Encoded};
use super::path::{Path, Step};
use super::quantity::{Int, Quantity};
use crate::configuration::Declarations;
use babycuda_core::launch::{MAX_BLOCK_DIM, MAX_BLOCK_THREADS, MAX_GRID_DIM};
use babycuda_core::name::reserved;
use babycuda_core::syntax::{Contents, Domain, Extent};
use babycuda_core::{Bool, Name, Num};
use babycuda_smt::{Interval, Query, Sort, Term};
use num_bigint::BigInt;
use num_traits::One;
use std::collections::{BTreeMap, BTreeSet};

/// The largest values that a query considers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    /// Threads in a block of symbolic size, and each extent.
    pub threads: u64,
    /// Each symbolic extent of the grid.
    pub grid: u32,
    /// Parameters, and values read; `None`: what their domains allow.
    pub values: Option<u32>,
}

impl Bounds {
    /// Everything that a device allows.
    pub const ALL: Bounds = Bounds { threads: MAX_BLOCK_THREADS, grid: u32::MAX, values: None };
    /// Where most witnesses are found, and found quickly.
    pub const SMALL: Bounds = Bounds { threads: 64, grid: 4, values: Some(64) };
}

/// Which two threads a query is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Threads {
    /// One thread of some block; there is no other.
    One,
    /// Two threads of one block.
    SameBlock,
    /// Threads of different blocks.
    DifferentBlocks,
}

/// The name of a thread's own copy of a variable.
pub(super) fn private(name: &str, thread: usize) -> String {
    format!("{name}@{}", thread + 1)
}

/// Declared constants, and what is known of them.
#[derive(Clone)]
pub(super) struct World {
    pub query: Query,
    threads: Threads,
    bounds: Bounds,
    shared: BTreeMap<Name, Quantity>,
    own: [BTreeMap<Name, Quantity>; 2],
    /// Values that were read, with their indices: of arrays of which equal indices give equal
    /// values.
    reads: Vec<(Name, Quantity, Quantity)>,
    stable: BTreeSet<Name>,
}

impl World {
    /// The world of `declarations`, where `mentioned` are the free variables in use and `stable`
    /// the arrays that are never written.
    pub fn new(
        declarations: &Declarations,
        mentioned: &BTreeSet<Name>,
        stable: &BTreeSet<Name>,
        bounds: Bounds,
        threads: Threads,
    ) -> Encoded<World> {
        let any = |a: &Name| *declarations.contents(a) == Contents::Any;
        let mut world = World {
            query: Query::new(),
            threads,
            bounds,
            shared: BTreeMap::new(),
            own: [BTreeMap::new(), BTreeMap::new()],
            reads: Vec::new(),
            stable: stable.iter().filter(|a| any(a)).cloned().collect(),
        };
        world.parameters(declarations)?;
        world.block(declarations)?;
        world.grid(declarations, mentioned)?;
        world.linear(mentioned)?;
        for assumption in &declarations.assumptions {
            for thread in 0..world.count() {
                let term = world.bool(assumption, thread, &BTreeMap::new())?;
                world.query.assert(&term)?;
            }
        }
        Ok(world)
    }

    fn count(&self) -> usize {
        if self.threads == Threads::One { 1 } else { 2 }
    }

    fn int(&mut self, name: &str, range: Interval) -> Encoded<Int> {
        if let Some((lo, hi)) = range.ends()
            && lo == hi
        {
            return Ok(Int::literal(lo.clone()));
        }
        let term = self.query.declare_in(name, Sort::Int, range.clone())?;
        Ok(Int { term, range })
    }

    /// The range of a value of a domain.
    fn domain(&self, domain: Domain) -> Interval {
        let all = match domain {
            Domain::Natural => Interval::at_least(0),
            Domain::Machine(t) => Interval::new(0, t.width.mask()),
        };
        match self.bounds.values {
            Some(most) => all.meet(&Interval::at_most(most)),
            None => all,
        }
    }

    fn parameters(&mut self, declarations: &Declarations) -> Encoded<()> {
        for p in &declarations.params {
            let value = match &p.value {
                Some(k) => Int::literal(BigInt::from(k.0.clone())),
                None => self.int(&p.name, self.domain(p.domain))?,
            };
            self.shared.insert(p.name.clone(), Quantity::natural(value));
        }
        Ok(())
    }

    /// Extents of the block, and each thread's position in it.
    fn block(&mut self, declarations: &Declarations) -> Encoded<()> {
        let extents = declarations.geometry.block;
        let mut dims = Vec::new();
        let mut known = 1u64;
        for extent in extents {
            if let Extent::Known(k) = extent {
                known = known.saturating_mul(u64::from(k.max(1)));
            }
        }
        // With known extents, that much room is left for each symbolic one.
        let room = (self.bounds.threads / known).max(1);
        for d in 0..3 {
            let range = match extents[d] {
                Extent::Known(k) => Interval::new(k, k),
                Extent::Symbolic => Interval::new(1, room.min(u64::from(MAX_BLOCK_DIM[d]))),
            };
            let dim = self.int(reserved::BLOCK_DIM[d], range)?;
            let name = Name::new(reserved::BLOCK_DIM[d]);
            self.shared.insert(name, Quantity::natural(dim.clone()));
            dims.push(dim);
        }
        if extents.iter().filter(|e| **e == Extent::Symbolic).count() > 1 {
            let count = dims[0].mul(&dims[1])?.mul(&dims[2])?;
            let most = Int::literal(self.bounds.threads.max(known));
            let fits = most.less(&count)?.not()?;
            self.query.assert(&fits)?;
        }
        let mut apart = Vec::new();
        for d in 0..3 {
            let mut positions = Vec::new();
            for thread in 0..self.count() {
                let position = self.below(reserved::THREAD_IDX[d], Some(thread), &dims[d])?;
                let name = Name::new(reserved::THREAD_IDX[d]);
                self.own[thread].insert(name, Quantity::natural(position.clone()));
                positions.push(position);
            }
            if let [a, b] = positions.as_slice() {
                apart.push(a.equal(b)?.not()?);
            }
        }
        if self.threads == Threads::SameBlock {
            self.query.assert(&Term::or(apart)?)?;
        }
        Ok(())
    }

    /// A constant below `limit`, shared or a thread's own.
    fn below(&mut self, name: &str, thread: Option<usize>, limit: &Int) -> Encoded<Int> {
        let most = limit.range.upper.as_ref().map(|high| high - 1);
        let range = Interval { lower: Some(0.into()), upper: most };
        let name = thread.map_or_else(|| name.to_owned(), |t| private(name, t));
        let int = self.int(&name, range)?;
        let less = int.less(limit)?;
        self.query.assert(&less)?;
        Ok(int)
    }

    fn grid(&mut self, declarations: &Declarations, mentioned: &BTreeSet<Name>) -> Encoded<()> {
        let mut apart = Vec::new();
        let across = self.threads == Threads::DifferentBlocks;
        for d in 0..3 {
            let (dim_name, idx_name) = (reserved::GRID_DIM[d], reserved::BLOCK_IDX[d]);
            let uses = |name: &str| mentioned.iter().any(|x| x.as_str() == name);
            if !across && !uses(dim_name) && !uses(idx_name) {
                continue;
            }
            let range = match declarations.geometry.grid.map(|grid| grid[d]) {
                Some(Extent::Known(k)) => Interval::new(k, k),
                _ => Interval::new(1, MAX_GRID_DIM[d].min(self.bounds.grid)),
            };
            let dim = self.int(dim_name, range)?;
            self.shared.insert(Name::new(dim_name), Quantity::natural(dim.clone()));
            if across {
                let a = self.below(idx_name, Some(0), &dim)?;
                let b = self.below(idx_name, Some(1), &dim)?;
                apart.push(a.equal(&b)?.not()?);
                for (thread, idx) in [a, b].into_iter().enumerate() {
                    self.own[thread].insert(Name::new(idx_name), Quantity::natural(idx));
                }
            } else {
                let idx = self.below(idx_name, None, &dim)?;
                self.shared.insert(Name::new(idx_name), Quantity::natural(idx));
            }
        }
        if across {
            self.query.assert(&Term::or(apart)?)?;
        }
        Ok(())
    }

    /// `tid`, where it is mentioned: the position in linear order.
    fn linear(&mut self, mentioned: &BTreeSet<Name>) -> Encoded<()> {
        if !mentioned.iter().any(|x| x.as_str() == reserved::TID) {
            return Ok(());
        }
        let dim = |w: &World, d: usize| w.shared.get(&Name::new(reserved::BLOCK_DIM[d])).cloned();
        let (Some(width), Some(height)) = (dim(self, 0), dim(self, 1)) else {
            return Ok(());
        };
        for thread in 0..self.count() {
            let at = |d: usize| self.own[thread].get(&Name::new(reserved::THREAD_IDX[d])).cloned();
            let (Some(x), Some(y), Some(z)) = (at(0), at(1), at(2)) else {
                continue;
            };
            let rows = y.natural.add(&height.natural.mul(&z.natural)?)?;
            let mut tid = x.natural.add(&width.natural.mul(&rows)?)?;
            let last = BigInt::from(self.bounds.threads.max(MAX_BLOCK_THREADS)) - 1;
            if self.symbolic() {
                tid.range = tid.range.meet(&Interval::new(0, last));
            }
            self.own[thread].insert(Name::new(reserved::TID), Quantity::natural(tid));
        }
        Ok(())
    }

    /// Has the block a symbolic extent, so that at most 1024 threads are meant?
    fn symbolic(&self) -> bool {
        reserved::BLOCK_DIM.iter().any(|name| {
            self.shared.get(&Name::new(name)).is_some_and(|q| q.natural.term.as_value().is_none())
        })
    }

    /// The quantity of a variable in a thread, below its own local variables.
    fn quantity(
        &self,
        x: &Name,
        thread: usize,
        locals: &BTreeMap<Name, Quantity>,
    ) -> Option<Quantity> {
        let own = || self.own.get(thread)?.get(x);
        locals.get(x).or_else(own).or_else(|| self.shared.get(x)).cloned()
    }

    /// The quantity of `n` in a thread.
    pub fn num(
        &self,
        n: &Num,
        thread: usize,
        locals: &BTreeMap<Name, Quantity>,
    ) -> Encoded<Quantity> {
        encode::num(n, &|x| self.quantity(x, thread, locals))
    }

    /// The term of `c` in a thread.
    pub fn bool(
        &self,
        c: &Bool,
        thread: usize,
        locals: &BTreeMap<Name, Quantity>,
    ) -> Encoded<Term> {
        encode::bool(c, &|x| self.quantity(x, thread, locals))
    }

    /// Asserts that a thread takes `steps`; returns its local variables.
    pub fn walk(&mut self, steps: &[Step], thread: usize) -> Encoded<BTreeMap<Name, Quantity>> {
        let mut locals = BTreeMap::new();
        for step in steps {
            match step {
                Step::Guard(c) => {
                    let term = self.bool(c, thread, &locals)?;
                    self.query.assert(&term)?;
                }
                Step::Counter { var, lower, upper, shared, .. } => {
                    let lower = self.num(lower, thread, &locals)?.natural;
                    let upper = self.num(upper, thread, &locals)?.natural;
                    let counter = self.counter(var, *shared, thread, &lower, &upper)?;
                    let from = counter.less(&lower)?.not()?;
                    self.query.assert(&from)?;
                    let to = counter.less(&upper)?;
                    self.query.assert(&to)?;
                    locals.insert(var.clone(), Quantity::natural(counter));
                }
                Step::Data { var, domain, read, .. } => {
                    let range = self.domain(domain.map_or(Domain::Natural, Domain::Machine));
                    let value = self.int(&private(var, thread), range)?;
                    let value = Quantity::natural(value);
                    if let Some((array, index)) = read
                        && self.stable.contains(array)
                    {
                        let index = self.num(index, thread, &locals)?;
                        self.remember(array.clone(), index, value.clone())?;
                    }
                    locals.insert(var.clone(), value);
                }
            }
        }
        Ok(locals)
    }

    /// A loop counter: declared once when shared.
    fn counter(
        &mut self,
        var: &Name,
        shared: bool,
        thread: usize,
        lower: &Int,
        upper: &Int,
    ) -> Encoded<Int> {
        // Threads of different blocks share no loops.
        let shared = shared && self.threads == Threads::SameBlock;
        let name = if shared { var.to_string() } else { private(var, thread) };
        if shared && let Some(declared) = self.query.declaration(&name) {
            let (term, range) = (declared.term(), declared.bounds.clone());
            return Ok(Int { term, range });
        }
        let range = Interval {
            lower: lower.range.lower.clone(),
            upper: upper.range.upper.as_ref().map(|high| high - BigInt::one()),
        };
        if range.is_empty() {
            // An empty loop: nothing is reached, and `less` is asserted to say so.
            return Ok(lower.clone());
        }
        let term = self.query.declare_in(&name, Sort::Int, range.clone())?;
        Ok(Int { term, range })
    }

    /// Equal indices of one array give equal values.
    fn remember(&mut self, array: Name, index: Quantity, value: Quantity) -> Encoded<()> {
        for (other, at, found) in &self.reads {
            if *other == array {
                let same_index = at.natural.equal(&index.natural)?;
                let same_value = found.natural.equal(&value.natural)?;
                let consistent = same_index.implies(&same_value)?;
                self.query.assert(&consistent)?;
            }
        }
        self.reads.push((array, index, value));
        Ok(())
    }

    /// Asserts that the threads take these paths and meet at one cell.
    pub fn meet(&mut self, first: &Path, second: &Path) -> Encoded<()> {
        let a = self.walk(&first.steps, 0)?;
        let b = self.walk(&second.steps, 1)?;
        let left = self.num(&first.index, 0, &a)?.natural;
        let right = self.num(&second.index, 1, &b)?.natural;
        let term = left.equal(&right)?;
        self.query.assert(&term)?;
        Ok(())
    }

    /// Is an assertion false already?
    pub fn is_refuted(&self) -> bool {
        self.query.assertions().iter().any(|t| t.as_bool() == Some(false))
    }
}
