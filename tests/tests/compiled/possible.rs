//! Translations that leave values open: what they allow, and what they insist on, held against
//! what the compiled kernel did.
//!
//! The program is run with unknown values: a branch on one takes both sides, a loop up to one
//! repeats until nothing new is learnt. What happens under such a branch may happen; all else must.
//!
//! A thread goes no further than its first stop. It must have computed an overflow there, and have
//! done until then what the translation says. A translation may leave stops out (THEORY §4): then
//! nothing is said of what comes after the overflow.

use crate::case::Case;
use crate::compare::{Verdict, line};
use crate::log::{Deed, End, Mode, Overflowed, Run};
use babycuda_core::expr::Bool;
use babycuda_core::history::Cell;
use babycuda_core::syntax::{AtomicUpdate, Contents, Scope};
use babycuda_core::{Name, Natural, Num, Program, Site, Stmt, Thread as Position};
use babycuda_semantics::Instance;
use std::collections::{BTreeMap, BTreeSet};

/// A value; `None` is unknown.
type Value = Option<Natural>;

/// What a thread did to a cell in a phase.
#[derive(Clone, Default, Debug)]
struct Possible {
    /// May it be accessed so? And must it?
    modes: BTreeMap<Mode, bool>,
    /// What it wrote last.
    written: Value,
}

/// What a thread did in a phase.
#[derive(Clone, Default, Debug)]
struct Seen {
    cells: BTreeMap<Cell, Possible>,
    /// Accesses at unknown indices.
    anywhere: BTreeSet<(Name, Mode)>,
}

/// What cells hold: those listed, then those of lost arrays, which are unknown.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Memory {
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
enum Task<'p> {
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

struct Thread<'p> {
    tasks: Vec<Task<'p>>,
    env: BTreeMap<Name, Natural>,
    unknown: BTreeSet<Name>,
    /// Around how many uncertain parts are we?
    uncertain: usize,
    own: Memory,
    seen: Seen,
}

/// Why a run cannot go on.
enum Stop {
    /// A barrier below an unknown condition, or too many steps: nothing is said of the rest.
    Open,
    Limit,
    Wrong(String),
}

/// Where a thread comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    End,
    Barrier(Site),
    Stopped(Site),
}

/// What is allowed, and how exact that is.
struct Allowed {
    exact: bool,
    /// The thread that is stuck first: its phase and its number.
    stuck: Option<(usize, u64)>,
}

struct Machine<'p> {
    program: &'p Program,
    instance: &'p Instance,
    unwritten: BTreeSet<Name>,
    shared: Memory,
    steps: usize,
    /// Has everything been known so far?
    exact: bool,
}

/// Compares each block's run with what the program allows. `stuck`: the thread of each block that
/// is stuck first, and its phase, as a run of the program says.
pub fn compare(
    case: &Case,
    instance: &Instance,
    runs: &[Run],
    stuck: Option<&[Option<(usize, u64)>]>,
) -> Verdict {
    let mut exact = true;
    for (block, run) in (0..).zip(runs) {
        let instance = instance.clone().with_block(block);
        let program = instance.program.clone();
        let unwritten = program.unwritten();
        let machine = Machine {
            program: &program,
            instance: &instance,
            unwritten,
            shared: Memory::default(),
            steps: 0,
            exact: true,
        };
        let different =
            |text| Verdict::Different(format!("with unknown values, block {block}, {text}"));
        match machine.compare(case, block, run) {
            Ok(allowed) => {
                let said = stuck.and_then(|stuck| stuck.get(block as usize));
                if said.is_some_and(|said| allowed.exact && *said != allowed.stuck) {
                    return different(format!("{said:?} is stuck, not {:?}", allowed.stuck));
                }
                exact &= allowed.exact;
            }
            Err(Stop::Open) => exact = false,
            Err(Stop::Limit) => return Verdict::Limit,
            Err(Stop::Wrong(text)) => return different(text),
        }
    }
    if exact { Verdict::Equal } else { Verdict::Possible }
}

impl<'p> Machine<'p> {
    fn compare(mut self, case: &Case, block: u64, run: &Run) -> Result<Allowed, Stop> {
        let wrong = |text: String| Err(Stop::Wrong(text));
        let mut threads = self.threads(block);
        for (number, phase) in run.phases.iter().enumerate() {
            let mut places = Vec::new();
            let (mut stuck, mut left_out) = (None, false);
            for (i, thread) in (0u64..).zip(&mut threads) {
                thread.own = Memory::default();
                thread.seen = Seen::default();
                let place = self.run(thread)?;
                places.push(place);
                let overflows: Vec<&Overflowed> = run.overflows_of(number, i).collect();
                let nothing = BTreeMap::new();
                let deeds = phase.get(&i).unwrap_or(&nothing);
                let text = match (place, &overflows[..]) {
                    (Place::Stopped(site), _) => {
                        stuck = stuck.or(Some((number, i)));
                        self.stop_difference(case, thread, site, &overflows)
                    }
                    (_, [first, ..]) => {
                        left_out = true;
                        if std::env::var_os("LEFT").is_some() {
                            println!(
                                "LEFT OUT seed {} line {} thread {i} phase {number} block {block}",
                                case.seed, first.line
                            );
                        }
                        may_not(&thread.seen, &first.deeds)
                    }
                    (_, []) => difference(case, &thread.seen, deeds),
                };
                if let Some(text) = text {
                    return wrong(format!("phase {number}, thread {i}, {text}"));
                }
            }
            let exact = self.exact && !left_out;
            if stuck.is_some() || left_out {
                return Ok(Allowed { exact, stuck });
            }
            self.merge(&threads);
            let last = number + 1 == run.phases.len();
            let other = places.iter().position(|p| *p != places[0]);
            let end = match other {
                Some(i) => End::Diverged {
                    line: self.line(places[0]),
                    other: i as u64,
                    other_line: self.line(places[i]),
                },
                None if places[0] == Place::End => End::Done,
                None => continue,
            };
            if !last || end != run.end {
                return wrong(format!("phase {number}: it ends {end:?}, not {:?}", run.end));
            }
            return Ok(Allowed { exact, stuck });
        }
        match run.end {
            End::Ambiguous | End::Fuel => Ok(Allowed { exact: false, stuck: None }),
            _ => wrong("it goes on".to_owned()),
        }
    }

    fn threads(&self, block: u64) -> Vec<Thread<'p>> {
        let launch = self.instance.block.launch;
        let thread = |index| {
            let mut env = self.instance.parameters.clone();
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

    /// The line of a barrier; 0 for the end.
    fn line(&self, place: Place) -> u32 {
        match place {
            Place::End => 0,
            Place::Barrier(site) | Place::Stopped(site) => line(self.program, Some(site)),
        }
    }

    /// Does none of the thread's overflows explain that it stops at `site`?
    fn stop_difference(
        &self,
        case: &Case,
        thread: &Thread<'_>,
        site: Site,
        overflows: &[&Overflowed],
    ) -> Option<String> {
        let line = line(self.program, Some(site));
        let mut why = format!("it stops in line {line}, and computes no overflow");
        for overflow in overflows {
            if overflow.line != 0 && overflow.line != line {
                why = format!("it stops in line {line}, not in line {}", overflow.line);
                continue;
            }
            match difference(case, &thread.seen, &overflow.deeds) {
                None => return None,
                Some(text) => why = format!("before it stops in line {line}: {text}"),
            }
        }
        Some(why)
    }

    /// Runs a thread to its next barrier or its end.
    fn run(&mut self, t: &mut Thread<'p>) -> Result<Place, Stop> {
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
            Stmt::Sync { site } if t.uncertain == 0 => return Ok(Some(Place::Barrier(*site))),
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
                let value = match index {
                    _ if opaque == Some(&Contents::Opaque) => {
                        self.exact = false;
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
        own.unwrap_or_else(|| self.instance.host.get(cell).cloned())
    }

    /// The end of a phase.
    fn merge(&mut self, threads: &[Thread<'p>]) {
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

/// What a thread did to cells.
type Deeds = BTreeMap<crate::log::Cell, Deed>;

/// The first access that is not allowed.
fn may_not(seen: &Seen, deeds: &Deeds) -> Option<String> {
    let accesses = deeds.iter().flat_map(|(cell, deed)| deed.modes().map(move |m| (cell, m)));
    accesses.into_iter().find_map(|((array, index), mode)| {
        let cell = Cell::new(array.as_str(), *index);
        let listed = seen.cells.get(&cell).is_some_and(|p| p.modes.contains_key(&mode));
        let allowed = listed || seen.anywhere.contains(&(cell.array.clone(), mode));
        (!allowed).then(|| format!("it may not access {cell}: {mode:?}"))
    })
}

/// Is what a thread did in a phase allowed, and all that it had to do?
fn difference(case: &Case, seen: &Seen, deeds: &Deeds) -> Option<String> {
    if let Some(text) = may_not(seen, deeds) {
        return Some(text);
    }
    for ((array, index), deed) in deeds {
        let cell = Cell::new(array.as_str(), *index);
        let possible = seen.cells.get(&cell);
        let must = possible
            .and_then(|p| p.written.as_ref())
            .filter(|_| possible.is_some_and(|p| p.modes.get(&Mode::Write) == Some(&true)));
        if let (Some(must), Some(written)) = (must, deed.written)
            && must.to_u64() != Some(written)
        {
            return Some(format!("it writes {written} to {cell}, not {must}"));
        }
    }
    for (cell, possible) in &seen.cells {
        if case.is_constant(cell.array.as_str()) {
            continue;
        }
        let index = cell.index.to_u64()?;
        let deed = deeds.get(&(cell.array.to_string(), index));
        for (mode, must) in &possible.modes {
            let did = deed.is_some_and(|d| d.modes().any(|m| m == *mode));
            if *must && !did {
                return Some(format!("it must access {cell}: {mode:?}"));
            }
        }
    }
    None
}
