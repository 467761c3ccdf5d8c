//! What the library says, in the form of an answer.

use babycuda_core::history::Race;
use babycuda_core::syntax::{ForSort, Tree};
use babycuda_core::{Access, AccessMode, Cell, Protocol, Site};
use babycuda_proofs::oracle::{Answer, BlockEnd, Outcome as Answered, RaceAt};
use babycuda_semantics::{Outcome, Reason, Stuck};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What an answer must be.
#[derive(Clone, Debug)]
pub enum Expected {
    /// This one.
    Same(Answer),
    /// A run without a result: another order of evaluation may be stuck at another cell.
    NoResult,
    /// This type, up to the sorts of loops that no barrier stands in.
    Type(Option<Protocol>),
    /// These Λ, phase by phase, each in any order.
    Phases(Vec<Vec<Access>>),
    /// Races on exactly these cells.
    RacyCells(BTreeSet<Cell>),
}

impl Expected {
    pub fn agrees(&self, answer: &Answer) -> bool {
        match (self, answer) {
            (Expected::Same(expected), answer) => expected == answer,
            (Expected::NoResult, Answer::History(outcome)) => {
                !matches!(outcome, Answered::Result(_) | Answered::OutOfDepth)
            }
            (Expected::Type(expected), Answer::Type(answer)) => {
                expected.as_ref().map(plain) == answer.as_ref().map(plain)
            }
            (Expected::Phases(expected), Answer::Lambda(Some(answer))) => {
                let sorted = |phases: &[Vec<Access>]| {
                    let mut phases = phases.to_vec();
                    phases.iter_mut().for_each(|phase| phase.sort());
                    phases
                };
                sorted(expected) == sorted(answer)
            }
            (Expected::RacyCells(cells), Answer::Races(races)) => {
                *cells == races.iter().map(|race| race.cell.clone()).collect()
            }
            _ => false,
        }
    }
}

/// The protocol without sites, its loops `forU`: all that the mechanization has of them.
pub fn plain(protocol: &Protocol) -> Protocol {
    unsorted(&protocol.map_sites(&mut |_| Site::default()))
}

fn unsorted(protocol: &Protocol) -> Protocol {
    let mut copy = protocol.map_children(|child| Arc::new(unsorted(child)));
    if let Protocol::For { sort, .. } = &mut copy {
        *sort = ForSort::U;
    }
    copy
}

/// The outcome of a thread that is stuck; `None` where it went beyond a limit.
pub fn stuck<T>(stuck: &Stuck) -> Option<Answered<T>> {
    match &stuck.reason {
        Reason::Undefined { cell } => Some(Answered::Undefined(cell.clone())),
        Reason::Ambiguous { cell, possible } => {
            Some(Answered::Ambiguous(cell.clone(), possible.values.clone()))
        }
        Reason::Unbound { .. } => Some(Answered::Unbound),
        Reason::Barrier | Reason::Scope(_) | Reason::NoPhase | Reason::Limit { .. } => None,
        other => panic!("an outcome that the oracle lacks: {other}"),
    }
}

/// The outcome of a block; `None` where it went beyond a limit.
pub fn block(outcome: &Outcome) -> Option<Answered<BlockEnd>> {
    match outcome {
        Outcome::Done { history } => Some(Answered::Result(BlockEnd::Ends(history.clone()))),
        Outcome::Diverged { history, divergence } => Some(Answered::Result(BlockEnd::Diverges {
            history: history.clone(),
            first: divergence.first,
            second: divergence.second,
        })),
        Outcome::Stuck { stuck: reason, .. } => stuck(reason),
    }
}

/// The races, each from every writer's side.
pub fn races(races: impl IntoIterator<Item = Race>) -> Answer {
    let mut sides = BTreeSet::new();
    for Race { cell, first, second, .. } in races {
        for ((writer, mode), (other, _)) in [(first, second), (second, first)] {
            if mode == AccessMode::Wr {
                sides.insert(RaceAt { cell: cell.clone(), writer, other });
            }
        }
    }
    Answer::Races(sides)
}

/// The conflicting pairs, each with a write first.
pub fn conflicts(races: impl IntoIterator<Item = Race>) -> Answer {
    let mut pairs = BTreeSet::new();
    for Race { cell, first, second, .. } in races {
        for (one, other) in [(first, second), (second, first)] {
            let access =
                |(thread, mode): (u64, AccessMode)| Access { thread, mode, cell: cell.clone() };
            if one.1 == AccessMode::Wr {
                pairs.insert((access(one), access(other)));
            }
        }
    }
    Answer::Conflicts(pairs)
}
