//! From a program to a verdict: typing, protocol, race check, replay.

mod alone;
mod conclude;
mod diverge;
mod enumerate;
mod evidence;
mod exact;
#[cfg(feature = "solver")]
mod guess;
mod least;
mod replay;
mod report;
mod smaller;
#[cfg(feature = "solver")]
mod solve;
mod updates;

#[cfg(feature = "runs")]
pub(crate) use conclude::with_races;
pub(crate) use diverge::may_be_stuck;
pub use evidence::{Evidence, NotCertified};
#[cfg(feature = "runs")]
pub(crate) use least::sparse;
pub use replay::guesses;
#[cfg(feature = "runs")]
pub(crate) use replay::host_memory;
pub(crate) use smaller::least_launch;

use crate::contract::Contract;
use crate::repair::Fix;
use babycuda_core::evidence::{DivergenceWitness, PairKey, Witness};
use babycuda_core::name::reserved::in_flight;
use babycuda_core::scope::ScopeError;
use babycuda_core::syntax::{ArrayDecl, AtomicOp, Contents, Extent, MapFile, Program};
use babycuda_core::verdict::{Method, Outcome, Verdict};
use babycuda_core::{Budget, Declarations, Name, Natural, Protocol, Stmt};
use babycuda_protocols::enumerate::EnumerationLimits;
use babycuda_typing::{Approximation, approximate};
use conclude::conclude;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How to check.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Which way.
    pub decide: Decide,
    /// Only races on this array; divergences are still reported.
    pub array: Option<Name>,
    /// What an enumeration may use.
    pub limits: EnumerationLimits,
    /// Which solvers; several are all asked and must agree.
    #[cfg(feature = "solver")]
    pub solvers: Vec<babycuda_smt::SolverName>,
    /// How long a solver may think about one question. All questions have the time of twelve.
    pub timeout: Duration,
    /// After so many races solvers look for no more.
    pub races: usize,
    /// Only the verdict counts: races beyond the first that is certain are not judged and not told. (How many solvers look
    /// for, `races` says.)
    pub verdict_only: bool,
    /// How long the whole check may take: what is not decided by then is unknown. It is looked at
    /// between questions and in every long loop, so the check ends soon after.
    pub budget: Budget,
    /// Evaluation steps that the replay of one witness may take.
    pub replay_steps: u64,
}

impl CheckOptions {
    /// Are races on this array asked for? With an array, those with copies to it or from it are.
    #[must_use]
    pub fn asks_for(&self, array: &Name) -> bool {
        let own = |asked: &Name| asked == array || in_flight(asked) == *array;
        self.array.as_ref().is_none_or(own)
    }
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            decide: Decide::Auto,
            array: None,
            limits: EnumerationLimits::default(),
            #[cfg(feature = "solver")]
            solvers: Vec::new(),
            timeout: Duration::from_secs(10),
            races: 20,
            verdict_only: false,
            budget: Budget::UNLIMITED,
            replay_steps: 5_000_000,
        }
    }
}

/// Which way to decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decide {
    /// Run once where launch, parameters and memory are fixed and typing does not tell the
    /// accesses; else enumerate a concrete launch when it is small enough; else ask solvers.
    Auto,
    /// Enumerate the launch.
    Enumerate,
    /// Ask solvers.
    Solve,
}

/// A verdict and what it rests on.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The declarations of what was checked, settings applied.
    pub declarations: Declarations,
    /// The answer.
    pub verdict: Verdict,
    /// What a reader should know beyond the verdict: one line each.
    pub remarks: Vec<String>,
    /// Edits of the source that make the kernel race-free, where some were looked for and found
    /// ([`repair`](crate::repair::repair)).
    pub fix: Option<Fix>,
    /// What the verdict would be, or is, under conditions that launches satisfy.
    pub contract: Option<Contract>,
    /// Of each block by itself, where that was asked because the verdict is not known ([`check_blocks`]).
    pub one_block: Option<Outcome>,
    /// Races of which all writes of a cell store the same value, with that of the witness ([`benign`](crate::benign)).
    pub same_value: BTreeMap<PairKey, Natural>,
    /// Are these all races there are?
    pub all_races: bool,
}

impl Checked {
    /// A verdict with these remarks; nothing more is known.
    pub fn of(declarations: Declarations, verdict: Verdict, remarks: Vec<String>) -> Checked {
        let (fix, contract, one_block, same_value) = Default::default();
        Checked {
            declarations,
            verdict,
            remarks,
            fix,
            contract,
            one_block,
            same_value,
            all_races: false,
        }
    }

    /// The value that both sides of a race store, where all writes of these statements to a cell store one.
    pub fn same_value_of(&self, race: &Witness) -> Option<&Natural> {
        self.same_value.get(&race.pair())
    }

    /// Is it racy, and are all races there are benign, in that conflicting writes store the same value?
    pub fn is_benign_only(&self) -> bool {
        self.verdict.outcome == Outcome::Racy
            && self.all_races
            && self.verdict.divergences.is_empty()
            && self.verdict.races.iter().all(|race| self.same_value_of(race).is_some())
    }
}

/// A program that cannot be checked at all.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// It is not well-scoped.
    #[error("{0}")]
    Scope(#[from] ScopeError),
}

/// What one way of deciding came to, before replay.
struct Findings {
    races: Vec<Witness>,
    /// Races of which it is said why they are no more than potential.
    alarms: Vec<Witness>,
    divergences: Vec<DivergenceWitness>,
    /// Why the absence of further races is not shown; empty when it is.
    open: Vec<String>,
    remarks: Vec<String>,
    method: Method,
    /// The arrays of which atomic updates were taken to yield what some order gives.
    ordered: BTreeSet<Name>,
    /// What was assumed beside what is declared.
    assumed: Option<String>,
}

impl Findings {
    /// Nothing was checked, for this reason.
    fn none(reason: String) -> Findings {
        Findings {
            races: Vec::new(),
            alarms: Vec::new(),
            divergences: Vec::new(),
            open: vec![reason],
            remarks: Vec::new(),
            method: Method::None,
            ordered: BTreeSet::new(),
            assumed: None,
        }
    }
}

/// Decides whether `program` can race, for every launch, parameter and host memory that its
/// declarations allow.
///
/// # Errors
/// [`CheckError`] when the program is not well-scoped.
pub fn check(program: &Program, options: &CheckOptions) -> Result<Checked, CheckError> {
    program.check_scope()?;
    let checked = options.budget.check();
    let checked = checked.and_then(|()| options.budget.within(|| approximate(program)));
    let approximation = match checked {
        Ok(approximation) => approximation,
        Err(exhausted) => {
            let findings = Findings::none(exhausted.to_string());
            return Ok(conclude(&program.declarations, None, findings, options));
        }
    };
    if !approximation.is_exact()
        && options.decide == Decide::Auto
        && options.budget.check().is_ok()
        && let Ok(Some(checked)) = options.budget.within(|| exact::run(program, options))
    {
        return Ok(checked);
    }
    let (stops, updates) = (program.unwritten(), updates::of(program, &approximation.protocol));
    let declarations = Declarations { stops, updates, ..program.declarations.clone() };
    let code = Code::Program(program, &approximation);
    let findings = find(code, &declarations, options);
    Ok(conclude(&program.declarations, Some(code), findings, options))
}

/// Each block by itself is checked no longer than so many questions take.
const QUESTIONS: u32 = 4;

/// As [`check`]; where all grids are meant and the verdict is unknown, also whether each block by itself is race-free: a
/// remark says so.
///
/// # Errors
/// [`CheckError`] when the program is not well-scoped.
pub fn check_blocks(program: &Program, options: &CheckOptions) -> Result<Checked, CheckError> {
    Ok(blocks_by_themselves(program, check(program, options)?, options))
}

/// The verdict with what is true of each block by itself, where all grids are meant and it is unknown.
#[must_use]
pub fn blocks_by_themselves(
    program: &Program,
    mut checked: Checked,
    options: &CheckOptions,
) -> Checked {
    let open = program.geometry.grid.is_some_and(|grid| grid.contains(&Extent::Symbolic));
    if open
        && matches!(checked.verdict.outcome, Outcome::Unknown(_))
        && options.budget.check().is_ok()
    {
        let mut one = program.clone();
        one.geometry.grid = None;
        let budget = Budget::time(options.budget.at_most(options.timeout * QUESTIONS));
        let options = CheckOptions { verdict_only: true, budget, ..options.clone() };
        if check(&one, &options).is_ok_and(|one| one.verdict.outcome == Outcome::Drf) {
            checked.one_block = Some(Outcome::Drf);
            checked.remarks.push(
                "each block by itself is race-free, as with `--grid 1`; races between blocks are open".to_owned(),
            );
        }
    }
    checked
}

/// Decides whether a protocol can race. There is no program to replay a witness on: races are
/// [`Certainty::Provable`](babycuda_core::evidence::Certainty::Provable), since an access of a protocol is an access.
///
/// # Errors
/// [`CheckError`] when the protocol or its declarations are not well-scoped.
pub fn check_protocol(map: &MapFile, options: &CheckOptions) -> Result<Checked, CheckError> {
    map.check_scope()?;
    // A protocol has no memory: nothing in it is a read of ⊥, and nothing stops.
    let code = Code::Protocol(map);
    let findings = find(code, &map.declarations, options);
    Ok(conclude(&map.declarations, Some(code), findings, options))
}

fn find(code: Code<'_>, declarations: &Declarations, options: &CheckOptions) -> Findings {
    let protocol = code.protocol();
    if let Err(exhausted) = options.budget.check() {
        return Findings::none(exhausted.to_string());
    }
    if options.decide != Decide::Solve {
        let found = || enumerate::find(protocol, declarations, options);
        match options.budget.within(found) {
            Ok(Ok(findings)) => return findings,
            Ok(Err(reason))
                if options.decide == Decide::Enumerate || options.budget.check().is_err() =>
            {
                return Findings::none(reason);
            }
            Ok(Err(_)) => {}
            Err(exhausted) => return Findings::none(exhausted.to_string()),
        }
    }
    #[cfg(feature = "solver")]
    return solve::find(&code.with_operands(declarations), declarations, options);
    #[cfg(not(feature = "solver"))]
    Findings::none("the launch is not concrete, and this build has no solver".into())
}

/// What was checked.
#[derive(Clone, Copy)]
enum Code<'a> {
    Program(&'a Program, &'a Approximation),
    Protocol(&'a MapFile),
}

impl<'a> Code<'a> {
    fn protocol(self) -> &'a Protocol {
        match self {
            Code::Program(_, approximation) => &approximation.protocol,
            Code::Protocol(map) => &map.protocol,
        }
    }

    /// The protocol that says what updates add ([`Declarations::updates`]).
    #[cfg(feature = "solver")]
    fn with_operands(self, declarations: &Declarations) -> Cow<'a, Protocol> {
        match self {
            Code::Program(program, _) if !declarations.updates.is_empty() => {
                Cow::Owned(updates::with_operands(program, declarations))
            }
            _ => Cow::Borrowed(self.protocol()),
        }
    }
}

/// Does the program read values that a front end could not express, or make them?
pub(crate) fn has_opaque_data(program: &Program) -> bool {
    let opaque = |statement: &Stmt| matches!(statement, Stmt::Atomic { update, .. } if update.op == AtomicOp::Opaque);
    let open = |a: &ArrayDecl| program.sources.open.contains(&a.name);
    program.arrays.iter().any(|a| a.contents == Contents::Opaque || open(a))
        || program.body.subterms().any(opaque)
}

/// Is there an atomic update?
fn has_atomic(statement: &Stmt) -> bool {
    statement.subterms().any(|statement| matches!(statement, Stmt::Atomic { .. }))
}

/// Does `name` stand for the block's place in the grid, or for the grid's extents?
fn is_grid_variable(name: &Name) -> bool {
    use babycuda_core::name::reserved::{BLOCK_IDX, GRID_DIM};
    BLOCK_IDX.contains(&name.as_str()) || GRID_DIM.contains(&name.as_str())
}
