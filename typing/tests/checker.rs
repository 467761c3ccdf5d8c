//! What the checker of typing derivations looks at besides contexts, counts and rule names: every
//! premise is about the part that the rule names, and the root is about the program.

use babycuda_core::parse::{parse_program, parse_stmt};
use babycuda_core::{Bool, Num};
use babycuda_typing::{
    Defect, Derivation, Judgment, Rule, TypeEvidence, check_derivation, check_type, infer,
    type_program,
};

/// Together, they use every rule with premises.
const PROGRAMS: [&str; 4] = [
    "A[tid + 1] := 1",
    "let x = A[tid] in let y = atomic A[0] add 1 in skip",
    "if tid == 0 { A[1] := 1 } else { sync }",
    "forU x in 0..2 { A[x] := 1 }; forS x in 1..3 { sync }",
];

fn derivation(text: &str) -> Derivation {
    let program = parse_stmt(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let typed = infer(&["tid"].into_iter().collect(), &program);
    typed.unwrap_or_else(|e| panic!("{text}: {e}")).derivation
}

/// A true judgment of the same form, in the same context, about something else.
fn about_something_else(node: &Derivation) -> Derivation {
    let mut other = node.clone();
    match &mut other.conclusion {
        Judgment::Num { expression, .. } => *expression = Num::lit(7u32),
        Judgment::Bool { condition, .. } => *condition = Bool::Lit(true),
        Judgment::Program { context, .. } => {
            let skip = parse_stmt("skip; skip").unwrap_or_else(|e| panic!("{e}"));
            let typed = infer(context, &skip);
            return typed.unwrap_or_else(|e| panic!("{e}")).derivation;
        }
    }
    other
}

/// Every node of the tree, by the way to it.
fn nodes(node: &Derivation, way: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize], &Derivation)) {
    visit(way, node);
    for (i, premise) in node.premises.iter().enumerate() {
        way.push(i);
        nodes(premise, way, visit);
        way.pop();
    }
}

fn at<'a>(node: &'a mut Derivation, way: &[usize]) -> &'a mut Derivation {
    way.iter().fold(node, |node, i| &mut node.premises[*i])
}

#[test]
fn a_premise_about_something_else_is_rejected() {
    let mut rejected_rules = Vec::new();
    for text in PROGRAMS {
        let original = derivation(text);
        nodes(&original, &mut Vec::new(), &mut |way, node| {
            let Some((_, parent)) = way.split_last() else { return };
            let mut damaged = original.clone();
            let other = about_something_else(node);
            assert_eq!(check_derivation(&other), Ok(()), "{other:?}");
            *at(&mut damaged, way) = other;
            let rejected = check_derivation(&damaged).unwrap_err();
            assert_eq!((&rejected.path[..], rejected.defect), (parent, Defect::WrongPremise));
            rejected_rules.push((rejected.rule, rejected.premise));
        });
    }
    for (rule, premises) in [
        (Rule::Write, &[1][..]),
        (Rule::Read, &[1, 3]),
        (Rule::Atomic, &[1, 3]),
        (Rule::Seq, &[1, 2]),
        (Rule::If, &[1, 2, 3]),
        (Rule::For, &[1, 2, 4]),
        (Rule::ForS, &[1, 2, 4]),
    ] {
        for premise in premises {
            assert!(rejected_rules.contains(&(rule, Some(*premise))), "{rule}, {premise}");
        }
    }
}

/// The premise of an index is no judgment about a program, and so on.
#[test]
fn a_premise_of_another_form_is_rejected() {
    for text in PROGRAMS {
        let original = derivation(text);
        nodes(&original, &mut Vec::new(), &mut |way, node| {
            let other = match node.rule {
                Rule::N => derivation("skip"),
                _ => derivation("A[1] := 1").premises.remove(0),
            };
            if way.is_empty() {
                return;
            }
            let mut damaged = original.clone();
            *at(&mut damaged, way) = other;
            let rejected = check_derivation(&damaged).unwrap_err();
            assert_eq!(rejected.defect, Defect::WrongPremise);
        });
    }
}

fn evidence(text: &str) -> TypeEvidence {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}")).without_sources();
    let typed = type_program(&program).unwrap_or_else(|e| panic!("{text}: {e}"));
    TypeEvidence { program, derivation: typed.derivation }
}

#[test]
fn the_root_is_about_the_program_of_the_evidence() {
    let right = evidence("param n; A[tid + n] := 1");
    assert_eq!(check_type(&right), Ok(()));
    let refused = |wrong: &TypeEvidence| {
        let rejected = check_type(wrong).unwrap_err();
        assert!(rejected.path.is_empty());
        assert!(matches!(rejected.defect, Defect::OtherProgram(_)), "{rejected}");
    };
    // Another statement.
    let other = evidence("param n; A[tid + n] := 2");
    refused(&TypeEvidence { program: other.program, ..right.clone() });
    // Another environment, in which the derivation is right, too.
    let more = evidence("param n; param m; A[tid + n] := 1");
    refused(&TypeEvidence { program: more.program, ..right.clone() });
    // A judgment that is about no program.
    let derivation = right.derivation.premises[0].clone();
    refused(&TypeEvidence { derivation, ..right.clone() });
}

#[test]
fn a_program_with_free_variables_has_no_type() {
    let mut wrong = evidence("param n; A[tid] := n");
    wrong.program.params.clear();
    // The payload is not looked at by any rule.
    let expected = babycuda_typing::Context::of_program(&wrong.program);
    if let Judgment::Program { context, .. } = &mut wrong.derivation.conclusion {
        *context = expected.clone();
    }
    if let Judgment::Num { context, .. } = &mut wrong.derivation.premises[0].conclusion {
        *context = expected;
    }
    assert_eq!(check_derivation(&wrong.derivation), Ok(()));
    let rejected = check_type(&wrong).unwrap_err();
    assert!(rejected.to_string().contains("well-scoped"), "{rejected}");
}

/// A rule for expressions concludes nothing about programs, and the other way round.
#[test]
fn an_expression_is_typed_by_its_own_rule() {
    let mut index = derivation("A[tid] := 1").premises.remove(0);
    for rule in Rule::ALL.into_iter().filter(|rule| *rule != Rule::N) {
        index.rule = rule;
        assert_eq!(check_derivation(&index).unwrap_err().defect, Defect::WrongForm, "{rule}");
    }
    let mut guard = derivation("if tid == 0 { skip }").premises.remove(0);
    for rule in Rule::ALL.into_iter().filter(|rule| *rule != Rule::B) {
        guard.rule = rule;
        assert_eq!(check_derivation(&guard).unwrap_err().defect, Defect::WrongForm, "{rule}");
    }
}
