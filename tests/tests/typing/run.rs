//! A plain interpreter of programs, from barrier to barrier, which notes what each read yields.
//! It shares nothing with the semantics crate, and decides ambiguous reads somehow: what is
//! tested with it holds for all data.

use babycuda_core::history::{HostMemory, lastwrite};
use babycuda_core::{
    AccessMode, Accesses, Cell, History, LastWrite, Name, Natural, Num, Phase, Program, Site, Stmt,
};
use im::{OrdMap, Vector};
use std::collections::BTreeMap;

/// Loops around a point and the values of their counters, outermost first.
pub type Iteration = Vector<(Site, Natural)>;

/// One access.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Event {
    pub phase: usize,
    pub thread: u64,
    pub site: Site,
    pub mode: AccessMode,
    pub cell: Cell,
}

/// A run of the block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    pub events: Vec<Event>,
    pub phases: usize,
    /// Where the threads stopped at last, `None` at their ends; all the same unless they diverged.
    pub stops: Vec<Option<Site>>,
    /// What each read yielded, by thread, site and iteration.
    pub reads: BTreeMap<(u64, Site, Iteration), Natural>,
}

impl Run {
    pub fn diverged(&self) -> bool {
        self.stops.iter().any(|s| *s != self.stops[0])
    }
}

enum Task<'a> {
    Run(&'a Stmt, Env, Iteration),
    Loop {
        site: Site,
        var: &'a Name,
        next: Natural,
        upper: Natural,
        body: &'a Stmt,
        env: Env,
        iteration: Iteration,
    },
}

type Env = OrdMap<Name, Natural>;

/// Runs `program` on `memory`; `None` after too many steps.
pub fn run(program: &Program, memory: &HostMemory) -> Option<Run> {
    let mut history = History::empty(memory.clone());
    let mut result = Run::default();
    let mut steps = 20_000u32;
    let launch = program.geometry.launch()?;
    let mut threads: Vec<Vec<Task<'_>>> = launch
        .all()
        .map(|thread| {
            let launch = launch.uniform_values().into_iter().chain(launch.thread_values(thread));
            let env = parameters(program).into_iter().chain(launch).collect();
            vec![Task::Run(&program.body, env, Vector::new())]
        })
        .collect();
    loop {
        let mut phase = Phase::default();
        result.stops.clear();
        for (i, tasks) in (0u64..).zip(&mut threads) {
            let mut thread = Thread {
                index: i,
                accesses: Accesses::default(),
                history: &history,
                result: &mut result,
                steps: &mut steps,
            };
            let stop = thread.next_barrier(tasks)?;
            phase.insert(i, thread.accesses);
            result.stops.push(stop);
        }
        result.phases += 1;
        history = history.push(phase);
        if result.diverged() || result.stops[0].is_none() {
            return Some(result);
        }
    }
}

/// The parameters of a program with their values; 0 for those without one.
pub fn parameters(program: &Program) -> BTreeMap<Name, Natural> {
    let params = program.params.iter();
    params.map(|p| (p.name.clone(), p.value.clone().unwrap_or_default())).collect()
}

struct Thread<'a> {
    index: u64,
    accesses: Accesses,
    history: &'a History,
    result: &'a mut Run,
    steps: &'a mut u32,
}

impl Thread<'_> {
    fn event(&mut self, site: Site, mode: AccessMode, cell: &Cell) {
        self.result.events.push(Event {
            phase: self.result.phases,
            thread: self.index,
            site,
            mode,
            cell: cell.clone(),
        });
    }

    fn load(&mut self, site: Site, cell: &Cell, iteration: &Iteration) -> Natural {
        let own = Phase::singleton(self.index, self.accesses.clone());
        let value = match lastwrite(cell, &self.history.push(own)) {
            LastWrite::One(k) => k,
            LastWrite::Several(p) => p.values.first().cloned().unwrap_or_default(),
            LastWrite::Undefined => Natural::zero(),
        };
        let key = (self.index, site, iteration.clone());
        self.result.reads.insert(key, value.clone());
        value
    }

    /// To the next barrier, whose site it gives, or the end; `None` when out of steps.
    fn next_barrier(&mut self, tasks: &mut Vec<Task<'_>>) -> Option<Option<Site>> {
        while let Some(task) = tasks.pop() {
            *self.steps = self.steps.checked_sub(1)?;
            match task {
                Task::Loop { site, var, next, upper, body, env, iteration } => {
                    if next < upper {
                        let mut inside = iteration.clone();
                        inside.push_back((site, next.clone()));
                        let now = Task::Run(body, env.update(var.clone(), next.clone()), inside);
                        tasks.push(Task::Loop {
                            site,
                            var,
                            next: next.successor(),
                            upper,
                            body,
                            env,
                            iteration,
                        });
                        tasks.push(now);
                    }
                }
                Task::Run(Stmt::Sync { site, .. }, ..) => return Some(Some(*site)),
                Task::Run(statement, env, iteration) => {
                    self.step(statement, env, iteration, tasks);
                }
            }
        }
        Some(None)
    }

    fn step<'s>(
        &mut self,
        statement: &'s Stmt,
        env: Env,
        iteration: Iteration,
        tasks: &mut Vec<Task<'s>>,
    ) {
        let value = |n: &Num| n.eval(&|x| env.get(x).cloned()).unwrap();
        let cell = |array: &Name, index: &Num| Cell::new(array.clone(), value(index));
        match statement {
            Stmt::Skip | Stmt::Sync { .. } => {}
            Stmt::Write { site, array, index, payload } => {
                let cell = cell(array, index);
                self.event(*site, AccessMode::Wr, &cell);
                self.accesses = self.accesses.write(cell, value(payload));
            }
            Stmt::Read { site, var, array, index, body } => {
                let cell = cell(array, index);
                self.event(*site, AccessMode::Rd, &cell);
                let k = self.load(*site, &cell, &iteration);
                self.accesses = self.accesses.read(cell);
                tasks.push(Task::Run(body, env.update(var.clone(), k), iteration));
            }
            Stmt::Atomic { site, var, array, index, update, scope, body } => {
                let cell = cell(array, index);
                self.event(*site, AccessMode::At(*scope), &cell);
                let k = self.load(*site, &cell, &iteration);
                let update = babycuda_core::syntax::AtomicUpdate {
                    op: update.op,
                    operand: value(&update.operand),
                    expected: update.expected.as_ref().map(value),
                };
                self.accesses = self.accesses.atomic(cell, *scope, update);
                tasks.push(Task::Run(body, env.update(var.clone(), k), iteration));
            }
            Stmt::Seq(b, c) => {
                tasks.push(Task::Run(c, env.clone(), iteration.clone()));
                tasks.push(Task::Run(b, env, iteration));
            }
            Stmt::If { condition, then, otherwise, .. } => {
                let holds = condition.eval(&|x| env.get(x).cloned()).unwrap();
                let branch = if holds { then } else { otherwise };
                tasks.push(Task::Run(branch, env, iteration));
            }
            Stmt::For { site, var, lower, upper, body, .. } => tasks.push(Task::Loop {
                site: *site,
                var,
                next: value(lower),
                upper: value(upper),
                body,
                env,
                iteration,
            }),
        }
    }
}
