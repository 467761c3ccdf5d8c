//! What the judgments of one thread share: every rule with a premise about code has the result of
//! the last such premise. So a loop evaluates that premise, and the stack grows only with the nesting
//! of statements, not with the length of a run.

use crate::Rule;
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

/// What is left of an instance.
pub(crate) enum Rest<R> {
    /// Nothing: this is its result.
    Result(R),
    /// Its last premise, from these accesses.
    Premise(Arc<Accesses>, Arc<Stmt>),
}

impl Context<'_, '_> {
    /// Applies the rules one after the other, up to a result. `conclude` says what an instance
    /// concludes of accesses and code with that result.
    pub(crate) fn chain<R>(
        &mut self,
        mut before: Arc<Accesses>,
        mut program: Arc<Stmt>,
        apply: impl Fn(&mut Self, &Arc<Accesses>, &Arc<Stmt>) -> Result<Instance<R>, Stuck>,
        conclude: impl Fn(&Self, Arc<Accesses>, Arc<Stmt>, &R) -> Judgment,
    ) -> Result<(R, Arc<Derivation>), Stuck> {
        let mut open = Vec::new();
        let result = loop {
            let Instance { rule, premises, rest } = apply(self, &before, &program)?;
            open.push((before, program, rule, premises));
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
        // Proof: the first loop pushes before it ends, so the second ran.
        Ok((result, derivation.expect("at least one conclusion is open")))
    }
}
