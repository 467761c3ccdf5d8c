//! Accesses, phases and histories (LCL22 §3).

mod access;
mod host;
mod json;
mod lastwrite;
mod phase;
mod race;

pub use access::{Access, AccessMode, Cell};
pub use host::{HostArray, HostMemory};
pub use lastwrite::{LastWrite, MAX_LISTED, Possible, lastwrite};
pub use phase::{Accesses, AtomicLog, Phase, Place, Stage};
pub use race::{Race, RaceKind, Staged, conflicts};

use im::Vector;

/// A history `H`: phases, newest first, over what the host stored before the launch.
///
/// The mechanization puts the host's values into an oldest phase `{0: (∅, W0)}`. Here they are kept
/// apart, so that `W0` may be total on an array; [`lastwrite`] looks there last, and one thread
/// alone never races, so nothing else changes.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(description = "A history."))]
#[serde(from = "json::HistoryForm", into = "json::HistoryForm")]
pub struct History {
    phases: Vector<Phase>,
    host: HostMemory,
    /// The stages of a phase that has begun, and that the next one pushed is.
    begun: Phase,
}

impl History {
    /// `[]`, over host memory.
    pub fn empty(host: HostMemory) -> History {
        History { phases: Vector::new(), host, begun: Phase::default() }
    }

    /// `[∅]`, over host memory: where every program starts.
    pub fn start(host: HostMemory) -> History {
        History::empty(host).push(Phase::default())
    }

    /// `P :: H`; in the middle of a phase, P is what follows its stages.
    #[must_use]
    pub fn push(&self, phase: Phase) -> History {
        let mut phases = self.phases.clone();
        phases.push_front(if self.begun.is_staged() { phase.behind(&self.begun) } else { phase });
        History { phases, host: self.host.clone(), begun: Phase::default() }
    }

    /// `P` and `H` of `P :: H`.
    pub fn split(&self) -> Option<(&Phase, History)> {
        let head = self.phases.front()?;
        let phases = self.phases.clone().split_off(1);
        Some((head, History { phases, host: self.host.clone(), begun: Phase::default() }))
    }

    /// The history in the middle of a phase, behind the stages of `begun`: what a thread sees that
    /// passed a barrier there with its group ([`Phase::before`]).
    #[must_use]
    pub fn amid(&self, begun: &Phase) -> History {
        History { begun: Phase::default().behind(begun), ..self.clone() }
    }

    /// The stages of the phase in whose middle the history is; elsewhere none.
    pub fn begun(&self) -> &Phase {
        &self.begun
    }

    /// The newest phase.
    pub fn head(&self) -> Option<&Phase> {
        self.phases.front()
    }

    /// How many phases.
    pub fn len(&self) -> usize {
        self.phases.len()
    }

    /// No phases at all?
    pub fn is_empty(&self) -> bool {
        self.phases.is_empty()
    }

    /// The phases, newest first, as the paper writes them.
    pub fn newest_first(&self) -> impl DoubleEndedIterator<Item = &Phase> + ExactSizeIterator {
        self.phases.iter()
    }

    /// The phases, oldest first. Races number them in this order, from 0.
    pub fn chronological(&self) -> impl Iterator<Item = (usize, &Phase)> {
        self.phases.iter().rev().enumerate()
    }

    /// What the host stored.
    pub fn host(&self) -> &HostMemory {
        &self.host
    }

    /// Is every phase DRF (LCL22 Def. 1)?
    pub fn is_drf(&self) -> bool {
        self.phases.iter().all(|p| !p.is_racy())
    }

    /// Every race, oldest phase first.
    pub fn races(&self) -> impl Iterator<Item = Race> {
        self.chronological().flat_map(|(number, phase)| phase.races(number))
    }
}
