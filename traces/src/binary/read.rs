//! Reading.

use super::{BARRIER, END, Last, MAGIC, MODES, TELL, VERSION, at};
use crate::error::{Fault, LogError};
use crate::record::{Access, Array, Barrier, Place, Record};
use crate::tables::{MAX_NAME, Tables};
use babycuda_core::{Dim3, Launch, Name, Site, Thread};
use std::io::{self, Read};
use std::ops::ControlFlow;

/// Bytes of the buffer: many of the longest records.
const ROOM: usize = 1 << 18;
/// No record is longer: a tag, a text with its length, and some numbers.
const LONGEST: usize = MAX_NAME + 64;

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

/// Why a burst of accesses ends.
enum Burst {
    /// Nobody wants more.
    Break,
    /// The buffer has no more.
    Dry,
    /// A record of another kind begins so.
    Other(u8),
}

/// No access is longer: a tag, and five numbers of at most ten bytes.
const WINDOW: usize = 64;

/// A cursor in the bytes of an access, and of what stands behind it.
struct Window<'b> {
    bytes: &'b [u8; WINDOW],
    at: usize,
    /// The bits of a number that has more.
    wide: Option<u32>,
}

impl<'b> Window<'b> {
    #[inline]
    fn new(bytes: &'b [u8; WINDOW]) -> Window<'b> {
        Window { bytes, at: 0, wide: None }
    }

    #[inline]
    fn byte(&mut self) -> u8 {
        let byte = self.bytes[self.at % WINDOW];
        self.at += 1;
        byte
    }

    #[inline]
    fn number(&mut self) -> u64 {
        let mut byte = self.byte();
        let mut number = u64::from(byte & 0x7f);
        let mut shift = 7;
        while byte >= 0x80 {
            byte = self.byte();
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && (bits > 1 || byte >= 0x80) {
                self.wide = Some(64);
                break;
            }
            number |= bits << shift;
            shift += 7;
        }
        number
    }

    #[inline]
    fn half(&mut self) -> u32 {
        let number = self.number();
        self.halved(number)
    }

    #[inline]
    fn halved(&mut self, number: u64) -> u32 {
        u32::try_from(number).unwrap_or_else(|_| {
            self.wide = Some(32);
            0
        })
    }
}

/// A cursor in the bytes of one record of another kind.
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
    pub fn next_record(&mut self) -> Result<Option<Record>, LogError> {
        let mut found = None;
        let other = self.accesses(|access| {
            found = Some(Record::Access(*access));
            ControlFlow::Break(())
        })?;
        Ok(found.or(other))
    }

    /// Reads accesses, up to one at which `on` breaks: then `None`, as at the end of the log; or up to a record of
    /// another kind.
    ///
    /// # Errors
    /// As [`Reader::next_record`].
    #[inline]
    pub fn accesses(
        &mut self,
        mut on: impl FnMut(&Access) -> ControlFlow<()>,
    ) -> Result<Option<Record>, LogError> {
        while !self.done {
            if self.end - self.at < LONGEST && !self.dry {
                self.fill().map_err(|(_, fault)| self.failed(fault))?;
            }
            match self.burst(&mut on) {
                Ok(Burst::Break) => return Ok(None),
                Ok(Burst::Dry) => {}
                Ok(Burst::Other(tag)) => {
                    return self.other(tag).map_err(|fault| self.failed(fault));
                }
                Err(fault) => return Err(self.failed(fault)),
            }
        }
        Ok(None)
    }

    #[cold]
    fn failed(&mut self, fault: Fault) -> LogError {
        self.done = true;
        // Where it breaks off is its end; else the record is wrong.
        let place = if let Fault::Truncated = fault { self.end } else { self.at };
        at(self.before + place as u64, fault)
    }

    /// The accesses in the buffer, as far as all of a record is there.
    #[inline]
    fn burst(&mut self, on: &mut impl FnMut(&Access) -> ControlFlow<()>) -> Result<Burst, Fault> {
        let whole = if self.dry { self.end } else { (self.end + 1).saturating_sub(LONGEST) };
        let (buffer, mut begin) = (&self.buffer[..self.end], self.at);
        let mut tail = [0; WINDOW];
        let Last { mut thread, mut array, mut site, ref mut indices } = self.last;
        let (blocks, threads) = self.tables.extents();
        let mut accesses = self.tables.accesses;
        let burst = loop {
            if begin >= whole {
                let none = self.dry;
                break if none { Err(Fault::Truncated) } else { Ok(Burst::Dry) };
            }
            let rest = buffer.get(begin..).unwrap_or_default();
            let mut bytes = match rest.first_chunk() {
                Some(bytes) => Window::new(bytes),
                None => {
                    tail[..rest.len()].copy_from_slice(rest);
                    Window::new(&tail)
                }
            };
            let tag = bytes.byte();
            let Some(mode) = MODES.get(usize::from(tag & 7)) else { break Ok(Burst::Other(tag)) };
            let mut who = thread;
            match tag >> 3 & 3 {
                0 => {}
                1 => who.index += 1,
                2 => who.index = bytes.number(),
                _ => who = Thread { block: bytes.number(), index: bytes.number() },
            }
            let (mut of, mut by) = (array, site);
            if tag & 0x80 != 0 {
                of = bytes.half();
                by = match bytes.number() {
                    0 => None,
                    number => Some(Site(bytes.halved(number - 1))),
                };
            }
            let before = indices.get(of as usize).copied().unwrap_or_default();
            let index = match tag >> 5 & 3 {
                0 => before,
                1 => before.wrapping_add(1),
                2 => {
                    let moved = bytes.number();
                    before.wrapping_add(moved >> 1 ^ (moved & 1).wrapping_neg())
                }
                _ => bytes.number(),
            };
            if bytes.at > rest.len() {
                break Err(Fault::Truncated);
            }
            if let Some(bits) = bytes.wide {
                break Err(Fault::Number(bits));
            }
            if who.block >= blocks {
                break Err(Fault::Block(who.block, blocks));
            }
            if who.index >= threads {
                break Err(Fault::Thread(who.index, threads));
            }
            let told = indices.len();
            let Some(known) = indices.get_mut(of as usize) else {
                break Err(Fault::Array(of.into(), told));
            };
            *known = index;
            (thread, array, site) = (who, of, by);
            begin += bytes.at;
            accesses += 1;
            if on(&Access { thread, mode: *mode, array, index, site }).is_break() {
                break Ok(Burst::Break);
            }
        };
        self.at = begin;
        self.tables.accesses = accesses;
        (self.last.thread, self.last.array, self.last.site) = (thread, array, site);
        burst
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
