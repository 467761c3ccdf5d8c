//! Typing derivations that a mutation broke.

use crate::edit::{every_type, first_type};
use crate::programs::parse;
use crate::rejected::Broken;
use babycuda_certificates::of_type;
use babycuda_core::{AccessMode, Protocol};
use babycuda_typing::{Context, Derivation, Judgment, Rule, check_derivation, infer};
use std::sync::Arc;

/// The conclusion's `V`, changed.
fn change_context(node: &mut Derivation, change: impl Fn(&Context) -> Context) {
    match &mut node.conclusion {
        Judgment::Num { context, .. }
        | Judgment::Bool { context, .. }
        | Judgment::Program { context, .. } => *context = change(context),
    }
}

fn without(context: &Context, variable: &str) -> Context {
    context.iter().filter(|x| x.as_str() != variable).cloned().collect()
}

type Mutation = fn(&Derivation) -> Derivation;

fn drop_x(original: &Derivation) -> Derivation {
    every_type(original, &|node| change_context(node, |context| without(context, "x")))
}

fn add_y(original: &Derivation) -> Derivation {
    every_type(original, &|node| change_context(node, |context| context.with("y".into())))
}

/// What a typing derivation may get wrong: its name, a program and its `V`, the rule of the node
/// that is wrong, and the mutation.
const TYPES: [(&str, &str, &[&str], Rule, Mutation); 9] = [
    ("an index that is not in V", "A[x] := 9", &["tid", "x"], Rule::Write, drop_x),
    (
        "a guard that is not in V",
        "if x == 0 { skip } else { skip }",
        &["tid", "x"],
        Rule::If,
        drop_x,
    ),
    (
        "a loop whose variable does not join V",
        "forU x in 0..2 { A[tid] := x }",
        &["tid"],
        Rule::For,
        drop_x,
    ),
    ("a read that binds a variable of V", "let y = A[tid] in skip", &["tid"], Rule::Read, add_y),
    (
        "a variable of data that joins V",
        "let y = A[tid] in A[tid] := y",
        &["tid"],
        Rule::Read,
        |original| first_type(original, Rule::Write, |node| *node = add_y(node)),
    ),
    ("a write that is typed as a read", "A[tid] := 1", &["tid"], Rule::Write, |original| {
        first_type(original, Rule::Write, |node| {
            let Judgment::Program { protocol, .. } = &mut node.conclusion else { panic!() };
            let Protocol::Access { mode, .. } = Arc::make_mut(protocol) else { panic!() };
            *mode = AccessMode::Rd;
        })
    }),
    ("a barrier that is typed as another one", "sync", &["tid"], Rule::Sync, |original| {
        first_type(original, Rule::Sync, |node| {
            let Judgment::Program { protocol, .. } = &mut node.conclusion else { panic!() };
            let Protocol::Sync { site, .. } = Arc::make_mut(protocol) else { panic!() };
            site.0 += 1;
        })
    }),
    (
        "a sequence typed in the wrong order",
        "A[tid] := 1; A[0] := 2",
        &["tid"],
        Rule::Seq,
        |original| first_type(original, Rule::Seq, |node| node.premises.reverse()),
    ),
    (
        "a branch without its type",
        "if tid == 0 { A[0] := 2 } else { skip }",
        &["tid"],
        Rule::If,
        |original| first_type(original, Rule::If, |node| node.premises.truncate(2)),
    ),
];

pub fn types() -> Vec<Broken> {
    let broken = TYPES.iter().map(|(name, text, variables, rule, mutate)| {
        let context = variables.iter().copied().collect();
        let original = infer(&context, &parse(text).body);
        let original = original.unwrap_or_else(|e| panic!("{name}: {e:?}")).derivation;
        let mutant = mutate(&original);
        assert!(check_derivation(&mutant).is_err(), "{name}");
        let certificate = |d| of_type(d).unwrap_or_else(|e| panic!("{name}: {e}"));
        Broken {
            name,
            rule: rule.id(),
            certificate: certificate(&mutant),
            original: certificate(&original),
        }
    });
    broken.collect()
}
