//! The rule ledger against the source tree and against the crates: nothing blank, nothing
//! dangling, nothing that only one of them knows.

mod map;
mod mechanization;
mod page;
mod semantics;
mod theorems;
mod tree;

use babycuda_core::parse::{parse_program, parse_protocol};
use babycuda_core::rules::{
    GRAMMARS, Item, Judgment, MapRule, Rule, SemanticsRule, Test, TypingRule, all, chooses, find,
};
use std::collections::BTreeSet;
use std::mem::discriminant;
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
        let items = [Some(rule.rust), Some(rule.section), rule.lowering];
        let mut found: Vec<String> = blanks(rule).into_iter().map(String::from).collect();
        found.extend(items.into_iter().flatten().filter_map(|item| tree.item(item)));
        found.extend(rule.fires.iter().chain(rule.refutes).filter_map(|test| tree.test(*test)));
        wrong.extend(found.into_iter().map(|what| format!("{}: {what}", rule.id)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A section of the book is a heading, not some words of a page.
#[test]
fn sections_are_headings() {
    let mut tree = Tree::default();
    let grammars = GRAMMARS.into_iter().map(|grammar| grammar.section);
    for section in all().map(|rule| rule.section).chain(grammars) {
        let page = tree.read(section.file).unwrap_or_default();
        assert!(page.lines().any(|line| line == section.text), "{section:?}");
    }
}

/// Every production is one of the concrete syntax, of a statement of its own.
#[test]
fn grammars_are_those_of_the_parser() {
    for grammar in GRAMMARS {
        let mut kinds = BTreeSet::new();
        for line in grammar.productions.lines() {
            let production = line.split_once("::=").or_else(|| line.split_once('|'));
            let production = production.map_or("", |(_, production)| production.trim_start());
            let production = production.split("  ").next().unwrap_or_default();
            let words = production.split_inclusive(|c: char| !c.is_alphanumeric());
            let text: String = words.map(instance).collect();
            let kind = match grammar.name {
                "programs" => parse_program(&text).map(|p| format!("{:?}", discriminant(&p.body))),
                _ => parse_protocol(&text).map(|p| format!("{:?}", discriminant(&p))),
            };
            kinds.insert(kind.unwrap_or_else(|e| panic!("{text}: {e}")) + &sort(&text));
        }
        // The sequence, the conditional and `b` itself, with barriers, have the kinds of those without.
        let more = if grammar.name == "programs" { 3 } else { 0 };
        assert_eq!(kinds.len() + more, grammar.productions.lines().count(), "{kinds:?}");
    }
}

/// A word of a production, with something for what its letter stands for.
fn instance(word: &str) -> String {
    let letter = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let of_it = match letter {
        "b" | "k" | "u" => "skip",
        "n" => "1",
        "m" => "2",
        "c" => "true",
        other => other,
    };
    of_it.to_owned() + &word[letter.len()..]
}

/// What the kind of a statement does not tell: sorts of loops, modes of accesses.
fn sort(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphabetic()).collect()
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
