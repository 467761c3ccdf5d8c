//! The kernels that techniques are compared on, each from its number.

use super::fragment::Fragment;
use super::kernel::Small;
use super::truth::{CONTENTS, Truth, cells, truth, worst};
use babycuda_core::{Cell, Configuration, Launch, Natural, Program, Settings};
use babycuda_detectors::symbolic_heap::{Behaviour, RaceRule, explore, translate};
use babycuda_frontend::{Options, Translation, parse_cuda};
use babycuda_testkit::Choices;
use rand_xoshiro::rand_core::RngCore;
use std::sync::Arc;

/// A kernel with its launch.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is a kernel of.
    pub fragment: Fragment,
    /// Its text.
    pub small: Small,
    /// What the calculus makes of it.
    pub program: Program,
    /// Its typed tree.
    pub tree: Arc<babycuda_kernel::Kernel>,
    /// Its launch and parameter.
    pub configuration: Configuration,
}

/// How many states of the schedules of a kernel are looked at.
const MOST_STATES: usize = 50_000;

/// How many choices a kernel is made of, at most.
const CHOICES: usize = 96;

impl Case {
    /// The kernel of a number. Fragments take turns. `None`: the front end does not understand it, which a test
    /// of thousands never saw.
    pub fn of(seed: u64, number: u64) -> Option<Case> {
        Case::of_fragment(
            Fragment::ALL[(number % Fragment::ALL.len() as u64) as usize],
            seed,
            number,
        )
    }

    /// The kernel of a number, of a fragment.
    pub fn of_fragment(fragment: Fragment, seed: u64, number: u64) -> Option<Case> {
        Case::read(fragment, fragment.kernel(&mut Choices::new(&Case::choices(seed, number))))
    }

    /// The choices that make the kernel of a number.
    pub fn choices(seed: u64, number: u64) -> Vec<u16> {
        let mut random = babycuda_campaign::random(seed, number);
        (0..CHOICES).map(|_| random.next_u32() as u16).collect()
    }

    /// The kernel at the launch of its fragment; `None`: the front end does not understand it.
    pub fn read(fragment: Fragment, small: Small) -> Option<Case> {
        Case::read_at(fragment, small, fragment.launch())
    }

    /// The kernel at a launch; `None`: the front end does not understand it.
    pub fn read_at(fragment: Fragment, small: Small, launch: Launch) -> Option<Case> {
        let settings = Settings {
            block: Some(launch.block),
            grid: Some(launch.grid),
            warp: Some(launch.warp),
            params: [("n".into(), small.n.into())].into(),
            ..Settings::default()
        };
        let kernel = parse_cuda(&small.to_string(), &Options::from(settings)).ok()?.pop()?;
        let Translation::Program(program) = kernel.translation else { return None };
        let configuration = Configuration::of_launch(launch).with("n", small.n);
        Some(Case { fragment, small, program, tree: kernel.tree?, configuration })
    }

    /// The kernels with one statement less that are understood, at the same launch.
    pub fn smaller(&self) -> impl Iterator<Item = Case> + use<> {
        let (fragment, launch) = (self.fragment, self.launch());
        let read = move |small| Case::read_at(fragment, small, launch);
        self.small.smaller().into_iter().filter_map(read)
    }

    /// Its launch.
    pub fn launch(&self) -> Launch {
        self.configuration.launch
    }

    /// May what the host stored decide what it accesses?
    pub fn depends_on_contents(&self) -> bool {
        self.fragment.depends_on_contents() && self.small.mentions("d")
    }

    /// The launch, the parameter and these contents of `d`.
    pub fn with(&self, contents: u32) -> Configuration {
        let mut configuration = self.configuration.clone();
        for (index, value) in (0_u32..).zip(cells(contents)) {
            configuration.host.set(Cell::new("d", Natural::from(index)), Natural::from(value));
        }
        configuration
    }

    /// Do some schedules with these contents leave another memory at a barrier than others do? `false`, too, where
    /// that is not known: the kernel is outside of the language whose schedules are explored, or too large.
    pub fn is_harmful(&self, contents: u32) -> bool {
        let explored = translate(&self.tree, &self.with(contents))
            .and_then(|program| explore(&program, RaceRule::Deterministic, MOST_STATES));
        matches!(explored, Ok(Behaviour::Race { .. }))
    }

    /// What happens with these contents of `d`.
    pub fn truth(&self, contents: u32) -> Option<Truth> {
        truth(&self.program, contents)
    }

    /// The worst that happens with any contents, and contents with which it does.
    pub fn worst(&self) -> Option<(Truth, u32)> {
        let contents = if self.depends_on_contents() { CONTENTS } else { 1 };
        worst(&self.program, contents)
    }
}
