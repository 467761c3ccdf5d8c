//! Implementations that must agree, compared on what bytes choose: a kernel or a program, made by the generators of random
//! ones. Where two disagree, the message has the kernel or the program, and how to see it again.
//!
//! One list serves a test of random bytes (`tests/comparisons`) and the targets of `cargo fuzz` (`fuzz/targets`).

pub mod programs;

use crate::Target;
use babycuda_fuzz::folder::Disagreement;
use babycuda_fuzz::{Asking, Fragment, Tool, tools};
use babycuda_testkit::Choices;
use babycuda_validation::scorecard::Case;
use babycuda_validation::scorecard::truth::CONTENTS;
use std::path::Path;

/// All comparisons.
pub const COMPARISONS: [Target; 2] = [
    Target { name: "compare-kernels", run: kernels, seeds },
    Target { name: "compare-programs", run: programs::is_compared, seeds },
];

/// Who is held to the virtual machine, of those that `babycuda fuzz --against implementations` asks: who needs nothing else, and
/// is fast. All interleavings are for programs, which are smaller.
const WHO: [&str; 4] = ["reference", "enumeration", "solvers", "sim"];

/// About so many smaller kernels one is asked where it disagrees.
const REDUCTIONS: usize = 100;

thread_local! {
    static TOOLS: Vec<Box<dyn Tool>> = WHO.into_iter().flat_map(named).collect();
}

fn named(name: &str) -> Vec<Box<dyn Tool>> {
    // What is inside writes nothing there.
    let tools = tools(name, &Asking::default().reading, Path::new("")).expect("it is inside");
    assert!(!tools.asked.is_empty() && tools.left_out.is_empty(), "{name} is asked");
    tools.asked
}

/// Two bytes are a choice.
fn choices(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect()
}

/// Choices of the scorecard's kernels.
fn seeds() -> Vec<Vec<u8>> {
    let bytes = |number| Case::choices(0, number).into_iter().flat_map(u16::to_le_bytes).collect();
    (0..55).map(bytes).collect()
}

/// A kernel through the front end: its fragment, the contents of `d`, then what it is made of.
fn kernels(bytes: &[u8]) -> bool {
    let numbers = choices(bytes);
    let mut choices = Choices::new(&numbers);
    let fragment = *choices.pick(&Fragment::ALL);
    let contents = choices.below(CONTENTS as usize) as u32;
    let small = fragment.kernel(&mut choices);
    let case = Case::read(fragment, small.clone())
        .unwrap_or_else(|| panic!("the front end does not understand it: {small}"));
    let disagreement = TOOLS.with(|tools| {
        let tools = tools.iter().map(AsRef::as_ref);
        Disagreement::about(tools, &case, contents, &Asking::default(), REDUCTIONS)
    });
    match disagreement {
        Some(disagreement) => panic!("{disagreement}"),
        None => !case.small.body.is_empty(),
    }
}
