//! Launches as people make them, and which of them race.

use super::candidates::{MAX_TILE, PITCHES};
use super::parts::{Parts, parts};
use super::under::check_all;
use crate::check::CheckOptions;
use crate::draws::Draws;
use babycuda_core::launch::{Dim3, Launch, MAX_BLOCK_THREADS};
use babycuda_core::syntax::{Domain, Extent, Param};
use babycuda_core::verdict::Outcome;
use babycuda_core::{Bool, Budget, Configuration, Natural, Program};
use babycuda_protocols::enumerate::EnumerationLimits;
use std::time::Duration;

/// So many launches are thought of at most.
const MANY: usize = 400;
/// So many are like each example, in what that says.
const LIKE_AN_EXAMPLE: usize = 6;
/// Those that come first have parameters as their names say.
const NAMED: usize = 96;
/// People make no smaller blocks.
const FEW: u64 = 16;
/// A launch is checked no longer than this.
const ONE_LAUNCH: Duration = Duration::from_millis(200);
/// And a question about it takes no longer than this.
const ONE_QUESTION: Duration = Duration::from_millis(60);

/// Launches that satisfy what the program assumes: a condition that none of them satisfies is of no use. The first ones
/// have parameters as their names say; before them are those of the `examples`. They are always the same.
pub(crate) fn realistic(program: &Program, examples: &[Program]) -> Vec<Configuration> {
    let Parts { parameters, constants, .. } = parts(program, examples);
    let (blocks, grids) = (blocks(program, &constants), grids(program));
    let sides: Vec<u32> = constants.iter().filter(|k| **k <= MAX_TILE).map(|k| *k as u32).collect();
    let mut draws = Draws::new();
    let mut draw = |n: usize| draws.below(n);
    let mut found: Vec<Configuration> = Vec::new();
    for turn in 0..MANY * 10 {
        let example = examples.get(turn / LIKE_AN_EXAMPLE);
        let (block, grid) = match turn < NAMED {
            true => {
                (blocks[turn % blocks.len()], grids[(turn + turn / blocks.len()) % grids.len()])
            }
            false => (blocks[draw(blocks.len())], grids[draw(grids.len())]),
        };
        let (block, grid) = match example.map(|example| &example.geometry) {
            Some(said) => (known(said.block, block), said.grid.map_or(grid, |g| known(g, grid))),
            None => (block, grid),
        };
        let wide = turn / 3 % 2 == 1;
        // A block that is no square has a tile that is one, or one of a constant's size.
        let side = match sides.get(turn / 6 % (sides.len() + 1)) {
            Some(side) => *side,
            None => block[0].max(block[1]),
        };
        let tile = if wide { [side, side, block[2]] } else { block };
        let launch = Launch { grid: dims(grid), block: dims(block), warp: program.geometry.warp };
        if launch.block.count() > MAX_BLOCK_THREADS {
            continue;
        }
        let mut at = Configuration::of_launch(launch);
        let pool = values(block, grid, &constants);
        for param in &program.params {
            let asked = parameters.iter().any(|(name, _)| *name == param.name);
            let named = turn < NAMED || draw(2) == 0;
            let said = named.then(|| meant(param, tile, grid)).flatten();
            // A pitch is in bytes as often as in cells.
            let pitch = param.name.as_str().to_lowercase().contains("pitch");
            let said = said.map(|k| if wide && pitch { k * PITCHES[2] } else { k });
            let own = example.and_then(|e| e.params.iter().find(|p| p.name == param.name));
            let value =
                match (own.and_then(|own| own.value.as_ref()).or(param.value.as_ref()), said) {
                    (Some(value), _) => value.clone(),
                    (None, Some(value)) => Natural::from(value),
                    (None, None) if asked || param.name.as_str().contains('.') => {
                        Natural::from(pool[draw(pool.len())])
                    }
                    (None, None) => Natural::from(1u64),
                };
            at.parameters.insert(param.name.clone(), value);
        }
        let fits = |param: &Param| {
            at.parameters.get(&param.name).is_some_and(|value| param.domain.contains(value))
        };
        if program.params.iter().all(fits)
            && program.assumptions.iter().all(|c| holds(c, &at))
            && !found.contains(&at)
        {
            found.push(at);
        }
        if found.len() >= MANY {
            break;
        }
    }
    found
}

/// The smallest launches with two threads, of a block or of two, with the parameters of the first ones of these.
pub(super) fn smallest(program: &Program, launches: &[Configuration]) -> Vec<Configuration> {
    const LIKE: usize = 3;
    let [x, y, z, one] = [[2, 1, 1], [1, 2, 1], [1, 1, 2], [1, 1, 1]];
    let shapes = [(x, one), (y, one), (z, one), (one, x)];
    let small = launches.iter().take(LIKE).flat_map(|at| {
        shapes.map(|(block, grid)| {
            let mut small = at.clone();
            small.launch.block = dims(known(program.geometry.block, block));
            small.launch.grid = dims(program.geometry.grid.map_or(one, |said| known(said, grid)));
            small
        })
    });
    let fits = |at: &Configuration| {
        at.launch.grid.count() * at.launch.block.count() > 1
            && program.assumptions.iter().all(|c| holds(c, at))
    };
    small.filter(fits).collect()
}

fn dims([x, y, z]: [u32; 3]) -> Dim3 {
    Dim3 { x, y, z }
}

/// These extents where they are known, and others elsewhere.
fn known(said: [Extent; 3], others: [u32; 3]) -> [u32; 3] {
    std::array::from_fn(|d| match said[d] {
        Extent::Known(k) => k,
        Extent::Symbolic => others[d],
    })
}

/// Blocks: of constants of the kernel, and usual ones.
fn blocks(program: &Program, constants: &[u64]) -> Vec<[u32; 3]> {
    let extents = program.geometry.block;
    let open = (0..3).filter(|d| extents[*d] != Extent::Known(1)).count();
    let mut found: Vec<[u32; 3]> = Vec::new();
    let small: Vec<u32> = constants.iter().filter_map(|k| u32::try_from(*k).ok()).collect();
    for k in small.iter().copied() {
        match open {
            0 | 1 => found.push([k, 1, 1]),
            2 => {
                found.extend([[k, k, 1], [k, 1, 1]]);
                let pairs = small.iter().filter(|l| **l != k);
                found.extend(pairs.map(|l| [k, *l, 1]));
            }
            _ => {
                let others = small.iter().flat_map(|l| small.iter().map(move |m| [k, *l, *m]));
                found.extend([[k, k, k]].into_iter().chain(others.filter(|b| b[1] * b[2] <= k)));
            }
        }
    }
    found.truncate(64);
    found.extend(match open {
        0 | 1 => [[256, 1, 1], [128, 1, 1], [64, 1, 1], [512, 1, 1], [32, 1, 1], [1024, 1, 1]],
        2 => [[16, 16, 1], [32, 8, 1], [32, 32, 1], [8, 8, 1], [32, 4, 1], [32, 16, 1]],
        _ => [[8, 8, 8], [4, 4, 4], [16, 16, 1], [32, 4, 2], [8, 8, 4], [256, 1, 1]],
    });
    found.iter_mut().for_each(|block| *block = known(extents, *block));
    let known = extents.iter().all(|extent| matches!(extent, Extent::Known(_)));
    let fits = |block: &[u32; 3]| {
        let threads = block.iter().map(|e| u64::from(*e)).product::<u64>();
        (known || threads >= FEW) && threads <= MAX_BLOCK_THREADS
    };
    found.retain(|block| fits(block) && block[2] <= 64);
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|block| seen.insert(*block));
    if found.is_empty() {
        found.push([1, 1, 1]);
    }
    found
}

/// Grids in the dimensions that the program has.
fn grids(program: &Program) -> Vec<[u32; 3]> {
    let mut found =
        vec![[2, 2, 2], [3, 5, 1], [1, 1, 1], [4, 2, 1], [2, 1, 1], [16, 16, 1], [64, 1, 1]];
    if let Some(said) = program.geometry.grid {
        found.iter_mut().for_each(|grid| *grid = known(said, *grid));
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|grid| seen.insert(*grid));
    found
}

/// Values that hosts pass.
fn values(block: [u32; 3], grid: [u32; 3], constants: &[u64]) -> Vec<u64> {
    let total = |d: usize| u64::from(block[d]) * u64::from(grid[d]);
    let mut pool = vec![
        total(0),
        total(1),
        total(0),
        total(0) * total(1),
        total(0).saturating_sub(3),
        total(0) + 7,
    ];
    pool.extend(block.map(u64::from));
    pool.extend(grid.map(u64::from));
    pool.extend([0, 1, 2, 3, 16, 100, 256, 1024, 2 * u64::from(block[0])]);
    pool.extend(constants);
    pool
}

/// What a parameter is called like, in this launch: a width, a height, a number of elements.
fn meant(param: &Param, block: [u32; 3], grid: [u32; 3]) -> Option<u64> {
    let total = |d: usize| u64::from(block[d]) * u64::from(grid[d]);
    let Domain::Machine(t) = param.domain else { return None };
    if t.width.bits() < 32 {
        return None;
    }
    // Of a field its own name says what it is.
    let name = param.name.as_str().rsplit('.').next().unwrap_or_default().to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| name.contains(w));
    let is = |words: &[&str]| words.contains(&name.as_str());
    if has(&["bdim", "blockdim", "block_dim", "blocksize", "block_size", "nthreads", "num_threads"])
    {
        return Some(block[0].into());
    }
    if has(&["width", "pitch", "stride", "col", "size_x", "sizex", "dimx", "imagew"])
        || is(&[
            "w", "nx", "dx", "pdx", "iw", "imgw", "lda", "ldb", "ldc", "wa", "wb", "wc", "ncols",
        ])
    {
        return Some(total(0));
    }
    if has(&["height", "row", "size_y", "sizey", "dimy", "imageh"])
        || is(&["h", "ny", "dy", "ih", "imgh", "ha", "hb"])
    {
        return Some(total(1));
    }
    if has(&["depth", "size_z", "sizez", "dimz"]) || is(&["nz", "dz"]) {
        return Some(total(2));
    }
    (has(&["num", "size", "count", "len"]) || name.starts_with('n')).then(|| total(0))
}

/// Does the condition hold of a launch?
pub(super) fn holds(condition: &Bool, at: &Configuration) -> bool {
    condition.eval(&|x| at.value_of(x, 0)).unwrap_or(false)
}

/// The program at exactly this launch, with these parameters.
pub(super) fn exactly(program: &Program, at: &Configuration) -> Program {
    let mut one = program.clone();
    one.geometry.block = at.launch.block.components().map(Extent::Known);
    if one.geometry.grid.is_some() {
        one.geometry.grid = Some(at.launch.grid.components().map(Extent::Known));
    }
    for param in &mut one.params {
        param.value = at.parameters.get(&param.name).cloned();
    }
    one
}

/// What is known of one launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Label {
    Free,
    /// It has a race, as far as typing tells.
    Racy,
    Open,
}

/// What becomes of the kernel of these programs at this launch; `sure`: a race is replayed.
pub(super) fn label(
    programs: &[Program],
    at: &Configuration,
    options: &CheckOptions,
    sure: bool,
) -> Label {
    let budget = Budget::time(options.budget.at_most(ONE_LAUNCH));
    let timeout = ONE_QUESTION.min(options.timeout);
    let replay_steps = if sure { options.replay_steps } else { 1 };
    let limits = EnumerationLimits { one_race: true, ..options.limits };
    let quick = CheckOptions {
        budget,
        timeout,
        replay_steps,
        races: 1,
        verdict_only: true,
        limits,
        ..options.clone()
    };
    let exact = programs.iter().map(|program| exactly(program, at));
    let Some(found) = check_all(exact, &quick) else { return Label::Open };
    match found.verdict.outcome {
        Outcome::Drf => Label::Free,
        Outcome::Racy => Label::Racy,
        _ if !sure && !found.verdict.races.is_empty() => Label::Racy,
        _ => Label::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::clock::Instant;
    use babycuda_core::parse::parse_program;

    /// Of many launches that are examples none may take the time of all.
    #[test]
    fn a_launch_takes_no_longer_than_it_may() {
        let text = "threads 256; shared A; forU i in 0..7000000 { A[tid * 37 % 1024] := i }";
        let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let launch = program.geometry.launch().expect("threads");
        let start = Instant::now();
        label(&[program], &Configuration::of_launch(launch), &CheckOptions::default(), false);
        assert!(start.elapsed() < 20 * ONE_LAUNCH, "{:?}", start.elapsed());
    }
}
