//! Whether the obligations of a split are met in one configuration.

use super::check::{stored, unbound};
use super::{Binder, Decision, Obligation};
use crate::map::{MapError, MapLimits};
use babycuda_core::expr::Unbound;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Bool, Configuration, Name, Natural, Num, Protocol};

/// Do all threads of the block decide alike wherever an obligation of the split stands?
///
/// Where this holds, the split is right in `configuration`: the block does not diverge, and the
/// instances of the parametrised phases are its phases (THEORY §5, T7).
///
/// # Errors
/// [`MapError::Unbound`], [`MapError::Any`], and [`MapError::Steps`] after `limits.steps`
/// evaluations of a context by a thread.
pub fn are_met(
    obligations: &[Obligation],
    configuration: &Configuration,
    limits: &MapLimits,
) -> Result<bool, MapError> {
    let threads: Vec<u64> = (0..configuration.launch.block.count()).collect();
    let mut steps = limits.steps;
    for obligation in obligations {
        let mut walk = Walk {
            configuration,
            obligation,
            limits,
            steps: &mut steps,
            counters: Vec::new(),
            inputs: Vec::new(),
        };
        if !walk.visit(&obligation.context, &threads)? {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Walk<'a> {
    configuration: &'a Configuration,
    obligation: &'a Obligation,
    limits: &'a MapLimits,
    steps: &'a mut u64,
    /// The synchronized counters, which all threads share.
    counters: Vec<(Name, Natural)>,
    inputs: Vec<&'a Binder>,
}

impl<'a> Walk<'a> {
    fn value(&self, x: &Name, thread: u64) -> Option<Natural> {
        let counter = self.counters.iter().rev().find(|(counter, _)| counter == x);
        match (counter, self.inputs.iter().find(|b| b.var() == Some(x))) {
            (Some((_, value)), _) => Some(value.clone()),
            (None, Some(input)) => stored(input, self.configuration, &|y| self.value(y, thread)),
            (None, None) => self.configuration.value_of(x, thread),
        }
    }

    fn error(&self, error: Unbound) -> MapError {
        // The site of the decision stands for that of its context.
        unbound(&Protocol::Sync { site: self.obligation.site, scope: BarrierScope::Block }, error)
    }

    fn num(&self, n: &Num, thread: u64) -> Result<Natural, MapError> {
        n.eval(&|x| self.value(x, thread)).map_err(|e| self.error(e))
    }

    fn bool(&self, c: &Bool, thread: u64) -> Result<bool, MapError> {
        c.eval(&|x| self.value(x, thread)).map_err(|e| self.error(e))
    }

    /// Do the threads that come here, in each instance of the context, decide alike?
    fn visit(&mut self, context: &'a [Binder], threads: &[u64]) -> Result<bool, MapError> {
        let Some(steps) = self.steps.checked_sub(1 + threads.len() as u64) else {
            return Err(MapError::Steps(self.limits.steps));
        };
        *self.steps = steps;
        let Some((binder, rest)) = context.split_first() else {
            return self.alike(threads);
        };
        match binder {
            Binder::At(_) => self.visit(rest, threads),
            Binder::If(condition) => {
                let mut inside = Vec::new();
                for thread in threads {
                    if self.bool(condition, *thread)? {
                        inside.push(*thread);
                    }
                }
                self.visit(rest, &inside)
            }
            Binder::For { var, lower, upper, .. } => {
                let mut bounds = Vec::new();
                for thread in threads {
                    bounds.push((*thread, self.num(lower, *thread)?, self.num(upper, *thread)?));
                }
                let Some(mut next) = bounds.iter().map(|(_, lower, _)| lower).min().cloned() else {
                    return Ok(true);
                };
                while bounds.iter().any(|(_, _, upper)| next < *upper) {
                    let inside = |(_, lower, upper): &&(u64, Natural, Natural)| {
                        *lower <= next && next < *upper
                    };
                    let running: Vec<u64> =
                        bounds.iter().filter(inside).map(|(thread, ..)| *thread).collect();
                    self.counters.push((var.clone(), next.clone()));
                    let alike = self.visit(rest, &running)?;
                    self.counters.pop();
                    if !alike {
                        return Ok(false);
                    }
                    next = next.successor();
                }
                Ok(true)
            }
            Binder::Input { .. } => {
                self.inputs.push(binder);
                let alike = self.visit(rest, threads);
                self.inputs.pop();
                alike
            }
            Binder::Any { site, var, .. } => Err(MapError::Any { site: *site, var: var.clone() }),
        }
    }

    fn alike(&self, threads: &[u64]) -> Result<bool, MapError> {
        match &self.obligation.decision {
            Decision::Branch { condition, then_syncs, otherwise_syncs } => {
                let (mut sides, mut syncs) = ([false; 2], false);
                for thread in threads {
                    let then = self.bool(condition, *thread)?;
                    sides[usize::from(then)] = true;
                    syncs |= self.bool(if then { then_syncs } else { otherwise_syncs }, *thread)?;
                }
                Ok(sides != [true; 2] || !syncs)
            }
            Decision::Count { count } => {
                let mut counts = Vec::new();
                for thread in threads {
                    counts.push(self.num(count, *thread)?);
                }
                Ok(counts.windows(2).all(|two| two[0] == two[1]))
            }
        }
    }
}
