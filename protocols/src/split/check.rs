//! Splitting preserves Λ, phase by phase (THEORY §5, T7), checked on one configuration.

use super::{Binder, ParamPhase};
use crate::map::{
    Configured, Ending, Lambda, MapError, MapLimits, NoOracle, PhaseAccesses, evaluate,
    evaluate_threads,
};
use babycuda_core::evidence::Counter;
use babycuda_core::expr::{Renaming, Unbound};
use babycuda_core::history::Access;
use babycuda_core::{Cell, Configuration, Name, Natural, Num, Protocol};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How a split protocol differs from its Λ.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// One side could not be evaluated.
    #[error("{0}")]
    Map(#[from] MapError),
    /// The numbers of phases differ.
    #[error("{expected} phases, and {found} after splitting")]
    #[allow(missing_docs)]
    Count { expected: usize, found: usize },
    /// A phase has different accesses.
    #[error("phase {phase}: {missing:?} lost and {added:?} gained by splitting")]
    #[allow(missing_docs)]
    Phase { phase: usize, missing: Vec<Access>, added: Vec<Access> },
}

/// One phase of a split protocol, at values of its counters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Its place in time: instances in the order of their keys are the phases of the protocol.
    pub key: Vec<Natural>,
    /// The values of the synchronized counters.
    pub counters: Vec<Counter>,
    /// What the threads access.
    pub accesses: PhaseAccesses,
}

/// All instances of `phases` in one configuration, in order of time. Conditions and bounds are
/// evaluated by thread 0: by the obligations of the split, all threads agree.
///
/// # Errors
/// As [`evaluate`].
pub fn instances(
    phases: &[ParamPhase],
    configuration: &Configuration,
    limits: &MapLimits,
) -> Result<Vec<Instance>, MapError> {
    let mut found = Vec::new();
    let mut steps = limits.steps;
    for phase in phases {
        let mut open = Open {
            configuration,
            limits,
            steps: &mut steps,
            key: Vec::new(),
            counters: Vec::new(),
            inputs: Vec::new(),
            found: &mut found,
        };
        open.visit(&phase.context, &phase.body)?;
    }
    found.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(found)
}

struct Open<'a> {
    configuration: &'a Configuration,
    limits: &'a MapLimits,
    steps: &'a mut u64,
    key: Vec<Natural>,
    counters: Vec<Counter>,
    /// The inputs around the phase: each thread reads its own cell.
    inputs: Vec<&'a Binder>,
    found: &'a mut Vec<Instance>,
}

impl<'a> Open<'a> {
    fn value(&self, x: &Name) -> Option<Natural> {
        let counter = self.counters.iter().rev().find(|c| c.var == *x);
        match (counter, self.inputs.iter().find(|b| b.var() == Some(x))) {
            (Some(counter), _) => Some(counter.value.clone()),
            (None, Some(input)) => stored(input, self.configuration, &|y| self.value(y)),
            (None, None) => self.configuration.value_of(x, 0),
        }
    }

    fn visit(&mut self, context: &'a [Binder], body: &Protocol) -> Result<(), MapError> {
        *self.steps = self.steps.checked_sub(1).ok_or(MapError::Steps(self.limits.steps))?;
        let Some((binder, rest)) = context.split_first() else {
            return self.emit(body);
        };
        match binder {
            Binder::At(place) => {
                self.key.push(Natural::from(*place));
                self.visit(rest, body)?;
                self.key.pop();
                Ok(())
            }
            Binder::If(condition) => {
                let holds = condition.eval(&|x| self.value(x)).map_err(|e| unbound(body, e))?;
                if holds { self.visit(rest, body) } else { Ok(()) }
            }
            Binder::For { site, var, lower, upper } => {
                let bound = |n: &Num| n.eval(&|x| self.value(x)).map_err(|e| unbound(body, e));
                let (mut next, upper) = (bound(lower)?, bound(upper)?);
                while next < upper {
                    self.key.push(next.clone());
                    self.counters.push(Counter {
                        site: *site,
                        var: var.clone(),
                        value: next.clone(),
                    });
                    self.visit(rest, body)?;
                    self.counters.pop();
                    self.key.pop();
                    next = next.successor();
                }
                Ok(())
            }
            Binder::Input { .. } => {
                self.inputs.push(binder);
                self.visit(rest, body)?;
                self.inputs.pop();
                Ok(())
            }
            Binder::Any { site, var, .. } => Err(MapError::Any { site: *site, var: var.clone() }),
        }
    }

    fn emit(&mut self, body: &Protocol) -> Result<(), MapError> {
        let values: Renaming =
            self.counters.iter().map(|c| (c.var.clone(), Num::Lit(c.value.clone()))).collect();
        let read = |body: Protocol, input: &&Binder| match (*input).clone() {
            Binder::Input { site, var, array, index } => {
                Protocol::Input { site, var, array, index, body: Arc::new(body) }
            }
            _ => body,
        };
        let closed = self.inputs.iter().rev().fold(body.clone(), read).subst(&values);
        let configured = Configured { protocol: &closed, configuration: self.configuration };
        let threads = 0..self.configuration.launch.block.count();
        let lambda = evaluate_threads(configured, threads, &mut NoOracle, self.limits)?;
        self.found.push(Instance {
            key: self.key.clone(),
            counters: self.counters.clone(),
            accesses: lambda.phases.into_iter().next().unwrap_or_default(),
        });
        Ok(())
    }
}

/// The value of an input, its index evaluated with `value`; `None`: there is none.
pub(super) fn stored(
    input: &Binder,
    configuration: &Configuration,
    value: &dyn Fn(&Name) -> Option<Natural>,
) -> Option<Natural> {
    let Binder::Input { array, index, .. } = input else { return None };
    let index = index.eval(&|x| value(x)).ok()?;
    configuration.host.get(&Cell::new(array.clone(), index)).cloned()
}

/// An unbound variable of a context, reported at the first site of the body.
pub(super) fn unbound(body: &Protocol, error: Unbound) -> MapError {
    let first = body.subterms().find_map(Protocol::site);
    MapError::Unbound(first.unwrap_or_default(), error)
}

/// T7 on one configuration: the instances of `phases`, in order, are the phases of `protocol`,
/// empty ones included.
///
/// Meant for configurations in which the block does not diverge: a divergent block has no phases
/// beyond the divergence, and nothing is compared. A block in which a thread is stuck has the phases
/// up to that one, which are the first of the instances.
///
/// # Errors
/// [`Mismatch`]: the first difference.
pub fn preserves(
    protocol: &Protocol,
    phases: &[ParamPhase],
    configuration: &Configuration,
    limits: &MapLimits,
) -> Result<Lambda, Mismatch> {
    let lambda = evaluate(protocol, configuration, limits)?;
    if matches!(lambda.ending, Ending::Divergence { .. }) {
        return Ok(lambda);
    }
    let mut found = instances(phases, configuration, limits)?;
    if matches!(lambda.ending, Ending::Stuck { .. }) {
        found.truncate(lambda.phases.len());
    }
    if found.len() != lambda.phases.len() {
        return Err(Mismatch::Count { expected: lambda.phases.len(), found: found.len() });
    }
    for (phase, (expected, instance)) in lambda.phases.iter().zip(&found).enumerate() {
        let (expected, found) = (expected.accesses(), instance.accesses.accesses());
        let minus = |a: &BTreeSet<Access>, b: &BTreeSet<Access>| a.difference(b).cloned().collect();
        if expected != found {
            return Err(Mismatch::Phase {
                phase,
                missing: minus(&expected, &found),
                added: minus(&found, &expected),
            });
        }
    }
    Ok(lambda)
}
