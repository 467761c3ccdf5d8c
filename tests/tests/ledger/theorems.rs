//! The statements of `babycuda-proofs` against the source tree: each names its function, what
//! proves it, and tests that are there.

use crate::tree::Tree;
use babycuda_core::rules::{Item, Test};
use babycuda_proofs::agreement::AGREEMENTS;
use babycuda_proofs::{Proof, STATEMENTS, Statement};

/// What is blank or dangling in a statement.
fn wrong(statement: &Statement, tree: &mut Tree) -> Vec<String> {
    let mut wrong = Vec::new();
    wrong.extend(tree.item(statement.rust));
    let texts = [statement.id, statement.name, statement.source, statement.text];
    if texts.contains(&"") || statement.tests.is_empty() {
        wrong.push("something is blank".to_owned());
    }
    wrong.extend(statement.tests.iter().filter_map(|test| tree.test(*test)));
    match statement.proof {
        Proof::Theorems([]) | Proof::NotMechanized("") => wrong.push("no proof".to_owned()),
        Proof::NotMechanized(_) => {}
        Proof::Theorems(theorems) => {
            for Item { file, text } in theorems {
                let source = tree.read(file).unwrap_or_default();
                let stated = |end| source.contains(&format!("\nTheorem {text}{end}"));
                if ![" ", "\n", ":"].into_iter().any(stated) {
                    wrong.push(format!("{file} has no theorem {text}"));
                }
            }
        }
    }
    wrong.into_iter().map(|what| format!("{}: {what}", statement.id)).collect()
}

#[test]
fn no_statement_is_blank_or_dangling() {
    let mut tree = Tree::default();
    let all = STATEMENTS.iter().chain(AGREEMENTS);
    let wrong: Vec<String> = all.flat_map(|statement| wrong(statement, &mut tree)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Only what is about solvers or implementations has no theorem.
#[test]
fn the_statements_of_the_theory_are_proved() {
    let unproved = |s: &&&Statement| matches!(s.proof, Proof::NotMechanized(_));
    let ids: Vec<&str> = STATEMENTS.iter().filter(unproved).map(|s| s.id).collect();
    assert_eq!(ids, ["T8"]);
}

/// The check above must be able to fail.
#[test]
fn dangling_statements_are_noticed() {
    let mut tree = Tree::default();
    let right = *STATEMENTS[0];
    assert_eq!(wrong(&right, &mut tree), Vec::<String>::new());
    let nowhere = Item { file: "proofs/coq/Determinism.v", text: "thread_determinist" };
    let test = Test { file: "proofs/tests/small_scope.rs", name: "nothing" };
    for dangling in [
        Statement { rust: nowhere, ..right },
        Statement { proof: Proof::Theorems(&[]), ..right },
        Statement { proof: Proof::NotMechanized(""), ..right },
        Statement { tests: &[], ..right },
        Statement { text: "", ..right },
    ] {
        assert_eq!(wrong(&dangling, &mut tree).len(), 1, "{dangling:?}");
    }
    assert!(tree.item(nowhere).is_some() && tree.test(test).is_some());
}
