//! What stands for names is complete, and short where threads do the same.

use super::drawn;
use babycuda_report::derivation::{self as render, Style};

/// The program of the book whose warps wait for themselves.
const WARPS: &str = "shared A; shared B; A[tid] := tid; sync.warp; \
    let x = A[tid / 32 * 32] in B[tid] := x";

/// What `H1` is: two stages, and what the threads of each warp did behind them.
const H1: &str = "H1 = [{i: (∅, {i: i}) for i = 0 … 31} |0..32| \
    {i: (∅, {i: i}) for i = 32 … 63} |32..64| {i: ({0}, {B[i]: 0}) for i = 0 … 31, \
    i: ({32}, {B[i]: 32}) for i = 32 … 63}]";

fn without_tags(text: &str) -> String {
    text.split('<').filter_map(|part| Some(part.split_once('>')?.1)).collect()
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn histories_of_64_threads_are_complete_in_every_format() {
    let drawing = drawn(WARPS, 64);
    assert!(render::tree(&drawing, 100).contains(&format!("\n{H1}\n")));
    let picture = in_one_line(&without_tags(&render::svg(&drawing, render::PAGE)));
    assert!(picture.contains(H1), "{picture}");
    let page = render::html(&drawing);
    let line = page.lines().find(|line| line.starts_with("<dt>H1<")).expect("a line of H1");
    assert_eq!(format!("H1 = {}", without_tags(line).trim_start_matches("H1")), H1);
    for style in [Style::Mathpartir, Style::Bussproofs] {
        let text = render::latex(&drawing, style);
        let own = text.split("H_{1}\\ =").last().unwrap_or_default();
        let own = own.split("H_{2}\\ =").next().unwrap_or_default();
        assert_eq!(own.matches("\\ldots").count(), 4, "{own}");
        assert!(own.contains("|0..32|") && own.contains("32\\ \\ldots \\ 63\\}]"), "{own}");
    }
}

/// Nothing is cut off, however long it is.
#[test]
fn what_no_number_gives_is_listed() {
    let text = "shared A = fill 3; A[tid * tid % 61] := tid; sync; B[tid] := 1";
    let drawing = drawn(text, 64);
    let tree = render::tree(&drawing, 100);
    let own = tree.lines().find(|line| line.contains("63: (∅, {4: 63})")).expect("the last thread");
    assert!(own.contains("{i: (∅, {") || own.contains("0: (∅, {0: 0})"), "{own}");
    let picture = in_one_line(&without_tags(&render::svg(&drawing, render::PAGE)));
    for i in 8..64 {
        let part = format!("{i}: (∅, {{{}: {i}}})", i * i % 61);
        assert!(own.contains(&part) || own.contains("for i ="), "{part}: {own}");
    }
    assert!(picture.contains("63: (∅, {4: 63})"), "{picture}");
}

/// A history behind another one that has a name is written with it, and only names that are met have
/// a meaning.
#[test]
fn names_stand_for_names_and_only_where_they_are_met() {
    let phases: Vec<String> = (0..6).map(|n| format!("A[tid * tid + {n}] := tid")).collect();
    let drawing = drawn(&phases.join("; sync; "), 8);
    let tree = render::tree(&drawing, 100);
    assert!(tree.lines().any(|line| line.starts_with("H") && line.contains("} :: H")), "{tree}");
    // A thousand phases are no longer than what is new in each.
    let drawing = drawn("forS x in 0..1000 { A[x] := x; sync }", 1);
    let tree = render::tree(&drawing, 100);
    let is_name = |line: &&str| line.starts_with('H') && line.contains(" = ");
    let widest = tree.lines().filter(is_name).map(str::len).max();
    assert!(widest.is_some_and(|wide| wide < 400), "{widest:?}");
    // What no node has, and no name, has no line.
    let short = drawn("forU x in 0..5000 { A[0] := x }", 1);
    assert!(render::tree(&short, 100).lines().filter(is_name).count() < 5);
}
