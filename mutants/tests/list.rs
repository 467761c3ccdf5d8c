//! The list of mutants: each has its place in the sources, and every rule has one.
//! What finds them takes longer: `cargo test -p babycuda-mutants --test mutants`.

use babycuda_core::rules::{Rule, all};
use babycuda_mutants::list;
use babycuda_mutants::mutant::Mutant;
use babycuda_mutants::schema::replacement;
use babycuda_mutants::workspace::without_text;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Rules without a mutant, and why.
const WITHOUT: [(&str, &str); 3] = [
    ("type/t-skip", "it has no premise, and its protocol is the empty one"),
    ("map/skip", "it has no premise, and nothing to forget"),
    ("map/any", "no type of a program has it, so no statement speaks of it"),
];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[test]
fn every_mutant_has_its_place() {
    let misplaced: Vec<String> = list::all()
        .iter()
        .filter_map(|mutant| {
            let found = match fs::read_to_string(root().join(mutant.file)) {
                Ok(text) => replacement(&text, mutant).map_err(|e| e.to_string()),
                Err(e) => Err(e.to_string()),
            };
            found.err().map(|why| format!("{}: {why}", mutant.file))
        })
        .collect();
    assert!(misplaced.is_empty(), "{}", misplaced.join("\n"));
}

/// Texts that are no Rust are mutated where they are handed to compilers.
#[test]
fn every_text_is_handed_to_a_compiler() {
    assert_eq!(without_text(root()), [""; 0]);
}

#[test]
fn mutants_are_many_have_names_and_break_every_rule() {
    let mutants = list::all();
    assert!(mutants.len() >= 250);
    let names: BTreeSet<_> = mutants.iter().map(|m| (m.file, m.name)).collect();
    assert_eq!(names.len(), mutants.len());
    for mutant in &mutants {
        let known = mutant.rule().is_some() || !mutant.breaks.contains('/');
        assert!(known, "{}: {}", mutant.name, mutant.breaks);
    }
    let broken: BTreeSet<&str> =
        mutants.iter().filter_map(Mutant::rule).map(|rule| rule.id).collect();
    let without: BTreeSet<&str> = WITHOUT.iter().map(|(id, _)| *id).collect();
    let whole: BTreeSet<&str> = all().map(|rule: &Rule| rule.id).collect();
    assert!(broken.is_disjoint(&without));
    assert_eq!(broken.union(&without).copied().collect::<BTreeSet<_>>(), whole);
}
