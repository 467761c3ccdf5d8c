//! The statements of `babycuda-proofs` against the source tree: each names its function, what
//! proves it, and tests that are there.

use crate::tree::Tree;
use babycuda_core::rules::{Item, Test};
use babycuda_proofs::agreement::AGREEMENTS;
use babycuda_proofs::{Coverage, Proof, STATEMENTS, Statement};

const THEOREMS: &[Item] =
    &[Item { file: "proofs/coq/Determinism.v", text: "thread_deterministic" }];

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
        Proof::Theorems([], _) | Proof::NotMechanized("") => wrong.push("no proof".to_owned()),
        Proof::Theorems(_, Coverage::Restricted("")) => wrong.push("restricted, how?".to_owned()),
        Proof::NotMechanized(_) => {}
        Proof::Theorems(theorems, _) => {
            wrong.extend(theorems.iter().filter_map(|theorem| unproved(theorem, tree)));
        }
    }
    wrong.into_iter().map(|what| format!("{}: {what}", statement.id)).collect()
}

/// What is wrong with a theorem that a statement cites: it is not there, or the build of the
/// mechanization does not ask what it rests on.
fn unproved(Item { file, text }: &Item, tree: &mut Tree) -> Option<String> {
    let source = tree.read(file).unwrap_or_default();
    let stated = ["Theorem", "Corollary"].into_iter().any(|kind| {
        [" ", "\n", ":"].into_iter().any(|end| source.contains(&format!("\n{kind} {text}{end}")))
    });
    if !stated {
        return Some(format!("{file} has no theorem {text}"));
    }
    let module = file.strip_prefix("proofs/coq/")?.strip_suffix(".v")?;
    let asked = tree.read("proofs/coq/Assumptions.v").unwrap_or_default();
    let asked = asked.contains(&format!("\nPrint Assumptions {module}.{text}.\n"));
    (!asked).then(|| format!("Assumptions.v does not ask about {module}.{text}"))
}

#[test]
fn no_statement_is_blank_or_dangling() {
    let mut tree = Tree::default();
    let all = STATEMENTS.iter().chain(AGREEMENTS);
    let wrong: Vec<String> = all.flat_map(|statement| wrong(statement, &mut tree)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The theory page says of each statement what the code says, in its words.
#[test]
fn the_theory_page_has_the_wording_of_the_statements() {
    let page = Tree::default().read("docs/THEORY.md").unwrap_or_default().to_owned();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| T")?.strip_suffix(" |"));
    let rows: Vec<(String, String)> = rows
        .filter_map(|row| row.split_once(" | "))
        .map(|(id, text)| (format!("T{id}"), text.replace('`', "").to_lowercase()))
        .collect();
    for statement in STATEMENTS {
        let id = statement.id.trim_end_matches("-printed");
        // The first row of an id states it; others are findings.
        let row = rows.iter().find(|(row, _)| row == id).map_or("", |(_, text)| text);
        let text = statement.text.trim_end_matches('.').to_lowercase();
        assert!(row.contains(&text), "{}: `{text}` is not in `{row}`", statement.id);
    }
}

/// Only what is about solvers or implementations has no theorem.
#[test]
fn the_statements_of_the_theory_are_proved() {
    let unproved = |s: &&&Statement| matches!(s.proof, Proof::NotMechanized(_));
    let ids: Vec<&str> = STATEMENTS.iter().filter(unproved).map(|s| s.id).collect();
    assert_eq!(ids, ["T8", "T10"]);
}

/// No atomic updates: the mechanization covers no more, so only the refutation is full.
#[test]
fn only_refutations_are_proved_in_full() {
    let full = |s: &&&Statement| matches!(s.proof, Proof::Theorems(_, Coverage::Full));
    let ids: Vec<&str> = STATEMENTS.iter().filter(full).map(|s| s.id).collect();
    assert_eq!(ids, ["T1-printed"]);
}

/// The check above must be able to fail.
#[test]
fn dangling_statements_are_noticed() {
    let mut tree = Tree::default();
    let right = *STATEMENTS[0];
    assert_eq!(wrong(&right, &mut tree), Vec::<String>::new());
    let nowhere = Item { file: "proofs/coq/Determinism.v", text: "thread_determinist" };
    let test = Test { file: "proofs/tests/small_scope.rs", name: "nothing" };
    let unasked = &[Item { file: "proofs/coq/Determinism.v", text: "drf_single_writers" }];
    let lemma = &[Item { file: "proofs/coq/Protocols.v", text: "unsync_deterministic" }];
    for dangling in [
        Statement { proof: Proof::Theorems(unasked, Coverage::Full), ..right },
        Statement { proof: Proof::Theorems(lemma, Coverage::Full), ..right },
        Statement { rust: nowhere, ..right },
        Statement { proof: Proof::Theorems(&[], Coverage::Full), ..right },
        Statement { proof: Proof::Theorems(THEOREMS, Coverage::Restricted("")), ..right },
        Statement { proof: Proof::NotMechanized(""), ..right },
        Statement { tests: &[], ..right },
        Statement { text: "", ..right },
    ] {
        assert_eq!(wrong(&dangling, &mut tree).len(), 1, "{dangling:?}");
    }
    assert!(tree.item(nowhere).is_some() && tree.test(test).is_some());
}
