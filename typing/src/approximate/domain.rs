//! Which values a read may yield.
//!
//! An array of element type `u8` holds patterns below 2^8, if the host respects the declaration
//! and the program stores nothing else: the calculus writes whatever natural it is given. So the
//! element type counts only for arrays in which every payload provably fits. That is an invariant
//! of runs: assume it of every array of a set, and if then each payload stored in an array of the
//! set fits, it holds at the start and no step breaks it. We compute the largest such set.

use babycuda_core::deep::grow;
use babycuda_core::interval::{Interval, Ranges};
use babycuda_core::machine::IntType;
use babycuda_core::name::reserved;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, Contents, Domain, Program, Tree};
use babycuda_core::{BigInt, Name, Natural, Num, Site, Stmt};
use std::collections::BTreeMap;

/// The arrays whose cells always hold patterns of their element type.
pub(super) struct Domains(BTreeMap<Name, IntType>);

impl Domains {
    /// The machine type of everything that a read of `array` may yield; `None`: any natural.
    pub(super) fn of_array(&self, array: &Name) -> Option<IntType> {
        self.0.get(array).copied()
    }

    pub(super) fn of(program: &Program) -> Domains {
        let candidates = program.arrays.iter().rev().filter_map(|a| match a.element {
            Domain::Machine(t) if contents_fit(&a.contents, t) => Some((a.name.clone(), t)),
            Domain::Machine(_) | Domain::Natural => None,
        });
        let mut domains = Domains(candidates.collect());
        loop {
            let mut misfits = Vec::new();
            domains.misfits(&program.body, &start(program), &mut misfits);
            if misfits.is_empty() {
                return domains;
            }
            for array in misfits {
                domains.0.remove(&array);
            }
        }
    }

    /// Adds the arrays of the set in which `b` may store a value too large, the set assumed.
    fn misfits(&self, b: &Stmt, scope: &Ranges, misfits: &mut Vec<Name>) {
        self.visit(b, scope, &mut |b, scope| {
            let stored = |t| match b {
                Stmt::Write { payload, .. } => scope.num(payload),
                Stmt::Atomic { update, .. } => updated(update, t, scope),
                _ => Interval::point(&BigInt::ZERO),
            };
            if let Some(array) = b.head().written()
                && let Some(t) = self.of_array(array)
                && !stored(t).is_within(&patterns(t))
            {
                misfits.push(array.clone());
            }
        });
    }

    /// Visits `b` and all statements in it, with what their variables may be.
    fn visit(&self, b: &Stmt, scope: &Ranges, seen: &mut dyn FnMut(&Stmt, &Ranges)) {
        seen(b, scope);
        let node = b.view();
        let mut inner = scope.clone();
        if let Some(var) = node.binder {
            let range = match b {
                Stmt::For { lower, upper, .. } => scope.counter(lower, upper),
                // A `let`: what the array holds.
                _ => {
                    let known = b.head().accessed().and_then(|array| self.of_array(array));
                    known.map_or(Interval::at_least(0), patterns)
                }
            };
            inner.insert(var.clone(), range);
        }
        for child in node.children.into_iter().flatten() {
            grow(|| self.visit(child, &inner, seen));
        }
    }

    /// What the atomic statements of each site of `program` do, with what their operands may be.
    /// Left out: sites of copies with different operators, and those where a read stands too.
    pub(super) fn updates(&self, program: &Program) -> BTreeMap<Site, AtomicUpdate<Interval>> {
        let mut found: BTreeMap<Site, Option<AtomicUpdate<Interval>>> = BTreeMap::new();
        self.visit(&program.body, &Ranges::of(program), &mut |b, scope| match b {
            Stmt::Read { site, .. } => drop(found.insert(*site, None)),
            Stmt::Atomic { site, update, .. } => {
                let here = AtomicUpdate {
                    op: update.op,
                    operand: scope.num(&update.operand),
                    expected: update.expected.as_ref().map(|n| scope.num(n)),
                };
                let copies = found.entry(*site).or_insert_with(|| Some(here.clone()));
                *copies = copies.take().and_then(|other| joined(other, here));
            }
            _ => {}
        });
        found.into_iter().filter_map(|(site, update)| Some((site, update?))).collect()
    }
}

/// What two updates of one operator have in common.
fn joined(a: AtomicUpdate<Interval>, b: AtomicUpdate<Interval>) -> Option<AtomicUpdate<Interval>> {
    let expected = a.expected.zip(b.expected).map(|(v, w)| v.join(&w));
    (a.op == b.op).then(|| AtomicUpdate { op: a.op, operand: a.operand.join(&b.operand), expected })
}

/// What parameters and the variables of the launch may be. Extents are 32-bit numbers, and no
/// device runs 2^32 threads in a block.
fn start(program: &Program) -> Ranges {
    let mut ranges = Ranges::default();
    let launch =
        [reserved::THREAD_IDX, reserved::BLOCK_IDX, reserved::BLOCK_DIM, reserved::GRID_DIM];
    for x in [reserved::TID].into_iter().chain(launch.into_iter().flatten()) {
        ranges.insert(x, Interval::new(0, u32::MAX));
    }
    for p in &program.params {
        // A fixed value does not count: a launch may override it.
        ranges.insert(p.name.clone(), Interval::of_domain(p.domain));
    }
    ranges
}

fn contents_fit(contents: &Contents, t: IntType) -> bool {
    let fits = |value: &Natural| patterns(t).contains(&value.into());
    match contents {
        Contents::Undefined | Contents::Any | Contents::Opaque => true,
        Contents::Values(values) => values.iter().all(fits),
        Contents::Fill(value) => fits(value),
    }
}

/// The patterns of a machine type.
fn patterns(t: IntType) -> Interval {
    Interval::of_domain(Domain::Machine(t))
}

/// What a cell may hold after the update, when it held a pattern of `t` before.
fn updated(update: &AtomicUpdate<Num>, t: IntType, scope: &Ranges) -> Interval {
    match update.op {
        AtomicOp::Add(Some(t))
        | AtomicOp::Sub(Some(t))
        | AtomicOp::Min(Some(t))
        | AtomicOp::Max(Some(t))
        | AtomicOp::And(t)
        | AtomicOp::Or(t)
        | AtomicOp::Xor(t) => patterns(t),
        // At most the old value.
        AtomicOp::Sub(None) | AtomicOp::Min(None) => patterns(t),
        // At most the operand or the old value.
        AtomicOp::Max(None) | AtomicOp::Exch | AtomicOp::Cas | AtomicOp::Inc | AtomicOp::Dec => {
            patterns(t).join(&scope.num(&update.operand))
        }
        AtomicOp::Add(None) | AtomicOp::Opaque => Interval::at_least(0),
    }
}
