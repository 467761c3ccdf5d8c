//! How a run may end. Every ending is a value; nothing panics.

use crate::options::Limit;
use babycuda_core::evidence::Divergence;
use babycuda_core::history::Possible;
use babycuda_core::syntax::{BarrierScope, Sources};
use babycuda_core::{Cell, History, Name, Site};
use std::fmt;

/// What the run of a block came to (THEORY §4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Every thread ended.
    #[allow(missing_docs)]
    Done { history: History },
    /// Threads stopped at different places; the history ends with the phase after which they did.
    #[allow(missing_docs)]
    Diverged { history: History, divergence: Divergence },
    /// A thread has no derivation, or none within the limits; the history has the phases that
    /// were complete.
    #[allow(missing_docs)]
    Stuck { history: History, stuck: Stuck },
}

impl Outcome {
    /// The history: all of it, up to the divergence, or up to where the run was stuck.
    pub fn history(&self) -> &History {
        match self {
            Outcome::Done { history }
            | Outcome::Diverged { history, .. }
            | Outcome::Stuck { history, .. } => history,
        }
    }

    /// Did every thread end?
    pub fn is_done(&self) -> bool {
        matches!(self, Outcome::Done { .. })
    }

    /// The divergence, if there is one.
    pub fn divergence(&self) -> Option<&Divergence> {
        match self {
            Outcome::Diverged { divergence, .. } => Some(divergence),
            _ => None,
        }
    }

    /// Why the run was stuck, if it was.
    pub fn stuck(&self) -> Option<&Stuck> {
        match self {
            Outcome::Stuck { stuck, .. } => Some(stuck),
            _ => None,
        }
    }
}

/// Why a judgment has no derivation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("phase {phase}, thread {thread}{}: {reason}", At(*site))]
pub struct Stuck {
    /// The phase, from 0.
    pub phase: usize,
    /// The thread.
    pub thread: u64,
    /// The statement, when it is one's fault.
    pub site: Option<Site>,
    /// Why.
    pub reason: Reason,
}

impl Stuck {
    /// The same in words, with its place in these sources. A stop that a front end made is called
    /// what it stands for in the source.
    pub fn explain(&self, sources: &Sources) -> String {
        let Stuck { phase, thread, site, reason } = self;
        let Some(site) = site else { return self.to_string() };
        let at = sources.spans.get(site);
        let at = at.map_or_else(|| format!(", statement {site}"), |at| format!(" at {at}"));
        let undefined = matches!(reason, Reason::Undefined { .. });
        let overflows = sources.stopping.as_deref().map_or(&sources.overflows, |s| &s.overflows);
        let why = match (sources.stops.get(site), overflows.get(site)) {
            (Some(why), _) if undefined => why.clone(),
            (None, Some(places)) if undefined => {
                let places: Vec<String> = places.iter().map(ToString::to_string).collect();
                return format!(
                    "phase {phase}, thread {thread}: signed overflow at {}",
                    places.join(" or ")
                );
            }
            _ => reason.to_string(),
        };
        format!("phase {phase}, thread {thread}{at}: {why}")
    }
}

/// A site in a message.
struct At(Option<Site>);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(site) => write!(f, ", statement {site}"),
            None => Ok(()),
        }
    }
}

/// Why a thread cannot go on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// It reads ⊥ (LCL22 Fig. 5, lastwrite-undef).
    #[error("reads {cell}, which nobody wrote")]
    #[allow(missing_docs)]
    Undefined { cell: Cell },
    /// It reads a cell on which an older phase is racy, and [`Policy::Stop`](crate::Policy::Stop)
    /// is in force.
    #[error("reads {cell}, which may hold {}", Values(possible))]
    #[allow(missing_docs)]
    Ambiguous { cell: Cell, possible: Possible },
    /// It evaluates a variable without a value.
    #[error("unbound variable `{name}`")]
    #[allow(missing_docs)]
    Unbound { name: Name },
    /// The thread judgment has no rule for `sync`.
    #[error("`sync` has no rule here")]
    Barrier,
    /// A barrier of the grid, of blocks that are not one
    /// ([`Instance::together`](crate::Instance::together)): each runs alone.
    #[error("`sync.{0}`: these blocks cannot run together here, as one block")]
    Scope(BarrierScope),
    /// The parallel judgment has no rule for the history `[]`.
    #[error("the history has no phase")]
    NoPhase,
    /// A limit was reached.
    #[error("more than {allowed} {limit}")]
    #[allow(missing_docs)]
    Limit { limit: Limit, allowed: u64 },
}

/// Possible values in a message.
struct Values<'a>(&'a Possible);

impl fmt::Display for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, value) in self.0.values.iter().enumerate() {
            write!(f, "{}{value}", if n == 0 { "" } else { " or " })?;
        }
        f.write_str(if self.0.exhaustive { "" } else { " or other values" })
    }
}
