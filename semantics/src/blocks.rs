//! Running a block, barrier by barrier: `H, k ⇓ outcome` (THEORY §4).

use crate::Rule;
use crate::attempt::{Attempt, Started, Unfinished};
use crate::block::Block;
use crate::choice::Choices;
use crate::context::{Context, Meter};
use crate::derivation::{
    BlockJudgment, Derivation, Ending, Judgment, Premise, ProgramJudgment, Remaining, Stop,
};
use crate::options::RunOptions;
use crate::outcome::{Outcome, Reason, Stuck};
use crate::parallel::within;
use babycuda_core::evidence::Divergence;
use babycuda_core::launch::Group;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{History, Phase, Site, Stmt};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A run of a block: what it came to, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evaluation {
    /// What it came to.
    pub outcome: Outcome,
    /// The derivation of `H, k ⇓ outcome`; `None` when a thread is stuck, which has none.
    pub derivation: Option<Arc<Derivation>>,
    /// How the run settled what the calculus leaves open, as the options say.
    pub choices: Choices,
}

/// Runs `program` in every thread of `block`, from the history on: `H, k ⇓ outcome`.
///
/// The program may have the launch's variables free ([`Block::substitution`]).
pub fn run(history: &History, program: &Stmt, block: Block, options: &RunOptions) -> Evaluation {
    evaluation(history, program, block, Meter::new(options))
}

fn evaluation(history: &History, program: &Stmt, block: Block, meter: Meter<'_>) -> Evaluation {
    let complete = history.split().map_or_else(|| history.clone(), |(_, older)| older);
    let mut run = Run { meter, block, complete };
    let result = run.start(history, program);
    let choices = run.meter.choices;
    match result {
        Err(stuck) => Evaluation {
            outcome: Outcome::Stuck { history: run.complete, stuck },
            derivation: None,
            choices,
        },
        Ok((ending, derivation)) => {
            let history = Arc::unwrap_or_clone(ending.history);
            let outcome = match ending.divergence {
                None => Outcome::Done { history },
                Some(divergence) => Outcome::Diverged { history, divergence },
            };
            Evaluation { outcome, derivation: Some(derivation), choices }
        }
    }
}

/// What [`run`] comes to, without its derivation, which takes as long as the run itself.
pub(crate) fn outcome(
    history: &History,
    program: &Stmt,
    block: Block,
    options: &RunOptions,
) -> Outcome {
    let mut meter = Meter::new(options);
    meter.derives = false;
    evaluation(history, program, block, meter).outcome
}

/// Why [`run`] has no derivation, and how far it came; `None` where it has one.
pub(crate) fn attempt(
    history: &History,
    program: &Stmt,
    block: Block,
    options: &RunOptions,
) -> Option<Attempt> {
    let complete = history.clone();
    let mut run = Run { meter: Meter::new(options), block, complete };
    let stuck = run.start(history, program).err()?;
    let (before, program) = (Arc::new(history.clone()), Arc::new(program.clone()));
    let started = Started::Program { block, before, program };
    let mut open = run.meter.open;
    open.push(Unfinished { started, rule: Some(Rule::BlockStart), premises: Vec::new() });
    open.reverse();
    Some(Attempt { stuck, open })
}

/// Several blocks run one by one: they have no barrier of the grid.
pub(crate) fn apart(block: Block, program: &Stmt, phase: usize) -> Result<(), Stuck> {
    let of_grid = |b: &&Stmt| matches!(b, Stmt::Sync { scope: BarrierScope::Grid, .. });
    match program.subterms().find(of_grid) {
        Some(barrier) if block.launch.grid.count() > 1 => {
            let reason = Reason::Scope(BarrierScope::Grid);
            Err(Stuck { phase, thread: 0, site: barrier.site(), reason })
        }
        _ => Ok(()),
    }
}

/// A run under way.
struct Run<'a> {
    meter: Meter<'a>,
    block: Block,
    /// The phases that are complete.
    complete: History,
}

/// A conclusion of rule block/syncs whose ending is not known yet.
struct Open {
    before: Arc<History>,
    remaining: Arc<Remaining>,
    premises: Vec<Premise>,
    /// The rule by which the block goes on; the last one is its end's.
    rule: Rule,
}

/// What threads see of a phase, one after the other.
struct Seen<'a> {
    phase: &'a Phase,
    older: &'a Arc<History>,
    /// Was whoever accessed something in a stage in it? (A history that is read may say otherwise.) Then threads that
    /// were in the same stages see the same.
    alike: bool,
    /// In which stages the last thread was, and what it saw.
    last: Option<(Vec<bool>, Arc<History>)>,
}

impl<'a> Seen<'a> {
    fn of(phase: &'a Phase, older: &'a Arc<History>) -> Seen<'a> {
        let alike = phase.stages().all(|stage| stage.threads().all(|(i, _)| stage.holds(i)));
        Seen { phase, older, alike, last: None }
    }

    /// `H` of thread `i`, with the stages of the phase that it sees.
    fn by(&mut self, i: u64) -> Arc<History> {
        if !self.phase.is_staged() {
            return self.older.clone();
        }
        let stages: Vec<bool> = self.phase.stages().map(|stage| stage.holds(i)).collect();
        match &self.last {
            Some((same, history)) if self.alike && *same == stages => history.clone(),
            _ => {
                let history = Arc::new(self.older.amid(&self.phase.before(i)));
                self.last = Some((stages, history.clone()));
                history
            }
        }
    }
}

/// What comes after all threads stopped.
enum Next {
    /// The block ends or diverges.
    Ends(Rule, Ending),
    /// It goes on by this rule, from this history.
    Syncs(Rule, Arc<History>, Remaining),
}

impl Run<'_> {
    /// ```text
    /// H, {i: k[tid := i] ∣ i ∈ T} ⇓ outcome
    /// -------------------------------------- block/start
    ///             H, k ⇓ outcome
    /// ```
    fn start(
        &mut self,
        history: &History,
        program: &Stmt,
    ) -> Result<(Ending, Arc<Derivation>), Stuck> {
        let (block, phase) = (self.block, history.len().saturating_sub(1));
        within(block, self.meter.options, phase)?;
        apart(block, program, phase)?;
        let code = |i| (i, Arc::new(program.subst(&block.substitution(i))));
        let remaining = (0..block.len()).map(code).collect();
        let before = Arc::new(history.clone());
        let (ending, derivation) = self.block(before.clone(), remaining)?;
        let program = Arc::new(program.clone());
        let judgment = ProgramJudgment { block, before, program, ending: ending.clone() };
        let premises = vec![Premise::Derived(derivation)];
        let conclusion = Judgment::Program(judgment);
        Ok((ending, Arc::new(Derivation { rule: Rule::BlockStart, conclusion, premises })))
    }

    /// Phase by phase; the conclusions are closed at the end, the last phase first.
    fn block(
        &mut self,
        mut before: Arc<History>,
        remaining: Remaining,
    ) -> Result<(Ending, Arc<Derivation>), Stuck> {
        let mut remaining = Arc::new(remaining);
        let mut open = Vec::new();
        let ending = loop {
            let (next, premises) = match self.phase(&before, &remaining) {
                Ok(done) => done,
                Err(stuck) => {
                    let warp = self.block.launch.warp;
                    let begun = open.into_iter().rev().map(|open: Open| {
                        let Open { before, remaining, premises, rule } = open;
                        let started = Started::Block { before, warp, remaining };
                        Unfinished { started, rule: Some(rule), premises }
                    });
                    self.meter.open.extend(begun);
                    return Err(stuck);
                }
            };
            match next {
                Next::Ends(rule, ending) => {
                    open.push(Open { before, remaining, premises, rule });
                    break ending;
                }
                Next::Syncs(rule, history, rest) => {
                    open.push(Open { before, remaining, premises, rule });
                    (before, remaining) = (history, Arc::new(rest));
                }
            }
        };
        let mut derivation = None;
        for Open { before, remaining, mut premises, rule } in open.into_iter().rev() {
            premises.extend(derivation.take().map(Premise::Derived));
            let (warp, ending) = (self.block.launch.warp, ending.clone());
            let conclusion = Judgment::Block(BlockJudgment { before, warp, remaining, ending });
            derivation = Some(Arc::new(Derivation { rule, conclusion, premises }));
        }
        // Proof: one phase was opened at least, so the loop above ran.
        Ok((ending, derivation.expect("at least one conclusion is open")))
    }

    /// All threads run, in order, each to its next stop.
    ///
    /// ```text
    /// P(i), k_i ⇓_{H,i} (Q(i), done) for all i
    /// ----------------------------------------- block/ends
    ///       P::H, {i: k_i, …} ⇓ Q::H
    ///
    /// P(i), k_i ⇓_{H,i} (Q(i), sync_ℓ ▷ k_i') for all i    ∅::Q::H, {i: k_i', …} ⇓ outcome
    /// ------------------------------------------------------------------------------------- block/syncs
    ///                         P::H, {i: k_i, …} ⇓ outcome
    ///
    /// P(i), k_i ⇓_{H,i} (Q(i), s_i) for all i    G: the groups all of whose threads wait at one
    /// barrier of their scope, which is narrower than the block; at least one
    /// Q|G::H, {i: k_i' if i is in G, else what s_i leaves, …} ⇓ outcome
    /// ----------------------------------------------------------------------- block/group-syncs
    ///                   P::H, {i: k_i, …} ⇓ outcome
    ///
    /// P(i), k_i ⇓_{H,i} (Q(i), s_i) for all i    no group has all its threads at one barrier of its
    /// scope    s_i1 and s_i2 are different places, in a group of which a thread waits
    /// ------------------------------------------------------------------------------ block/diverges
    ///             P::H, {i: k_i, …} ⇓ Q::H, i1 at s_i1, i2 at s_i2
    /// ```
    ///
    /// `H` of thread i has the stages of `P` that the thread sees.
    fn phase(
        &mut self,
        before: &History,
        remaining: &Remaining,
    ) -> Result<(Next, Vec<Premise>), Stuck> {
        let Some((phase, older)) = before.split() else {
            return Err(Stuck { phase: 0, thread: 0, site: None, reason: Reason::NoPhase });
        };
        self.complete = older.clone();
        let older = Arc::new(older);
        let mut merged = Phase::default().behind(phase);
        let (mut premises, mut stops) = (Vec::new(), Vec::new());
        let mut seen = Seen::of(phase, &older);
        for (i, code) in remaining {
            let history = seen.by(*i);
            let mut context = Context { history, thread: *i, meter: &mut self.meter };
            let run = context.run_to_barrier(Arc::new(phase.get(*i)), code.clone());
            let ((after, stop), derivation) = match run {
                Ok(done) => done,
                Err(stuck) => {
                    let (before, remaining) =
                        (Arc::new(before.clone()), Arc::new(remaining.clone()));
                    let warp = self.block.launch.warp;
                    let started = Started::Block { before, warp, remaining };
                    self.meter.open.push(Unfinished { started, rule: None, premises });
                    return Err(stuck);
                }
            };
            merged.insert(*i, Arc::unwrap_or_clone(after));
            premises.push(Premise::Derived(derivation));
            stops.push((*i, stop));
        }
        Ok((self.decide(&older, merged, stops), premises))
    }

    /// Which of the four rules applies.
    fn decide(&self, older: &History, mut phase: Phase, stops: Vec<(u64, Stop)>) -> Next {
        let ends = |rule, phase, divergence| {
            Next::Ends(rule, Ending { history: Arc::new(older.push(phase)), divergence })
        };
        if stops.iter().all(|(_, stop)| *stop == Stop::Done) {
            return ends(Rule::BlockEnds, phase, None);
        }
        let going = self.groups_that_go_on(&stops);
        if going.is_empty() {
            let divergence = self.divergence(older.len(), &stops);
            return ends(Rule::BlockDiverges, phase, divergence);
        }
        let goes_on = |i: u64| going.iter().any(|g| (g.first..g.end).contains(&i));
        let left = |(i, stop): (u64, Stop)| match stop {
            Stop::Done => (i, Arc::new(Stmt::Skip)),
            Stop::Barrier { rest, .. } if goes_on(i) => (i, rest),
            Stop::Barrier { site, scope, rest } => {
                (i, Arc::new(Stmt::Seq(Arc::new(Stmt::Sync { site, scope }), rest)))
            }
        };
        let rest = stops.into_iter().map(left).collect();
        if going.iter().any(|group| group.scope >= BarrierScope::Block) {
            let history = older.push(phase).push(Phase::default());
            return Next::Syncs(Rule::BlockSyncs, Arc::new(history), rest);
        }
        for group in &going {
            phase.pass(group.first, group.end);
        }
        Next::Syncs(Rule::BlockGroupSyncs, Arc::new(older.push(phase)), rest)
    }

    fn group(&self, scope: BarrierScope, i: u64) -> Group {
        self.block.launch.group(scope, self.block.thread(i))
    }

    /// The groups all of whose threads wait at one barrier of their scope, by first thread.
    fn groups_that_go_on(&self, stops: &[(u64, Stop)]) -> Vec<Group> {
        let mut waiting: BTreeMap<(u64, Site), (Group, u64)> = BTreeMap::new();
        for (i, stop) in stops {
            if let Stop::Barrier { site, scope, .. } = stop {
                let group = self.group(*scope, *i);
                waiting.entry((group.first, *site)).or_insert((group, 0)).1 += 1;
            }
        }
        let all = |(group, count): &(Group, u64)| *count == group.end - group.first;
        waiting.into_values().filter(all).map(|(group, _)| group).collect()
    }

    /// Two threads at different places, in the first group of the narrowest scope of which a
    /// thread waits: where none goes on, there are two.
    fn divergence(&self, phase: usize, stops: &[(u64, Stop)]) -> Option<Divergence> {
        let waiting = stops.iter().filter_map(|(i, stop)| match stop {
            Stop::Done => None,
            Stop::Barrier { scope, .. } => Some((*scope, *i)),
        });
        let (scope, waiting) = waiting.min()?;
        let group = self.group(scope, waiting);
        let inside = |(i, _): &&(u64, Stop)| (group.first..group.end).contains(i);
        let mut places = stops.iter().filter(inside).map(|(i, stop)| (*i, stop.site()));
        let first = places.next()?;
        let second = places.find(|(_, site)| *site != first.1)?;
        Some(Divergence { phase, first, second, scope })
    }
}
