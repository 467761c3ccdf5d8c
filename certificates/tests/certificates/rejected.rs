//! Certificates of derivations that a mutation broke: Coq rejects each, in the lemma of the node
//! that is wrong, for a reason of types. What was mutated is accepted.

use crate::accepted::{Named, accept};
use crate::broken_runs::runs;
use crate::broken_types::types;
use crate::coq::{check, theory};
use babycuda_certificates::Certificate;
use std::path::Path;

/// A broken derivation: its name, the rule of the node that is wrong, and its certificate.
pub struct Broken {
    pub name: &'static str,
    pub rule: &'static str,
    pub certificate: Certificate,
    /// The certificate of what was mutated.
    pub original: Certificate,
}

/// The lemma that the line is in: the rule that the comment in front of it names.
fn rule_at(certificate: &str, line: usize) -> Option<&str> {
    let before = certificate.lines().take(line).collect::<Vec<_>>();
    let comment = before.iter().rev().find(|line| line.starts_with("(* "))?;
    comment.strip_prefix("(* ")?.strip_suffix(" *)")
}

fn reject(theory: &Path, number: usize, broken: &Broken) {
    let Broken { name, rule, certificate, .. } = broken;
    let certificate = certificate.to_string();
    let answer = check(theory, &format!("rejected{number}"), &certificate);
    assert!(!answer.accepted, "{name}: accepted\n{certificate}");
    let is_of_types = answer.error.contains("while it is expected to have type");
    assert!(is_of_types, "{name}: {}", answer.error);
    let found = rule_at(&certificate, answer.line);
    assert_eq!(found, Some(*rule), "{name}: {}", answer.error);
    println!("{name}: rejected at {rule}, line {}", answer.line);
}

#[test]
fn of_derivations_that_a_mutation_broke() {
    let Some(theory) = theory() else { return };
    let broken: Vec<Broken> = runs().into_iter().chain(types()).collect();
    let mut originals: Vec<Named> = Vec::new();
    for Broken { name, original, .. } in &broken {
        if originals.iter().all(|(_, other)| other != original) {
            originals.push((format!("what was mutated for {name}"), original.clone()));
        }
    }
    accept(theory, "originals", &originals);
    for (number, broken) in broken.iter().enumerate() {
        reject(theory, number, broken);
    }
    assert!(broken.len() >= 25, "{}", broken.len());
}
