//! What shows that a kernel is racy or divergent: two threads, in the run with the contents of a finding.

use babycuda_core::history::{Race, RaceKind};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{AccessMode, Cell, Phase, Site, Thread};
use babycuda_semantics::Outcome;
use babycuda_semantics::grid::{GridRace, cross_block_races};
use babycuda_validation::scorecard::Case;
use babycuda_validation::scorecard::truth::{Truth, outcomes};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::{fmt, iter};

/// Two accesses that race, or two threads that diverge at a barrier.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Two threads access a cell in modes that conflict, and nothing orders them.
    Race {
        /// The phase of their block, from 0; nothing, where they are of two blocks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<usize>,
        /// The cell, as `s[3]`.
        cell: String,
        /// One access.
        first: Accessing,
        /// The other.
        second: Accessing,
    },
    /// Two threads of a group stopped at different places, one of them at a barrier.
    Divergence {
        /// The phase after which they did, from 0.
        phase: usize,
        /// The block.
        block: u64,
        /// The scope of the barrier.
        scope: BarrierScope,
        /// One thread.
        first: Stopped,
        /// The other.
        second: Stopped,
    },
}

/// A thread, and how it accesses the cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Accessing {
    /// Its block.
    pub block: u64,
    /// The thread, in its block.
    pub thread: u64,
    /// How.
    pub mode: AccessMode,
}

/// A thread, and where it stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stopped {
    /// The thread, in its block.
    pub thread: u64,
    /// The barrier at which it waits: its number in the kernel's text, from 1. Nothing: the thread is at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barrier: Option<usize>,
}

impl Evidence {
    /// Of what is true of a kernel with these contents of `d`: the first race of the first block that has one, or else the
    /// first one across blocks; the divergence of the first block that has one.
    pub(crate) fn of(case: &Case, contents: u32, truth: Option<Truth>) -> Option<Evidence> {
        let wanted = truth.filter(|truth| *truth != Truth::Clean)?;
        let outcomes = outcomes(&case.program, contents)?;
        if wanted == Truth::Racy {
            return race(case, &outcomes);
        }
        let (block, divergence) = (0..)
            .zip(&outcomes)
            .find_map(|(block, outcome)| Some((block, outcome.divergence()?)))?;
        let stopped = |(thread, site): (u64, Option<Site>)| {
            let barrier = match site {
                Some(site) => Some(barrier(case, site)?),
                None => None,
            };
            Some(Stopped { thread, barrier })
        };
        Some(Evidence::Divergence {
            phase: divergence.phase,
            block,
            scope: divergence.scope,
            first: stopped(divergence.first)?,
            second: stopped(divergence.second)?,
        })
    }
}

/// Is there a race with these contents that is no pair of writes of one value? Many tools do not report those.
pub(crate) fn values_differ(case: &Case, contents: u32) -> bool {
    let outcomes = outcomes(&case.program, contents).unwrap_or_default();
    let histories = || outcomes.iter().map(Outcome::history);
    let phases = || histories().flat_map(|history| history.chronological());
    // What threads write into the cell in these phases.
    let several = |phases: &mut dyn Iterator<Item = &Phase>, cell: &Cell| {
        let all = phases.flat_map(|phase| phase.places()).filter_map(|(_, of)| of.writes.get(cell));
        all.collect::<BTreeSet<_>>().len() > 1
    };
    let of_one_value = |kind, phases: &mut dyn Iterator<Item = &Phase>, cell: &Cell| {
        kind == RaceKind::WriteWrite && !several(phases, cell)
    };
    let mut within = phases().flat_map(|(number, phase)| {
        phase.races(number).map(move |race| (phase, race.kind(), race.cell))
    });
    let mut across = cross_block_races(&case.program, histories());
    within.any(|(phase, kind, cell)| !of_one_value(kind, &mut iter::once(phase), &cell))
        || across.any(|race| {
            !of_one_value(race.kind(), &mut phases().map(|(_, phase)| phase), &race.cell)
        })
}

fn race(case: &Case, outcomes: &[Outcome]) -> Option<Evidence> {
    let of = |phase, cell: &Cell, [first, second]: [(Thread, AccessMode); 2]| {
        let side = |(Thread { block, index: thread }, mode)| Accessing { block, thread, mode };
        let (first, second) = (side(first), side(second));
        Evidence::Race { phase, cell: cell.to_string(), first, second }
    };
    let within = (0..).zip(outcomes).find_map(|(block, outcome)| {
        let Race { phase, cell, first, second } = outcome.history().races().next()?;
        let at = |(index, mode)| (Thread { block, index }, mode);
        Some(of(Some(phase), &cell, [at(first), at(second)]))
    });
    within.or_else(|| {
        let histories = outcomes.iter().map(Outcome::history);
        let GridRace { cell, first, second } =
            cross_block_races(&case.program, histories).next()?;
        Some(of(None, &cell, [first, second]))
    })
}

/// The number of a barrier in the text of the kernel, from 1. A line has one, at most.
fn barrier(case: &Case, site: Site) -> Option<usize> {
    let line = case.program.sources.spans.get(&site)?.line;
    let text = case.small.to_string();
    let before = text.lines().take(line as usize);
    Some(before.filter(|line| line.contains("__sync")).count())
}

/// In words.
impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let does = |mode| match mode {
            AccessMode::Rd => "reads",
            AccessMode::Wr => "writes",
            AccessMode::At(_) => "updates",
        };
        match self {
            Evidence::Race { phase, cell, first, second } => {
                let (one, other) = (does(first.mode), does(second.mode));
                let (i, j) = (first.thread, second.thread);
                match phase {
                    Some(phase) => {
                        let block = first.block;
                        write!(f, "in phase {phase} of block {block}, thread {i} {one} {cell}")?;
                        write!(f, " and thread {j} {other} it")
                    }
                    None => {
                        let (a, b) = (first.block, second.block);
                        write!(f, "thread {i} of block {a} {one} {cell}")?;
                        write!(f, " and thread {j} of block {b} {other} it")
                    }
                }
            }
            Evidence::Divergence { phase, block, scope, first, second } => {
                let place = |barrier: Option<usize>| match barrier {
                    Some(number) => format!("waits at barrier {number}"),
                    None => "is at its end".to_owned(),
                };
                let (i, j) = (first.thread, second.thread);
                let (one, other) = (place(first.barrier), place(second.barrier));
                write!(f, "after phase {phase} of block {block}, thread {i} {one}")?;
                write!(f, " and thread {j} of its {scope} {other}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_validation::scorecard::Fragment;
    use babycuda_validation::scorecard::kernel::{Line, Small};

    fn case(fragment: Fragment, body: Vec<Line>) -> Case {
        let array = if fragment == Fragment::MultiBlock { "a" } else { "s" };
        Case::read(fragment, Small { array, n: 2, body }).expect("a kernel")
    }

    #[test]
    fn writes_of_one_value_are_told_from_other_races() {
        for (fragment, code, differ) in [
            (Fragment::Affine, "X[0] = 7u;", false),
            (Fragment::Affine, "X[0] = t;", true),
            (Fragment::Affine, "X[t] = t;", false),
            (Fragment::Affine, "X[t] = X[0] + 1u;", true),
            (Fragment::MultiBlock, "X[t] = 7u;", false),
            (Fragment::MultiBlock, "X[t] = g;", true),
        ] {
            let case = case(fragment, vec![Line::Code(code.into())]);
            assert_eq!(values_differ(&case, 0), differ, "{code}");
        }
    }

    fn told(fragment: Fragment, body: Vec<Line>) -> Option<String> {
        let case = case(fragment, body);
        let evidence = Evidence::of(&case, 0, case.truth(0));
        evidence.map(|evidence| evidence.to_string())
    }

    #[test]
    fn two_threads_show_what_is_true() {
        let code = |text: &str| Line::Code(text.into());
        let sync = || code("__syncthreads();");
        assert_eq!(told(Fragment::Affine, vec![code("X[t] = t;")]), None);
        let race = vec![code("X[t] = t;"), sync(), code("x = x + X[2];"), code("X[t + 1] = 1u;")];
        let words = "in phase 1 of block 0, thread 0 reads s[2] and thread 1 writes it";
        assert_eq!(told(Fragment::Affine, race).as_deref(), Some(words));
        let words = "thread 0 of block 0 updates a[0] and thread 0 of block 1 writes it";
        let one = Line::Block("if (blockIdx.x == 0)".into(), vec![code("atomicAdd(&X[t], 1u);")]);
        let other = Line::Block("if (blockIdx.x == 1)".into(), vec![code("X[t] = 1u;")]);
        assert_eq!(told(Fragment::MultiBlock, vec![one, other]).as_deref(), Some(words));
        let some = Line::Block("if (t < 2)".into(), vec![sync()]);
        let words = "after phase 1 of block 0, thread 0 waits at barrier 2 and thread 2 of its block is at its end";
        let diverges = vec![code("X[t] = t;"), sync(), some];
        assert_eq!(told(Fragment::DivergentBarriers, diverges).as_deref(), Some(words));
    }
}
