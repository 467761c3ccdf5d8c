//! What the judgments of one thread share: every rule with a premise about code has the result of
//! the last such premise. So a loop evaluates that premise, and the stack grows only with the nesting
//! of statements, not with the length of a run.

use crate::Rule;
use crate::attempt::{Started, Unfinished};
use crate::context::Context;
use crate::derivation::{Derivation, Judgment, Premise};
use crate::outcome::Stuck;
use babycuda_core::{Accesses, Stmt};
use std::sync::Arc;

/// An instance of a rule, up to its last premise. `R` is the result of the judgment.
pub(crate) struct Instance<R> {
    pub(crate) rule: Rule,
    pub(crate) premises: Vec<Premise>,
    pub(crate) rest: Rest<R>,
}

/// An instance whose last premise is open: what it is of, and its other premises.
type Begun = (Arc<Accesses>, Arc<Stmt>, Rule, Vec<Premise>);

/// What is left of an instance.
pub(crate) enum Rest<R> {
    /// Nothing: this is its result.
    Result(R),
    /// Its last premise, from these accesses.
    Premise(Arc<Accesses>, Arc<Stmt>),
}

impl Context<'_, '_> {
    /// Applies the rules one after the other, up to a result. `conclude` says what an instance
    /// concludes of accesses and code with that result. Where there is none, the [`Meter`] keeps what
    /// was begun, as a judgment of this kind. Where no derivation is asked for, it is a conclusion without premises.
    ///
    /// [`Meter`]: crate::context::Meter
    pub(crate) fn chain<R>(
        &mut self,
        to_barrier: bool,
        mut before: Arc<Accesses>,
        mut program: Arc<Stmt>,
        apply: impl Fn(&mut Self, &Arc<Accesses>, &Arc<Stmt>) -> Result<Instance<R>, Stuck>,
        conclude: impl Fn(&Self, Arc<Accesses>, Arc<Stmt>, &R) -> Judgment,
    ) -> Result<(R, Arc<Derivation>), Stuck> {
        let mut open: Vec<Begun> = Vec::new();
        let result = loop {
            let instance = match apply(self, &before, &program) {
                Ok(instance) => instance,
                Err(stuck) if !self.meter.derives => return Err(stuck),
                Err(stuck) => {
                    let begun = open.into_iter().map(|(a, b, rule, p)| (a, b, Some(rule), p));
                    let all = begun.chain([(before, program, None, Vec::new())]).rev();
                    let (history, thread) = (self.history.clone(), self.thread);
                    self.meter.open.extend(all.map(|(before, program, rule, premises)| {
                        let history = history.clone();
                        let started =
                            Started::Thread { to_barrier, history, thread, before, program };
                        Unfinished { started, rule, premises }
                    }));
                    return Err(stuck);
                }
            };
            let Instance { rule, premises, rest } = instance;
            if self.meter.derives {
                open.push((before, program, rule, premises));
            } else if open.is_empty() {
                open.push((before, program, rule, Vec::new()));
            }
            match rest {
                Rest::Premise(a, b) => (before, program) = (a, b),
                Rest::Result(result) => break result,
            }
        };
        // The conclusions are closed, the innermost first.
        let mut derivation = None;
        for (before, program, rule, mut premises) in open.into_iter().rev() {
            premises.extend(derivation.take().map(Premise::Derived));
            let conclusion = conclude(self, before, program, &result);
            derivation = Some(Arc::new(Derivation { rule, conclusion, premises }));
        }
        // Proof: the first loop pushes in its first round, so the second ran.
        Ok((result, derivation.expect("at least one conclusion is open")))
    }
}
