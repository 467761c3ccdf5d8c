//! Running a block, barrier by barrier: `H, k ⇓ outcome` (THEORY §4).

use crate::Rule;
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
use babycuda_core::{History, Phase, Stmt};
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
    let complete = history.split().map_or_else(|| history.clone(), |(_, older)| older);
    let mut run = Run { meter: Meter::new(options), complete };
    let result = run.start(history, program, block);
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

/// A run under way.
struct Run<'a> {
    meter: Meter<'a>,
    /// The phases that are complete.
    complete: History,
}

/// A conclusion of rule block/syncs whose ending is not known yet.
struct Open {
    before: Arc<History>,
    remaining: Arc<Remaining>,
    premises: Vec<Premise>,
}

/// What comes after all threads stopped.
enum Next {
    /// The block ends or diverges.
    Ends(Rule, Ending),
    /// It goes on, from this history.
    Syncs(Arc<History>, Remaining),
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
        block: Block,
    ) -> Result<(Ending, Arc<Derivation>), Stuck> {
        within(block, self.meter.options, history.len().saturating_sub(1))?;
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
        let (rule, ending) = loop {
            let (next, premises) = self.phase(&before, &remaining)?;
            open.push(Open { before, remaining, premises });
            match next {
                Next::Ends(rule, ending) => break (rule, ending),
                Next::Syncs(history, rest) => (before, remaining) = (history, Arc::new(rest)),
            }
        };
        let (mut rule, mut derivation) = (rule, None);
        for Open { before, remaining, mut premises } in open.into_iter().rev() {
            premises.extend(derivation.take().map(Premise::Derived));
            let conclusion =
                Judgment::Block(BlockJudgment { before, remaining, ending: ending.clone() });
            derivation = Some(Arc::new(Derivation { rule, conclusion, premises }));
            rule = Rule::BlockSyncs;
        }
        // Proof: one phase was opened at least, so the loop above ran.
        Ok((ending, derivation.expect("at least one conclusion is open")))
    }

    /// One phase of all threads, in order.
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
    /// P(i), k_i ⇓_{H,i} (Q(i), s_i) for all i    s_i1 and s_i2 are different places
    /// ------------------------------------------------------------------------------ block/diverges
    ///             P::H, {i: k_i, …} ⇓ Q::H, i1 at s_i1, i2 at s_i2
    /// ```
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
        let mut merged = Phase::default();
        let (mut premises, mut stops) = (Vec::new(), Vec::new());
        for (i, code) in remaining {
            let mut context =
                Context { history: older.clone(), thread: *i, meter: &mut self.meter };
            let ((after, stop), derivation) =
                context.run_to_barrier(Arc::new(phase.get(*i)), code.clone())?;
            merged.insert(*i, Arc::unwrap_or_clone(after));
            premises.push(Premise::Derived(derivation));
            stops.push((*i, stop));
        }
        let history = older.push(merged);
        Ok((decide(history, stops), premises))
    }
}

/// Which of the three rules applies.
fn decide(history: History, stops: Vec<(u64, Stop)>) -> Next {
    let first = stops.first().map(|(i, stop)| (*i, stop.site()));
    let other = first.and_then(|(_, site)| stops.iter().find(|(_, stop)| stop.site() != site));
    if let (Some(first), Some((i, stop))) = (first, other) {
        let second = (*i, stop.site());
        let divergence = Some(Divergence { phase: history.len() - 1, first, second });
        let ending = Ending { history: Arc::new(history), divergence };
        return Next::Ends(Rule::BlockDiverges, ending);
    }
    let rest = stops.into_iter().map(|(i, stop)| match stop {
        Stop::Done => None,
        Stop::Barrier { rest, .. } => Some((i, rest)),
    });
    match rest.collect::<Option<Remaining>>() {
        Some(rest) if !rest.is_empty() => {
            Next::Syncs(Arc::new(history.push(Phase::default())), rest)
        }
        _ => {
            let ending = Ending { history: Arc::new(history), divergence: None };
            Next::Ends(Rule::BlockEnds, ending)
        }
    }
}
