//! Every typing rule fires, and every premise of it is refuted: once by inference, which rejects
//! the program there, and once by the checker, which rejects a derivation that lacks it.

use babycuda_core::parse::parse_stmt;
use babycuda_core::{Name, Site};
use babycuda_typing::{
    Cause, Defect, Derivation, Judgment, Place, Rejection, Rule, Typed, check_derivation, infer,
};

fn typed(vars: &[&str], text: &str) -> Typed {
    let program = parse_stmt(text).unwrap();
    let typed = infer(&vars.iter().copied().collect(), &program).unwrap();
    assert_eq!(check_derivation(&typed.derivation), Ok(()));
    typed
}

fn rejected(vars: &[&str], text: &str) -> Rejection {
    infer(&vars.iter().copied().collect(), &parse_stmt(text).unwrap()).unwrap_err()
}

#[track_caller]
fn assert_type(text: &str, rule: Rule, protocol: &str) {
    let typed = typed(&["tid"], text);
    assert_eq!(typed.derivation.rule, rule);
    assert_eq!(typed.protocol.to_string(), protocol);
}

#[track_caller]
fn assert_rejected(text: &str, rule: Rule, premise: usize, place: Place, message: &str) {
    let rejection = rejected(&["tid"], text);
    assert_eq!((rejection.rule, rejection.premise, rejection.place), (rule, premise, place));
    assert!(!rejection.premise_text().is_empty());
    assert_eq!(rejection.to_string(), format!("{}, premise {premise}: {message}", rule.name()));
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

const X_IS_DATA: &str = "x, which is data: read from A at #0";

#[test]
fn t_n_fires() {
    let typed = typed(&["tid"], "A[tid + 1] := 0");
    assert_eq!(typed.derivation.premises[0].rule, Rule::N);
    assert_eq!(typed.derivation.premises[0].to_string(), "t-n  {tid} ⊢ tid + 1\n");
}

#[test]
fn t_n_premise_1_is_refuted() {
    let mut n = typed(&["tid"], "A[tid] := 1").derivation.premises[0].clone();
    in_context(&mut n, &["M"]);
    let rejected = check_derivation(&n).unwrap_err();
    assert_eq!((rejected.rule, rejected.premise), (Rule::N, Some(1)));
    assert_eq!(rejected.defect, Defect::NotInContext(Name::new("tid")));
    assert_eq!(rejected.to_string(), "node /: t-n, premise 1: tid is not in V");
}

#[test]
fn t_b_premise_1_is_refuted() {
    let mut c = typed(&["tid"], "if tid == 0 { skip }").derivation.premises[0].clone();
    in_context(&mut c, &[]);
    let rejected = check_derivation(&c).unwrap_err();
    assert_eq!((rejected.rule, rejected.premise), (Rule::B, Some(1)));
    assert_eq!(rejected.defect, Defect::NotInContext(Name::new("tid")));
}

#[test]
fn t_b_fires() {
    let typed = typed(&["tid"], "if tid == 0 { skip } else { skip }");
    assert_eq!(typed.derivation.premises[0].to_string(), "t-b  {tid} ⊢ tid == 0\n");
}

#[test]
fn t_write_fires() {
    assert_type("A[tid] := tid + 1", Rule::Write, "wr[tid]");
}

#[test]
fn t_write_ignores_the_payload() {
    assert_type("let x = A[tid] in A[tid] := x", Rule::Read, "rd[tid]; wr[tid]");
}

#[test]
fn t_write_premise_1_is_refuted() {
    let text = "let x = A[tid] in A[x] := 9";
    assert_rejected(text, Rule::Write, 1, Place::Index, &format!("index mentions {X_IS_DATA}"));
    assert_rejected(
        "A[y] := 9",
        Rule::Write,
        1,
        Place::Index,
        "index mentions y, which nothing binds",
    );
}

#[test]
fn t_read_fires() {
    assert_type("let x = A[tid] in skip", Rule::Read, "rd[tid]; skip");
}

#[test]
fn t_read_premise_1_is_refuted() {
    let text = "let x = A[tid] in let y = A[x] in skip";
    assert_rejected(text, Rule::Read, 1, Place::Index, &format!("index mentions {X_IS_DATA}"));
    // The variable is not in scope in its own index.
    let text = "let x = A[x] in skip";
    assert_rejected(text, Rule::Read, 1, Place::Index, "index mentions x, which nothing binds");
}

#[test]
fn t_read_premise_2_is_refuted() {
    let text = "let tid = A[0] in skip";
    assert_rejected(
        text,
        Rule::Read,
        2,
        Place::Binder,
        "binder tid is already a variable of the context",
    );
    let text = "forU x in 0..4 { let x = A[x] in skip }";
    assert_rejected(
        text,
        Rule::Read,
        2,
        Place::Binder,
        "binder x is already bound by the loop at #0",
    );
}

#[test]
fn t_read_premise_3_is_refuted() {
    assert_rejected(
        "let x = A[0] in if x == 0 { A[0] := 1 }",
        Rule::If,
        1,
        Place::Guard,
        &format!("guard mentions {X_IS_DATA}"),
    );
}

#[test]
fn t_seq_fires() {
    assert_type("A[tid] := 0; A[0] := 1", Rule::Seq, "wr[tid]; wr[0]");
}

#[test]
fn t_seq_premise_1_is_refuted() {
    let r = rejected(&["tid"], "A[y] := 0; A[z] := 0");
    assert_eq!((r.variable, r.site), (Name::new("y"), Site(0)));
}

#[test]
fn t_seq_premise_2_is_refuted() {
    let r = rejected(&["tid"], "A[tid] := 0; A[z] := 0");
    assert_eq!((r.variable, r.site), (Name::new("z"), Site(1)));
}

#[test]
fn t_if_fires() {
    assert_type(
        "if tid == 0 { A[0] := tid } else { skip }",
        Rule::If,
        "if tid == 0 { wr[0] } else { skip }",
    );
}

#[test]
fn t_if_premise_1_is_refuted() {
    assert_rejected(
        "if y < 1 { skip }",
        Rule::If,
        1,
        Place::Guard,
        "guard mentions y, which nothing binds",
    );
}

#[test]
fn t_if_premises_2_and_3_are_refuted() {
    let r = rejected(&["tid"], "if tid == 0 { A[y] := 0 } else { skip }");
    assert_eq!((r.rule, r.site), (Rule::Write, Site(1)));
    let r = rejected(&["tid"], "if tid == 0 { A[0] := 0 } else { A[y] := 0 }");
    assert_eq!((r.rule, r.site), (Rule::Write, Site(2)));
}

#[test]
fn t_for_fires() {
    assert_type("forU x in 0..tid { A[x] := 1 }", Rule::For, "forU x in 0..tid { wr[x] }");
}

#[test]
fn t_for_premises_1_and_2_are_refuted() {
    let text = "let x = A[0] in forU y in x..4 { skip }";
    assert_rejected(
        text,
        Rule::For,
        1,
        Place::LowerBound,
        &format!("lower bound mentions {X_IS_DATA}"),
    );
    let text = "let x = A[0] in forU y in 0..x { skip }";
    assert_rejected(
        text,
        Rule::For,
        2,
        Place::UpperBound,
        &format!("upper bound mentions {X_IS_DATA}"),
    );
}

#[test]
fn t_for_premise_3_is_refuted() {
    let text = "forU x in 0..4 { forU x in 0..4 { skip } }";
    assert_rejected(
        text,
        Rule::For,
        3,
        Place::Binder,
        "binder x is already bound by the loop at #0",
    );
}

#[test]
fn t_for_premise_4_is_refuted() {
    // Outside its loop, a counter is no variable of V.
    let r = rejected(&["tid"], "forU x in 0..4 { A[x] := 1 }; A[x] := 1");
    assert_eq!((r.rule, r.site, &r.cause), (Rule::Write, Site(2), &Cause::Unbound));
    let r = rejected(&["tid"], "forU x in 0..4 { A[x + y] := 1 }");
    assert_eq!((r.rule, r.variable), (Rule::Write, Name::new("y")));
}

#[test]
fn t_skip_fires() {
    assert_type("skip", Rule::Skip, "skip");
}

#[test]
fn t_sync_fires() {
    assert_type("A[tid] := 0; sync; A[0] := 1", Rule::Seq, "wr[tid]; sync; wr[0]");
    assert_type("sync", Rule::Sync, "sync");
}

#[test]
fn t_for_s_fires() {
    assert_type("forS x in 0..4 { A[x] := 1; sync }", Rule::ForS, "forS x in 0..4 { wr[x]; sync }");
}

#[test]
fn t_for_s_premises_are_refuted() {
    let text = "let x = A[0] in forS y in x..4 { sync }";
    assert_rejected(
        text,
        Rule::ForS,
        1,
        Place::LowerBound,
        &format!("lower bound mentions {X_IS_DATA}"),
    );
    let text = "let x = A[0] in forS y in 0..x { sync }";
    assert_rejected(
        text,
        Rule::ForS,
        2,
        Place::UpperBound,
        &format!("upper bound mentions {X_IS_DATA}"),
    );
    let text = "forS tid in 0..4 { sync }";
    assert_rejected(
        text,
        Rule::ForS,
        3,
        Place::Binder,
        "binder tid is already a variable of the context",
    );
    let text = "forS y in 0..4 { sync; A[z] := 1 }";
    assert_rejected(text, Rule::Write, 1, Place::Index, "index mentions z, which nothing binds");
}

#[test]
fn t_atomic_fires() {
    assert_type("let x = atomic A[tid] add 1 in A[0] := x", Rule::Atomic, "at[tid]; wr[0]");
}

#[test]
fn t_atomic_premises_are_refuted() {
    let text = "let x = A[0] in let y = atomic A[x] add 1 in skip";
    assert_rejected(text, Rule::Atomic, 1, Place::Index, &format!("index mentions {X_IS_DATA}"));
    let text = "let tid = atomic A[0] add 1 in skip";
    assert_rejected(
        text,
        Rule::Atomic,
        2,
        Place::Binder,
        "binder tid is already a variable of the context",
    );
    let message = "index mentions x, which is data: updated atomically in A at #0";
    let text = "let x = atomic A[0] add 1 in A[x] := 1";
    assert_rejected(text, Rule::Write, 1, Place::Index, message);
}

#[test]
fn a_loop_may_reuse_the_name_of_a_let() {
    let text = "let x = A[tid] in forU x in 0..2 { A[x] := 1 }";
    assert_type(text, Rule::Read, "rd[tid]; forU x in 0..2 { wr[x] }");
    // Behind the loop, the name is the let's again.
    let text = "let x = A[tid] in { forU x in 0..2 { A[x] := 1 }; A[x] := 2 }";
    assert_rejected(text, Rule::Write, 1, Place::Index, &format!("index mentions {X_IS_DATA}"));
}

#[test]
fn a_let_may_reuse_the_name_of_a_let() {
    let text = "let x = A[tid] in let x = B[tid] in A[tid] := x";
    assert_type(text, Rule::Read, "rd[tid]; rd B[tid]; wr[tid]");
    let text = "let x = A[tid] in let x = B[tid] in A[x] := 0";
    assert_rejected(
        text,
        Rule::Write,
        1,
        Place::Index,
        "index mentions x, which is data: read from B at #1",
    );
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
     sync; forU z in 0..2 { let w = atomic A[z] add 1 in skip } }";

#[test]
fn every_rule_is_used_and_checked() {
    let derivation = typed(&["tid"], EVERY_RULE).derivation;
    for rule in Rule::ALL {
        assert!(derivation.nodes().any(|(_, n)| n.rule == rule), "{rule}");
    }
    let json = serde_json::to_string(&derivation).unwrap();
    let back: Derivation = serde_json::from_str(&json).unwrap();
    assert_eq!(back, derivation);
    assert_eq!(derivation.size(), derivation.to_string().lines().count());
}

#[test]
fn the_checker_rejects_every_missing_and_surplus_premise() {
    for rule in Rule::ALL {
        let mut derivation = typed(&["tid"], EVERY_RULE).derivation;
        let node = find(&mut derivation, rule).unwrap();
        let expected = node.premises.len();
        let extra = typed(&["tid"], "skip").derivation;
        node.premises.push(extra);
        let rejected = check_derivation(&derivation).unwrap_err();
        let found = expected + 1;
        assert_eq!(rejected.defect, Defect::WrongCount { expected, found }, "{rule}");
        let node = find(&mut derivation, rule).unwrap();
        node.premises.pop();
        if node.premises.pop().is_some() {
            let rejected = check_derivation(&derivation).unwrap_err();
            let found = expected - 1;
            assert_eq!(rejected.defect, Defect::WrongCount { expected, found }, "{rule}");
        }
    }
}

#[test]
fn the_checker_rejects_every_wrong_rule_name() {
    for rule in Rule::ALL {
        for other in Rule::ALL.into_iter().filter(|r| *r != rule) {
            let mut derivation = typed(&["tid"], EVERY_RULE).derivation;
            let node = find(&mut derivation, rule).unwrap();
            node.rule = other;
            let rejected = check_derivation(&derivation).unwrap_err();
            assert_eq!(rejected.rule, other, "{rule} as {other}");
            assert_eq!(rejected.defect, Defect::WrongForm, "{rule} as {other}");
        }
    }
}

#[test]
fn the_checker_rejects_every_premise_in_another_context() {
    // Rule, which derivation, and the number of the premise that it derives.
    let premises = [
        (Rule::Write, 0, 1),
        (Rule::Read, 0, 1),
        (Rule::Read, 1, 3),
        (Rule::Seq, 0, 1),
        (Rule::Seq, 1, 2),
        (Rule::If, 0, 1),
        (Rule::If, 1, 2),
        (Rule::If, 2, 3),
        (Rule::For, 0, 1),
        (Rule::For, 1, 2),
        (Rule::For, 2, 4),
        (Rule::ForS, 0, 1),
        (Rule::ForS, 1, 2),
        (Rule::ForS, 2, 4),
        (Rule::Atomic, 0, 1),
        (Rule::Atomic, 1, 3),
    ];
    for (rule, at, premise) in premises {
        assert_damage(
            EVERY_RULE,
            rule,
            |node| in_context(&mut node.premises[at], &["tid", "x", "z", "w", "more"]),
            Some(premise),
            &Defect::WrongPremise,
        );
    }
}

#[test]
fn the_checker_rejects_binders_in_the_context() {
    for (text, rule, var, premise) in [
        ("let y = A[0] in skip", Rule::Read, "y", 2),
        ("let y = atomic A[0] add 1 in skip", Rule::Atomic, "y", 2),
        ("forU y in 0..1 { skip }", Rule::For, "y", 3),
        ("forS y in 0..1 { skip }", Rule::ForS, "y", 3),
    ] {
        let mut derivation = typed(&["tid"], text).derivation;
        in_context(&mut derivation, &[var]);
        for premise in &mut derivation.premises {
            in_context(premise, &[var]);
        }
        let rejected = check_derivation(&derivation).unwrap_err();
        assert_eq!((rejected.rule, rejected.premise), (rule, Some(premise)));
        assert_eq!(rejected.defect, Defect::InContext(Name::new(var)));
    }
}

#[test]
fn the_checker_rejects_every_other_protocol() {
    use Rule::{Atomic, For, ForS, If, Read, Seq, Skip, Sync, Write};
    for rule in [Write, Read, Seq, If, For, Skip, Sync, ForS, Atomic] {
        let mut derivation = typed(&["tid"], EVERY_RULE).derivation;
        let node = find(&mut derivation, rule).unwrap();
        let mut alone = node.clone();
        let Judgment::Program { protocol, .. } = &mut alone.conclusion else {
            panic!("{rule} concludes no program");
        };
        let other = typed(&["tid"], "if tid == 7 { skip }").protocol;
        *protocol = other.into();
        let rejected = check_derivation(&alone).unwrap_err();
        assert_eq!((rejected.rule, rejected.premise), (rule, None));
        assert_eq!(rejected.defect, Defect::WrongProtocol);
    }
}

#[test]
fn the_checker_names_the_node() {
    let mut derivation = typed(&["tid"], "A[0] := 1; if tid == 0 { A[1] := 2 }").derivation;
    // Sequence, second part, then branch, index.
    in_context(&mut derivation.premises[1].premises[1].premises[0], &[]);
    let rejected = check_derivation(&derivation).unwrap_err();
    assert_eq!(rejected.path, [1, 1]);
    assert_eq!(
        rejected.to_string(),
        "node /1/1: t-write, premise 1: its derivation concludes something else"
    );
}
