//! The programs that are run, each from its number.

mod shapes;

use babycuda_core::syntax::{Contents, Extent};
use babycuda_core::{Natural, Program};
use babycuda_gpu::JobOptions;
use babycuda_semantics::Instance;
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, almost_well_typed, program};
use rand_xoshiro::rand_core::RngCore;
use serde::{Deserialize, Serialize};

/// Cells of each array of a generated program.
pub const LENGTH: u64 = 64;

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
    /// Any programs, in blocks of several warps.
    Wide,
}

impl Family {
    /// All of them, as often as they are generated.
    const TURNS: [Family; 20] = {
        use Family::*;
        [
            WellTyped,
            Any,
            Small,
            Divergent,
            AlmostWellTyped,
            WellTyped,
            Any,
            Small,
            Divergent,
            Tickets,
            WellTyped,
            Any,
            Small,
            Divergent,
            AlmostWellTyped,
            WellTyped,
            Any,
            Tickets,
            Huge,
            Wide,
        ]
    };

    /// The family of the program of this number.
    pub fn of(number: u64) -> Family {
        Family::TURNS[(number % Family::TURNS.len() as u64) as usize]
    }

    fn generate(self, choices: &mut Choices<'_>) -> Program {
        let plain = Profile { huge: false, undefined: false, ..Profile::ANY };
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
            Family::Wide => wide(choices, plain),
        }
    }
}

/// A program in a block of 33 to 128 threads.
fn wide(choices: &mut Choices<'_>, profile: Profile) -> Program {
    let threads = 33 + choices.below(96) as u32;
    let mut program = program(choices, profile);
    program.geometry.block = [Extent::Known(threads), Extent::Known(1), Extent::Known(1)];
    program
}

/// The program of this number among those of the seed. It says everything about its run: what a
/// declaration leaves to the host is chosen here.
pub fn generate(seed: u64, number: u64) -> Program {
    let mut random = babycuda_campaign::random(seed, number);
    let count = 40 + random.next_u32() as usize % 360;
    let numbers: Vec<u16> = (0..count).map(|_| random.next_u32() as u16).collect();
    let mut program = Family::of(number).generate(&mut Choices::new(&numbers));
    for array in &mut program.arrays {
        array.length = Some(LENGTH.into());
        if array.contents == Contents::Any {
            let values = (0..LENGTH).map(|_| Natural::from(random.next_u32() % 8));
            array.contents = Contents::Values(values.collect());
        }
    }
    program
}

/// The block that runs of a program whose launch is concrete, its parameters fixed: block 0. Cells
/// that the host left undefined hold 0, as a device has no ⊥. None where the launch is open.
pub fn instance(program: &Program) -> Option<Instance> {
    let launch = program.geometry.launch()?;
    Some(Instance::new(program.clone(), launch).defined_everywhere(&Natural::zero()))
}

/// How generated programs are run: the fuel and the logs are ample for them.
pub fn options() -> JobOptions {
    JobOptions { fuel: 1 << 14, log: 64, length: LENGTH, ..JobOptions::default() }
}
