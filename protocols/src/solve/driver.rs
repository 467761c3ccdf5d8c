//! All queries of a protocol.

use super::bounds::Bounds;
use super::confirm::Scene;
use super::contents::{Instance, MAX_ROUNDS, Tried, completed};
use super::counters::Updates;
use super::encode::Encoded;
use super::prover::BySolver;
use super::world::{Threads, World};
use super::{Cause, Checked, SolveOptions, Subject, Undecided};
use crate::enumerate::{self, Enumeration, Refusal, enumerate};
use crate::split::{ByRanges, Split, Unaligned, split_stopping};
use babycuda_core::clock::Instant;
use babycuda_core::evidence::PairKey;
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::Forall;
use babycuda_core::{Budget, Configuration, Declarations, Name, Protocol, Site};
use babycuda_smt::{Answer, Model, Query, Reason, Solver, Term};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::time::Duration;

/// Decides whether `protocol` can race or diverge, for everything that `declarations` allow.
pub fn check(
    protocol: &Protocol,
    declarations: &Declarations,
    solver: &dyn Solver,
    options: &SolveOptions,
) -> Checked {
    let mut mentioned = protocol.free_vars();
    for assumption in &declarations.assumptions {
        mentioned.extend(assumption.free_vars());
    }
    let assumed = &declarations.contents_assumed;
    mentioned.extend(assumed.iter().flat_map(Forall::free_vars));
    let (read, written) = (protocol.arrays(), protocol.written());
    let stable =
        read.iter().chain(protocol.inputs()).chain(assumed.iter().flat_map(Forall::arrays));
    let stable = stable.filter(|a| !written.contains(*a));
    let stable = stable.cloned().collect();
    let mut driver = Driver {
        protocol,
        declarations,
        open: BTreeSet::new(),
        aligned: false,
        solver,
        options,
        mentioned,
        stable,
        updates: Rc::new(Updates::of(protocol, declarations)),
        worlds: HashMap::new(),
        answers: HashMap::new(),
        learned: BTreeSet::new(),
        contents: HostMemory::default(),
        bare: None,
        raced: BTreeSet::new(),
        unanswered: 0,
        racy: false,
        guesses: GUESSES,
        result: Checked::default(),
    };
    // The result has what was found until then.
    if let Err(exhausted) = options.budget.within(|| driver.run()) {
        driver.rest_is_undecided(exhausted.into());
    }
    driver.result.ordered = driver.updates.used.take();
    driver.result
}

/// Time at most for a query about small launches: where they are hard, they are no help.
const SMALL_TIME: Duration = Duration::from_secs(1);

/// Milliseconds at most for a query about groups of accesses: its answer saves others, and nothing needs it.
const GROUP_MILLISECONDS: u64 = 250;

/// After so many questions without an answer, others get half the time, and so on.
const PATIENCE: u32 = 4;
const MOST_HALVINGS: u32 = 4;

/// Where a race is known, questions about others get this part of the time: the verdict is racy whatever they come to.
const RACY: u32 = 8;

/// Guesses of parameters that may be in vain, of all accesses of a kernel, and milliseconds at most for each.
const GUESSES: u32 = 60;
const GUESS_MILLISECONDS: u64 = 100;

/// What the enumeration of one launch may cost, which checks a witness.
const ENUMERATION: enumerate::EnumerationLimits = enumerate::EnumerationLimits {
    steps: 5_000_000,
    memory: 1 << 28,
    budget: Budget::UNLIMITED,
    one_race: false,
};

/// Threads that such a launch may have.
const ENUMERATED_THREADS: u64 = 1 << 16;

pub(super) struct Driver<'a> {
    pub(super) protocol: &'a Protocol,
    pub(super) declarations: &'a Declarations,
    /// Decisions that barriers depend on, and that threads may make differently.
    pub(super) open: BTreeSet<Site>,
    /// Is every decision that barriers depend on known to be made alike?
    pub(super) aligned: bool,
    solver: &'a dyn Solver,
    pub(super) options: &'a SolveOptions,
    pub(super) mentioned: BTreeSet<Name>,
    pub(super) stable: BTreeSet<Name>,
    pub(super) updates: Rc<Updates<'a>>,
    /// What is common to all queries, by kind.
    worlds: HashMap<(Threads, Bounds), World>,
    answers: HashMap<Vec<Term>, Answer>,
    /// Instances of assumptions over contents that models broke.
    learned: BTreeSet<Instance>,
    /// What the host stored, in the last model: as assumed.
    pub(super) contents: HostMemory,
    /// The model of the last question for which no such contents were found.
    pub(super) bare: Option<Model>,
    pub(super) raced: BTreeSet<PairKey>,
    /// How many questions had no answer in their time.
    unanswered: u32,
    /// Is there a race that rests on no data? Then the verdict is known.
    pub(super) racy: bool,
    /// So many guesses of parameters may still be in vain.
    pub(super) guesses: u32,
    pub(super) result: Checked,
}

impl Driver<'_> {
    fn run(&mut self) {
        let empty = self.emptiness();
        if empty == Some(Cause::Vacuous) {
            return self.undecided(Subject::Launches, Cause::Vacuous);
        }
        if !self.updates.is_empty() {
            self.bound_operands();
        }
        if let Err((site, scope)) = self.related() {
            self.undecided(Subject::Phases, Unaligned::Scope { site, scope }.into());
        }
        // A witness shows contents that are as assumed. Without one, all may be about nothing.
        let shown = !self.result.races.is_empty() || !self.result.divergences.is_empty();
        let about_contents = !self.declarations.contents_assumed.is_empty();
        if let Some(cause) = empty.filter(|_| about_contents && !shown) {
            self.undecided(Subject::Launches, cause);
        }
    }

    /// Why nothing is known that is as the declarations say: [`Cause::Vacuous`] if nothing is.
    fn emptiness(&mut self) -> Option<Cause> {
        let Declarations { assumptions, contents_assumed, .. } = self.declarations;
        if assumptions.is_empty() && contents_assumed.is_empty() {
            return None;
        }
        match self.decide(Threads::One, &|_| Ok(())) {
            Ok(Answer::Sat(_)) => None,
            Ok(Answer::Unsat) => Some(Cause::Vacuous),
            Ok(Answer::Unknown(why)) => Some(why.into()),
            Err(cause) => Some(cause),
        }
    }

    /// Is the time over, or were enough races found? Then what was not asked is undecided, as a whole.
    pub(super) fn is_over(&mut self) -> bool {
        let most = self.options.races;
        match self.options.budget.check() {
            Err(exhausted) => self.rest_is_undecided(exhausted.into()),
            Ok(()) if self.result.races.len() >= most => {
                self.rest_is_undecided(Cause::Enough(most))
            }
            Ok(()) => return false,
        }
        true
    }

    fn rest_is_undecided(&mut self, cause: Cause) {
        if !self.result.undecided.iter().any(|u| u.subject == Subject::Rest) {
            self.undecided(Subject::Rest, cause);
        }
    }

    /// By intervals; with the solver's help where they do not suffice.
    pub(super) fn split(&self, protocol: &Protocol) -> Split {
        let budget = self.options.budget;
        let stops = &self.declarations.stops;
        let mut ranges = ByRanges::of(self.declarations).within(budget);
        let first = split_stopping(protocol, stops, &mut ranges);
        if !matches!(first.phases, Err(Unaligned::SomeIterations { .. })) {
            return first;
        }
        let mut prover = BySolver {
            ranges,
            declarations: self.declarations,
            mentioned: &self.mentioned,
            solver: self.solver,
            limits: &self.options.limits,
            budget,
        };
        split_stopping(protocol, stops, &mut prover)
    }

    pub(super) fn undecided(&mut self, subject: Subject, cause: Cause) {
        let undecided = Undecided { subject, cause };
        if !self.result.undecided.contains(&undecided) {
            self.result.undecided.push(undecided);
        }
    }

    /// Every access of a launch, up to divergences.
    pub(super) fn enumerated(&self, configuration: &Configuration) -> Result<Enumeration, Refusal> {
        let launch = configuration.launch;
        let blocks = if self.declarations.has_grid() { launch.grid.count() } else { 1 };
        if launch.block.count().saturating_mul(blocks) > ENUMERATED_THREADS {
            return Err(Refusal::TooLarge("threads"));
        }
        let limits = enumerate::EnumerationLimits { budget: self.options.budget, ..ENUMERATION };
        enumerate(self.protocol, self.declarations, configuration, &limits)
    }

    /// The cause to report for a model that does not check. Where threads can be stuck, at stops or
    /// at inputs where nothing is stored, queries exclude that only as far as it can be expressed.
    pub(super) fn defect(&self, why: String) -> Cause {
        let total = self.declarations.stops.is_empty() && !self.protocol.is_relative();
        if total { Cause::Model(why) } else { Cause::Stuck(why) }
    }

    /// Decides a query: among small launches first, then without bounds.
    pub(super) fn decide(
        &mut self,
        threads: Threads,
        state: &dyn Fn(&mut World) -> Encoded<()>,
    ) -> Result<Answer, Cause> {
        if self.options.small_first {
            let answer = self.ask(threads, Bounds::SMALL, state);
            if let Ok(Answer::Sat(_)) = answer {
                return answer;
            }
        }
        self.ask(threads, Bounds::ALL, state)
    }

    pub(super) fn ask(
        &mut self,
        threads: Threads,
        bounds: Bounds,
        state: &dyn Fn(&mut World) -> Encoded<()>,
    ) -> Result<Answer, Cause> {
        self.options.budget.check()?;
        let mut world = self.world(threads, bounds)?;
        state(&mut world)?;
        if self.declarations.contents_assumed.is_empty() {
            return self.answer(&world, bounds, None);
        }
        let mut why = String::new();
        for round in 0..MAX_ROUNDS {
            let mut asked = world.clone();
            asked.instantiate(self.declarations, &self.learned, round > 0)?;
            let model = match self.answer(&asked, bounds, None)? {
                Answer::Sat(model) => model,
                answer => return Ok(answer),
            };
            let cells = asked.cells(&model);
            let [at, _] = Scene::of(model.clone(), self.declarations, &self.stable, &self.contents)
                .configurations;
            let Tried { host, broken, evaluated } = completed(&at, self.declarations, &cells);
            let Some((_, unmet)) = self.declarations.unmet_in(&at, &host) else {
                self.contents = host;
                return Ok(Answer::Sat(model));
            };
            self.bare = Some(model);
            if !evaluated {
                return Err(Cause::Unevaluated(unmet));
            }
            why = unmet;
            if round > 0 && broken.is_subset(&self.learned) {
                break;
            }
            self.learned.extend(broken);
        }
        Err(Cause::Contents(why))
    }

    /// Decides a query that says less than another: with little time, and without what is assumed of
    /// the host's contents. Only that it has no model tells something.
    pub(super) fn ask_of_groups(
        &mut self,
        threads: Threads,
        state: &dyn Fn(&mut World) -> Encoded<()>,
    ) -> Result<Answer, Cause> {
        self.options.budget.check()?;
        let mut world = self.world(threads, Bounds::ALL)?;
        state(&mut world)?;
        self.answer(&world, Bounds::ALL, Some(Duration::from_millis(GROUP_MILLISECONDS)))
    }

    fn answer(
        &mut self,
        world: &World,
        bounds: Bounds,
        most: Option<Duration>,
    ) -> Result<Answer, Cause> {
        self.result.statistics.questions += 1;
        if world.is_refuted() {
            let all = [Bounds::ALL, Bounds::PLACES].contains(&bounds);
            self.result.statistics.trivial += usize::from(all);
            return Ok(Answer::Unsat);
        }
        let asked = self.options.limits.time;
        // What is left is less than a question may take: then that is the reason.
        let short =
            self.options.budget.limit().filter(|_| self.options.budget.at_most(asked) < asked);
        match (self.solve(&world.query, bounds, most), short) {
            (Answer::Unknown(_), Some(exhausted)) => Err(exhausted.into()),
            (answer, _) => Ok(answer),
        }
    }

    pub(super) fn world(&mut self, threads: Threads, bounds: Bounds) -> Encoded<World> {
        let key = (threads, bounds);
        if let Some(world) = self.worlds.get(&key) {
            return Ok(world.clone());
        }
        let world = World::new(self.declarations, &self.mentioned, &self.stable, bounds, threads)?;
        self.worlds.insert(key, world.clone());
        Ok(world)
    }

    fn solve(&mut self, query: &Query, bounds: Bounds, most: Option<Duration>) -> Answer {
        // Constants are named by what they stand for, but the same name may have other bounds in
        // another query, so the bounds belong to the key.
        let mut key = query.assertions().to_vec();
        for declaration in query.declarations() {
            let constant = declaration.term();
            for (end, at_least) in
                [(&declaration.bounds.lower, true), (&declaration.bounds.upper, false)]
            {
                let Some(end) = end else { continue };
                let end = Term::int(end.clone());
                let bound = if at_least { end.at_most(&constant) } else { constant.at_most(&end) };
                key.extend(bound);
            }
        }
        if let Some(known) = self.answers.get(&key) {
            self.result.statistics.repeated += 1;
            return known.clone();
        }
        let start = Instant::now();
        let mut limits = self.options.limits.clone();
        limits.time = self.options.budget.at_most(limits.time);
        // Where some have none, the verdict is a race or unknown: less time will do.
        limits.time /= 1 << (self.unanswered / PATIENCE).min(MOST_HALVINGS);
        if self.racy {
            limits.time /= RACY;
        }
        if bounds != Bounds::ALL {
            limits.time = (limits.time / 4).min(SMALL_TIME);
        }
        if bounds.guess.is_some() {
            limits.time = limits.time.min(Duration::from_millis(GUESS_MILLISECONDS));
        }
        limits.time = most.map_or(limits.time, |most| (limits.time / 4).min(most));
        let answer = self.solver.check(query, &limits);
        let late = matches!(answer, Answer::Unknown(Reason::Timeout(_)));
        self.unanswered += u32::from(late && bounds == Bounds::ALL && most.is_none());
        self.result.statistics.solving += start.elapsed();
        self.result.statistics.queries += 1;
        // Who has more time may ask again.
        if most.is_none() || !matches!(answer, Answer::Unknown(_)) {
            self.answers.insert(key, answer.clone());
        }
        answer
    }
}
