//! Every typing rule fires, and every premise of it is refuted: once by inference, which rejects
//! the program there, and once by the checker, which rejects a derivation that lacks it.

mod checker;

use babycuda_core::parse::{parse_program, parse_stmt};
use babycuda_core::syntax::Tree;
use babycuda_core::{Name, Protocol, Site, Stmt};
use babycuda_typing::{
    Context, Defect, Derivation, Judgment, Place, Rejection, Rule, TypeEvidence, Typed,
    check_derivation, check_type, infer_relative, type_program, type_relative,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The type where the array `I` is a read-only input.
fn inferred(vars: &[&str], text: &str) -> Result<Typed, Rejection> {
    let inputs = BTreeSet::from([Name::new("I")]);
    infer_relative(&vars.iter().copied().collect(), &inputs, &parse_stmt(text).unwrap())
}

fn typed(vars: &[&str], text: &str) -> Typed {
    let typed = inferred(vars, text).unwrap();
    assert_eq!(check_derivation(&typed.derivation), Ok(()));
    typed
}

#[track_caller]
fn assert_type(text: &str, rule: Rule, protocol: &str) {
    let typed = typed(&["tid"], text);
    assert_eq!(typed.derivation.rule, rule);
    assert_eq!(typed.protocol.to_string(), protocol);
}

/// Which premise of which rule fails, where in the statement, which statement, and the message.
type Rejects<'a> = (Rule, usize, Place, u32, &'a str);

#[track_caller]
fn assert_rejected(text: &str, (rule, premise, place, site, message): Rejects<'_>) {
    let rejection = inferred(&["tid"], text).unwrap_err();
    let found = (rejection.rule, rejection.premise, rejection.place, rejection.site);
    assert_eq!(found, (rule, premise, place, Site(site)), "{text}");
    assert!(!rejection.premise_text().is_empty());
    let name = rule.entry().name();
    assert_eq!(rejection.to_string(), format!("{name}, premise {premise}: {message}"));
}

/// The first node in pre-order that uses `rule`.
fn find(node: &mut Derivation, rule: Rule) -> Option<&mut Derivation> {
    if node.rule == rule {
        return Some(node);
    }
    node.premises.iter_mut().find_map(|p| find(p, rule))
}

/// Checks that the checker rejects the derivation of `text` after `damage` to its first node of
/// `rule`.
#[track_caller]
fn assert_damage(
    text: &str,
    rule: Rule,
    damage: impl FnOnce(&mut Derivation),
    premise: Option<usize>,
    defect: &Defect,
) {
    let mut derivation = typed(&["tid"], text).derivation;
    damage(find(&mut derivation, rule).unwrap());
    let rejected = check_derivation(&derivation).unwrap_err();
    assert_eq!((rejected.rule, rejected.premise), (rule, premise));
    assert_eq!(&rejected.defect, defect);
}

/// Replaces `V` in the conclusion.
fn in_context(node: &mut Derivation, vars: &[&str]) {
    let (Judgment::Num { context, .. }
    | Judgment::Bool { context, .. }
    | Judgment::Program { context, .. }) = &mut node.conclusion;
    *context = vars.iter().copied().collect();
}

#[test]
fn type_rules_fire() {
    use Rule::{Atomic, B, For, ForS, If, N, Read, ReadInput, Seq, Skip, Sync, Write};
    let cases = [
        (Write, "A[tid] := tid + 1", "wr[tid]"),
        // The payload may be data.
        (Read, "let x = A[tid] in A[tid] := x", "rd[tid]; wr[tid]"),
        (Read, "let x = A[tid] in skip", "rd[tid]; skip"),
        // What the host stored is no data.
        (ReadInput, "let x = I[tid] in A[x] := x", "rd I[tid]; let x = input I[tid] in wr[x]"),
        (Seq, "A[tid] := 0; A[0] := 1", "wr[tid]; wr[0]"),
        (If, "if tid == 0 { A[0] := tid } else { skip }", "if tid == 0 { wr[0] } else { skip }"),
        (For, "forU x in 0..tid { A[x] := 1 }", "forU x in 0..tid { wr[x] }"),
        (Skip, "skip", "skip"),
        (Seq, "A[tid] := 0; sync; A[0] := 1", "wr[tid]; sync; wr[0]"),
        (Sync, "sync", "sync"),
        (ForS, "forS x in 0..4 { A[x] := 1; sync }", "forS x in 0..4 { wr[x]; sync }"),
        (Atomic, "let x = atomic A[tid] add 1 in A[0] := x", "at[tid]; wr[0]"),
    ];
    let mut fired = BTreeSet::new();
    for (rule, text, protocol) in cases {
        assert_type(text, rule, protocol);
        fired.insert(rule);
    }
    for (rule, text, shown) in [
        (N, "A[tid + 1] := 0", "{tid} ⊢ tid + 1"),
        (B, "if tid == 0 { skip } else { skip }", "{tid} ⊢ tid == 0"),
    ] {
        let premise = typed(&["tid"], text).derivation.premises[0].clone();
        assert_eq!((premise.rule, premise.conclusion.to_string().as_str()), (rule, shown));
        fired.insert(rule);
    }
    assert_eq!(fired, Rule::ALL.into());
}

#[test]
fn type_premises_are_refuted() {
    use Place::{Binder, Guard, Index, LowerBound, UpperBound};
    use Rule::{Atomic, B, For, ForS, If, N, Read, ReadInput, Seq, Write};
    let y_is_free = "index mentions y, which nothing binds";
    let z_is_free = "index mentions z, which nothing binds";
    let x_is_data = "index mentions x, which is data: read from A at #0";
    let low_is_data = "lower bound mentions x, which is data: read from A at #0";
    let high_is_data = "upper bound mentions x, which is data: read from A at #0";
    let tid_is_bound = "binder tid is already a variable of the context";
    let x_is_bound = "binder x is already bound by the loop at #0";
    // The premise, a program that fails it, and what is said of that.
    let cases = [
        ((Write, 1), "let x = A[tid] in A[x] := 9", (Write, 1, Index, 1, x_is_data)),
        ((Write, 1), "A[y] := 9", (Write, 1, Index, 0, y_is_free)),
        ((Read, 1), "let x = A[tid] in let y = A[x] in skip", (Read, 1, Index, 1, x_is_data)),
        // The variable is not in scope in its own index.
        (
            (Read, 1),
            "let x = A[x] in skip",
            (Read, 1, Index, 0, "index mentions x, which nothing binds"),
        ),
        ((Read, 2), "let tid = A[0] in skip", (Read, 2, Binder, 0, tid_is_bound)),
        ((Read, 2), "forU x in 0..4 { let x = A[x] in skip }", (Read, 2, Binder, 1, x_is_bound)),
        (
            (Read, 3),
            "let x = A[0] in if x == 0 { A[0] := 1 }",
            (If, 1, Guard, 1, "guard mentions x, which is data: read from A at #0"),
        ),
        (
            (ReadInput, 2),
            "let x = A[tid] in let y = I[x] in skip",
            (ReadInput, 2, Index, 1, x_is_data),
        ),
        ((ReadInput, 3), "let tid = I[0] in skip", (ReadInput, 3, Binder, 0, tid_is_bound)),
        (
            (ReadInput, 3),
            "let x = I[0] in let x = I[x] in skip",
            (ReadInput, 3, Binder, 1, "binder x is already a variable of the context"),
        ),
        ((ReadInput, 4), "let x = I[0] in A[x + y] := 0", (Write, 1, Index, 1, y_is_free)),
        ((Seq, 1), "A[y] := 0; A[z] := 0", (Write, 1, Index, 0, y_is_free)),
        ((Seq, 2), "A[tid] := 0; A[z] := 0", (Write, 1, Index, 1, z_is_free)),
        ((If, 1), "if y < 1 { skip }", (If, 1, Guard, 0, "guard mentions y, which nothing binds")),
        ((If, 2), "if tid == 0 { A[y] := 0 } else { skip }", (Write, 1, Index, 1, y_is_free)),
        ((If, 3), "if tid == 0 { A[0] := 0 } else { A[y] := 0 }", (Write, 1, Index, 2, y_is_free)),
        ((For, 1), "let x = A[0] in forU y in x..4 { skip }", (For, 1, LowerBound, 1, low_is_data)),
        (
            (For, 2),
            "let x = A[0] in forU y in 0..x { skip }",
            (For, 2, UpperBound, 1, high_is_data),
        ),
        ((For, 3), "forU x in 0..4 { forU x in 0..4 { skip } }", (For, 3, Binder, 1, x_is_bound)),
        ((For, 4), "forU x in 0..4 { A[x + y] := 1 }", (Write, 1, Index, 1, y_is_free)),
        // Outside its loop, a counter is no variable of V.
        (
            (For, 4),
            "forU x in 0..4 { A[x] := 1 }; A[x] := 1",
            (Write, 1, Index, 2, "index mentions x, which nothing binds"),
        ),
        (
            (ForS, 1),
            "let x = A[0] in forS y in x..4 { sync }",
            (ForS, 1, LowerBound, 1, low_is_data),
        ),
        (
            (ForS, 2),
            "let x = A[0] in forS y in 0..x { sync }",
            (ForS, 2, UpperBound, 1, high_is_data),
        ),
        ((ForS, 3), "forS tid in 0..4 { sync }", (ForS, 3, Binder, 0, tid_is_bound)),
        ((ForS, 4), "forS y in 0..4 { sync; A[z] := 1 }", (Write, 1, Index, 2, z_is_free)),
        (
            (Atomic, 1),
            "let x = A[0] in let y = atomic A[x] add 1 in skip",
            (Atomic, 1, Index, 1, x_is_data),
        ),
        ((Atomic, 2), "let tid = atomic A[0] add 1 in skip", (Atomic, 2, Binder, 0, tid_is_bound)),
        (
            (Atomic, 3),
            "let x = atomic A[0] add 1 in A[x] := 1",
            (Write, 1, Index, 1, "index mentions x, which is data: updated atomically in A at #0"),
        ),
    ];
    let mut covered = BTreeSet::new();
    for (premise, text, rejects) in cases {
        assert_rejected(text, rejects);
        covered.insert(premise);
    }
    // Inference makes no such derivation, but the checker may be shown one.
    for (rule, text) in [(N, "A[tid] := 1"), (B, "if tid == 0 { skip }")] {
        let mut node = typed(&["tid"], text).derivation.premises[0].clone();
        in_context(&mut node, &["M"]);
        let rejected = check_derivation(&node).unwrap_err();
        assert_eq!((rejected.rule, rejected.premise), (rule, Some(1)));
        assert_eq!(rejected.defect, Defect::NotInContext(Name::new("tid")));
        let message = format!("node /, rule {rule}, premise 1: tid is not in V");
        assert_eq!(rejected.to_string(), message);
        covered.insert((rule, 1));
    }
    // Whether an array is an input is for the program to say.
    for (text, defect) in [
        ("global I: u32 = any; global A; let x = I[tid] in A[x] := 1", None),
        ("shared I: u32 = any; global A; let x = I[tid] in A[x] := 1", Some("I")),
        ("global I; global A; let x = I[tid] in A[x] := 1", Some("I")),
        ("global I: u32 = any; let x = I[tid] in I[x] := 1", None),
    ] {
        let program = parse_program(text).unwrap().without_sources();
        let (context, inputs) = (Context::of_program(&program), BTreeSet::from([Name::new("I")]));
        let Ok(Typed { derivation, .. }) = infer_relative(&context, &inputs, &program.body) else {
            // What it writes is no input, whoever says so.
            assert!(program.body.written().contains(&Name::new("I")), "{text}");
            continue;
        };
        let checked = check_type(&TypeEvidence { program, derivation });
        let found = checked.err().map(|r| (r.rule, r.premise, r.defect));
        let expected = defect.map(|a| (ReadInput, Some(1), Defect::NotInput(Name::new(a))));
        assert_eq!(found, expected, "{text}");
    }
    covered.insert((ReadInput, 1));
    let premises = |rule: Rule| (1..=rule.entry().premises.len()).map(move |n| (rule, n));
    assert_eq!(covered, Rule::ALL.into_iter().flat_map(premises).collect());
}

#[test]
fn a_loop_may_reuse_the_name_of_a_let() {
    let text = "let x = A[tid] in forU x in 0..2 { A[x] := 1 }";
    assert_type(text, Rule::Read, "rd[tid]; forU x in 0..2 { wr[x] }");
    // Behind the loop, the name is the let's again.
    let text = "let x = A[tid] in { forU x in 0..2 { A[x] := 1 }; A[x] := 2 }";
    let message = "index mentions x, which is data: read from A at #0";
    assert_rejected(text, (Rule::Write, 1, Place::Index, 3, message));
}

#[test]
fn a_let_may_reuse_the_name_of_a_let() {
    let text = "let x = A[tid] in let x = B[tid] in A[tid] := x";
    assert_type(text, Rule::Read, "rd[tid]; rd B[tid]; wr[tid]");
    let text = "let x = A[tid] in let x = B[tid] in A[x] := 0";
    let message = "index mentions x, which is data: read from B at #1";
    assert_rejected(text, (Rule::Write, 1, Place::Index, 2, message));
}

#[test]
fn the_paper_suffices_exactly_without_extensions() {
    let paper = |text| typed(&["tid"], text).is_paper_fragment();
    assert!(paper("let x = A[tid] in forU y in 0..2 { A[y] := x }"));
    assert!(!paper("sync"));
    assert!(!paper("forS x in 0..2 { skip }"));
    assert!(!paper("let x = atomic A[0] add 1 in skip"));
    assert!(!paper("A[0] := 1; B[0] := 1"));
    assert!(!paper("A[add.u32(tid, 1)] := 1"));
    assert!(!paper("A[0] := add.u32(tid, 1)"));
}

/// One program whose derivation uses every rule.
const EVERY_RULE: &str = "forS x in 0..2 { if tid == x { let y = A[tid] in A[x] := y } else { skip }; \
     sync; forU z in 0..2 { let w = atomic A[z] add 1 in let v = I[z] in A[v] := 1 } }";

#[test]
fn every_rule_is_used_and_checked() {
    let derivation = typed(&["tid"], EVERY_RULE).derivation;
    for rule in Rule::ALL {
        assert!(derivation.nodes().any(|(_, n)| n.rule == rule), "{rule}");
    }
    let json = serde_json::to_string(&derivation).unwrap();
    let back: Derivation = serde_json::from_str(&json).unwrap();
    assert_eq!(back, derivation);
}

/// Inputs are asked for only where there is no type without.
#[test]
fn a_type_is_relative_where_it_has_to_be() {
    let inputs = "global I: u32 = any; global A: u32;";
    let typed = |body: &str| type_relative(&parse_program(&format!("{inputs} {body}")).unwrap());
    let relative = |body: &str| typed(body).map(|t| t.is_relative());
    assert_eq!(relative("let x = I[tid] in A[tid] := x"), Ok(false));
    assert_eq!(relative("let x = I[tid] in A[x] := 1"), Ok(true));
    // Binders need not be apart where a type without inputs is found.
    assert_eq!(relative("let x = I[0] in let x = I[0] in A[tid] := x"), Ok(false));
    let rejected = |body: &str| typed(body).unwrap_err().to_string();
    let both = "let x = I[tid] in let y = A[x] in A[y] := 1";
    assert_eq!(
        rejected(both),
        "t-write, premise 1: index mentions y, which is data: read from A at #1"
    );
    let twice = "let x = I[0] in let x = I[x] in A[x] := 1";
    assert_eq!(
        rejected(twice),
        "t-read, premise 1: index mentions x, which is data: read from I at #0"
    );
    let plain = parse_program(&format!("{inputs} let x = I[tid] in A[x] := 1")).unwrap();
    assert!(type_program(&plain).is_err());
}
