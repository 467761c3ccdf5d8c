//! A sort of entries that keeps no more of them in memory than its budget has room for (LGAGJL12 §4.2, “offline
//! trace analysis”): sorted runs go to files, and are merged.

use super::log::Entry;
use super::record::{BYTES, decode, encode};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The least buffer of a file that is read or written, in bytes.
const LEAST: usize = 8 * BYTES;

/// What a run takes in a merge, beside its buffer.
const RUN: usize = size_of::<BufReader<File>>() + size_of::<Reverse<(Entry, usize)>>();

/// The least budget: a few entries, and what a merge of two runs into a third needs.
pub const LEAST_BUDGET: usize = 8 * LEAST;

/// Sorts entries, and drops those that came before: the log is a set.
#[derive(Debug)]
pub struct Sorter {
    budget: usize,
    held: Vec<Entry>,
    room: usize,
    runs: Vec<PathBuf>,
    made: u64,
    folder: Folder,
    spilled: u64,
    peak: usize,
}

impl Sorter {
    /// A sorter that holds at most so many bytes of entries and buffers (at least [`LEAST_BUDGET`]), and puts
    /// the rest into a folder of its own in `place`. The folder goes with the sorter, or with what it sorted.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn new(budget: usize, place: &Path) -> io::Result<Sorter> {
        let budget = budget.max(LEAST_BUDGET);
        // A run is written through a buffer.
        let room = ((budget - LEAST) / size_of::<Entry>()).max(1);
        let (held, runs, folder) = (Vec::new(), Vec::new(), Folder::new(place)?);
        Ok(Sorter { budget, held, room, runs, made: 0, folder, spilled: 0, peak: 0 })
    }

    /// Takes an entry.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn push(&mut self, entry: Entry) -> io::Result<()> {
        if self.held.len() == self.room {
            self.spill()?;
        }
        if self.held.capacity() == 0 {
            // All at once: a vector that grows is there twice for a moment.
            self.held.reserve_exact(self.room);
            self.note(self.held.capacity() * size_of::<Entry>());
        }
        self.held.push(entry);
        Ok(())
    }

    /// How many bytes went to files so far.
    pub fn spilled(&self) -> u64 {
        self.spilled
    }

    /// All entries in order, each once.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn finish(mut self) -> io::Result<Sorted> {
        if self.runs.is_empty() {
            self.held.sort_unstable();
            self.held.dedup();
            let held = std::mem::take(&mut self.held).into_iter();
            let (spilled, peak) = (self.spilled, self.peak);
            return Ok(Sorted { from: From::Memory(held), spilled, peak, _folder: self.folder });
        }
        self.spill()?;
        self.held = Vec::new();
        // A merge has a buffer for each run, and one for what it writes.
        let most = ((self.budget - LEAST) / (LEAST + RUN)).max(2);
        while self.runs.len() > most {
            let merged: Vec<PathBuf> = self.runs.drain(..most).collect();
            let merge = self.merge(&merged)?;
            let path = self.path();
            self.spilled += write(&path, LEAST, merge)?;
            merged.iter().try_for_each(fs::remove_file)?;
            self.runs.push(path);
        }
        let runs = std::mem::take(&mut self.runs);
        let from = From::Files(Box::new(self.merge(&runs)?));
        Ok(Sorted { from, spilled: self.spilled, peak: self.peak, _folder: self.folder })
    }

    fn merge(&mut self, runs: &[PathBuf]) -> io::Result<Merge> {
        let each = (self.budget - LEAST) / runs.len().max(1);
        let each = each.saturating_sub(RUN).max(LEAST) / BYTES * BYTES;
        self.note((each + RUN) * runs.len() + LEAST);
        let readers = runs.iter().map(|path| Ok(BufReader::with_capacity(each, File::open(path)?)));
        Merge::new(readers.collect::<io::Result<_>>()?)
    }

    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        self.held.dedup();
        self.note(self.held.capacity() * size_of::<Entry>() + LEAST);
        let path = self.path();
        self.spilled += write(&path, LEAST, self.held.drain(..).map(Ok))?;
        self.runs.push(path);
        Ok(())
    }

    fn note(&mut self, bytes: usize) {
        self.peak = self.peak.max(bytes);
    }

    fn path(&mut self) -> PathBuf {
        self.made += 1;
        self.folder.0.join(self.made.to_string())
    }
}

fn write(
    path: &Path,
    buffer: usize,
    entries: impl Iterator<Item = io::Result<Entry>>,
) -> io::Result<u64> {
    let mut file = BufWriter::with_capacity(buffer, File::create(path)?);
    let mut bytes = 0;
    for entry in entries {
        file.write_all(&encode(&entry?))?;
        bytes += BYTES as u64;
    }
    file.flush()?;
    Ok(bytes)
}

/// Sorted entries, each once.
#[derive(Debug)]
pub struct Sorted {
    from: From,
    spilled: u64,
    peak: usize,
    _folder: Folder,
}

impl Sorted {
    /// How many bytes went to files.
    pub fn spilled(&self) -> u64 {
        self.spilled
    }

    /// The most bytes that entries and buffers took at once.
    pub fn peak(&self) -> usize {
        self.peak
    }
}

impl Iterator for Sorted {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<io::Result<Entry>> {
        match &mut self.from {
            From::Memory(entries) => entries.next().map(Ok),
            From::Files(merge) => merge.next(),
        }
    }
}

#[derive(Debug)]
enum From {
    Memory(std::vec::IntoIter<Entry>),
    Files(Box<Merge>),
}

/// The merge of sorted runs.
#[derive(Debug)]
struct Merge {
    runs: Vec<BufReader<File>>,
    /// The next entry of each run that has one, the least on top.
    next: BinaryHeap<Reverse<(Entry, usize)>>,
    last: Option<Entry>,
}

impl Merge {
    fn new(runs: Vec<BufReader<File>>) -> io::Result<Merge> {
        let next = BinaryHeap::with_capacity(runs.len());
        let mut merge = Merge { runs, next, last: None };
        (0..merge.runs.len()).try_for_each(|run| merge.refill(run))?;
        Ok(merge)
    }

    fn refill(&mut self, run: usize) -> io::Result<()> {
        let mut bytes = [0; BYTES];
        match self.runs[run].read_exact(&mut bytes) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            other => other?,
        }
        let entry = decode(&bytes).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
        self.next.push(Reverse((entry, run)));
        Ok(())
    }
}

impl Iterator for Merge {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<io::Result<Entry>> {
        loop {
            let Reverse((entry, run)) = self.next.pop()?;
            if let Err(e) = self.refill(run) {
                self.next.clear();
                return Some(Err(e));
            }
            if self.last.replace(entry) != Some(entry) {
                return Some(Ok(entry));
            }
        }
    }
}

/// A folder that is removed with its contents.
#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn new(place: &Path) -> io::Result<Folder> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        // Without files, what does not fit into memory is an error when it comes to that.
        if cfg!(all(target_family = "wasm", target_os = "unknown")) {
            return Ok(Folder(place.to_owned()));
        }
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let path = place.join(format!("babycuda-log-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                // Left by a process of the same number.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                other => return other.map(|()| Folder(path)),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing can be done about a folder that stays.
        let _ = fs::remove_dir_all(&self.0);
    }
}
