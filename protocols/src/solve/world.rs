//! The constants of a race query: one launch, its parameters, two threads.

use super::bounds::Bounds;
use super::encode::{self, Encoded};
use super::facts::Facts;
use super::places::Places;
use super::quantity::{Int, Quantity};
use crate::relation::Relation;
use babycuda_core::launch::{MAX_BLOCK_DIM, MAX_BLOCK_THREADS, MAX_GRID_DIM};
use babycuda_core::name::reserved;
use babycuda_core::syntax::{ArrayDecl, Contents, Domain, Extent, Space};
use babycuda_core::{Bool, Declarations, Name, Num};
use babycuda_smt::{Interval, Query, Sort, SortError, Term};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Which two threads a query is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Threads {
    /// One thread of some block; there is no other.
    One,
    /// Two threads of one block, in this relation.
    SameBlock(Relation),
    /// Threads of different blocks.
    DifferentBlocks,
}

impl Threads {
    /// Are they two threads of one block?
    pub(super) fn of_one_block(self) -> bool {
        matches!(self, Threads::SameBlock(_))
    }
}

/// The name of a thread's own copy of a variable.
pub(super) fn private(name: &str, thread: usize) -> String {
    format!("{name}@{}", thread + 1)
}

/// The name of a loop counter that both threads share. Parameters have their plain names.
pub(super) fn common(name: &str) -> String {
    format!("{name}@")
}

/// Declared constants, and what is known of them.
#[derive(Clone)]
pub(super) struct World {
    pub query: Query,
    pub(super) threads: Threads,
    pub(super) bounds: Bounds,
    shared: BTreeMap<Name, Quantity>,
    own: [BTreeMap<Name, Quantity>; 2],
    /// Values that were read, with their indices: of arrays of which equal indices give equal
    /// values.
    pub(super) reads: Vec<(Name, Quantity, Quantity)>,
    pub(super) stable: BTreeMap<Name, Arc<ArrayDecl>>,
    pub(super) facts: Facts,
    /// Shared counters.
    pub(super) common: BTreeMap<Name, Int>,
    /// The threads' places in the grid.
    pub(super) places: [Option<Places>; 3],
}

/// The variables of one thread.
pub(super) struct View<'a> {
    pub world: &'a World,
    pub thread: usize,
    pub locals: &'a BTreeMap<Name, Quantity>,
}

impl View<'_> {
    /// The quantity of a variable.
    pub(super) fn quantity(&self, x: &Name) -> Option<Quantity> {
        let world = self.world;
        let own = || world.own.get(self.thread)?.get(x);
        self.locals.get(x).or_else(own).or_else(|| world.shared.get(x)).cloned()
    }

    /// The same integer, with all that is known of its range.
    pub(super) fn refine(&self, integer: Int) -> Int {
        self.world.facts.refine(integer)
    }
}

impl World {
    /// The world of `declarations`, where `mentioned` are the free variables in use and `stable`
    /// the arrays that are never written.
    pub(super) fn new(
        declarations: &Declarations,
        mentioned: &BTreeSet<Name>,
        stable: &BTreeSet<Name>,
        bounds: Bounds,
        threads: Threads,
    ) -> Encoded<World> {
        let given = |a: &ArrayDecl| {
            // Each block has a shared array of its own, with contents of its own.
            let one = a.space == Space::Global || threads != Threads::DifferentBlocks;
            let given = a.contents == Contents::Any || declarations.may_be_input(&a.name);
            one && given && stable.contains(&a.name)
        };
        let arrays = declarations.arrays.iter().filter(|a| given(a));
        let mut world = World {
            query: Query::new(),
            threads,
            bounds,
            shared: BTreeMap::new(),
            own: [BTreeMap::new(), BTreeMap::new()],
            reads: Vec::new(),
            stable: arrays.map(|a| (a.name.clone(), Arc::new(a.clone()))).collect(),
            facts: Facts::default(),
            common: BTreeMap::new(),
            places: [None, None, None],
        };
        world.parameters(declarations)?;
        let dims = world.extents(declarations, mentioned)?;
        // First, so that what they say of extents is known of positions.
        let nowhere = BTreeMap::new();
        let assumptions = declarations.assumptions.iter();
        let (uniform, others): (Vec<_>, Vec<_>) =
            assumptions.partition(|c| c.free_vars().iter().all(|x| world.shared.contains_key(x)));
        for assumption in &uniform {
            world.assume(assumption, 0, &nowhere)?;
        }
        for assumption in &uniform {
            // Once more: one may have helped another. All are asserted already.
            world.note(assumption, 0, &nowhere)?;
        }
        world.positions(&dims)?;
        world.blocks(mentioned)?;
        world.number()?;
        world.linear(mentioned)?;
        if let Threads::SameBlock(relation) = threads {
            world.groups(relation, declarations.geometry.warp)?;
        }
        for assumption in others {
            for thread in 0..world.count() {
                world.assume(assumption, thread, &nowhere)?;
            }
        }
        Ok(world)
    }

    fn count(&self) -> usize {
        if self.threads == Threads::One { 1 } else { 2 }
    }

    pub(super) fn int(&mut self, name: &str, range: Interval) -> Encoded<Int> {
        match range.single() {
            Some(value) => Ok(Int::literal(value.clone())),
            None => self.declare(name, range),
        }
    }

    /// A constant that is new: two variables must never become one.
    pub(super) fn declare(&mut self, name: &str, range: Interval) -> Encoded<Int> {
        if self.query.declaration(name).is_some() {
            return Err(SortError::Redeclared(name.to_owned()).into());
        }
        let term = self.query.declare_in(name, Sort::Int, range.clone())?;
        Ok(Int { term, range })
    }

    /// The range of a value of a domain.
    pub(super) fn domain(&self, domain: Domain) -> Interval {
        let all = Interval::of_domain(domain);
        match self.bounds.values {
            Some(most) => all.meet(&Interval::at_most(most)),
            None => all,
        }
    }

    fn parameters(&mut self, declarations: &Declarations) -> Encoded<()> {
        let mut open = 0..;
        for p in &declarations.params {
            let value = match &p.value {
                Some(k) => Int::literal(BigInt::from(k)),
                None => {
                    match self.bounds.guess.zip(open.next()).and_then(|(g, n)| g.of(n, p.domain)) {
                        Some(value) => {
                            // Models say what it is.
                            self.declare(&p.name, Interval::point(&value))?;
                            Int::literal(value)
                        }
                        None => self.int(&p.name, self.domain(p.domain))?,
                    }
                }
            };
            self.shared.insert(p.name.clone(), Quantity::natural(value));
        }
        Ok(())
    }

    /// Extents of the block and of the grid; returns the block's.
    fn extents(
        &mut self,
        declarations: &Declarations,
        mentioned: &BTreeSet<Name>,
    ) -> Encoded<Vec<Int>> {
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
        for d in 0..3 {
            if !self.has_grid(mentioned, d) {
                continue;
            }
            let range = match declarations.geometry.grid.map(|grid| grid[d]) {
                Some(Extent::Known(k)) => Interval::new(k, k),
                _ => Interval::new(1, MAX_GRID_DIM[d].min(self.bounds.grid)),
            };
            let dim = self.int(reserved::GRID_DIM[d], range)?;
            self.shared.insert(Name::new(reserved::GRID_DIM[d]), Quantity::natural(dim));
        }
        Ok(dims)
    }

    /// Does the query speak of this dimension of the grid?
    fn has_grid(&self, mentioned: &BTreeSet<Name>, d: usize) -> bool {
        let names = [reserved::GRID_DIM[d], reserved::BLOCK_IDX[d]];
        self.threads == Threads::DifferentBlocks
            || mentioned.iter().any(|x| names.contains(&x.as_str()))
    }

    /// Each thread's position in its block.
    fn positions(&mut self, dims: &[Int]) -> Encoded<()> {
        let mut apart = Vec::new();
        for (d, dim) in dims.iter().enumerate() {
            let dim = self.facts.refine(dim.clone());
            let mut positions = Vec::new();
            for thread in 0..self.count() {
                let position = self.below(reserved::THREAD_IDX[d], Some(thread), &dim)?;
                let name = Name::new(reserved::THREAD_IDX[d]);
                self.own[thread].insert(name, Quantity::natural(position.clone()));
                positions.push(position);
            }
            if let [a, b] = positions.as_slice() {
                apart.push(a.equal(b)?.not()?);
            }
        }
        if self.threads.of_one_block() {
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

    /// The block of each thread.
    fn blocks(&mut self, mentioned: &BTreeSet<Name>) -> Encoded<()> {
        let mut apart = Vec::new();
        let across = self.threads == Threads::DifferentBlocks;
        for d in 0..3 {
            let idx_name = reserved::BLOCK_IDX[d];
            let dim = self.shared.get(&Name::new(reserved::GRID_DIM[d])).cloned();
            let Some(dim) = dim.filter(|_| self.has_grid(mentioned, d)) else {
                continue;
            };
            let dim = self.facts.refine(dim.natural);
            if across {
                let a = self.below(idx_name, Some(0), &dim)?;
                let b = self.below(idx_name, Some(1), &dim)?;
                apart.push(a.equal(&b)?.not()?);
                for (thread, idx) in [a, b].into_iter().enumerate() {
                    self.limit_indices(d, &dim, &idx)?;
                    self.own[thread].insert(Name::new(idx_name), Quantity::natural(idx));
                }
            } else {
                let idx = self.below(idx_name, None, &dim)?;
                self.limit_indices(d, &dim, &idx)?;
                self.shared.insert(Name::new(idx_name), Quantity::natural(idx));
            }
        }
        if across {
            self.query.assert(&Term::or(apart)?)?;
        }
        Ok(())
    }

    /// From what is known of the number of threads of the grid in dimension `d`: a thread's index
    /// in it is less.
    fn limit_indices(&mut self, d: usize, grid: &Int, idx: &Int) -> Encoded<()> {
        let Some(block) = self.shared.get(&Name::new(reserved::BLOCK_DIM[d])).cloned() else {
            return Ok(());
        };
        let block = self.facts.refine(block.natural);
        let threads = [grid.mul(&block)?, block.mul(grid)?].map(|n| self.facts.refine(n));
        let limit = threads.iter().filter_map(|n| n.range.upper.clone()).min();
        let Some(limit) = limit else { return Ok(()) };
        let below = Interval::at_most(limit - 1);
        for first in [idx.mul(&block)?, block.mul(idx)?] {
            self.facts.learn(&first.term, &below);
            for own in &self.own {
                if let Some(x) = own.get(&Name::new(reserved::THREAD_IDX[d])) {
                    self.facts.learn(&first.add(&x.natural)?.term, &below);
                    self.facts.learn(&x.natural.add(&first)?.term, &below);
                }
            }
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

    /// An extent of the block, or one of the grid that the query speaks of.
    pub(super) fn extent(&self, name: &str) -> Option<Int> {
        let extent = self.shared.get(&Name::new(name))?;
        Some(self.facts.refine(extent.natural.clone()))
    }

    /// The quantity of `n` in a thread.
    pub(super) fn num(
        &self,
        n: &Num,
        thread: usize,
        locals: &BTreeMap<Name, Quantity>,
    ) -> Encoded<Quantity> {
        encode::num(n, &View { world: self, thread, locals })
    }

    /// The term of `c` in a thread.
    pub(super) fn bool(
        &self,
        c: &Bool,
        thread: usize,
        locals: &BTreeMap<Name, Quantity>,
    ) -> Encoded<Term> {
        encode::bool(c, &View { world: self, thread, locals })
    }

    /// Is an assertion false already?
    pub(super) fn is_refuted(&self) -> bool {
        self.query.assertions().iter().any(|t| t.as_bool() == Some(false))
    }
}
