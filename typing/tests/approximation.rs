//! Protocols of programs that need not be well-typed, and what depends on data in them.

use babycuda_core::interval::Interval;
use babycuda_core::parse::parse_program;
use babycuda_core::syntax::AtomicUpdate;
use babycuda_core::{BigInt, Program, Site, Stmt};
use babycuda_typing::{Approximation, DataSource, approximate, normalize, type_program, updates};

fn program(text: &str) -> Program {
    parse_program(text).unwrap()
}

fn approximation(text: &str) -> Approximation {
    approximate(&program(text))
}

#[track_caller]
fn assert_protocol(text: &str, protocol: &str) {
    assert_eq!(approximation(text).protocol.to_string(), protocol);
}

#[test]
fn a_well_typed_program_gets_its_type_without_idle_parts() {
    for text in [
        "skip; A[tid] := 1; skip",
        "param M; forU x in 0..M { let y = A[x] in A[x] := y + 1 }",
        "let y = A[tid] in forS y in 0..4 { A[y] := 1; sync }",
        "let y = A[tid] in if tid == 0 { skip } else { forU x in 0..2 { skip } }",
        "let y = atomic A[tid] add 1 in let y = B[tid] in A[0] := y",
    ] {
        let program = program(text);
        let typed = type_program(&program).unwrap();
        let approximation = approximate(&program);
        assert_eq!(approximation.protocol, normalize(&typed.protocol), "{text}");
        assert!(approximation.is_exact(), "{text}");
    }
}

#[test]
fn data_in_an_index_is_bound_by_any() {
    assert_protocol(
        "A[tid] := tid; let x = A[tid] in A[x] := 9",
        "wr[tid]; rd[tid]; any x { wr[x] }",
    );
    assert_protocol("let x = A[tid] in A[x % 4] := x", "rd[tid]; any x { wr[x % 4] }");
}

#[test]
fn data_in_a_guard_or_bound_is_bound_by_any() {
    assert_protocol(
        "let x = A[tid] in if x == 0 { A[0] := x } else { A[x] := 1 }",
        "rd[tid]; any x { if x == 0 { wr[0] } else { wr[x] } }",
    );
    assert_protocol(
        "let x = A[tid] in forU y in 0..x { A[y] := 1 }",
        "rd[tid]; any x { forU y in 0..x { wr[y] } }",
    );
    assert_protocol("let x = A[tid] in if x == 0 { skip } else { skip }", "rd[tid]");
}

#[test]
fn payloads_need_no_any() {
    assert_protocol("let x = A[tid] in A[0] := x", "rd[tid]; wr[0]");
}

#[test]
fn any_stands_as_far_in_as_it_can() {
    assert_protocol(
        "let x = A[tid] in { A[0] := 1; A[x] := 1; sync; B[x] := 1; B[0] := x }",
        "rd[tid]; wr[0]; any x { wr[x] }; sync; any x { wr B[x] }; wr B[0]",
    );
    assert_protocol(
        "let x = A[tid] in forU i in 0..4 { if i == 2 { A[x + i] := 1 } }",
        "rd[tid]; forU i in 0..4 { if i == 2 { any x { wr[x + i] } } else { skip } }",
    );
    assert_protocol(
        "let x = A[tid] in let y = A[x] in A[x + y] := 1",
        "rd[tid]; any x { rd[x] }; any y { any x { wr[x + y] } }",
    );
}

#[test]
fn any_stays_around_what_a_barrier_under_it_separates() {
    assert_protocol(
        "let x = A[tid] in { A[x] := 1; if x == 0 { sync }; A[x + 1] := 1; A[0] := 2 }",
        "rd[tid]; any x { wr[x]; if x == 0 { sync } else { skip }; wr[x + 1]; wr[0] }",
    );
}

/// What an update yields is told from its cell: the binder of the cell's index stays around both,
/// unless a barrier comes between.
#[test]
fn an_update_stays_with_what_uses_its_value() {
    assert_protocol(
        "let v = A[tid] in let t = atomic C[v] add 1 in if t == 0 { B[v] := 1 } else { skip }",
        "rd[tid]; any v { at C[v]; any t { if t == 0 { wr B[v] } else { skip } } }",
    );
    assert_protocol(
        "let v = A[tid] in let t = atomic C[v] add 1 in { sync; B[v + t] := 1 }",
        "rd[tid]; any v { at C[v] }; sync; any t { any v { wr B[v + t] } }",
    );
}

#[test]
fn nothing_is_captured() {
    assert_protocol(
        "forU x in 0..4 { let x = A[x] in A[x] := 1 }",
        "forU x in 0..4 { rd[x]; any x'1 { wr[x'1] } }",
    );
    assert_protocol("let tid = A[0] in A[tid] := 1", "rd[0]; any tid'1 { wr[tid'1] }");
    assert_protocol(
        "let x = A[tid] in { forU x in 0..2 { A[x] := 1 }; A[x] := 1 }",
        "rd[tid]; forU x'1 in 0..2 { wr[x'1] }; any x { wr[x] }",
    );
    assert_protocol(
        "let x = A[0] in let x = A[x] in { let x'1 = B[x] in B[x'1] := 1 }",
        "rd[0]; any x { rd[x] }; any x'2 { rd B[x'2] }; any x'1 { wr B[x'1] }",
    );
}

#[test]
fn a_domain_is_the_element_type_where_all_stores_fit() {
    let index = "let x = A[tid] in B[x] := 1";
    for (rest, domain) in [
        ("skip", "any x: u8 { wr B[x] }"),
        ("A[0] := 255", "any x: u8 { wr B[x] }"),
        ("A[0] := 256", "any x { wr B[x] }"),
        ("A[0] := tid", "any x { wr B[x] }"),
        ("A[0] := tid % 256", "any x: u8 { wr B[x] }"),
        ("A[0] := tid % M", "any x { wr B[x] }"),
        ("A[0] := cast.u32.u8(tid)", "any x: u8 { wr B[x] }"),
        ("let y = A[0] in A[1] := y", "any x: u8 { wr B[x] }"),
        ("let y = A[0] in A[1] := y + 1", "any x { wr B[x] }"),
        ("let y = B[0] in A[1] := y", "any x { wr B[x] }"),
        ("let y = C[0] in A[1] := y", "any x: u8 { wr B[x] }"),
        // C does not hold bytes after all, so neither does A.
        ("let y = C[0] in A[1] := y; C[0] := 256", "any x { wr B[x] }"),
        ("forU y in 0..256 { A[y] := y }", "any x: u8 { wr B[x] }"),
        ("forU y in 0..257 { A[y] := y }", "any x { wr B[x] }"),
        ("forU y in 0..M { A[y] := y }", "any x { wr B[x] }"),
        ("let y = atomic A[0] add 1 in skip", "any x { wr B[x] }"),
        ("let y = atomic A[0] add.u8 M in skip", "any x: u8 { wr B[x] }"),
        ("let y = atomic A[0] exch 300 in skip", "any x { wr B[x] }"),
    ] {
        let header = "param M; shared A: u8; shared B; shared C: u8;";
        let text = format!("{header} {{ {index} }}; {rest}");
        let protocol = approximation(&text).protocol.to_string();
        assert!(protocol.contains(domain), "{rest}: {protocol}");
    }
    for (contents, domain) in [
        ("any", "any x: u8"),
        ("fill 255", "any x: u8"),
        ("fill 256", "any x {"),
        ("[1, 256]", "any x {"),
    ] {
        let text = format!("shared A: u8 = {contents}; shared B; {index}");
        let protocol = approximation(&text).protocol.to_string();
        assert!(protocol.contains(domain), "{contents}: {protocol}");
    }
}

/// A read of a read-only input is one; what the program writes, what each block has for itself, and
/// what a front end could not express, is none.
#[test]
fn inputs_are_global_given_and_never_written() {
    let index = "let x = A[tid] in B[x] := 1";
    let input = "rd[tid]; let x = input A[tid] in wr B[x]";
    for (declared, rest, expected) in [
        ("global A: u8 = any", "skip", input),
        ("global A: u8 = fill 7", "skip", input),
        ("global A: u8 = [1, 2]", "skip", input),
        ("global A: u8 = opaque", "skip", "rd[tid]; any x: u8 { wr B[x] }"),
        ("shared A: u8 = any", "skip", "rd[tid]; any x: u8 { wr B[x] }"),
        ("global A: u8", "skip", "rd[tid]; any x: u8 { wr B[x] }"),
        ("global A: u8 = any", "A[0] := 1", "{ rd[tid]; any x: u8 { wr B[x] } }; wr[0]"),
        (
            "global A: u8 = any",
            "let y = atomic A[0] add.u8 1 in skip",
            "{ rd[tid]; any x: u8 { wr B[x] } }; at[0]",
        ),
    ] {
        let text = format!("{declared}; shared B; {{ {index} }}; {rest}");
        assert_protocol(&text, expected);
        assert!(!approximation(&text).is_exact(), "{text}");
    }
}

#[test]
fn each_access_says_what_decides_it() {
    let text = "global A = any; shared B; A[tid] := 0;\nlet x = A[tid] in\nif x == 0 { let y = B[x] in\nB[y] := 1 }; B[0] := x";
    let program = program(text);
    let approximation = approximate(&program);
    let told: Vec<(u32, String, String)> = approximation
        .accesses
        .iter()
        .map(|a| {
            let flows = |flows: &[babycuda_typing::DataFlow]| {
                let flows: Vec<String> =
                    flows.iter().map(|f| f.describe(&program.sources)).collect();
                flows.join("; ")
            };
            (a.site.0, flows(&a.index_data), flows(&a.control_data))
        })
        .collect();
    let x = "x, read from A at 2:9";
    let y = format!("y, read from B at 3:21, indexed by {x}");
    assert_eq!(
        told,
        [
            (0, String::new(), String::new()),
            (1, String::new(), String::new()),
            (3, x.to_owned(), x.to_owned()),
            (4, y, x.to_owned()),
            (5, String::new(), String::new()),
        ]
    );
    assert!(approximation.is_independent(Site(5)));
    assert!(!approximation.is_independent(Site(4)));
    // The `if` is no access.
    assert!(!approximation.is_independent(Site(2)));
    assert!(!approximation.is_exact());
}

#[test]
fn each_flow_says_what_its_array_holds() {
    let source = |text: &str| approximation(text).accesses[1].index_data[0].source;
    let rest = "let x = A[tid] in B[x] := 1";
    assert_eq!(source(&format!("global A = any; shared B; {rest}")), DataSource::HostChosen);
    assert_eq!(source(&format!("global A = opaque; shared B; {rest}")), DataSource::Opaque);
    assert_eq!(source(&format!("global A = fill 3; shared B; {rest}")), DataSource::Declared);
    assert_eq!(source(&format!("shared A; shared B; {rest}; A[0] := 1")), DataSource::Written);
    assert_eq!(
        source("global A = any; shared B; let x = atomic A[0] add 1 in B[x] := 1"),
        DataSource::Written
    );
    // An array that is not declared is not known at all.
    let body = program("let x = A[tid] in B[x] := 1").body;
    let mut undeclared = Program::of_body(Stmt::Skip);
    undeclared.body = body;
    let flow = &approximate(&undeclared).accesses[1].index_data[0];
    assert_eq!(flow.source, DataSource::Opaque);
}

#[test]
fn data_flows_through_loop_counters() {
    let text = "let n = A[0] in forU i in 0..n { forU j in 0..i { A[j] := 1 } }";
    let access = &approximation(text).accesses[1];
    let flow = &access.index_data[0];
    assert_eq!(flow.mentioned().as_str(), "j");
    assert_eq!(
        flow.to_string(),
        "j, counter of the loop at #2, bounded by i, counter of the loop at #1, bounded by n, read from A at #0"
    );
    assert_eq!(access.control_data.len(), 1);
    assert_eq!(access.control_data[0].to_string(), "n, read from A at #0");
}

#[test]
fn data_that_decides_a_barrier_decides_the_phase_of_what_follows() {
    let text = "A[tid] := 1; let x = A[tid] in { if x == 0 { sync; A[1] := 1 }; A[2] := 2 }";
    let a = approximation(text);
    let phases: Vec<usize> = a.accesses.iter().map(|a| a.phase_data.len()).collect();
    assert_eq!(phases, [0, 0, 1, 1]);
    assert_eq!(a.barriers.len(), 1);
    assert_eq!(a.barriers[0].control_data[0].variable.as_str(), "x");
    // Around a loop, later barriers come before earlier statements.
    let text = "forU i in 0..2 { A[tid] := 1; let x = A[tid] in if x == 0 { sync } }";
    let a = approximation(text);
    assert!(a.accesses.iter().all(|a| a.phase_data.len() == 1));
    assert!(a.accesses.iter().all(|a| a.index_data.is_empty()));
}

#[test]
fn what_comes_after_a_loop_with_an_opaque_bound_rests_on_its_end() {
    let opaque = "shared A; shared B; global U = opaque; ";
    let rests = |text: &str| {
        let a = approximation(&format!("{opaque}{text}"));
        let flags = |b: &dyn Fn(&babycuda_typing::AccessCertainty) -> bool| {
            a.accesses.iter().filter(|x| x.array.as_str() != "U").map(b).collect::<Vec<_>>()
        };
        (flags(&|x| !x.is_independent()), a.is_certain_stop(None))
    };
    // A spin lock.
    let spin = "let k = U[0] in forU i in 0..k { let o = atomic A[0] add 1 in skip }";
    assert_eq!(rests(&format!("B[0] := 1; {spin}; B[0] := 2")), (vec![false, true, true], false));
    // Inside a loop, it may have come before.
    let text = format!("forU j in 0..2 {{ B[j] := 1; {spin} }}");
    assert_eq!(rests(&text), (vec![true, true], false));
    // A loop of one branch: whoever comes together with those that took it waits for them.
    let text = format!("if tid == 0 {{ {spin} }} else {{ B[0] := 1 }}; B[1] := 1");
    assert_eq!(rests(&text), (vec![true, false, true], false));
    // Barriers, too.
    let a = approximation(&format!("{opaque}sync; {spin}; sync"));
    assert!(a.is_certain_stop(Some(a.barriers[0].site)));
    assert!(!a.is_certain_stop(Some(a.barriers[1].site)));
    // A bound that is data of another kind is a number: the loop ends.
    let text = "let k = A[0] in forU i in 0..k { B[i] := 1 }; B[0] := 2";
    assert_eq!(rests(text), (vec![false, true, false], true));
}

#[test]
fn barriers_say_whether_the_thread_decides_them() {
    let private = |text| {
        let names = &approximation(text).barriers[0].control_private;
        names.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(private("if tid == 0 { sync }"), ["tid"]);
    assert_eq!(private("forU i in 0..tid { forU j in 0..i { sync } }"), ["tid"]);
    assert!(private("param M; forU i in 0..M { if i == 2 { sync } }").is_empty());
    assert!(private("if blockIdx.x == 0 { sync }").is_empty());
}

#[test]
fn flows_do_not_multiply() {
    // Each counter doubles the ways from data to it; one of each read is kept.
    let mut text = "let d = A[0] in ".to_owned();
    for k in 0..40 {
        let bound = match k {
            0 => "d".to_owned(),
            1 => "x0 + d".to_owned(),
            k => format!("x{} + x{}", k - 1, k - 2),
        };
        text += &format!("forU x{k} in 0..{bound} {{ ");
    }
    text += "A[x39] := 1";
    text += &" }".repeat(40);
    let access = &approximation(&text).accesses[1];
    assert_eq!((access.index_data.len(), access.control_data.len()), (1, 1));
}

#[test]
fn bounds_of_payloads_stay_small() {
    // The counter's bound is squared forty times.
    let mut text = "shared A: u8; shared B; let x = A[0] in B[x] := 1; ".to_owned();
    let mut before = "tid".to_owned();
    for k in 0..40 {
        text += &format!("forU x{k} in 0..{before} * {before} {{ ");
        before = format!("x{k}");
    }
    text += "A[0] := x39";
    text += &" }".repeat(40);
    let protocol = approximation(&text).protocol.to_string();
    assert!(protocol.contains("any x { wr B[x] }"), "{protocol}");
}

/// What each atomic statement does, and what its operands may be: at a site of copies what all of them
/// may be, and nothing where something else stands there too.
#[test]
fn updates_are_told_by_their_sites() {
    let of = |text: &str, site: &dyn Fn(Site) -> Site| {
        let mut program = program(&format!("threads 8; param n: u8; shared C; shared A; {text}"));
        program.body = program.body.map_sites(&mut |s| site(s));
        let shown = |(site, update): (Site, AtomicUpdate<Interval>)| {
            let ends = |n: Interval| {
                let text = |n: Option<BigInt>| n.map_or("?".to_owned(), |n| n.to_string());
                format!("{}..{}", text(n.lower), text(n.upper))
            };
            let expected = update.expected.map(|n| format!(" if {}", ends(n)));
            let (op, operand) = (update.op, ends(update.operand));
            format!("{site}: {op:?} {operand}{}", expected.unwrap_or_default())
        };
        updates(&program).into_iter().map(shown).collect::<Vec<_>>()
    };
    let each = |text: &str| of(text, &|site| site);
    let together = |text: &str| of(text, &|_| Site(0));
    assert_eq!(
        each("let x = atomic C[0] add 3 in let y = atomic C[0] cas tid + 1 if n in skip"),
        ["#0: Add(None) 3..3", "#1: Cas 1..8 if 0..255"],
    );
    assert_eq!(
        each("forU i in 2..n { let x = atomic C[0] add.u8 i in skip }"),
        ["#1: Add(Some(u8)) 2..254"],
    );
    let two = "let x = atomic C[0] add 3 in let y = atomic C[0] add 5 in skip";
    assert_eq!(together(two), ["#0: Add(None) 3..5"]);
    assert!(together(&two.replace("add 5", "max 5")).is_empty());
    let with_read = "let x = atomic C[0] add 3 in let y = A[0] in skip";
    assert!(together(with_read).is_empty() && each(with_read).len() == 1);
    let after_read = "let y = A[0] in let x = atomic C[0] add 3 in skip";
    assert!(together(after_read).is_empty());
}
