//! Intervals hold every result, exhaustively on small ones.

use super::*;
use crate::natural::Natural;

/// Every pair of intervals within −4..=4, open ends included, against every pair of elements.
#[test]
fn operations_hold_every_result_on_small_intervals() {
    let ends: Vec<Option<BigInt>> = (-4..=4).map(|n| Some(n.into())).chain([None]).collect();
    let mut all = Vec::new();
    for lower in &ends {
        for upper in &ends {
            let interval = Interval { lower: lower.clone(), upper: upper.clone() };
            if !interval.is_empty() {
                all.push(interval);
            }
        }
    }
    // Elements a little beyond the ends stand for what an open end admits.
    let elements: Vec<BigInt> = (-9..=9).map(BigInt::from).collect();
    for a in &all {
        for b in &all {
            let (sum, product) = (a.add(b), a.mul(b));
            let (quotient, rest) = (a.div(b), a.modulo(b));
            for x in elements.iter().filter(|x| a.contains(x)) {
                assert!(a.neg().contains(&-x));
                assert!(a.join(b).contains(x));
                for y in elements.iter().filter(|y| b.contains(y)) {
                    assert!(sum.contains(&(x + y)), "{a} + {b}");
                    assert!(product.contains(&(x * y)), "{a} * {b}");
                    if !y.is_zero() {
                        let (q, r) = euclid(x, y);
                        assert!(quotient.contains(&q), "{x} div {y} in {a} div {b} = {quotient}");
                        assert!(rest.contains(&r), "{x} mod {y} in {a} mod {b} = {rest}");
                    }
                }
                assert_eq!(a.meet(b).contains(x), b.contains(x));
            }
        }
    }
}

/// Every operator on every pair of intervals of naturals, and every relation between them.
#[test]
fn operators_on_naturals_hold_every_result() {
    let high = |low: i32| (low..=5).map(Some).chain([None]);
    let all: Vec<Interval> = (0..=5)
        .flat_map(|low| high(low).map(move |high| (low, high)))
        .map(|(low, high)| Interval { lower: Some(low.into()), upper: high.map(BigInt::from) })
        .collect();
    let elements = |i: &Interval| -> Vec<Natural> {
        let naturals = (0u32..=12).filter(|n| i.contains(&(*n).into()));
        naturals.map(Natural::from).collect()
    };
    for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        for (x, y) in elements(a).iter().flat_map(|x| elements(b).into_iter().map(move |y| (x, y)))
        {
            for op in ArithOp::ALL {
                let (range, value) = (Interval::natural(op, a, b), op.apply(x, &y));
                assert!(range.contains(&(&value).into()), "{a} {op:?} {b} = {range}: {x}, {y}");
            }
            for relation in Relation::ALL {
                let found = Interval::compare(relation, a, b);
                assert!(
                    found.is_none_or(|b| b == relation.holds(x.cmp(&y))),
                    "{a} {relation:?} {b}"
                );
            }
        }
    }
}

/// Every value that satisfies assumptions is in the range that they give, and ranges are as narrow as
/// the assumptions say where patterns are what they mean.
#[test]
fn assumptions_narrow_parameters() {
    use crate::expr::{Bool, CompareOp, Num, Relation};
    use crate::machine::{IntType, Width};
    use crate::syntax::{Declarations, Geometry};
    let types = [true, false].map(|signed| Some(IntType { signed, width: Width::W8 }));
    let domain = Domain::Machine(IntType { signed: false, width: Width::W8 });
    let declared = Declarations::of_geometry(Geometry::line()).with_param("n", domain);
    let ends = [0u32, 1, 5, 127, 128, 200, 255];
    let mut narrowed = 0;
    for machine in types.into_iter().chain([None]) {
        let compare = |relation, k: u32, mirrored: bool| {
            let sides = [Num::var("n"), Num::lit(k)].map(std::sync::Arc::new);
            let [l, r] = sides;
            let (l, r) = if mirrored { (r, l) } else { (l, r) };
            Bool::Compare(CompareOp { relation, machine }, l, r)
        };
        for (first, second) in Relation::ALL.iter().flat_map(|a| Relation::ALL.map(|b| (*a, b))) {
            for (j, k) in ends.iter().flat_map(|j| ends.map(|k| (*j, k))) {
                let (c, d) = (compare(first, j, false), compare(second, k, true));
                let mut assumed = declared.clone();
                assumed.assumptions = vec![c.clone(), d.clone()];
                let range = Ranges::of(&assumed).num(&Num::var("n"));
                let holds = |n: u32| {
                    let value = |_: &crate::Name| Some(Natural::from(n));
                    [&c, &d].into_iter().all(|c| c.eval(&value) == Ok(true))
                };
                let met: Vec<u32> = (0..256).filter(|n| holds(*n)).collect();
                assert!(met.iter().all(|n| range.contains(&(*n).into())), "{c} {d}: {range}");
                narrowed += u32::from(range != Interval::new(0, 255));
                let small = machine.is_none_or(|t| !t.signed);
                let whole = !matches!((first, second), (Relation::Ne, _) | (_, Relation::Ne));
                let ends = met.first().zip(met.last()).filter(|_| small && whole);
                if let Some((least, most)) = ends {
                    assert_eq!(range, Interval::new(*least, *most), "{c} {d}");
                }
            }
        }
    }
    assert!(narrowed > 3000, "{narrowed}");
}
