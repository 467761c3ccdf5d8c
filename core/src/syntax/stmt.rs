//! BabyCUDA statements (LCL22 Fig. 5), with barriers and atomics (THEORY §4).

use super::atomic::{AtomicUpdate, Scope};
use super::barrier::BarrierScope;
use crate::deep;
use crate::expr::{Bool, Num};
use crate::name::Name;
use crate::site::Site;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A statement `b`, and `k` with barriers anywhere. Every node but `skip` and `;` has a [`Site`].
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stmt {
    /// `skip`
    Skip,
    /// `A[n] := m`
    #[allow(missing_docs)]
    Write { site: Site, array: Name, index: Num, payload: Num },
    /// `let x = A[n] in b`
    #[allow(missing_docs)]
    Read {
        site: Site,
        var: Name,
        array: Name,
        index: Num,
        #[serde(with = "deep::Child::<Stmt>")]
        body: Arc<Stmt>,
    },
    /// `let x = atomic A[n] ⋆ m in b`: `x` is the value before the update.
    #[allow(missing_docs)]
    Atomic {
        site: Site,
        var: Name,
        array: Name,
        index: Num,
        update: AtomicUpdate<Num>,
        scope: Scope,
        #[serde(with = "deep::Child::<Stmt>")]
        body: Arc<Stmt>,
    },
    /// `b ; c`
    Seq(
        #[serde(with = "deep::Child::<Stmt>")] Arc<Stmt>,
        #[serde(with = "deep::Child::<Stmt>")] Arc<Stmt>,
    ),
    /// `if c {b} else {b}`
    #[allow(missing_docs)]
    If {
        site: Site,
        condition: Bool,
        #[serde(with = "deep::Child::<Stmt>")]
        then: Arc<Stmt>,
        #[serde(with = "deep::Child::<Stmt>")]
        otherwise: Arc<Stmt>,
    },
    /// `for x in n..m {b}`: bounds evaluated at loop entry, stride 1.
    #[allow(missing_docs)]
    For {
        site: Site,
        sort: ForSort,
        var: Name,
        lower: Num,
        upper: Num,
        #[serde(with = "deep::Child::<Stmt>")]
        body: Arc<Stmt>,
    },
    /// `sync`: the block barrier, `__syncthreads()`; or `sync.s`, that of another scope.
    #[allow(missing_docs)]
    Sync {
        site: Site,
        #[serde(default, skip_serializing_if = "BarrierScope::is_block")]
        scope: BarrierScope,
    },
}

/// Which of the paper's two loops: they differ in syntax only, never in how one thread runs them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ForSort {
    /// `forU`: no barrier inside; each thread has its own counter.
    U,
    /// `forS`: barriers inside; the threads of a block run it together.
    S,
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
    pub fn write(array: impl Into<Name>, index: impl Into<Num>, payload: impl Into<Num>) -> Stmt {
        let (index, payload) = (index.into(), payload.into());
        Stmt::Write { site: Site::default(), array: array.into(), index, payload }
    }

    /// `let x = A[n] in b`
    pub fn read(
        var: impl Into<Name>,
        array: impl Into<Name>,
        index: impl Into<Num>,
        body: Stmt,
    ) -> Stmt {
        Stmt::Read {
            site: Site::default(),
            var: var.into(),
            array: array.into(),
            index: index.into(),
            body: Arc::new(body),
        }
    }

    /// `let x = atomic A[n] o m in b`
    pub fn atomic(
        var: impl Into<Name>,
        array: impl Into<Name>,
        index: Num,
        update: AtomicUpdate<Num>,
        scope: Scope,
        body: Stmt,
    ) -> Stmt {
        let (site, var, array) = (Site::default(), var.into(), array.into());
        Stmt::Atomic { site, var, array, index, update, scope, body: Arc::new(body) }
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
    pub fn repeat(
        sort: ForSort,
        var: impl Into<Name>,
        lower: impl Into<Num>,
        upper: impl Into<Num>,
        body: Stmt,
    ) -> Stmt {
        Stmt::For {
            site: Site::default(),
            sort,
            var: var.into(),
            lower: lower.into(),
            upper: upper.into(),
            body: Arc::new(body),
        }
    }

    /// `sync`
    pub fn sync() -> Stmt {
        Stmt::barrier(BarrierScope::Block)
    }

    /// `sync.s`
    pub fn barrier(scope: BarrierScope) -> Stmt {
        Stmt::Sync { site: Site::default(), scope }
    }

    /// Does the statement belong to the unsynchronized fragment that LCL22 Fig. 5 prints?
    /// (No barrier, no atomic, `forU` only, no machine arithmetic; arrays are not counted here.)
    pub fn is_paper_fragment(&self) -> bool {
        self.subterms().all(|b| match b {
            Stmt::Skip | Stmt::Seq(..) => true,
            Stmt::Write { index, payload, .. } => index.is_paper() && payload.is_paper(),
            Stmt::Read { index, .. } => index.is_paper(),
            Stmt::If { condition, .. } => condition.is_paper(),
            Stmt::For { sort, lower, upper, .. } => {
                *sort == ForSort::U && lower.is_paper() && upper.is_paper()
            }
            Stmt::Atomic { .. } | Stmt::Sync { .. } => false,
        })
    }
}
