//! The programs that are run, each from its number.

mod shapes;

use babycuda_core::syntax::Contents;
use babycuda_core::{Launch, Natural, Program};
use babycuda_gpu::JobOptions;
use babycuda_semantics::Instance;
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, almost_well_typed, program, with_scopes};
use rand_xoshiro::rand_core::RngCore;
use serde::{Deserialize, Serialize};

/// Cells of each array of a generated program of few threads, and of one that declares no length.
const LENGTH: u64 = 64;

/// The most threads of a block that are few.
const FEW: u64 = 16;

/// Which programs are generated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Well-typed programs of the whole stratified language.
    WellTyped,
    /// Programs with a barrier that only some threads reach, as their number or their data says.
    Divergent,
    /// Well-typed programs, small enough for all their interleavings to be visited.
    Small,
    /// Any programs.
    Any,
    /// Programs that break one typing rule, once.
    AlmostWellTyped,
    /// Programs in which the order of atomic updates decides who accesses what.
    Tickets,
    /// Well-typed programs whose numbers may need more than 64 bits.
    Huge,
}

impl Family {
    /// All of them, as often as they are generated, and whether in blocks of several warps.
    const TURNS: [(Family, bool); 20] = {
        use Family::*;
        [
            (WellTyped, true),
            (Any, true),
            (Small, false),
            (Divergent, true),
            (AlmostWellTyped, false),
            (WellTyped, true),
            (Any, false),
            (Small, false),
            (Tickets, true),
            (Any, true),
            (WellTyped, false),
            (Any, true),
            (Small, false),
            (Divergent, false),
            (AlmostWellTyped, false),
            (WellTyped, true),
            (Any, true),
            (Tickets, true),
            (Huge, false),
            (Any, true),
        ]
    };

    fn turn(number: u64) -> (Family, bool) {
        Family::TURNS[(number % Family::TURNS.len() as u64) as usize]
    }

    /// The family of the program of this number.
    pub fn of(number: u64) -> Family {
        Family::turn(number).0
    }

    fn generate(self, choices: &mut Choices<'_>, warps: bool) -> Program {
        // Many threads do enough with few statements.
        let size = if warps { 8 } else { Profile::ANY.size };
        let plain = Profile { huge: false, undefined: false, warps, size, ..Profile::ANY };
        let well_typed =
            Profile { data_dependent: false, shadowing: false, divergent: false, ..plain };
        match self {
            Family::WellTyped => program(choices, well_typed),
            Family::Divergent => shapes::diverging(choices, |choices| {
                program(choices, Profile { size: 8, ..well_typed })
            }),
            Family::Small => program(choices, Profile { size: 6, arrays: 1, ..well_typed }),
            Family::Any => program(choices, plain),
            Family::AlmostWellTyped => almost_well_typed(choices).0,
            Family::Tickets => shapes::with_tickets(choices, |choices| {
                program(choices, Profile { size: 6, ..plain })
            }),
            Family::Huge => {
                let program = program(choices, Profile { huge: true, ..well_typed });
                shapes::with_large_contents(choices, program)
            }
        }
    }
}

/// Has the program of this number barriers of tiles and warps, if it has any? Two of seven, of every
/// family.
pub fn is_scoped(number: u64) -> bool {
    matches!(number % 7, 2 | 5)
}

/// Has the program of this number several blocks, if they are small? Two of eleven, of every family.
pub fn is_grid(number: u64) -> bool {
    matches!(number % 11, 3 | 8)
}

/// The program of this number among those of the seed. It says everything about its run: what a
/// declaration leaves to the host is chosen here.
pub fn generate(seed: u64, number: u64) -> Program {
    let mut random = babycuda_campaign::random(seed, number);
    let count = 40 + random.next_u32() as usize % 360;
    let numbers: Vec<u16> = (0..count).map(|_| random.next_u32() as u16).collect();
    closed(number, &numbers, || random.next_u32())
}

/// The program that choices make: the first is the number whose family and blocks it has. It says everything about its run, too.
pub fn chosen(choices: &[u16]) -> Program {
    let (number, rest) = choices.split_first().map_or((0, choices), |(first, rest)| (*first, rest));
    // From the end: a program is made of the first ones.
    let mut values = rest.iter().rev().cycle();
    closed(number.into(), rest, || values.next().map_or(0, |value| u32::from(*value)))
}

/// The program of the number's family and blocks, made of these choices; `values` is what the host stored.
fn closed(number: u64, numbers: &[u16], mut values: impl FnMut() -> u32) -> Program {
    let (family, warps) = Family::turn(number);
    let mut program = family.generate(&mut Choices::new(numbers), warps);
    if is_scoped(number) {
        program = with_scopes(&mut Choices::new(&numbers[numbers.len() / 2..]), program);
    }
    program.geometry.grid = None;
    if is_grid(number) {
        program = shapes::in_blocks(&mut Choices::new(&numbers[numbers.len() / 3..]), program);
    }
    // Room for each thread's own cell, and for some that are beyond.
    let threads = |launch: Launch| launch.grid.count() * launch.block.count();
    let threads = program.geometry.launch().map_or(0, threads);
    let length = if threads > FEW { 2 * threads } else { LENGTH };
    for array in &mut program.arrays {
        array.length = Some(length.into());
        if array.contents == Contents::Any {
            array.contents = Contents::Values((0..length).map(|_| (values() % 8).into()).collect());
        }
    }
    program
}

/// The block that runs of a program whose launch is concrete, its parameters fixed: the last one.
/// Cells that the host left undefined hold 0, as a device has no ⊥. None where the launch is open,
/// or of no block.
pub fn instance(program: &Program) -> Option<Instance> {
    let launch = program.geometry.launch()?;
    let instance = Instance::new(program.clone(), launch).defined_everywhere(&Natural::zero());
    Some(instance.with_block(launch.grid.count().checked_sub(1)?))
}

/// How generated programs are run: the fuel and the logs are ample for nearly all of them.
pub fn options(instance: &Instance) -> JobOptions {
    let log = if instance.block().len() > FEW { 32 } else { 64 };
    JobOptions { fuel: 1 << 14, log, length: LENGTH, ..JobOptions::default() }
}
