//! Every mutant is killed, the control survives, and the page says so.
//!
//! Counts are printed, and a line of JSON a mutant: run with `--nocapture`. The mutated copy of the
//! workspace is kept in the target directory, and so is its build. `BABYCUDA_MUTANTS=solve,smt` looks
//! only for mutants of files whose path contains one of these, and `BABYCUDA_MUTANTS=new` for those that the page
//! does not have. `BABYCUDA_BLESS=1` writes the page, also where some live; mutants that were not looked for keep
//! their lines.

use babycuda_mutants::area::{Search, searches, suites};
use babycuda_mutants::list;
use babycuda_mutants::mutant::Mutant;
use babycuda_mutants::run::{Fate, fates, report, searched};
use babycuda_mutants::suite::{BACKENDS, Suite};
use babycuda_mutants::table::{noticed, page};
use babycuda_mutants::workspace::{build, generate};
use babycuda_proofs::STATEMENTS;
use babycuda_proofs::agreement::AGREEMENTS;
use rayon::prelude::*;
use std::path::Path;
use std::{env, fs};

/// Statements that no program of the enumeration is an instance of, and what of; suites look for mutants of those.
const NOT_OF_PROGRAMS: [(&str, &str); 2] = [("T9", "traces"), ("T10", "kernels")];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[test]
fn every_mutant_is_killed_and_the_control_is_not() {
    let mutants = list::all();
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    generate(root(), &copy, &mutants).unwrap_or_else(|e| panic!("{e}"));
    let suites = suites();
    let built = build(&copy, &suites).unwrap_or_else(|e| panic!("{e}"));

    let control =
        report(&built.hunter, None).unwrap_or_else(|fate| panic!("the control: {fate:?}"));
    println!(
        "control: {} cases\nheld: {:?}\nvacuous: {:?}",
        control.cases, control.held, control.vacuous
    );
    assert_eq!(control.killer, None, "the original sources refute a statement");
    let of_programs = |id| NOT_OF_PROGRAMS.iter().all(|(other, _)| *other != id);
    let statements = STATEMENTS.iter().filter(|s| s.holds).chain(AGREEMENTS);
    for statement in statements.filter(|statement| of_programs(statement.id)) {
        let held = control.held.get(statement.id);
        assert!(held >= 500, "{} held only {held} times", statement.id);
    }

    let required = env::var(BACKENDS).unwrap_or_default();
    let is_required = |backend| required.split(',').any(|name| name.trim() == backend);
    let mut missing = Vec::new();
    let original = |suite: &Suite| (*suite, searched(&built, Search::Tests(*suite), None));
    let unchanged: Vec<(Suite, Fate)> = suites.par_iter().map(original).collect();
    for (suite, fate) in unchanged {
        match (fate, suite.needs) {
            (Fate::Survived, _) => {}
            (fate, Some(backend)) if !is_required(backend) => {
                println!("{suite:?}: {fate:?}: no search on {backend}");
                missing.push(Search::Tests(suite));
            }
            (fate, _) => panic!("the control: {suite:?}: {fate:?}"),
        }
    }

    let only = env::var("BABYCUDA_MUTANTS").unwrap_or_default();
    let before = fs::read_to_string(root().join(PAGE)).unwrap();
    let noticed = noticed(&before);
    let wanted = |mutant: &Mutant| {
        let asked = match only.as_str() {
            "new" => !noticed.contains_key(&(mutant.file.to_owned(), mutant.name.to_owned())),
            parts => parts.split(',').any(|part| mutant.file.contains(part)),
        };
        asked && !searches(mutant.file).iter().any(|s| missing.contains(s))
    };
    let fates = fates(&built, &mutants, &noticed, &wanted);
    let (mut alive, mut by_theorems) = (Vec::new(), 0);
    for (mutant, fate) in mutants.iter().zip(&fates).filter(|(mutant, _)| wanted(mutant)) {
        let line = |killer| {
            println!(
                "{}",
                serde_json::json!({ "file": mutant.file, "mutant": mutant.name, "killer": killer })
            );
        };
        match fate {
            Fate::Killed(killer) => {
                let theorem = |id: &String| STATEMENTS.iter().any(|s| s.id == id);
                by_theorems += usize::from(killer.statements.iter().any(theorem));
                line(serde_json::json!(killer));
            }
            Fate::Failed(tests, test) => line(serde_json::json!([tests, test])),
            fate => alive.push((mutant, fate)),
        }
    }
    if env::var_os("BABYCUDA_BLESS").is_some() {
        // The page has no line of a mutant that lives now.
        let lives = |line: &&str| {
            alive.iter().any(|(mutant, _)| line.contains(mutant.name) && line.contains(mutant.file))
        };
        let before: Vec<&str> = before.lines().filter(|line| !lives(line)).collect();
        fs::write(root().join(PAGE), page(&mutants, &fates, &before.join("\n"))).unwrap();
    }
    println!("{} of {} mutants live", alive.len(), mutants.len());
    println!("{by_theorems} are killed by theorems");
    assert!(alive.is_empty(), "not killed: {alive:#?}");
    if mutants.iter().all(wanted) {
        assert!(by_theorems >= 30, "{by_theorems} are killed by theorems");
    }
}

/// What was found, as `BABYCUDA_BLESS=1` writes it. Which test is the first to fail may change with
/// every test, so the page is held to the names only.
const PAGE: &str = "docs/MUTANTS.md";

#[test]
fn the_page_names_every_mutant() {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    for mutant in list::all() {
        assert!(page.contains(mutant.name), "{PAGE} is not current: {}", mutant.name);
    }
}
