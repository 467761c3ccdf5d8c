//! The kernels that techniques are compared on, each from its number.

use super::fragment::Fragment;
use super::kernel::Small;
use super::truth::{CONTENTS, Truth, truth};
use babycuda_core::{Configuration, Program, Settings};
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

/// How many choices a kernel is made of, at most.
const CHOICES: usize = 96;

impl Case {
    /// The kernel of a number. Fragments take turns.
    pub fn of(seed: u64, number: u64) -> Case {
        let fragment = Fragment::ALL[(number % Fragment::ALL.len() as u64) as usize];
        let mut random = babycuda_campaign::random(seed, number);
        let choices: Vec<u16> = (0..CHOICES).map(|_| random.next_u32() as u16).collect();
        let small = fragment.kernel(&mut Choices::new(&choices));
        let text = small.to_string();
        // The generator makes kernels that the front end understands: a test holds it to that.
        Case::read(fragment, small).unwrap_or_else(|| panic!("not understood:\n{text}"))
    }

    /// The kernel; `None`: the front end does not understand it.
    pub fn read(fragment: Fragment, small: Small) -> Option<Case> {
        let launch = fragment.launch();
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

    /// The kernels with one statement less that are understood.
    pub fn smaller(&self) -> impl Iterator<Item = Case> + use<> {
        let fragment = self.fragment;
        self.small.smaller().into_iter().filter_map(move |small| Case::read(fragment, small))
    }

    /// What happens with these contents of `d`.
    pub fn truth(&self, contents: u32) -> Option<Truth> {
        truth(&self.program, contents)
    }

    /// The worst that happens with any contents, and contents with which it does.
    pub fn worst(&self) -> Option<(Truth, u32)> {
        let contents = if self.fragment.depends_on_contents() { CONTENTS } else { 1 };
        let all = (0..contents).map(|contents| Some((self.truth(contents)?, contents)));
        all.collect::<Option<Vec<_>>>()?.into_iter().max_by_key(|(truth, _)| *truth)
    }
}
