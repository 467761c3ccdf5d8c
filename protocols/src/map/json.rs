//! The JSON form of derivations of `u ↓ Λ`, and the document of one with its protocol.
//!
//! Tables, as in the documents of runs and types: protocols, what threads reach, and nodes, each
//! with its premises before it, the root last. What a rule joins is written as a join, so that a
//! document is as long as the derivation, not as the sum of its sets.

use super::derivation::{Derivation, Judgment, Premise, Reached, Rule};
use super::evaluate::Ending;
use babycuda_core::history::Access;
use babycuda_core::json::Format;
use babycuda_core::syntax::{BarrierScope, MapFile};
use babycuda_core::table::{self, Entry, Nodes, Table, TableError, Trees};
use babycuda_core::{AccessMode, Cell, Configuration, Protocol, Site, counted};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The derivation of `u ↓ Λ`, with the protocol and where it is evaluated: the document that
/// `babycuda derive --judgment map --format json` prints. [`check_map`](super::check_map) says
/// whether it is one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MapEvidence {
    /// The protocol with its declarations.
    pub map: MapFile,
    /// Launch, block and parameters.
    pub configuration: Configuration,
    /// The derivation.
    pub derivation: Derivation,
}

impl MapEvidence {
    /// One line that says of what this is the derivation.
    pub fn summary(&self) -> String {
        let MapEvidence { map, configuration, derivation } = self;
        let accesses = match &derivation.conclusion {
            Judgment::Block { phases, ending, .. } => {
                let end = match ending {
                    Ending::Done => "all threads end",
                    Ending::Divergence { .. } => "threads diverge",
                    Ending::Stuck { .. } => "a thread is stuck",
                };
                let count: usize = phases.iter().map(BTreeSet::len).sum();
                let accesses = counted(count as u64, "access");
                format!("; {accesses} in {}; {end}", counted(phases.len() as u64, "phase"))
            }
            Judgment::Thread { .. } => String::new(),
        };
        format!(
            "the accesses of the protocol `{}`, {}, block {} of {}, {}{accesses}",
            map.declarations.name,
            counted(derivation.size() as u64, "node"),
            configuration.block,
            configuration.launch.grid.count(),
            counted(configuration.launch.block.count(), "thread"),
        )
    }
}

impl Format for MapEvidence {
    const NAME: &'static str = "babycuda/map-derivation";
    // Only the protocol and expressions nest, and those may.
    const DEEP: bool = true;
}

/// The schema of the documents.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    babycuda_core::json::schema::<MapEvidence>()
}

/// A derivation. Wherever a protocol, what a thread reaches, or a node is meant, its position in
/// the respective table stands.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "MapDerivation"))]
#[serde(deny_unknown_fields)]
struct DerivationForm {
    protocols: Vec<Entry<Protocol>>,
    reached: Vec<ReachedForm>,
    /// Premises before conclusions; the last is the root.
    nodes: Vec<NodeForm>,
}

/// What a thread reaches.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Reached"))]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum ReachedForm {
    /// These accesses, phase by phase, and the barriers between the phases; their scopes where some
    /// are not of the block.
    Phases {
        phases: Vec<Vec<(AccessMode, Cell)>>,
        barriers: Vec<Site>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        scopes: Vec<BarrierScope>,
    },
    /// One entry of the table, and then another.
    Join(usize, usize),
}

/// A rule instance.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "MapNode"))]
#[serde(deny_unknown_fields)]
struct NodeForm {
    rule: Rule,
    conclusion: JudgmentForm,
    premises: Vec<Premise<usize>>,
}

/// A judgment.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "MapJudgment"))]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum JudgmentForm {
    /// `u ↓ Λ` of one thread.
    Thread { protocol: usize, reached: usize },
    /// `u ↓ Λ` of a block.
    Block {
        configuration: Configuration,
        protocol: usize,
        phases: Vec<BTreeSet<Access>>,
        ending: Ending,
    },
}

#[derive(Default)]
struct Writer {
    protocols: Table<Protocol>,
    reached: Vec<ReachedForm>,
    known: HashMap<*const Reached, usize>,
    nodes: Vec<NodeForm>,
}

impl Writer {
    /// Enters a node whose premises stand at these places.
    fn node(&mut self, node: &Derivation, places: Vec<usize>) {
        let mut places = places.into_iter();
        // Proof: `places` has one for each derived premise.
        let mut premise = |p: &Premise| p.with(|_| places.next().ok_or(TableError::Empty)).ok();
        let premises = node.premises.iter().filter_map(&mut premise).collect();
        let conclusion = match &node.conclusion {
            Judgment::Thread { protocol, reached } => JudgmentForm::Thread {
                protocol: self.protocols.enter(protocol),
                reached: self.reached(node, reached),
            },
            Judgment::Block { configuration, protocol, phases, ending } => JudgmentForm::Block {
                configuration: configuration.clone(),
                protocol: self.protocols.enter(protocol),
                phases: phases.clone(),
                ending: ending.clone(),
            },
        };
        self.nodes.push(NodeForm { rule: node.rule, conclusion, premises });
    }

    fn reached(&mut self, node: &Derivation, reached: &Arc<Reached>) -> usize {
        if let Some(place) = self.known.get(&Arc::as_ptr(reached)) {
            return *place;
        }
        let parts: Vec<&Arc<Reached>> = node
            .children()
            .filter_map(|child| match &child.conclusion {
                Judgment::Thread { reached, .. } => Some(reached),
                Judgment::Block { .. } => None,
            })
            .collect();
        let form = match parts.as_slice() {
            // A join is written only where it is one: a wrong derivation is written as it is.
            [one, two] if one.then(two).is_same(reached) => {
                ReachedForm::Join(self.known[&Arc::as_ptr(one)], self.known[&Arc::as_ptr(two)])
            }
            _ => ReachedForm::Phases {
                phases: reached.phases.iter().map(|p| p.iter().cloned().collect()).collect(),
                barriers: reached.barriers.iter().map(|(_, site)| *site).collect(),
                scopes: match reached.barriers.iter().all(|(scope, _)| scope.is_block()) {
                    true => Vec::new(),
                    false => reached.barriers.iter().map(|(scope, _)| *scope).collect(),
                },
            },
        };
        self.reached.push(form);
        self.known.insert(Arc::as_ptr(reached), self.reached.len() - 1);
        self.reached.len() - 1
    }
}

impl From<&Derivation> for DerivationForm {
    fn from(derivation: &Derivation) -> DerivationForm {
        let mut writer = Writer::default();
        let write = |node, places| writer.node(node, places);
        table::write_rows(derivation, |node| node.children().collect(), write);
        let Writer { protocols, reached, nodes, .. } = writer;
        DerivationForm { protocols: protocols.entries(), reached, nodes }
    }
}

/// Why a document is no derivation.
#[derive(Debug, thiserror::Error)]
enum Wrong {
    #[error(
        "entry {0} of what threads reach must have one phase more than barriers, and the scopes of all or none"
    )]
    Phases(usize),
    #[error("{0}")]
    Table(#[from] TableError),
}

fn read_reached(forms: Vec<ReachedForm>) -> Result<Vec<Arc<Reached>>, Wrong> {
    /// How many phases and accesses are put together, in all.
    const LARGEST: usize = 1 << 24;
    let mut read: Vec<Arc<Reached>> = Vec::with_capacity(forms.len());
    let mut room = LARGEST;
    for (place, form) in forms.into_iter().enumerate() {
        let reached = match form {
            ReachedForm::Phases { phases, barriers, mut scopes }
                if phases.len() == barriers.len() + 1
                    && (scopes.is_empty() || scopes.len() == barriers.len()) =>
            {
                let phases = phases.into_iter().map(|phase| phase.into_iter().collect()).collect();
                scopes.resize(barriers.len(), BarrierScope::Block);
                let barriers = scopes.into_iter().zip(barriers).collect();
                Reached { phases, barriers }
            }
            ReachedForm::Phases { .. } => return Err(Wrong::Phases(place)),
            ReachedForm::Join(one, two) => {
                let entry = |n| read.get(n).ok_or(TableError::Missing("reached", n));
                let (one, two) = (entry(one)?, entry(two)?);
                // Joining costs the phases of both, and the accesses of the smaller side.
                let seam = |r: &Reached, last: bool| {
                    let phase = if last { r.phases.last() } else { r.phases.first() };
                    phase.map_or(0, im::OrdSet::len)
                };
                let cost = one.phases.len() + two.phases.len();
                let cost = cost + seam(one, true).min(seam(two, false));
                room = room.checked_sub(cost).ok_or(TableError::Large)?;
                one.then(two)
            }
        };
        read.push(Arc::new(reached));
    }
    Ok(read)
}

impl TryFrom<DerivationForm> for Derivation {
    type Error = Wrong;
    fn try_from(form: DerivationForm) -> Result<Derivation, Wrong> {
        let protocols = Trees::new("protocol", form.protocols)?;
        let all = read_reached(form.reached)?;
        let mut nodes = Nodes::default();
        for NodeForm { rule, conclusion, premises } in form.nodes {
            let mut premise = |form: &Premise<usize>| form.with(|place| nodes.take(*place));
            let premises = premises.iter().map(&mut premise).collect::<Result<_, _>>()?;
            let conclusion = match conclusion {
                JudgmentForm::Thread { protocol, reached } => Judgment::Thread {
                    protocol: protocols.get(protocol)?,
                    reached: all
                        .get(reached)
                        .cloned()
                        .ok_or(TableError::Missing("reached", reached))?,
                },
                JudgmentForm::Block { configuration, protocol, phases, ending } => {
                    let protocol = protocols.get(protocol)?;
                    Judgment::Block { configuration, protocol, phases, ending }
                }
            };
            nodes.push(Derivation { rule, conclusion, premises });
        }
        Ok(nodes.root()?)
    }
}

babycuda_core::written_as!(Derivation, DerivationForm);
