//! A small interpreter for concrete launches, which the tests compare with what is known of
//! kernels. It shares no code with the reference semantics: it only lists accesses.
#![allow(dead_code)] // each test file uses a part

use babycuda_core::syntax::{Contents, Domain, Space};
use babycuda_core::{Dim3, Launch, Name, Natural, Num, Program, Settings, Site, Stmt, Thread};
use babycuda_frontend::{Options, Translation, parse_cuda};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// How a cell is accessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mode {
    Read,
    Write,
    Atomic,
}

/// What a thread does, in order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Event {
    Access { site: Site, mode: Mode, array: Name, index: u64 },
    Sync(Site),
}

/// A thread's run: its events, and whether an unknown value or array contents were read.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub events: Vec<Event>,
    pub unknown: bool,
    /// It read what no one can have written, and went no further.
    pub stuck: bool,
    steps: usize,
}

/// More steps than this end a run.
const MAX_STEPS: usize = 2_000_000;

pub struct Machine<'p> {
    program: &'p Program,
    launch: Launch,
    params: BTreeMap<Name, Natural>,
    unwritten: BTreeSet<Name>,
    inputs: BTreeSet<Name>,
    /// What read-only inputs hold: numbers below 8 drawn from this one; 0: zeros.
    contents: u64,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, launch: Launch) -> Self {
        let params = program
            .params
            .iter()
            .filter_map(|p| Some((p.name.clone(), p.value.clone()?)))
            .collect();
        let (unwritten, inputs) = (program.unwritten(), program.inputs());
        Machine { program, launch, params, unwritten, inputs, contents: 0 }
    }

    pub fn with(mut self, param: &str, value: u64) -> Self {
        self.params.insert(Name::new(param), Natural::from(value));
        self
    }

    pub fn run(&self, thread: Thread) -> Run {
        let mut env = self.params.clone();
        env.extend(self.launch.uniform_values());
        env.extend(self.launch.thread_values(thread));
        let mut run = Run::default();
        self.statement(&self.program.body, &mut env, &mut run);
        run
    }

    fn num(&self, n: &Num, env: &BTreeMap<Name, Natural>) -> Natural {
        n.eval(&|x| env.get(x).cloned()).unwrap_or_else(|e| panic!("{e} in {}", self.program))
    }

    fn statement(&self, b: &Stmt, env: &mut BTreeMap<Name, Natural>, run: &mut Run) {
        if run.stuck {
            return;
        }
        run.steps += 1;
        assert!(run.steps < MAX_STEPS, "too many steps: {}", self.program);
        let access = |run: &mut Run, site: Site, mode, array: &Name, index: &Num| {
            let index = self.num(index, env);
            let event = Event::Access {
                site,
                mode,
                array: array.clone(),
                index: index.to_u64().expect("an index of 64 bits"),
            };
            run.events.push(event);
        };
        match b {
            Stmt::Skip => {}
            Stmt::Write { site, array, index, .. } => access(run, *site, Mode::Write, array, index),
            Stmt::Read { site, var, array, index, body } => {
                if self.unwritten.contains(array) {
                    run.stuck = true;
                    return;
                }
                let contents = self.program.array(array).map(|a| &a.contents);
                if contents == Some(&Contents::Opaque) {
                    run.unknown = true;
                } else {
                    access(run, *site, Mode::Read, array, index);
                }
                let value = match contents {
                    Some(Contents::Values(values)) => {
                        let at = self.num(index, env).to_u64().expect("an index of 64 bits");
                        values.get(at as usize).cloned().unwrap_or_else(Natural::zero)
                    }
                    _ if self.contents > 0 && self.inputs.contains(array) => {
                        let mut hasher = DefaultHasher::new();
                        (self.contents, array.as_str(), self.num(index, env).to_u64())
                            .hash(&mut hasher);
                        Natural::from(hasher.finish() % 8)
                    }
                    _ => Natural::zero(),
                };
                env.insert(var.clone(), value);
                self.statement(body, env, run);
            }
            Stmt::Atomic { site, var, array, index, body, .. } => {
                access(run, *site, Mode::Atomic, array, index);
                env.insert(var.clone(), Natural::zero());
                self.statement(body, env, run);
            }
            Stmt::Seq(b, c) => {
                self.statement(b, env, run);
                self.statement(c, env, run);
            }
            Stmt::If { condition, then, otherwise, .. } => {
                let holds =
                    condition.eval(&|x| env.get(x).cloned()).unwrap_or_else(|e| panic!("{e}"));
                self.statement(if holds { then } else { otherwise }, env, run);
            }
            Stmt::For { var, lower, upper, body, .. } => {
                let (mut x, end) = (self.num(lower, env), self.num(upper, env));
                while x < end && !run.stuck {
                    env.insert(var.clone(), x.clone());
                    self.statement(body, env, run);
                    x = x.successor();
                }
            }
            Stmt::Sync { site, .. } => run.events.push(Event::Sync(*site)),
        }
    }
}

/// A race: kind, array, and the two lines, the smaller first.
pub type Race = (&'static str, String, u32, u32);

/// What happens in a concrete launch.
#[derive(Debug, Default)]
pub struct Outcome {
    pub races: BTreeSet<Race>,
    pub divergent: bool,
    pub unknown: bool,
}

/// Runs every thread and compares accesses, pair by pair. Every array holds zeros, but read-only
/// inputs hold numbers below 8 that are drawn from `contents`, if that is not 0.
pub fn outcome(program: &Program, launch: Launch, contents: u64) -> Outcome {
    let machine = Machine { contents, ..Machine::new(program, launch) };
    let mut out = Outcome::default();
    // Which accesses a cell saw: by thread and phase.
    type Seen = BTreeSet<(Site, Mode, u64, u64, usize)>;
    let mut cells: BTreeMap<(Name, Option<u64>, u64), Seen> = BTreeMap::new();
    let mut barriers: BTreeMap<u64, Vec<Site>> = BTreeMap::new();
    let runs: Vec<(Thread, Run)> = launch.all().map(|t| (t, machine.run(t))).collect();
    // A block in which a thread is stuck does not get past the next barrier.
    let mut last: BTreeMap<u64, usize> = BTreeMap::new();
    for (thread, run) in runs.iter().filter(|(_, run)| run.stuck) {
        let phase = run.events.iter().filter(|e| matches!(e, Event::Sync(_))).count();
        let last = last.entry(thread.block).or_insert(phase);
        *last = phase.min(*last);
    }
    for (thread, run) in runs {
        out.unknown |= run.unknown;
        let last = last.get(&thread.block).copied();
        let mut syncs = Vec::new();
        for event in run.events {
            match event {
                Event::Sync(_) if last == Some(syncs.len()) => break,
                Event::Sync(site) => syncs.push(site),
                Event::Access { site, mode, array, index } => {
                    let space = program.array(&array).map(|a| a.space);
                    let owner = (space == Some(Space::Shared)).then_some(thread.block);
                    cells.entry((array, owner, index)).or_default().insert((
                        site,
                        mode,
                        thread.block,
                        thread.index,
                        syncs.len(),
                    ));
                }
            }
        }
        let first = barriers.entry(thread.block).or_insert_with(|| syncs.clone());
        out.divergent |= *first != syncs;
    }
    let line = |site: &Site| program.sources.spans.get(site).map_or(0, |s| s.line);
    for ((array, _, _), seen) in cells {
        if seen.iter().all(|s| s.1 == Mode::Read) {
            continue;
        }
        let seen: Vec<_> = seen.into_iter().collect();
        for (i, a) in seen.iter().enumerate() {
            for b in &seen[i..] {
                let same_thread = (a.2, a.3) == (b.2, b.3);
                let ordered = a.2 == b.2 && a.4 != b.4;
                let kind = match (a.1, b.1) {
                    (Mode::Write, Mode::Write) => "ww",
                    (Mode::Read, Mode::Write) | (Mode::Write, Mode::Read) => "rw",
                    (Mode::Atomic, Mode::Atomic) | (Mode::Read, Mode::Read) => continue,
                    _ => "at",
                };
                if !same_thread && !ordered {
                    let (l, m) = (line(&a.0), line(&b.0));
                    out.races.insert((kind, array.to_string(), l.min(m), l.max(m)));
                }
            }
        }
    }
    out
}

/// The program of the only kernel of `source`.
pub fn program(source: &str, options: &Options) -> Program {
    let kernels = parse_cuda(source, options).unwrap_or_else(|e| panic!("{e}\n{source}"));
    match kernels.as_slice() {
        [kernel] => match &kernel.translation {
            Translation::Program(program) => program.clone(),
            Translation::Unsupported(why) => panic!("{why}\n{source}"),
        },
        other => panic!("{} kernels", other.len()),
    }
}

/// The statements of the only kernel of `source`, as BabyCUDA.
pub fn body(source: &str) -> String {
    program(source, &Options::default()).body.to_string()
}

/// Why the only kernel of `source` is not translated.
pub fn refusal(source: &str) -> String {
    match parse_cuda(source, &Options::default()).as_deref() {
        Ok([kernel]) => match &kernel.translation {
            Translation::Program(program) => panic!("translated: {program}"),
            Translation::Unsupported(why) => why.to_string(),
        },
        other => panic!("{other:?}"),
    }
}

/// The cells that each of `threads` threads accesses so, in order, when the parameters have these
/// values; `None` where that depends on something unknown.
pub fn accesses(
    source: &str,
    params: &[(&str, i128)],
    threads: u32,
    known: bool,
    wanted: Mode,
) -> Option<Vec<Vec<i64>>> {
    let mut settings = Settings::default();
    if known {
        settings.block = Some(Dim3::line(threads));
        settings.params = params.iter().map(|(x, v)| (Name::new(x), (*v).into())).collect();
    }
    let mut program = program(source, &settings.into());
    for param in &mut program.params {
        let (_, value) = params.iter().find(|(x, _)| param.name.as_str() == *x).expect("given");
        let Domain::Machine(t) = param.domain else { panic!("{param:?}") };
        param.value = Some(Natural::from(t.write(*value)));
    }
    let launch = Launch::threads(threads);
    let machine = Machine::new(&program, launch);
    let mut all = Vec::new();
    for thread in launch.all() {
        let run = machine.run(thread);
        if run.unknown {
            return None;
        }
        let written = run.events.iter().filter_map(|event| match event {
            Event::Access { mode, index, .. } if *mode == wanted => Some(*index as i64),
            _ => None,
        });
        all.push(written.collect());
    }
    Some(all)
}

/// Translates the statements with and without known values. What thread 1 of 2 writes must be
/// what is wanted; only without known values it may depend on something unknown.
pub fn check(statements: &str, params: &[(&str, i128)], wanted: &[i64]) {
    let declared: Vec<String> = params.iter().map(|(x, _)| format!("int {x}")).collect();
    let declared = declared.join(", ");
    let comma = if params.is_empty() { "" } else { ", " };
    let source = format!(
        "__global__ void k(int *A, float *f{comma}{declared}) {{ int t = threadIdx.x; {statements} }}"
    );
    let known = accesses(&source, params, 2, true, Mode::Write)
        .unwrap_or_else(|| panic!("unknown: {statements}"));
    assert_eq!(known[1], wanted, "{statements}");
    if let Some(open) = accesses(&source, params, 2, false, Mode::Write) {
        assert_eq!(open[1], wanted, "with open values: {statements}");
    }
}
