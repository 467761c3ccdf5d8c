//! The simplifier and the intervals of expressions, on all expressions of two operators: no value
//! changes, and every value is in its interval.

use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::interval::Ranges;
use babycuda_core::{BigInt, Bool, IntType, Interval, MachineOp, Num, NumOp, simplify};
use std::sync::Arc;

/// The variables, each with its least and its greatest value.
const VARIABLES: [(&str, u32, u32); 2] = [("x", 0, 2), ("y", 1, 3)];

fn operators() -> Vec<NumOp> {
    let machine = |t| MachineOp::ALL.into_iter().map(move |op| NumOp::Machine(op, t));
    let natural = ArithOp::ALL.into_iter().map(NumOp::Natural);
    natural.chain([IntType::I8, IntType::U8].into_iter().flat_map(machine)).collect()
}

/// All expressions of one operator, and of two that stand below each other on either side.
fn expressions() -> Vec<Num> {
    let variables = VARIABLES.map(|(name, ..)| Num::var(name));
    let leaves: Vec<Num> = variables.into_iter().chain([0u32, 1, 254].map(Num::lit)).collect();
    let binary = |op, l: &Num, r: &Num| Num::Binary(op, Arc::new(l.clone()), Arc::new(r.clone()));
    let operators = operators();
    let pairs = |ls: &[Num], rs: &[Num]| -> Vec<Num> {
        let all = operators.iter().flat_map(|op| ls.iter().map(move |l| (*op, l)));
        all.flat_map(|(op, l)| rs.iter().map(move |r| binary(op, l, r))).collect()
    };
    let one = pairs(&leaves, &leaves);
    let select = |(i, n): (usize, &Num)| {
        let smaller = Bool::compare(Relation::Lt, leaves[i % 5].clone(), leaves[i / 5 % 5].clone());
        [
            Num::select(smaller, n.clone(), leaves[i % 3].clone()),
            Num::cast(IntType::I8, IntType::U32, n.clone()),
        ]
    };
    let selected: Vec<Num> = one.iter().enumerate().flat_map(select).collect();
    // Every seventh of those with two operators, which is prime to how many leaves there are.
    let two = pairs(&one, &leaves).into_iter().chain(pairs(&leaves, &one)).step_by(7);
    leaves.iter().cloned().chain(two).chain(selected).collect()
}

/// What an expression is at all values of the variables.
fn everywhere<T>(value: impl Fn(&[(&str, u32)]) -> T) -> Vec<T> {
    let [(x, low, high), (y, from, to)] = VARIABLES;
    (low..=high)
        .flat_map(|i| (from..=to).map(move |j| [(x, i), (y, j)]))
        .map(|v| value(&v))
        .collect()
}

#[test]
fn values_stay_as_they_are_and_within_their_intervals() {
    let mut ranges = Ranges::default();
    for (name, low, high) in VARIABLES {
        ranges.insert(name, Interval::new(low, high));
    }
    let at =
        |values: &[(&str, u32)]| values.iter().map(|(x, k)| ((*x).into(), Num::lit(*k))).collect();
    let (mut smaller, mut bounded) = (0, 0);
    for (i, n) in expressions().iter().enumerate() {
        let simple = simplify::num(n);
        let range = ranges.num(n);
        let values = everywhere(|values| {
            let value = |n: &Num| n.subst(&at(values)).value().expect("it is closed");
            assert_eq!(value(n), value(&simple), "{n} and {simple} at {values:?}");
            value(n)
        });
        for value in &values {
            let value = BigInt::from(value);
            assert!(range.contains(&value), "{n} may be {value}, which is not in {range:?}");
        }
        smaller += usize::from(simple != *n);
        bounded += usize::from(range.upper.is_some());
        let relation = Relation::ALL[i % Relation::ALL.len()];
        let truth = Bool::compare(relation, n.clone(), Num::lit((i % 4) as u32));
        let decided = ranges.bool(&truth);
        everywhere(|values| {
            let holds = |c: &Bool| c.subst(&at(values)).value().expect("it is closed");
            assert_eq!(holds(&truth), holds(&simplify::bool(&truth)), "{truth} at {values:?}");
            assert!(decided.is_none_or(|b| b == holds(&truth)), "{truth} at {values:?}");
        });
    }
    assert!(smaller >= 1_000 && bounded >= 1_000, "{smaller} smaller, {bounded} bounded");
}
