//! BabyCUDA statements (LCL22 Fig. 5), with barriers and atomics (THEORY §4).

use crate::expr::{Bool, Num};
use crate::machine::{IntType, MachineOp};
use crate::name::Name;
use crate::natural::Natural;
use crate::site::Site;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A statement `b`, and `k` with barriers anywhere. Every node but `skip` and `;` has a [`Site`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stmt {
    /// `skip`
    Skip,
    /// `A[n] := m`
    #[allow(missing_docs)]
    Write { site: Site, array: Name, index: Num, payload: Num },
    /// `let x = A[n] in b`
    #[allow(missing_docs)]
    Read { site: Site, var: Name, array: Name, index: Num, body: Arc<Stmt> },
    /// `let x = atomic A[n] ⋆ m in b`: `x` is the value before the update.
    #[allow(missing_docs)]
    Atomic {
        site: Site,
        var: Name,
        array: Name,
        index: Num,
        update: AtomicUpdate<Num>,
        scope: Scope,
        body: Arc<Stmt>,
    },
    /// `b ; c`
    Seq(Arc<Stmt>, Arc<Stmt>),
    /// `if c {b} else {b}`
    #[allow(missing_docs)]
    If { site: Site, condition: Bool, then: Arc<Stmt>, otherwise: Arc<Stmt> },
    /// `for x in n..m {b}`: bounds evaluated at loop entry, stride 1.
    #[allow(missing_docs)]
    For { site: Site, sort: ForSort, var: Name, lower: Num, upper: Num, body: Arc<Stmt> },
    /// `sync`: the block barrier, `__syncthreads()`.
    #[allow(missing_docs)]
    Sync { site: Site },
}

/// Which of the paper's two loops: they differ in syntax only, never in how one thread runs them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum ForSort {
    /// `forU`: no barrier inside; each thread has its own counter.
    U,
    /// `forS`: barriers inside; the threads of a block run it together.
    S,
}

/// How far an atomic operation is atomic (CUDA's `_block` and `_system` suffixes).
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Against threads of the same block only.
    Block,
    /// Against all threads of the device.
    #[default]
    Device,
    /// Against the whole system.
    System,
}

impl Scope {
    /// Does the scope cover two threads, of the same block or not?
    pub fn covers(self, same_block: bool) -> bool {
        same_block || self != Scope::Block
    }
}

/// The operator `⋆` of an atomic update, on machine integers of a type or on naturals (`None`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtomicOp {
    /// `old + m`
    Add(Option<IntType>),
    /// `old - m` (truncated on naturals)
    Sub(Option<IntType>),
    /// The smaller.
    Min(Option<IntType>),
    /// The larger.
    Max(Option<IntType>),
    /// Bitwise and.
    And(IntType),
    /// Bitwise or.
    Or(IntType),
    /// Bitwise exclusive or.
    Xor(IntType),
    /// `m`
    Exch,
    /// CUDA's `atomicInc`: `old >= m ? 0 : old + 1`.
    Inc,
    /// CUDA's `atomicDec`: `old == 0 || old > m ? m : old - 1`.
    Dec,
    /// `old == expected ? m : old`
    Cas,
    /// Data that the calculus does not compute with (floats): any value may result.
    Opaque,
}

/// One atomic update: operator and operands, as expressions or as values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct AtomicUpdate<N> {
    /// The operator.
    pub op: AtomicOp,
    /// The operand `m`.
    pub operand: N,
    /// The expected value: present exactly for [`AtomicOp::Cas`].
    pub expected: Option<N>,
}

impl AtomicOp {
    /// May updates by this operator with any operands be reordered without changing the final
    /// value? Wrapped subtraction commutes; truncated subtraction too (`(a ∸ b) ∸ c = a ∸ (b+c)`).
    pub fn commutes(self) -> bool {
        !matches!(
            self,
            AtomicOp::Exch | AtomicOp::Inc | AtomicOp::Dec | AtomicOp::Cas | AtomicOp::Opaque
        )
    }
}

impl AtomicUpdate<Natural> {
    /// The value of a cell that held `old`, after the update.
    ///
    /// [`AtomicOp::Opaque`] results in `old`: one of the values it may have.
    pub fn apply(&self, old: &Natural) -> Natural {
        use crate::expr::{ArithOp, NumOp};
        let m = &self.operand;
        let either = |natural: ArithOp, op: MachineOp, t: Option<IntType>| match t {
            None => NumOp::Natural(natural).apply(old, m),
            Some(t) => op.apply_natural(t, old, m),
        };
        match self.op {
            AtomicOp::Add(t) => either(ArithOp::Add, MachineOp::Add, t),
            AtomicOp::Sub(t) => either(ArithOp::Sub, MachineOp::Sub, t),
            AtomicOp::Min(t) => either(ArithOp::Min, MachineOp::Min, t),
            AtomicOp::Max(t) => either(ArithOp::Max, MachineOp::Max, t),
            AtomicOp::And(t) => MachineOp::And.apply_natural(t, old, m),
            AtomicOp::Or(t) => MachineOp::Or.apply_natural(t, old, m),
            AtomicOp::Xor(t) => MachineOp::Xor.apply_natural(t, old, m),
            AtomicOp::Exch => m.clone(),
            AtomicOp::Inc if old >= m => Natural::zero(),
            AtomicOp::Inc => old.successor(),
            AtomicOp::Dec if *old == Natural::zero() || old > m => m.clone(),
            AtomicOp::Dec => old.monus(&Natural::from(1u32)),
            AtomicOp::Cas if self.expected.as_ref() == Some(old) => m.clone(),
            AtomicOp::Cas | AtomicOp::Opaque => old.clone(),
        }
    }
}

impl Stmt {
    /// `first ; second`
    pub fn seq(first: Stmt, second: Stmt) -> Stmt {
        Stmt::Seq(Arc::new(first), Arc::new(second))
    }

    /// `b1 ; (b2 ; …)`, or `skip` when there is none.
    pub fn sequence(
        statements: impl IntoIterator<Item = Stmt, IntoIter: DoubleEndedIterator>,
    ) -> Stmt {
        let mut rest = statements.into_iter().rev();
        match rest.next() {
            None => Stmt::Skip,
            Some(last) => rest.fold(last, |acc, s| Stmt::seq(s, acc)),
        }
    }

    /// `A[n] := m`
    pub fn write(array: impl Into<Name>, index: Num, payload: Num) -> Stmt {
        Stmt::Write { site: Site::default(), array: array.into(), index, payload }
    }

    /// `let x = A[n] in b`
    pub fn read(var: impl Into<Name>, array: impl Into<Name>, index: Num, body: Stmt) -> Stmt {
        Stmt::Read {
            site: Site::default(),
            var: var.into(),
            array: array.into(),
            index,
            body: Arc::new(body),
        }
    }

    /// `if c {b} else {b}`
    pub fn branch(condition: Bool, then: Stmt, otherwise: Stmt) -> Stmt {
        Stmt::If {
            site: Site::default(),
            condition,
            then: Arc::new(then),
            otherwise: Arc::new(otherwise),
        }
    }

    /// `for x in n..m {b}`
    pub fn repeat(sort: ForSort, var: impl Into<Name>, lower: Num, upper: Num, body: Stmt) -> Stmt {
        Stmt::For {
            site: Site::default(),
            sort,
            var: var.into(),
            lower,
            upper,
            body: Arc::new(body),
        }
    }

    /// `sync`
    pub fn sync() -> Stmt {
        Stmt::Sync { site: Site::default() }
    }

    /// The statement with its sites numbered from 0 in pre-order.
    pub fn numbered(&self) -> Stmt {
        self.map_sites(&mut {
            let mut next = 0;
            move |_| {
                next += 1;
                Site(next - 1)
            }
        })
    }

    /// The statement with every site replaced, visited in pre-order.
    pub fn map_sites(&self, f: &mut impl FnMut(Site) -> Site) -> Stmt {
        match self {
            Stmt::Skip => Stmt::Skip,
            Stmt::Write { site, array, index, payload } => Stmt::Write {
                site: f(*site),
                array: array.clone(),
                index: index.clone(),
                payload: payload.clone(),
            },
            Stmt::Read { site, var, array, index, body } => Stmt::Read {
                site: f(*site),
                var: var.clone(),
                array: array.clone(),
                index: index.clone(),
                body: Arc::new(body.map_sites(f)),
            },
            Stmt::Atomic { site, var, array, index, update, scope, body } => Stmt::Atomic {
                site: f(*site),
                var: var.clone(),
                array: array.clone(),
                index: index.clone(),
                update: update.clone(),
                scope: *scope,
                body: Arc::new(body.map_sites(f)),
            },
            Stmt::Seq(b, c) => {
                let b = b.map_sites(f);
                Stmt::seq(b, c.map_sites(f))
            }
            Stmt::If { site, condition, then, otherwise } => {
                let site = f(*site);
                let then = Arc::new(then.map_sites(f));
                Stmt::If {
                    site,
                    condition: condition.clone(),
                    then,
                    otherwise: Arc::new(otherwise.map_sites(f)),
                }
            }
            Stmt::For { site, sort, var, lower, upper, body } => Stmt::For {
                site: f(*site),
                sort: *sort,
                var: var.clone(),
                lower: lower.clone(),
                upper: upper.clone(),
                body: Arc::new(body.map_sites(f)),
            },
            Stmt::Sync { site } => Stmt::Sync { site: f(*site) },
        }
    }

    /// Is there a barrier in the statement?
    pub fn has_sync(&self) -> bool {
        match self {
            Stmt::Sync { .. } => true,
            Stmt::Skip | Stmt::Write { .. } => false,
            Stmt::Read { body, .. } | Stmt::Atomic { body, .. } | Stmt::For { body, .. } => {
                body.has_sync()
            }
            Stmt::Seq(b, c) => b.has_sync() || c.has_sync(),
            Stmt::If { then, otherwise, .. } => then.has_sync() || otherwise.has_sync(),
        }
    }

    /// Does the statement belong to the unsynchronized fragment that LCL22 Fig. 5 prints?
    /// (No barrier, no atomic, `forU` only, no machine arithmetic; arrays are not counted here.)
    pub fn is_paper_fragment(&self) -> bool {
        match self {
            Stmt::Skip => true,
            Stmt::Write { index, payload, .. } => index.is_paper() && payload.is_paper(),
            Stmt::Read { index, body, .. } => index.is_paper() && body.is_paper_fragment(),
            Stmt::Seq(b, c) => b.is_paper_fragment() && c.is_paper_fragment(),
            Stmt::If { condition, then, otherwise, .. } => {
                condition.is_paper() && then.is_paper_fragment() && otherwise.is_paper_fragment()
            }
            Stmt::For { sort, lower, upper, body, .. } => {
                *sort == ForSort::U
                    && lower.is_paper()
                    && upper.is_paper()
                    && body.is_paper_fragment()
            }
            Stmt::Atomic { .. } | Stmt::Sync { .. } => false,
        }
    }
}
