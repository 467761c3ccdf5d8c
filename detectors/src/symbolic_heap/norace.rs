//! `NoRace` (§6, Def. 2): is the shared state at a barrier the same for all threads?
//!
//! `disjoint` and `compare` are one question to the solver: are there threads and a cell on which both heaps
//! say something else? Def. 2 compares symbolic heaps of paths. Of two threads on different paths, each heap says
//! what the array holds as if all threads had taken its path. So `if (tid == 0) A[0] = 1;` is an alarm.

use super::execute::{Engine, number, sorts, thread};
use super::heap::{Accessed, Heap};
use super::language::Array;
use super::value::Value;
use super::{Alarm, Conflict, Notion, Passed, Rules};
use crate::detector::Refusal;
use babycuda_smt::{Model, SortError, Term};
use std::collections::HashSet;

/// Both heaps as two threads see them, with what is known of the threads.
struct Pair {
    names: [&'static str; 2],
    terms: Vec<Term>,
    heaps: [Heap; 2],
}

impl Engine<'_> {
    /// The first alarm among heaps that wait, by Def. 2.
    pub fn race(&self, heaps: &[Heap], phase: usize) -> Result<Option<Alarm>, Refusal> {
        for [first, second] in self.pairs(heaps) {
            let pair = self.pair(first, second).map_err(sorts)?;
            if first.paths.iter().chain(&second.paths).any(|p| p.node != first.paths[0].node) {
                if self.ask(&pair.names, (0, 0), &pair.terms)?.is_some() {
                    return Ok(Some(Alarm::Diverges { phase }));
                }
                continue;
            }
            for array in 0..self.program.arrays.len() {
                if let Some(alarm) = self.differs(&pair, array, phase)? {
                    return Ok(Some(alarm));
                }
            }
        }
        Ok(None)
    }

    /// The heaps that are compared with each other. Of one generic thread, all are. Of two threads, heaps that are
    /// at the same nodes under the same conditions are compared with the first of them alone, and of heaps under
    /// different conditions only the first ones: to hold the same is transitive.
    fn pairs<'h>(&self, heaps: &'h [Heap]) -> Vec<[&'h Heap; 2]> {
        if self.rules == Rules::Published {
            let pairs = heaps.iter().enumerate();
            return pairs.flat_map(|(n, a)| heaps[n..].iter().map(move |b| [a, b])).collect();
        }
        let (mut firsts, mut pairs): (Vec<(&Heap, HashSet<&Term>)>, Vec<_>) = Default::default();
        for heap in heaps {
            let conditions: HashSet<&Term> = heap.pure.iter().collect();
            let nodes = |heap: &Heap| heap.paths.iter().map(|path| path.node).collect::<Vec<_>>();
            let alike = firsts
                .iter()
                .find(|(first, under)| nodes(first) == nodes(heap) && *under == conditions);
            match alike {
                Some((first, _)) => pairs.push([*first, heap]),
                None => {
                    pairs.push([heap, heap]);
                    pairs.extend(firsts.iter().map(|(first, _)| [*first, heap]));
                    firsts.push((heap, conditions));
                }
            }
        }
        pairs
    }

    /// `rename`: one heap of thread `i`, the other of thread `j`. Of a product of two threads, both are of both.
    fn pair(&self, first: &Heap, second: &Heap) -> Result<Pair, SortError> {
        let names = ["i", "j"];
        if self.rules == Rules::TwoThreads {
            let terms = first.pure.iter().chain(&second.pure).cloned().collect();
            return Ok(Pair { names, terms, heaps: [first.clone(), second.clone()] });
        }
        let mut terms = vec![thread("i").differs(&thread("j"))?];
        let (first, second) = (rename("i", first)?, rename("j", second)?);
        terms.extend(first.pure.iter().chain(&second.pure).cloned());
        Ok(Pair { names, terms, heaps: [first, second] })
    }

    /// `¬disjoint ∧ ¬compare` for the cells of an array.
    fn differs(&self, pair: &Pair, array: Array, phase: usize) -> Result<Option<Alarm>, Refusal> {
        let ranges = pair.heaps.iter().filter_map(|heap| heap.stored.get(&array));
        let Some(range) = ranges.copied().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else {
            return Ok(None); // nobody stored
        };
        let of = &self.program.arrays[array];
        let index = super::heap::index();
        let [first, second] = [0, 1].map(|n| pair.heaps[n].arrays[array].at(of, &index));
        let (first, second) = (first.map_err(sorts)?, second.map_err(sorts)?);
        if first.term == second.term {
            return Ok(None);
        }
        let mut terms = pair.terms.clone();
        terms.push(first.term.differs(&second.term).map_err(sorts)?);
        let Some(model) = self.ask(&pair.names, range, &terms)? else { return Ok(None) };
        let (threads, index) = (pair.names.map(|n| number(&model, n)), number(&model, "index"));
        let conflict = self.conflict(pair, array, threads, index);
        Ok(Some(Alarm::Race { array, index, threads, phase, conflict }))
    }

    /// Two accesses by the two threads that conflict: of the cell, or of another one that may decide it.
    fn conflict(
        &self,
        pair: &Pair,
        array: Array,
        threads: [i128; 2],
        index: i128,
    ) -> Option<Conflict> {
        let place = |a: &Accessed| {
            let known = |term: &Term| {
                let n = pair.names.iter().position(|name| *term == thread(name))?;
                Some(super::value::int(threads[n]))
            };
            let at = a.index.with(known).ok()?;
            i128::try_from(at.term.as_value()?.as_int()?.clone()).ok()
        };
        let mut found = Vec::new();
        for [first, second] in self.sides(pair) {
            for a in first {
                for b in second.iter().filter(|b| b.array == a.array) {
                    let there = place(a).filter(|there| Some(*there) == place(b));
                    let (modes, at) = ([a.mode, b.mode], [a.at, b.at]);
                    if let (Some(index), true) = (there, a.mode.conflicts(b.mode, true)) {
                        found.push(Conflict { threads, array: a.array, index, modes, at });
                    }
                }
            }
        }
        let here = found.iter().position(|c| (c.array, c.index) == (array, index));
        found.into_iter().nth(here.unwrap_or(0))
    }

    /// What the first and what the second thread access, by heap.
    fn sides<'p>(&self, pair: &'p Pair) -> Vec<[Vec<&'p Accessed>; 2]> {
        let [a, b] = &pair.heaps;
        match self.rules {
            Rules::Published => vec![[a, b].map(|h| h.paths[0].accessed.iter().collect())],
            Rules::TwoThreads => {
                [a, b].map(|h| [0, 1].map(|p| h.paths[p].accessed.iter().collect())).to_vec()
            }
        }
    }

    /// The conflicting accesses that Def. 2 lets pass, one for each two statements.
    pub fn passed(
        &self,
        heaps: &[Heap],
        phase: usize,
        passed: &mut Vec<Passed>,
    ) -> Result<(), Refusal> {
        for (n, first) in heaps.iter().enumerate() {
            let others = if self.rules == Rules::TwoThreads { &heaps[n..=n] } else { &heaps[n..] };
            for second in others {
                let pair = self.pair(first, second).map_err(sorts)?;
                let [left, right] = &self.sides(&pair)[0];
                for a in left {
                    for b in right {
                        self.overlap(&pair, [a, b], phase, passed)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn overlap(
        &self,
        pair: &Pair,
        [a, b]: [&Accessed; 2],
        phase: usize,
        passed: &mut Vec<Passed>,
    ) -> Result<(), Refusal> {
        let (at, modes) = ([a.at, b.at], [a.mode, b.mode]);
        let (back, backwards) = ([b.at, a.at], [b.mode, a.mode]);
        let known = |p: &Passed| {
            let c = &p.conflict;
            (c.at, c.modes) == (at, modes) || (c.at, c.modes) == (back, backwards)
        };
        if a.array != b.array || !a.mode.conflicts(b.mode, true) || passed.iter().any(known) {
            return Ok(());
        }
        let mut terms = pair.terms.clone();
        terms.push(a.index.term.equals(&b.index.term).map_err(sorts)?);
        let Some(model) = self.ask(&pair.names, (0, 0), &terms)? else { return Ok(()) };
        let notion = match (&a.stored, &b.stored) {
            (Some(x), Some(y)) => {
                terms.push(x.term.differs(&y.term).map_err(sorts)?);
                let other = self.ask(&pair.names, (0, 0), &terms)?.is_some();
                if other { Notion::Deterministic } else { Notion::SameValue }
            }
            _ => Notion::Deterministic,
        };
        let threads = pair.names.map(|name| number(&model, name));
        let index = self.index(a, pair, &model);
        let conflict = Conflict { threads, array: a.array, index, modes, at };
        passed.push(Passed { conflict, phase, notion });
        Ok(())
    }

    fn index(&self, a: &Accessed, pair: &Pair, model: &Model) -> i128 {
        let known = |term: &Term| {
            let name = pair.names.iter().find(|name| *term == thread(name))?;
            Some(super::value::int(number(model, name)))
        };
        let value = a.index.with(known).ok().and_then(|at| at.term.as_value()?.as_int().cloned());
        value.and_then(|n| i128::try_from(n).ok()).unwrap_or(0)
    }
}

/// A heap of the thread of another name.
fn rename(name: &str, heap: &Heap) -> Result<Heap, SortError> {
    let replace = |term: &Term| (*term == thread("tid")).then(|| thread(name));
    let value = |value: &Value| value.with(replace);
    let mut renamed = heap.clone();
    for path in &mut renamed.paths {
        for local in &mut path.locals {
            *local = value(local)?;
        }
        for accessed in &mut path.accessed {
            accessed.index = value(&accessed.index)?;
            accessed.stored = accessed.stored.as_ref().map(value).transpose()?;
        }
    }
    for term in &mut renamed.pure {
        *term = term.substitute(replace)?;
    }
    for contents in &mut renamed.arrays {
        *contents = std::sync::Arc::new(contents.with(&replace)?);
    }
    Ok(renamed)
}
