//! What has no derivation is drawn up to where it stops: the premise that fails, and why.

use super::{STUCK, accesses, instance, titled};
use babycuda::semantics::{Policy, RunOptions};
use babycuda::typing;
use babycuda_core::Configuration;
use babycuda_core::parse::{parse_map, parse_program};
use babycuda_report::derivation::{self as render, Drawing, Style};
use serde_json::Value;

/// The drawing in full for text, and to be drawn.
fn run(text: &str, threads: u32, options: &RunOptions) -> [Drawing; 2] {
    let attempt = instance(text, threads).attempt(options).unwrap_or_else(|| panic!("{text}"));
    let why = attempt.stuck.to_string();
    [true, false].map(|all| titled("stuck", render::stopped_run(&attempt, &why, all)))
}

/// All formats say what fails and why.
fn says(name: &str, [text, drawn]: &[Drawing; 2], parts: &[&str]) {
    let text = render::compact(text);
    for part in parts {
        assert!(text.contains(part), "{name}: {part}:\n{text}");
    }
    assert!(render::tree(drawn, 100).contains("✗ "), "{name}");
    let page = render::html(drawn);
    assert!(page.contains("class=\"side fails\"") && page.contains("fails: "), "{name}");
    // The way to the premise that fails is open.
    let before = page.split("class=\"side fails\"").next().unwrap_or_default();
    let last = before.rfind("<details class=\"fold stop\"").expect("it is stopped");
    assert!(before[last..].starts_with("<details class=\"fold stop\" open"), "{name}");
    assert!(render::svg(drawn, render::PAGE).contains("class=\"stop\""), "{name}");
    for style in [Style::Mathpartir, Style::Bussproofs] {
        assert!(render::latex(drawn, style).contains("\\color{red}"), "{name}");
    }
}

/// What the schema describes, with the premise that fails and with what leads to it.
fn is_a_document(name: &str, judgment: &str, drawing: &Drawing) {
    let text = render::stopped_document(drawing, judgment, "main", "why");
    let document: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    let schema: Value =
        serde_json::from_str(include_str!("../../../schemas/stopped-derivation.json")).unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("schema.json", schema).unwrap();
    let index = compiler.compile("schema.json", &mut schemas).unwrap();
    if let Err(error) = schemas.validate(&document, index) {
        panic!("{name}: {error:#}");
    }
    let nodes = document["content"]["nodes"].as_array().unwrap();
    let mut fails = 0;
    for (place, node) in nodes.iter().enumerate() {
        for premise in node["premises"].as_array().unwrap() {
            assert!(premise["derived"].as_u64().is_none_or(|n| n < place as u64), "{name}");
            fails += usize::from(premise["fails"].is_string());
        }
    }
    assert!(fails == 1 && nodes.last().unwrap()["stopped"] == true, "{name}: {fails} fail");
    assert!(nodes.last().unwrap()["conclusion"].as_str().unwrap().ends_with('?'), "{name}");
}

#[test]
fn what_stops_is_a_document() {
    let options = RunOptions::default();
    is_a_document("run", "run", &run(STUCK, 3, &options)[0]);
    is_a_document("write", "run", &run("param n; A[n] := 1", 2, &options)[0]);
    is_a_document("type", "type", &ill_typed("let x = A[tid] in A[x] := 1")[0]);
    is_a_document("map", "map", &no_accesses("if tid == 2 { wr[n] } else { wr[0] }")[0]);
    let limited = &no_accesses("wr[0]; forU x in 0..n { rd[x] }")[0];
    is_a_document("loop", "map", limited);
}

/// Premises behind the one that fails are set as others are: no text of the rules' own notation.
#[test]
fn what_was_not_reached_is_set_as_formulas_are() {
    let [_, drawn] = run(STUCK, 3, &RunOptions::default());
    assert!(render::tree(&drawn, 100).contains("? (R ∪ {j}, W), b[x := k] ↓H,i B"));
    let page = render::html(&drawn);
    assert!(page.contains("b[x := k] ↓</i><sub>H,i</sub><i> B</i>"));
    let picture = render::svg(&drawn, render::PAGE);
    assert!(picture.contains("b[x := k] ↓</tspan><tspan class=\"s\" dy=\"3\">H,i</tspan>"));
    for style in [Style::Mathpartir, Style::Bussproofs] {
        let text = render::latex(&drawn, style);
        assert!(text.contains("\\downarrow _{H,i}\\ B") && !text.contains("\\_\\{"), "{text}");
    }
    let picture = picture.split("</desc>").last().unwrap_or_default().to_owned();
    for text in [render::tree(&drawn, 100), page, picture] {
        assert!(!text.contains("_{"), "{text}");
    }
}

/// Threads that were not reached: which, and what each has to do.
#[test]
fn threads_that_were_not_reached_say_what_they_do() {
    let options = RunOptions::default();
    let [text, _] = run(STUCK, 2, &options);
    let text = render::compact(&text);
    assert!(
        text.contains("? premise 1: thread 1, not reached: skip; let x = A[1 - 1] in"),
        "{text}"
    );
    let many = "let x = A[tid] in skip";
    let [text, drawn] = run(many, 64, &options);
    let text = render::compact(&text);
    let first = "? premise 1: threads 1 … 63, not reached: {1: let x = A[1] in";
    assert!(text.contains(first), "{text}");
    let tree = render::tree(&drawn, 160);
    for line in ["? threads 1 … 63, not reached: {i: let x =", "A[i] in skip for i = 1 … 63} ⇓ ?"]
    {
        assert!(tree.contains(line), "{tree}");
    }
    let [text, drawn] = no_accesses("wr[n + tid]");
    let text = render::compact(&text);
    assert!(text.contains("? premise 1: threads 1, 2, not reached: {1: wr[n + 1], 2: "), "{text}");
    assert!(render::tree(&drawn, 100).contains("? threads 1, 2, not reached: {1: wr[n + 1],"));
}

#[test]
fn runs_stop_at_a_read_of_a_cell_that_nobody_wrote() {
    let options = RunOptions::default();
    let parts = [
        "✗ premise 2: lastwrite(A[7], ",
        "which nobody wrote",
        "? premise 3: (R ∪ {j}, W), b[x := k] ↓",
        "? premise 1: threads 1, 2, not reached: {1: skip; let x = A[1 - 1] in",
    ];
    says("stuck", &run(STUCK, 3, &options), &parts);
    // In a loop, behind iterations that are complete; under a barrier; in an update.
    let later = "A[0] := 1; forU x in 0..3 { let y = A[x] in skip }";
    says("loop", &run(later, 1, &options), &["thread/for-2", "✗ premise 2: lastwrite(A[1], "]);
    let under = "if tid == 0 { let x = A[0] in sync } else { sync }";
    says("barrier", &run(under, 2, &options), &["barrier/if-t", "barrier/read", "✗ premise 2"]);
    let loops = "forS x in 0..2 { A[x] := 1; sync; let y = A[x + 1] in skip }";
    says("for", &run(loops, 1, &options), &["barrier/for-2", "✗ premise 2"]);
}

#[test]
fn runs_stop_at_what_has_no_value_and_at_limits() {
    let options = RunOptions::default();
    says("write", &run("param n; A[n] := 1", 2, &options), &["✗ premise 1: n ↓ ?", "unbound"]);
    says("payload", &run("param n; A[0] := n", 1, &options), &["✗ premise 2: n ↓ ?"]);
    says(
        "if",
        &run("param n; if n == 1 { skip } else { skip }", 1, &options),
        &["✗ premise 1: n == 1 ↓ ?"],
    );
    says("for", &run("param n; forU x in 0..n { skip }", 1, &options), &["✗ premise 2: n ↓ ?"]);
    says(
        "atomic",
        &run("param n; let x = atomic A[0] add n in skip", 1, &options),
        &["thread/atomic", "✗ premise 2: n ↓ ?"],
    );
    let mut few = RunOptions::default();
    few.limits.steps = 3;
    says("steps", &run("forU x in 0..9 { A[x] := 1 }", 1, &few), &["more than 3 steps"]);
    let strict = RunOptions { ambiguous: Policy::Stop, ..RunOptions::default() };
    let racy = "A[0] := tid; sync; let x = A[0] in skip";
    says("racy", &run(racy, 2, &strict), &["✗ premise 2: lastwrite(A[0], ", "may hold"]);
    few.limits.threads = 1;
    says("threads", &run("skip", 2, &few), &["block/start", "more than 1 threads"]);
}

fn ill_typed(text: &str) -> [Drawing; 2] {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let attempt = typing::attempt(&program).unwrap_or_else(|| panic!("{text} has a type"));
    let why = attempt.rejection.to_string();
    [true, false].map(|all| titled("ill-typed", render::stopped_type(&attempt, &why, all)))
}

#[test]
fn types_stop_at_the_premise_that_fails() {
    let data = "is data: read from A";
    let cases: [(&str, &[&str]); 8] = [
        (
            "A[tid] := 1; let x = A[tid] in A[x] := 2",
            &["t-seq", "t-write", "✗ premise 1: V0 ⊢ x", data],
        ),
        (
            "let x = A[tid] in let y = A[x] in skip",
            &["t-read", "✗ premise 1: V0 ⊢ x", "? premise 2: y ∉ V"],
        ),
        (
            "let x = A[0] in if x == 1 { A[0] := 1 } else { skip }",
            &["t-if", "✗ premise 1: V0 ⊢ x == 1"],
        ),
        ("let x = A[0] in forU y in 0..x { A[0] := 1 }", &["t-for", "✗ premise 2: V0 ⊢ x"]),
        ("let x = A[0] in forS y in x..3 { sync }", &["t-for-s", "✗ premise 1: V0 ⊢ x"]),
        (
            "forU x in 0..2 { forU x in 0..2 { A[0] := x } }",
            &["t-for", "✗ premise 3: x ∉ V1", "V1 = V0 ∪ {x}"],
        ),
        ("let x = A[0] in let t = atomic A[x] add 1 in skip", &["t-atomic", "✗ premise 1: V0 ⊢ x"]),
        ("if tid == 0 { A[0] := 1 } else { let x = A[0] in A[x] := 1 }", &["t-if", "✗ premise 1"]),
    ];
    for (text, parts) in cases {
        says(text, &ill_typed(text), parts);
    }
    let relative = "global B = any; let x = B[tid] in let y = A[x] in A[y] := 1";
    says("relative", &ill_typed(relative), &["t-read-input", "✗ premise 1"]);
}

fn no_accesses(text: &str) -> [Drawing; 2] {
    let attempt = accesses(text, 3).expect_err("it has accesses");
    let file = parse_map(text).expect("a protocol");
    let (at, why) = (Configuration::threads(3), attempt.error.to_string());
    [true, false]
        .map(|all| titled("stuck", render::stopped_map(&file.protocol, &at, &attempt, &why, all)))
}

#[test]
fn protocols_stop_at_what_has_no_value() {
    says("access", &no_accesses("wr[0]; rd[n]"), &["map/seq", "✗ premise 1: n ↓ ?"]);
    says("if", &no_accesses("if n == 1 { wr[0] } else { skip }"), &["map/if-t", "✗ premise 1"]);
    says("for", &no_accesses("forU x in 0..n { wr[x] }"), &["map/for-2", "✗ premise 2: n ↓ ?"]);
    let third = "if tid == 2 { wr[n] } else { wr[0] }";
    says("third", &no_accesses(third), &["map/if-f", "map/if-t", "✗ premise 1: n ↓ ?"]);
}
