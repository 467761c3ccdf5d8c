//! What is kept of accesses: the first look at all of them, a second one at racy cells, and a third
//! one at the thread of a witness.

use super::code::Code;
use super::machine::Sink;
use super::pairs::Visit;
use super::shadow::{self, Masks, Shadow};
use babycuda_core::evidence::Counter;
use babycuda_core::{Name, Natural, Thread};
use std::collections::HashMap;

/// The first look: shadow words.
pub(super) struct Watch {
    pub(super) epoch: u64,
    pub(super) block: u64,
    pub(super) thread: u64,
    pub(super) masks: Vec<Masks>,
    pub(super) arrays: Vec<usize>,
    pub(super) shadows: Vec<Shadow>,
    pub(super) budget: u64,
    pub(super) starved: bool,
    pub(super) accesses: u64,
    pub(super) racy: Vec<(usize, u64)>,
    pub(super) racy_across: Vec<(usize, u64)>,
    pub(super) room: u64,
    pub(super) dropped: bool,
}

impl Watch {
    /// Shadow words for the code's arrays, in so many bytes; `shared` are the arrays that blocks
    /// are watched to race on.
    pub(super) fn new(code: &Code, memory: u64, shared: impl Fn(&Name) -> bool) -> Watch {
        let masks = code.accesses.iter().map(|a| Masks {
            bit: shadow::mode_bit(a.mode),
            within: shadow::conflicting(a.mode, true),
            across: shadow::conflicting(a.mode, false),
        });
        Watch {
            // The last epoch and block are counted from 1.
            epoch: 0,
            block: 0,
            thread: 0,
            masks: masks.collect(),
            arrays: code.accesses.iter().map(|a| a.array).collect(),
            shadows: code.arrays.iter().map(|a| Shadow::new(shared(a))).collect(),
            budget: memory,
            starved: false,
            accesses: 0,
            racy: Vec::new(),
            racy_across: Vec::new(),
            room: memory / 4 / size_of::<(usize, u64)>() as u64,
            dropped: false,
        }
    }
}

impl Sink for Watch {
    #[inline]
    fn access(&mut self, number: u16, index: u64, _: &[u64]) -> bool {
        let number = usize::from(number);
        let array = self.arrays[number];
        self.accesses += 1;
        let at = (self.epoch, self.thread, self.block);
        let masks = self.masks[number];
        let Some(news) = self.shadows[array].visit(at, index, masks, &mut self.budget) else {
            self.starved = true;
            return false;
        };
        if news.within {
            remember(&mut self.racy, (array, index), &mut self.room, &mut self.dropped);
        }
        if news.across {
            let cells = &mut self.racy_across;
            remember(cells, (array, index), &mut self.room, &mut self.dropped);
        }
        true
    }
}

#[cold]
fn remember(cells: &mut Vec<(usize, u64)>, cell: (usize, u64), room: &mut u64, dropped: &mut bool) {
    match room.checked_sub(1) {
        Some(left) => {
            *room = left;
            cells.push(cell);
        }
        None => *dropped = true,
    }
}

/// The second look: all visits of chosen cells.
pub(super) struct Log<'a> {
    pub(super) code: &'a Code,
    pub(super) cells: HashMap<(usize, u64), Vec<Visit>>,
    pub(super) thread: Thread,
    pub(super) phase: usize,
    pub(super) passed: u64,
    pub(super) room: u64,
    pub(super) dropped: bool,
}

impl Log<'_> {
    /// A log of these cells, in a quarter of so many bytes.
    pub(super) fn new(code: &Code, cells: Vec<(usize, u64)>, memory: u64) -> Log<'_> {
        Log {
            code,
            cells: cells.into_iter().map(|c| (c, Vec::new())).collect(),
            thread: Thread { block: 0, index: 0 },
            phase: 0,
            passed: 0,
            room: memory / 4 / size_of::<Visit>() as u64,
            dropped: false,
        }
    }
}

impl Sink for Log<'_> {
    fn access(&mut self, number: u16, index: u64, _: &[u64]) -> bool {
        let info = &self.code.accesses[usize::from(number)];
        let Some(visits) = self.cells.get_mut(&(info.array, index)) else {
            return true;
        };
        let statement = (info.site, info.mode);
        let known = visits
            .iter()
            .rev()
            .take_while(|v| v.thread == self.thread)
            .any(|v| v.statement == statement);
        if !known {
            match self.room.checked_sub(1) {
                Some(left) => self.room = left,
                None => {
                    self.dropped = true;
                    return false;
                }
            }
            let Log { thread, phase, passed, .. } = *self;
            visits.push(Visit { thread, statement, phase, passed });
        }
        true
    }
}

/// The third look, at one thread: the counters of its first visit.
pub(super) struct Look<'a> {
    pub(super) code: &'a Code,
    pub(super) wanted: Visit,
    pub(super) cell: (usize, u64),
    pub(super) passed: u64,
    pub(super) iteration: Option<Vec<Counter>>,
}

impl Sink for Look<'_> {
    fn access(&mut self, number: u16, index: u64, registers: &[u64]) -> bool {
        let info = &self.code.accesses[usize::from(number)];
        if self.passed != self.wanted.passed
            || (info.array, index) != self.cell
            || (info.site, info.mode) != self.wanted.statement
        {
            return true;
        }
        let counters = info.counters.iter().map(|(site, var, reg)| Counter {
            site: *site,
            var: var.clone(),
            value: Natural::from(registers[usize::from(*reg)]),
        });
        self.iteration = Some(counters.collect());
        false
    }
}
