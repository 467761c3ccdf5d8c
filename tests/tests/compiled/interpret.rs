//! Runs a translation with unknown values, thread by thread.

use crate::log::Mode;
use crate::seen::{Seen, Value};
use babycuda_core::expr::Bool;
use babycuda_core::history::Cell;
use babycuda_core::syntax::{AtomicUpdate, BarrierScope, Contents, Scope};
use babycuda_core::{Name, Natural, Num, Program, Site, Stmt, Thread as Position};
use babycuda_semantics::Instance;
use std::collections::{BTreeMap, BTreeSet};

/// What cells hold: those listed, then those of lost arrays, which are unknown.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Memory {
    cells: BTreeMap<Cell, Value>,
    lost: BTreeSet<Name>,
}

impl Memory {
    fn get(&self, cell: &Cell) -> Option<Value> {
        let lost = || self.lost.contains(&cell.array).then_some(None);
        self.cells.get(cell).cloned().or_else(lost)
    }

    fn lose(&mut self, array: &Name) {
        self.cells.retain(|cell, _| cell.array != *array);
        self.lost.insert(array.clone());
    }
}

/// What is left to do, the next last.
#[derive(Clone, Debug)]
pub enum Task<'p> {
    Run(&'p Stmt),
    /// A loop whose variable is next to have this value.
    Loop {
        var: &'p Name,
        next: Natural,
        end: Natural,
        body: &'p Stmt,
    },
    /// A loop of unknown bounds, and what was known before its body.
    Again {
        body: &'p Stmt,
        before: Memory,
        rounds: usize,
    },
    /// Here an uncertain part ends.
    Certain,
}

pub struct Thread<'p> {
    tasks: Vec<Task<'p>>,
    env: BTreeMap<Name, Natural>,
    unknown: BTreeSet<Name>,
    /// Around how many uncertain parts are we?
    uncertain: usize,
    pub own: Memory,
    pub seen: Seen,
}

/// Why a run cannot go on.
pub enum Stop {
    /// A barrier below an unknown condition, or too many steps: nothing is said of the rest.
    Open,
    Limit,
    Wrong(String),
}

/// Where a thread comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    End,
    Barrier(Site),
    Stopped(Site),
}

pub struct Machine<'p> {
    pub program: &'p Program,
    pub instance: &'p Instance,
    pub unwritten: BTreeSet<Name>,
    pub shared: Memory,
    pub steps: usize,
    /// Has everything been known so far?
    pub exact: bool,
}

impl<'p> Machine<'p> {
    pub fn threads(&self, block: u64) -> Vec<Thread<'p>> {
        let launch = self.instance.configuration.launch;
        let thread = |index| {
            let mut env = self.instance.configuration.parameters.clone();
            env.extend(launch.uniform_values());
            env.extend(launch.thread_values(Position { block, index }));
            Thread {
                tasks: vec![Task::Run(&self.program.body)],
                env,
                unknown: BTreeSet::new(),
                uncertain: 0,
                own: Memory::default(),
                seen: Seen::default(),
            }
        };
        (0..launch.block.count()).map(thread).collect()
    }

    /// Runs a thread to its next barrier or its end.
    pub fn run(&mut self, t: &mut Thread<'p>) -> Result<Place, Stop> {
        while let Some(task) = t.tasks.pop() {
            self.steps += 1;
            if self.steps > 400_000 {
                return Err(Stop::Limit);
            }
            match task {
                Task::Certain => t.uncertain -= 1,
                Task::Loop { var, next, end, body } => {
                    if next < end {
                        t.set(var, Some(next.clone()));
                        t.tasks.push(Task::Loop { var, next: next.successor(), end, body });
                        t.tasks.push(Task::Run(body));
                    }
                }
                Task::Again { body, before, rounds } => {
                    if before != t.own {
                        if rounds > 40 {
                            return Err(Stop::Limit);
                        }
                        let before = t.own.clone();
                        t.tasks.push(Task::Again { body, before, rounds: rounds + 1 });
                        t.tasks.push(Task::Run(body));
                    } else {
                        t.uncertain -= 1;
                    }
                }
                Task::Run(statement) => {
                    if let Some(place) = self.statement(t, statement)? {
                        return Ok(place);
                    }
                }
            }
        }
        Ok(Place::End)
    }

    /// One statement; the place where the thread pauses or ends.
    fn statement(&mut self, t: &mut Thread<'p>, b: &'p Stmt) -> Result<Option<Place>, Stop> {
        match b {
            Stmt::Skip => {}
            Stmt::Seq(b, c) => t.tasks.extend([Task::Run(c), Task::Run(b)]),
            // What a barrier of a part of the block lets its threads see decides nothing here.
            Stmt::Sync { scope: BarrierScope::Tile(_) | BarrierScope::Warp, .. }
                if t.uncertain == 0 => {}
            Stmt::Sync { site, .. } if t.uncertain == 0 => return Ok(Some(Place::Barrier(*site))),
            Stmt::Sync { .. } => return Err(Stop::Open),
            Stmt::Write { array, index, payload, .. } => {
                let (index, payload) = (t.num(index)?, t.num(payload)?);
                self.write(t, array, index, payload);
            }
            Stmt::Read { site, array, .. } if self.unwritten.contains(array) => {
                if t.uncertain == 0 {
                    t.tasks.clear();
                    return Ok(Some(Place::Stopped(*site)));
                }
                // Whatever follows is uncertain: no task says where that ends.
                t.uncertain += 1;
            }
            Stmt::Read { var, array, index, body, .. } => {
                let index = t.num(index)?;
                let opaque = self.program.array(array).map(|a| &a.contents);
                let opaque = opaque == Some(&Contents::Opaque);
                self.exact &= !opaque;
                let value = match index {
                    // What stands for values that are not known, and is no memory.
                    _ if opaque && array.as_str().starts_with("unknown") => None,
                    Some(index) if opaque => {
                        t.access(&Cell { array: array.clone(), index }, Mode::Read);
                        None
                    }
                    Some(index) => {
                        let cell = Cell { array: array.clone(), index };
                        t.access(&cell, Mode::Read);
                        self.view(t, &cell)
                    }
                    None => {
                        t.seen.anywhere.insert((array.clone(), Mode::Read));
                        None
                    }
                };
                t.set(var, value);
                t.tasks.push(Task::Run(body));
            }
            Stmt::Atomic { var, array, index, update, scope, body, .. } => {
                let index = t.num(index)?;
                let operand = t.num(&update.operand)?;
                let expected = update.expected.as_ref().map(|e| t.num(e)).transpose()?;
                let known = match (operand, expected) {
                    (Some(operand), None) => Some((operand, None)),
                    (Some(operand), Some(Some(expected))) => Some((operand, Some(expected))),
                    _ => None,
                };
                let known = known.map(|(operand, expected)| AtomicUpdate {
                    op: update.op,
                    operand,
                    expected,
                });
                let mode = if *scope == Scope::Block { Mode::AtomicBlock } else { Mode::Atomic };
                let old = match index {
                    Some(index) => {
                        let cell = Cell { array: array.clone(), index };
                        t.access(&cell, mode);
                        let old = self.view(t, &cell);
                        let new = match (&old, known) {
                            (Some(old), Some(update)) => Some(update.apply(old)),
                            _ => None,
                        };
                        self.put(t, cell, new);
                        old
                    }
                    None => {
                        t.seen.anywhere.insert((array.clone(), mode));
                        t.own.lose(array);
                        None
                    }
                };
                t.set(var, old);
                t.tasks.push(Task::Run(body));
            }
            Stmt::If { condition, then, otherwise, .. } => match t.bool(condition)? {
                Some(true) => t.tasks.push(Task::Run(then)),
                Some(false) => t.tasks.push(Task::Run(otherwise)),
                None => {
                    t.uncertain += 1;
                    t.tasks.extend([Task::Certain, Task::Run(otherwise), Task::Run(then)]);
                }
            },
            Stmt::For { var, lower, upper, body, .. } => match (t.num(lower)?, t.num(upper)?) {
                (Some(next), Some(end)) => t.tasks.push(Task::Loop { var, next, end, body }),
                _ => {
                    t.set(var, None);
                    t.uncertain += 1;
                    let before = t.own.clone();
                    t.tasks.extend([Task::Again { body, before, rounds: 0 }, Task::Run(body)]);
                }
            },
        }
        Ok(None)
    }

    fn write(&mut self, t: &mut Thread<'p>, array: &Name, index: Value, payload: Value) {
        let Some(index) = index else {
            t.seen.anywhere.insert((array.clone(), Mode::Write));
            t.own.lose(array);
            for (cell, possible) in &mut t.seen.cells {
                if cell.array == *array {
                    possible.written = None;
                }
            }
            return;
        };
        let cell = Cell { array: array.clone(), index };
        t.access(&cell, Mode::Write);
        let uncertain = t.uncertain > 0;
        if let Some(possible) = t.seen.cells.get_mut(&cell) {
            let same = possible.written == payload;
            possible.written = if uncertain && !same { None } else { payload.clone() };
        }
        self.put(t, cell, payload);
    }

    /// Gives the cell a value, as far as it is certain.
    fn put(&self, t: &mut Thread<'p>, cell: Cell, value: Value) {
        let value = match t.uncertain {
            0 => value,
            _ if self.view(t, &cell) == value => value,
            _ => None,
        };
        t.own.cells.insert(cell, value);
    }

    fn view(&self, t: &Thread<'p>, cell: &Cell) -> Value {
        let own = t.own.get(cell).or_else(|| self.shared.get(cell));
        own.unwrap_or_else(|| self.instance.host().get(cell).cloned())
    }

    /// The end of a phase.
    pub fn merge(&mut self, threads: &[Thread<'p>]) {
        let lost: BTreeSet<&Name> = threads.iter().flat_map(|t| &t.own.lost).collect();
        let mut next: BTreeMap<&Cell, Vec<(&Thread<'p>, &Value)>> = BTreeMap::new();
        for t in threads {
            for (cell, value) in &t.own.cells {
                next.entry(cell).or_default().push((t, value));
            }
        }
        for array in &lost {
            self.shared.lose(array);
        }
        for (cell, values) in next {
            let plain = |t: &Thread<'p>| {
                let modes = t.seen.cells.get(cell).map(|p| &p.modes);
                modes.is_some_and(|m| {
                    m.get(&Mode::Write) == Some(&true) && m.keys().max() <= Some(&Mode::Write)
                })
            };
            let value = match values[..] {
                _ if lost.contains(&cell.array) => continue,
                [(_, value)] => value.clone(),
                _ if values.iter().all(|(t, v)| plain(t) && **v == *values[0].1) => {
                    values[0].1.clone()
                }
                _ => None,
            };
            self.shared.cells.insert(cell.clone(), value);
        }
    }
}

impl Thread<'_> {
    fn set(&mut self, var: &Name, value: Value) {
        match value {
            Some(value) => {
                self.unknown.remove(var);
                self.env.insert(var.clone(), value);
            }
            None => {
                self.env.remove(var);
                self.unknown.insert(var.clone());
            }
        }
    }

    fn num(&self, n: &Num) -> Result<Value, Stop> {
        match n.eval(&|x| self.env.get(x).cloned()) {
            Ok(value) => Ok(Some(value)),
            Err(unbound) if self.unknown.contains(&unbound.0) => Ok(None),
            Err(unbound) => Err(Stop::Wrong(format!("`{}` is unbound", unbound.0))),
        }
    }

    fn bool(&self, c: &Bool) -> Result<Option<bool>, Stop> {
        match c.eval(&|x| self.env.get(x).cloned()) {
            Ok(value) => Ok(Some(value)),
            Err(unbound) if self.unknown.contains(&unbound.0) => Ok(None),
            Err(unbound) => Err(Stop::Wrong(format!("`{}` is unbound", unbound.0))),
        }
    }

    fn access(&mut self, cell: &Cell, mode: Mode) {
        let certain = self.uncertain == 0;
        let possible = self.seen.cells.entry(cell.clone()).or_default();
        *possible.modes.entry(mode).or_default() |= certain;
    }
}
