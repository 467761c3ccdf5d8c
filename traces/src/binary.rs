//! The binary format: `docs/TRACES.md` has it byte by byte.

use crate::error::{Fault, LogError, Position};
use crate::record::{Access, Array, Barrier, Place, Record};
use crate::tables::{MAX_NAME, Tables};
use babycuda_core::syntax::Scope;
use babycuda_core::{AccessMode, Dim3, Launch, Name, Site, Thread};
use std::io::{self, Read, Write};

/// How a binary log begins.
pub const MAGIC: [u8; 8] = *b"\x89BCLOG\r\n";
const VERSION: u64 = 1;

/// Bytes of the buffer: several of the longest records.
const ROOM: usize = 1 << 18;
/// No record is longer: a tag, a text with its length, and some numbers.
const LONGEST: usize = MAX_NAME + 64;

// Kinds, in the lowest three bits of a tag; 0 to 4 are the modes of accesses.
const BARRIER: u8 = 5;
const TELL: u8 = 6;
const END: u8 = 7;

/// Reads a log.
#[derive(Debug)]
pub struct Reader<R> {
    inner: R,
    buffer: Box<[u8]>,
    at: usize,
    end: usize,
    /// How many bytes of the log stood before the buffer.
    before: u64,
    /// Is there no more?
    dry: bool,
    tables: Tables,
    last: Last,
    done: bool,
}

/// What a record may leave out, since one before it has said so.
#[derive(Debug)]
struct Last {
    thread: Thread,
    array: u32,
    site: Option<Site>,
    /// By array.
    indices: Vec<u64>,
}

impl Last {
    fn new() -> Last {
        let thread = Thread { block: 0, index: 0 };
        Last { thread, array: 0, site: None, indices: Vec::new() }
    }
}

/// A cursor in the bytes of one record.
struct Bytes<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Bytes<'_> {
    #[inline]
    fn byte(&mut self) -> Result<u8, Fault> {
        let byte = *self.bytes.get(self.at).ok_or(Fault::Truncated)?;
        self.at += 1;
        Ok(byte)
    }

    #[inline]
    fn number(&mut self) -> Result<u64, Fault> {
        let byte = self.byte()?;
        if byte < 0x80 { Ok(byte.into()) } else { self.longer(byte) }
    }

    fn longer(&mut self, first: u8) -> Result<u64, Fault> {
        let mut number = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(Fault::Number(64));
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Fault::Number(64))
    }

    fn half(&mut self) -> Result<u32, Fault> {
        u32::try_from(self.number()?).map_err(|_| Fault::Number(32))
    }

    fn text(&mut self) -> Result<String, Fault> {
        let length = self.number()?;
        if length > MAX_NAME as u64 {
            return Err(Fault::Limit("a name of more than 4096 bytes"));
        }
        let end = self.at + length as usize;
        let bytes = self.bytes.get(self.at..end).ok_or(Fault::Truncated)?;
        self.at = end;
        String::from_utf8(bytes.to_vec()).map_err(|_| Fault::Text)
    }

    fn extents(&mut self) -> Result<Dim3, Fault> {
        Ok(Dim3 { x: self.half()?, y: self.half()?, z: self.half()? })
    }
}

impl<R: Read> Reader<R> {
    /// A reader of a log, which reads its head.
    ///
    /// # Errors
    /// [`LogError`]: it is no log, of another version, or of a launch that is none.
    pub fn new(inner: R) -> Result<Reader<R>, LogError> {
        let buffer = vec![0; ROOM].into_boxed_slice();
        // Until the launch is read, which cannot be told apart from one of one thread.
        let tables = Tables::new(Launch::threads(1)).map_err(|fault| at(0, fault))?;
        let mut reader = Reader {
            inner,
            buffer,
            at: 0,
            end: 0,
            before: 0,
            dry: false,
            tables,
            last: Last::new(),
            done: false,
        };
        let head = |reader: &mut Reader<R>| {
            reader.fill()?;
            let mut bytes = Bytes { bytes: &reader.buffer[..reader.end], at: MAGIC.len() };
            let begins = bytes.bytes.iter().zip(&MAGIC).all(|(a, b)| a == b);
            if !begins || bytes.bytes.is_empty() {
                return Err((0, Fault::NoLog));
            }
            if bytes.bytes.len() < MAGIC.len() {
                return Err((reader.end, Fault::Truncated));
            }
            let launch = |bytes: &mut Bytes<'_>| {
                match bytes.number()? {
                    VERSION => {}
                    other => return Err(Fault::Version(other)),
                }
                let (grid, block) = (bytes.extents()?, bytes.extents()?);
                Tables::new(Launch { grid, block, warp: bytes.half()? })
            };
            let tables = launch(&mut bytes);
            let cut = matches!(tables, Err(Fault::Truncated));
            let place = if cut { reader.end } else { MAGIC.len() };
            Ok((bytes.at, tables.map_err(|fault| (place, fault))?))
        };
        let (read, tables) = head(&mut reader).map_err(|(place, fault)| at(place as u64, fault))?;
        (reader.at, reader.tables) = (read, tables);
        Ok(reader)
    }

    /// What the log told so far.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// How many bytes of the log were read.
    pub fn offset(&self) -> u64 {
        self.before + self.at as u64
    }

    /// The next record; `None`: the log has ended, as its end record says.
    ///
    /// # Errors
    /// [`LogError`]: the first thing that is wrong. Nothing comes behind it.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record>, LogError> {
        match self.step() {
            Ok(record) => Ok(record),
            Err(fault) => Err(self.failed(fault)),
        }
    }

    #[cold]
    fn failed(&mut self, fault: Fault) -> LogError {
        self.done = true;
        // Where it breaks off is its end; else the record is wrong.
        let place = if let Fault::Truncated = fault { self.end } else { self.at };
        at(self.before + place as u64, fault)
    }

    #[inline]
    fn step(&mut self) -> Result<Option<Record>, Fault> {
        if self.end - self.at < LONGEST && !self.dry {
            self.fill().map_err(|(_, fault)| fault)?;
        }
        if self.done {
            return Ok(None);
        }
        let mut bytes = Bytes { bytes: &self.buffer[..self.end], at: self.at };
        let tag = bytes.byte()?;
        let mode = match tag & 7 {
            0 => AccessMode::Rd,
            1 => AccessMode::Wr,
            2 => AccessMode::At(Scope::Block),
            3 => AccessMode::At(Scope::Device),
            4 => AccessMode::At(Scope::System),
            _ => return self.other(tag),
        };
        let last = &mut self.last;
        let mut thread = last.thread;
        match tag >> 3 & 3 {
            0 => {}
            1 => thread.index += 1,
            2 => thread.index = bytes.number()?,
            _ => thread = Thread { block: bytes.number()?, index: bytes.number()? },
        }
        let (mut array, mut site) = (last.array, last.site);
        if tag & 0x80 != 0 {
            array = bytes.half()?;
            site = match bytes.number()?.checked_sub(1) {
                None => None,
                Some(site) => Some(Site(u32::try_from(site).map_err(|_| Fault::Number(32))?)),
            };
        }
        let Some(known) = last.indices.get_mut(array as usize) else {
            return Err(Fault::Array(array.into(), last.indices.len()));
        };
        let index = match tag >> 5 & 3 {
            0 => *known,
            1 => known.wrapping_add(1),
            2 => {
                let moved = bytes.number()?;
                known.wrapping_add(moved >> 1 ^ (moved & 1).wrapping_neg())
            }
            _ => bytes.number()?,
        };
        let access = Access { thread, mode, array, index, site };
        self.tables.access(&access)?;
        *known = index;
        (last.thread, last.array, last.site) = (thread, array, site);
        self.at = bytes.at;
        Ok(Some(Record::Access(access)))
    }

    /// A record that is no access.
    #[inline(never)]
    fn other(&mut self, tag: u8) -> Result<Option<Record>, Fault> {
        let mut bytes = Bytes { bytes: &self.buffer[..self.end], at: self.at + 1 };
        let record = match (tag & 7, tag >> 3) {
            (BARRIER, 0) => Record::Barrier(Barrier::Grid),
            (BARRIER, 1) => Record::Barrier(Barrier::Block { block: bytes.number()? }),
            (BARRIER, 2) => {
                Record::Barrier(Barrier::Warp { block: bytes.number()?, warp: bytes.number()? })
            }
            (BARRIER, 3) => {
                let (block, size) = (bytes.number()?, bytes.half()?);
                Record::Barrier(Barrier::Tile { block, size, first: bytes.number()? })
            }
            (BARRIER, 4) => {
                let (block, warp) = (bytes.number()?, bytes.number()?);
                Record::Barrier(Barrier::Lanes { block, warp, lanes: bytes.number()? })
            }
            (TELL, space @ 0..=1) => {
                let element = bytes.half()?;
                let name = Name::new(bytes.text()?);
                Record::Array(Array { name, shared: space == 1, element })
            }
            (TELL, 2) => {
                let (site, line, column) = (Site(bytes.half()?), bytes.half()?, bytes.half()?);
                Record::Place(Place { site, file: bytes.text()?, line, column })
            }
            (END, 0) => {
                let (accesses, barriers) = (bytes.number()?, bytes.number()?);
                let read = bytes.at;
                self.tables.end(accesses, barriers)?;
                self.at = read;
                if self.at < self.end {
                    return Err(Fault::Behind);
                }
                self.done = true;
                return Ok(None);
            }
            _ => return Err(Fault::Tag(tag)),
        };
        let read = bytes.at;
        self.tables.take(&record)?;
        self.at = read;
        if let Record::Array(_) = record {
            self.last.indices.push(0);
        }
        Ok(Some(record))
    }

    /// Reads on, behind what is not read yet. With the error comes where in the buffer it is.
    #[inline(never)]
    fn fill(&mut self) -> Result<(), (usize, Fault)> {
        self.buffer.copy_within(self.at..self.end, 0);
        self.before += self.at as u64;
        (self.at, self.end) = (0, self.end - self.at);
        while self.end < self.buffer.len() {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.dry = true;
                    break;
                }
                // A reader that says that it read more than there is room for is wrong.
                Ok(read) => self.end = (self.end + read).min(self.buffer.len()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err((self.end, error.into())),
            }
        }
        Ok(())
    }
}

#[cold]
fn at(offset: u64, fault: Fault) -> LogError {
    LogError { at: Position::Byte(offset), fault }
}

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
        let mode = match mode {
            AccessMode::Rd => 0,
            AccessMode::Wr => 1,
            AccessMode::At(Scope::Block) => 2,
            AccessMode::At(Scope::Device) => 3,
            AccessMode::At(Scope::System) => 4,
        };
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
