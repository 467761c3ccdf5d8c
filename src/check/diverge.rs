//! Divergences held to the reference semantics: does a run of the witness' launch diverge there?

use super::{Options, is_grid_variable, report};
use crate::Observed;
use babycuda_core::Stmt;
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::{Contents, Program};
use babycuda_core::verdict::{Certainty, DivergenceReport};
use babycuda_semantics::{Block, Instance, Limits, Outcome, Policy, Reason, Stuck};
use std::sync::Arc;

/// May a thread read ⊥ somewhere: is an array read that need not hold a value in every cell?
pub(super) fn may_be_stuck(program: &Program) -> bool {
    let open = |array| {
        let contents = program.array(array).map(|a| &a.contents);
        !matches!(contents, Some(Contents::Any | Contents::Fill(_) | Contents::Opaque))
    };
    program.body.subterms().any(|s| matches!(s, Stmt::Read { array, .. } if open(array)))
}

/// Runs the launch of a divergence that no data decides, and tells of the divergence that the run
/// has. Where it has none, the divergence is potential, and what stopped the run is returned.
pub(super) fn confirm(
    program: &Program,
    found: &mut DivergenceReport,
    options: &Options,
) -> Option<Stuck> {
    // The block of the witness is not known here, so a kernel that looks at it is not run.
    if program.body.free_vars().iter().any(is_grid_variable) {
        return None;
    }
    let instance = Instance {
        program: Arc::new(program.stopping().unwrap_or_else(|| program.clone())),
        block: Block { launch: found.launch, index: 0 },
        parameters: found.parameters.clone(),
        host: Arc::new(HostMemory::declared(program)),
    };
    let limits = Limits { steps: options.replay_steps, ..Limits::default() };
    let ambiguous = Policy::Smallest;
    let settings = babycuda_semantics::Options { limits, ambiguous, ..Default::default() };
    let Observed { outcome, evaluator, .. } = crate::observe(&instance, &settings);
    match outcome {
        Outcome::Diverged { divergence: d, .. } => {
            let sides = (d.first, d.second);
            let certainty = found.certainty;
            *found = report::divergence(program, found.launch, &found.parameters, d.phase, sides);
            found.certainty = certainty;
            found.evaluator = Some(evaluator);
            None
        }
        Outcome::Stuck { stuck, .. } => {
            // A run that is too long proves nothing, and refutes nothing where none is stuck.
            if !matches!(stuck.reason, Reason::Limit { .. }) || may_be_stuck(program) {
                found.certainty = Certainty::Potential;
            }
            (found.certainty == Certainty::Potential).then_some(stuck)
        }
        Outcome::Done { .. } => {
            found.certainty = Certainty::Potential;
            None
        }
    }
}
