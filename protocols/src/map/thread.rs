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
#[derive(Clone, Debug)]
pub(super) struct Residual<'p> {
    tasks: Vec<Task<'p>>,
    /// What stands for the variables, the innermost last.
    values: Vec<(&'p Name, Natural)>,
}

/// A task, with how many of the values are those of its variables: tasks that come later have no more.
#[derive(Clone, Debug)]
struct Task<'p> {
    kind: TaskKind<'p>,
    iteration: Vector<Counter>,
    values: usize,
}

#[derive(Clone, Debug)]
enum TaskKind<'p> {
    Run(&'p Protocol),
    /// `for x in next..upper {body}`
    Loop {
        site: Site,
        var: &'p Name,
        next: Natural,
        upper: Natural,
        body: &'p Protocol,
    },
}

impl<'p> Residual<'p> {
    /// All of `protocol`, whose free variables have these values.
    pub(super) fn start(protocol: &'p Protocol, values: Vec<(&'p Name, Natural)>) -> Residual<'p> {
        let kind = TaskKind::Run(protocol);
        let task = Task { kind, iteration: Vector::new(), values: values.len() };
        Residual { tasks: vec![task], values }
    }
}

/// Where a thread stopped.
#[derive(Clone, Debug)]
pub(super) enum Halt<'p> {
    /// At its end.
    Done,
    /// At a barrier, with what is left to do after it.
    Barrier(Site, BarrierScope, Residual<'p>),
    /// At a read of an array that no one can have written, or of an input where the host stored
    /// nothing: it goes no further.
    Stuck(Site),
}

impl Halt<'_> {
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
pub(super) fn run_thread<'p>(
    thread: u64,
    start: Residual<'p>,
    at: &Configuration,
    oracle: &mut dyn Oracle,
    limits: &MapLimits,
    steps: &mut u64,
    sink: &mut dyn FnMut(AccessEvent),
) -> Result<Halt<'p>, MapError> {
    let Residual { mut tasks, mut values } = start;
    while let Some(Task { kind, iteration, values: own }) = tasks.pop() {
        *steps = steps.checked_sub(1).ok_or(MapError::Steps(limits.steps))?;
        values.truncate(own);
        let (protocol, iteration) = match kind {
            TaskKind::Run(protocol) => (protocol, iteration),
            TaskKind::Loop { site, var, next, upper, body } => {
                // map/for-1
                if next >= upper {
                    continue;
                }
                // map/for-2
                let mut inside = iteration.clone();
                inside.push_back(Counter { site, var: var.clone(), value: next.clone() });
                values.push((var, next.clone()));
                let next = next.successor();
                let kind = TaskKind::Loop { site, var, next, upper, body };
                tasks.push(Task { kind, iteration, values: own });
                (body, inside)
            }
        };
        let inner = values.len();
        let run = |protocol: &'p Arc<Protocol>, iteration| Task {
            kind: TaskKind::Run(protocol),
            iteration,
            values: inner,
        };
        match protocol {
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
                cell: Cell { array: array.clone(), index: number(*site, index, &values)? },
                iteration,
                stage: 0,
            }),
            // map/seq
            Protocol::Seq(p, q) => {
                tasks.push(run(q, iteration.clone()));
                tasks.push(run(p, iteration));
            }
            // map/if-t, map/if-f
            Protocol::If { site, condition, then, otherwise } => {
                let holds = condition.eval(&|x| value_of(x, &values));
                let holds = holds.map_err(|error| MapError::Unbound(*site, error))?;
                tasks.push(run(if holds { then } else { otherwise }, iteration));
            }
            Protocol::For { site, var, lower, upper, body, .. } => {
                let (site, next) = (*site, number(*site, lower, &values)?);
                let upper = number(site, upper, &values)?;
                let kind = TaskKind::Loop { site, var, next, upper, body };
                tasks.push(Task { kind, iteration, values: inner });
            }
            // map/sync
            Protocol::Sync { site, scope } => {
                return Ok(Halt::Barrier(*site, *scope, Residual { tasks, values }));
            }
            // map/input
            Protocol::Input { site, var, array, index, body } => {
                let index = number(*site, index, &values)?;
                let unknown = || MapError::Input { site: *site, array: array.clone() };
                let contents = at.host.array(array).ok_or_else(unknown)?;
                // No rule: the thread is stuck.
                let Some(value) = contents.get(&index) else { return Ok(Halt::Stuck(*site)) };
                values.push((var, value.clone()));
                tasks.push(Task { values: inner + 1, ..run(body, iteration) });
            }
            // map/any
            Protocol::Any { site, var, domain, body } => {
                let value = oracle
                    .choose(thread, *site, var, *domain, &iteration)
                    .ok_or_else(|| MapError::Any { site: *site, var: var.clone() })?;
                values.push((var, value));
                tasks.push(Task { values: inner + 1, ..run(body, iteration) });
            }
        }
    }
    Ok(Halt::Done)
}

fn value_of(x: &Name, values: &[(&Name, Natural)]) -> Option<Natural> {
    values.iter().rev().find(|(own, _)| *own == x).map(|(_, value)| value.clone())
}

fn number(site: Site, n: &Num, values: &[(&Name, Natural)]) -> Result<Natural, MapError> {
    n.eval(&|x| value_of(x, values)).map_err(|error| MapError::Unbound(site, error))
}
