//! What threads accessed, byte by byte, and the races among it.

use crate::log::{Mode, conflict};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A byte of an array.
pub type Byte = (String, i128);

/// The accesses of a thread in a phase.
pub type Accesses = BTreeSet<(Byte, Mode)>;

/// How many barriers a thread has passed: of the grid since its beginning, and in this phase of its tile, of its
/// warp, and of the lanes of each of [`MASKS`].
pub type Stage = [u32; 3 + MASKS.len()];

/// The masks of `__syncwarp`, as in `wide.h`.
pub const MASKS: [u32; 4] = [0x3, 0xc, 0xf, 0xf0];

/// The accesses in a phase, by thread and stage.
pub type Phase = BTreeMap<(u64, Stage), Accesses>;

/// The accesses of a block, by phase.
pub type Block = Vec<Phase>;

/// The accesses of a block, all as of one stage.
pub fn merged(block: &Block) -> Cow<'_, Block> {
    if block.iter().flat_map(|phase| phase.keys()).all(|(_, stage)| *stage == Stage::default()) {
        return Cow::Borrowed(block);
    }
    let merge = |phase: &Phase| {
        let mut out = Phase::new();
        for ((thread, _), accesses) in phase {
            out.entry((*thread, Stage::default())).or_default().extend(accesses.iter().cloned());
        }
        out
    };
    Cow::Owned(block.iter().map(merge).collect())
}

/// What a compiled kernel did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Log {
    pub blocks: Vec<Block>,
    /// The same, with what it may have done, too: a copy of a structure may copy its gaps.
    pub possible: Vec<Block>,
    /// How many bytes the elements of each array have.
    pub elements: BTreeMap<String, u64>,
    /// The barriers of OpenCL C that each block passes: phase and stage, and which memory they order.
    pub fences: Vec<BTreeMap<(usize, u32), u8>>,
}

/// The log of each run.
pub fn parse(text: &str) -> Option<Vec<Log>> {
    let mut logs: Vec<Log> = Vec::new();
    let mut current = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["R"] => logs.push(Log::default()),
            ["T", block, thread, phases] => {
                let log = logs.last_mut()?;
                current = thread.parse().ok()?;
                log.fences.resize(block.parse::<usize>().ok()? + 1, BTreeMap::new());
                for blocks in [&mut log.blocks, &mut log.possible] {
                    blocks.resize(block.parse::<usize>().ok()? + 1, Block::new());
                    let block = blocks.last_mut()?;
                    block.resize(phases.parse::<usize>().ok()?.max(block.len()), BTreeMap::new());
                }
            }
            ["A", phase, stage, array, mode, first, size] => {
                let log = logs.last_mut()?;
                let phase: usize = phase.parse().ok()?;
                let stage: Result<Vec<u32>, _> = stage.split(',').map(str::parse).collect();
                let place = (current, Stage::try_from(stage.ok()?).ok()?);
                let certain = !matches!(mode, "R" | "W");
                let mode = match mode {
                    "r" | "R" => Mode::Read,
                    "w" | "W" => Mode::Write,
                    "b" => Mode::AtomicBlock,
                    _ => Mode::Atomic,
                };
                let first: i128 = first.parse().ok()?;
                let size: i128 = size.parse().ok()?;
                for (blocks, has) in [(&mut log.blocks, certain), (&mut log.possible, true)] {
                    let phase = blocks.last_mut()?.get_mut(phase)?;
                    if has {
                        let bytes =
                            (first..first + size).map(|byte| ((array.to_owned(), byte), mode));
                        phase.entry(place).or_default().extend(bytes);
                    }
                }
            }
            ["F", phase, stage, flags] => {
                let place = (phase.parse().ok()?, stage.parse().ok()?);
                logs.last_mut()?.fences.last_mut()?.insert(place, flags.parse().ok()?);
            }
            ["S", array, size] => {
                logs.last_mut()?.elements.insert(array.to_owned(), size.parse().ok()?);
            }
            _ => return None,
        }
    }
    Some(logs)
}

/// Two accesses of a byte that race: in a phase of a block, or in two blocks. Each is one of a block's thread.
pub type Race = (Option<(u64, usize)>, Byte, [(u64, u64, Mode); 2]);

/// An access of a byte: block, thread, stage, mode.
type Access = (u64, u64, Stage, Mode);

/// Has one of two threads of a block passed a barrier between their accesses that both have to pass?
fn ordered(tile: u64, (_, t, one, _): &Access, (_, u, other, _): &Access) -> bool {
    let passed = |kind: usize| one[kind] != other[kind];
    let both = |mask: u32| [t, u].iter().all(|thread| mask >> (**thread % 32) & 1 == 1);
    let by_mask = |(n, mask): (usize, &u32)| both(*mask) && passed(3 + n);
    let by_warp = || passed(2) || MASKS.iter().enumerate().any(by_mask);
    (t / tile == u / tile && passed(1)) || (t / 32 == u / 32 && by_warp())
}

/// All races of the blocks of a launch; `shared` arrays are those of one block.
pub fn races(blocks: &[Block], tile: u64, shared: impl Fn(&str) -> bool) -> BTreeSet<Race> {
    let mut found = BTreeSet::new();
    let mut everywhere: BTreeMap<&Byte, BTreeSet<Access>> = BTreeMap::new();
    let mut pairs = |place: Option<(u64, usize)>, byte: &Byte, all: &BTreeSet<Access>| {
        let list: Vec<_> = all.iter().copied().collect();
        for (i, a) in list.iter().enumerate() {
            for b in &list[i + 1..] {
                let apart = match place {
                    Some(_) => a.1 != b.1 && !ordered(tile, a, b),
                    None => a.0 != b.0 && a.2 == b.2,
                };
                if apart && conflict(a.3, b.3, place.is_some()) {
                    let both = [a, b].map(|(block, thread, _, mode)| (*block, *thread, *mode));
                    found.insert((place, byte.clone(), both));
                }
            }
        }
    };
    for (number, block) in (0u64..).zip(blocks) {
        for (phase, threads) in block.iter().enumerate() {
            let mut here: BTreeMap<&Byte, BTreeSet<Access>> = BTreeMap::new();
            for ((thread, stage), accesses) in threads {
                for (byte, mode) in accesses {
                    here.entry(byte).or_default().insert((number, *thread, *stage, *mode));
                    if !shared(&byte.0) {
                        // Blocks have no barriers in common but those of the grid.
                        let stage = [stage[0], 0, 0, 0, 0, 0, 0];
                        everywhere.entry(byte).or_default().insert((number, *thread, stage, *mode));
                    }
                }
            }
            here.iter().for_each(|(byte, all)| pairs(Some((number, phase)), byte, all));
        }
    }
    everywhere.iter().for_each(|(byte, all)| pairs(None, byte, all));
    found
}
