//! Each way of not being well-scoped, with its place.

use babycuda_core::parse::{parse_map, parse_program, parse_stmt};
use babycuda_core::scope::{ScopeErrorKind, barriers_in_unsynchronized_loops};
use babycuda_core::{Name, Program, Site};

fn program(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|e| panic!("{e}"))
}

#[track_caller]
fn assert_error(text: &str, message: &str, kind: &ScopeErrorKind) {
    let error = program(text).check_scope().unwrap_err();
    assert_eq!(error.kind, *kind);
    assert_eq!(error.to_string(), message);
    assert_eq!(error.span.is_some(), error.site.is_some());
}

#[test]
fn well_scoped_programs_are_accepted() {
    for text in [
        "param M; forU x in 0..M { let y = A[x] in A[x] := y + tid + threadIdx.x }",
        "let x = A[0] in let x = A[x] in A[x] := x", // shadowing is allowed
        "assume blockDim.x == 32; param M: u8 = 255; assume M < gridDim.x; skip",
        "shared A; global B = opaque; expect racy A[0]; let x = B[0] in A[0] := x",
        "let x = atomic A[0] cas 1 if 0 in skip",
    ] {
        assert_eq!(program(text).check_scope(), Ok(()), "{text}");
    }
}

#[test]
fn unbound_variables() {
    let unbound = |x: &str| ScopeErrorKind::Unbound(Name::new(x));
    assert_error("skip;\n  A[M] := 0", "2:3: unbound variable `M`", &unbound("M"));
    assert_error("A[0] := x", "1:1: unbound variable `x`", &unbound("x"));
    assert_error("let x = A[x] in skip", "1:9: unbound variable `x`", &unbound("x"));
    assert_error(
        "{ let x = A[0] in skip }; A[x] := 0",
        "1:27: unbound variable `x`",
        &unbound("x"),
    );
    assert_error("forU x in 0..x { skip }", "1:1: unbound variable `x`", &unbound("x"));
    assert_error("if c == 0 { skip }", "1:1: unbound variable `c`", &unbound("c"));
    let text = "let x = atomic A[0] cas 1 if y in skip";
    assert_error(text, "1:9: unbound variable `y`", &unbound("y"));
    assert_error("assume M < 4; skip", "unbound variable `M`", &unbound("M"));
}

#[test]
fn arrays() {
    let undeclared = ScopeErrorKind::UndeclaredArray(Name::new("B"));
    assert_error("shared A; B[0] := 1", "1:11: undeclared array `B`", &undeclared);
    assert_error("shared A; let x = B[0] in skip", "1:19: undeclared array `B`", &undeclared);
    assert_error("shared A; expect racy B; skip", "undeclared array `B`", &undeclared);
    let opaque = ScopeErrorKind::WritesOpaque(Name::new("A"));
    let message = "`A` is opaque: no program writes it";
    let text = "shared A = opaque; A[0] := 1";
    assert_error(text, &format!("1:20: {message}"), &opaque);
    let text = "shared A = opaque; let x = atomic A[0] add 1 in skip";
    assert_error(text, &format!("1:28: {message}"), &opaque);
}

#[test]
fn declarations() {
    let mut twice = program("shared A; shared B; skip");
    twice.arrays[1].name = Name::new("A");
    let error = twice.check_scope().unwrap_err();
    assert_eq!(error.kind, ScopeErrorKind::DeclaredTwice(Name::new("A")));
    let kind = ScopeErrorKind::OutOfDomain(Name::new("M"));
    let message = "the value of `M` is none of its type";
    assert_error("param M: u8 = 256; skip", message, &kind);
    let kind = ScopeErrorKind::ContentsOutOfDomain(Name::new("A"));
    let message = kind.to_string();
    for contents in ["fill 256", "[256]", "[1, 256]", "[1, 2, 3, 256, 4]"] {
        assert_error(&format!("shared A: u8 = {contents}; skip"), &message, &kind);
    }
    for contents in ["fill 255", "[1, 255]"] {
        let held = program(&format!("shared A: u8 = {contents}; skip"));
        assert_eq!(held.check_scope(), Ok(()), "{contents}");
    }
    assert_error("threads 0; skip", "a launch of no threads", &ScopeErrorKind::NoThreads);
    assert_error("grid 1, 0; skip", "a launch of no threads", &ScopeErrorKind::NoThreads);
    let message = "an assumption is about all threads, but `tid` differs between them";
    let kind = ScopeErrorKind::NotUniform(Name::new("tid"));
    assert_error("assume tid < 4; skip", message, &kind);
}

#[test]
fn reserved_names_cannot_be_bound() {
    for (name, text, place) in [
        ("tid", "let tid = A[0] in skip", "1:11: "),
        ("blockDim.x", "forU blockDim.x in 0..1 { skip }", "1:1: "),
        ("threadIdx.y", "param threadIdx.y; skip", ""),
        ("gridDim.z", "shared gridDim.z; skip", ""),
    ] {
        let kind = ScopeErrorKind::Reserved(Name::new(name));
        let message =
            format!("{place}`{name}` is given its meaning by the launch and cannot be bound");
        assert_error(text, &message, &kind);
    }
}

#[test]
fn expected_values_belong_to_cas() {
    let message = "1:9: `cas` needs the value that it expects: `cas m if n`";
    let kind = ScopeErrorKind::CasWithoutExpected;
    assert_error("let x = atomic A[0] cas 1 in skip", message, &kind);
    let message = "1:9: only `cas` expects a value";
    let kind = ScopeErrorKind::ExpectedWithoutCas;
    assert_error("let x = atomic A[0] add 1 if 0 in skip", message, &kind);
}

#[test]
fn protocols_are_checked_likewise() {
    let check = |text: &str| parse_map(text).unwrap_or_else(|e| panic!("{e}")).check_scope();
    assert_eq!(check("param M; any x { forU y in 0..M { rd[x + y + tid] } }"), Ok(()));
    let error = check("any x { skip }; rd[x]").unwrap_err();
    assert_eq!(error.to_string(), "1:17: unbound variable `x`");
    let error = check("shared B; rd[0]").unwrap_err();
    assert_eq!(error.to_string(), "1:11: undeclared array `A`");
}

#[test]
fn barriers_in_unsynchronized_loops_are_found() {
    let text = "forU x in 0..1 { forS y in 0..1 { sync }; forU z in 0..1 { skip } }; \
                forS x in 0..1 { forU y in 0..1 { if 0 == 0 { sync } } }; \
                forU x in 0..1 { skip }";
    let body = parse_stmt(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(barriers_in_unsynchronized_loops(&body), [Site(0), Site(5)]);
}

#[test]
fn warps_and_tiles_are_powers_of_two() {
    for text in
        ["sync.tile1; sync.tile32; sync.warp; sync.grid", "warp 4; sync.tile4", "warp 1; skip"]
    {
        assert_eq!(program(text).check_scope(), Ok(()), "{text}");
    }
    let tile = |threads, warp| ScopeErrorKind::Tile { threads, warp };
    assert_error(
        "skip;\n sync.tile3",
        "2:2: a tile of 3 threads: it must be a power of two, at most a warp of 32 threads",
        &tile(3, 32),
    );
    assert_error(
        "warp 2; sync.tile4",
        "1:9: a tile of 4 threads: it must be a power of two, at most a warp of 2 threads",
        &tile(4, 2),
    );
    let message = "a warp of 3 threads: its size must be a power of two, at most 1024";
    assert_error("warp 3; skip", message, &ScopeErrorKind::Warp(3));
    for warp in [0, 2048] {
        let error = program(&format!("warp {warp}; sync.warp")).check_scope().unwrap_err();
        assert_eq!(error.kind, ScopeErrorKind::Warp(warp));
    }
    let map = parse_map("rd[tid]; sync.tile5; wr[tid]").unwrap();
    assert_eq!(map.check_scope().unwrap_err().kind, tile(5, 32));
}
