//! One thread of a protocol, to its next barrier.

use babycuda_core::evidence::Counter;
use babycuda_core::expr::Unbound;
use babycuda_core::machine::IntType;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{AccessMode, Cell, Configuration, Name, Natural, Num, Protocol, Site};
use im::Vector;
use std::sync::Arc;

/// An access value `i:o[j]` with its evidence: which statement, in which iteration.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AccessEvent {
    /// The thread `i`.
    pub thread: u64,
    /// The access' statement.
    pub site: Site,
    /// The mode `o`.
    pub mode: AccessMode,
    /// The cell `j`.
    pub cell: Cell,
    /// The counters of the loops around it, outermost first.
    pub iteration: Vector<Counter>,
    /// How many barriers of narrower scopes than the block threads had passed in the phase when
    /// the thread went on to its next barrier with this access: those from here on come after it.
    pub stage: usize,
}

/// Why a protocol has no Λ that this implementation can give.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// A variable without a value.
    #[error("{1}, at {0}")]
    Unbound(Site, Unbound),
    /// `any x` stands for all values of `x`, which are not enumerated.
    #[error("the value of `{var}` is data, read at {site}")]
    Any {
        /// The read.
        site: Site,
        /// The variable.
        var: Name,
    },
    /// A read-only input of which [`Configuration::host`] says nothing.
    #[error("what the host stored in `{array}`, read at {site}, is not given")]
    Input {
        /// The read.
        site: Site,
        /// The array.
        array: Name,
    },
    /// A barrier of another scope than a block, where only those are understood.
    #[error("`sync.{scope}` at {site}: only barriers of blocks are understood here")]
    Scope {
        /// The barrier.
        site: Site,
        /// Its scope.
        scope: BarrierScope,
    },
    /// More steps than allowed.
    #[error("more than {0} steps")]
    Steps(u64),
    /// More threads than allowed.
    #[error("{threads} threads, but at most {limit} are allowed")]
    Threads {
        /// How many there are.
        threads: u64,
        /// How many may be.
        limit: u64,
    },
}

/// How much work an evaluation may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MapLimits {
    /// Rule applications, over all threads.
    pub steps: u64,
    /// Threads.
    pub threads: u64,
}

impl Default for MapLimits {
    fn default() -> MapLimits {
        MapLimits { steps: 10_000_000, threads: 1 << 20 }
    }
}

/// Chooses the values of `any`.
pub trait Oracle {
    /// The value of `var`, read at `site` by `thread` in the given iteration; `None`: no choice.
    fn choose(
        &mut self,
        thread: u64,
        site: Site,
        var: &Name,
        domain: Option<IntType>,
        iteration: &Vector<Counter>,
    ) -> Option<Natural>;
}

/// The oracle that never chooses: a protocol with `any` is an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoOracle;

impl Oracle for NoOracle {
    fn choose(
        &mut self,
        _: u64,
        _: Site,
        _: &Name,
        _: Option<IntType>,
        _: &Vector<Counter>,
    ) -> Option<Natural> {
        None
    }
}

/// What a thread still has to do: the tasks after the current one, the next one last.
#[derive(Clone, Debug, Default)]
pub(super) struct Residual {
    tasks: Vec<Task>,
}

#[derive(Clone, Debug)]
enum Task {
    Run(Arc<Protocol>, Vector<Counter>),
    /// `for x in next..upper {body}`
    Loop {
        site: Site,
        var: Name,
        next: Natural,
        upper: Natural,
        body: Arc<Protocol>,
        iteration: Vector<Counter>,
    },
}

impl Residual {
    /// All of `protocol`, closed.
    pub(super) fn start(protocol: Protocol) -> Residual {
        Residual { tasks: vec![Task::Run(Arc::new(protocol), Vector::new())] }
    }
}

/// Where a thread stopped.
#[derive(Clone, Debug)]
pub(super) enum Halt {
    /// At its end.
    Done,
    /// At a barrier, with what is left to do after it.
    Barrier(Site, BarrierScope, Residual),
    /// At a read of an array that no one can have written, or of an input where the host stored
    /// nothing: it goes no further.
    Stuck(Site),
}

impl Halt {
    /// The barrier; `None` at the end, or where the thread is stuck.
    pub(super) fn barrier(&self) -> Option<(BarrierScope, Site)> {
        match self {
            Halt::Done | Halt::Stuck(_) => None,
            Halt::Barrier(site, scope, _) => Some((*scope, *site)),
        }
    }
}

/// Runs one thread from `start` to its next barrier, its end, or where it is stuck, and hands each
/// access before that to `sink`. `at` has the contents of inputs, and the stops.
///
/// `steps` is what is left of the step limit.
///
/// # Errors
/// [`MapError`]: an unbound variable, an `any` for which `oracle` has no value, an input without
/// contents, or no steps left.
pub(super) fn run_thread(
    thread: u64,
    start: Residual,
    at: &Configuration,
    oracle: &mut dyn Oracle,
    limits: &MapLimits,
    steps: &mut u64,
    sink: &mut dyn FnMut(AccessEvent),
) -> Result<Halt, MapError> {
    let mut tasks = start.tasks;
    while let Some(task) = tasks.pop() {
        *steps = steps.checked_sub(1).ok_or(MapError::Steps(limits.steps))?;
        let (protocol, iteration) = match task {
            Task::Run(protocol, iteration) => (protocol, iteration),
            Task::Loop { site, var, next, upper, body, iteration } => {
                // map/for-1
                if next >= upper {
                    continue;
                }
                // map/for-2
                let mut inside = iteration.clone();
                inside.push_back(Counter { site, var: var.clone(), value: next.clone() });
                let now = Arc::new(body.subst_value(&var, &next));
                tasks.push(Task::Loop {
                    site,
                    var,
                    next: next.successor(),
                    upper,
                    body,
                    iteration,
                });
                (now, inside)
            }
        };
        match &*protocol {
            // map/skip
            Protocol::Skip => {}
            // No rule: the thread is stuck.
            Protocol::Access { site, mode: AccessMode::Rd, array, .. }
                if at.stops.contains(array) =>
            {
                return Ok(Halt::Stuck(*site));
            }
            // map/access
            Protocol::Access { site, mode, array, index } => sink(AccessEvent {
                thread,
                site: *site,
                mode: *mode,
                cell: Cell { array: array.clone(), index: closed(*site, index)? },
                iteration,
                stage: 0,
            }),
            // map/seq
            Protocol::Seq(p, q) => {
                tasks.push(Task::Run(q.clone(), iteration.clone()));
                tasks.push(Task::Run(p.clone(), iteration));
            }
            // map/if-t, map/if-f
            Protocol::If { site, condition, then, otherwise } => {
                let holds = condition.value().map_err(|error| MapError::Unbound(*site, error))?;
                let branch = if holds { then } else { otherwise };
                tasks.push(Task::Run(branch.clone(), iteration));
            }
            Protocol::For { site, var, lower, upper, body, .. } => tasks.push(Task::Loop {
                site: *site,
                var: var.clone(),
                next: closed(*site, lower)?,
                upper: closed(*site, upper)?,
                body: body.clone(),
                iteration,
            }),
            // map/sync
            Protocol::Sync { site, scope } => {
                return Ok(Halt::Barrier(*site, *scope, Residual { tasks }));
            }
            // map/input
            Protocol::Input { site, var, array, index, body } => {
                let index = closed(*site, index)?;
                let unknown = || MapError::Input { site: *site, array: array.clone() };
                let contents = at.host.array(array).ok_or_else(unknown)?;
                match contents.get(&index) {
                    Some(value) => {
                        let body = Arc::new(body.subst_value(var, value));
                        tasks.push(Task::Run(body, iteration));
                    }
                    // No rule: the thread is stuck.
                    None => return Ok(Halt::Stuck(*site)),
                }
            }
            // map/any
            Protocol::Any { site, var, domain, body } => {
                let value = oracle
                    .choose(thread, *site, var, *domain, &iteration)
                    .ok_or_else(|| MapError::Any { site: *site, var: var.clone() })?;
                tasks.push(Task::Run(Arc::new(body.subst_value(var, &value)), iteration));
            }
        }
    }
    Ok(Halt::Done)
}

fn closed(site: Site, n: &Num) -> Result<Natural, MapError> {
    n.value().map_err(|error| MapError::Unbound(site, error))
}
