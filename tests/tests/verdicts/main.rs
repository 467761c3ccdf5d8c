//! Verdicts: what a check says is so in the reference semantics, or it says that it does not know.

mod assumed;
mod counters;
mod evidence;
mod runs;
mod scope;
mod stops;

use babycuda::core::evidence::{Certainty, Report, Witness};
use babycuda::core::parse::{parse_map, parse_program};
use babycuda::core::syntax::{Contents, Program};
use babycuda::core::verdict::{Method, Outcome};
use babycuda::frontend::{Translation, parse_cuda};
use babycuda::{Checked, Decide, Options, Settings, check, check_protocol};
use babycuda_core::{Dim3, Name, Stmt};
use babycuda_semantics::{Instance, RunLimits};
use babycuda_testkit::generators::{Profile, programs_with_memory};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

fn deciding(decide: Decide) -> Options {
    Options { decide, timeout: Duration::from_secs(2), ..Options::default() }
}

fn program(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn checked(text: &str, decide: Decide) -> Checked {
    check(&program(text), &deciding(decide)).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The only kernel of a CUDA file, under settings.
fn kernel(text: &str, settings: &Settings, launch: Option<Dim3>) -> Checked {
    let options = Settings { block: launch, ..Settings::default() };
    let kernels = parse_cuda(text, &options.into()).unwrap();
    let translation = kernels.into_iter().next().map(|k| k.translation);
    let Some(Translation::Program(program)) = translation else { panic!("{text}: not translated") };
    let program = settings.apply(&program).unwrap().around(program.body.clone());
    check(&program, &Options::default()).unwrap()
}

#[test]
fn barriers_of_warps_and_tiles_order_their_threads_only() {
    for (scope, ordered) in [("tile4", false), ("warp", true), ("block", true), ("grid", true)] {
        for decide in [Decide::Auto, Decide::Enumerate, Decide::Solve] {
            // Threads 0 and 7 are of one warp, and not of one tile.
            let text = format!("threads 8; A[tid] := 1; sync.{scope}; A[7 - tid] := 2");
            let protocol = format!("threads 8; wr[tid]; sync.{scope}; wr[7 - tid]");
            let protocol = parse_map(&protocol).unwrap();
            let (of_program, of_protocol) =
                (checked(&text, decide), check_protocol(&protocol, &deciding(decide)).unwrap());
            assert_eq!(of_program.verdict.outcome == Outcome::Drf, ordered, "{scope}");
            assert_eq!(of_protocol.verdict.outcome == Outcome::Drf, ordered, "{scope}");
            if !ordered {
                assert_eq!(of_protocol.verdict.outcome, Outcome::Racy, "{scope}");
            }
        }
    }
}

#[test]
fn barriers_of_the_grid_order_blocks_that_reach_them_alike() {
    let head = "threads 8; grid 2, 1, 1; global A; A[8 * blockIdx.x + tid] := 1";
    for decide in [Decide::Auto, Decide::Enumerate, Decide::Solve] {
        let other = "A[8 * (1 - blockIdx.x) + tid] := 2";
        let ordered = checked(&format!("{head}; sync.grid; {other}"), decide).verdict;
        match decide {
            // A launch of several blocks is not enumerated.
            Decide::Enumerate => assert_ne!(ordered.outcome, Outcome::Racy),
            Decide::Auto | Decide::Solve => assert_eq!(ordered.outcome, Outcome::Drf),
        }
        assert_ne!(
            checked(&format!("{head}; sync; {other}"), decide).verdict.outcome,
            Outcome::Drf
        );
        let text = format!("{head}; if blockIdx.x == 0 {{ sync.grid }} else {{ skip }}");
        let Outcome::Unknown(why) = checked(&text, decide).verdict.outcome else { panic!() };
        assert!(why.contains("`sync.grid` at "), "{why}");
    }
}

#[track_caller]
fn vacuous(found: &Checked, assumption: &str) {
    let Outcome::Unknown(reason) = &found.verdict.outcome else { panic!("{:?}", found.verdict) };
    assert!(reason.contains("vacuous: no launch satisfies"), "{reason}");
    assert!(reason.contains(assumption), "{reason}");
}
