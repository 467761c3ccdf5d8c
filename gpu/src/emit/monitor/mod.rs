//! Texts that watch their own run for races: a word for each cell, with the state of HiRace's machine and a record of
//! the last accessor (`docs/MONITOR.md`).

mod layout;
mod table;

pub use layout::WordLayout;
pub(super) use layout::most;

use super::error::{EmitError, EmitErrorKind};
use super::language::{Array, Watch};
use super::{EmitOptions, Target};
use babycuda_core::shadow::Machine;
use babycuda_core::syntax::{BarrierScope, Program, Scope, Space, Tree};
use babycuda_core::{AccessMode, Name, Site};

/// The bits of words for cells of global memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WordBits {
    /// For devices without atomics of 64 bits.
    W32,
    /// The device needs a compare-and-swap of 64 bits; in WGSL that is an extension of naga's.
    W64,
}

impl WordBits {
    /// How many.
    pub fn bits(self) -> u32 {
        match self {
            WordBits::W32 => 32,
            WordBits::W64 => 64,
        }
    }
}

/// How a text watches its run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MonitorOptions {
    /// The machine, over HiRace's labels; `None`: [`Machine::exact`].
    pub machine: Option<Machine>,
    /// The words of global memory; `None`: 32 bits in WGSL, which has no wider atomics, and 64 elsewhere. (Words of
    /// shared memory have 32 bits.)
    pub words: Option<WordBits>,
    /// Bits for the number of a block; `None`: as many as the launch needs, or as there is room for.
    pub block: Option<u32>,
    /// Bits for the barriers of a block; `None`: as there is room for.
    pub block_clock: Option<u32>,
    /// Bits for the barriers of a warp between two of its block; `None`: as there is room for.
    pub warp_clock: Option<u32>,
}

impl MonitorOptions {
    /// The machine.
    pub fn machine(&self) -> Machine {
        self.machine.clone().unwrap_or_else(Machine::exact)
    }
}

/// Bits of the second word of the findings: why there may be more races.
pub mod flag {
    /// A thread passed more barriers of its block than its clock counts, and then accessed a watched array.
    pub const CLOCK: u32 = 1;
    /// An access by a block that the words cannot tell from others, or by a thread.
    pub const BLOCK: u32 = 2;
    /// An access behind a barrier of some lanes of a warp, up to the next of the whole warp or block.
    pub const PARTIAL: u32 = 4;
    /// A thread passed more barriers of its warp than its clock counts, and then accessed a watched array.
    pub const WARP_CLOCK: u32 = 8;
    /// An access beyond the end of an array, which was left out.
    pub const OUTSIDE: u32 = 16;
    /// A thread went on for longer than it was allowed, and then made no more accesses.
    pub const FUEL: u32 = 32;
}

/// Words of the findings before the first race, and words of a race.
pub const FINDINGS_HEAD: usize = 4;
/// Array, index, block, thread, statement, mode (4 bits, the state before above), and the block and thread of the last
/// accessor.
pub const FINDING_WORDS: usize = 8;

/// What a text needs to watch its run.
pub(super) struct Plan {
    pub(super) steps: Vec<u8>,
    pub(super) race: u8,
    pub(super) global: WordLayout,
    pub(super) shared: WordLayout,
    pub(super) warp: u32,
}

impl Plan {
    pub(super) fn new(
        program: &Program,
        target: Target,
        options: &EmitOptions,
    ) -> Result<Plan, EmitError> {
        let machine = options.monitor.machine();
        let steps = table::steps(&machine);
        let steps = steps.ok_or_else(|| EmitErrorKind::Machine.declared())?;
        let words = options.monitor.words.unwrap_or(match target {
            Target::Wgsl => WordBits::W32,
            Target::Cuda | Target::OpenCl => WordBits::W64,
        });
        let states = machine.names().len();
        let layout = |space| WordLayout::new(program, &options.monitor, (space, words), states);
        Ok(Plan {
            steps,
            // `steps` is there: all states are below 128.
            race: machine.race() as u8,
            global: layout(Space::Global)?,
            shared: layout(Space::Shared)?,
            warp: program.geometry.warp.max(1),
        })
    }

    /// What the head of the text says of it.
    pub(super) fn comment(&self) -> Vec<String> {
        let [g, s] = [self.global, self.shared];
        let mut lines = vec![
            "Monitored: a word for each cell says how it was accessed, and who did so last.".to_owned(),
            format!(
                "Behind the plain kernel's arguments: words of {} bits, at first 0, for the cells of the global arrays \
                 that are",
                g.bits
            ),
            "watched, one array behind the other; 32-bit numbers of cells of all global arrays; and the findings,".into(),
            format!(
                "32-bit words: the racy cells (0), flags (0), room for races, iterations that a thread may make; then \
                 {FINDING_WORDS} a race:"
            ),
            "array, index, block, thread, statement, access + 16 * state before, block and thread of the last accessor."
                .into(),
        ];
        let limit = |memory: &str, layout: WordLayout| {
            let blocks = match layout.block {
                0 => String::new(),
                bits => format!("{} blocks, ", most(bits).saturating_add(1)),
            };
            format!(
                "Limits of words of {memory} memory: {blocks}{} threads of a block, {} barriers of a block, {} of a warp \
                 between.",
                most(layout.thread) + 1,
                most(layout.block_clock),
                most(layout.warp_clock)
            )
        };
        lines.extend([limit("global", g), limit("shared", s)]);
        lines.push("Beyond them a flag says that there may be more races than are found.".into());
        lines
    }

    /// The steps, four a word, the first lowest.
    pub(super) fn step_words(&self) -> Vec<u32> {
        let word =
            |four: &[u8]| four.iter().rev().fold(0, |word, step| word << 8 | u32::from(*step));
        self.steps.chunks(4).map(word).collect()
    }

    /// The layout of the words of a space.
    pub(super) fn layout(&self, space: Space) -> WordLayout {
        match space {
            Space::Global => self.global,
            Space::Shared => self.shared,
        }
    }

    /// A text with the most that clocks count.
    pub(super) fn with_clocks(&self, text: &str) -> String {
        let most = |bits| format!("{}u", most(bits));
        text.replace("GLOBAL_BLOCK_CLOCK", &most(self.global.block_clock))
            .replace("GLOBAL_WARP_CLOCK", &most(self.global.warp_clock))
            .replace("SHARED_BLOCK_CLOCK", &most(self.shared.block_clock))
            .replace("SHARED_WARP_CLOCK", &most(self.shared.warp_clock))
    }

    /// The function that counts a barrier.
    pub(super) fn passing(&self, scope: BarrierScope) -> &'static str {
        match scope {
            BarrierScope::Block | BarrierScope::Grid => "pass_block",
            BarrierScope::Tile(threads) if threads < self.warp => "pass_some",
            BarrierScope::Tile(_) | BarrierScope::Warp => "pass_warp",
        }
    }
}

/// How an array is watched: where all accesses are reads, or atomics that cover all who see the array, none race.
pub(super) fn watch(program: &Program, name: &Name, space: Space) -> Watch {
    let accesses = || program.body.subterms().filter_map(|b| b.head().access());
    let modes = || accesses().filter(|(_, array)| *array == name).map(|(mode, _)| mode);
    let covers = |mode| match mode {
        AccessMode::At(Scope::Block) => space == Space::Shared,
        AccessMode::At(Scope::Device | Scope::System) => true,
        AccessMode::Rd | AccessMode::Wr => false,
    };
    match modes().all(|mode| mode == AccessMode::Rd) || modes().all(covers) {
        true => Watch::Bounds,
        false => Watch::Words,
    }
}

/// The spaces of arrays that have words.
pub(super) fn watched(arrays: &[Array]) -> impl Iterator<Item = Space> {
    let has_words = |array: &Array, space| array.space == space && array.watch == Watch::Words;
    let spaces = [Space::Global, Space::Shared].into_iter();
    spaces.filter(move |space| arrays.iter().any(|array| has_words(array, *space)))
}

/// Where each shared array's words begin among those of all, and how many there are.
pub(super) fn shared_words(arrays: &[Array]) -> (Vec<u64>, u64) {
    let (mut firsts, mut all) = (Vec::new(), 0);
    for array in arrays {
        firsts.push(all);
        if array.space == Space::Shared && array.watch == Watch::Words {
            all += array.length.unwrap_or(0);
        }
    }
    (firsts, all)
}

/// The arguments of the function that watches an access, behind those that say where its word is.
pub(super) fn arguments(mode: AccessMode, site: Site, number: usize) -> String {
    let mode = crate::digest::mode_number(mode).min(3);
    format!("{mode}u, {}u, {number}u", site.0)
}
