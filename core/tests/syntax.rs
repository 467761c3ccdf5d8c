//! The concrete syntax: what is read, what is printed, and how mistakes are reported.

use babycuda_core::parse::{
    ParseErrorKind, parse_bool, parse_map, parse_num, parse_program, parse_protocol, parse_stmt,
};
use babycuda_core::syntax::{Contents, Domain, Expectation, Extent, Space};
use babycuda_core::{IntType, Name, Natural, Stmt};

/// Reads a statement and prints it back.
fn stmt(text: &str) -> String {
    parse_stmt(text).unwrap_or_else(|e| panic!("{e}")).to_string()
}

#[test]
fn figure_3_and_figure_4_are_read_as_printed_in_the_paper() {
    let fig3 = "forU x in 0..M { let y = A[x] in A[x] := y + 1 }";
    assert_eq!(stmt(fig3), fig3);
    assert_eq!(stmt("forᵁ x ∈ 0..M {\n let y = A[x] in\n A[x] ≔ y + 1\n}"), fig3);
    let fig4 = "if tid == 0 { A[0] := tid } else { skip }";
    assert_eq!(stmt("if (tid=0) {\n A[0] := tid\n} else { skip }"), fig4);
    let map = parse_protocol("forᵁ x ∈ 0..M { rd[x]; wr[x] }").unwrap();
    assert_eq!(map.to_string(), "forU x in 0..M { rd[x]; wr[x] }");
    let map = parse_protocol("if (tid=0)\n{ wr[0] }\nelse\n{ skip }").unwrap();
    assert_eq!(map.to_string(), "if tid == 0 { wr[0] } else { skip }");
}

#[test]
fn sequences_group_to_the_right_and_lets_reach_to_the_end() {
    let text = "A[0] := 1; let x = A[0] in A[1] := x; A[2] := x";
    let Stmt::Seq(_, rest) = &parse_stmt(text).unwrap() else { panic!("not a sequence") };
    assert!(matches!(&**rest, Stmt::Read { body, .. } if matches!(**body, Stmt::Seq(..))));
    assert_eq!(stmt(text), text);
    let grouped = "{ let x = A[0] in A[1] := x }; A[2] := 0";
    assert_eq!(stmt(grouped), grouped);
    assert_eq!(stmt("{ skip; skip }; skip"), "{ skip; skip }; skip");
    assert_eq!(stmt("{ skip; { skip; skip; }; }"), "skip; skip; skip");
}

#[test]
fn sites_are_numbered_in_the_order_of_the_text() {
    let text =
        "A[0] := 1; if c == 0 { sync } else { let x = A[0] in skip }; forS i in 0..2 { sync }";
    let parsed = parse_stmt(text).unwrap();
    assert_eq!(parsed, parsed.numbered());
    assert_eq!(
        format!("{parsed:?}"),
        "/*#0*/ A[0] := 1; /*#1*/ if c == 0 { /*#2*/ sync } else { /*#3*/ let x = A[0] in skip }; \
         /*#4*/ forS i in 0..2 { /*#5*/ sync }"
    );
    let program = parse_program(text).unwrap();
    let texts: Vec<&str> = program.sources.spans.values().map(|span| &text[span.bytes()]).collect();
    assert_eq!(texts, ["A[0] := 1", "if c == 0", "sync", "A[0]", "forS i in 0..2", "sync"]);
}

#[test]
fn atomics_print_as_they_are_written() {
    for text in [
        "let x = atomic A[n] add.u32 m in skip",
        "let x = atomic.block A[n] add m + 1 in skip",
        "let x = atomic.system A[0] cas 1 if 0 in A[x] := 1",
        "let x = atomic A[0] opaque 0 in skip",
    ] {
        assert_eq!(stmt(text), text);
    }
    assert_eq!(
        stmt("let x = atomic.device A[0] inc 3 in skip"),
        "let x = atomic A[0] inc 3 in skip"
    );
}

#[test]
fn expressions_keep_their_shape() {
    for text in [
        "a - b - c",
        "a - (b - c)",
        "(a + b) * c % 2",
        "a + b * c",
        "add.u32(x, y + 1)",
        "cast.i32.u64(sub.i32(0, 1))",
        "select(a < b && !(c == 0), min(a, b), max(a, 0))",
        "threadIdx.x + blockDim.x * blockIdx.x",
        "x'1 + $y + `in` + `a b`",
    ] {
        assert_eq!(parse_num(text).unwrap().to_string(), text);
    }
    for text in [
        "a < b || c == d && true",
        "(a < b || c == d) && true",
        "a < b || (c == d || false)",
        "!lt.i32(a, b)",
        "!!true",
    ] {
        assert_eq!(parse_bool(text).unwrap().to_string(), text);
    }
    assert_eq!(
        parse_bool("x ≥ 0x10 ∧ ¬(y ≠ 2 × 3)").unwrap().to_string(),
        "x >= 16 && !(y != 2 * 3)"
    );
}

#[test]
fn a_header_declares_everything() {
    let text = "kernel k;
block 32, *, 1;
grid 2, 1, 1;
param M: u32 = 4;
param N;
shared A[64]: i32 = [1, 2, 3];
global B: u32 = any;
global C = fill 0;
global D = opaque;
shared E;
assume M <= 16;
expect racy A[0];
expect racy;
expect ill-typed type/t-write;
expect ill-typed \"two words\";
expect divergent;

skip
";
    let program = parse_program(text).unwrap();
    assert_eq!(program.to_string(), text);
    assert_eq!(program.geometry.block, [Extent::Known(32), Extent::Symbolic, Extent::Known(1)]);
    assert_eq!(program.params[0].domain, Domain::Machine(IntType::U32));
    assert_eq!(program.params[0].value, Some(Natural::from(4u32)));
    assert_eq!(program.arrays[1].contents, Contents::Any);
    assert_eq!(
        program.expectations[0],
        Expectation::Racy(Some((Name::new("A"), Some(Natural::from(0u32)))))
    );
}

#[test]
fn the_words_of_declarations_are_no_keywords() {
    let program = parse_program("threads 4; block[tid] := grid; kernel[0] := 1").unwrap();
    assert_eq!(program.body.to_string(), "block[tid] := grid; kernel[0] := 1");
    assert_eq!(program.arrays.len(), 2);
}

#[test]
fn undeclared_arrays_are_the_papers() {
    let program = parse_program("A[tid] := 1").unwrap();
    assert_eq!(program.arrays[0].space, Space::Shared);
    assert_eq!(program.arrays[0].contents, Contents::Undefined);
    let map = parse_map("threads 2; rd[tid]; wr B[0]").unwrap();
    assert_eq!(map.declarations.arrays.len(), 2);
    assert_eq!(parse_map(&map.to_string()).unwrap().protocol, map.protocol);
}

#[test]
fn protocols_name_arrays_scopes_and_domains() {
    for text in [
        "rd[x]; wr B[x + 1]; at.block B[x]; at[0]; at.system[1]",
        "any x: u32 { any y { rd[x + y] } }",
        "{ rd[0]; sync }; forS i in 0..N { wr[i]; sync }",
    ] {
        assert_eq!(parse_protocol(text).unwrap().to_string(), text);
    }
}

/// The report of the error in a program.
fn report(text: &str) -> String {
    match parse_program(text) {
        Ok(program) => panic!("accepted as {program}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn errors_show_the_line_the_caret_and_what_was_expected() {
    assert_eq!(
        report("let x = A[0];\nA[1] := x"),
        "error: expected `in`, found `;`
 --> 1:13
  |
1 | let x = A[0];
  |             ^"
    );
    assert_eq!(
        report("A[0] = 1"),
        "error: expected `:=`, found `=`
 --> 1:6
  |
1 | A[0] = 1
  |      ^
  = help: a store is written `A[n] := m`"
    );
    assert_eq!(
        report("skip;\nif x + 1 { skip } else { skip }"),
        "error: expected a condition, found a number
 --> 2:4
  |
2 | if x + 1 { skip } else { skip }
  |    ^^^^^"
    );
    assert_eq!(
        report("let x = y + 1 in skip"),
        "error: expected an array access `A[n]` or `atomic`, found `y`
 --> 1:9
  |
1 | let x = y + 1 in skip
  |         ^
  = help: `let` reads an array; write any other expression where its value is used"
    );
}

#[test]
fn each_kind_of_error_is_told_apart() {
    let kind = |text: &str| parse_program(text).map(|p| p.to_string()).unwrap_err().kind;
    assert_eq!(kind("A[0] := #"), ParseErrorKind::Character('#'));
    assert_eq!(kind("/* skip"), ParseErrorKind::OpenComment);
    assert_eq!(kind("`a\n`[0] := 1"), ParseErrorKind::OpenQuote);
    assert_eq!(kind("`\\q`[0] := 1"), ParseErrorKind::OpenQuote);
    assert_eq!(kind("A[0] := 12ab"), ParseErrorKind::Number);
    assert_eq!(kind("A[0] := 1_0"), ParseErrorKind::Number);
    assert_eq!(kind("A[1 < 2] := 0"), ParseErrorKind::NotANumber);
    assert_eq!(kind("A[(1 < 2) + 3] := 0"), ParseErrorKind::NotANumber);
    assert_eq!(kind("threads 4; block 2; skip"), twice("the block's size"));
    assert_eq!(kind("param M; shared M; skip"), twice("`M`"));
    assert_eq!(kind("threads 4294967296; skip"), ParseErrorKind::Extent);
    assert!(matches!(kind("skip skip"), ParseErrorKind::Unexpected { .. }));
    assert!(matches!(kind(""), ParseErrorKind::Unexpected { .. }));
}

fn twice(what: &str) -> ParseErrorKind {
    ParseErrorKind::Twice(what.to_owned())
}

#[test]
fn deep_nesting_is_an_error_and_length_is_not() {
    const N: usize = 100_000;
    let nested = |open: &str| open.repeat(N);
    for text in [
        format!("A[{}", nested("(")),
        nested("{"),
        nested("if 0 == 0 { "),
        format!("A[{}", nested("min(")),
        nested("if 0 == 0 { skip } else "),
    ] {
        assert_eq!(parse_stmt(&text).unwrap_err().kind, ParseErrorKind::TooDeep);
    }
    for text in [
        format!("{}skip", "skip; ".repeat(N)),
        format!("{}skip", "let x = A[x] in ".repeat(N)),
        format!("A[{}0] := 0", "1 + ".repeat(N)),
        format!("if {}true {{ skip }} else {{ skip }}", "!".repeat(N)),
        format!("if {}true {{ skip }} else {{ skip }}", "true && ".repeat(N)),
    ] {
        assert_eq!(stmt(&text), text);
    }
}

#[test]
fn barriers_of_every_scope() {
    assert_eq!(stmt("sync.tile4; sync.warp; sync.block; sync.grid"), {
        "sync.tile4; sync.warp; sync; sync.grid"
    });
    let map = parse_protocol("sync.block; if tid < 4 { sync.warp }").unwrap();
    assert_eq!(map.to_string(), "sync; if tid < 4 { sync.warp } else { skip }");
    for text in ["sync.tile", "sync.tile04", "sync.tile4294967296", "sync.cluster", "sync.Warp"] {
        assert!(parse_stmt(text).is_err(), "{text}");
    }
    // What would be a barrier is no name, unless it is quoted.
    assert!(parse_stmt("sync.tile8[0] := 1").is_err());
    assert_eq!(stmt("`sync.tile8`[0] := 1"), "`sync.tile8`[0] := 1");
    assert_eq!(stmt("`sync.warp`[0] := 1"), "`sync.warp`[0] := 1");
    let program = parse_program("block 4, 2, 1; warp 4; sync.warp").unwrap();
    assert_eq!(program.geometry.warp, 4);
    assert_eq!(program.geometry.launch().unwrap().warp, 4);
    let text = program.to_string();
    assert_eq!(text, "kernel main;\nblock 4, 2, 1;\nwarp 4;\n\nsync.warp\n");
    assert_eq!(parse_program(&text).unwrap().without_sources(), program.without_sources());
    assert!(parse_program("warp 4; warp 4; skip").is_err());
    assert!(parse_program("warp *; skip").is_err());
    assert_eq!(stmt("warp[0] := 1"), "warp[0] := 1");
}
