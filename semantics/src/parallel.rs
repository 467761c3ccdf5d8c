//! The parallel judgment `P::H, b ↓ Q::H` (LCL22 Fig. 5, rule par).

use crate::Rule;
use crate::block::Block;
use crate::context::{Context, Meter};
use crate::derivation::{Derivation, Judgment, ParallelJudgment, Premise};
use crate::options::{Limit, RunOptions};
use crate::outcome::{Reason, Stuck};
use babycuda_core::{History, Phase, Stmt};
use std::sync::Arc;

/// `P::H, b ↓ Q::H`: finds `Q::H`, with the derivation.
///
/// # Errors
/// [`Stuck`] when a thread is, the one with the smallest identifier; or when the history is `[]`.
pub fn run(
    history: &History,
    program: &Stmt,
    block: Block,
    options: &RunOptions,
) -> Result<(History, Derivation), Stuck> {
    let program = Arc::new(program.clone());
    let Some((phase, older)) = history.split() else {
        return Err(Stuck { phase: 0, thread: 0, site: None, reason: Reason::NoPhase });
    };
    within(block, options, older.len())?;
    let mut meter = Meter::new(options);
    // Q = ⋃ {i: A | P(i), b[tid := i] ↓_{H,i} A ∧ i ∈ T}
    // --------------------------------------------------- parallel/par
    //                P::H, b ↓ Q::H
    let older = Arc::new(older);
    let (mut merged, mut premises) = (Phase::default(), Vec::new());
    for i in 0..block.len() {
        let mut context = Context { history: older.clone(), thread: i, meter: &mut meter };
        let code = Arc::new(program.subst(&block.substitution(i)));
        let (after, derivation) = context.evaluate(Arc::new(phase.get(i)), code)?;
        merged.insert(i, Arc::unwrap_or_clone(after));
        premises.push(Premise::Derived(derivation));
    }
    let after = older.push(merged);
    let conclusion = Judgment::Parallel(ParallelJudgment {
        block,
        before: Arc::new(history.clone()),
        program,
        after: Arc::new(after.clone()),
    });
    Ok((after, Derivation { rule: Rule::Par, conclusion, premises }))
}

/// Are the threads of the block within the limits?
pub(crate) fn within(block: Block, options: &RunOptions, phase: usize) -> Result<(), Stuck> {
    let allowed = options.limits.threads;
    if block.len() <= allowed {
        return Ok(());
    }
    let reason = Reason::Limit { limit: Limit::Threads, allowed };
    Err(Stuck { phase, thread: allowed, site: None, reason })
}
