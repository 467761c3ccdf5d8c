//! The rules of Table 1, for one generic thread or for two.

use super::heap::{Accessed, Contents, Heap, Path, index};
use super::language::{Array, Command, Exp, Program};
use super::value::{Value, condition, int};
use super::{Alarm, Rules, Update};
use crate::detector::Refusal;
use babycuda_core::{AccessMode, Budget};
use babycuda_smt::{Answer, Model, Query, QueryLimits, Solver, SolverName, Sort, SortError, Term};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The most symbolic heaps of an execution, and the most threads whose stores are told one by one.
const MOST_HEAPS: usize = 4000;
const MOST_STORES: u32 = 64;
/// The most questions to the solver, about one kernel.
const MOST_QUESTIONS: usize = 3000;

/// What a step leads to.
pub(super) enum Next {
    Heaps(Vec<Heap>),
    /// `⊥`
    Error(Alarm),
}

pub(super) struct Engine<'a> {
    pub program: &'a Program,
    pub rules: Rules,
    pub update: Update,
    solver: Box<dyn Solver>,
    heaps: usize,
    /// What was asked before: of which interval and terms, and the answer.
    asked: RefCell<HashMap<Question, Option<Model>>>,
}

type Question = (&'static str, (i128, i128), Vec<Term>);

/// The name of a thread in formulae: `tid`, or `i` and `j` of two.
pub(super) fn thread(name: &str) -> Term {
    Term::constant(name, Sort::Int)
}

/// No term here mixes sorts; an error says so instead of a panic.
pub(super) fn sorts(error: SortError) -> Refusal {
    Refusal::Configuration(error.to_string())
}

impl<'a> Engine<'a> {
    pub fn new(program: &'a Program, rules: Rules, update: Update) -> Self {
        let solver = SolverName::Builtin.solver();
        Engine { program, rules, update, solver, heaps: 0, asked: RefCell::default() }
    }

    pub fn names(&self) -> &'static [&'static str] {
        match self.rules {
            Rules::Published => &["tid"],
            Rules::TwoThreads => &["i", "j"],
        }
    }

    pub fn tid(&self, path: usize) -> Value {
        let greatest = i128::from(self.program.threads) - 1;
        Value { term: thread(self.names()[path]), least: 0, greatest }
    }

    /// The symbolic heap of the node `start`.
    pub fn start(&self) -> Heap {
        let locals = self.program.values.iter().map(|n| Value::int(*n)).collect();
        let path = Path { node: 0, locals, accessed: Vec::new() };
        let pure = match self.rules {
            Rules::Published => Vec::new(),
            Rules::TwoThreads => thread("i").less_than(&thread("j")).into_iter().collect(),
        };
        let arrays = self.program.arrays.iter().map(|_| Arc::new(Contents::Initial)).collect();
        let paths = vec![path; self.names().len()];
        Heap { paths, pure, arrays, stored: Default::default() }
    }

    /// Is there a model of the terms, over these threads? `index` ranges over the interval.
    pub fn ask(
        &self,
        names: &[&'static str],
        range: (i128, i128),
        terms: &[Term],
    ) -> Result<Option<Model>, Refusal> {
        let question = (names.first().copied().unwrap_or_default(), range, terms.to_vec());
        if let Some(answer) = self.asked.borrow().get(&question) {
            return Ok(answer.clone());
        }
        if self.asked.borrow().len() >= MOST_QUESTIONS {
            return Err(Refusal::Limit("number of questions to the solver"));
        }
        let mut query = Query::named("symbolic heap");
        for name in names {
            query.declare_int(name, 0, i128::from(self.program.threads) - 1).map_err(sorts)?;
        }
        query.declare_int("index", range.0, range.1).map_err(sorts)?;
        for term in terms {
            query.assert(term).map_err(sorts)?;
        }
        let limits = QueryLimits::default();
        let limits = QueryLimits { time: Budget::ambient().at_most(limits.time), ..limits };
        let answer = match self.solver.check(&query, &limits) {
            Answer::Sat(model) => Some(model),
            Answer::Unsat => None,
            Answer::Unknown(_) => return Err(Refusal::Limit("limits of the solver")),
        };
        self.asked.borrow_mut().insert(question, answer.clone());
        Ok(answer)
    }

    /// `⟹ₛ` up to barriers and the end.
    pub fn run_to_barrier(
        &mut self,
        starts: Vec<Heap>,
    ) -> Result<Result<Vec<Heap>, Alarm>, Refusal> {
        let (mut pending, mut waiting) = (starts, Vec::new());
        let mut seen = std::collections::HashSet::new();
        while let Some(heap) = pending.pop() {
            if !seen.insert(heap.clone()) {
                continue;
            }
            self.heaps += 1;
            if self.heaps > MOST_HEAPS {
                return Err(Refusal::Limit("number of symbolic heaps"));
            }
            let runs = |p: &usize| !self.program.waits(heap.paths[*p].node);
            let private = |p: &usize| {
                let command = &self.program.nodes[heap.paths[*p].node].command;
                !matches!(command, Command::Load(..) | Command::Store(..))
            };
            let running: Vec<usize> = (0..heap.paths.len()).filter(runs).collect();
            // Private commands commute with what another thread does.
            let chosen = match running.iter().copied().find(|p| private(p)) {
                Some(path) => vec![path],
                None => running,
            };
            if chosen.is_empty() {
                waiting.push(heap);
                continue;
            }
            for path in chosen {
                match self.step(&heap, path)? {
                    Next::Heaps(next) => pending.extend(next),
                    Next::Error(alarm) => return Ok(Err(alarm)),
                }
            }
        }
        Ok(Ok(waiting))
    }

    /// One command of one thread, and where it goes next.
    fn step(&self, heap: &Heap, path: usize) -> Result<Next, Refusal> {
        let (tid, state) = (self.tid(path), &heap.paths[path]);
        let node = &self.program.nodes[state.node];
        let mut after = heap.clone();
        let value = |e: &Exp| Value::of(e, &tid, &state.locals).map_err(sorts);
        let truth = |b: &Exp| condition(b, &tid, &state.locals).map_err(sorts);
        match &node.command {
            Command::Skip | Command::Barrier => {}
            Command::Assign(v, e) => after.paths[path].locals[*v] = value(e)?,
            Command::Load(v, array, at) => {
                let at = value(at)?;
                if let Some(alarm) = self.outside(heap, path, *array, &at)? {
                    return Ok(Next::Error(alarm));
                }
                let of = &self.program.arrays[*array];
                let read = heap.arrays[*array].at(of, &at.term).map_err(sorts)?;
                let (array, mode) = (*array, AccessMode::Rd);
                let accessed = Accessed { array, index: at, mode, stored: None, at: node.at };
                after.paths[path].accessed.push(accessed);
                after.paths[path].locals[*v] = read;
            }
            Command::Store(array, at, e) => {
                let at = value(at)?;
                if let Some(alarm) = self.outside(heap, path, *array, &at)? {
                    return Ok(Next::Error(alarm));
                }
                let stored = value(e)?.wrapped(self.program.arrays[*array].element);
                let stored = stored.map_err(sorts)?;
                after.arrays[*array] = self.stored(heap, *array, &at, &stored)?;
                let range = after.stored.entry(*array).or_insert((at.least, at.greatest));
                *range = (range.0.min(at.least), range.1.max(at.greatest));
                let (array, mode) = (*array, AccessMode::Wr);
                let accessed =
                    Accessed { array, index: at, mode, stored: Some(stored), at: node.at };
                after.paths[path].accessed.push(accessed);
            }
            Command::Assume(b) => match truth(b)? {
                b if b.as_bool() == Some(true) => {}
                b if b.as_bool() == Some(false) => return Ok(Next::Heaps(Vec::new())),
                b => {
                    after.pure.push(b);
                    if self.ask(self.names(), (0, 0), &after.pure)?.is_none() {
                        return Ok(Next::Heaps(Vec::new()));
                    }
                }
            },
            Command::Assert(b) => {
                let mut wrong = heap.pure.clone();
                wrong.push(truth(b)?.not().map_err(sorts)?);
                if let Some(model) = self.ask(self.names(), (0, 0), &wrong)? {
                    let thread = number(&model, self.names()[path]);
                    return Ok(Next::Error(Alarm::Assertion { at: node.at, thread }));
                }
            }
        }
        let next = node.next.iter().map(|next| {
            let mut heap = after.clone();
            heap.paths[path].node = *next;
            heap
        });
        Ok(Next::Heaps(next.collect()))
    }

    /// `Π ⊢ 0 ≤ e < size(a)`, or the thread that is outside.
    fn outside(
        &self,
        heap: &Heap,
        path: usize,
        array: Array,
        at: &Value,
    ) -> Result<Option<Alarm>, Refusal> {
        let Some(size) = self.program.arrays[array].size else { return Ok(None) };
        if at.least >= 0 && at.greatest < i128::from(size) {
            return Ok(None);
        }
        let within = int(0)
            .at_most(&at.term)
            .and_then(|low| Term::and([low, at.term.less_than(&int(i128::from(size)))?])?.not());
        let mut terms = heap.pure.clone();
        terms.push(within.map_err(sorts)?);
        let node = self.program.nodes[heap.paths[path].node].at;
        Ok(self.ask(self.names(), (0, 0), &terms)?.map(|model| {
            let thread = number(&model, self.names()[path]);
            Alarm::OutOfBounds { array, at: node, thread }
        }))
    }

    /// The contents behind `a[e] := e'`. The paper's rule has `η(φ, f, e')`, which by its §5 keeps the new
    /// value where the index is another one: the arguments are meant in the other order.
    fn stored(
        &self,
        heap: &Heap,
        array: Array,
        at: &Value,
        value: &Value,
    ) -> Result<Arc<Contents>, Refusal> {
        let before = heap.arrays[array].clone();
        let own = index().equals(&at.term).map_err(sorts)?;
        let of = |phi, value: &Value, f| {
            Arc::new(Contents::Eta(phi, Arc::new(Contents::Lambda(value.clone())), f))
        };
        if self.rules == Rules::TwoThreads || self.update == Update::Own {
            return Ok(of(own, value, before));
        }
        let threads = self.program.threads;
        let by = |e: &Term, t: &Term| {
            e.substitute(|term| (*term == thread("tid")).then(|| t.clone())).map_err(sorts)
        };
        let mut places = Vec::new();
        if at.least != at.greatest {
            for t in 0..threads {
                places.push(match by(&at.term, &int(i128::from(t)))?.as_value() {
                    Some(babycuda_smt::Value::Int(n)) => i128::try_from(n).ok(),
                    _ => None,
                });
            }
        }
        let pure = Term::and(&heap.pure).map_err(sorts)?;
        if places.iter().collect::<BTreeSet<_>>().len() <= 1 {
            return Ok(of(own, value, before));
        }
        // `φ(i)`: some thread on this path stores there. With `e = tid + c`, that is the thread `i - c`.
        let shift = places[0]
            .filter(|c| (0..).zip(&places).all(|(t, place): (i128, _)| *place == Some(t + c)));
        if let Some(c) = shift {
            let t = index().sub(&int(c)).map_err(sorts)?;
            let among = int(0)
                .at_most(&t)
                .and_then(|low| Term::and([low, t.less_than(&int(i128::from(threads)))?]));
            let phi = Term::and([among.map_err(sorts)?, by(&pure, &t)?]).map_err(sorts)?;
            let value = Value { term: by(&value.term, &t)?, ..value.clone() };
            return Ok(of(phi, &value, before));
        }
        if threads > MOST_STORES {
            return Err(Refusal::Limit("number of threads that store where no `tid + c` says"));
        }
        let mut contents = before;
        for (t, place) in (0..).zip(places) {
            let (t, Some(place)) = (int(t), place) else {
                return Err(Refusal::Limit("terms that can be evaluated"));
            };
            let there = index().equals(&int(place)).map_err(sorts)?;
            let phi = Term::and([there, by(&pure, &t)?]).map_err(sorts)?;
            let value = Value { term: by(&value.term, &t)?, ..value.clone() };
            contents = of(phi, &value, contents);
        }
        Ok(of(own, value, contents))
    }
}

/// The value of a constant in a model.
pub(super) fn number(model: &Model, name: &str) -> i128 {
    let value = model.get(name).and_then(|value| value.as_int());
    value.and_then(|n| i128::try_from(n).ok()).unwrap_or(0)
}
