//! Every mutant is killed, the control survives, and the page says so.
//!
//! Counts are printed, and a line of JSON a mutant: run with `--nocapture`. The mutated copy of the
//! workspace is kept in the target directory, and so is its build.

use babycuda_core::rules::{ALL, Rule};
use babycuda_mutants::list;
use babycuda_mutants::mutant::Breaks;
use babycuda_mutants::run::{Fate, fates, report};
use babycuda_mutants::table::page;
use babycuda_mutants::workspace::{build, generate};
use babycuda_proofs::STATEMENTS;
use babycuda_proofs::agreement::AGREEMENTS;
use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

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
fn every_mutant_is_killed_and_the_control_is_not() {
    let mutants = list::all();
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    generate(root(), &copy, &mutants).unwrap_or_else(|e| panic!("{e}"));
    let hunter = build(&copy).unwrap_or_else(|e| panic!("{e}"));

    let control = report(&hunter, None).unwrap_or_else(|fate| panic!("the control: {fate:?}"));
    println!(
        "control: {} cases\nheld: {:?}\nvacuous: {:?}",
        control.cases, control.held, control.vacuous
    );
    assert_eq!(control.killer, None, "the original sources refute a statement");
    let statements = STATEMENTS.iter().filter(|s| s.holds).chain(AGREEMENTS);
    for statement in statements {
        let held = control.held.get(statement.id).copied().unwrap_or(0);
        assert!(held >= 500, "{} held only {held} times", statement.id);
    }

    let fates = fates(&hunter, mutants.len());
    let mut alive = Vec::new();
    for (mutant, fate) in mutants.iter().zip(&fates) {
        match fate {
            Fate::Killed(killer) => println!(
                "{}",
                serde_json::json!({ "file": mutant.file, "mutant": mutant.name, "killer": killer })
            ),
            fate => alive.push(format!("{}, {}: {fate:?}", mutant.file, mutant.name)),
        }
    }
    println!("{} of {} mutants are killed", mutants.len() - alive.len(), mutants.len());
    assert!(alive.is_empty(), "not killed:\n{}", alive.join("\n"));
    golden(&page(&mutants, &fates));
}

/// Holds the page to what was found; `BABYCUDA_BLESS=1` writes it.
fn golden(page: &str) {
    let path = root().join("docs/MUTANTS.md");
    if env::var_os("BABYCUDA_BLESS").is_some() {
        fs::write(&path, page).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let kept = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert!(kept == page, "docs/MUTANTS.md is not current: BABYCUDA_BLESS=1 writes it");
}

#[test]
fn mutants_are_many_have_names_and_break_every_rule() {
    let mutants = list::all();
    assert!(mutants.len() >= 40);
    let names: BTreeSet<_> = mutants.iter().map(|m| (m.file, m.name)).collect();
    assert_eq!(names.len(), mutants.len());
    for mutant in &mutants {
        let known =
            mutant.breaks.rule().is_some() || matches!(mutant.breaks, Breaks::Definition(_));
        assert!(known, "{}: {}", mutant.name, mutant.breaks.name());
    }
    let broken: BTreeSet<&str> =
        mutants.iter().filter_map(|m| m.breaks.rule()).map(|rule| rule.id).collect();
    let without: BTreeSet<&str> = WITHOUT.iter().map(|(id, _)| *id).collect();
    let whole: BTreeSet<&str> = ALL.iter().map(|rule: &&Rule| rule.id).collect();
    assert!(broken.is_disjoint(&without));
    assert_eq!(broken.union(&without).copied().collect::<BTreeSet<_>>(), whole);
}
