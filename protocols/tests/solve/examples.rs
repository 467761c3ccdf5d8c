//! What the solver says of small protocols, one after the other.

use super::*;
use babycuda_smt::{Answer, Query, QueryLimits, Reason};

#[test]
fn any_number_of_threads() {
    drf("wr[tid]", &line());
    drf("wr[threadIdx.x]; sync; rd[tid + 1]", &line());
    let result = racy("wr[tid]; rd[tid + 1]", &line());
    let witness = &result.races[0];
    assert_eq!(witness.kind(), RaceKind::ReadWrite);
    assert_eq!((witness.phase(), witness.confirmation), (Some(0), Confirmation::Run));
    assert!(witness.configuration.launch.block.count() <= 64);
}

#[test]
fn parameters_of_any_value() {
    let d = line().with_param("n", Domain::Machine(IntType::U32));
    drf("wr[add.u32(mul.u32(n, 2048), tid)]", &d);
    let result = racy("if tid < n { wr[0] }", &d);
    assert!(result.races[0].configuration.parameters[&Name::new("n")] >= Natural::from(2u32));
    drf("if tid < n { wr[0] }", &assuming(d.clone(), &["n <= 1"]));
    // Unsigned wrap-around: 512 * 2^23 is 2^32.
    racy("wr[mul.u32(tid, n)]", &assuming(d, &["n == 0x800000"]));
}

/// A solver of queries with one value of the parameter `w`.
struct OfOne;

impl Solver for OfOne {
    fn name(&self) -> &str {
        "of one"
    }

    fn check(&self, query: &Query, limits: &QueryLimits) -> Answer {
        match query.declaration("w").is_some_and(|w| w.bounds.single().is_none()) {
            true => Answer::Unknown(Reason::Incomplete("a product of variables".into())),
            false => Builtin.check(query, limits),
        }
    }
}

#[test]
fn what_is_undecided_may_have_an_odd_witness() {
    let d = line().with_param("n", Domain::Natural).with_param("w", Domain::Machine(IntType::I32));
    for (text, w) in [
        ("wr[mul.u32(tid, w)]", Some(0u32)),
        ("if 5 < w { wr[0] }", Some(u32::MAX)),
        ("if w == 0x1000001 && n == 5 { wr[0] }", Some(0x100_0001)),
        ("if w == 77 { wr[0] }", None),
        ("wr[tid + w]", None),
    ] {
        let found = check(&parsed(text), &d, &OfOne, &SolveOptions::default());
        let witness = found.races.first().map(|race| &race.configuration.parameters);
        let value = witness.map(|parameters| parameters[&Name::new("w")].clone());
        assert_eq!(value, w.map(Natural::from), "{text}: {found:#?}");
        assert_eq!(found.undecided.is_empty(), w.is_some(), "{text}: {found:#?}");
    }
}

#[test]
fn two_and_three_dimensions() {
    let cube =
        Declarations::of_geometry(Geometry { block: [Extent::Symbolic; 3], ..Geometry::line() });
    drf("wr[tid]", &cube);
    drf("wr[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)]", &cube);
    let result = racy("wr[threadIdx.x + 16 * threadIdx.y]", &cube);
    assert!(result.races[0].first.thread != result.races[0].second.thread);
    let plane = Geometry {
        block: [Extent::Known(16), Extent::Known(16), Extent::Known(1)],
        ..Geometry::line()
    };
    drf("wr[threadIdx.x + 16 * threadIdx.y]", &Declarations::of_geometry(plane));
}

#[test]
fn minus_one_is_a_cell_of_its_own() {
    drf("wr[sub.i32(tid, 1)]; sync; rd[sub.u32(tid, 1)]", &line());
    let result = racy("wr[sub.i32(tid, 1)]; if tid == 5 { rd[0xffffffff] }", &line());
    assert_eq!(result.races[0].cell.index, Natural::from(0xffff_ffffu32));
    racy("wr[tid - 1]", &line());
}

#[test]
fn a_loop_of_barriers_may_run_zero_times() {
    let text = "wr[tid]; forS i in 0..n { sync; rd[(tid + i) % blockDim.x] }; rd[tid + 1]";
    let d = line().with_param("n", Domain::Machine(IntType::U32));
    let result = racy(text, &d);
    assert_eq!(result.races.len(), 1);
    assert_eq!(result.races[0].configuration.parameters[&Name::new("n")], Natural::zero());
    drf(text, &assuming(d, &["n > 0"]));
}

#[test]
fn synchronized_counters_are_shared_and_others_are_not() {
    drf("forS i in 0..4 { wr[i * 1024 + tid]; sync }", &line());
    drf("forS i in 0..4 { if tid == i { wr[0] }; sync }", &line());
    racy("forU i in 0..4 { if tid == i { wr[0] } }", &line());
    // A forS loop without a barrier synchronizes nothing.
    racy("forS i in 0..4 { if tid == i { wr[0] } }", &line());
}

#[test]
fn a_counter_is_no_parameter_of_its_name() {
    let d = line().with_param("i", Domain::Machine(IntType::U32));
    let d = assuming(d, &["i > 10"]);
    racy("forS i in 0..4 { wr[i]; sync }", &d);
    racy("forU i in 0..4 { wr[i] }", &d);
    // A backquoted parameter cannot pass for a thread's own counter either.
    let d = assuming(line().with_param("i@1", Domain::Machine(IntType::U32)), &["`i@1` > 10"]);
    assert!(!solved("forU i in 0..4 { wr[i] }", &d).is_drf());
    let d = assuming(line().with_param("i@", Domain::Machine(IntType::U32)), &["`i@` > 10"]);
    assert!(!solved("forS i in 0..4 { wr[i]; sync }", &d).is_drf());
}

#[test]
fn strides_that_double() {
    // A tree reduction whose stride is 2^k, in the operators that CUDA's shifts become.
    let text = "wr[tid]; sync; \
        forS k in 0..10 { \
            if mul.u32(shl.u32(2, k), tid) < blockDim.x { \
                rd[add.u32(mul.u32(shl.u32(2, k), tid), shl.u32(1, k))]; \
                wr[mul.u32(shl.u32(2, k), tid)] \
            }; sync }";
    drf(text, &line());
    racy(&text.replace("shl.u32(1, k)", "shl.u32(2, k)"), &line());
}

#[test]
fn bits() {
    // One step of a bitonic sort: partners by exclusive or.
    let text = "forS k in 0..10 { \
        if tid < xor.u32(tid, shl.u32(1, k)) { wr[tid]; wr[xor.u32(tid, shl.u32(1, k))] }; sync }";
    drf(text, &line());
    racy(
        &text.replace("tid < xor", "tid <= xor").replace("<= xor.u32(tid, shl.u32(1, k))", "< 9"),
        &line(),
    );
    drf("wr[and.u32(tid, 1023)]", &line());
    racy("wr[and.u32(tid, 511)]", &line());
}

#[test]
fn divergence_has_two_threads_and_their_barriers() {
    let d = line().with_param("n", Domain::Machine(IntType::U32));
    let result = solved("if tid < n { sync }", &d);
    assert_eq!(result.divergences.len(), 1, "{result:#?}");
    let found = result.divergences[&Site(0)].divergence;
    assert_eq!(found.phase, 0);
    assert_eq!([found.first.1, found.second.1], [Some(Site(1)), None]);
    drf("if tid < 1024 { sync }", &d);
    drf("if tid < n { wr[tid] }; sync", &d);
    let result = solved("forS i in 0..tid / 512 { sync }", &d);
    assert_eq!(result.divergences.len(), 1, "{result:#?}");
    let result = solved("if tid < 7 { sync } else { sync }", &d);
    assert_eq!(result.divergences.len(), 1, "{result:#?}");
}

#[test]
fn different_decisions_that_meet_at_one_barrier_are_not_called_divergent() {
    // Each thread is at the one barrier once, in different iterations.
    let result = solved("forS i in 0..2 { if tid % 2 == i { sync } }", &line());
    assert!(result.divergences.is_empty());
    assert!(result.undecided.iter().any(|u| u.cause == Cause::NoDivergence), "{result:#?}");
}

#[test]
fn blocks_of_a_grid() {
    let geometry = Geometry {
        grid: Some([Extent::Symbolic, Extent::Known(1), Extent::Known(1)]),
        ..Geometry::line()
    };
    let d = Declarations::of_geometry(geometry);
    let d = with_array(d, "G", Space::Global, Contents::Any);
    let d = with_array(d, "S", Space::Shared, Contents::Undefined);
    drf("wr S[tid]", &d);
    drf("wr G[tid + blockDim.x * blockIdx.x]", &d);
    let result = racy("wr G[tid]", &d);
    assert!(!result.races[0].same_block());
    assert_eq!(result.races[0].phase(), None);
    // Barriers do not order blocks.
    racy("if blockIdx.x == 0 { wr G[tid] }; sync; if blockIdx.x == 1 { rd G[tid] }", &d);
    racy("if tid == 0 { at.block G[0] }", &d);
    drf("at G[0]", &d);
}

#[test]
fn data_is_each_threads_own() {
    let d = with_array(line(), "I", Space::Global, Contents::Any);
    let text = |index: &str| format!("rd I[{index}]; any x: u32 {{ wr A[x] }}");
    let mut p = parsed(&text("tid"));
    p = p.map_sites(&mut |s| if s == Site(1) { Site(0) } else { s });
    let result = check(&p, &d, &Builtin, &SolveOptions::default());
    assert_eq!(result.races.len(), 1, "{result:#?}");
    let witness = &result.races[0];
    assert!(witness.depends_on_data());
    let cell = |side: &Side| side.data[0].cell.clone();
    assert_eq!(cell(&witness.first).unwrap().array.as_str(), "I");
    assert_ne!(cell(&witness.first), cell(&witness.second));
    // Who reads one cell reads one value: only thread x writes A[0].
    let p = parsed("rd I[0]; any x: u32 { if tid == x { wr A[0] } }")
        .map_sites(&mut |s| if s == Site(1) { Site(0) } else { s });
    let result = check(&p, &d, &Builtin, &SolveOptions::default());
    assert!(result.is_drf(), "{result:#?}");
    // Not so when the array is written, or its contents are not known to be an array's.
    let opaque = with_array(line(), "I", Space::Global, Contents::Opaque);
    let result = check(&p, &opaque, &Builtin, &SolveOptions::default());
    assert_eq!(result.races.len(), 1, "{result:#?}");
    assert!(result.races[0].depends_on_data());
    // Data that does not matter to the access is not reported.
    let result = solved("any x: u32 { wr A[0] }", &d);
    assert!(!result.races[0].depends_on_data());
}

#[test]
fn unbounded_naturals_are_not_called_free_of_races_below_a_bound() {
    let d = line().with_param("n", Domain::Natural).with_param("m", Domain::Natural);
    // Racy only for n = m + 100, beyond the bounds of the first search.
    let result = solved("if n == m + 100 { wr[0] }", &d);
    assert!(!result.is_drf(), "{result:#?}");
    let result = solved("if n * n == 2 * m * m + 2 { if m > 5000000 { wr[0] } }", &d);
    assert!(!result.is_drf(), "{result:#?}");
}

#[test]
fn what_is_not_understood_is_undecided() {
    let d = line().with_param("n", Domain::Machine(IntType::U32));
    let result = solved("forS i in 0..n { if i % 2 == 0 { sync } }", &d);
    assert!(matches!(result.undecided[0].subject, Subject::Phases), "{result:#?}");
    let result = solved("wr[y]", &line());
    assert!(matches!(result.undecided[0].cause, Cause::Unbound(_)), "{result:#?}");
    // A loop whose body always synchronizes, though only the solver sees it.
    let d = assuming(d, &["n < 1000"]);
    let text = "forS i in 1..n { if i * i >= i { wr[tid]; sync } else { skip } ; rd[tid] }";
    drf(text, &d);
}

#[test]
fn a_query_is_asked_once() {
    let text = "wr[tid + 1 - 1]; wr[tid + 1 - 1]; wr[tid + 1 - 1]";
    let result = solved(text, &line());
    assert!(result.is_drf());
    assert_eq!(result.statistics.pairs, 6);
    assert!(result.statistics.queries <= 2, "{:?}", result.statistics);
}
