//! Logs in either format, and runs in memory as logs.

use crate::binary::{MAGIC, Reader, Writer};
use crate::error::{Fault, LogError};
use crate::lines::{LineReader, LineWriter};
use crate::record::{Access, Array, Barrier, Record};
use crate::tables::Tables;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{Cell, Launch, Name};
use std::collections::HashMap;
use std::io::{Chain, Cursor, Read, Write};
use std::ops::ControlFlow;

/// Which format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Bytes.
    Binary,
    /// JSON lines.
    Lines,
}

/// Reads a log, whichever format it has.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum LogReader<R> {
    Binary(Box<Reader<Chain<Cursor<Vec<u8>>, R>>>),
    Lines(Box<LineReader<Chain<Cursor<Vec<u8>>, R>>>),
}

impl<R: Read> LogReader<R> {
    /// A reader of a log: of a binary one unless it begins with a brace.
    ///
    /// # Errors
    /// [`LogError`]: it is no log, of another version, or of a launch that is none.
    pub fn new(mut inner: R) -> Result<LogReader<R>, LogError> {
        let mut head = Vec::new();
        let read = (&mut inner).take(MAGIC.len() as u64).read_to_end(&mut head);
        read.map_err(|error| LogError { at: crate::Position::Byte(0), fault: error.into() })?;
        let lines = head.first() == Some(&b'{');
        let whole = Cursor::new(head).chain(inner);
        Ok(match lines {
            true => LogReader::Lines(Box::new(LineReader::new(whole)?)),
            false => LogReader::Binary(Box::new(Reader::new(whole)?)),
        })
    }

    /// Its format.
    pub fn format(&self) -> Format {
        match self {
            LogReader::Binary(_) => Format::Binary,
            LogReader::Lines(_) => Format::Lines,
        }
    }

    /// What the log told so far.
    pub fn tables(&self) -> &Tables {
        match self {
            LogReader::Binary(reader) => reader.tables(),
            LogReader::Lines(reader) => reader.tables(),
        }
    }

    /// Reads accesses, up to one at which `on` breaks: then `None`, as at the end of the log; or up to a record of
    /// another kind.
    ///
    /// # Errors
    /// As [`LogReader::next_record`].
    #[inline]
    pub fn accesses(
        &mut self,
        mut on: impl FnMut(&Access) -> ControlFlow<()>,
    ) -> Result<Option<Record>, LogError> {
        match self {
            LogReader::Binary(reader) => reader.accesses(on),
            LogReader::Lines(reader) => loop {
                match reader.next_record()? {
                    Some(Record::Access(access)) if on(&access).is_continue() => {}
                    Some(Record::Access(_)) | None => return Ok(None),
                    other => return Ok(other),
                }
            },
        }
    }

    /// The next record; `None`: the log has ended, as its end record says.
    ///
    /// # Errors
    /// [`LogError`]: the first thing that is wrong. Nothing comes behind it.
    pub fn next_record(&mut self) -> Result<Option<Record>, LogError> {
        match self {
            LogReader::Binary(reader) => reader.next_record(),
            LogReader::Lines(reader) => reader.next_record(),
        }
    }
}

/// Writes a log in either format.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum LogWriter<W> {
    Binary(Box<Writer<W>>),
    Lines(Box<LineWriter<W>>),
}

impl<W: Write> LogWriter<W> {
    /// A writer of a log of a launch.
    ///
    /// # Errors
    /// [`LogError`]: the launch is none, or nothing can be written.
    pub fn new(inner: W, format: Format, launch: Launch) -> Result<LogWriter<W>, LogError> {
        Ok(match format {
            Format::Binary => LogWriter::Binary(Box::new(Writer::new(inner, launch)?)),
            Format::Lines => LogWriter::Lines(Box::new(LineWriter::new(inner, launch)?)),
        })
    }

    /// Writes a record.
    ///
    /// # Errors
    /// [`LogError`]: a reader would refuse the record, or nothing can be written.
    pub fn write(&mut self, record: &Record) -> Result<(), LogError> {
        match self {
            LogWriter::Binary(writer) => writer.write(record),
            LogWriter::Lines(writer) => writer.write(record),
        }
    }

    /// Writes the end of the log.
    ///
    /// # Errors
    /// [`LogError`]: nothing can be written.
    pub fn finish(self) -> Result<W, LogError> {
        match self {
            LogWriter::Binary(writer) => writer.finish(),
            LogWriter::Lines(writer) => writer.finish(),
        }
    }
}

/// Turns the events of a trace into records, one by one.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    arrays: HashMap<Name, u32>,
}

impl Recorder {
    /// The records of an event of a trace: the array is told before its first access.
    ///
    /// # Errors
    /// [`Fault`]: an index of more than 64 bits, or more arrays than there are numbers.
    pub fn records(
        &mut self,
        trace: &Trace,
        event: &Event,
    ) -> Result<(Option<Record>, Record), Fault> {
        let barrier = |barrier| Ok((None, Record::Barrier(barrier)));
        match event {
            Event::Access { thread, mode, cell, site } => {
                let (told, array) = match self.arrays.get(&cell.array) {
                    Some(number) => (None, *number),
                    None => {
                        let number = u32::try_from(self.arrays.len());
                        let number = number.map_err(|_| Fault::Limit("2^32 arrays"))?;
                        self.arrays.insert(cell.array.clone(), number);
                        let (name, shared) =
                            (cell.array.clone(), trace.shared.contains(&cell.array));
                        (Some(Record::Array(Array { name, shared, element: 0 })), number)
                    }
                };
                let index = cell.index.to_u64().ok_or(Fault::Number(64))?;
                let access = Access { thread: *thread, mode: *mode, array, index, site: *site };
                Ok((told, Record::Access(access)))
            }
            Event::GridBarrier => barrier(Barrier::Grid),
            Event::BlockBarrier { block } => barrier(Barrier::Block { block: *block }),
            Event::WarpBarrier { block, warp } => {
                barrier(Barrier::Warp { block: *block, warp: *warp })
            }
            Event::TileBarrier { block, size, first } => {
                barrier(Barrier::Tile { block: *block, size: *size, first: *first })
            }
            Event::LaneBarrier { block, warp, lanes } => {
                barrier(Barrier::Lanes { block: *block, warp: *warp, lanes: *lanes })
            }
        }
    }
}

/// Writes all of a trace.
///
/// # Errors
/// [`LogError`]: an event that no log may have, or nothing can be written.
pub fn write_trace<W: Write>(inner: W, format: Format, trace: &Trace) -> Result<W, LogError> {
    let mut writer = LogWriter::new(inner, format, trace.launch)?;
    write_events(&mut writer, trace)?;
    writer.finish()
}

/// Writes the events of a trace.
///
/// # Errors
/// [`LogError`]: an event that no log may have, or nothing can be written.
pub fn write_events<W: Write>(writer: &mut LogWriter<W>, trace: &Trace) -> Result<(), LogError> {
    let mut recorder = Recorder::default();
    for (number, event) in (0..).zip(&trace.events) {
        let at = crate::Position::Event(number);
        let records = recorder.records(trace, event).map_err(|fault| LogError { at, fault })?;
        let (told, record) = records;
        for record in told.iter().chain([&record]) {
            writer.write(record).map_err(|error| LogError { at, ..error })?;
        }
    }
    Ok(())
}

/// Why a log is not copied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// It cannot be read.
    #[error("{0}")]
    Read(LogError),
    /// It cannot be written.
    #[error("{0}")]
    Write(LogError),
}

/// Copies the rest of a log, record by record. Whatever its ends are, this loop is compiled here, and as fast.
///
/// # Errors
/// [`CopyError`]
pub fn copy(
    from: &mut LogReader<Box<dyn Read>>,
    to: &mut LogWriter<Box<dyn Write>>,
) -> Result<(), CopyError> {
    loop {
        babycuda_core::budget::pause();
        match from.next_record().map_err(CopyError::Read)? {
            None => return Ok(()),
            Some(record) => to.write(&record).map_err(CopyError::Write)?,
        }
    }
}

/// All of a log as a trace, if it has at most so many events.
///
/// # Errors
/// [`LogError`]: what is wrong with the log, or it has more.
pub fn read_trace(inner: impl Read, most: usize) -> Result<Trace, LogError> {
    let mut reader = LogReader::new(inner)?;
    let mut trace =
        Trace { launch: reader.tables().launch(), shared: Default::default(), events: Vec::new() };
    while let Some(record) = reader.next_record()? {
        let event = match record {
            Record::Place(_) => continue,
            Record::Array(array) => {
                if array.shared {
                    trace.shared.insert(array.name);
                }
                continue;
            }
            Record::Access(Access { thread, mode, array, index, site }) => {
                // The tables hold the array.
                let array = reader.tables().arrays().get(array as usize);
                let Some(array) = array else { continue };
                let cell = Cell::new(array.name.clone(), index);
                Event::Access { thread, mode, cell, site }
            }
            Record::Barrier(barrier) => match barrier {
                Barrier::Grid => Event::GridBarrier,
                Barrier::Block { block } => Event::BlockBarrier { block },
                Barrier::Warp { block, warp } => Event::WarpBarrier { block, warp },
                Barrier::Tile { block, size, first } => Event::TileBarrier { block, size, first },
                Barrier::Lanes { block, warp, lanes } => Event::LaneBarrier { block, warp, lanes },
            },
        };
        if trace.events.len() == most {
            let at = crate::Position::Event(most as u64);
            return Err(LogError {
                at,
                fault: Fault::Limit("events that a document has no room for"),
            });
        }
        trace.events.push(event);
    }
    Ok(trace)
}
