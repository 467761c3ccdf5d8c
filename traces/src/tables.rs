//! What every record of a log must hold to: the launch, the arrays and places that were told before, the limits.

use crate::error::Fault;
use crate::record::{Access, Array, Barrier, Place, Record};
use babycuda_core::{Launch, Name, Site};
use std::collections::{BTreeMap, HashMap};

/// Bytes of the name of an array or a file.
pub const MAX_NAME: usize = 4096;
/// Arrays of a log.
pub const MAX_ARRAYS: usize = 65_536;
/// Places of statements that a log tells.
pub const MAX_PLACES: usize = 1_048_576;
/// Bytes of all names of arrays and files of a log.
pub const MAX_TEXT: usize = 67_108_864;
/// Threads of a launch, where those of a block count as the next power of two.
pub const MAX_THREADS: u64 = 4_294_967_296;
/// Threads of a warp.
pub const MAX_WARP: u32 = 1024;

/// What a log told up to some record.
#[derive(Clone, Debug)]
pub struct Tables {
    launch: Launch,
    blocks: u64,
    threads: u64,
    arrays: Vec<Array>,
    numbers: HashMap<Name, u32>,
    places: BTreeMap<Site, Place>,
    text: usize,
    pub(crate) accesses: u64,
    pub(crate) barriers: u64,
}

impl Tables {
    /// Those of a log that begins.
    ///
    /// # Errors
    /// [`Fault::Launch`]
    pub fn new(launch: Launch) -> Result<Tables, Fault> {
        let (blocks, threads) = (launch.grid.count(), launch.block.count());
        if blocks == 0 || threads == 0 {
            return Err(Fault::Launch("without threads"));
        }
        let all = threads.checked_next_power_of_two().and_then(|all| all.checked_mul(blocks));
        if all.is_none_or(|all| all > MAX_THREADS) {
            return Err(Fault::Launch("of more than 2^32 threads"));
        }
        if !launch.warp.is_power_of_two() || launch.warp > MAX_WARP {
            return Err(Fault::Launch("whose warps are no power of two of at most 1024 threads"));
        }
        let (arrays, numbers, places) = Default::default();
        let (text, accesses, barriers) = (0, 0, 0);
        Ok(Tables { launch, blocks, threads, arrays, numbers, places, text, accesses, barriers })
    }

    /// The launch.
    pub fn launch(&self) -> Launch {
        self.launch
    }

    /// How many blocks it has, and threads a block.
    pub(crate) fn extents(&self) -> (u64, u64) {
        (self.blocks, self.threads)
    }

    /// The arrays, by their numbers.
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }

    /// The number of an array.
    pub fn number(&self, name: &Name) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The places of statements.
    pub fn places(&self) -> &BTreeMap<Site, Place> {
        &self.places
    }

    /// How many accesses there were.
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// How many barriers there were.
    pub fn barriers(&self) -> u64 {
        self.barriers
    }

    /// The next record.
    ///
    /// # Errors
    /// It does not hold to what was told before.
    pub fn take(&mut self, record: &Record) -> Result<(), Fault> {
        match record {
            Record::Access(access) => self.access(access),
            Record::Barrier(barrier) => self.barrier(*barrier),
            Record::Array(array) => self.array(array),
            Record::Place(place) => self.place(place),
        }
    }

    #[inline]
    pub(crate) fn access(&mut self, access: &Access) -> Result<(), Fault> {
        let Access { thread, array, .. } = access;
        if thread.block >= self.blocks {
            return Err(Fault::Block(thread.block, self.blocks));
        }
        if thread.index >= self.threads {
            return Err(Fault::Thread(thread.index, self.threads));
        }
        if *array as usize >= self.arrays.len() {
            return Err(Fault::Array((*array).into(), self.arrays.len()));
        }
        self.accesses += 1;
        Ok(())
    }

    pub(crate) fn barrier(&mut self, barrier: Barrier) -> Result<(), Fault> {
        let size = u64::from(self.launch.warp);
        match barrier {
            Barrier::Grid => {}
            Barrier::Block { block } => self.block(block)?,
            Barrier::Warp { block, warp } => {
                self.warp(block, warp)?;
            }
            Barrier::Tile { block, size: tile, first } => {
                self.block(block)?;
                if !tile.is_power_of_two() || u64::from(tile) > size {
                    return Err(Fault::TileSize(tile));
                }
                if first >= self.threads || !first.is_multiple_of(tile.into()) {
                    return Err(Fault::Tile(first, tile));
                }
            }
            Barrier::Lanes { block, warp, lanes } => {
                let there = self.warp(block, warp)?;
                if size > 64 {
                    return Err(Fault::Wide(self.launch.warp));
                }
                if lanes & mask(there) == 0 {
                    return Err(Fault::Lanes);
                }
            }
        }
        self.barriers += 1;
        Ok(())
    }

    fn block(&self, block: u64) -> Result<(), Fault> {
        if block < self.blocks { Ok(()) } else { Err(Fault::Block(block, self.blocks)) }
    }

    /// How many threads a warp has.
    fn warp(&self, block: u64, warp: u64) -> Result<u64, Fault> {
        self.block(block)?;
        let size = u64::from(self.launch.warp);
        let warps = self.threads.div_ceil(size);
        if warp >= warps {
            return Err(Fault::Warp(warp, warps));
        }
        Ok(size.min(self.threads - warp * size))
    }

    fn array(&mut self, array: &Array) -> Result<(), Fault> {
        self.text(array.name.as_str())?;
        let number = self.arrays.len();
        if number >= MAX_ARRAYS {
            return Err(Fault::Limit("65,537 arrays"));
        }
        // Below 65,536.
        if self.numbers.insert(array.name.clone(), number as u32).is_some() {
            return Err(Fault::Twice(array.name.as_str().to_owned()));
        }
        self.arrays.push(array.clone());
        Ok(())
    }

    fn place(&mut self, place: &Place) -> Result<(), Fault> {
        self.text(&place.file)?;
        if self.places.len() >= MAX_PLACES {
            return Err(Fault::Limit("1,048,577 places"));
        }
        match self.places.insert(place.site, place.clone()) {
            Some(_) => Err(Fault::PlaceTwice(place.site)),
            None => Ok(()),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), Fault> {
        if text.len() > MAX_NAME {
            return Err(Fault::Limit("a name of more than 4096 bytes"));
        }
        self.text += text.len();
        if self.text > MAX_TEXT { Err(Fault::Limit("names of more than 64 MiB")) } else { Ok(()) }
    }

    /// What an end record must say.
    pub(crate) fn end(&self, said_accesses: u64, said_barriers: u64) -> Result<(), Fault> {
        let Tables { accesses, barriers, .. } = *self;
        match (said_accesses, said_barriers) == (accesses, barriers) {
            true => Ok(()),
            false => Err(Fault::Counts { said_accesses, said_barriers, accesses, barriers }),
        }
    }
}

/// The lanes below some number of at most 64.
pub(crate) fn mask(lanes: u64) -> u64 {
    match lanes {
        0 => 0,
        lanes => u64::MAX >> (64 - lanes.min(64)),
    }
}
