//! Intervals contain every value that expressions have, and what they simplify stays equal.

use super::*;
use crate::arith;
use babycuda_core::expr::Relation;
use babycuda_core::{Bool, MachineOp, Natural};

/// A small generator of numbers (xorshift), so that a failure can be repeated.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n.max(1)
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// A value of type `t`, often near an end of it or near 0.
    fn value(&mut self, t: IntType) -> i128 {
        let (low, high) = full(t);
        let near = i128::from(self.next() % 4);
        match self.below(5) {
            0 => low + near,
            1 => high - near,
            2 => t.read(self.next()),
            3 => t.read((self.next() % 300).wrapping_sub(100)),
            _ => near,
        }
    }
}

/// A C expression of integers: an independent meaning for what the front end builds.
enum Tree {
    Lit(IntType, i128),
    /// Variable `x{number}`, of the type.
    Var(IntType, usize),
    Binary(MachineOp, IntType, Box<(Tree, Tree)>),
    Cast(IntType, Box<Tree>),
    Select(Relation, IntType, Box<(Tree, Tree)>, Box<(Tree, Tree)>),
}

const VARIABLES: usize = 8;

/// The type of a variable.
fn type_of(variable: usize) -> IntType {
    IntType::ALL[variable % IntType::ALL.len()]
}

impl Tree {
    fn random(noise: &mut Noise, t: IntType, depth: usize) -> Tree {
        let pair = |noise: &mut Noise, t| {
            Box::new((Tree::random(noise, t, depth - 1), Tree::random(noise, t, depth - 1)))
        };
        match noise.below(if depth == 0 { 2 } else { 8 }) {
            0 => Tree::Lit(t, noise.value(t)),
            1 => {
                let of_type = |v: &usize| type_of(*v) == t;
                let variables: Vec<usize> = (0..VARIABLES).filter(of_type).collect();
                Tree::Var(t, noise.pick(&variables))
            }
            2 => {
                let at = noise.pick(&IntType::ALL);
                let relation = noise.pick(&Relation::ALL);
                Tree::Select(relation, at, pair(noise, at), pair(noise, t))
            }
            3..=5 => {
                let from = noise.pick(&IntType::ALL);
                Tree::Cast(t, Box::new(Tree::random(noise, from, depth - 1)))
            }
            _ => Tree::Binary(noise.pick(&MachineOp::ALL), t, pair(noise, t)),
        }
    }

    fn t(&self) -> IntType {
        match self {
            Tree::Lit(t, _) | Tree::Var(t, _) | Tree::Binary(_, t, _) | Tree::Cast(t, _) => *t,
            Tree::Select(_, _, _, sides) => sides.0.t(),
        }
    }

    /// The value, when the variables have the given ones.
    fn value(&self, variables: &[i128]) -> i128 {
        match self {
            Tree::Lit(_, value) => *value,
            Tree::Var(_, v) => variables[*v],
            Tree::Binary(op, t, sides) => {
                let [l, r] = [&sides.0, &sides.1].map(|side| t.write(side.value(variables)));
                t.read(op.apply(*t, l, r))
            }
            Tree::Cast(t, from) => t.read(t.write(from.value(variables))),
            Tree::Select(relation, _, test, sides) => {
                let order = test.0.value(variables).cmp(&test.1.value(variables));
                if relation.holds(order) { &sides.0 } else { &sides.1 }.value(variables)
            }
        }
    }

    /// The expression, as the front end builds it.
    fn num(&self, ranges: &Known) -> Num {
        match self {
            Tree::Lit(t, value) => Num::lit(t.write(*value)),
            Tree::Var(_, v) => Num::var(format!("x{v}")),
            Tree::Binary(op, t, sides) => {
                arith::machine(*op, *t, sides.0.num(ranges), sides.1.num(ranges))
            }
            Tree::Cast(t, from) => arith::cast(from.t(), *t, from.num(ranges), ranges),
            Tree::Select(relation, t, test, sides) => {
                let (l, r) = (test.0.num(ranges), test.1.num(ranges));
                let condition = arith::compare(*relation, *t, l, r, ranges);
                arith::select(condition, sides.0.num(ranges), sides.1.num(ranges))
            }
        }
    }
}

/// Nested operators of different widths and signs: the simplified expression means what C says,
/// at every type its interval contains its value, and comparisons are decided rightly; also with
/// facts about its parts.
#[test]
fn nested_expressions_stay_inside_their_intervals() {
    let mut noise = Noise(41);
    let mut checked = 0;
    for round in 0..60_000 {
        let depth = 1 + round % 4;
        let t = noise.pick(&IntType::ALL);
        let tree = Tree::random(&mut noise, t, depth);
        let mut ranges = Known::default();
        let mut limits = Vec::new();
        for v in 0..VARIABLES {
            let (a, b) = (noise.value(type_of(v)), noise.value(type_of(v)));
            limits.push((a.min(b), a.max(b)));
            ranges.set(Name::new(format!("x{v}")), type_of(v), limits[v]);
        }
        let variables: Vec<i128> = limits
            .iter()
            .map(|(low, high)| match noise.below(3) {
                0 => *low,
                1 => *high,
                _ => low + (i128::from(noise.next()) % (high - low + 1)),
            })
            .collect();
        if round % 2 == 1 {
            // A fact, true of these values, about an expression that may be a part.
            let at = noise.pick(&IntType::ALL);
            let part = Tree::random(&mut noise, at, 1);
            let value = part.value(&variables);
            let more = noise.value(at);
            let num = part.num(&ranges);
            ranges.assume(&num, at, (value.min(more), value.max(more)));
        }
        let num = tree.num(&ranges);
        let value = tree.value(&variables);
        let pattern = |x: &Name| {
            let v: usize = x.as_str()[1..].parse().ok()?;
            Some(Natural::from(type_of(v).write(variables[v])))
        };
        let found = num.eval(&pattern).expect("every variable has a value");
        let say = || format!("{num} = {found}, C says {value} at {t}; {variables:?}");
        assert_eq!(found, Natural::from(t.write(value)), "{}", say());
        for at in IntType::ALL {
            let read = at.read(at.pattern(&found));
            let (low, high) = ranges.of(&num, at);
            assert!(low <= read && read <= high, "{low}..{high} at {at}: {}", say());
            let limit = noise.value(at);
            for relation in Relation::ALL {
                let bound = Num::lit(at.write(limit));
                let decided = arith::compare(relation, at, num.clone(), bound, &ranges);
                if let Bool::Lit(truth) = decided {
                    checked += 1;
                    let holds = relation.holds(read.cmp(&limit));
                    assert_eq!(truth, holds, "{relation:?} {limit} at {at}: {}", say());
                }
            }
        }
        if let Some((low, high)) = ranges.natural(&num) {
            let natural = i128::from(found.to_u64().expect("a pattern"));
            assert!(low <= natural && natural <= high, "{low}..{high}: {}", say());
        }
    }
    assert!(checked > 10_000, "{checked}");
}
