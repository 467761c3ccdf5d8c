//! The accesses of a translated kernel, held against those of the compiled one.

use super::case::Case;
use super::log::{Accesses, Block, Log, Phase, Race, Stage, merged, races};
use crate::interpret::{Machine, Memory, Place, Stop};
use crate::log::Mode;
use crate::seen::Seen;
use babycuda_core::history::{AccessMode, Cell};
use babycuda_core::syntax::{Contents, Scope, Space};
use babycuda_core::together::waits;
use babycuda_core::{History, Name, Natural, Program, Thread};
use babycuda_semantics::grid::{cross_block_races, run_by};
use babycuda_semantics::{Instance, Outcome, Reason, RunLimits, RunOptions, vm};
use std::collections::BTreeSet;

/// What ends the names of arrays that tell accesses of own copies.
const IN_FLIGHT: &str = ".in_flight";

/// Is it a read of such an array, which each thread makes?
fn is_look(array: &Name, mode: Mode) -> bool {
    mode == Mode::Read && array.as_str().ends_with(IN_FLIGHT)
}

fn mode(mode: AccessMode) -> Mode {
    match mode {
        AccessMode::Rd => Mode::Read,
        AccessMode::Wr => Mode::Write,
        AccessMode::At(Scope::Block) => Mode::AtomicBlock,
        AccessMode::At(_) => Mode::Atomic,
    }
}

/// What a comparison came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Equal in accesses, and in races where the virtual machine came to the end: what there were.
    Equal { races: Vec<&'static str> },
    /// The translation leaves accesses open: which.
    Open(String),
    /// Too many steps.
    Limit,
    /// The first difference.
    Different(String),
}

/// How the cells of a translation lie in memory.
struct Cells<'p> {
    program: &'p Program,
    log: &'p Log,
}

impl Cells<'_> {
    /// How many bytes a cell of the array has: the note says it where a cell is no element.
    fn size(&self, array: &Name) -> Option<u64> {
        let said = format!("indices of `{array}` count cells of ");
        let note = self.program.notes.iter().find_map(|n| n.message.strip_prefix(&said));
        match note {
            Some(note) => note.split(' ').next()?.parse().ok(),
            None => self.log.elements.get(array.as_str()).copied(),
        }
    }

    /// The bytes of a cell; `None`: it is no memory of the kernel.
    fn bytes(&self, cell: &Cell) -> Option<impl Iterator<Item = (String, i128)>> {
        let name = cell.array.to_string();
        let known = self.program.array(&cell.array).map(|a| &a.contents);
        let of_kernel = self.log.elements.contains_key(&name) || name.ends_with(IN_FLIGHT);
        if matches!(known, Some(Contents::Values(_))) || !of_kernel {
            return None;
        }
        let size = i128::from(self.size(&cell.array).unwrap_or(1));
        // An index of more than 64 bits is nowhere.
        let index = cell.index.to_u64().map_or(i128::MAX / 64, |index| i128::from(index as i64));
        Some((index * size..(index + 1) * size).map(move |byte| (name.clone(), byte)))
    }

    fn seen(&self, seen: &Seen) -> Result<Accesses, String> {
        let mut found = Accesses::new();
        let memory = |array: &Name| self.log.elements.contains_key(array.as_str());
        if let Some((array, mode)) = seen.anywhere.iter().find(|(array, _)| memory(array)) {
            return Err(format!("{array}[?]: {mode:?}"));
        }
        for (cell, possible) in &seen.cells {
            let Some(bytes) = self.bytes(cell) else { continue };
            for byte in bytes {
                for (mode, certain) in &possible.modes {
                    if !certain {
                        return Err(format!("perhaps {cell}: {mode:?}"));
                    }
                    if !is_look(&cell.array, *mode) {
                        found.insert((byte.clone(), *mode));
                    }
                }
            }
        }
        Ok(found)
    }

    /// The phases of a history.
    fn history(&self, history: &History) -> Block {
        let mut block = Block::new();
        for (_, phase) in history.chronological() {
            let mut threads = Phase::new();
            for (thread, accesses) in phase.threads() {
                let mut at = |cell: &Cell, mode: Mode| {
                    if let Some(bytes) = self.bytes(cell).filter(|_| !is_look(&cell.array, mode)) {
                        threads
                            .entry((thread, Stage::default()))
                            .or_default()
                            .extend(bytes.map(|byte| (byte, mode)));
                    }
                };
                accesses.reads.iter().for_each(|cell| at(cell, Mode::Read));
                accesses.writes.iter().for_each(|(cell, _)| at(cell, Mode::Write));
                for (cell, log) in &accesses.atomics {
                    let mode = |scope: &Scope| match scope {
                        Scope::Block => Mode::AtomicBlock,
                        _ => Mode::Atomic,
                    };
                    log.scopes.iter().for_each(|scope| at(cell, mode(scope)));
                }
            }
            block.push(threads);
        }
        block
    }

    /// The races of a run of all blocks.
    fn races(&self, histories: &[&History]) -> BTreeSet<Race> {
        let mut found = BTreeSet::new();
        let mut add = |place, cell: &Cell, mut both: [(u64, u64, Mode); 2]| {
            both.sort();
            found.extend(self.bytes(cell).into_iter().flatten().map(|byte| (place, byte, both)));
        };
        for (block, history) in (0u64..).zip(histories) {
            for race in history.races() {
                let both = [race.first, race.second].map(|(thread, m)| (block, thread, mode(m)));
                add(Some((block, race.phase)), &race.cell, both);
            }
        }
        for race in cross_block_races(self.program, histories.iter().copied()) {
            let side = |(thread, m): (Thread, AccessMode)| (thread.block, thread.index, mode(m));
            add(None, &race.cell, [race.first, race.second].map(side));
        }
        found
    }
}

/// Compares a translation of a kernel with what the compiled kernel did.
pub fn compare(case: &Case, program: &Program, log: &Log) -> Verdict {
    let cells = Cells { program, log };
    let instance = case.instance(program);
    let [certain, possible] =
        [&log.blocks, &log.possible].map(|blocks| blocks.iter().map(merged).collect::<Vec<_>>());
    for (number, truth) in (0u64..).zip(&certain) {
        match unknown_contents(&cells, &instance.clone().with_block(number)) {
            Ok(block) => {
                let possible = &possible[number as usize];
                if let Some(text) = difference(truth, possible, &block) {
                    return Verdict::Different(format!("block {number}, {text}"));
                }
            }
            Err(verdict) => return verdict,
        }
    }
    let options = RunOptions {
        limits: RunLimits { steps: 2_000_000, ..RunLimits::default() },
        ..RunOptions::default()
    };
    let instance = instance.defined_everywhere(&Natural::from(0u64));
    if waits(&program.body, instance.configuration.launch) {
        return grid_races(case, &cells, &instance, &options);
    }
    let outcomes = match run_by(&instance, &options, |block| vm::run(block, &options)) {
        Ok(outcomes) => outcomes,
        Err(stuck) => return Verdict::Different(stuck.to_string()),
    };
    let mut complete = true;
    for (number, (outcome, truth)) in outcomes.iter().zip(&certain).enumerate() {
        let mut block = cells.history(outcome.history());
        match outcome {
            Outcome::Done { .. } => {}
            // A value that several threads wrote decides nothing: what came before is compared.
            Outcome::Stuck { stuck, .. } if matches!(stuck.reason, Reason::Ambiguous { .. }) => {
                complete = false;
                block.truncate(stuck.phase);
            }
            other => return Verdict::Different(format!("block {number}: {other:?}")),
        }
        let length = if complete { truth.len() } else { block.len().min(truth.len()) };
        let possible = &possible[number][..length];
        if let Some(text) = difference(&truth[..length], possible, &block) {
            return Verdict::Different(format!("virtual machine, block {number}, {text}"));
        }
    }
    if !complete {
        return Verdict::Equal { races: Vec::new() };
    }
    let histories: Vec<&History> = outcomes.iter().map(Outcome::history).collect();
    races_compared(case, &cells, cells.races(&histories), |race| race)
}

/// Compares the races of a translation, `theirs`, with those of the compiled kernel; of both, what `seen` leaves.
fn races_compared(
    case: &Case,
    cells: &Cells<'_>,
    theirs: BTreeSet<Race>,
    seen: fn(Race) -> Race,
) -> Verdict {
    let shared = &|name: &str| {
        cells.program.array(&Name::new(name)).is_some_and(|array| array.space == Space::Shared)
    };
    // Accesses of own copies are compared as such: here nobody reads what tells them.
    let told = |race: &Race| race.1.0.ends_with(IN_FLIGHT);
    let kept = |found: BTreeSet<Race>| -> BTreeSet<Race> {
        found.into_iter().filter(|race| !told(race)).map(seen).collect()
    };
    let [ours, possible] = [&cells.log.blocks, &cells.log.possible]
        .map(|blocks| kept(races(blocks, case.tile.into(), shared)));
    let theirs = kept(theirs);
    let missing = ours.difference(&theirs).next().map(|race| format!("missing race {race:?}"));
    let invented =
        || theirs.difference(&possible).next().map(|race| format!("invented race {race:?}"));
    if let Some(text) = missing.or_else(invented) {
        return Verdict::Different(text);
    }
    let mut labels = vec!["races compared"];
    labels.extend(theirs.iter().any(|race| race.0.is_some()).then_some("racy"));
    labels.extend(theirs.iter().any(|race| race.0.is_none()).then_some("race across blocks"));
    Verdict::Equal { races: labels }
}

/// Compares the races of blocks that wait for each other. They run as one, whose phases are those of the grid.
fn grid_races(
    case: &Case,
    cells: &Cells<'_>,
    instance: &Instance,
    options: &RunOptions,
) -> Verdict {
    let launch = instance.configuration.launch;
    let (blocks, threads) = (launch.grid.count(), launch.block.count());
    let outcome = match instance.blocks() {
        Some(_) => vm::run(&instance.together(), options),
        None => return Verdict::Equal { races: Vec::new() },
    };
    match &outcome {
        Outcome::Done { .. } => {}
        Outcome::Stuck { stuck, .. } if matches!(stuck.reason, Reason::Ambiguous { .. }) => {
            return Verdict::Equal { races: Vec::new() };
        }
        other => return Verdict::Different(format!("grid: {other:?}")),
    }
    let mut theirs = BTreeSet::new();
    for race in outcome.history().races() {
        let mut both = [race.first, race.second]
            .map(|(thread, at)| (thread / threads, thread % threads, mode(at)));
        both.sort();
        let place = (both[0].0 == both[1].0).then_some((both[0].0, 0));
        let mut cell = race.cell;
        let array = cells.program.array(&cell.array);
        if array.is_some_and(|array| array.space == Space::Shared) {
            cell.index = cell.index.div_total(&Natural::from(blocks));
        }
        theirs.extend(cells.bytes(&cell).into_iter().flatten().map(|byte| (place, byte, both)));
    }
    races_compared(case, cells, theirs, |(place, byte, both)| {
        (place.map(|(b, _)| (b, 0)), byte, both)
    })
}

/// What a block accesses whatever memory holds.
fn unknown_contents(cells: &Cells<'_>, instance: &Instance) -> Result<Block, Verdict> {
    let program = cells.program;
    let (unwritten, shared) = (program.unwritten(), Memory::default());
    let mut machine = Machine { program, instance, unwritten, shared, steps: 0, exact: true };
    let mut threads = machine.threads(instance.configuration.block);
    let mut block = Block::new();
    loop {
        let mut places = Vec::new();
        let mut phase = Phase::new();
        for (number, thread) in (0u64..).zip(&mut threads) {
            thread.own = Memory::default();
            thread.seen = Seen::default();
            places.push(machine.run(thread).map_err(|stop| match stop {
                Stop::Open => Verdict::Open("a barrier that may not be met".to_owned()),
                Stop::Limit => Verdict::Limit,
                Stop::Wrong(text) => Verdict::Different(text),
            })?);
            let accesses = cells.seen(&thread.seen).map_err(Verdict::Open)?;
            if !accesses.is_empty() {
                phase.insert((number, Stage::default()), accesses);
            }
        }
        block.push(phase);
        machine.merge(&threads);
        if places.iter().any(|place| *place != places[0]) {
            return Err(Verdict::Different(format!("threads are at {places:?}")));
        }
        match places[0] {
            Place::Barrier(_) => {}
            Place::End => return Ok(block),
            Place::Stopped(_) => return Err(Verdict::Different("a thread is stopped".to_owned())),
        }
    }
}

/// The first difference between what the threads of a block did, and perhaps did, and do in the translation.
fn difference(truth: &[Phase], possible: &[Phase], block: &Block) -> Option<String> {
    if truth.len() != block.len() {
        return Some(format!("{} phases, not {}", block.len(), truth.len()));
    }
    let lacks = |word: &str, all: &[Phase], some: &[Phase]| {
        for (phase, (all, some)) in all.iter().zip(some).enumerate() {
            for (thread, accesses) in all {
                let known = |access| some.get(thread).is_some_and(|known| known.contains(access));
                if let Some(((array, byte), mode)) = accesses.iter().find(|access| !known(*access))
                {
                    let place = format!("phase {phase}, thread {}", thread.0);
                    return Some(format!("{place}: {word} {mode:?} of byte {byte} of {array}"));
                }
            }
        }
        None
    };
    lacks("missing", truth, block).or_else(|| lacks("invented", block, possible))
}
