//! The JSON forms of histories: cells are written `A[3]`, and phases stand oldest first, so that
//! the number of a race's phase is a position.

use super::{Accesses, Cell, History, HostMemory, Phase, Stage};
use im::{OrdMap, OrdSet};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

/// A set of cells, as a list of their texts.
pub(super) mod cells {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(cells: &OrdSet<Cell>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(cells.iter().map(Cell::to_string).collect::<BTreeSet<_>>())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<OrdSet<Cell>, D::Error> {
        let texts = BTreeSet::<String>::deserialize(from)?;
        texts.iter().map(|text| text.parse().map_err(D::Error::custom)).collect()
    }
}

/// Something by cell, as an object with their texts.
pub(super) mod by_cell {
    use super::*;

    pub(crate) fn serialize<T: Clone + Serialize, S: Serializer>(
        all: &OrdMap<Cell, T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_map(all.iter().map(|(c, v)| (c.to_string(), v)).collect::<BTreeMap<_, _>>())
    }

    pub(crate) fn deserialize<'de, T: Clone + Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<OrdMap<Cell, T>, D::Error> {
        let texts = BTreeMap::<String, T>::deserialize(from)?;
        let parsed = texts.into_iter().map(|(c, v)| Ok((c.parse().map_err(D::Error::custom)?, v)));
        parsed.collect()
    }
}

/// A collection as a list.
pub(super) mod list {
    use super::*;

    pub(crate) fn serialize<'a, C, S: Serializer>(all: &'a C, to: S) -> Result<S::Ok, S::Error>
    where
        &'a C: IntoIterator<Item: Serialize>,
    {
        to.collect_seq(all)
    }

    pub(crate) fn deserialize<'de, C, D: Deserializer<'de>>(from: D) -> Result<C, D::Error>
    where
        C: IntoIterator<Item: Deserialize<'de>> + FromIterator<<C as IntoIterator>::Item>,
    {
        Ok(Vec::<C::Item>::deserialize(from)?.into_iter().collect())
    }
}

/// What threads accessed, as an object.
pub(super) mod by_thread {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        all: &OrdMap<u64, Accesses>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_map(all)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<OrdMap<u64, Accesses>, D::Error> {
        Ok(ByThread::deserialize(from)?.into_iter().filter(|(_, a)| !a.is_empty()).collect())
    }
}

/// A phase, by thread, behind its stages.
pub(super) type ByThread = BTreeMap<u64, Accesses>;

impl From<Phase> for ByThread {
    fn from(phase: Phase) -> ByThread {
        phase.open().threads().map(|(i, accesses)| (i, accesses.clone())).collect()
    }
}

impl From<ByThread> for Phase {
    fn from(threads: ByThread) -> Phase {
        threads.into_iter().collect()
    }
}

/// A history.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "History"))]
#[serde(deny_unknown_fields)]
pub(super) struct HistoryForm {
    /// What the host stored before the launch, by array.
    #[serde(default)]
    host: HostMemory,
    /// The phases, oldest first.
    phases: Vec<Phase>,
    /// The stages of phases that have some, by phase; behind the last phase, those of one that has
    /// begun.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    stages: BTreeMap<usize, Vec<Stage>>,
}

impl From<History> for HistoryForm {
    fn from(history: History) -> HistoryForm {
        let begun = (history.len(), history.begun());
        let staged = history.chronological().chain([begun]);
        let staged = staged.map(|(n, p)| (n, p.stages().cloned().collect()));
        HistoryForm {
            host: history.host().clone(),
            phases: history.chronological().map(|(_, phase)| phase.open()).collect(),
            stages: staged.filter(|(_, stages): &(_, Vec<Stage>)| !stages.is_empty()).collect(),
        }
    }
}

impl From<HistoryForm> for History {
    fn from(form: HistoryForm) -> History {
        let mut stages = form.stages;
        let mut of = |n| Phase::of_stages(stages.remove(&n).unwrap_or_default());
        let phases = form.phases.into_iter().enumerate();
        let read = phases.fold(History::empty(form.host), |history, (n, phase)| {
            history.amid(&of(n)).push(phase)
        });
        read.amid(&of(read.len()))
    }
}
