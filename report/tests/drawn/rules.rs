//! Every rule that a derivation may cite is drawn by one of these.

use super::{card, drawn, drawn_map, drawn_type, titled};
use babycuda::protocols::map::{MapLimits, derive};
use babycuda::semantics::{Block, Instance, RunOptions, parallel};
use babycuda_core::history::HostArray;
use babycuda_core::parse::{parse_program, parse_protocol};
use babycuda_core::rules::{Judgment, all};
use babycuda_core::{Configuration, Launch, Name, Natural, Protocol, Site};
use babycuda_report::derivation::{self as render, Drawing, Style};
use std::sync::Arc;

fn parallel_run() -> Drawing {
    let program = parse_program("A[tid] := tid").expect("a program");
    let instance = Instance::new(program, Launch::threads(2));
    let (start, block) = (instance.start(), Block::threads(2));
    let (_, derivation) =
        parallel::run(&start, &instance.body(), block, &RunOptions::default()).expect("no reads");
    titled("all threads", render::of_run(&derivation))
}

/// `let x = input A[tid] in any y { rd A[x] }`
fn with_input() -> Drawing {
    let inner = Protocol::Any {
        site: Site(1),
        var: Name::from("y"),
        domain: None,
        body: Arc::new(parse_protocol("rd[x]").expect("a protocol")),
    };
    let protocol = Protocol::Input {
        site: Site(0),
        var: Name::from("x"),
        array: Name::from("A"),
        index: "tid".into(),
        body: Arc::new(inner),
    };
    let mut at = Configuration::threads(2);
    at.host.insert(Name::from("A"), HostArray { fill: Some(7u32.into()), ..HostArray::default() });
    let choose = |_: &Name, _: Site| Natural::from(9u32);
    let derivation = derive(&protocol, &at, &choose, &MapLimits::default()).expect("accesses");
    titled("an input", render::of_map(&derivation))
}

/// Derivations that cite every rule.
pub(crate) fn everything() -> Vec<Drawing> {
    vec![
        drawn("skip; A[0] := 1; let x = A[0] in if x == 1 { A[1] := x } else { skip }", 1),
        drawn("if tid == 0 { skip } else { A[tid] := 1 }; forU x in 0..2 { skip }", 2),
        drawn("let x = atomic A[0] add 1 in A[tid + 1] := x", 2),
        drawn("let x = atomic A[0] cas 5 if 0 in sync", 1),
        drawn(
            "A[0] := 0; let x = A[0] in { sync; A[0] := x }; if tid == 0 { sync } else { sync }",
            1,
        ),
        drawn("if tid == 1 { skip; sync } else { sync }; forS x in 0..2 { sync }", 1),
        drawn("warp 2; A[tid] := 1; sync.warp; A[4 + tid] := 1", 4),
        drawn("if tid == 0 { sync } else { skip }", 2),
        drawn_type("global B = any; A[tid] := 1; let i = B[tid] in A[i] := 1; skip"),
        drawn_type("let x = A[tid] in if tid == 0 { sync } else { skip }; forU x in 0..2 { skip }"),
        drawn_type("forS x in 0..2 { sync; let y = atomic A[x] add 1 in skip }"),
        drawn_map(
            "skip; wr[tid]; sync; if tid == 0 { rd[0] } else { rd[1] }; forU x in 0..2 { rd[x] }",
            2,
        ),
        parallel_run(),
        with_input(),
    ]
}

#[test]
fn every_rule_is_drawn_in_every_format() {
    let drawings = everything();
    type Format = fn(&Drawing) -> String;
    let formats: [(&str, Format); 6] = [
        ("text", |d| render::compact(d)),
        ("tree", |d| render::tree(d, 100)),
        ("svg", |d| render::svg(d, render::PAGE)),
        ("html", |d| render::html(d)),
        ("mathpartir", |d| render::latex(d, Style::Mathpartir)),
        ("bussproofs", |d| render::latex(d, Style::Bussproofs)),
    ];
    // What a cell holds is a premise, and has no tree of its own.
    let drawn = |judgment| judgment != Judgment::LastWrite;
    for (format, render) in formats {
        let all_text: String = drawings.iter().map(render).collect();
        for rule in all().filter(|rule| drawn(rule.judgment)) {
            assert!(all_text.contains(rule.id), "{}: no {format}", rule.id);
        }
    }
}

/// Each says what all letters of its premises and its conclusion stand for, but the lists of threads.
#[test]
fn every_rule_says_what_its_letters_are() {
    let pages: String = everything().iter().map(render::html).collect();
    for rule in all() {
        let of_threads = matches!(rule.judgment, Judgment::Block | Judgment::Parallel);
        if rule.judgment == Judgment::LastWrite || of_threads || rule.id == "map/par" {
            continue;
        }
        let card = card(&pages, rule.id).unwrap_or_else(|| panic!("{}", rule.id));
        for letter in letters(rule.conclusion, rule.premises) {
            let known = card.contains(&format!(" {letter} := "));
            let of_update = letter == "m" && card.contains(" ⋆ m := ");
            assert!(known || of_update, "{}: {letter}: {card}", rule.id);
        }
    }
}

/// The letters that stand alone: `n`, `b1`, but no `lastwrite`.
fn letters(conclusion: &str, premises: &[&str]) -> Vec<String> {
    let all = premises.join(" ") + " " + conclusion;
    let words = all.split(|c: char| !c.is_alphanumeric());
    // Sets of `(R, W)` and constructors of the rules' own, and letters of lists.
    let known = ["R", "W", "U", "RO", "H0", "T", "a", "s", "k1'", "then", "domain", "tid", "ℕ"];
    let single = |word: &&str| {
        let mut chars = word.chars();
        let first = chars.next().is_some_and(char::is_alphabetic);
        first && chars.all(|c| c.is_ascii_digit()) && !known.contains(word)
    };
    let mut letters: Vec<String> = words.filter(single).map(str::to_owned).collect();
    letters.sort();
    letters.dedup();
    letters
}
