//! Passes over a log: who is asked about its events.

use super::Options;
use super::compact::Compact;
use super::machine::Monitor;
use super::pages::{Key, Marked};
use super::pairs::Pairs;
use super::times::Times;
use crate::error::{LogError, Position};
use crate::log::LogReader;
use crate::record::{Access, Barrier, Record};
use std::io::{self, Read};
use std::ops::ControlFlow;

/// What is asked about the events of a log.
pub(super) trait Judge {
    fn access(&mut self, at: (Key, usize), access: &Access, event: u64, times: &Times);
    /// Does it go on behind this barrier?
    fn barrier(&mut self, barrier: Barrier, event: u64, times: &Times) -> bool;
    /// Has it seen enough?
    fn done(&self) -> bool {
        false
    }
}

/// How a pass ended.
pub(super) enum Ended {
    /// At the log's end.
    Whole,
    /// The judge has seen enough.
    Stopped,
    /// It is not known what else the log has.
    Limit(String),
}

/// The judge of the first pass, which stops at barriers of lanes.
pub(super) struct First {
    pub(super) cells: Compact,
    pub(super) lanes: bool,
}

impl Judge for First {
    #[inline]
    fn access(&mut self, at: (Key, usize), access: &Access, _: u64, times: &Times) {
        self.cells.access(at, access.mode, times);
    }

    fn barrier(&mut self, barrier: Barrier, _: u64, _: &Times) -> bool {
        self.lanes = matches!(barrier, Barrier::Lanes { .. });
        !self.lanes
    }
}

impl Judge for Pairs<'_> {
    fn access(&mut self, at: (Key, usize), access: &Access, event: u64, times: &Times) {
        Pairs::access(self, at, access, event, times);
    }

    fn barrier(&mut self, _: Barrier, _: u64, _: &Times) -> bool {
        true
    }

    fn done(&self) -> bool {
        Pairs::done(self)
    }
}

pub(super) struct Watched<'m> {
    pub(super) monitor: Monitor<'m>,
    pub(super) stop: Option<(u64, String)>,
}

impl Judge for Watched<'_> {
    fn access(&mut self, at: (Key, usize), access: &Access, _: u64, times: &Times) {
        self.monitor.access(at, access.mode, times);
    }

    fn barrier(&mut self, barrier: Barrier, event: u64, times: &Times) -> bool {
        self.stop = self.monitor.stops(barrier, times).map(|what| (event, what));
        self.stop.is_none()
    }
}

/// What a log is read from, many bytes at once.
pub(super) type Log<'r> = Box<dyn Read + 'r>;

/// A log that is read again and again.
pub(super) struct Passes<'o, 'r> {
    pub(super) open: &'o mut dyn FnMut() -> io::Result<Log<'r>>,
    pub(super) options: &'o Options,
    pub(super) count: u32,
}

impl<'r> Passes<'_, 'r> {
    /// Bytes for what is known of cells in one pass.
    pub(super) fn room(&self) -> usize {
        self.options.memory / 4 * 3
    }

    pub(super) fn marked(&self) -> Marked {
        Marked::new(self.options.memory / 8)
    }

    pub(super) fn memory(&self, of: &str) -> String {
        format!("no room for {of} in {} MB", self.options.memory >> 20)
    }

    /// Opens the log for a pass.
    pub(super) fn open(&mut self) -> Result<LogReader<Log<'r>>, LogError> {
        self.count = self.count.saturating_add(1);
        let begin = Position::Byte(0);
        let opened = (self.open)().map_err(|error| LogError { at: begin, fault: error.into() })?;
        LogReader::new(opened)
    }

    /// A pass over the log, from its first record on.
    pub(super) fn pass<J: Judge>(
        &self,
        reader: &mut LogReader<Log<'r>>,
        times: &mut Times,
        judge: &mut J,
    ) -> Result<Ended, LogError> {
        let (mut shared, mut event) = (Vec::<bool>::new(), 0u64);
        let mut ended = None;
        loop {
            let on = |access: &Access| {
                times.turn(access.thread);
                let own = shared.get(access.array as usize).copied().unwrap_or_default();
                let owner = if own { access.thread.block + 1 } else { 0 };
                let at = Key::of(owner << 32 | u64::from(access.array), access.index);
                judge.access(at, access, event, times);
                event += 1;
                if judge.done() {
                    ended = Some(Ended::Stopped);
                } else if event.is_multiple_of(1 << 16)
                    && let Err(error) = self.options.budget.check()
                {
                    ended = Some(Ended::Limit(error.to_string()));
                }
                if ended.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            match reader.accesses(on)? {
                Some(Record::Barrier(barrier)) => {
                    let barrier = times.wider(barrier);
                    if !judge.barrier(barrier, event, times) {
                        return Ok(Ended::Stopped);
                    }
                    if times.pass(barrier).is_err() {
                        return Ok(Ended::Limit("more than 4,294,967,293 barriers".to_owned()));
                    }
                    event += 1;
                    if times.now.is_multiple_of(1 << 12) {
                        if times.memory() > self.options.memory / 8 {
                            return Ok(Ended::Limit(self.memory("the barriers")));
                        }
                        if let Err(error) = self.options.budget.check() {
                            return Ok(Ended::Limit(error.to_string()));
                        }
                    }
                }
                Some(Record::Array(array)) => shared.push(array.shared),
                Some(Record::Place(_) | Record::Access(_)) => {}
                None => return Ok(ended.unwrap_or(Ended::Whole)),
            }
        }
    }
}
