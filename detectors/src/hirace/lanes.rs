//! Barriers of some lanes of a warp, by bounded histories (HiRace §V-C).
//!
//! A mask of `__syncwarp` may name any lanes, so the groups of such barriers do not nest, and no label tells what
//! they order. There “HiRace devolves to the traditional method of maintaining multiple access records”, and
//! “tracks a bounded history of sub-warp synchronizations (essentially a warp-level vector clock) and
//! opportunistically prunes the history”. The paper says no more of it. This is a model of that:
//!
//! - Barriers of lanes order nothing between warps. So a machine watches a cell as if the lanes of a warp were one
//!   thread: it finds the races of different warps, as exactly as it is.
//! - For the races within a warp a cell has records: the accesses by the warp of its last accessor since that
//!   warp's last barrier. Those of another warp need no records any more. For let one of them conflict with a later
//!   access of its own warp, and another warp's access stand between them, all three unordered: one of the two
//!   conflicts with it, which is a race already.
//! - A warp has a history: the masks of its barriers of lanes since its last barrier of all. An access is behind a
//!   recorded one if masks lead from its lane to the other, in their order.
//!
//! Both are bounded. What falls out of them is taken for ordered, so that nothing ordered is called a race.

use super::shadow::{Accessor, Shadow, Sighting};
use super::traces::covers;
use babycuda_core::AccessMode;
use babycuda_core::syntax::BarrierScope;
use std::collections::{HashMap, VecDeque};

/// How much is remembered of barriers of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Of a warp, since its last barrier of all lanes: so many barriers of some.
    pub barriers: usize,
    /// Of a cell: so many accesses.
    pub accesses: usize,
}

impl Default for Bounds {
    /// 16 barriers, and 4 accesses, “2 or 4” being what tools keep (§VI). The paper has no numbers of its own.
    fn default() -> Bounds {
        Bounds { barriers: 16, accesses: 4 }
    }
}

/// The widest warp whose lanes a mask can name.
pub(super) const LANES: u64 = u64::BITS as u64;

/// Shadow memory under barriers of lanes. Without such barriers it says what [`Shadow`] says.
#[derive(Debug)]
pub struct LaneShadow {
    shadow: Shadow,
    /// The level of warps.
    level: usize,
    bounds: Bounds,
    /// By the number of the warp's first thread.
    warps: HashMap<u64, Warp>,
    cells: HashMap<usize, Records>,
    forgotten: u64,
}

/// The barriers of a warp since its last one of all lanes.
#[derive(Debug, Default)]
struct Warp {
    /// Its clocks from the warp's on.
    clocks: u64,
    /// How many there were.
    passed: u64,
    /// The masks of the newest ones.
    masks: VecDeque<u64>,
}

/// The accesses of a cell by the warp of its last accessor since that warp's last barrier of all lanes.
#[derive(Debug, Default)]
struct Records {
    warp: u64,
    /// Its clocks from the warp's on.
    clocks: u64,
    accesses: VecDeque<Record>,
    /// The last accessor.
    last: u64,
    raced: bool,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    lane: u64,
    mode: AccessMode,
    /// How many barriers of lanes the warp had passed.
    passed: u64,
}

impl Warp {
    /// The masks since a recorded access; `None`: the history does not reach back so far.
    fn since(&self, record: &Record) -> Option<impl Iterator<Item = &u64>> {
        let since = usize::try_from(self.passed.saturating_sub(record.passed)).ok()?;
        let skipped = self.masks.len().checked_sub(since)?;
        Some(self.masks.iter().skip(skipped))
    }

    /// Is what a lane does now behind a recorded access? `None`: the history does not reach back so far.
    fn behind(&self, record: &Record, lane: u64) -> Option<bool> {
        if record.lane == lane {
            return Some(true);
        }
        let mut reached = bit(record.lane);
        for mask in self.since(record)? {
            if reached & mask != 0 {
                reached |= mask;
            }
        }
        Some(reached & bit(lane) != 0)
    }
}

/// A warp that is wider than a mask has no barriers of lanes.
pub(super) fn bit(lane: u64) -> u64 {
    if lane < LANES { 1 << lane } else { 0 }
}

impl LaneShadow {
    /// Over a shadow. `None`: its machine knows no warps.
    pub fn new(shadow: Shadow, bounds: Bounds) -> Option<LaneShadow> {
        let level = shadow.machine().chain().find(BarrierScope::Warp)?;
        Some(LaneShadow::over(shadow, level, bounds))
    }

    /// Over a shadow whose machine has warps at this level.
    pub(super) fn over(shadow: Shadow, level: usize, bounds: Bounds) -> LaneShadow {
        let (warps, cells) = (HashMap::new(), HashMap::new());
        LaneShadow { shadow, level, bounds, warps, cells, forgotten: 0 }
    }

    /// The machine's memory.
    pub fn shadow(&self) -> &Shadow {
        &self.shadow
    }

    /// How many accesses were dropped because there is no room for them, or for the barriers behind them. While
    /// this is 0 no race within a warp is missed.
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Lanes of the thread's warp pass a barrier: those whose bits the mask has, from the warp's first thread.
    /// `false`: warps have more lanes than a mask.
    pub fn pass(&mut self, thread: &Accessor, mask: u64) -> bool {
        let warp = thread.group(self.level);
        let lanes = warp.end.saturating_sub(warp.start);
        if lanes > LANES {
            return false;
        }
        let mask = mask & (u64::MAX >> (LANES - lanes.max(1)));
        let most = self.bounds.barriers;
        let history = self.history(thread);
        history.passed += 1;
        history.masks.push_back(mask);
        while history.masks.len() > most {
            history.masks.pop_front();
        }
        true
    }

    /// The thread accesses a cell. Gives the race that the access has with one before, if it is the first one of
    /// the cell.
    pub fn access(&mut self, cell: usize, thread: &Accessor, mode: AccessMode) -> Option<Sighting> {
        // Between warps.
        let one = self.shadow.as_group(self.level, thread);
        let apart = self.shadow.access_alone(cell, &one, mode);
        let warp = thread.group(self.level);
        self.history(thread);
        let history = self.warps.get(&warp.start)?;
        let records = self.cells.entry(cell).or_default();
        let last = std::mem::replace(&mut records.last, thread.id());
        let sighting = Sighting { thread: thread.id(), last };
        if records.raced {
            return None;
        }
        if apart.is_some() {
            *records = Records { raced: true, ..Records::default() };
            return Some(sighting);
        }
        if (records.warp, records.clocks) != (warp.start, history.clocks) {
            (records.warp, records.clocks) = (warp.start, history.clocks);
            records.accesses.clear();
        }
        let lane = thread.id().saturating_sub(warp.start);
        let behind = |record: &Record| history.behind(record, lane);
        let mut known = records.accesses.iter();
        let racing = |r: &&Record| mode.conflicts(r.mode, true) && behind(r) == Some(false);
        if let Some(racing) = known.find(racing) {
            let last = warp.start + racing.lane;
            *records = Records { raced: true, ..Records::default() };
            return Some(Sighting { last, ..sighting });
        }
        // What no history reaches any more counts as ordered, for good.
        let all = records.accesses.len();
        records.accesses.retain(|r| behind(r).is_some());
        self.forgotten += (all - records.accesses.len()) as u64;
        // What races with an access before this one from now on races with this one, too.
        records.accesses.retain(|r| behind(r) == Some(false) || !covers(mode, r.mode));
        records.accesses.push_back(Record { lane, mode, passed: history.passed });
        while records.accesses.len() > self.bounds.accesses {
            records.accesses.pop_front();
            self.forgotten += 1;
        }
        None
    }

    /// The history of the thread's warp: a barrier of all lanes begins a new one.
    fn history(&mut self, thread: &Accessor) -> &mut Warp {
        let clocks = self.shadow.clocks_from(self.level, thread);
        let history = self.warps.entry(thread.group(self.level).start).or_default();
        if history.clocks != clocks {
            *history = Warp { clocks, ..Warp::default() };
        }
        history
    }
}
