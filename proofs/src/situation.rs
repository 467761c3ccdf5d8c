//! What the judgments of LCL22 are about: a history, a program and a set of threads.

use crate::hypotheses;
use crate::statement::Vacuous;
use babycuda_core::history::Race;
use babycuda_core::{AccessMode, Accesses, Cell, Configuration, History, Program, Protocol, Stmt};
use babycuda_protocols::map::Lambda;
use babycuda_semantics::{Block, Instance, Policy, RunLimits, RunOptions};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

pub use crate::render::unrealizable_read;

/// A program `b` whose only free variable is `tid`, in a set of threads `T`: what statements are
/// about before any history. What does not depend on the history is computed once.
#[derive(Debug)]
pub struct Subject {
    program: Stmt,
    threads: u32,
    closed: Vec<Stmt>,
    typed: OnceLock<Result<Typed, Vacuous>>,
}

/// The type of a program, with its meaning.
#[derive(Clone, Debug)]
pub struct Typed {
    /// `u` with `{tid} ⊢ b ▶ u`.
    pub protocol: Protocol,
    /// Λ with `u ↓ Λ`, in the threads of the subject.
    pub lambda: Lambda,
    /// The races of Λ.
    pub races: Vec<Race>,
}

impl Subject {
    /// The program in threads `0` to `threads - 1`.
    pub fn new(program: Stmt, threads: u32) -> Subject {
        let block = Block::threads(threads);
        let closed = (0..u64::from(threads)).map(|i| program.subst(&block.substitution(i)));
        Subject { closed: closed.collect(), program, threads, typed: OnceLock::new() }
    }

    /// The subject with a protocol that somebody claims to be its type. Statements must refute wrong
    /// claims: that is how they are tested.
    ///
    /// # Errors
    /// The protocol has no Λ.
    pub fn claiming(program: Stmt, threads: u32, protocol: Protocol) -> Result<Subject, Vacuous> {
        let subject = Subject::new(program, threads);
        let typed = subject.meaning(protocol);
        typed.map(|typed| Subject { typed: OnceLock::from(Ok(typed)), ..subject })
    }

    /// `b`
    pub fn program(&self) -> &Stmt {
        &self.program
    }

    /// How many threads there are.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// `T`
    pub fn block(&self) -> Block {
        Block::threads(self.threads)
    }

    /// For each thread `i`, `b[tid := i]`.
    pub fn closed(&self) -> impl Iterator<Item = (u64, &Stmt)> {
        (0..).zip(&self.closed)
    }

    /// The type of the program.
    ///
    /// # Errors
    /// The program has barriers, or it is ill-typed, or its protocol has no Λ.
    pub fn typed(&self) -> Result<&Typed, Vacuous> {
        self.typed.get_or_init(|| self.infer()).as_ref().map_err(Vacuous::clone)
    }

    fn infer(&self) -> Result<Typed, Vacuous> {
        hypotheses::unsynchronized(&self.program)?;
        self.meaning(hypotheses::typed(&self.program)?)
    }

    fn meaning(&self, protocol: Protocol) -> Result<Typed, Vacuous> {
        let at = Configuration::threads(self.threads);
        let lambda = hypotheses::lambda(&protocol, &at)?;
        Ok(Typed { protocol, races: lambda.races(), lambda })
    }
}

/// `H`, `b` and `T` of the judgment `H, b ↓ H'` (LCL22 Fig. 5, rule par).
#[derive(Clone, Debug)]
pub struct Situation {
    /// `H`: the history so far. The threads go on in its head phase.
    pub history: History,
    /// `b` and `T`.
    pub subject: Arc<Subject>,
    /// Which derivation is looked at, where racy phases of `H` leave several.
    pub policy: Choice,
}

/// Which of several values a read yields; rule lastwrite-curr is a relation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Choice {
    /// The smallest.
    #[default]
    Smallest,
    /// The largest.
    Largest,
}

impl Situation {
    /// The subject is about to run from `history` on.
    pub fn new(history: History, subject: impl Into<Arc<Subject>>) -> Situation {
        Situation { history, subject: subject.into(), policy: Choice::Smallest }
    }

    /// How the semantics is to run.
    pub fn options(&self) -> RunOptions {
        let ambiguous = match self.policy {
            Choice::Smallest => Policy::Smallest,
            Choice::Largest => Policy::Largest,
        };
        let limits = RunLimits { steps: 20_000, ..RunLimits::default() };
        RunOptions { ambiguous, limits, ..RunOptions::default() }
    }

    /// The program of the paper's fragment that builds up `H` from the start and then is `b`: each
    /// phase of `H` becomes accesses and a barrier, the head accesses alone.
    pub fn to_program(&self) -> Program {
        crate::render::program(self)
    }
}

/// The program of the instance, its arrays declared to hold what the host stored.
pub fn with_declared_memory(instance: &Instance) -> Program {
    let program = instance.program.without_sources().with_launch(instance.configuration.launch);
    crate::render::with_memory(program, instance.host())
}

/// The accesses of a thread, without the values: `{o[j] ∣ i:o[j] ∈̂ P}`.
pub(crate) type AccessSet = BTreeSet<(AccessMode, Cell)>;

/// The modes and cells of `accesses`.
pub(crate) fn access_set(accesses: &Accesses) -> AccessSet {
    accesses.iter().map(|(mode, cell)| (mode, cell.clone())).collect()
}
