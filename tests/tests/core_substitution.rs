//! Laws of substitution, renaming, projection and scoping on random trees.

use babycuda_core::expr::Renaming;
use babycuda_core::name::reserved::TID;
use babycuda_core::{Name, Natural, Num, Program, Stmt};
use babycuda_testkit::generators::{
    Profile, programs, protocol, raw_bool, raw_name, raw_num, raw_protocol, raw_stmt, strategy,
};
use proptest::prelude::*;
use std::sync::Arc;

fn single(x: &Name, n: &Num) -> Renaming {
    Renaming::from([(x.clone(), n.clone())])
}

/// The statement with every binder renamed to a name of its own.
fn renamed_apart(b: &Stmt, counter: &mut usize) -> Stmt {
    let mut copy = b.clone();
    match &mut copy {
        Stmt::Skip | Stmt::Sync { .. } | Stmt::Write { .. } => {}
        Stmt::Seq(b, c) | Stmt::If { then: b, otherwise: c, .. } => {
            *b = Arc::new(renamed_apart(b, counter));
            *c = Arc::new(renamed_apart(c, counter));
        }
        Stmt::Read { var, body, .. }
        | Stmt::Atomic { var, body, .. }
        | Stmt::For { var, body, .. } => {
            *counter += 1;
            let own = Name::new(format!("own{counter}"));
            let renamed = body.subst(&single(var, &Num::Var(own.clone())));
            *body = Arc::new(renamed_apart(&renamed, counter));
            *var = own;
        }
    }
    copy
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn evaluation_after_substitution_is_evaluation_in_the_changed_valuation(
        (n, m, x, k) in strategy(|c| (raw_num(c), raw_num(c), raw_name(c), c.below(7)))
    ) {
        let outer = |_: &Name| Some(Natural::from(k));
        let value = m.eval(&outer).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let inner = |y: &Name| Some(if *y == x { value.clone() } else { Natural::from(k) });
        prop_assert_eq!(n.subst(&single(&x, &m)).eval(&outer), n.eval(&inner));
    }

    #[test]
    fn conditions_likewise((c, m, x, k) in strategy(|c| (raw_bool(c), raw_num(c), raw_name(c), c.below(7)))) {
        let outer = |_: &Name| Some(Natural::from(k));
        let value = m.eval(&outer).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let inner = |y: &Name| Some(if *y == x { value.clone() } else { Natural::from(k) });
        prop_assert_eq!(c.subst(&single(&x, &m)).eval(&outer), c.eval(&inner));
    }

    #[test]
    fn substituting_for_a_variable_that_is_not_free_changes_nothing_but_names(
        (b, x, n) in strategy(|c| (raw_stmt(c), raw_name(c), raw_num(c)))
    ) {
        prop_assume!(!b.free_vars().contains(&x));
        prop_assert!(b.subst(&single(&x, &n)).alpha_equivalent(&b));
    }

    #[test]
    fn free_variables_after_substitution(
        (b, x, n) in strategy(|c| (raw_stmt(c), raw_name(c), raw_num(c)))
    ) {
        let mut expected = b.free_vars();
        if expected.remove(&x) {
            expected.extend(n.free_vars());
        }
        prop_assert_eq!(b.subst(&single(&x, &n)).free_vars(), expected);
    }

    #[test]
    fn free_variables_of_protocols_after_substitution(
        (p, x, n) in strategy(|c| (raw_protocol(c), raw_name(c), raw_num(c)))
    ) {
        let mut expected = p.free_vars();
        if expected.remove(&x) {
            expected.extend(n.free_vars());
        }
        prop_assert_eq!(p.subst(&single(&x, &n)).free_vars(), expected);
    }

    /// `b[x := n][y := m] = b[y := m][x := n[y := m]]` for x ≠ y and x not free in m.
    #[test]
    fn substitutions_commute_up_to_names(
        (b, x, y, n, m) in strategy(|c| (raw_stmt(c), raw_name(c), raw_name(c), raw_num(c), raw_num(c)))
    ) {
        prop_assume!(x != y && !m.free_vars().contains(&x));
        let left = b.subst(&single(&x, &n)).subst(&single(&y, &m));
        let right = b.subst(&single(&y, &m)).subst(&single(&x, &n.subst(&single(&y, &m))));
        prop_assert!(left.alpha_equivalent(&right), "{}\n{}", left, right);
    }

    #[test]
    fn substitution_respects_alpha_equivalence(
        (b, x, n) in strategy(|c| (raw_stmt(c), raw_name(c), raw_num(c)))
    ) {
        let apart = renamed_apart(&b, &mut 0);
        prop_assert!(b.alpha_equivalent(&apart) && apart.alpha_equivalent(&b));
        let map = single(&x, &n);
        prop_assert!(b.subst(&map).alpha_equivalent(&apart.subst(&map)));
    }

    #[test]
    fn sites_survive_substitution((b, x, n) in strategy(|c| (raw_stmt(c), raw_name(c), raw_num(c)))) {
        let sites = |b: &Stmt| b.subterms().filter_map(Stmt::site).collect::<Vec<_>>();
        prop_assert_eq!(sites(&b.subst(&single(&x, &n))), sites(&b));
    }

    #[test]
    fn different_free_variables_are_not_equivalent(b in strategy(raw_stmt)) {
        for x in b.free_vars() {
            let other = b.subst(&single(&x, &Num::var("other")));
            prop_assert!(!b.alpha_equivalent(&other));
        }
    }

    #[test]
    fn projections_keep_one_array_and_are_idempotent(
        (p, b) in strategy(|c| (protocol(c, Profile::ANY), raw_stmt(c)))
    ) {
        let array = Name::new("A");
        let projected = p.project(&array);
        prop_assert!(projected.arrays().iter().all(|a| *a == array));
        prop_assert_eq!(projected.project(&array), projected);
        let projected = b.project(&array);
        prop_assert!(projected.arrays().iter().all(|a| *a == array));
        prop_assert_eq!(projected.project(&array), projected);
    }

    #[test]
    fn projections_of_programs_are_well_scoped(p in programs(Profile::ANY)) {
        let projected = p.body.project(&Name::new("A"));
        prop_assert_eq!(Program { body: projected, ..p }.check_scope(), Ok(()));
    }

    #[test]
    fn a_closed_program_has_no_free_variables_but_its_own(p in programs(Profile::PAPER)) {
        let mut free = p.body.free_vars();
        free.remove(&Name::new(TID));
        for param in &p.params {
            free.remove(&param.name);
        }
        prop_assert!(free.is_empty());
    }
}

#[test]
fn substitution_avoids_capture() {
    let b = babycuda_core::parse::parse_stmt("let x = A[y] in A[x] := y").expect("is a statement");
    let substituted = b.subst(&single(&Name::new("y"), &Num::var("x")));
    assert_eq!(substituted.to_string(), "let x'1 = A[x] in A[x'1] := x");
}

/// A renamed binder takes no variable of its body.
#[test]
fn a_new_name_is_not_one_of_the_body() {
    let of_body = Num::var("x'1");
    let b = babycuda_core::parse::parse_stmt("let x = A[y] in A[x] := y + z").expect("a statement");
    let b = b.subst(&single(&Name::new("z"), &of_body));
    let substituted = b.subst(&single(&Name::new("y"), &Num::var("x")));
    assert_eq!(substituted.to_string(), "let x'2 = A[x] in A[x'2] := x + x'1");
    assert!(substituted.free_vars().contains(&Name::new("x'1")));
}

/// Statements that differ in one constructor, array, sort, operator or scope are different, and
/// no names of variables make them alike.
#[test]
fn statements_of_other_heads_are_different() {
    let parse = |text| babycuda_core::parse::parse_stmt(text).expect("a statement");
    for (one, other) in [
        ("A[0] := 1", "B[0] := 1"),
        ("let x = A[0] in skip", "let x = B[0] in skip"),
        ("skip", "sync"),
        ("forU i in 0..2 { skip }", "forS i in 0..2 { skip }"),
        ("let x = A[0] in skip", "let x = atomic A[0] add 1 in skip"),
        ("let x = atomic A[0] add 1 in skip", "let x = atomic B[0] add 1 in skip"),
        ("let x = atomic A[0] add 1 in skip", "let x = atomic A[0] max 1 in skip"),
        ("let x = atomic A[0] add 1 in skip", "let x = atomic.block A[0] add 1 in skip"),
        ("let x = atomic.system A[0] add 1 in skip", "let x = atomic.block A[0] add 1 in skip"),
    ] {
        let (one, other) = (parse(one), parse(other));
        assert_ne!(one, other);
        assert_eq!(one, one.clone());
        assert!(!one.alpha_equivalent(&other), "{one} and {other}");
        assert!(one.alpha_equivalent(&one));
    }
    let protocol = |text| babycuda_core::parse::parse_protocol(text).expect("a protocol");
    for (one, other) in [
        ("rd[0]", "wr[0]"),
        ("sync", "skip"),
        ("forU i in 0..2 { rd[i] }", "forS i in 0..2 { rd[i] }"),
    ] {
        let (one, other) = (protocol(one), protocol(other));
        assert!(one != other && !one.alpha_equivalent(&other), "{one} and {other}");
    }
}

#[test]
fn subterms_come_in_the_order_of_the_text() {
    let text = "A[0] := 1; if c == 0 { B[0] := 1 } else { C[0] := 1 }; { D[0] := 1; E[0] := 1 }";
    let b = babycuda_core::parse::parse_stmt(text).expect("a statement");
    let arrays: Vec<&str> = b.subterms().filter_map(|b| Some(b.accessed()?.as_str())).collect();
    assert_eq!(arrays, ["A", "B", "C", "D", "E"]);
    let p = babycuda_core::parse::parse_protocol("wr[0]; if tid == 0 { rd[1] } else { rd[2] }");
    let p = p.expect("a protocol");
    let accesses: Vec<String> =
        p.subterms().filter(|p| p.accessed().is_some()).map(ToString::to_string).collect();
    assert_eq!(accesses, ["wr[0]", "rd[1]", "rd[2]"]);
}
