//! Two accesses that race, concretely.

use crate::configuration::Configuration;
use crate::history::{AccessMode, Cell, RaceKind};
use crate::launch::{Thread, WARP_SIZE};
use crate::name::Name;
use crate::natural::Natural;
use crate::site::Site;
use std::fmt;

/// A race, concretely: two threads that access one cell in conflicting modes, unordered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The launch, the block of the first thread, and the parameters.
    pub configuration: Configuration,
    /// The cell.
    pub cell: Cell,
    /// One access.
    pub first: Side,
    /// The other.
    pub second: Side,
    /// How far the witness was checked.
    pub confirmation: Confirmation,
}

/// One side of a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
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

/// A loop counter or a chosen value that stands around an access.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Counter {
    /// The loop, or the read whose value was chosen.
    pub site: Site,
    /// Its variable.
    pub var: Name,
    /// The value.
    pub value: Natural,
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

/// How a witness was checked, beside being replayed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Confirmation {
    /// Both threads were run from start to race: by the reference semantics of protocols, or of
    /// programs.
    Run,
    /// The conditions, bounds and indices on the way to both accesses were evaluated; a run would
    /// have been too long.
    Path,
    /// The same, and other threads of the block may diverge before these two get there; or it is not
    /// known whether the host's contents are as assumed.
    Alone,
    /// An interleaving of the threads has the race.
    Interleaving,
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

    /// The two statements that race: the same for two witnesses of what a reader calls one race.
    pub fn pair(&self) -> PairKey {
        let statements = [&self.first, &self.second].map(|side| (side.site, side.mode));
        PairKey::new(self.cell.array.clone(), statements, self.same_block())
    }
}

/// Two access statements of one array that race; `first <= second`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PairKey {
    /// The array.
    pub array: Name,
    /// One statement.
    pub first: (Site, AccessMode),
    /// The other.
    pub second: (Site, AccessMode),
    /// Are the threads of one block?
    pub same_block: bool,
}

impl PairKey {
    /// The pair of these statements, in whichever order.
    pub fn new(array: Name, mut statements: [(Site, AccessMode); 2], same_block: bool) -> PairKey {
        statements.sort();
        let [first, second] = statements;
        PairKey { array, first, second, same_block }
    }
}

/// One line; with `{:#}`, a line for each side, with its statement, its loop counters and what it
/// has to have read.
impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} race on {}", self.kind().description(), self.cell)?;
        if let Some(phase) = self.phase() {
            write!(f, " in phase {phase}")?;
        }
        write!(f, ": thread {} {}", self.first.thread, self.first.mode)?;
        write!(f, " / thread {} {}", self.second.thread, self.second.mode)?;
        at(&self.configuration, f)?;
        if f.alternate() {
            write!(f, "\n  {}\n  {}", self.first, self.second)?;
        }
        Ok(())
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread {} {} at statement {}", self.thread, self.mode, self.site)?;
        for Counter { var, value, .. } in &self.iteration {
            write!(f, ", {var} = {value}")?;
        }
        for Choice { var, value, cell, .. } in &self.data {
            let from = cell.as_ref().map(|cell| format!(" from {cell}")).unwrap_or_default();
            write!(f, ", reads {var} = {value}{from}")?;
        }
        Ok(())
    }
}

/// Where a witness happens, behind a comma.
pub(super) fn at(configuration: &Configuration, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, ", block {}", configuration.launch.block)?;
    if configuration.launch.grid.count() > 1 {
        write!(f, ", grid {}", configuration.launch.grid)?;
    }
    if configuration.launch.warp != WARP_SIZE {
        write!(f, ", warps of {}", configuration.launch.warp)?;
    }
    configuration.parameters.iter().try_for_each(|(name, value)| write!(f, ", {name} = {value}"))
}
