//! The enumeration lists what it says, and every statement is where it says.

use babycuda_core::parse::parse_stmt;
use babycuda_core::syntax::{ForSort, Tree};
use babycuda_core::{Name, Num, Stmt};
use babycuda_proofs::STATEMENTS;
use babycuda_proofs::agreement::AGREEMENTS;
use babycuda_proofs::small_scope::histories::{
    all_phases, memories, phases_of_one_access, with_phases,
};
use babycuda_proofs::small_scope::programs::size;
use babycuda_proofs::small_scope::symmetry::{image, image_of_history, is_representative};
use babycuda_proofs::small_scope::{Programs, Vocabulary};
use babycuda_testkit::Choices;
use babycuda_testkit::generators::strategy;
use proptest::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

const ALL: Vocabulary = Vocabulary::ALL;

fn listed(vocabulary: Vocabulary, size: usize) -> Vec<Stmt> {
    let mut all = Vec::new();
    Programs::new(vocabulary).visit(size, &mut |program| all.push(program));
    all
}

#[test]
fn no_program_is_listed_twice_and_none_is_alpha_equivalent_to_another() {
    let plain = Vocabulary { shadows: false, ..ALL };
    for bound in 0..=2 {
        let programs = listed(plain, bound);
        for (n, b) in programs.iter().enumerate() {
            assert_eq!(size(b), bound);
            assert!(programs[n + 1..].iter().all(|c| !b.alpha_equivalent(c)), "{b}");
        }
    }
    // Binders are named by their depth, so distinct is enough; programs are many.
    let programs = listed(Vocabulary::PAPER, 3);
    let distinct: HashSet<&Stmt> = programs.iter().collect();
    assert_eq!(distinct.len(), programs.len());
}

/// What a statement binds, below these names.
fn hides(b: &Stmt, around: &mut Vec<Name>) -> bool {
    let var = b.view().binder;
    let hidden = var.is_some_and(|var| around.contains(var));
    around.extend(var.cloned());
    let found = hidden || b.children().any(|child| hides(child, around));
    around.truncate(around.len() - usize::from(var.is_some()));
    found
}

/// With binders that hide others, programs are added, and each is another name for one that is
/// there.
#[test]
fn binders_hide_others() {
    let plain = Vocabulary { shadows: false, ..ALL };
    for bound in 0..=2 {
        let fresh = listed(plain, bound);
        let (hiding, rest): (Vec<_>, Vec<_>) =
            listed(ALL, bound).into_iter().partition(|b| hides(b, &mut Vec::new()));
        assert_eq!(rest, fresh);
        assert_eq!(hiding.is_empty(), bound < 2);
        for b in hiding {
            assert!(fresh.iter().any(|c| b.alpha_equivalent(c)), "{b}");
        }
    }
    let all: HashSet<Stmt> = listed(ALL, 3).into_iter().collect();
    for text in [
        "let x0 = A[0] in let x0 = A[1] in A[x0] := x0",
        "forU x0 in 0..2 { let x0 = A[x0] in A[0] := x0 }",
        "let x0 = A[tid] in forU x0 in 0..x0 { A[0] := x0 }",
        "forU x0 in 0..2 { forU x0 in 0..x0 { A[x0] := tid } }",
        "let x0 = A[0] in let x0 = atomic A[x0] add 1 in A[0] := x0",
        "forS x0 in 0..2 { forS x0 in 0..x0 { sync } }",
    ] {
        let program = parse_stmt(text).unwrap_or_else(|e| panic!("{text}: {e}")).numbered();
        assert!(all.contains(&program), "{text}");
    }
}

/// A program of the vocabulary, with `skip`s and nested sequences anywhere and names of any kind.
fn raw(choices: &mut Choices<'_>, fuel: usize, depth: usize) -> Stmt {
    let pick = |choices: &mut Choices<'_>, n: Vec<Num>| choices.pick(&n).clone();
    let binders: Vec<_> = ALL.binders(depth).collect();
    let (var, below) = choices.pick(&binders).clone();
    match choices.weighted(&[2, 6 * fuel, 3 * fuel, 3 * fuel, 3 * fuel, 3 * fuel, fuel]) {
        0 => Stmt::Skip,
        1 => {
            let index = pick(choices, ALL.indices(depth));
            Stmt::write("A", index, choices.pick(&ALL.payloads(depth)).clone())
        }
        2 => {
            let index = pick(choices, ALL.indices(depth));
            Stmt::read(var, "A", index, raw(choices, fuel - 1, below))
        }
        3 => {
            let guard = choices.pick(&ALL.guards(depth)).clone();
            let then = raw(choices, fuel - 1, depth);
            Stmt::branch(guard, then, raw(choices, fuel - 1, depth))
        }
        4 => {
            let bound = pick(choices, ALL.bounds(depth));
            let body = raw(choices, fuel - 1, below);
            let sort = if body.has_sync() { ForSort::S } else { ForSort::U };
            Stmt::repeat(sort, var, 0, bound, body)
        }
        5 => Stmt::seq(raw(choices, fuel - 1, depth), raw(choices, fuel - 1, depth)),
        _ => Stmt::sync(),
    }
}

/// The program by the laws of `;` and `skip`.
fn normal(b: &Stmt) -> Stmt {
    let mut list = Vec::new();
    flatten(b, &mut list);
    Stmt::sequence(list)
}

fn flatten(b: &Stmt, list: &mut Vec<Stmt>) {
    match b {
        Stmt::Skip => {}
        Stmt::Seq(first, second) => {
            flatten(first, list);
            flatten(second, list);
        }
        other => list.push(other.map_children(|child| Arc::new(normal(child)))),
    }
}

/// Complete: whatever is written in the vocabulary is listed, in its normal form.
#[test]
fn every_program_of_the_vocabulary_is_listed() {
    let all: HashSet<Stmt> = (0..=3).flat_map(|n| listed(ALL, n)).collect();
    let hits = std::cell::RefCell::new(BTreeSet::new());
    let config = ProptestConfig { cases: 6_000, failure_persistence: None, ..Default::default() };
    proptest!(config, |(b in strategy(|choices| raw(choices, 3, 0)))| {
        let normal = normal(&b).numbered();
        if size(&normal) <= 3 {
            prop_assert!(all.contains(&normal), "{}", normal);
            hits.borrow_mut().insert(normal);
        }
    });
    assert!(hits.borrow().len() > 1_000, "{}", hits.borrow().len());
}

#[test]
fn the_symmetry_is_an_involution_and_the_lists_are_closed_under_it() {
    let programs: HashSet<Stmt> = listed(Vocabulary::PAPER, 2).into_iter().collect();
    let mut images = 0;
    for b in &programs {
        assert!(is_representative(b) || image(b).is_some_and(|c| is_representative(&c)), "{b}");
        if let Some(c) = image(b) {
            assert_eq!(image(&c).as_ref(), Some(b));
            assert!(programs.contains(&c), "{c}");
            images += 1;
        }
    }
    assert!(images > programs.len() / 2);
    for phases in [all_phases(), phases_of_one_access(2)] {
        let histories = with_phases(&phases);
        let printed: HashSet<String> = histories.iter().map(|h| format!("{h:?}")).collect();
        assert_eq!(printed.len(), histories.len());
        for h in &histories {
            assert_eq!(image_of_history(&image_of_history(h)), *h);
            assert!(printed.contains(&format!("{:?}", image_of_history(h))), "{h}");
        }
    }
    assert_eq!(memories().len(), 16);
}

/// What else a statement names, `tests/tests/ledger` holds to the source tree.
#[test]
fn every_statement_is_listed_and_documented() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut ids: Vec<&str> = STATEMENTS.iter().map(|s| s.id).collect();
    ids.sort_unstable();
    let all = [
        "T0",
        "T1",
        "T1-printed",
        "T10",
        "T11",
        "T12",
        "T13",
        "T2",
        "T3",
        "T4",
        "T5",
        "T6",
        "T7",
        "T8",
        "T9",
    ];
    assert_eq!(ids, all);
    for statement in STATEMENTS {
        let module = here.join("src").join(format!("{}.rs", statement.name));
        let source = std::fs::read_to_string(&module).unwrap_or_else(|e| panic!("{module:?}: {e}"));
        assert!(source.starts_with(&format!("//! {}", &statement.id[..2])), "{module:?}");
    }
    for agreement in AGREEMENTS {
        assert!(here.join("src/agreement").join(format!("{}.rs", agreement.name)).is_file());
    }
    assert_eq!(STATEMENTS.iter().filter(|s| !s.holds).count(), 1);
}
