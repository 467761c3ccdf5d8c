//! Splitting preserves Λ, phase by phase (T7).

mod common;

use babycuda_core::history::HostArray;
use babycuda_core::parse::parse_protocol;
use babycuda_core::syntax::Geometry;
use babycuda_core::{Bool, Budget, Configuration, Declarations, Protocol};
use babycuda_protocols::map::{Ending, MapLimits, evaluate};
use babycuda_protocols::split::{ByRanges, Decision, Mismatch, Unaligned, are_met, preserves};
use babycuda_protocols::{Split, split};
use common::{Control, protocol, reading};
use proptest::prelude::*;
use std::cell::Cell;

fn splitting(p: &Protocol) -> Split {
    let mut prover = ByRanges::of(&Declarations::of_geometry(Geometry::line()));
    split(p, &mut prover)
}

fn parsed(text: &str) -> Protocol {
    parse_protocol(text).unwrap_or_else(|e| panic!("{e}"))
}

/// Checks T7 for 3 threads, `n` and `m` up to 3, wherever the obligations are met; returns how often
/// it was comparable.
fn check(p: &Protocol) -> Result<(Split, u32), String> {
    let result = splitting(p);
    let mut compared = 0;
    if let Ok(phases) = &result.phases {
        for n in 0u32..4 {
            for m in 0u32..4 {
                let mut at = Configuration::threads(3).with("n", n).with("m", m);
                // What inputs hold: `P[j]` is n + j.
                let cells = (0u32..9).map(|j| (j.into(), (n + j).into()));
                let contents = HostArray { fill: Some(n.into()), cells: cells.collect() };
                at.host.insert("P".into(), contents);
                let limits = MapLimits::default();
                if !are_met(&result.obligations, &at, &limits).map_err(|e| e.to_string())? {
                    continue;
                }
                let lambda = preserves(p, phases, &at, &limits)
                    .map_err(|e| format!("n = {n}, m = {m}: {e}\n{phases:#?}"))?;
                compared += u32::from(lambda.ending == Ending::Done);
            }
        }
    }
    Ok((result, compared))
}

#[track_caller]
fn split_into(text: &str, phases: usize) -> Split {
    let p = parsed(text);
    let (result, compared) = check(&p).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(compared, 16, "{text} diverges");
    assert_eq!(result.phases.as_ref().map(Vec::len), Ok(phases), "{result:#?}");
    result
}

#[test]
fn unsynchronized_protocols_are_one_phase() {
    split_into("skip", 1);
    split_into("rd[tid]; forU i in 0..n { wr[i] }", 1);
}

#[test]
fn a_barrier_makes_two_phases() {
    split_into("wr[tid]; sync; rd[tid + 1]", 2);
    split_into("sync; sync", 3);
}

#[test]
fn accesses_around_a_loop_that_may_run_zero_times_can_share_a_phase() {
    let result = split_into("wr[tid]; forS i in 0..n { sync }; rd[tid + 1]", 3);
    let first = &result.phases.unwrap()[0];
    assert_eq!(first.body.arrays().len(), 1);
    assert!(format!("{}", first.body).contains("rd"), "{}", first.body);
}

#[test]
fn barriers_at_either_end_of_a_loop_body() {
    split_into("wr[tid]; forS i in 0..n { rd[i]; sync; wr[tid + i] }; rd[tid]", 3);
    split_into("forS i in n..m { wr[tid]; sync; rd[i]; sync; wr[i] }", 4);
    split_into("forS i in n..m { sync; forS j in 0..i { wr[j + tid]; sync; rd[i] } }", 5);
}

#[test]
fn uniform_branches_become_guards() {
    let result = split_into("wr[tid]; if n < 2 { sync } else { rd[0] }; wr[tid + 1]", 2);
    assert!(result.obligations.is_empty());
    split_into("if n < 2 { sync; wr[tid]; sync } else { wr[1]; sync }", 3);
    split_into("forS i in 0..n { wr[tid]; if m == 1 { sync }; rd[i] }", 3);
}

#[test]
fn iterations_that_sync_from_a_threshold_on() {
    split_into("forS i in 0..n { wr[tid]; forS j in 0..i { sync; rd[j] } ; wr[i] }", 4);
    split_into("forS i in 0..n { wr[i]; if i == m { sync }; rd[tid] }", 3);
    split_into("forS i in 0..n { wr[i]; if m <= i { sync }; rd[tid] }", 3);
    split_into("forS i in 0..n { wr[i]; if i != 1 { sync }; rd[tid] }", 5);
}

#[test]
fn literal_loops_are_unrolled() {
    split_into("forS i in 0..6 { wr[i]; if i % 2 == 0 { sync }; rd[tid] }", 4);
}

#[test]
fn a_loop_that_syncs_now_and_then_is_refused_with_its_site() {
    let p = parsed("wr[0]; forS i in 0..n { if i % 2 == 0 { sync } }");
    let result = splitting(&p);
    let Err(unaligned) = result.phases else {
        panic!("aligned: {result:?}");
    };
    assert!(matches!(unaligned, Unaligned::SomeIterations { .. }));
    assert_eq!(unaligned.site().map(|site| site.0), Some(1));
}

#[test]
fn thread_dependent_control_around_barriers_is_an_obligation() {
    let one = |text: &str| {
        let mut result = splitting(&parsed(text));
        assert_eq!(result.obligations.len(), 1, "{text}");
        result.obligations.remove(0)
    };
    let branch = one("if tid == 0 { sync }").decision;
    assert!(matches!(branch, Decision::Branch { then_syncs: Bool::Lit(true), .. }));
    assert!(matches!(one("forS i in 0..tid { sync }").decision, Decision::Count { .. }));
    let inside = one("forS k in 0..n { if threadIdx.x < k { sync } else { sync } }");
    assert_eq!(inside.context.len(), 1);
    assert!(splitting(&parsed("if tid == 0 { wr[0] }; sync")).obligations.is_empty());
}

/// Threads that pass equally many barriers, at different places, break no barrier rule of Λ. Their
/// split is wrong all the same: T7 needs its obligations.
#[test]
fn threads_in_step_by_count_alone_do_not_meet_the_obligations() {
    let p = parsed("forS i in 0..m { if i != tid { sync } else { rd[0] }; rd[1] }");
    let (Split { phases, obligations }, at) =
        (splitting(&p), Configuration::threads(3).with("m", 3u32));
    let limits = MapLimits::default();
    assert_eq!(evaluate(&p, &at, &limits).map(|lambda| lambda.ending), Ok(Ending::Done));
    assert_eq!(are_met(&obligations, &at, &limits), Ok(false));
    let differs = preserves(&p, &phases.unwrap(), &at, &limits);
    assert!(matches!(differs, Err(Mismatch::Phase { phase: 1, .. })), "{differs:?}");
}

#[test]
fn loops_with_private_start_and_uniform_count_are_aligned() {
    let p = parsed("forS i in tid..tid + 2 { wr[i]; sync }");
    let (result, compared) = check(&p).unwrap();
    assert_eq!(compared, 16);
    assert_eq!(result.phases.map(|p| p.len()), Ok(3));
}

#[test]
fn shadowed_names_are_not_captured() {
    split_into("forS n in n..n + 2 { wr[n + tid]; sync; forU n in n..n + 1 { rd[n] } }", 3);
    split_into("forS i in 0..n { forU i in i..i + 2 { wr[i + tid] }; sync; rd[i] }", 3);
}

#[test]
fn barriers_that_depend_on_data_are_refused() {
    let result = splitting(&parsed("any x: u32 { if x == 0 { sync } }; wr[tid]"));
    assert!(matches!(result.phases, Err(Unaligned::Data { .. })));
    assert_eq!(result.obligations.len(), 1);
    let result = splitting(&parsed("any x: u32 { wr[x]; sync; rd[x] }"));
    assert_eq!(result.phases.map(|p| p.len()), Ok(2));
    assert!(result.obligations.is_empty());
}

#[test]
fn splitting_preserves_lambda() {
    let (split, unaligned, many) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let cases = 3000;
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(p in protocol(Control::Uniform, 4))| {
        let (result, compared) = check(&p).map_err(|e| TestCaseError::fail(format!("{p}\n{e}")))?;
        prop_assert!(result.obligations.is_empty(), "{}", p);
        match result.phases {
            Ok(phases) => {
                prop_assert_eq!(compared, 16, "{}", p);
                split.set(split.get() + 1);
                many.set(many.get() + u32::from(phases.len() > 2));
            }
            Err(_) => unaligned.set(unaligned.get() + 1),
        }
    });
    // The distribution: most split, many in more than two, some refused.
    assert!(split.get() > cases * 3 / 4, "{} split", split.get());
    assert!(many.get() > cases / 4, "{} in three phases or more", many.get());
    assert!(unaligned.get() > 0, "none refused");
}

/// With thread-dependent control: when no two threads ever disagree, T7 holds as well; and a
/// block that diverges always violates an obligation.
#[test]
fn divergence_implies_an_obligation() {
    let (diverged, aligned) = (Cell::new(0u32), Cell::new(0u32));
    let config =
        ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(p in protocol(Control::Free, 3))| {
        let result = splitting(&p);
        for n in 0u32..3 {
            let at = Configuration::threads(3).with("n", n).with("m", 2u32);
            let lambda = evaluate(&p, &at, &MapLimits::default()).unwrap();
            if lambda.ending != Ending::Done {
                // What could not be split says nothing.
                let said = !result.obligations.is_empty() || result.phases.is_err();
                prop_assert!(said, "{}", p);
                diverged.set(diverged.get() + u32::from(result.phases.is_ok()));
            } else if result.obligations.is_empty() && let Ok(phases) = &result.phases {
                let same = preserves(&p, phases, &at, &MapLimits::default());
                prop_assert!(same.is_ok(), "{}: {:?}", p, same);
                aligned.set(aligned.get() + 1);
            }
        }
    });
    assert!(diverged.get() > 200, "{} diverged", diverged.get());
    assert!(aligned.get() > 200, "{} aligned", aligned.get());
}

/// A loop that may have no barrier has two copies of what runs before its first one.
#[test]
fn exponential_splits_are_refused() {
    let loops = |depth: u32| {
        let open = |i| format!("forS i{i} in 0..n {{ wr[tid + i{i}]; if m < n + {i} {{ sync }}; ");
        let opened: String = (0..depth).map(open).collect();
        parsed(&format!("{opened}rd[tid]{}", "}".repeat(depth as usize)))
    };
    assert!(splitting(&loops(6)).phases.is_ok());
    let refused = splitting(&loops(40)).phases.unwrap_err();
    assert_eq!((refused.site(), &refused), (None, &Unaligned::TooLarge));
}

/// Loops of which some iterations have barriers are unrolled, one inside the other.
#[test]
fn unrolling_ends() {
    let open: String = (0..5).map(|i| format!("forS i{i} in 0..60 {{ ")).collect();
    let guard = "if (i0 % 7) * (i1 % 3) < (i2 * i3) % 5 + i4 % 2 { sync }";
    let p = parsed(&format!("{open}{guard}{}", "}".repeat(5)));
    assert_eq!(splitting(&p).phases, Err(Unaligned::TooLarge));
}

#[test]
fn a_split_ends_with_its_budget() {
    let p = parsed("forS i in 0..9 { wr[tid]; sync }");
    let mut prover = ByRanges::default().within(Budget::time(std::time::Duration::ZERO));
    assert!(matches!(split(&p, &mut prover).phases, Err(Unaligned::Exhausted(_))));
}

/// Inputs that decide barriers are read first, where their index is known there; their threads agree
/// on them where they agree on the index.
#[test]
fn inputs_that_decide_barriers_move_outwards() {
    let result = split_into("let k = input P[m] in forS i in 0..k { wr[tid]; sync }; rd[k]", 3);
    assert!(result.obligations.is_empty(), "{result:#?}");
    let text = "if m == 1 { let k = input P[0] in if k == 2 { sync } }; rd[tid]";
    assert!(split_into(text, 2).obligations.is_empty());
    let own = splitting(&parsed("let k = input P[tid] in if k == 2 { sync }"));
    assert_eq!(own.obligations.len(), 1, "{own:#?}");
    let by_way =
        splitting(&parsed("let j = input P[tid] in let k = input P[j] in if k == 2 { sync }"));
    assert_eq!(by_way.obligations.len(), 1, "{by_way:#?}");
    let inside = splitting(&parsed("forS i in 0..n { let k = input P[i] in if k == 2 { sync } }"));
    assert!(matches!(inside.phases, Err(Unaligned::Data { .. })), "{inside:#?}");
    split_into("forS i in 0..n { let k = input P[i] in wr[k]; sync }", 3);
}

#[test]
fn splitting_preserves_the_phases_of_random_protocols_with_inputs() {
    let compared = Cell::new(0u32);
    let config = ProptestConfig { cases: 3000, failure_persistence: None, ..Default::default() };
    let control = prop_oneof![Just(Control::Uniform), Just(Control::Free)];
    let protocols = control.prop_flat_map(|c| protocol(c, 3));
    let index = proptest::sample::select(&["0", "1", "m", "tid", "tid / 2", "tid % 2 + m"][..]);
    proptest!(config, |(p in protocols, place in 0usize..5, index in index)| {
        let p = reading(&p, place, index);
        let (_, some) = check(&p).map_err(|e| TestCaseError::fail(format!("{p}\n{e}")))?;
        compared.set(compared.get() + u32::from(some > 0));
    });
    assert!(compared.get() > 1500, "{} compared", compared.get());
}
