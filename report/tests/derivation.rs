//! Derivations for readers: goldens. To write them anew:
//! `BABYCUDA_WRITE_GOLDENS=1 cargo test -p babycuda-report --test derivation`.

use babycuda::protocols::map::{MapLimits, derive};
use babycuda::semantics::{Derivation, Instance, RunOptions, thread};
use babycuda::typing::type_program;
use babycuda_core::parse::parse_program;
use babycuda_core::{Accesses, Configuration, Launch, Name, Natural, Site};
use babycuda_report::derivation as render;
use std::fs;
use std::path::Path;

fn instance(text: &str, threads: u32) -> Instance {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    Instance::new(program, Launch::threads(threads))
}

fn run(text: &str, threads: u32) -> Derivation {
    let evaluation = instance(text, threads).evaluate(&RunOptions::default());
    (*evaluation.derivation.expect("not stuck")).clone()
}

/// One iteration of LCL22 Fig. 3, by one thread.
fn figure_3() -> Derivation {
    let text = "shared A = [5]; forU x in 0..1 { let y = A[x] in A[x] := y + 1 }";
    let (instance, options) = (instance(text, 1), RunOptions::default());
    let (start, before) = (instance.start(), Accesses::default());
    let result = thread::evaluate(&before, &instance.body(), &start, 0, &options);
    result.unwrap_or_else(|e| panic!("{e}")).1
}

/// Two barriers, of which each thread reaches another.
fn divergence() -> Derivation {
    run("A[tid] := 1; if tid == 0 { sync } else { sync }", 2)
}

fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name);
    if std::env::var_os("BABYCUDA_WRITE_GOLDENS").is_some() {
        fs::write(&path, text).unwrap_or_else(|e| panic!("{e}"));
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{name} differs from its golden:\n{text}");
}

#[test]
fn derivations_in_text() {
    golden("figure_3.compact.txt", &render::compact(&figure_3()));
    golden("figure_3.tree.txt", &render::tree(&figure_3(), 100));
    golden("divergence.compact.txt", &render::compact(&divergence()));
    golden("divergence.tree.txt", &render::tree(&divergence(), 100));
    golden(
        "atomic.compact.txt",
        &render::compact(&run(
            "shared A = fill 1; let x = atomic A[0] add 2 in { sync; A[1] := x }",
            1,
        )),
    );
}

#[test]
fn derivations_of_types_and_accesses_have_a_line_a_node() {
    let program = parse_program("threads 2; A[tid] := 1; sync; let x = A[tid] in skip");
    let typed = type_program(&program.expect("a program")).expect("a type");
    let text = render::of_type(&typed.derivation);
    assert_eq!(text.lines().count(), typed.derivation.size());
    assert!(text.contains("\n  t-seq") && text.contains("t-write  {"), "{text}");
    let (at, limits) = (Configuration::threads(2), MapLimits::default());
    let choose = |_: &Name, _: Site| Natural::zero();
    let accesses = derive(&typed.protocol, &at, &choose, &limits).expect("accesses");
    let text = render::of_map(&accesses);
    assert_eq!(text.lines().count(), accesses.nodes().count());
    assert!(text.starts_with("map/") && text.contains("wr A[1]"), "{text}");
}

#[test]
fn derivations_in_latex() {
    let text = render::latex(&figure_3(), 100);
    golden("figure_3.tex", &text);
    // Braces that are not escaped are balanced, and nothing but ASCII is left.
    let mut depth = 0i64;
    let mut escaped = false;
    for c in text.chars() {
        depth += match c {
            '{' if !escaped => 1,
            '}' if !escaped => -1,
            _ => 0,
        };
        assert!(depth >= 0);
        escaped = c == '\\' && !escaped;
    }
    assert_eq!(depth, 0);
    assert!(text.is_ascii());
    assert!(render::latex(&divergence(), 100).is_ascii());
}

#[test]
fn derivations_in_html() {
    let text = render::html(&figure_3(), 100);
    golden("figure_3.html", &text);
    for tag in ["div", "code", "sub", "span"] {
        let open = text.matches(&format!("<{tag}")).count();
        assert_eq!(open, text.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn what_is_too_high_is_left_out() {
    let derivation = run("forU x in 0..5000 { A[0] := x }", 1);
    let tree = render::tree(&derivation, 4);
    assert!(tree.contains('⋮') && tree.lines().count() < 20, "{tree}");
    assert!(render::latex(&derivation, 4).contains("\\vdots"));
    assert!(render::html(&derivation, 4).contains("<div>⋮</div>"));
    // The indented form is complete, and no recursion makes it.
    assert!(render::compact(&derivation).lines().count() > 10_000);
}
