//! What the theory says of a program, before anything runs.

use crate::due::{Due, dues};
use crate::finish::Finish;
use crate::stages::Stages;
use babycuda_core::history::LastWrite;
use babycuda_core::{AccessMode, Cell, History, Name, Natural};
use babycuda_gpu::Report;
use babycuda_gpu::report::ArrayReport;
use babycuda_protocols::MapError;
use babycuda_protocols::map::{self, Lambda};
use babycuda_semantics::interleavings::{self, End, Reduction};
use babycuda_semantics::vm::{self, Code, Ending, Machine};
use babycuda_semantics::{
    AtomicOracle, AtomicPolicy, AtomicQuery, Instance, Policy, RunOptions, Stuck,
};
use babycuda_typing::{Rejection, type_program};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The accesses of a phase, each once, in order.
pub(crate) type Accesses = Vec<Numbered>;

/// An access of a thread: who, how, of which array and which cell of it, as one number.
pub(crate) type Numbered = u128;

/// The access of a thread to a cell of the array of this number among [`Code::arrays`]. No device has a
/// cell of the largest index, which stands for all beyond it.
pub(crate) fn numbered(thread: u64, mode: AccessMode, array: usize, index: u64) -> Numbered {
    let mode = match mode {
        AccessMode::Rd => 0,
        AccessMode::Wr => 1,
        AccessMode::At(scope) => 2 + scope as u128,
    };
    // Blocks have at most 2^16 threads, and programs far fewer arrays than 2^32.
    u128::from(thread) << 112 | mode << 96 | (array as u128) << 64 | u128::from(index)
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
    /// Does its big-step run compute a natural of more than 64 bits anywhere?
    pub(crate) overflows: bool,
    /// What each thread accesses by its protocol.
    pub(crate) dues: Vec<Vec<Due>>,
    class: Class,
    /// The ends of all its interleavings, and how many these are.
    ends: OnceLock<Option<(Vec<Finish>, u64)>>,
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
        let (run, overflows) = run(&code, &instance, &options());
        if let Ending::Stuck(stuck) = run.ending {
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
        let class = Class {
            typed: lambda.is_some(),
            racy: run.first_racy.is_some(),
            divergent: matches!(run.ending, Ending::Diverged(_)),
            atomics,
        };
        let dues = lambda.as_ref().map(|lambda| dues(lambda, &code, instance.block().len()));
        let (dues, ends) = (dues.unwrap_or_default(), OnceLock::new());
        Ok(Reference { instance, code, lambda, run, atomics, overflows, dues, class, ends })
    }

    /// The ends of all its interleavings, and how many these are; `None` where they are too many.
    pub(crate) fn ends(&self) -> Option<&(Vec<Finish>, u64)> {
        let visit = || {
            let few = self.instance.block().len() <= VISITED_THREADS;
            let limits =
                interleavings::ExplorationLimits { steps: VISITED_STEPS, ..Default::default() };
            let visit = || interleavings::explore(&self.instance, Reduction::SleepSets, &limits);
            let all = if few { visit().ok() } else { None }?;
            let finish = |end: &End| Finish::of(end, &self.code);
            Some((all.ends.iter().map(finish).collect(), all.executions))
        };
        self.ends.get_or_init(visit).as_ref()
    }

    /// The number of an array among those of the code; one that no array has, for others.
    pub(crate) fn number(&self, array: &Name) -> usize {
        number(&self.code, array)
    }

    /// The history of its big-step run.
    pub(crate) fn history(&self) -> History {
        on_machine(|machine| machine.run(&self.code, &self.instance, &options()).history())
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

/// How its big-step run settles what the calculus leaves open.
fn options() -> RunOptions {
    RunOptions {
        ambiguous: Policy::Smallest,
        atomics: AtomicPolicy::Oracle(Arc::new(InOrder::default())),
        ..RunOptions::default()
    }
}

thread_local! {
    static MACHINE: RefCell<Machine> = RefCell::default();
}

/// Uses the virtual machine of this thread of the host.
pub(crate) fn on_machine<T>(f: impl FnOnce(&mut Machine) -> T) -> T {
    MACHINE.with_borrow_mut(f)
}

/// What the virtual machine makes of a block, and whether a number of more than 64 bits came up.
pub(crate) fn run(code: &Code, instance: &Instance, options: &RunOptions) -> (BigStep, bool) {
    on_machine(|machine| {
        let run = machine.run(code, instance, options);
        (BigStep::new(&run, code), run.is_wide())
    })
}

/// The number of an array among those of the code; one that no array has, for others.
fn number(code: &Code, array: &Name) -> usize {
    let arrays = code.arrays();
    arrays.iter().position(|own| own == array).unwrap_or(arrays.len())
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
    /// How it ends.
    pub ending: Ending,
    /// The accesses of its phases, the oldest first.
    pub(crate) accesses: Vec<Accesses>,
    /// Its first racy phase.
    pub(crate) first_racy: Option<usize>,
    /// The most accesses, and barriers of narrower scopes than the block, of a thread.
    pub(crate) most_made: u32,
    /// Its phases before that with their stages, where barriers of other scopes than the block order its accesses.
    pub(crate) stages: Vec<Stages>,
    /// If no phase is racy, the cells that it writes or updates, in order, each by its array and its
    /// index, with what its last phase leaves there.
    pub(crate) changed: Vec<(usize, Natural, LastWrite)>,
}

impl BigStep {
    fn new(run: &vm::Run<'_>, code: &Code) -> BigStep {
        let first_racy = run.first_racy();
        let phase = |phase| {
            let accesses = run.accesses_of(phase);
            let numbered = accesses.map(|own| {
                let index = own.index.to_u64().unwrap_or(u64::MAX);
                numbered(own.thread, own.mode, own.array, index)
            });
            in_order(numbered.collect())
        };
        let staged = if code.is_scoped() { first_racy.unwrap_or(run.phases()) } else { 0 };
        let stages = (0..staged).map(|phase| Stages::of_run(run, phase)).collect();
        let mut changed = Vec::new();
        if first_racy.is_none() {
            changed.extend(run.changed());
            changed.sort_unstable_by(|(a, i, _), (b, j, _)| (a, i).cmp(&(b, j)));
            changed.dedup_by(|(a, i, _), (b, j, _)| (a, i) == (b, j));
        }
        BigStep {
            ending: run.ending().clone(),
            accesses: (0..run.phases()).map(phase).collect(),
            first_racy,
            most_made: run.most_made(),
            stages,
            changed,
        }
    }

    /// How many phases are determined, the first racy one not counted: racy reads may have
    /// changed what its threads do.
    pub(crate) fn phases(&self) -> usize {
        self.first_racy.unwrap_or(self.accesses.len())
    }

    /// The end, if the run is race-free and determined up to it.
    pub(crate) fn determined(&self) -> Option<&Ending> {
        let determined = self.first_racy.is_none() && !matches!(self.ending, Ending::Stuck(_));
        determined.then_some(&self.ending)
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
