//! What the renderers make of small derivations, letter by letter.

use super::{
    FIGURE_3, STUCK, accesses, drawn, drawn_map, drawn_type, golden, instance, run, titled,
};
use babycuda::semantics::{Derivation, RunOptions, thread};
use babycuda::typing::type_program;
use babycuda_core::Accesses;
use babycuda_core::parse::parse_program;
use babycuda_report::derivation::{self as render, Style};

/// One iteration of LCL22 Fig. 3, by one thread.
fn one_iteration() -> Derivation {
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

#[test]
fn indented_text() {
    let compact = |root: &Derivation| render::compact(&render::run_in_full(root));
    golden("figure_3.compact.txt", &compact(&one_iteration()));
    golden("divergence.compact.txt", &compact(&divergence()));
    let atomic = "shared A = fill 1; let x = atomic A[0] add 2 in { sync; A[1] := x }";
    golden("atomic.compact.txt", &compact(&run(atomic, 1)));
}

#[test]
fn indented_text_has_a_line_a_node_whatever_is_derived() {
    let program = parse_program("threads 2; A[tid] := 1; sync; let x = A[tid] in skip");
    let typed = type_program(&program.expect("a program")).expect("a type");
    let text = render::compact(&render::type_in_full(&typed.derivation));
    // And one that says what the context is.
    assert_eq!(text.lines().count(), typed.derivation.size() + 1, "{text}");
    assert!(text.contains("\n  t-seq") && text.contains("t-write  V0 ⊢"), "{text}");
    let derivation = accesses("wr[tid]; sync; rd[tid]", 2).expect("accesses");
    let text = render::compact(&render::map_in_full(&derivation));
    assert_eq!(text.lines().count(), derivation.nodes().count());
    assert!(text.starts_with("map/") && text.contains("wr A[1]"), "{text}");
}

#[test]
fn figure_3_in_every_format() {
    golden("one_iteration.tree.txt", &render::tree(&render::of_run(&one_iteration()), 100));
    let figure = drawn(FIGURE_3, 2);
    golden("figure_3.tree.txt", &render::tree(&figure, 100));
    golden("figure_3.svg", &render::svg(&figure, render::PAGE));
    golden("figure_3.mathpartir.tex", &render::latex(&figure, Style::Mathpartir));
    golden("figure_3.bussproofs.tex", &render::latex(&figure, Style::Bussproofs));
    // Styles and scripts are the same on every page.
    let page = render::html(&figure);
    let main = page.split_once("<main>").and_then(|(_, rest)| rest.split_once("</main>"));
    golden("figure_3.main.html", main.expect("a part of the page").0);
}

#[test]
fn types_protocols_and_what_stops_as_trees() {
    golden("figure_3.type.tree.txt", &render::tree(&drawn_type(FIGURE_3), 100));
    let protocol = "param M = 2; forU x in 0..M { rd[x]; wr[x] }";
    golden("figure_3.map.tree.txt", &render::tree(&drawn_map(protocol, 2), 100));
    golden("divergence.tree.txt", &render::tree(&render::of_run(&divergence()), 100));
    let attempt = instance(STUCK, 2).attempt(&RunOptions::default()).expect("it is stuck");
    let stopped = render::stopped_run(&attempt, &attempt.stuck.to_string(), false);
    golden("stuck.tree.txt", &render::tree(&titled("stuck", stopped), 100));
}
