//! Why a text is no log, and where.

use babycuda_core::Site;
use std::fmt;

/// The first thing that is wrong with a log.
#[derive(Debug, thiserror::Error)]
#[error("{at}: {fault}")]
pub struct LogError {
    /// Where: what is wrong begins there, or the record in which it is.
    pub at: Position,
    /// What is wrong.
    pub fault: Fault,
}

/// A place in a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// Of a binary log: how many bytes stand before.
    Byte(u64),
    /// Of JSON lines: the line, from 1.
    Line(u64),
    /// Of a trace in memory: the event, from 0.
    Event(u64),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Byte(offset) => write!(f, "byte {offset}"),
            Position::Line(line) => write!(f, "line {line}"),
            Position::Event(number) => write!(f, "event {number}"),
        }
    }
}

/// What is wrong with a log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Fault {
    #[error("the log cannot be read: {0}")]
    Io(#[from] std::io::Error),
    #[error("this is no log of accesses")]
    NoLog,
    #[error("version {0} of the format, where only version 1 is read")]
    Version(u64),
    #[error("the log breaks off here, before its end record")]
    Truncated,
    #[error("no record begins with the byte {0:#04x}")]
    Tag(u8),
    #[error("a number of more than {0} bits")]
    Number(u32),
    #[error("a text that is not UTF-8")]
    Text,
    #[error("{0}")]
    Json(String),
    #[error("a launch {0}")]
    Launch(&'static str),
    #[error("{0}, which is more than a log may have")]
    Limit(&'static str),
    #[error("there is no array {0}: {1} were told before")]
    Array(u64, usize),
    #[error("there is no array `{0}`: it was not told before")]
    Unnamed(String),
    #[error("an array `{0}` was told before")]
    Twice(String),
    #[error("the place of {0} was told before")]
    PlaceTwice(Site),
    #[error("block {0}: the launch has {1}")]
    Block(u64, u64),
    #[error("thread {0}: a block has {1}")]
    Thread(u64, u64),
    #[error("warp {0}: a block has {1}")]
    Warp(u64, u64),
    #[error("a tile of {0} threads: it is a power of two, at most as many as a warp has")]
    TileSize(u32),
    #[error("a tile of {1} threads that begins at thread {0}")]
    Tile(u64, u32),
    #[error("a barrier of lanes that the warp does not have")]
    Lanes,
    #[error("a barrier of lanes of a warp of {0} threads, of which a mask names 64")]
    Wide(u32),
    #[error(
        "the end record counts {said_accesses} accesses and {said_barriers} barriers, and there are {accesses} and {barriers}"
    )]
    Counts { said_accesses: u64, said_barriers: u64, accesses: u64, barriers: u64 },
    #[error("something stands behind the end record")]
    Behind,
}
