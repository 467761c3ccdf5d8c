//! Which statements race, and on which cells: for each cell, and each statement and mode that accessed it, the same
//! account as in [`compact`](super::compact), with the accesses themselves. Threads of one block and of different ones
//! are told apart, and barriers of lanes are followed.

use super::pages::{CELLS, Key, Marked, Mix, Page, Pages, Part};
use super::times::Times;
use super::{Race, Side};
use crate::record::Access;
use babycuda_core::{AccessMode, Site};
use std::collections::HashMap;

/// An access, as others see it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    id: u32,
    time: u32,
    event: u64,
}

/// Accesses of one block.
#[derive(Debug)]
struct Within {
    last: Seen,
    /// For some levels, another one: see [`compact`](super::compact).
    others: Vec<(u8, Seen)>,
    /// Where barriers of lanes are followed: the last one of each lane of the last one's warp, unless it is
    /// ordered before one of these; with the lane and its epoch.
    lanes: Vec<(u32, u32, Seen)>,
}

impl Within {
    fn new() -> Within {
        let last = Seen { id: 0, time: 0, event: 0 };
        Within { last, others: Vec::new(), lanes: Vec::new() }
    }

    /// One of the accesses that is unordered with what the thread does whose turn it is.
    fn racing(&self, times: &Times) -> Option<Seen> {
        let level = times.shape.level(self.last.id, times.id);
        let near = times.follows_lanes() && level <= times.shape.warp();
        if near {
            if let Some(seen) = self.unordered(times).next() {
                return Some(seen.2);
            }
        } else if times.live(level, self.last.time) {
            return Some(self.last);
        }
        let least = if near { times.shape.warp() } else { level };
        let wider = |of: usize| of > least && times.live(of, self.last.time);
        let found = self.others.iter().find(|(of, _)| wider((*of).into()));
        found.map(|(_, seen)| *seen)
    }

    /// The accesses of other lanes of the warp that no barriers lead from.
    fn unordered(&self, times: &Times) -> impl Iterator<Item = (u32, u32, Seen)> {
        let alive = times.warp_since() <= self.last.time;
        let (own, clocks) = (times.shape.lane(times.id), times.clocks());
        self.lanes.iter().copied().filter(move |(lane, epoch, _)| {
            let led = clocks.is_some_and(|clocks| clocks.leads(*lane, *epoch, own));
            alive && *lane != own && !led
        })
    }

    fn put(&mut self, seen: Seen, times: &Times) {
        let level = times.shape.level(self.last.id, times.id);
        let near = times.follows_lanes() && level <= times.shape.warp();
        let (time, least) = (self.last.time, if near { times.shape.warp() } else { level });
        self.others.retain(|(of, _)| usize::from(*of) > least && times.live((*of).into(), time));
        if !near && times.live(level, time) {
            // There are 12 levels.
            self.others.push((level as u8, self.last));
        }
        if times.follows_lanes() {
            self.lanes = if near { self.unordered(times).collect() } else { Vec::new() };
            let lane = times.shape.lane(times.id);
            let epoch = times.clocks().map_or(0, |clocks| clocks.epoch(lane));
            self.lanes.push((lane, epoch, seen));
        }
        self.last = seen;
    }

    fn bytes(&self) -> usize {
        size_of::<u32>() + size_of::<Within>() + 32 * (self.others.len() + self.lanes.len())
    }
}

/// Accesses by one statement in one mode.
#[derive(Debug)]
struct Statement {
    site: Option<Site>,
    mode: AccessMode,
    last: Seen,
    /// One of another block than the last, if there is one since the last barrier of the grid.
    apart: Option<Seen>,
    blocks: HashMap<u64, Within, Mix>,
}

impl Statement {
    /// One of the accesses by another block that is unordered with what the thread does.
    fn racing(&self, times: &Times) -> Option<Seen> {
        let grid = times.shape.grid();
        let alive = times.live(grid, self.last.time);
        let apart = times.shape.level(self.last.id, times.id) == grid;
        if apart { Some(self.last) } else { self.apart }.filter(|_| alive)
    }

    fn put(&mut self, seen: Seen, times: &Times) {
        let grid = times.shape.grid();
        if !times.live(grid, self.last.time) {
            self.apart = None;
        } else if times.shape.level(self.last.id, times.id) == grid {
            self.apart = Some(self.last);
        }
        self.last = seen;
    }
}

#[derive(Debug, Default)]
struct Cell {
    statements: Vec<Statement>,
    raced: bool,
    bytes: usize,
}

#[derive(Debug)]
struct Cells([Option<Box<Cell>>; CELLS]);

impl Default for Cells {
    fn default() -> Cells {
        Cells([const { None }; CELLS])
    }
}

impl Page for Cells {
    fn more(&self) -> usize {
        self.0.iter().flatten().map(|cell| cell.bytes).sum()
    }
}

/// Two statements that race: array, each with its mode, and whether threads are of one block.
type Pair = (u32, [(Option<Site>, AccessMode); 2], bool);

/// The races that were found.
#[derive(Debug)]
pub(super) struct Found {
    known: HashMap<Pair, Race>,
    most: usize,
    /// Are there more than were wanted?
    pub(super) more: bool,
}

impl Found {
    pub(super) fn new(most: usize) -> Found {
        Found { known: HashMap::new(), most, more: false }
    }

    /// In the order of the log.
    pub(super) fn races(self) -> Vec<Race> {
        let mut races: Vec<Race> = self.known.into_values().collect();
        races.sort_unstable_by_key(|race| (race.second.event, race.first.event));
        races
    }

    fn add(&mut self, race: Race, array: u32, same_block: bool) {
        let mut sides = [&race.first, &race.second].map(|s| (s.site, s.mode));
        sides.sort();
        let pair = (array, sides, same_block);
        let room = self.known.len() < self.most;
        match self.known.get_mut(&pair) {
            Some(known) => {
                let order = |race: &Race| (race.second.event, race.first.event);
                if order(&race) < order(known) {
                    *known = race;
                }
            }
            None if room => {
                self.known.insert(pair, race);
            }
            None => self.more = true,
        }
    }
}

/// What is known of some cells, or all.
#[derive(Debug)]
pub(super) struct Pairs<'p> {
    pages: Pages<Cells>,
    /// The cells that matter; `None`: all.
    of: Option<&'p Marked>,
    found: &'p mut Found,
    mix: Mix,
}

impl<'p> Pairs<'p> {
    pub(super) fn new(
        part: Part,
        budget: usize,
        of: Option<&'p Marked>,
        found: &'p mut Found,
    ) -> Pairs<'p> {
        Pairs { pages: Pages::new(part, budget), of, found, mix: Mix::new() }
    }

    /// Is all found that is wanted?
    pub(super) fn done(&self) -> bool {
        self.of.is_some() && self.found.more
    }

    /// The thread whose turn it is accesses a cell.
    pub(super) fn access(
        &mut self,
        (key, place): (Key, usize),
        access: &Access,
        event: u64,
        times: &Times,
    ) {
        let place = place % CELLS;
        if self.of.is_some_and(|of| of.cells(key) >> place & 1 == 0) {
            return;
        }
        let Some(Cells(cells)) = self.pages.page(key) else { return };
        let cell = cells[place].get_or_insert_default();
        let seen = Seen { id: times.id, time: times.now, event };
        let block = times.shape.block_of(times.id);
        let mut own = None;
        for (number, statement) in cell.statements.iter().enumerate() {
            if (statement.site, statement.mode) == (access.site, access.mode) {
                own = Some(number);
            }
            let within = statement.blocks.get(&block);
            let near = within.filter(|_| statement.mode.conflicts(access.mode, true));
            let near = near.and_then(|within| within.racing(times));
            let far = statement.mode.conflicts(access.mode, false);
            let far = Some(statement).filter(|_| far).and_then(|s| s.racing(times));
            for (first, same_block) in
                near.map(|f| (f, true)).into_iter().chain(far.map(|f| (f, false)))
            {
                cell.raced = true;
                let side = |seen: Seen, site, mode| Side {
                    event: seen.event,
                    thread: times.shape.thread(seen.id),
                    mode,
                    site,
                };
                let first = side(first, statement.site, statement.mode);
                let second = side(seen, access.site, access.mode);
                let race = Race::of(access, first, second);
                self.found.add(race, access.array, same_block);
            }
        }
        let before = cell.bytes;
        let own = own.unwrap_or_else(|| {
            let (last, blocks) = (Within::new().last, HashMap::with_hasher(self.mix));
            let (site, mode) = (access.site, access.mode);
            cell.statements.push(Statement { site, mode, last, apart: None, blocks });
            cell.bytes += 2 * size_of::<Statement>() + size_of::<Cell>();
            cell.statements.len() - 1
        });
        if let Some(statement) = cell.statements.get_mut(own) {
            statement.put(seen, times);
            let within = statement.blocks.entry(block).or_insert_with(|| {
                cell.bytes += 2 * size_of::<Within>();
                Within::new()
            });
            cell.bytes -= within.bytes().min(cell.bytes);
            within.put(seen, times);
            cell.bytes += within.bytes();
        }
        let (before, after) = (before, cell.bytes);
        self.pages.grew(after.saturating_sub(before));
    }

    /// As [`Compact::end`](super::compact::Compact::end).
    pub(super) fn end(self, marked: &mut Marked) -> (Vec<Part>, bool) {
        for (key, Cells(cells)) in self.pages.all() {
            let raced = |cell: &Option<Box<Cell>>| cell.as_ref().is_some_and(|cell| cell.raced);
            let bits = cells.iter().rev();
            marked.add(key, bits.fold(0, |bits, cell| bits << 1 | u64::from(raced(cell))));
        }
        (self.pages.later, self.pages.full)
    }
}
