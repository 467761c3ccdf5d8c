//! Generators of programs, protocols, expressions and texts.
//!
//! Programs are small and interesting: indices collide sometimes, loops run a few times, values
//! may exceed 64 bits. They are well-scoped and have a concrete launch of one to four threads, so
//! every one of them can be run; or, where the profile says so, of several warps.
//!
//! Many programs are race-free by construction, each array being used in one of several
//! disciplines that real kernels follow; the rest are free to race.

mod arrays;
mod broken;
mod expr;
mod program;
mod protocol;
mod raw;
mod stmt;
mod text;

pub use broken::BrokenRule;
pub use program::{almost_well_typed, host_memory, program, with_scopes};
pub use protocol::{map_file, protocol, scoped_map_file};
pub use raw::{raw_bool, raw_name, raw_num, raw_program, raw_protocol, raw_stmt};
pub use text::mutate_text;

use crate::choices::Choices;
use babycuda_core::{HostMemory, Program};
use proptest::prelude::{Strategy, any};

/// Which programs to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profile {
    /// May indices, guards and bounds depend on data?
    pub data_dependent: bool,
    /// May binders shadow each other?
    pub shadowing: bool,
    /// At most so many arrays, at least 1.
    pub arrays: usize,
    /// Atomic updates?
    pub atomics: bool,
    /// Counters: arrays that are only added to, whose old values are indices?
    pub counters: bool,
    /// Machine operators, casts, selections; blocks of more than one dimension?
    pub machine: bool,
    /// Numbers beyond 64 bits?
    pub huge: bool,
    /// Barriers and `forS`?
    pub barriers: bool,
    /// Barriers that only some threads reach?
    pub divergent: bool,
    /// May indices, guards and bounds depend on what the host stored in arrays that nobody writes?
    pub inputs: bool,
    /// Arrays that are not defined everywhere?
    pub undefined: bool,
    /// Blocks of several warps, and grids of several blocks?
    pub warps: bool,
    /// At most about so many statements.
    pub size: usize,
}

impl Profile {
    /// The fragment that LCL22 Fig. 5 prints: one array, no barrier, natural operators.
    pub const PAPER: Profile = Profile {
        data_dependent: true,
        shadowing: true,
        arrays: 1,
        atomics: false,
        counters: false,
        machine: false,
        huge: true,
        barriers: false,
        divergent: false,
        inputs: false,
        undefined: true,
        warps: false,
        size: 14,
    };

    /// Well-typed programs of the paper's fragment.
    pub const PAPER_WELL_TYPED: Profile =
        Profile { data_dependent: false, shadowing: false, ..Profile::PAPER };

    /// Everything that the language has.
    pub const ANY: Profile = Profile {
        arrays: 3,
        atomics: true,
        machine: true,
        barriers: true,
        divergent: true,
        size: 18,
        ..Profile::PAPER
    };

    /// The stratified language: barriers that all threads reach together.
    pub const SYNCHRONIZED: Profile = Profile { divergent: false, ..Profile::ANY };

    /// Well-typed programs of the whole stratified language.
    pub const WELL_TYPED: Profile =
        Profile { data_dependent: false, shadowing: false, ..Profile::SYNCHRONIZED };

    /// Programs with atomic counters (THEORY T13), small enough to try all their interleavings.
    pub const COUNTERS: Profile = Profile {
        counters: true,
        arrays: 2,
        machine: false,
        huge: false,
        undefined: false,
        size: 9,
        ..Profile::ANY
    };

    /// Programs that have a type relative to the host's memory (THEORY T11).
    pub const RELATIVE: Profile = Profile { inputs: true, divergent: true, ..Profile::WELL_TYPED };
}

/// How many choices the strategies offer: enough for the largest profile.
const CHOICES: std::ops::Range<usize> = 0..400;

/// The strategy of a generator: its choices are what is shrunk.
pub fn strategy<T: std::fmt::Debug>(
    generate: impl Fn(&mut Choices<'_>) -> T,
) -> impl Strategy<Value = T> {
    proptest::collection::vec(any::<u16>(), CHOICES)
        .prop_map(move |numbers| generate(&mut Choices::new(&numbers)))
}

/// Programs of a profile.
pub fn programs(profile: Profile) -> impl Strategy<Value = Program> {
    strategy(move |choices| program(choices, profile))
}

/// Programs of a profile with barriers of every scope but the grid, each with contents of its arrays
/// that its declarations allow.
pub fn scoped_programs_with_memory(
    profile: Profile,
) -> impl Strategy<Value = (Program, HostMemory)> {
    strategy(move |choices| {
        let plain = program(choices, profile);
        let program = with_scopes(choices, plain);
        let memory = host_memory(choices, &program);
        (program, memory)
    })
}

/// Programs of a profile, each with contents of its arrays that its declarations allow.
pub fn programs_with_memory(profile: Profile) -> impl Strategy<Value = (Program, HostMemory)> {
    strategy(move |choices| {
        let program = program(choices, profile);
        let memory = host_memory(choices, &program);
        (program, memory)
    })
}
