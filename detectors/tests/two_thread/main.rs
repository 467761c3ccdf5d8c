//! SKBG18's technique: its formulae, its algorithms, its claims, its experiments.

mod claims;
#[path = "../common/mod.rs"]
mod common;
mod formulae;
mod races;
mod small;
mod tables;

use babycuda_core::history::HostArray;
use babycuda_core::launch::{Dim3, Thread};
use babycuda_core::{Configuration, HostMemory, Launch, Natural};
use babycuda_detectors::two_thread::claims::Truth;
use babycuda_detectors::two_thread::{Findings, Reading, TwoThread};
use babycuda_frontend::{Options, Translation, parse_cuda};
use babycuda_semantics::{Instance, Policy, RunOptions, grid};
use std::sync::Arc;

/// The kernel of a file, for a launch.
struct Case {
    text: String,
    tree: Arc<babycuda_kernel::Kernel>,
    program: Option<Arc<babycuda_core::Program>>,
}

fn case(text: &str) -> Case {
    let kernels = parse_cuda(text, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let kernel = kernels.into_iter().next().expect("a kernel");
    let tree = kernel.tree.expect("a tree");
    let program = match kernel.translation {
        Translation::Program(program) => Some(Arc::new(program)),
        Translation::Unsupported(_) => None,
    };
    Case { text: text.to_owned(), tree, program }
}

/// A kernel with this body, `a` and `b` of integers, `n` and `s` shared.
fn body(body: &str) -> Case {
    case(&format!("__global__ void k(int *a, int *b, int n) {{ __shared__ int s[64]; {body} }}"))
}

fn launch(grid: u32, block: u32) -> Configuration {
    let launch = Launch::new(Dim3::line(grid), Dim3::line(block));
    Configuration::of_launch(launch).with("n", 4u32)
}

impl Case {
    fn findings(&self, reading: Reading, at: &Configuration) -> Findings {
        let found = TwoThread::reading(reading).findings(&self.tree, at);
        found.unwrap_or_else(|e| panic!("{e}\n{}", self.text))
    }

    /// What the semantics says, with 0 in all memory that nobody wrote.
    fn truth(&self, at: &Configuration) -> Truth {
        let program = self.program.clone().expect("a translation");
        let instance = Instance::of(program, Configuration { block: 0, ..at.clone() });
        let mut host = HostMemory::default();
        let stops = |name| instance.program.stops.contains(name);
        for array in instance.program.arrays.iter().filter(|a| !stops(&a.name)) {
            let array_of_zero =
                HostArray { fill: Some(Natural::from(0u32)), ..HostArray::default() };
            host.insert(array.name.clone(), array_of_zero);
        }
        let instance = instance.with_host(host).with_contents_chosen(Policy::Smallest);
        let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
        let outcomes = grid::run(&instance, &options).expect("few threads");
        let mut truth = Truth::default();
        for (block, outcome) in (0..).zip(&outcomes) {
            assert!(outcome.stuck().is_none(), "{:?}\n{}", outcome.stuck(), self.text);
            truth.diverges |= outcome.divergence().is_some();
            for race in outcome.history().races() {
                let threads = [race.first.0, race.second.0].map(|index| Thread { block, index });
                truth.races.insert((race.cell, threads));
            }
        }
        let histories = outcomes.iter().map(|o| o.history());
        for race in grid::cross_block_races(&instance.program, histories) {
            truth.races.insert((race.cell, [race.first.0, race.second.0]));
        }
        truth
    }
}
