//! For what a verdict holds: launches, parameters, arrays, and by which method.

use super::*;

#[test]
fn a_verdict_about_no_launch_is_unknown() {
    // By enumeration, by a run, and by solver.
    let fixed = "threads 2; assume 1 == 2; A[tid] := 1";
    vacuous(&checked(fixed, Decide::Auto), "1 == 2");
    vacuous(&checked(fixed, Decide::Solve), "1 == 2");
    let untyped = "threads 2; param n = 3; assume n < 2; let x = B[0] in A[x + tid] := 1";
    vacuous(&checked(untyped, Decide::Auto), "n < 2");
    let symbolic = "threads *; param n: u32; assume n > 5; assume n < 3; A[0] := 1";
    vacuous(&checked(symbolic, Decide::Auto), "n > 5");
    vacuous(&checked("threads *; assume blockDim.x > 2000; A[0] := 1", Decide::Auto), "2000");
    // The assumption of a grid that nobody fixed is no contradiction.
    let grid = checked("threads 2; assume gridDim.x > 4; A[tid] := 1", Decide::Auto);
    assert_eq!(grid.verdict.outcome, Outcome::Drf);
    // And one that holds is none either.
    let held = checked("threads *; param n: u32; assume n > 5; A[tid] := 1", Decide::Auto);
    assert_eq!(held.verdict.outcome, Outcome::Drf);
}

#[test]
fn a_block_beyond_the_launch_bounds_is_no_launch() {
    let text = "__global__ void __launch_bounds__(64) k(int *a, int n)
        { if (threadIdx.x < n) a[threadIdx.x] = 1; }";
    let block = |x| Some(Dim3 { x, y: 1, z: 1 });
    let settings = |x, n: Option<i128>| Settings {
        block: block(x),
        params: n.map(|n| ("n".into(), n.into())).into_iter().collect::<BTreeMap<_, _>>(),
        ..Settings::default()
    };
    for n in [None, Some(3)] {
        vacuous(&kernel(text, &settings(128, n), block(128)), "<= 64");
        assert_eq!(kernel(text, &settings(64, n), block(64)).verdict.outcome, Outcome::Drf);
    }
}

#[test]
fn protocols_are_held_to_their_scope() {
    let failure = |text: &str| {
        let map = parse_map(text).unwrap();
        [Decide::Auto, Decide::Solve]
            .map(|decide| check_protocol(&map, &deciding(decide)).unwrap_err().to_string())
    };
    for error in failure("assume threadIdx.x == 0; threads 2; wr[0]") {
        assert!(error.contains("`threadIdx.x` differs between them"), "{error}");
    }
    for error in failure("threads 0; wr[0]") {
        assert!(error.contains("no threads"), "{error}");
    }
    for error in failure("threads 2; wr[y]") {
        assert!(error.contains("unbound variable `y`"), "{error}");
    }
}

#[test]
fn a_chain_of_reads_is_checked() {
    let text = "__global__ void k(int *a) { int s = a[threadIdx.x]; int ns = a[s]; a[ns] = 1; }";
    let found = kernel(text, &Settings::default(), None);
    let Outcome::Unknown(reason) = &found.verdict.outcome else {
        assert_eq!(found.verdict.outcome, Outcome::Racy);
        return;
    };
    assert!(!reason.contains("internal") && !reason.contains("unbound"), "{reason}");
}

#[test]
fn the_method_is_the_one_that_was_used() {
    let found = checked("threads 2; let x = B[0] in A[0] := 1", Decide::Enumerate);
    assert_eq!(found.verdict.method, Method::Enumeration);
    let found = checked("threads *; A[tid] := 1", Decide::Enumerate);
    assert_eq!(found.verdict.method, Method::None);
}

/// The size of a warp is said where it matters, or is unusual; however it was decided.
#[test]
fn a_verdict_says_how_many_threads_a_warp_has() {
    let racy = "let x = A[1 - tid] in A[x] := tid";
    for (text, warp) in [
        ("threads 2; A[tid] := 1", None),
        ("threads 2; A[tid] := 1; sync; A[tid] := 2", None),
        ("threads 2; A[tid] := 1; sync.warp; A[tid] := 2", Some(32)),
        ("threads 2; A[tid] := 1; sync.tile2; A[tid] := 2", Some(32)),
        ("warp 4; threads 2; A[tid] := 1; sync.warp; A[tid] := 2", Some(4)),
        ("warp 4; threads 2; A[tid] := 1", Some(4)),
        ("threads *; if tid == 0 { sync.warp }; A[tid] := 1", Some(32)),
        (&format!("threads 2; shared A = [0, 1]; {racy}"), None),
        (&format!("threads 2; shared A = [0, 1]; {racy}; sync.warp"), Some(32)),
    ] {
        let scope = checked(text, Decide::Auto).verdict.scope.unwrap();
        assert_eq!(scope.warp, warp, "{text}");
    }
}

/// What fits no program, and no device.
#[test]
fn settings_that_do_not_fit_are_refused() {
    let p = program("threads *; param n: u8; A[tid] := n");
    let assume =
        |text: &str| Settings { assumptions: vec![text.to_owned()], ..Settings::default() };
    let param = |name: &str, value: i64| Settings {
        params: [(name.into(), value.into())].into(),
        ..Settings::default()
    };
    let block = |x| Settings { block: Some(Dim3::line(x)), ..Settings::default() };
    for settings in [assume("n < 3"), assume("blockDim.x > n"), param("n", 255), block(1024)] {
        assert!(settings.apply(&p).is_ok(), "{settings:?}");
    }
    for settings in
        [assume("tid < 3"), assume("m == 1"), param("n", 256), param("m", 1), block(0), block(1025)]
    {
        assert!(settings.apply(&p).is_err(), "{settings:?}");
    }
}

/// A front end has folded into the text what it knew of the launch.
#[test]
fn settings_keep_to_what_a_program_was_translated_for() {
    let mut p = program("block *, 1, 4; grid *, 2, 1; warp 16; param n: u8 = 7; A[tid] := n");
    let of = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        settings
    };
    let fits = [
        of(|s| s.block = Some(Dim3 { x: 8, y: 1, z: 4 })),
        of(|s| s.grid = Some(Dim3 { x: 3, y: 2, z: 1 })),
        of(|s| s.warp = Some(16)),
        of(|s| drop(s.params.insert("n".into(), 7.into()))),
    ];
    let differs = [
        of(|s| s.block = Some(Dim3 { x: 8, y: 2, z: 4 })),
        of(|s| s.block = Some(Dim3::line(8))),
        of(|s| s.grid = Some(Dim3 { x: 3, y: 1, z: 1 })),
        of(|s| s.warp = Some(32)),
        of(|s| drop(s.params.insert("n".into(), 8.into()))),
    ];
    for translated in [false, true] {
        p.declarations.sources.translated = translated;
        for settings in &fits {
            assert!(settings.apply(&p).is_ok(), "{settings:?}");
        }
        for settings in &differs {
            assert_eq!(settings.apply(&p).is_err(), translated, "{settings:?}");
        }
    }
}

#[test]
fn only_races_of_the_array_that_is_asked_for_count() {
    let p = program("threads 2; shared A; shared B; A[0] := tid; B[0] := tid");
    for decide in [Decide::Auto, Decide::Solve] {
        let options = CheckOptions { array: Some("A".into()), ..deciding(decide) };
        let races = check(&p, &options).unwrap().verdict.races;
        let arrays: Vec<&str> = races.iter().map(|race| race.cell.array.as_str()).collect();
        assert_eq!(arrays, ["A"]);
    }
}

/// One block does not stand for those of a grid.
#[test]
fn a_block_whose_place_is_open_is_not_enumerated() {
    let text = "threads 2; global A; if blockIdx.x == 1 { A[0] := 1 } else { skip }";
    let outcome = checked(text, Decide::Enumerate).verdict.outcome;
    let Outcome::Unknown(reason) = &outcome else { panic!("{outcome:?}") };
    assert!(reason.contains("place in the grid is not fixed"), "{reason}");
    assert_eq!(checked(text, Decide::Solve).verdict.outcome, Outcome::Racy);
}

/// Shared memory is each block's own, with contents of its own.
#[test]
fn blocks_need_not_find_the_same_in_shared_memory() {
    let program = |space: &str| {
        format!(
            "threads 2; grid 2; {space} G = any; global A = fill 0; let x = G[0] in
             if tid == 0 && x == blockIdx.x + 1 {{ A[0] := 1 }} else {{ skip }}"
        )
    };
    let found = |space: &str| checked(&program(space), Decide::Solve).verdict.outcome;
    assert_eq!(found("global"), Outcome::Drf);
    assert!(matches!(found("shared"), Outcome::Unknown(_)), "{:?}", found("shared"));
}

/// Two reads of what is volatile may yield two values.
#[test]
fn volatile_cells_may_change_between_reads() {
    let found = |parameter: &str, first: &str| {
        let text = format!(
            "__global__ void k({parameter}V, int *A) {{
                 int y = {first}; int z = V[0]; if (y != z) A[0] = threadIdx.x; }}"
        );
        kernel(&text, &Settings::default(), None).verdict.outcome
    };
    assert_eq!(found("const int *", "V[0]"), Outcome::Drf);
    // What another array is declared to be says nothing of this one.
    assert_eq!(found("volatile int *W, const int *", "V[0]"), Outcome::Drf);
    assert_eq!(found("const int *", "V[0]; volatile int x = 0"), Outcome::Drf);
    for (parameter, first) in [
        ("const volatile int *", "V[0]"),
        ("volatile int *", "V[0]"),
        ("const int *", "*(volatile const int *)V"),
        ("const int *", "0; volatile const int *p = V; y = p[0]"),
        ("const int *", "0; { const int volatile &p = V[0]; y = p; }"),
        ("const int *W, int volatile *", "V[0]"),
    ] {
        let outcome = found(parameter, first);
        assert!(matches!(outcome, Outcome::Unknown(_)), "{parameter}, {first}: {outcome:?}");
    }
}

/// What an enumeration that ends early has not seen is not race-free: races of another array are no reason to end it, and
/// too many of them say nothing of the one that is asked about.
#[test]
fn races_of_another_array_hide_none() {
    let text = "threads 2; B[0] := tid; sync; forU i in 0..9000 { B[i + 1] := tid }; A[0] := tid";
    let asked = |one_race, memory| {
        let mut options = deciding(Decide::Enumerate);
        options.array = Some("A".into());
        (options.limits.one_race, options.limits.memory) = (one_race, memory);
        check(&program(text), &options).unwrap().verdict.outcome
    };
    let enough = CheckOptions::default().limits.memory;
    assert_eq!([asked(false, enough), asked(true, enough)], [Outcome::Racy, Outcome::Racy]);
    for one_race in [false, true] {
        for memory in [50_000, 100_000, 200_000, 400_000] {
            let found = asked(one_race, memory);
            assert!(matches!(found, Outcome::Unknown(_)), "{one_race} {memory} {found:?}");
        }
    }
}
