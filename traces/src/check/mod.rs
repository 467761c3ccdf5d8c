//! All races of a log, in bounded memory.
//!
//! The log is read several times. The first pass says which cells race ([`compact`]); another one says by which
//! statements ([`pairs`]). A pass whose cells do not fit into the budget leaves some of them to a later one.

mod compact;
mod lanes;
mod machine;
mod pages;
mod pairs;
mod passes;
mod times;

use crate::error::{LogError, Position};
use crate::record::{Access, Array, Place};
use crate::tables::Tables;
use babycuda_core::shadow::Machine;
use babycuda_core::{AccessMode, Budget, Cell, Launch, Name, Site, Thread};
use compact::Compact;
use machine::Monitor;
use pages::{Marked, Part};
use pairs::{Found, Pairs};
use passes::{Ended, First, Log, Passes, Watched};
use std::collections::BTreeMap;
use std::io::{self, Read};
use times::Times;

/// How a log is checked.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bytes for what is known of cells, beside some megabytes.
    pub memory: usize,
    /// How many races are looked for: one for each two statements.
    pub races: usize,
    /// When to stop.
    pub budget: Budget,
    /// A state machine that judges the log, too.
    pub machine: Option<Machine>,
}

impl Default for Options {
    fn default() -> Options {
        Options { memory: 1 << 30, races: 20, budget: Budget::UNLIMITED, machine: None }
    }
}

/// What is true of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No two accesses race.
    Drf,
    /// Some do.
    Racy,
    /// It is not known, for this reason.
    Unknown(String),
}

/// One side of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Side {
    /// How many accesses and barriers of the log stand before.
    pub event: u64,
    /// Who.
    pub thread: Thread,
    /// How.
    pub mode: AccessMode,
    /// By which statement.
    pub site: Option<Site>,
}

/// Two accesses that race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// The array, by its number.
    pub array: u32,
    /// The cell of it; of a shared array, that of the block of both threads.
    pub index: u64,
    /// The earlier one in the log.
    pub first: Side,
    /// The later one.
    pub second: Side,
}

impl Race {
    fn of(access: &Access, first: Side, second: Side) -> Race {
        Race { array: access.array, index: access.index, first, second }
    }

    /// Are the threads of one block?
    pub fn same_block(&self) -> bool {
        self.first.thread.block == self.second.thread.block
    }
}

/// What was found out about a log.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What is true of it.
    pub outcome: Outcome,
    /// Its launch.
    pub launch: Launch,
    /// How many accesses it has.
    pub accesses: u64,
    /// How many barriers.
    pub barriers: u64,
    /// Its arrays, by their numbers.
    pub arrays: Vec<Array>,
    /// Where statements stand.
    pub places: BTreeMap<Site, Place>,
    /// How many cells race. A shared array has as many of an index as there are blocks.
    pub racy: u64,
    /// The arrays that have some, by their numbers, and how many.
    pub racy_of: Vec<(u32, u64)>,
    /// The first race of each two statements, in one block and across blocks, in the order of the log.
    pub races: Vec<Race>,
    /// Why there may be other pairs of statements.
    pub more: Option<String>,
    /// How often the log was read.
    pub passes: u32,
    /// What the machine says.
    pub machine: Option<Judged>,
}

/// What a machine says of a log, beside what is true of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// How many cells race, by the machine.
    pub racy: u64,
    /// The event from which on it says nothing, and what it does not know.
    pub stop: Option<(u64, String)>,
    /// How many cells race that it does not name, and one of them.
    pub missed: Option<(u64, Option<Cell>)>,
    /// How many cells do not race that it names, and one of them.
    pub false_alarms: Option<(u64, Option<Cell>)>,
}

impl Checked {
    /// The cell of a race.
    pub fn cell(&self, race: &Race) -> Cell {
        cell(&self.arrays, race.array, race.index)
    }
}

fn cell(arrays: &[Array], array: u32, index: u64) -> Cell {
    let array = arrays.get(array as usize);
    Cell::new(array.map_or_else(|| Name::new(""), |array| array.name.clone()), index)
}

/// What the first passes say.
struct Known {
    tables: Tables,
    marked: Marked,
    /// Why it is not known what else the log has.
    unread: Option<String>,
    /// Why it is not known what some cells have.
    unheld: Option<String>,
    /// Were statements looked at, too, since there are barriers of lanes?
    lanes: bool,
}

/// The races of a log. `open` opens it anew, from the beginning, as often as it is called.
///
/// # Errors
/// [`LogError`]: the first thing that is wrong with the log. Nothing is said of one that is.
pub fn check<R: Read>(
    open: impl FnMut() -> io::Result<R>,
    options: &Options,
) -> Result<Checked, LogError> {
    let mut open = open;
    let mut opened = || open().map(|log| Box::new(log) as Log<'_>);
    checked(Passes { open: &mut opened, options, count: 0 })
}

/// The same, whatever the log is read from: all that looks at accesses is compiled in this crate, and so as fast as it is
/// here, and once.
fn checked(mut passes: Passes<'_, '_>) -> Result<Checked, LogError> {
    let options = passes.options;
    let mut found = Found::new(options.races);
    let known = match cells(&mut passes)? {
        Some(known) => known,
        None => cells_with_lanes(&mut passes, &mut found)?,
    };
    let mut more = None;
    if known.unread.is_none() && known.marked.count > 0 && !known.lanes {
        more = statements(&mut passes, &known, &mut found)?;
    }
    let machine = match &options.machine {
        Some(machine) if known.unread.is_none() => Some(judged(&mut passes, machine, &known)?),
        _ => None,
    };
    let Known { tables, marked, unread, unheld, .. } = known;
    if found.more {
        more = Some(format!("more than {} were not looked for", options.races));
    }
    let outcome = match unread {
        Some(reason) => Outcome::Unknown(reason),
        None if marked.count > 0 => Outcome::Racy,
        None => unheld.clone().map_or(Outcome::Drf, Outcome::Unknown),
    };
    let mut racy_of = BTreeMap::<u32, u64>::new();
    for (key, cells) in marked.all() {
        *racy_of.entry(key.space as u32).or_default() += u64::from(cells.count_ones());
    }
    Ok(Checked {
        outcome,
        launch: tables.launch(),
        accesses: tables.accesses(),
        barriers: tables.barriers(),
        arrays: tables.arrays().to_vec(),
        places: tables.places().clone(),
        racy: marked.count,
        racy_of: racy_of.into_iter().collect(),
        races: found.races(),
        more: more.or(unheld),
        passes: passes.count,
        machine,
    })
}

/// The cells that race; `None`: there are barriers of lanes.
fn cells(passes: &mut Passes<'_, '_>) -> Result<Option<Known>, LogError> {
    let (mut marked, mut parts, mut first) = (passes.marked(), vec![Part::WHOLE], None);
    let (mut unread, mut unheld) = (None, None);
    while let Some(part) = parts.pop() {
        let mut reader = passes.open()?;
        let mut times = Times::new(reader.tables().launch(), false);
        let mut judge = First { cells: Compact::new(part, passes.room()), lanes: false };
        let ended = passes.pass(&mut reader, &mut times, &mut judge)?;
        if judge.lanes {
            return Ok(None);
        }
        let (later, full) = judge.cells.end(&mut marked);
        parts.extend(later);
        if full {
            unheld = Some(passes.memory("the cells"));
        }
        let tables = same(&first, reader.tables(), &ended)?;
        first = first.or(tables);
        if let Ended::Limit(reason) = ended {
            unread = Some(reason);
            first = first.or_else(|| Some(reader.tables().clone()));
            break;
        }
    }
    // There is a first part.
    let Some(tables) = first else { return Ok(None) };
    Ok(Some(Known { tables, marked, unread, unheld, lanes: false }))
}

/// The same, and the statements that race, where barriers of lanes are followed.
fn cells_with_lanes(passes: &mut Passes<'_, '_>, found: &mut Found) -> Result<Known, LogError> {
    let (mut marked, mut parts, mut first) = (passes.marked(), vec![Part::WHOLE], None);
    let (mut unread, mut unheld) = (None, None);
    loop {
        let part = parts.pop();
        let mut reader = passes.open()?;
        let mut times = Times::new(reader.tables().launch(), true);
        let mut judge = Pairs::new(part.unwrap_or(Part::WHOLE), passes.room(), None, found);
        let ended = passes.pass(&mut reader, &mut times, &mut judge)?;
        let (later, full) = judge.end(&mut marked);
        parts.extend(later);
        if full {
            unheld = Some(passes.memory("the cells"));
        }
        let tables = same(&first, reader.tables(), &ended)?;
        first = first.or(tables);
        if let Ended::Limit(reason) = ended {
            unread = Some(reason);
        } else if !parts.is_empty() {
            continue;
        }
        let tables = first.unwrap_or_else(|| reader.tables().clone());
        return Ok(Known { tables, marked, unread, unheld, lanes: true });
    }
}

/// Which statements race on the cells that do; why there may be others.
fn statements(
    passes: &mut Passes<'_, '_>,
    known: &Known,
    found: &mut Found,
) -> Result<Option<String>, LogError> {
    let mut more = match known.marked.dropped {
        0 => None,
        cells => Some(format!("the statements of {cells} cells were not looked at")),
    };
    let (mut parts, mut seen) = (vec![Part::WHOLE], Marked::default());
    while let Some(part) = parts.pop() {
        let mut reader = passes.open()?;
        let mut times = Times::new(reader.tables().launch(), false);
        let mut judge = Pairs::new(part, passes.room(), Some(&known.marked), found);
        let ended = passes.pass(&mut reader, &mut times, &mut judge)?;
        let (later, full) = judge.end(&mut seen);
        parts.extend(later);
        if full {
            more = Some(passes.memory("the statements"));
        }
        same(&Some(known.tables.clone()), reader.tables(), &ended)?;
        match ended {
            Ended::Whole => {}
            Ended::Stopped => break,
            Ended::Limit(reason) => return Ok(Some(reason)),
        }
    }
    Ok(more)
}

/// What a machine says of the cells.
fn judged(
    passes: &mut Passes<'_, '_>,
    machine: &Machine,
    known: &Known,
) -> Result<Judged, LogError> {
    let (mut marked, mut parts) = (passes.marked(), vec![Part::WHOLE]);
    let (mut stop, mut partial) = (None, known.unheld.is_some());
    while let Some(part) = parts.pop() {
        let mut reader = passes.open()?;
        let mut times = Times::new(reader.tables().launch(), false);
        let monitor = Monitor::new(machine, &times, part, passes.room());
        let mut judge = Watched { monitor, stop: None };
        let ended = passes.pass(&mut reader, &mut times, &mut judge)?;
        let Watched { monitor, stop: stopped } = judge;
        let (later, full) = monitor.end(&mut marked);
        parts.extend(later);
        partial |= full;
        same(&Some(known.tables.clone()), reader.tables(), &ended)?;
        if let Ended::Limit(reason) = ended {
            stop = Some((0, reason));
            break;
        }
        stop = stopped.or(stop);
    }
    partial |= marked.dropped + known.marked.dropped > 0;
    let beyond = |of: &Marked, others: &Marked| {
        let cells = of.all().into_iter().map(|(key, cells)| (key, cells & !others.cells(key)));
        let cells: Vec<_> = cells.filter(|(_, cells)| *cells != 0).collect();
        let one = cells.first().map(|(key, cells)| {
            let index = key.page * pages::CELLS as u64 + u64::from(cells.trailing_zeros());
            cell(known.tables.arrays(), key.space as u32, index)
        });
        (cells.iter().map(|(_, cells)| u64::from(cells.count_ones())).sum(), one)
    };
    // What it does not see it does not miss.
    let missed = (!partial && stop.is_none()).then(|| beyond(&known.marked, &marked));
    let false_alarms = (!partial).then(|| beyond(&marked, &known.marked));
    Ok(Judged { racy: marked.count, stop, missed, false_alarms })
}

/// The tables of a pass that read all of the log.
///
/// # Errors
/// Those of an earlier pass are others: the log has changed.
fn same(
    first: &Option<Tables>,
    tables: &Tables,
    ended: &Ended,
) -> Result<Option<Tables>, LogError> {
    let Ended::Whole = ended else { return Ok(None) };
    let sizes = |tables: &Tables| (tables.launch(), tables.accesses(), tables.barriers());
    match first {
        Some(first) if sizes(first) != sizes(tables) => {
            let changed = io::Error::other("it is another one than before");
            Err(LogError { at: Position::Byte(0), fault: changed.into() })
        }
        _ => Ok(Some(tables.clone())),
    }
}
