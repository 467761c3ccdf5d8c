//! Threads of different blocks by their places in the grid.
//!
//! `blockIdx * blockDim + threadIdx` is a thread's place in a dimension of the grid, below `gridDim * blockDim`, and threads of
//! different blocks have different places in some dimension. Where nothing overflows, a question about them may say no more
//! than that: a place and the number of places are variables of their own, and products of two unknown extents are gone. Every
//! model of the question is one of this, so that it may be answered by that this has none; a model of this tells nothing.

use super::bounds::Bounds;
use super::encode::Encoded;
use super::quantity::{Int, Quantity, power};
use super::world::{Threads, World, private};
use babycuda_core::expr::{ArithOp, NumOp};
use babycuda_core::machine::MachineOp;
use babycuda_core::name::reserved::{BLOCK_DIM, BLOCK_IDX, GRID_DIM, THREAD_IDX};
use babycuda_core::{Name, Num};
use babycuda_smt::{Interval, Term};
use num_bigint::BigInt;
use num_traits::One;

/// Places are numbers of so many bits, as machine arithmetic of 32 bits and more computes them.
const BITS: u32 = 32;

/// The places of both threads in one dimension, and how many there are.
#[derive(Clone)]
pub(super) struct Places {
    own: [Quantity; 2],
    all: Quantity,
    /// The extent of a block, if it is a number.
    block: Option<Num>,
}

impl World {
    /// Gives the threads their places, where this is asked for.
    pub(super) fn number(&mut self) -> Encoded<()> {
        if self.bounds != Bounds::PLACES || self.threads != Threads::DifferentBlocks {
            return Ok(());
        }
        let mut apart = Vec::new();
        for d in 0..3 {
            let (Some(block), Some(grid)) = (self.extent(BLOCK_DIM[d]), self.extent(GRID_DIM[d]))
            else {
                continue;
            };
            let products = [grid.mul(&block)?, block.mul(&grid)?].map(|n| self.facts.refine(n));
            let most = products.iter().filter_map(|n| n.range.upper.clone()).min();
            let Some(most) = most.filter(|most| *most < power(BITS)) else {
                // Blocks may differ in this dimension, and nothing is said of it.
                self.places = [None, None, None];
                return Ok(());
            };
            let range = Interval { lower: Some(1.into()), upper: Some(most.clone()) };
            let all = self.int(&format!("places.{d}"), range)?;
            let mut own = Vec::new();
            for thread in 0..2 {
                let range = Interval { lower: Some(0.into()), upper: Some(&most - BigInt::one()) };
                let place = self.int(&private(&format!("place.{d}"), thread), range)?;
                let below = place.less(&all)?;
                self.query.assert(&below)?;
                own.push(place);
            }
            let [first, second] = &own[..] else { continue };
            // Blocks differ where there are several.
            if grid.range.single().is_none_or(|grid| !grid.is_one()) {
                apart.push(first.equal(second)?.not()?);
            }
            let literal = block.range.single().and_then(|k| k.to_biguint()).map(Num::lit);
            self.places[d] = Some(Places {
                own: [first, second].map(|place: &Int| Quantity::natural(place.clone())),
                all: Quantity::natural(all),
                block: literal,
            });
        }
        if !apart.is_empty() {
            self.query.assert(&Term::or(apart)?)?;
        }
        Ok(())
    }

    /// Has any dimension places?
    pub(super) fn has_places(&self) -> bool {
        self.places.iter().any(Option::is_some)
    }

    /// A thread's place, or how many there are, if that is what the expression computes.
    pub(super) fn placed(&self, n: &Num, thread: usize) -> Option<Quantity> {
        let Num::Binary(op, l, r) = n else { return None };
        let is = |n: &Num, name: &str| matches!(n, Num::Var(x) if *x == Name::new(name));
        (0..3).find_map(|d| {
            let places = self.places[d].as_ref()?;
            let is_extent = |n: &Num| is(n, BLOCK_DIM[d]) || places.block.as_ref() == Some(n);
            let product = |l: &Num, r: &Num, of: &str| {
                (is(l, of) && is_extent(r)) || (is_extent(l) && is(r, of))
            };
            let first = |n: &Num| match n {
                Num::Binary(op, l, r) => is_mul(*op) && product(l, r, BLOCK_IDX[d]),
                _ => false,
            };
            if is_mul(*op) && product(l, r, GRID_DIM[d]) {
                return Some(places.all.clone());
            }
            let sum = (first(l) && is(r, THREAD_IDX[d])) || (is(l, THREAD_IDX[d]) && first(r));
            (is_add(*op) && sum).then(|| places.own.get(thread).cloned()).flatten()
        })
    }
}

fn is_add(op: NumOp) -> bool {
    match op {
        NumOp::Natural(op) => op == ArithOp::Add,
        NumOp::Machine(op, t) => op == MachineOp::Add && t.width.bits() >= BITS,
    }
}

fn is_mul(op: NumOp) -> bool {
    match op {
        NumOp::Natural(op) => op == ArithOp::Mul,
        NumOp::Machine(op, t) => op == MachineOp::Mul && t.width.bits() >= BITS,
    }
}
