//! The JSON forms of histories: cells are written `A[3]`, and phases stand oldest first, so that
//! the number of a race's phase is a position.

use super::{Accesses, AtomicLog, Cell, History, HostMemory, NotACell, Phase};
use crate::natural::Natural;
use crate::syntax::{AtomicUpdate, Scope};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A history.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HistoryForm {
    /// What the host stored before the launch, by array.
    #[serde(default)]
    pub host: HostMemory,
    /// The phases, oldest first.
    pub phases: Vec<PhaseForm>,
}

/// A phase: what each thread accessed, by thread. A thread that is absent accessed nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct PhaseForm {
    /// By the thread's linear index in its block.
    pub threads: BTreeMap<u64, AccessesForm>,
}

/// What one thread accessed in one phase; cells are written `A[3]`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AccessesForm {
    /// The cells read.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub reads: BTreeSet<String>,
    /// The cells written, with the value last written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub writes: BTreeMap<String, Natural>,
    /// The cells updated atomically.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub atomics: BTreeMap<String, AtomicForm>,
}

/// The atomic updates of one cell by one thread in one phase.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AtomicForm {
    /// The scopes used.
    pub scopes: BTreeSet<Scope>,
    /// The updates since the thread's last plain write of the cell in this phase, in order.
    pub updates: Vec<AtomicUpdate<Natural>>,
}

impl From<&Accesses> for AccessesForm {
    fn from(accesses: &Accesses) -> AccessesForm {
        AccessesForm {
            reads: accesses.reads.iter().map(Cell::to_string).collect(),
            writes: accesses.writes.iter().map(|(c, k)| (c.to_string(), k.clone())).collect(),
            atomics: accesses
                .atomics
                .iter()
                .map(|(c, log)| {
                    let scopes = log.scopes.iter().copied().collect();
                    let updates = log.updates.iter().cloned().collect();
                    (c.to_string(), AtomicForm { scopes, updates })
                })
                .collect(),
        }
    }
}

impl TryFrom<AccessesForm> for Accesses {
    type Error = NotACell;
    fn try_from(form: AccessesForm) -> Result<Accesses, NotACell> {
        let cell = |text: &str| text.parse::<Cell>();
        let log = |form: AtomicForm| AtomicLog {
            scopes: form.scopes.into_iter().collect(),
            updates: form.updates.into_iter().collect(),
        };
        let reads = form.reads.iter().map(|c| cell(c)).collect::<Result<_, _>>()?;
        let writes = form.writes.into_iter().map(|(c, k)| Ok((cell(&c)?, k)));
        let atomics = form.atomics.into_iter().map(|(c, a)| Ok((cell(&c)?, log(a))));
        Ok(Accesses {
            reads,
            writes: writes.collect::<Result<_, NotACell>>()?,
            atomics: atomics.collect::<Result<_, NotACell>>()?,
        })
    }
}

impl From<&Phase> for PhaseForm {
    fn from(phase: &Phase) -> PhaseForm {
        PhaseForm { threads: phase.threads().map(|(i, a)| (i, a.into())).collect() }
    }
}

impl TryFrom<PhaseForm> for Phase {
    type Error = NotACell;
    fn try_from(form: PhaseForm) -> Result<Phase, NotACell> {
        form.threads.into_iter().map(|(i, a)| Ok((i, a.try_into()?))).collect()
    }
}

impl From<&History> for HistoryForm {
    fn from(history: &History) -> HistoryForm {
        HistoryForm {
            host: history.host().clone(),
            phases: history.chronological().map(|(_, phase)| phase.into()).collect(),
        }
    }
}

impl TryFrom<HistoryForm> for History {
    type Error = NotACell;
    fn try_from(form: HistoryForm) -> Result<History, NotACell> {
        form.phases.into_iter().try_fold(History::empty(form.host), |history, phase| {
            Ok(history.push(phase.try_into()?))
        })
    }
}

macro_rules! through_form {
    ($($item:ty = $form:ty;)*) => {$(
        impl Serialize for $item {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                <$form>::from(self).serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $item {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                <$form>::deserialize(d)?.try_into().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $item {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($item).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$form>::json_schema(generator)
            }
        }
    )*};
}

through_form! {
    Accesses = AccessesForm;
    Phase = PhaseForm;
    History = HistoryForm;
}
