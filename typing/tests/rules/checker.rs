//! What the checker rejects.

use super::*;

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
            // The two rules of reads conclude of the same statements, and differ in the body's V.
            let reads = [rule, other].iter().all(|r| matches!(r, Rule::Read | Rule::ReadInput));
            let expected = if reads { Defect::WrongPremise } else { Defect::WrongForm };
            assert_eq!(rejected.defect, expected, "{rule} as {other}");
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
        (Rule::ReadInput, 0, 2),
        (Rule::ReadInput, 1, 4),
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
            |node| in_context(&mut node.premises[at], &["tid", "x", "z", "w", "v", "more"]),
            Some(premise),
            &Defect::WrongPremise,
        );
    }
}

#[test]
fn the_checker_rejects_binders_in_the_context() {
    for (text, rule, var, premise) in [
        ("let y = A[0] in skip", Rule::Read, "y", 2),
        ("let y = I[0] in skip", Rule::ReadInput, "y", 3),
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
    use Rule::{Atomic, For, ForS, If, Read, ReadInput, Seq, Skip, Sync, Write};
    for rule in [Write, Read, ReadInput, Seq, If, For, Skip, Sync, ForS, Atomic] {
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

/// Rules other than t-read-input leave the inputs of the derivation alone.
#[test]
fn the_checker_rejects_inputs_that_are_treated_otherwise() {
    let is_input = Defect::IsInput(Name::new("A"));
    for (text, rule) in [
        ("let x = I[0] in A[x] := 1", Rule::Write),
        ("let x = I[0] in let y = A[x] in skip", Rule::Read),
        ("let x = I[0] in let y = atomic A[x] add 1 in skip", Rule::Atomic),
    ] {
        // The same, with one array.
        let text = text.replace('I', "A");
        let program = parse_stmt(&text).unwrap();
        let context = ["tid", "x"].into_iter().collect();
        let inner = infer_relative(&context, &BTreeSet::new(), body(&program)).unwrap();
        let input = parse_stmt("let x = A[0] in skip").unwrap();
        let tid = ["tid"].into_iter().collect();
        let outer = infer_relative(&tid, &BTreeSet::from([Name::new("A")]), &input).unwrap();
        let mut derivation = outer.derivation;
        let Judgment::Program { program: whole, protocol, .. } = &mut derivation.conclusion else {
            panic!("a program");
        };
        *whole = program.clone().into();
        let Protocol::Seq(read, input) = &**protocol else { panic!("{protocol}") };
        let u = Arc::new(inner.protocol);
        *protocol = Protocol::Seq(read.clone(), Arc::new(input.map_children(|_| u.clone()))).into();
        derivation.premises[1] = inner.derivation;
        let rejected = check_derivation(&derivation).unwrap_err();
        assert_eq!((rejected.rule, rejected.defect), (rule, is_input.clone()), "{text}");
    }
}

/// The body of a `let`.
fn body(program: &Stmt) -> &Stmt {
    program.children().next().unwrap()
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
        "node /1/1, rule type/t-write, premise 1: its derivation concludes something else"
    );
}
