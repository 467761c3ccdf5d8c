//! JSON lines: the same records as text. `schemas/trace-line.json` describes a line.

use crate::error::{Fault, LogError, Position};
use crate::record::{Access, Array, Barrier, Place, Record};
use crate::tables::Tables;
use babycuda_core::{AccessMode, Launch, Name, Natural, Site, Thread};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Read, Write};

/// The format that the first line names.
pub const FORMAT: &str = "babycuda/trace-lines";
const VERSION: u32 = 1;

/// Bytes of a line, with its end.
pub const MAX_LINE: u64 = 65_536;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head<F> {
    format: F,
    version: u32,
    launch: Launch,
}

/// A line behind the first. Barriers and accesses are as in documents of traces.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Line {
    Array {
        name: Name,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        shared: bool,
        #[serde(default, skip_serializing_if = "is_zero")]
        element: u32,
    },
    Place {
        site: Site,
        file: String,
        line: u32,
        #[serde(default, skip_serializing_if = "is_zero")]
        column: u32,
    },
    Access {
        thread: ThreadForm,
        mode: AccessMode,
        cell: CellForm,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        site: Option<Site>,
    },
    GridBarrier,
    BlockBarrier {
        block: u64,
    },
    WarpBarrier {
        block: u64,
        warp: u64,
    },
    TileBarrier {
        block: u64,
        size: u32,
        first: u64,
    },
    LaneBarrier {
        block: u64,
        warp: u64,
        lanes: u64,
    },
    End {
        accesses: u64,
        barriers: u64,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ThreadForm {
    block: u64,
    index: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CellForm {
    array: Name,
    index: Natural,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Reads a log of JSON lines.
#[derive(Debug)]
pub struct LineReader<R> {
    inner: BufReader<R>,
    text: Vec<u8>,
    line: u64,
    tables: Tables,
    done: bool,
}

impl<R: Read> LineReader<R> {
    /// A reader of a log, which reads its first line.
    ///
    /// # Errors
    /// [`LogError`]: it is no log, of another version, or of a launch that is none.
    pub fn new(inner: R) -> Result<LineReader<R>, LogError> {
        let inner = BufReader::with_capacity(1 << 16, inner);
        let first = |fault| LogError { at: Position::Line(1), fault };
        let tables = Tables::new(Launch::threads(1)).map_err(first)?;
        let mut reader = LineReader { inner, text: Vec::new(), line: 0, tables, done: false };
        let head = |reader: &mut LineReader<R>| {
            if !reader.read()? {
                return Err(Fault::NoLog);
            }
            let head: Head<String> = reader.parsed()?;
            if head.format != FORMAT {
                return Err(Fault::NoLog);
            }
            if head.version != VERSION {
                return Err(Fault::Version(head.version.into()));
            }
            Tables::new(head.launch)
        };
        reader.tables = head(&mut reader).map_err(first)?;
        Ok(reader)
    }

    /// What the log told so far.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The next record; `None`: the log has ended, as its last line says.
    ///
    /// # Errors
    /// [`LogError`]: the first thing that is wrong. Nothing comes behind it.
    pub fn next_record(&mut self) -> Result<Option<Record>, LogError> {
        if self.done {
            return Ok(None);
        }
        self.step().map_err(|fault| {
            self.done = true;
            LogError { at: Position::Line(self.line), fault }
        })
    }

    fn step(&mut self) -> Result<Option<Record>, Fault> {
        if !self.read()? {
            return Err(Fault::Truncated);
        }
        let record = match self.parsed()? {
            Line::End { accesses, barriers } => {
                self.tables.end(accesses, barriers)?;
                self.done = true;
                return if self.is_more()? { Err(Fault::Behind) } else { Ok(None) };
            }
            Line::Array { name, shared, element } => Record::Array(Array { name, shared, element }),
            Line::Place { site, file, line, column } => {
                Record::Place(Place { site, file, line, column })
            }
            Line::Access { thread, mode, cell, site } => {
                let unnamed = || Fault::Unnamed(cell.array.as_str().to_owned());
                let array = self.tables.number(&cell.array).ok_or_else(unnamed)?;
                let index = cell.index.to_u64().ok_or(Fault::Number(64))?;
                let thread = Thread { block: thread.block, index: thread.index };
                Record::Access(Access { thread, mode, array, index, site })
            }
            Line::GridBarrier => Record::Barrier(Barrier::Grid),
            Line::BlockBarrier { block } => Record::Barrier(Barrier::Block { block }),
            Line::WarpBarrier { block, warp } => Record::Barrier(Barrier::Warp { block, warp }),
            Line::TileBarrier { block, size, first } => {
                Record::Barrier(Barrier::Tile { block, size, first })
            }
            Line::LaneBarrier { block, warp, lanes } => {
                Record::Barrier(Barrier::Lanes { block, warp, lanes })
            }
        };
        self.tables.take(&record)?;
        Ok(Some(record))
    }

    /// Does anything stand behind the last line but empty lines?
    fn is_more(&mut self) -> Result<bool, Fault> {
        while self.read()? {
            if !self.text.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads a line; is there one?
    fn read(&mut self) -> Result<bool, Fault> {
        self.text.clear();
        self.line += 1;
        let read = (&mut self.inner).take(MAX_LINE + 1).read_until(b'\n', &mut self.text)?;
        if read as u64 > MAX_LINE {
            return Err(Fault::Limit("a line of more than 65,536 bytes"));
        }
        Ok(read > 0)
    }

    fn parsed<'t, T: Deserialize<'t>>(&'t self) -> Result<T, Fault> {
        serde_json::from_slice(&self.text).map_err(|error| {
            // Its line is always the first.
            let text = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            let said = text.strip_suffix(&place).unwrap_or(&text);
            Fault::Json(format!("column {}: {said}", error.column()))
        })
    }
}

/// Writes a log as JSON lines.
#[derive(Debug)]
pub struct LineWriter<W> {
    inner: W,
    line: u64,
    tables: Tables,
}

impl<W: Write> LineWriter<W> {
    /// A writer of a log of a launch, which writes its first line.
    ///
    /// # Errors
    /// [`LogError`]: the launch is none, or nothing can be written.
    pub fn new(inner: W, launch: Launch) -> Result<LineWriter<W>, LogError> {
        let first = |fault| LogError { at: Position::Line(1), fault };
        let tables = Tables::new(launch).map_err(first)?;
        let mut writer = LineWriter { inner, line: 1, tables };
        writer.put(&Head { format: FORMAT, version: VERSION, launch })?;
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
        let at = Position::Line(self.line);
        self.tables.take(record).map_err(|fault| LogError { at, fault })?;
        let line = match record.clone() {
            Record::Array(Array { name, shared, element }) => Line::Array { name, shared, element },
            Record::Place(Place { site, file, line, column }) => {
                Line::Place { site, file, line, column }
            }
            Record::Access(Access { thread, mode, array, index, site }) => {
                // The tables hold the array.
                let known = self.tables.arrays().get(array as usize);
                let array = known.map_or_else(|| Name::new(""), |array| array.name.clone());
                let cell = CellForm { array, index: index.into() };
                let thread = ThreadForm { block: thread.block, index: thread.index };
                Line::Access { thread, mode, cell, site }
            }
            Record::Barrier(barrier) => match barrier {
                Barrier::Grid => Line::GridBarrier,
                Barrier::Block { block } => Line::BlockBarrier { block },
                Barrier::Warp { block, warp } => Line::WarpBarrier { block, warp },
                Barrier::Tile { block, size, first } => Line::TileBarrier { block, size, first },
                Barrier::Lanes { block, warp, lanes } => Line::LaneBarrier { block, warp, lanes },
            },
        };
        self.put(&line)
    }

    /// Writes the end of the log.
    ///
    /// # Errors
    /// [`LogError`]: nothing can be written.
    pub fn finish(mut self) -> Result<W, LogError> {
        let (accesses, barriers) = (self.tables.accesses, self.tables.barriers);
        self.put(&Line::End { accesses, barriers })?;
        let at = Position::Line(self.line);
        self.inner.flush().map_err(|error| LogError { at, fault: error.into() })?;
        Ok(self.inner)
    }

    fn put(&mut self, line: &impl Serialize) -> Result<(), LogError> {
        let at = Position::Line(self.line);
        // What is written here is no map with keys that are no strings, so only writing may fail.
        let text = serde_json::to_string(line).map_err(std::io::Error::from);
        let written = text.and_then(|text| writeln!(self.inner, "{text}"));
        self.line += 1;
        written.map_err(|error| LogError { at, fault: error.into() })
    }
}
