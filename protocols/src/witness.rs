//! The evidence for a race.

use crate::map::Counter;
use babycuda_core::history::RaceKind;
use babycuda_core::{AccessMode, Cell, Launch, Name, Natural, Site, Thread};
use std::collections::BTreeMap;

/// A race, concretely: two threads that access one cell in conflicting modes, unordered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The launch.
    pub launch: Launch,
    /// The parameters.
    pub parameters: BTreeMap<Name, Natural>,
    /// The cell.
    pub cell: Cell,
    /// One access.
    pub first: WitnessAccess,
    /// The other.
    pub second: WitnessAccess,
    /// How far the witness was checked.
    pub confirmation: Confirmation,
}

/// How a witness was checked against the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Confirmation {
    /// Both threads were run by the reference semantics of protocols, from start to race.
    Run,
    /// The conditions, bounds and indices on the way to both accesses were evaluated; a run would
    /// have been too long.
    Path,
    /// The same, and other threads of the block may diverge before these two get there.
    Alone,
}

/// One side of a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessAccess {
    /// The thread, with its block.
    pub thread: Thread,
    /// The phase of its block, from 0, where it is known.
    pub phase: Option<usize>,
    /// The statement.
    pub site: Site,
    /// How the cell is accessed.
    pub mode: AccessMode,
    /// The counters of the loops around the access, outermost first.
    pub iteration: Vec<Counter>,
    /// The values that the thread has to have read for the race to happen.
    pub data: Vec<Choice>,
}

/// A value that a thread has to read.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Choice {
    /// The read.
    pub site: Site,
    /// The variable that holds the value.
    pub var: Name,
    /// The value.
    pub value: Natural,
    /// The cell that was read, where the protocol tells.
    pub cell: Option<Cell>,
}

impl Witness {
    /// Are the threads of one block?
    pub fn same_block(&self) -> bool {
        self.first.thread.block == self.second.thread.block
    }

    /// Which accesses clash.
    pub fn kind(&self) -> RaceKind {
        RaceKind::of(self.first.mode, self.second.mode)
    }

    /// The phase of the race; `None` across blocks, or where it was not counted.
    pub fn phase(&self) -> Option<usize> {
        self.same_block().then_some(self.first.phase).flatten()
    }

    /// Does the race need particular values to have been read?
    pub fn depends_on_data(&self) -> bool {
        !(self.first.data.is_empty() && self.second.data.is_empty())
    }
}
