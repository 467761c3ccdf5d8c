//! What barriers of OpenCL C order: a barrier with one flag makes work-items wait, and orders the accesses of one
//! memory. So each memory has phases of its own.

use crate::wide::log::{Block, Log, Phase, Race, races};
use std::collections::{BTreeMap, BTreeSet};

/// `CLK_LOCAL_MEM_FENCE` and `CLK_GLOBAL_MEM_FENCE`.
pub const FLAGS: [u8; 2] = [1, 2];

/// Where the accesses of a phase and stage are, if only barriers with this flag count; of stages, the barriers of sub-groups count.
type Places = BTreeMap<(usize, u32), (usize, u32)>;

fn places(block: &Block, fences: &BTreeMap<(usize, u32), u8>, flag: u8) -> Places {
    let mut places = Places::new();
    let (mut phase, mut stage) = (0, 0);
    for old in 0..block.len() {
        let last = fences.range((old, 0)..(old + 1, 0)).last().map_or(0, |((_, stage), _)| *stage);
        for step in 0..=last + 1 {
            places.insert((old, step), (phase, stage));
            let Some(flags) = fences.get(&(old, step)) else { continue };
            // The last one is that of the block, but in the last phase.
            let of_block = step == last && old + 1 < block.len();
            match (flags & flag != 0, of_block) {
                (true, true) => (phase, stage) = (phase + 1, 0),
                (true, false) => stage += 1,
                (false, _) => {}
            }
        }
    }
    places
}

/// What was done to some arrays, with the phases of the barriers that have this flag.
pub fn part(log: &Log, flag: u8, array: impl Fn(&str) -> bool) -> Log {
    let one = |blocks: &[Block]| -> Vec<Block> {
        let each = blocks.iter().zip(&log.fences);
        let out = each.map(|(block, fences)| {
            let places = places(block, fences, flag);
            let count = places.values().map(|(phase, _)| phase + 1).max().unwrap_or(1);
            let mut out = vec![Phase::new(); count];
            for (number, phase) in block.iter().enumerate() {
                for ((thread, stage), accesses) in phase {
                    let (phase, passed) = places[&(number, stage[1])];
                    let mut stage = *stage;
                    stage[1] = passed;
                    let here = accesses.iter().filter(|((name, _), _)| array(name)).cloned();
                    out[phase].entry((*thread, stage)).or_default().extend(here);
                }
            }
            out.iter_mut().for_each(|phase| phase.retain(|_, accesses| !accesses.is_empty()));
            out
        });
        out.collect()
    };
    let mut elements = log.elements.clone();
    elements.retain(|name, _| array(name));
    Log { blocks: one(&log.blocks), possible: one(&log.possible), elements, fences: Vec::new() }
}

/// The races, wherever they are.
fn anywhere(blocks: &[Block], tile: u64, shared: &dyn Fn(&str) -> bool) -> BTreeSet<Race> {
    let found = races(blocks, tile, shared).into_iter();
    found.map(|(place, byte, both)| (place.map(|(block, _)| (block, 0)), byte, both)).collect()
}

/// A race that is none if every barrier orders all memory.
pub fn beside_a_barrier(log: &Log, tile: u64, shared: &dyn Fn(&str) -> bool) -> Option<Race> {
    let all = anywhere(&log.blocks, tile, shared);
    let parts = FLAGS.map(|flag| part(log, flag, |name| shared(name) == (flag == FLAGS[0])));
    let of_parts = parts.iter().flat_map(|log| anywhere(&log.blocks, tile, shared));
    of_parts.into_iter().find(|race| !all.contains(race))
}
