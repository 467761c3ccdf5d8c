//! Writing.

use super::{BARRIER, END, Last, MAGIC, MODES, TELL, VERSION, at};
use crate::error::LogError;
use crate::record::{Access, Barrier, Record};
use crate::tables::Tables;
use babycuda_core::{Launch, Thread};
use std::io::Write;

/// Writes a log.
#[derive(Debug)]
pub struct Writer<W> {
    inner: W,
    tables: Tables,
    last: Last,
    bytes: Vec<u8>,
    wrote: u64,
}

impl<W: Write> Writer<W> {
    /// A writer of a log of a launch, which writes its head. It writes many small pieces.
    ///
    /// # Errors
    /// [`LogError`]: the launch is none, or nothing can be written.
    pub fn new(inner: W, launch: Launch) -> Result<Writer<W>, LogError> {
        let tables = Tables::new(launch).map_err(|fault| at(0, fault))?;
        let mut writer = Writer { inner, tables, last: Last::new(), bytes: Vec::new(), wrote: 0 };
        writer.bytes.extend(MAGIC);
        writer.number(VERSION);
        for extent in launch.grid.components().into_iter().chain(launch.block.components()) {
            writer.number(extent.into());
        }
        writer.number(launch.warp.into());
        writer.flush()?;
        Ok(writer)
    }

    /// What was told so far.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Writes a record.
    ///
    /// # Errors
    /// [`LogError`]: a reader would refuse the record, or nothing can be written.
    pub fn write(&mut self, record: &Record) -> Result<(), LogError> {
        self.tables.take(record).map_err(|fault| at(self.wrote, fault))?;
        match record {
            Record::Access(access) => self.access(access),
            Record::Barrier(barrier) => self.barrier(*barrier),
            Record::Array(array) => {
                self.bytes.push(TELL | u8::from(array.shared) << 3);
                self.number(array.element.into());
                self.text(array.name.as_str());
                self.last.indices.push(0);
            }
            Record::Place(place) => {
                self.bytes.push(TELL | 2 << 3);
                for number in [place.site.0, place.line, place.column] {
                    self.number(number.into());
                }
                self.text(&place.file);
            }
        }
        self.flush()
    }

    /// Writes the end of the log.
    ///
    /// # Errors
    /// [`LogError`]: nothing can be written.
    pub fn finish(mut self) -> Result<W, LogError> {
        self.bytes.push(END);
        self.number(self.tables.accesses);
        self.number(self.tables.barriers);
        self.flush()?;
        self.inner.flush().map_err(|error| at(self.wrote, error.into()))?;
        Ok(self.inner)
    }

    fn access(&mut self, access: &Access) {
        let Access { thread, mode, array, index, site } = *access;
        let last = &self.last;
        // All modes are there.
        let mode = MODES.iter().position(|known| *known == mode).unwrap_or_default() as u8;
        let who = match last.thread {
            known if known == thread => 0,
            Thread { block, index } if (block, index + 1) == (thread.block, thread.index) => 1,
            known if known.block == thread.block => 2,
            _ => 3,
        };
        // The tables hold the array.
        let known = last.indices.get(array as usize).copied().unwrap_or_default();
        let moved = index.wrapping_sub(known) as i64;
        let moved = (moved << 1 ^ moved >> 63) as u64;
        let cell = match index.wrapping_sub(known) {
            0 => 0,
            1 => 1,
            _ if moved < index => 2,
            _ => 3,
        };
        let told = (last.array, last.site) == (array, site);
        self.bytes.push(mode | who << 3 | cell << 5 | u8::from(!told) << 7);
        if who == 3 {
            self.number(thread.block);
        }
        if who >= 2 {
            self.number(thread.index);
        }
        if !told {
            self.number(array.into());
            self.number(site.map_or(0, |site| u64::from(site.0) + 1));
        }
        match cell {
            2 => self.number(moved),
            3 => self.number(index),
            _ => {}
        }
        (self.last.thread, self.last.array, self.last.site) = (thread, array, site);
        if let Some(known) = self.last.indices.get_mut(array as usize) {
            *known = index;
        }
    }

    fn barrier(&mut self, barrier: Barrier) {
        let (scope, numbers): (u8, &[u64]) = match &barrier {
            Barrier::Grid => (0, &[]),
            Barrier::Block { block } => (1, &[*block]),
            Barrier::Warp { block, warp } => (2, &[*block, *warp]),
            Barrier::Tile { block, size, first } => (3, &[*block, u64::from(*size), *first]),
            Barrier::Lanes { block, warp, lanes } => (4, &[*block, *warp, *lanes]),
        };
        self.bytes.push(BARRIER | scope << 3);
        numbers.iter().for_each(|number| self.number(*number));
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    fn flush(&mut self) -> Result<(), LogError> {
        let written = self.inner.write_all(&self.bytes);
        written.map_err(|error| at(self.wrote, error.into()))?;
        self.wrote += self.bytes.len() as u64;
        self.bytes.clear();
        Ok(())
    }
}
