//! The ledger against `proofs/coq`: each rule is there or says why not, and each constructor of a
//! judgment there is of some rule.

use crate::tree::Tree;
use babycuda_core::rules::{Constructor, Coq, Rule, Source, all};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Relations of the mechanization that are no judgment of the ledger, and what they are.
const NOT_IN_THE_LEDGER: [(&str, &str); 19] = [
    (
        "sync_run",
        "the stratified language, which run-to-barrier contains: stratified_programs_agree",
    ),
    (
        "typed_s",
        "the types of stratified programs, which are types with barriers anywhere, and not \
         conversely: typed_s_typed, thread_dependent_bounds",
    ),
    ("sync_phases", "the phases of stratified protocols, for T4 and T7"),
    ("all_q_to_barrier", "all threads of a protocol to their next barrier, one after the other"),
    ("q_block_run", "a block of a protocol: as block_run, without data"),
    ("q_reads", "the cells that a protocol reads in some phase, for T3"),
    ("block_reads_undefined", "the same for a block"),
    ("kstep", "a step of an interleaving; its rules are documented in babycuda_semantics"),
    ("waits", "a thread of an interleaving that waits at a barrier"),
    ("thread_step", "a step of a thread of an interleaving, with memory and trace"),
    ("config_step", "a step of an interleaving"),
    ("instance", "an instance of a parametrised phase, for T7"),
    ("reads_undefined", "the way to the read of ⊥ in T3"),
    ("runs", "a run by groups, to the end of every thread, for T12"),
    ("group_runs", "a block of a protocol by groups, to its end, for T12"),
    ("events", "the same by the syntax of the protocol"),
    ("alike", "two threads that meet the same barriers from a scope on, for T12"),
    ("q_trace", "the trace of a thread of a protocol, for T12"),
    ("solo", "steps of one thread of an interleaving, one after the other"),
];

/// Constructors that only embed one judgment in another, or go through a list of threads.
const GLUE: [(&str, &str); 4] = [
    // Of rule barrier/block, which is a theorem there.
    ("to_barrier", "b_write"),
    ("to_barrier", "b_skip"),
    ("all_to_barrier", "to_barrier_nil"),
    ("all_to_barrier", "to_barrier_cons"),
];

/// The inductive relations of the mechanization: the file, and the constructors, of each.
fn relations() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = fs::read_dir(root.join("proofs/coq")).expect("proofs/coq");
    let mut relations = BTreeMap::new();
    for path in folder.flatten().map(|entry| entry.path()) {
        if path.extension().is_none_or(|e| e != "v") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("readable");
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let relations_of_file = inductives(&text).into_iter();
        relations.extend(
            relations_of_file
                .map(|(name, constructors)| (name, (format!("proofs/coq/{file}"), constructors))),
        );
    }
    relations
}

/// The relations that a text declares: `Inductive name … -> Prop := | constructor : …`.
fn inductives(text: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut found = Vec::new();
    for (at, keyword) in text.match_indices("\nInductive ") {
        let rest = &text[at + keyword.len()..];
        // A sentence of Coq ends with a dot and white space.
        let sentence = rest.split_once(".\n").map_or(rest, |(sentence, _)| sentence);
        let Some((head, body)) = sentence.split_once(":=") else { continue };
        if !head.trim_end().ends_with("Prop") {
            continue;
        }
        let name = word(head);
        let constructors = body.split("\n| ").skip(1).map(word);
        found.push((name, constructors.collect()));
    }
    found
}

fn word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The constructors that a rule claims.
fn claims(rule: &Rule) -> &'static [Constructor] {
    match rule.coq {
        Coq::Constructors(constructors) => constructors,
        Coq::Definition(_) | Coq::NotMechanized(_) => &[],
    }
}

#[test]
fn every_rule_is_mechanized_or_an_extension() {
    let (relations, mut tree) = (relations(), Tree::default());
    let mut wrong = Vec::new();
    for rule in all() {
        let mut note = |what: String| wrong.push(format!("{}: {what}", rule.id));
        match rule.coq {
            Coq::Constructors([]) => note("claims no constructor".to_owned()),
            Coq::Constructors(constructors) => {
                for Constructor { file, relation, name } in constructors {
                    let found = relations.get(*relation);
                    if !found.is_some_and(|(f, names)| f == file && names.contains(*name)) {
                        note(format!("{file} has no constructor {name} of {relation}"));
                    }
                }
            }
            Coq::Definition(item) => {
                let text = tree.read(item.file).unwrap_or_default();
                if !text.contains(&format!("\nDefinition {} ", item.text)) {
                    note(format!("{} does not define {}", item.file, item.text));
                }
            }
            Coq::NotMechanized(reason) => {
                let ours = ["THEORY §4", "THEORY T12"].map(Source::Ours);
                if reason.is_empty() || !ours.contains(&rule.source) {
                    note("is no extension, and is not mechanized".to_owned());
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_constructor_of_a_judgment_is_of_a_rule() {
    let mut claimed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for constructor in all().flat_map(claims) {
        claimed.entry(constructor.relation).or_default().insert(constructor.name);
    }
    for (relation, name) in GLUE {
        let new = claimed.entry(relation).or_default().insert(name);
        assert!(new, "{relation}.{name} is of a rule");
    }
    let relations = relations();
    let declared: BTreeSet<&str> = relations.keys().map(String::as_str).collect();
    let others: BTreeSet<&str> = NOT_IN_THE_LEDGER.iter().map(|(relation, _)| *relation).collect();
    let named: BTreeSet<&str> = claimed.keys().copied().collect();
    assert!(named.is_disjoint(&others));
    assert_eq!(declared, named.union(&others).copied().collect());
    for (relation, names) in claimed {
        let (file, constructors) = &relations[relation];
        let constructors: BTreeSet<&str> = constructors.iter().map(String::as_str).collect();
        assert_eq!(constructors, names, "{relation} of {file}");
    }
}

/// The reading above must be able to fail.
#[test]
fn inductive_relations_are_read() {
    let text = "\nInductive even : N -> Prop :=\n| zero : even 0\n| two : forall n,\n    even n ->\n    \
                even (2 + n).\n\nInductive mode := rd | wr.\n";
    let constructors = ["two", "zero"].map(String::from).into();
    assert_eq!(inductives(text), [("even".to_owned(), constructors)]);
}
