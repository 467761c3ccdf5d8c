//! Memory access protocols (LCL22 Fig. 2): `u` and `p` in one type.

use crate::deep;
use crate::expr::{Bool, Num};
use crate::history::AccessMode;
use crate::machine::IntType;
use crate::name::Name;
use crate::site::Site;
#[cfg(doc)]
use crate::syntax::Program;
use crate::syntax::barrier::BarrierScope;
use crate::syntax::declarations::Declarations;
use crate::syntax::stmt::ForSort;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The array of a protocol that names none: LCL22's `A`.
pub const DEFAULT_ARRAY: &str = "A";

/// What a `.map` file contains: a protocol with its declarations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MapFile {
    /// All but the protocol.
    pub declarations: Declarations,
    /// The protocol.
    pub protocol: Protocol,
}

/// A memory access protocol: where arrays are accessed, never what they contain.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// `skip`
    Skip,
    /// `rd[n]`, `wr[n]`, `at[n]`, of an array.
    #[allow(missing_docs)]
    Access { site: Site, mode: AccessMode, array: Name, index: Num },
    /// `p ; q`
    Seq(
        #[serde(with = "deep::Child::<Protocol>")] Arc<Protocol>,
        #[serde(with = "deep::Child::<Protocol>")] Arc<Protocol>,
    ),
    /// `if c {p} else {p}`
    #[allow(missing_docs)]
    If {
        site: Site,
        condition: Bool,
        #[serde(with = "deep::Child::<Protocol>")]
        then: Arc<Protocol>,
        #[serde(with = "deep::Child::<Protocol>")]
        otherwise: Arc<Protocol>,
    },
    /// `forU x in n..m {u}` and `forS x in n..m {p}`
    #[allow(missing_docs)]
    For {
        site: Site,
        sort: ForSort,
        var: Name,
        lower: Num,
        upper: Num,
        #[serde(with = "deep::Child::<Protocol>")]
        body: Arc<Protocol>,
    },
    /// `sync`, or `sync.s`
    #[allow(missing_docs)]
    Sync {
        site: Site,
        #[serde(default, skip_serializing_if = "BarrierScope::is_block")]
        scope: BarrierScope,
    },
    /// `let x = input A[n] in p`: `p` where `x` is what the host stored in the read-only array `A`.
    ///
    /// The type of a read of a [read-only input](Program::inputs) (THEORY T11). It is no access:
    /// beside it stands `rd A[n]`. `site` is that of the read.
    #[allow(missing_docs)]
    Input {
        site: Site,
        var: Name,
        array: Name,
        index: Num,
        #[serde(with = "deep::Child::<Protocol>")]
        body: Arc<Protocol>,
    },
    /// `any x {p}`: `p` for every value of `x`, of a machine type or any natural.
    ///
    /// Not of the paper, and never the type of a well-typed program: it stands for a read whose
    /// value an index, guard or bound uses, and makes the protocol an over-approximation of the
    /// program's accesses. `site` is that of the read.
    #[allow(missing_docs)]
    Any {
        site: Site,
        var: Name,
        domain: Option<IntType>,
        #[serde(with = "deep::Child::<Protocol>")]
        body: Arc<Protocol>,
    },
}

impl Protocol {
    /// `p ; q`, without the neutral `skip`s.
    pub fn seq(first: Protocol, second: Protocol) -> Protocol {
        match (first, second) {
            (Protocol::Skip, p) | (p, Protocol::Skip) => p,
            (p, q) => Protocol::Seq(Arc::new(p), Arc::new(q)),
        }
    }

    /// `mode A[n]`
    pub fn access(mode: AccessMode, array: impl Into<Name>, index: Num) -> Protocol {
        Protocol::Access { site: Site::default(), mode, array: array.into(), index }
    }

    /// `if c {p} else {p}`
    pub fn branch(condition: Bool, then: Protocol, otherwise: Protocol) -> Protocol {
        let (site, then, otherwise) = (Site::default(), Arc::new(then), Arc::new(otherwise));
        Protocol::If { site, condition, then, otherwise }
    }

    /// `forU x in n..m {p}`, or `forS`
    pub fn repeat(
        sort: ForSort,
        var: impl Into<Name>,
        lower: Num,
        upper: Num,
        body: Protocol,
    ) -> Protocol {
        let (site, body) = (Site::default(), Arc::new(body));
        Protocol::For { site, sort, var: var.into(), lower, upper, body }
    }

    /// `sync`
    pub fn sync() -> Protocol {
        Protocol::barrier(BarrierScope::Block)
    }

    /// `sync.s`
    pub fn barrier(scope: BarrierScope) -> Protocol {
        Protocol::Sync { site: Site::default(), scope }
    }

    /// Is the protocol exact, that is, free of `any`?
    pub fn is_exact(&self) -> bool {
        !self.subterms().any(|p| matches!(p, Protocol::Any { .. }))
    }

    /// Does the protocol depend on what the host stored in read-only inputs?
    pub fn is_relative(&self) -> bool {
        self.inputs().next().is_some()
    }

    /// The arrays that are read as inputs, each as often as it is.
    pub fn inputs(&self) -> impl Iterator<Item = &Name> {
        self.subterms().filter_map(|p| match p {
            Protocol::Input { array, .. } => Some(array),
            _ => None,
        })
    }
}
