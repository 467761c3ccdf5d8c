//! Each rule against trying every value.

use std::time::Duration;

use super::{facts::Facts, *};
use crate::value::Value;

fn later() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// All models of bounded integer constants.
fn models(query: &Query) -> Vec<Model> {
    let mut models = vec![Model::new()];
    for d in query.declarations() {
        let (low, high) = d.bounds.ends().expect("bounded");
        let mut grown = Vec::new();
        let mut n = low.clone();
        while n <= *high {
            for model in &models {
                let mut model = model.clone();
                model.insert(Arc::clone(&d.name), Value::Int(n.clone()));
                grown.push(model);
            }
            n += 1;
        }
        models = grown;
    }
    models
}

/// The simplified query has exactly the original's models.
fn keeps_models(query: &Query) {
    let simplified = simplify(query, later());
    for model in models(query) {
        let original = query.check_model(&model).is_ok();
        // Eliminated constants must have the values that their definitions give.
        let mut rest = Model::new();
        for d in simplified.query.declarations() {
            rest.insert(Arc::clone(&d.name), model.get(&d.name).unwrap().clone());
        }
        let kept = simplified.query.check_model(&rest).is_ok() && simplified.extend(rest) == model;
        assert_eq!(original, kept, "{model}: {:?}", simplified.query.assertions());
    }
}

fn int(query: &mut Query, name: &str, low: i32, high: i32) -> Term {
    query.declare_int(name, low, high).unwrap()
}

#[test]
fn digits_are_unique_in_every_radix() {
    for radix in 1..=4 {
        let mut query = Query::new();
        let [t, u] = ["t", "u"].map(|name| int(&mut query, name, -2, 2));
        let [i, j] = ["i", "j"].map(|name| int(&mut query, name, 0, radix - 1));
        let index =
            |high: &Term, low: &Term| high.mul(&Term::int(radix)).unwrap().add(low).unwrap();
        let same = index(&t, &i).equals(&index(&u, &j)).unwrap();
        query.assert(&same).unwrap();
        keeps_models(&query);
        // The lemma fired: the equation became two definitions.
        let left = simplify(&query, later()).query;
        assert!(left.assertions().is_empty(), "{:?}", left.assertions());
    }
}

#[test]
fn the_lemma_is_not_used_where_a_digit_may_reach_the_radix() {
    for (low, high) in [(0, 3), (-1, 2), (-2, 3)] {
        let mut query = Query::new();
        let [t, u] = ["t", "u"].map(|name| int(&mut query, name, -2, 2));
        let [i, j] = ["i", "j"].map(|name| int(&mut query, name, low, high));
        let index = |high: &Term, low: &Term| high.mul(&Term::int(3)).unwrap().add(low).unwrap();
        query.assert(&index(&t, &i).equals(&index(&u, &j)).unwrap()).unwrap();
        keeps_models(&query);
    }
}

#[test]
fn symbolic_radices_need_the_facts() {
    for guarded in [true, false] {
        let mut query = Query::new();
        let n = int(&mut query, "n", 0, 3);
        let [t, u] = ["t", "u"].map(|name| int(&mut query, name, -1, 2));
        let [i, j] = ["i", "j"].map(|name| int(&mut query, name, 0, 3));
        if guarded {
            query.assert(&i.less_than(&n).unwrap()).unwrap();
            query.assert(&n.at_most(&j).unwrap().negation()).unwrap();
        }
        let index = |high: &Term, low: &Term| high.mul(&n).unwrap().add(low).unwrap();
        query.assert(&index(&t, &i).equals(&index(&u, &j)).unwrap()).unwrap();
        query.assert(&Term::or([t.differs(&u).unwrap(), i.differs(&j).unwrap()]).unwrap()).unwrap();
        keeps_models(&query);
        assert_eq!(simplify(&query, later()).is_unsat(), guarded);
    }
}

#[test]
fn a_common_factor_cancels_only_when_it_is_not_zero() {
    for low in [0, 1] {
        let mut query = Query::new();
        let s = int(&mut query, "s", low, 3);
        let [t, u] = ["t", "u"].map(|name| int(&mut query, name, 0, 3));
        let scaled = |x: &Term| s.mul(&Term::int(2)).unwrap().mul(x).unwrap();
        query.assert(&scaled(&t).equals(&scaled(&u)).unwrap()).unwrap();
        query.assert(&t.differs(&u).unwrap()).unwrap();
        keeps_models(&query);
        assert_eq!(simplify(&query, later()).is_unsat(), low == 1);
    }
}

#[test]
fn quotients_and_remainders_of_positions() {
    let mut query = Query::new();
    let n = int(&mut query, "n", 0, 3);
    let [y, x] = ["y", "x"].map(|name| int(&mut query, name, 0, 3));
    query.assert(&x.less_than(&n).unwrap()).unwrap();
    let position = y.mul(&n).unwrap().add(&x).unwrap();
    let (q, r) = (position.int_div(&n).unwrap(), position.int_mod(&n).unwrap());
    query.assert(&Term::or([q.differs(&y).unwrap(), r.differs(&x).unwrap()]).unwrap()).unwrap();
    keeps_models(&query);
    #[cfg(feature = "builtin")]
    {
        use crate::{Answer, Builtin, QueryLimits, Solver};
        assert_eq!(Builtin.check(&query, &QueryLimits::default()), Answer::Unsat);
    }
}

#[test]
fn equal_quotients_and_remainders_are_equal_numbers() {
    for low in [0, 1] {
        let mut query = Query::new();
        let d = int(&mut query, "d", low, 3);
        let [n, m] = ["n", "m"].map(|name| int(&mut query, name, -4, 4));
        let part = |f: fn(&Term, &Term) -> Result<Term, SortError>| {
            f(&n, &d).unwrap().equals(&f(&m, &d).unwrap()).unwrap()
        };
        query.assert(&part(Term::int_div)).unwrap();
        query.assert(&part(Term::int_mod)).unwrap();
        query.assert(&n.differs(&m).unwrap()).unwrap();
        // A divisor of zero leaves the parts open.
        assert_eq!(simplify(&query, later()).is_unsat(), low == 1);
    }
}

#[test]
fn facts_do_not_erase_themselves() {
    // Each comparison follows from the other two; none may vanish for the sake of the others.
    let mut query = Query::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| int(&mut query, name, 0, 3));
    query.assert(&x.at_most(&y).unwrap()).unwrap();
    query.assert(&y.at_most(&z).unwrap()).unwrap();
    query.assert(&x.at_most(&z).unwrap()).unwrap();
    keeps_models(&query);
    let both = Term::and([z.at_most(&x).unwrap(), x.differs(&y).unwrap()]).unwrap();
    query.assert(&both).unwrap();
    keeps_models(&query);
}

#[test]
fn definitions_keep_the_bounds_of_what_they_define() {
    let mut query = Query::new();
    let x = int(&mut query, "x", 1, 2);
    let [y, z] = ["y", "z"].map(|name| int(&mut query, name, -3, 3));
    let sum = y.add(&z).unwrap();
    query.assert(&sum.sub(&x).unwrap().equals(&Term::int(1)).unwrap()).unwrap();
    keeps_models(&query);
    query.assert(&y.mul(&y).unwrap().equals(&z).unwrap()).unwrap();
    keeps_models(&query);
}

/// `solve` against every value of four constants, for small random equations.
#[test]
fn solved_equations_have_the_same_solutions() {
    let mut query = Query::new();
    let names = ["a", "b", "c", "d"].map(|name| int(&mut query, name, 0, 3));
    let all = models(&query);
    let mut random = 1u64;
    let mut next = |n: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    let (mut split, mut never) = (0, 0);
    for _ in 0..3_000 {
        let bounds: Bounds =
            query.declarations().iter().map(|d| (Arc::clone(&d.name), d.bounds.clone())).collect();
        let mut algebra = algebra(bounds);
        let mut facts = Facts::none(super::facts::BUDGET);
        let mut assumed = Vec::new();
        for _ in 0..next(3) {
            let (x, y) = (&names[next(4) as usize], &names[next(4) as usize]);
            let literal = x.less_than(y).unwrap();
            if let Some(fact) = facts::fact(&mut algebra, &literal) {
                facts.push(fact);
                assumed.push(literal);
            }
        }
        let mut side = Term::int(next(3));
        for _ in 0..=next(4) {
            let factor = Term::int(next(9) as i64 - 4);
            let mut part = names[next(4) as usize].mul(&factor).unwrap();
            if next(2) == 0 {
                part = part.mul(&names[next(4) as usize]).unwrap();
            }
            side = side.add(&part).unwrap();
        }
        let poly = algebra.poly(&side);
        let solved = radix::solve(&facts, &mut algebra, poly);
        let parts: Option<Vec<Term>> =
            solved.map(|parts| parts.iter().map(|p| algebra.equation(p).unwrap()).collect());
        match &parts {
            None => never += 1,
            Some(parts) if parts.len() > 1 => split += 1,
            Some(_) => {}
        }
        for model in &all {
            if assumed.iter().any(|a| a.eval(model) != Ok(Value::Bool(true))) {
                continue;
            }
            let zero = Ok(Value::Int(0.into()));
            let expected = side.eval(model) == zero;
            let truth = Ok(Value::Bool(true));
            let found = parts.as_ref().is_some_and(|ps| ps.iter().all(|p| p.eval(model) == truth));
            assert_eq!(expected, found, "{side} in {model}, assuming {assumed:?}");
        }
    }
    assert!(split > 50 && never > 50, "{split} split, {never} never");
}

/// Quotient and remainder are the number: of the same two numbers, by the same divisor, from 1 on.
#[test]
fn quotient_and_remainder_are_put_together_of_the_same_numbers_only() {
    let equation =
        |op: fn(&Term, &Term) -> Result<Term, SortError>, [n, m]: [&Term; 2], d: &Term| {
            op(n, d).unwrap().equals(&op(m, d).unwrap()).unwrap()
        };
    let mut recombined = 0;
    for (others, same_divisor) in [(false, true), (false, false), (true, true)] {
        let mut query = Query::new();
        let [n, m] = ["n", "m"].map(|name| int(&mut query, name, 0, 5));
        let [p, q] = ["p", "q"].map(|name| int(&mut query, name, 0, if others { 3 } else { 0 }));
        let [d, e] = ["d", "e"].map(|name| int(&mut query, name, 1, 3));
        query.assert(&equation(Term::int_div, [&n, &m], &d)).unwrap();
        let numbers = if others { [&p, &q] } else { [&m, &n] };
        let divisor = if same_divisor { &d } else { &e };
        query.assert(&equation(Term::int_mod, numbers, divisor)).unwrap();
        keeps_models(&query);
        let left = simplify(&query, later()).query;
        recombined += usize::from(!left.assertions().iter().any(|a| a.to_string().contains("div")));
    }
    assert_eq!(recombined, 1);
}

/// `n - d*q` and the like: what division says is a fact, and remainders that are the number are gone.
#[test]
fn a_strided_index_is_no_remainder() {
    let mut query = Query::new();
    let (n, d) = (int(&mut query, "n", 0, 7), int(&mut query, "d", 0, 3));
    let [t, u] = ["t", "u"].map(|name| int(&mut query, name, 0, 2));
    let [k, l] = ["k", "l"].map(|name| int(&mut query, name, 0, 7));
    query.assert(&Term::int(1).at_most(&d).unwrap()).unwrap();
    let eight = Term::int(8);
    let mut index = |t: &Term, k: &Term| {
        query.assert(&t.less_than(&d).unwrap()).unwrap();
        query.assert(&t.less_than(&n).unwrap()).unwrap();
        let rest = n.sub(t).unwrap().sub(&Term::int(1)).unwrap();
        let rounds = rest.int_div(&d).unwrap().add(&Term::int(1)).unwrap();
        query.assert(&k.less_than(&rounds).unwrap()).unwrap();
        t.add(&d.mul(k).unwrap()).unwrap().int_mod(&eight).unwrap()
    };
    let same = index(&t, &k).equals(&index(&u, &l)).unwrap();
    query.assert(&same).unwrap();
    keeps_models(&query);
    let simplified = simplify(&query, later());
    let left = postorder(simplified.query.assertions());
    assert!(left.iter().all(|term| *term.op() != Op::Mod), "{:?}", simplified.query.assertions());
}

/// What others say of a part of a comparison, each rewritten in turn: none may erase the other.
#[test]
fn comparisons_are_rewritten_by_the_others() {
    for (a, b) in [(3, 5), (5, 3), (4, 4)] {
        let mut query = Query::new();
        let [x, y] = ["x", "y"].map(|name| int(&mut query, name, -2, 9));
        let five = Term::int(5);
        let part = |z: &Term| z.int_mod(&five).unwrap();
        let less = x.less_than(&Term::int(a)).unwrap();
        let chosen = less.ite(&x, &Term::int(a)).unwrap();
        query.assert(&part(&x).less_than(&Term::int(b)).unwrap()).unwrap();
        query.assert(&Term::int(0).at_most(&part(&y).sub(&chosen).unwrap()).unwrap()).unwrap();
        query.assert(&x.less_than(&Term::int(b)).unwrap()).unwrap();
        query.assert(&Term::int(0).at_most(&x).unwrap()).unwrap();
        query.assert(&part(&x).at_most(&part(&y)).unwrap()).unwrap();
        query.assert(&Term::or([less.negation(), x.at_most(&y).unwrap()]).unwrap()).unwrap();
        keeps_models(&query);
    }
}

/// A negative number counts as a large one: `(x - t) mod 8` is `x mod 8 - t` where that is more than `t`.
#[test]
fn remainders_that_are_known_help_others() {
    let mut query = Query::new();
    let (x, t) = (int(&mut query, "x", -4, 4), int(&mut query, "t", 0, 3));
    let y = int(&mut query, "y", 0, 7);
    let eight = Term::int(8);
    let known = x.int_mod(&eight).unwrap();
    query.assert(&t.less_than(&known).unwrap()).unwrap();
    let less = x.sub(&t).unwrap().int_mod(&eight).unwrap();
    query.assert(&y.equals(&less).unwrap()).unwrap();
    query.assert(&Term::int(1).less_than(&y).unwrap()).unwrap();
    keeps_models(&query);
    let simplified = simplify(&query, later());
    let left = postorder(simplified.query.assertions());
    let remainders = left.iter().filter(|term| *term.op() == Op::Mod);
    assert_eq!(remainders.count(), 1, "{:?}", simplified.query.assertions());
}
