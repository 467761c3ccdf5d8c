//! Verdicts: what a check says is so in the reference semantics, or it says that it does not know.

mod assumed;
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
use babycuda_core::Dim3;
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
fn barriers_of_other_scopes_than_a_block_are_unknown() {
    for scope in ["tile4", "warp", "grid"] {
        for decide in [Decide::Auto, Decide::Enumerate, Decide::Solve] {
            // With a block barrier there, it would be race-free.
            let text = format!("threads 8; A[tid] := 1; sync.{scope}; A[7 - tid] := 2");
            let protocol = format!("threads 8; wr[tid]; sync.{scope}; wr[7 - tid]");
            let protocol = parse_map(&protocol).unwrap();
            for found in
                [checked(&text, decide), check_protocol(&protocol, &deciding(decide)).unwrap()]
            {
                let Outcome::Unknown(why) = found.verdict.outcome else { panic!("{scope}") };
                assert!(why.contains(&format!("`sync.{scope}` at ")), "{why}");
                assert!(found.verdict.races.is_empty());
            }
        }
    }
}

#[track_caller]
fn vacuous(found: &Checked, assumption: &str) {
    let Outcome::Unknown(reason) = &found.verdict.outcome else { panic!("{:?}", found.verdict) };
    assert!(reason.contains("vacuous: no launch satisfies"), "{reason}");
    assert!(reason.contains(assumption), "{reason}");
}
