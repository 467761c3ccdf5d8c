//! The rule ledger against the source tree and against the crates: nothing blank, nothing
//! dangling, nothing that only one of them knows.

mod map;
mod mechanization;
mod page;
mod semantics;
mod theorems;
mod tree;

use babycuda_core::rules::{
    Item, Judgment, MapRule, Rule, SemanticsRule, Test, TypingRule, all, chooses, find,
};
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
    let needed = rule.premises.iter().filter(|premise| !chooses(premise)).count();
    if needed > 0 && ![1, needed].contains(&rule.refutes.len()) {
        blanks.push("the refutations are not one for each premise, or one for all");
    }
    blanks
}

#[test]
fn no_entry_is_blank_or_dangling() {
    let mut tree = Tree::default();
    let mut wrong = Vec::new();
    for rule in all() {
        let items = [Some(rule.rust), rule.lowering];
        let mut found: Vec<String> = blanks(rule).into_iter().map(String::from).collect();
        found.extend(items.into_iter().flatten().filter_map(|item| tree.item(item)));
        found.extend(rule.fires.iter().chain(rule.refutes).filter_map(|test| tree.test(*test)));
        wrong.extend(found.into_iter().map(|what| format!("{}: {what}", rule.id)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rules by which programs run say what lowers them to a device, and no others do.
#[test]
fn rules_of_runs_are_lowered() {
    for rule in all() {
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
    let tests = "core/src/history/lastwrite/tests.rs";
    assert_eq!(tree.test(Test { file: tests, name: "the_history_of_equation_1" }), None);
    assert!(tree.test(Test { file: tests, name: "nothing" }).is_some());
    assert!(tree.test(Test { file, name: "lastwrite" }).is_some());
    let blank = Rule { fires: &[], refutes: &[], ..*SemanticsRule::ThreadRead.entry() };
    assert_eq!(blanks(&blank).len(), 2);
}

#[test]
fn ids_are_unique_and_found() {
    let ids: BTreeSet<&str> = all().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), all().count());
    assert!(all().all(|rule| find(rule.id) == Some(rule)));
    assert_eq!(Judgment::ALL.iter().flat_map(|j| j.rules()).count(), all().count());
    assert_eq!(find("thread/nothing"), None);
}

/// An enum of rules and the ledger: entries and variants stand in one order.
#[test]
fn the_rules_of_derivations_are_entries() {
    macro_rules! assert_entries {
        ($rules:ty, $($judgment:ident),*) => {
            let judgments = [$(Judgment::$judgment),*];
            let entries = judgments.iter().flat_map(|judgment| judgment.rules());
            assert!(entries.eq(<$rules>::ALL.iter().map(|rule| rule.entry())));
            for rule in <$rules>::ALL {
                assert_eq!(serde_json::to_value(rule).ok(), Some(rule.id().into()));
                assert_eq!(serde_json::from_value(rule.id().into()).ok(), Some(rule));
            }
        };
    }
    assert_entries!(SemanticsRule, Thread, Parallel, Barrier, Block);
    assert_entries!(TypingRule, Type);
    assert_entries!(MapRule, Map);
    let (first, last) = (SemanticsRule::ThreadRead, SemanticsRule::BlockDiverges);
    assert_eq!((first.id(), last.id()), ("thread/read", "block/diverges"));
    assert!(serde_json::from_value::<SemanticsRule>("thread/none".into()).is_err());
}

#[test]
fn rules_print_as_inference_rules() {
    let rule = find("type/t-seq").expect("is a rule");
    assert_eq!(
        rule.to_string(),
        "V ⊢ b1 ▶ u1    V ⊢ b2 ▶ u2\n\
         -------------------------- type/t-seq\n\
         \u{20}  V ⊢ b1; b2 ▶ u1; u2"
    );
}
