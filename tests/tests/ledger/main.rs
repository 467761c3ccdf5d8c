//! The rule ledger against the source tree and against the crates: nothing blank, nothing
//! dangling, nothing that only one of them knows.

mod map;
mod mechanization;
mod semantics;
mod theorems;
mod tree;

use babycuda_core::rules::{ALL, Item, Judgment, Refutation, Rule, Test, find};
use std::collections::BTreeSet;
use tree::Tree;

/// What is blank in an entry.
fn blanks(rule: &Rule) -> Vec<&'static str> {
    let mut blanks = Vec::new();
    if rule.name().is_empty() || rule.id != format!("{}/{}", rule.judgment.name(), rule.name()) {
        blanks.push("the id is not the judgment and a name");
    }
    if rule.conclusion.is_empty() || rule.premises.iter().any(|p| p.is_empty()) {
        blanks.push("a premise or the conclusion is empty");
    }
    if rule.source.to_string().is_empty() {
        blanks.push("no source");
    }
    if rule.fires.is_empty() {
        blanks.push("no test fires it");
    }
    if rule.refutes.len() != rule.premises.len() {
        blanks.push("the refutations are not one for each premise");
    }
    for (premise, refutation) in rule.premises.iter().zip(rule.refutes) {
        if *refutation == Refutation::Choice && !premise.contains("∈ ℕ") {
            blanks.push("a premise that is no choice is not refuted");
        }
    }
    blanks
}

#[test]
fn no_entry_is_blank_or_dangling() {
    let mut tree = Tree::default();
    let mut wrong = Vec::new();
    for rule in ALL {
        let refuting = rule.refutes.iter().filter_map(|refutation| match refutation {
            Refutation::By(test) => Some(test),
            Refutation::Choice => None,
        });
        let items = [Some(rule.rust), rule.lowering];
        let mut found: Vec<String> = blanks(rule).into_iter().map(String::from).collect();
        found.extend(items.into_iter().flatten().filter_map(|item| tree.item(item)));
        found.extend(rule.fires.iter().chain(refuting).filter_map(|test| tree.test(*test)));
        wrong.extend(found.into_iter().map(|what| format!("{}: {what}", rule.id)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rules by which programs run say what lowers them to a device, and no others do.
#[test]
fn rules_of_runs_are_lowered() {
    for rule in ALL {
        let runs = matches!(
            rule.judgment,
            Judgment::Thread | Judgment::Parallel | Judgment::Barrier | Judgment::Block
        );
        assert_eq!(rule.lowering.is_some(), runs, "{}", rule.id);
    }
}

/// The checks of entries must be able to fail.
#[test]
fn dangling_references_are_noticed() {
    let mut tree = Tree::default();
    let file = "core/src/history/lastwrite.rs";
    assert_eq!(tree.item(Item { file, text: "pub fn lastwrite" }), None);
    assert!(tree.item(Item { file, text: "pub fn lastwrit" }).is_some());
    assert!(tree.item(Item { file: "core/src/nowhere.rs", text: "x" }).is_some());
    assert_eq!(tree.test(Test { file, name: "the_history_of_equation_1" }), None);
    assert!(tree.test(Test { file, name: "nothing" }).is_some());
    assert!(tree.test(Test { file, name: "lastwrite" }).is_some());
    let blank = Rule { fires: &[], refutes: &[], ..babycuda_core::rules::THREAD_READ };
    assert_eq!(blanks(&blank).len(), 2);
}

#[test]
fn ids_are_unique_and_found() {
    let ids: BTreeSet<&str> = ALL.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), ALL.len());
    assert!(ALL.iter().all(|rule| find(rule.id) == Some(rule)));
    assert_eq!(Judgment::ALL.iter().flat_map(|j| j.rules()).count(), ALL.len());
    assert_eq!(find("thread/nothing"), None);
}

#[test]
fn the_semantics_has_the_same_rules() {
    let theirs: BTreeSet<&str> = babycuda_semantics::Rule::ALL.iter().map(|r| r.id()).collect();
    let judgments = [Judgment::Thread, Judgment::Parallel, Judgment::Barrier, Judgment::Block];
    let ours: BTreeSet<&str> = judgments.iter().flat_map(|j| j.rules()).map(|r| r.id).collect();
    assert_eq!(theirs, ours);
    for rule in babycuda_semantics::Rule::ALL {
        assert_eq!(find(rule.id()).map(Rule::is_printed), Some(rule.is_paper()), "{rule}");
    }
}

#[test]
fn the_type_system_has_the_same_rules() {
    let theirs: BTreeSet<&str> = babycuda_typing::Rule::ALL.iter().map(|r| r.id()).collect();
    let ours: BTreeSet<&str> = Judgment::Type.rules().map(|r| r.id).collect();
    assert_eq!(theirs, ours);
    for rule in babycuda_typing::Rule::ALL {
        let entry = find(rule.id()).expect("the ids are the same");
        assert_eq!(entry.premises, rule.premises(), "{rule}");
        assert_eq!(entry.conclusion, rule.conclusion(), "{rule}");
        assert_eq!(entry.is_printed(), rule.is_paper(), "{rule}");
    }
}

#[test]
fn rules_print_as_inference_rules() {
    let rule = find("type/t-seq").expect("is a rule");
    assert_eq!(
        rule.statement(),
        "V ⊢ b1 ▶ u1    V ⊢ b2 ▶ u2\n\
         -------------------------- type/t-seq\n\
         \u{20}  V ⊢ b1; b2 ▶ u1; u2"
    );
}
