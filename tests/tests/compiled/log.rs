//! What a compiled kernel did, as its run-time system printed it, and the races among it.

use std::collections::{BTreeMap, BTreeSet};

/// One atomic update: operator, operand, expected value.
pub type Update = (char, u64, u64);

/// What a thread did to a cell in a phase.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deed {
    pub read: bool,
    /// The value that it wrote last.
    pub written: Option<u64>,
    /// Atomic updates against the device, and against the block.
    pub atomic: bool,
    pub atomic_block: bool,
    /// The updates since the last write.
    pub updates: Vec<Update>,
}

/// A cell: array and index.
pub type Cell = (String, u64);

/// What happened between two barriers: thread, cell, deed.
pub type Phase = BTreeMap<u64, BTreeMap<Cell, Deed>>;

/// How the run of a block ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    Done,
    /// Thread 0 is at the barrier of one line, the other thread is the first that is elsewhere;
    /// line 0 is the end.
    Diverged {
        line: u32,
        other: u64,
        other_line: u32,
    },
    /// A thread reads a cell that may hold several values, or the loops did not end.
    Ambiguous,
    Fuel,
    /// Threads computed overflows in the last phase, which has what they did with wrapped results.
    Overflow,
}

/// An overflow, in the last phase of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overflowed {
    pub phase: usize,
    pub thread: u64,
    /// Its line; 0 when it is not known.
    pub line: u32,
    /// What the thread did before it, in this phase.
    pub deeds: BTreeMap<Cell, Deed>,
}

/// The run of a block: complete phases and the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub phases: Vec<Phase>,
    pub overflows: Vec<Overflowed>,
    pub end: End,
}

impl Run {
    /// The overflows of a thread in a phase, in order.
    pub fn overflows_of(&self, phase: usize, thread: u64) -> impl Iterator<Item = &Overflowed> {
        self.overflows.iter().filter(move |o| o.phase == phase && o.thread == thread)
    }
}

/// The runs of all blocks of each launch.
pub fn parse(text: &str) -> Option<Vec<Vec<Run>>> {
    let mut runs: Vec<Vec<Run>> = Vec::new();
    // Do the accesses that follow belong to an overflow?
    let mut before = false;
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["R"] => runs.push(Vec::new()),
            ["B"] => {
                let (phases, overflows) = (Vec::new(), Vec::new());
                runs.last_mut()?.push(Run { phases, overflows, end: End::Fuel });
            }
            ["P", _] => {
                before = false;
                runs.last_mut()?.last_mut()?.phases.push(Phase::default());
            }
            ["O", phase, thread, line] => {
                before = true;
                runs.last_mut()?.last_mut()?.overflows.push(Overflowed {
                    phase: phase.parse().ok()?,
                    thread: thread.parse().ok()?,
                    line: line.parse().ok()?,
                    deeds: BTreeMap::new(),
                });
            }
            ["A", thread, array, index, flags, value, _, ref updates @ ..] => {
                let hex = |w: &str| u64::from_str_radix(w, 16).ok();
                let flag: Vec<bool> = flags.chars().map(|c| c == '1').collect();
                let updates = updates
                    .chunks(3)
                    .map(|u| Some((u[0].chars().next()?, hex(u.get(1)?)?, hex(u.get(2)?)?)));
                let deed = Deed {
                    read: flag[0],
                    written: if flag[1] { Some(hex(value)?) } else { None },
                    atomic: flag[2],
                    atomic_block: flag[3],
                    updates: updates.collect::<Option<_>>()?,
                };
                let run = runs.last_mut()?.last_mut()?;
                let cell = (array.to_owned(), hex(index)?);
                let deeds = match before {
                    true => &mut run.overflows.last_mut()?.deeds,
                    false => run.phases.last_mut()?.entry(thread.parse().ok()?).or_default(),
                };
                deeds.insert(cell, deed);
            }
            ["E", end, ref rest @ ..] => {
                let number = |i: usize| rest.get(i)?.parse::<u32>().ok();
                runs.last_mut()?.last_mut()?.end = match end {
                    "done" => End::Done,
                    "diverged" => End::Diverged {
                        line: number(1)?,
                        other: number(2)?.into(),
                        other_line: number(3)?,
                    },
                    "ambiguous" => End::Ambiguous,
                    "fuel" => End::Fuel,
                    "overflow" => End::Overflow,
                    _ => return None,
                };
            }
            _ => return None,
        }
    }
    Some(runs)
}

/// How a cell is accessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mode {
    Read,
    Write,
    Atomic,
    AtomicBlock,
}

impl Deed {
    pub fn modes(&self) -> impl Iterator<Item = Mode> {
        let all = [
            (self.read, Mode::Read),
            (self.written.is_some(), Mode::Write),
            (self.atomic, Mode::Atomic),
            (self.atomic_block, Mode::AtomicBlock),
        ];
        all.into_iter().filter(|(has, _)| *has).map(|(_, mode)| mode)
    }
}

/// Do accesses of two threads conflict (LCL22 Definition 1; THEORY §4 for atomics)?
pub fn conflict(a: Mode, b: Mode, same_block: bool) -> bool {
    let atomic = |m| matches!(m, Mode::Atomic | Mode::AtomicBlock);
    let narrow = a == Mode::AtomicBlock || b == Mode::AtomicBlock;
    match (atomic(a), atomic(b)) {
        (true, true) => narrow && !same_block,
        _ => a != Mode::Read || b != Mode::Read,
    }
}

/// A race: block and phase (none for threads of different blocks), cell, and two accesses:
/// block, thread, mode.
pub type Race = (Option<(u64, usize)>, Cell, (u64, u64, Mode), (u64, u64, Mode));

/// All races of the runs of a launch's blocks: pair by pair.
pub fn races(runs: &[Run], global: impl Fn(&str) -> bool) -> BTreeSet<Race> {
    type Access = (u64, u64, Mode);
    let mut found = BTreeSet::new();
    let mut pairs = |place, cell: &Cell, accesses: &BTreeSet<Access>, within: bool| {
        let list: Vec<&Access> = accesses.iter().collect();
        for (i, a) in list.iter().enumerate() {
            for b in &list[i + 1..] {
                let here = if within { a.1 != b.1 } else { a.0 != b.0 };
                if here && conflict(a.2, b.2, within) {
                    found.insert((place, cell.clone(), **a, **b));
                }
            }
        }
    };
    let mut everywhere: BTreeMap<&Cell, BTreeSet<Access>> = BTreeMap::new();
    for (block, run) in (0u64..).zip(runs) {
        for (number, phase) in run.phases.iter().enumerate() {
            let mut here: BTreeMap<&Cell, BTreeSet<Access>> = BTreeMap::new();
            for (thread, deeds) in phase {
                for (cell, deed) in deeds {
                    for mode in deed.modes() {
                        here.entry(cell).or_default().insert((block, *thread, mode));
                        if global(&cell.0) {
                            everywhere.entry(cell).or_default().insert((block, *thread, mode));
                        }
                    }
                }
            }
            for (cell, accesses) in here {
                pairs(Some((block, number)), cell, &accesses, true);
            }
        }
    }
    for (cell, accesses) in everywhere {
        pairs(None, cell, &accesses, false);
    }
    found
}
