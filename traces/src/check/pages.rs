//! What is known of cells, page by page, within a budget: where it has no room for all cells of a log, some are left
//! to a later pass over the log.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Cells of a page.
pub(super) const CELLS: usize = 64;

/// A page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    /// The array, and above 32 bits the block whose it is, from 1; 0: it is global.
    pub(super) space: u64,
    /// The index of its cells, without the lowest bits.
    pub(super) page: u64,
}

impl Key {
    /// The page of a cell, and its place there.
    #[inline]
    pub(super) fn of(space: u64, index: u64) -> (Key, usize) {
        (Key { space, page: index / CELLS as u64 }, index as usize % CELLS)
    }

    fn hash(self) -> u64 {
        let mixed = self.space.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.page;
        let mixed = mixed.wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ mixed >> 32
    }
}

/// Some of the pages: those whose hashes end so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    bits: u32,
    value: u64,
}

impl Part {
    pub(super) const WHOLE: Part = Part { bits: 0, value: 0 };

    fn holds(self, key: Key) -> bool {
        key.hash() & ((1 << self.bits) - 1) == self.value
    }

    /// Two halves, while there are bits.
    fn halves(self) -> Option<(Part, Part)> {
        let half = |bit: u64| Part { bits: self.bits + 1, value: self.value | bit << self.bits };
        (self.bits < 48).then(|| (half(0), half(1)))
    }
}

/// What is known of the cells of a page.
pub(super) trait Page: Default {
    /// Bytes beside those of the page itself.
    fn more(&self) -> usize;
}

/// The pages of a part.
#[derive(Debug)]
pub(super) struct Pages<P> {
    part: Part,
    /// What was left to later passes.
    pub(super) later: Vec<Part>,
    numbers: HashMap<Key, u32, Mix>,
    pages: Vec<Box<P>>,
    keys: Vec<Key>,
    /// Where the directories of spaces are, and of some of them once more, each where its hash says.
    spaces: HashMap<u64, u32, Mix>,
    near: [(u64, u32); NEAR],
    directories: Vec<Directory>,
    memory: usize,
    budget: usize,
    /// Is there no room for a single page?
    pub(super) full: bool,
}

/// Of some pages of a space, the number from 1; 0: it is not known here; [`NONE`]: another pass has the page.
#[derive(Debug, Default)]
struct Directory {
    numbers: Vec<u32>,
    known: usize,
}

const NONE: u32 = u32::MAX;
const NEAR: usize = 64;
const NOWHERE: (u64, u32) = (u64::MAX, NONE);

/// Bytes of a page of no content in the tables.
fn own<P>() -> usize {
    size_of::<P>() + size_of::<Key>() + size_of::<Box<P>>() + 2 * size_of::<(Key, u32)>() + 64
}

impl<P: Page> Pages<P> {
    pub(super) fn new(part: Part, budget: usize) -> Pages<P> {
        let mix = Mix::new();
        Pages {
            part,
            later: Vec::new(),
            numbers: HashMap::with_hasher(mix),
            pages: Vec::new(),
            keys: Vec::new(),
            spaces: HashMap::with_hasher(mix),
            near: [NOWHERE; NEAR],
            directories: Vec::new(),
            memory: 0,
            budget,
            full: false,
        }
    }

    /// The page, which begins empty; `None`: it is another pass's.
    #[inline]
    pub(super) fn page(&mut self, key: Key) -> Option<&mut P> {
        let (space, place) = self.near[(key.space ^ key.space >> 32) as usize % NEAR];
        let directory = self.directories.get(place as usize).filter(|_| space == key.space);
        let known = directory.and_then(|directory| directory.numbers.get(key.page as usize));
        let number = match known {
            Some(number) if *number != 0 => *number,
            _ => self.find(key),
        };
        self.pages.get_mut(number as usize - 1).map(|page| &mut **page)
    }

    #[inline(never)]
    fn find(&mut self, key: Key) -> u32 {
        let number = match self.numbers.get(&key).copied() {
            Some(number) => number,
            None if self.full || !self.part.holds(key) => NONE,
            None => {
                self.make_room(Some(key));
                if self.full || !self.part.holds(key) { NONE } else { self.begin(key) }
            }
        };
        let fresh = self.directories.len() as u32;
        let place = *self.spaces.entry(key.space).or_insert(fresh);
        if place == fresh {
            self.directories.push(Directory::default());
        }
        self.near[(key.space ^ key.space >> 32) as usize % NEAR] = (key.space, place);
        let Directory { numbers, known } = &mut self.directories[place as usize];
        // It does not grow for a page that is far from others.
        let near = key.page < 16 + 8 * *known as u64;
        if number != NONE || key.page < numbers.len() as u64 {
            *known += 1;
        }
        if near && numbers.len() as u64 <= key.page {
            numbers.resize(key.page as usize + 1, 0);
        }
        if let Some(known) = numbers.get_mut(key.page as usize) {
            *known = number;
        }
        number
    }

    fn begin(&mut self, key: Key) -> u32 {
        self.pages.push(Box::default());
        self.keys.push(key);
        // The budget has no room for so many pages.
        let number = self.pages.len() as u32;
        self.numbers.insert(key, number);
        self.memory += own::<P>();
        number
    }

    /// The pages took more bytes.
    pub(super) fn grew(&mut self, bytes: usize) {
        self.memory += bytes;
        if self.memory > self.budget {
            self.make_room(None);
        }
    }

    /// Leaves pages to later passes until there is room, also for the one that is wanted if it is not left to them.
    fn make_room(&mut self, wanted: Option<Key>) {
        loop {
            let wanted = wanted.filter(|key| self.part.holds(*key));
            if self.memory + wanted.map_or(0, |_| own::<P>()) <= self.budget {
                return;
            }
            // One page by itself takes too much.
            let alone = self.pages.len() + usize::from(wanted.is_some()) < 2;
            let Some((one, other)) = self.part.halves().filter(|_| !alone) else {
                self.full = true;
                return;
            };
            self.part = one;
            self.later.push(other);
            let keys = std::mem::take(&mut self.keys).into_iter();
            let pages = keys.zip(std::mem::take(&mut self.pages));
            (self.keys, self.pages) = pages.filter(|(key, _)| one.holds(*key)).unzip();
            self.numbers = HashMap::with_hasher(Mix::new());
            self.numbers.extend(self.keys.iter().copied().zip(1..));
            (self.near, self.directories) = ([NOWHERE; NEAR], Vec::new());
            self.spaces = HashMap::with_hasher(Mix::new());
            self.memory = self.pages.iter().map(|page| own::<P>() + page.more()).sum();
        }
    }

    /// All pages.
    pub(super) fn all(&self) -> impl Iterator<Item = (Key, &P)> {
        self.keys.iter().copied().zip(self.pages.iter().map(|page| &**page))
    }
}

/// Which cells of a log have something, page by page, within a budget.
#[derive(Debug, Default)]
pub(super) struct Marked {
    pages: HashMap<Key, u64>,
    room: usize,
    /// How many cells have it.
    pub(super) count: u64,
    /// How many of them there was no room for.
    pub(super) dropped: u64,
}

impl Marked {
    pub(super) fn new(budget: usize) -> Marked {
        Marked { room: budget / 48, ..Marked::default() }
    }

    pub(super) fn add(&mut self, key: Key, cells: u64) {
        let count = u64::from(cells.count_ones());
        self.count += count;
        if cells == 0 {
        } else if self.pages.len() < self.room {
            self.pages.insert(key, cells);
        } else {
            self.dropped += count;
        }
    }

    pub(super) fn cells(&self, key: Key) -> u64 {
        self.pages.get(&key).copied().unwrap_or(0)
    }

    /// The pages, in the order of keys.
    pub(super) fn all(&self) -> Vec<(Key, u64)> {
        let mut all: Vec<_> = self.pages.iter().map(|(key, cells)| (*key, *cells)).collect();
        all.sort_unstable_by_key(|(key, _)| (key.space & 0xffff_ffff, key.space, key.page));
        all
    }
}

/// A fast hash of few numbers, another one in each run of the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mix(u64);

impl Mix {
    pub(super) fn new() -> Mix {
        Mix(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Mix {
    type Hasher = Mixed;
    fn build_hasher(&self) -> Mixed {
        Mixed(self.0)
    }
}

#[derive(Debug)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        let wide = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (wide >> 64) as u64 ^ wide as u64;
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
