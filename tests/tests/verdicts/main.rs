//! Verdicts: what a check says is so in the reference semantics, or it says that it does not know.

mod assumed;
mod choices;
mod contracts;
mod counters;
mod evidence;
mod kernels;
mod loops;
mod partial;
mod provided;
mod runs;
mod scope;
mod slots;
mod stops;
mod views;

use babycuda::core::evidence::{Certainty, Confirmation, Report, Witness};
use babycuda::core::parse::{parse_map, parse_program};
use babycuda::core::syntax::{BarrierScope, Contents, Program};
use babycuda::core::verdict::{Method, Outcome};
use babycuda::frontend::{Translation, parse_cuda};
use babycuda::{CheckOptions, Checked, Decide, Evidence, Settings, check, check_protocol};
use babycuda_core::{Dim3, Name, Natural, Site, Stmt};
use babycuda_semantics::{Instance, RunLimits};
use babycuda_testkit::generators::{Profile, programs_with_memory};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

fn deciding(decide: Decide) -> CheckOptions {
    CheckOptions { decide, timeout: Duration::from_secs(2), ..CheckOptions::default() }
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
    check(&program, &CheckOptions::default()).unwrap()
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
        assert_eq!(ordered.outcome, Outcome::Drf);
        let apart = checked(&format!("{head}; sync; {other}"), decide).verdict;
        assert_eq!(apart.outcome, Outcome::Racy);
        let text = format!("{head}; if blockIdx.x == 0 {{ sync.grid }} else {{ skip }}");
        let alone = checked(&text, decide).verdict;
        match (decide, &alone.outcome) {
            (Decide::Auto | Decide::Enumerate, Outcome::Divergent) => {
                let [found] = &alone.divergences[..] else { panic!("{alone:?}") };
                assert_eq!(found.divergence.scope, BarrierScope::Grid);
                assert_eq!((found.divergence.first.0, found.divergence.second.0), (0, 8));
                assert_eq!(found.certainty, Certainty::Provable);
                assert!(found.replay.is_some(), "{found:?}");
            }
            (Decide::Solve, Outcome::Unknown(why)) => {
                assert!(why.contains("`sync.grid` at "), "{why}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Races of a grid whose blocks run together: by enumeration and by solver, each with its run and
/// with derivations that the checker accepts.
#[test]
fn races_around_barriers_of_the_grid_are_replayed() {
    for (grid, body, same_block) in [
        // Behind a barrier, and before it.
        ("2", "A[2 * blockIdx.x + tid] := 1; sync.grid; A[tid] := 2", false),
        ("3", "A[blockIdx.x / 2 * 4 + tid] := 1; sync.grid", false),
        ("2", "sync.grid; S[0] := tid; sync.grid; if tid == 0 { S[0] := 3 }", true),
        // Of data: what the host stored, and what the program computes.
        ("2", "sync.grid; let x = B[tid] in if x == 7 { A[blockIdx.x] := 1 }", true),
        (
            "2",
            "A[2 * blockIdx.x + tid] := 1; sync.grid; let x = A[3 - tid] in A[7 + x] := 1",
            false,
        ),
        // One block's barrier in between is none of the other's.
        (
            "2",
            "if blockIdx.x == 0 { A[tid] := 1; sync } else { A[2 + tid] := 1 }; A[1 - tid] := 2;
               sync.grid",
            false,
        ),
        ("*", "A[4 * blockIdx.x + tid] := 1; sync.grid; A[tid + blockIdx.x] := 2", false),
    ] {
        let text =
            format!("threads 2; grid {grid}, 1, 1; shared S; global A; global B = any; {body}");
        for decide in [Decide::Auto, Decide::Solve] {
            let found = checked(&text, decide).verdict;
            assert_eq!(found.outcome, Outcome::Racy, "{text}: {found:?}");
            let sure = |r: &&Report<Witness>| r.certainty == Certainty::Replayed;
            let race = found.races.iter().find(sure);
            let race = race.unwrap_or_else(|| panic!("{text}: {:?}", found.races));
            let of_kind = |r: &Report<Witness>| r.witness.same_block() == same_block;
            assert!(found.races.iter().any(of_kind), "{text}: {:?}", found.races);
            let options = deciding(decide);
            let again = race.witness.replay(&program(&text), &options);
            assert_eq!(again.certainty, Certainty::Replayed, "{text}");
            let derivations = race.witness.certify(&program(&text), &options);
            let derivations = derivations.unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(derivations.len(), 1, "the blocks have one run");
            assert!(derivations[0].summary().contains("racy"), "{}", derivations[0].summary());
            assert_eq!(derivations[0].program.body, program(&text).body);
        }
    }
}

/// What barriers of the grid part does not race, also where data decides.
#[test]
fn blocks_that_wait_for_each_other_do_not_race() {
    for (grid, body) in [
        ("3", "A[2 * blockIdx.x + tid] := 1; sync.grid; A[2 * ((blockIdx.x + 1) % 3) + tid] := 2"),
        ("2", "S[tid] := 1; sync.grid; let x = S[1 - tid] in A[2 * blockIdx.x + tid] := x"),
        ("2", "forS i in 0..4 { A[2 * ((blockIdx.x + i) % 2) + tid] := i; sync.grid }"),
        ("2", "if blockIdx.x == 0 { A[tid] := 1; sync }; sync.grid; A[3 * blockIdx.x + tid] := 2"),
        ("*", "A[2 * blockIdx.x + tid] := 1; sync.grid; S[tid] := 2"),
    ] {
        let text = format!("threads 2; grid {grid}, 1, 1; shared S; global A; {body}");
        for decide in [Decide::Auto, Decide::Solve] {
            let found = checked(&text, decide).verdict;
            assert_eq!(found.outcome, Outcome::Drf, "{text}: {found:?}");
        }
    }
}

#[track_caller]
fn vacuous(found: &Checked, assumption: &str) {
    let Outcome::Unknown(reason) = &found.verdict.outcome else { panic!("{:?}", found.verdict) };
    assert!(reason.contains("vacuous: no launch satisfies"), "{reason}");
    assert!(reason.contains(assumption), "{reason}");
}
