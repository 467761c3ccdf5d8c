//! What the theory says of a program, before anything runs.

use crate::walk::{Walk, walks};
use babycuda_core::evidence::Divergence;
use babycuda_core::history::{LastWrite, lastwrite};
use babycuda_core::{AccessMode, Cell, Name, Natural, Phase};
use babycuda_gpu::Report;
use babycuda_gpu::report::ArrayReport;
use babycuda_protocols::MapError;
use babycuda_protocols::map::{self, Lambda};
use babycuda_semantics::interleavings::{self, Exploration, Reduction, TooLarge};
use babycuda_semantics::vm::{Code, Machine};
use babycuda_semantics::{
    AtomicOracle, AtomicPolicy, AtomicQuery, Instance, Outcome, Policy, RunOptions, Stuck,
};
use babycuda_typing::{Rejection, type_program};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The accesses of a phase, each once, in order.
pub(crate) type Accesses = Vec<Numbered>;

/// An access of a thread: how, of which array among the [`Arrays`], and which cell of it. No device has
/// a cell of the largest index, which stands for all beyond it.
pub(crate) type Numbered = (u64, AccessMode, usize, u64);

/// The arrays of a program.
#[derive(Debug)]
pub(crate) struct Arrays(Vec<Name>);

impl Arrays {
    /// The number of an array; one that no array has, for others.
    pub(crate) fn number(&self, array: &Name) -> usize {
        self.0.iter().position(|own| own == array).unwrap_or(self.0.len())
    }

    /// These accesses, numbered.
    pub(crate) fn accesses<'a>(
        &self,
        accesses: impl IntoIterator<Item = (u64, AccessMode, &'a Cell)>,
    ) -> Accesses {
        let numbered = accesses.into_iter().map(|(thread, mode, cell)| {
            (thread, mode, self.number(&cell.array), cell.index.to_u64().unwrap_or(u64::MAX))
        });
        in_order(numbered.collect())
    }
}

/// Each access once, in order.
pub(crate) fn in_order(mut accesses: Accesses) -> Accesses {
    accesses.sort_unstable();
    accesses.dedup();
    accesses
}

/// The most threads of a program whose interleavings are visited, and the steps that this may take.
const VISITED_THREADS: u64 = 4;
const VISITED_STEPS: u64 = 200;

/// An instance with what typing, protocols and the big-step semantics say of it.
#[derive(Debug)]
pub struct Reference {
    /// The instance; every cell is defined.
    pub instance: Instance,
    /// Its body, compiled for the virtual machine.
    pub code: Code,
    /// Λ of its protocol; `None` for an ill-typed program.
    pub lambda: Option<Lambda>,
    /// Its big-step run. Where `lastwrite` relates several values to a cell, it reads the smallest,
    /// and atomic updates yield what they do when the threads of a phase run one after the other.
    pub run: BigStep,
    /// Does it have atomic updates?
    pub atomics: bool,
    pub(crate) arrays: Arrays,
    /// Does its big-step run compute a natural of more than 64 bits anywhere?
    pub(crate) overflows: bool,
    class: Class,
    interleavings: OnceLock<Option<Exploration>>,
    walks: OnceLock<Result<Vec<Walk>, TooLarge>>,
}

/// Why the theory says nothing of a program that could be compared.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoReference {
    /// A limit of the semantics, or a free variable.
    #[error("its run is stuck: {0}")]
    Stuck(#[from] Stuck),
    /// A limit of the protocols, or a free variable.
    #[error("its protocol has no Λ: {0}")]
    NoLambda(#[from] MapError),
}

impl Reference {
    /// The reference of an instance in which every cell is defined
    /// ([`Instance::defined_everywhere`]).
    ///
    /// # Errors
    /// [`NoReference`].
    pub fn new(instance: Instance) -> Result<Reference, NoReference> {
        let code = Code::compile(&instance.program.body);
        let options = RunOptions {
            ambiguous: Policy::Smallest,
            atomics: AtomicPolicy::Oracle(Arc::new(InOrder::default())),
            ..RunOptions::default()
        };
        let (outcome, overflows) = run(&code, &instance, &options);
        if let Outcome::Stuck { stuck, .. } = outcome {
            return Err(stuck.into());
        }
        let lambda = match type_program(&instance.program) {
            Ok(typed) => Some(map::evaluate(
                &typed.protocol,
                &instance.configuration,
                &map::MapLimits::default(),
            )?),
            // Ill-typed: every reason will do.
            Err(Rejection { .. }) => None,
        };
        let atomics = instance.program.body.has_atomics();
        let arrays = Arrays(instance.program.body.arrays().into_iter().collect());
        let run = BigStep::new(outcome, &arrays);
        let (interleavings, walks) = Default::default();
        let class = Class {
            typed: lambda.is_some(),
            racy: run.first_racy.is_some(),
            divergent: run.outcome.divergence().is_some(),
            atomics,
        };
        Ok(Reference {
            instance,
            code,
            lambda,
            run,
            atomics,
            arrays,
            overflows,
            class,
            interleavings,
            walks,
        })
    }

    /// All its interleavings; `None` where they are too many.
    pub fn interleavings(&self) -> Option<&Exploration> {
        let visit = || {
            let few = self.instance.block().len() <= VISITED_THREADS;
            let limits =
                interleavings::ExplorationLimits { steps: VISITED_STEPS, ..Default::default() };
            let visit = || interleavings::explore(&self.instance, Reduction::SleepSets, &limits);
            if few { visit().ok() } else { None }
        };
        self.interleavings.get_or_init(visit).as_ref()
    }

    /// What its threads do, by the small steps.
    ///
    /// # Errors
    /// [`TooLarge`]
    pub(crate) fn walks(&self) -> Result<&[Walk], TooLarge> {
        let walks = self.walks.get_or_init(|| walks(&self.instance));
        walks.as_deref().map_err(TooLarge::clone)
    }

    /// What the arrays of its runs held before, as this report has them; None where some cell held
    /// nothing, or what no device can.
    pub(crate) fn stored(&self, report: &Report) -> Option<Vec<Vec<u64>>> {
        let of = |array: &ArrayReport| {
            let stored = self.instance.host().array(&array.name)?;
            let fill = stored.fill.as_ref()?.to_u64()?;
            let mut cells = vec![fill; array.cells.len()];
            for (index, value) in &stored.cells {
                let index = index.to_u64().and_then(|index| usize::try_from(index).ok());
                if let Some(cell) = index.and_then(|index| cells.get_mut(index)) {
                    *cell = value.to_u64()?;
                }
            }
            Some(cells)
        };
        report.arrays.iter().map(of).collect()
    }

    /// What the theory says of it, in short.
    pub fn class(&self) -> Class {
        self.class
    }
}

thread_local! {
    static MACHINE: RefCell<Machine> = RefCell::default();
}

/// What the virtual machine makes of a block, and whether a number of more than 64 bits came up.
pub(crate) fn run(code: &Code, instance: &Instance, options: &RunOptions) -> (Outcome, bool) {
    MACHINE.with_borrow_mut(|machine| {
        let run = machine.run(code, instance, options);
        (run.outcome(), run.is_wide())
    })
}

/// What atomic updates yield when each comes after those that were asked about before it: the
/// machine runs the threads of a phase one after the other.
#[derive(Default)]
struct InOrder(Mutex<BTreeMap<Cell, (usize, Natural)>>);

impl AtomicOracle for InOrder {
    fn value(&self, query: &AtomicQuery<'_>) -> Natural {
        let mut updated = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let earlier = updated.get(query.cell).filter(|(phase, _)| *phase == query.phase);
        let alone = || Policy::Smallest.choose(query.cell, query.view).cloned().unwrap_or_default();
        let value = earlier.map_or_else(alone, |(_, value)| value.clone());
        updated.insert(query.cell.clone(), (query.phase, query.update.apply(&value)));
        value
    }
}

/// A run of the big steps, with what claims ask of it.
#[derive(Clone, Debug)]
pub struct BigStep {
    /// What it comes to.
    pub outcome: Outcome,
    /// The accesses of its phases, the oldest first.
    pub(crate) accesses: Vec<Accesses>,
    /// Its first racy phase.
    pub(crate) first_racy: Option<usize>,
    changed: OnceLock<BTreeMap<Cell, LastWrite>>,
}

impl BigStep {
    pub(crate) fn new(outcome: Outcome, arrays: &Arrays) -> BigStep {
        let phases = || outcome.history().chronological();
        let of_phase = |(_, phase): (usize, &Phase)| {
            let threads = phase.threads();
            arrays.accesses(
                threads.flat_map(|(i, own)| own.iter().map(move |(mode, cell)| (i, mode, cell))),
            )
        };
        let accesses = phases().map(of_phase).collect();
        let first_racy = phases().find(|(_, phase)| phase.is_racy()).map(|(number, _)| number);
        BigStep { outcome, accesses, first_racy, changed: OnceLock::new() }
    }
}

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending<'a> {
    Done,
    Diverged(&'a Divergence),
}

impl BigStep {
    /// The cells that it writes or updates, with what its last phase leaves there.
    pub(crate) fn changed(&self) -> &BTreeMap<Cell, LastWrite> {
        self.changed.get_or_init(|| {
            let history = self.outcome.history();
            let accesses = history.newest_first().flat_map(|phase| phase.threads());
            let changed: BTreeSet<&Cell> =
                accesses.flat_map(|(_, own)| own.writes.keys().chain(own.atomics.keys())).collect();
            changed.into_iter().map(|cell| (cell.clone(), lastwrite(cell, history))).collect()
        })
    }

    /// How many phases are determined, the first racy one not counted: racy reads may have
    /// changed what its threads do.
    pub(crate) fn phases(&self) -> usize {
        self.first_racy.unwrap_or(self.accesses.len())
    }

    /// Its end, unless it is stuck.
    pub(crate) fn ending(&self) -> Option<Ending<'_>> {
        match &self.outcome {
            Outcome::Done { .. } => Some(Ending::Done),
            Outcome::Diverged { divergence, .. } => Some(Ending::Diverged(divergence)),
            Outcome::Stuck { .. } => None,
        }
    }

    /// The end, if the run is race-free and determined up to it.
    pub(crate) fn determined(&self) -> Option<Ending<'_>> {
        self.ending().filter(|_| self.first_racy.is_none())
    }
}

/// A kind of programs.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Class {
    /// Well-typed?
    pub typed: bool,
    /// Is its big-step history racy?
    pub racy: bool,
    /// Does its big-step run end in divergence?
    pub divergent: bool,
    /// Does it have atomic updates?
    pub atomics: bool,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.typed { "well-typed" } else { "ill-typed" })?;
        f.write_str(if self.racy { ", racy" } else { ", race-free" })?;
        f.write_str(if self.divergent { ", divergent" } else { "" })?;
        f.write_str(if self.atomics { ", with atomics" } else { "" })
    }
}
