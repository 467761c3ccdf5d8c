//! What the theory says of a program, before anything runs.

use crate::threads::{Place, starts};
use babycuda_core::evidence::Divergence;
use babycuda_core::history::Access;
use babycuda_core::{Bool, Cell, Natural, Num};
use babycuda_protocols::MapError;
use babycuda_protocols::map::{self, Lambda};
use babycuda_semantics::interleavings::{self, Exploration, Reduction, TooLarge};
use babycuda_semantics::vm::{Code, Machine};
use babycuda_semantics::{
    AtomicOracle, AtomicPolicy, AtomicQuery, Derivation, Instance, Outcome, Policy, Premise,
    RunOptions, Stuck,
};
use babycuda_typing::{Rejection, type_program};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The accesses of a phase.
pub(crate) type Accesses = BTreeSet<Access>;

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
    class: Class,
    overflows: OnceLock<Option<bool>>,
    interleavings: OnceLock<Option<Exploration>>,
    starts: OnceLock<Result<Vec<Place>, TooLarge>>,
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
        let outcome = Machine::default().run(&code, &instance, &options).outcome();
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
        let run = BigStep::from(outcome);
        let (overflows, interleavings, starts) = Default::default();
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
            class,
            overflows,
            interleavings,
            starts,
        })
    }

    /// Does its big-step run compute a natural of more than 64 bits anywhere? `None` where the
    /// reference semantics gives up on it.
    pub fn overflows(&self) -> Option<bool> {
        *self.overflows.get_or_init(|| {
            let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
            self.instance.evaluate(&options).derivation.map(|run| overflows(&run))
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

    /// Where its threads start, by the small steps.
    pub(crate) fn starts(&self) -> &Result<Vec<Place>, TooLarge> {
        self.starts.get_or_init(|| starts(&self.instance))
    }

    /// What the theory says of it, in short.
    pub fn class(&self) -> Class {
        self.class
    }
}

/// Is a natural of more than 64 bits computed in the derivation?
fn overflows(derivation: &Derivation) -> bool {
    let premises = derivation.nodes().flat_map(|(_, node)| &node.premises);
    premises.into_iter().any(|premise| match premise {
        Premise::Value { expression, .. } => num_overflows(expression),
        Premise::Truth { condition, .. } => bool_overflows(condition),
        Premise::Derived(_) | Premise::LastWrite { .. } | Premise::Chosen { .. } => false,
    })
}

/// Does a part of the closed expression need more than 64 bits?
fn num_overflows(n: &Num) -> bool {
    let large = || n.value().is_ok_and(|value| value.to_u64().is_none());
    match n {
        Num::Var(_) | Num::Lit(_) => large(),
        Num::Binary(_, l, r) => num_overflows(l) || num_overflows(r) || large(),
        Num::Cast(_, _, n) => num_overflows(n),
        Num::Select(c, n, m) => bool_overflows(c) || num_overflows(n) || num_overflows(m),
    }
}

fn bool_overflows(c: &Bool) -> bool {
    match c {
        Bool::Lit(_) => false,
        Bool::Compare(_, l, r) => num_overflows(l) || num_overflows(r),
        Bool::Connective(_, c, d) => bool_overflows(c) || bool_overflows(d),
        Bool::Not(c) => bool_overflows(c),
    }
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
}

impl From<Outcome> for BigStep {
    fn from(outcome: Outcome) -> BigStep {
        let phases = || outcome.history().chronological();
        let accesses = phases().map(|(_, phase)| phase.accesses().collect()).collect();
        let first_racy = phases().find(|(_, phase)| phase.is_racy()).map(|(number, _)| number);
        BigStep { outcome, accesses, first_racy }
    }
}

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending<'a> {
    Done,
    Diverged(&'a Divergence),
}

impl BigStep {
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
