//! Every closed form against the recurrence that it solves, run step by step.

use super::*;
use crate::arith::cast;
use babycuda_core::Natural;
use std::collections::BTreeMap;

/// More iterations than a variable has bits, and of 8 bits, than it has values.
fn rounds(t: IntType) -> u64 {
    if t.width.bits() == 8 { 300 } else { 70 }
}

fn at(width_of: IntType, signed: bool) -> IntType {
    IntType { signed, ..width_of }
}

/// Runs `x := next` from `start` and compares with the closed forms, variable by variable.
/// Answers which variables have one.
fn run(t: IntType, next: &[Num], start: &[u64]) -> Vec<bool> {
    let names: Vec<Name> = (0..next.len()).map(|v| Name::new(format!("x{v}"))).collect();
    let value = |n: &Num| Value::Int(t, n.clone());
    let symbols: Vec<Value> = names.iter().map(|x| value(&Num::Var(x.clone()))).collect();
    let next_values: Vec<Value> = next.iter().map(value).collect();
    let entry: Vec<Value> = start.iter().map(|s| value(&lit(*s))).collect();
    let recurrences = Recurrences { names: names.clone(), symbols, next: next_values, entry };
    let mut ranges = Known::default();
    let counter = Name::new("k");
    ranges.set(counter.clone(), IntType::U64, (0, i128::from(u64::MAX)));
    let closed = recurrences.solve(&ranges, &|_| false);
    let forms: Vec<Option<Num>> = (0..next.len())
        .map(|v| recurrences.at(v, &closed, &Num::Var(counter.clone()), &ranges))
        .collect();
    let mut state: BTreeMap<Name, Natural> =
        names.iter().zip(start).map(|(x, s)| (x.clone(), Natural::from(*s))).collect();
    for k in 0..rounds(t) {
        for (v, x) in names.iter().enumerate() {
            let Some(form) = &forms[v] else { continue };
            let k = Natural::from(k);
            let found = form.eval(&|y| (*y == counter).then(|| k.clone())).expect("closed");
            assert_eq!(found, state[x], "{x} at {t} in round {k}: {} is {form}", next[v]);
        }
        let after = next.iter().map(|n| n.eval(&|y| state.get(y).cloned()).expect("closed"));
        let after: Vec<Natural> = after.collect();
        state = names.iter().cloned().zip(after).collect();
    }
    forms.iter().map(Option::is_some).collect()
}

/// Values at the ends of a type and in between.
fn edges(t: IntType) -> Vec<u64> {
    let mask = t.width.mask();
    let half = mask / 2;
    [0, 1, 2, 3, 5, 7, 8, 64, 100, half - 1, half, half + 1, mask - 6, mask - 1, mask]
        .into_iter()
        .map(|v| v & mask)
        .collect()
}

/// One variable: every operator with every literal on either side, at both signs, from every
/// start; also twice in a row, and as the result of an operator at a wider type.
#[test]
fn closed_forms_are_what_the_recurrences_compute() {
    let mut solved = BTreeMap::new();
    for t in IntType::ALL {
        let x = || Num::var("x0");
        let wide = if t.width.bits() < 32 { IntType::I32 } else { IntType::I64 };
        let ranges = Known::default();
        for op in MachineOp::ALL {
            for c in edges(t) {
                let mut nexts = vec![
                    cast(wide, t, machine(op, wide, cast(t, wide, x(), &ranges), lit(c)), &ranges),
                    machine(op, t, x(), x()),
                ];
                for signed in [false, true] {
                    let u = at(t, signed);
                    nexts.push(machine(op, u, x(), lit(c)));
                    nexts.push(machine(op, u, lit(c), x()));
                    nexts.push(machine(op, u, machine(MachineOp::Add, t, x(), lit(3)), lit(c)));
                    let shifted = machine(MachineOp::Sub, u, lit(5), lit(c));
                    nexts.push(machine(MachineOp::Sub, t, machine(op, u, x(), lit(c)), shifted));
                }
                for next in nexts {
                    for start in [0, 1, 100, t.width.mask() / 2 + 1, t.width.mask()] {
                        let found = run(t, std::slice::from_ref(&next), &[start & t.width.mask()]);
                        *solved.entry((t, op)).or_insert(0) += usize::from(found[0]);
                    }
                }
            }
        }
    }
    for t in IntType::ALL {
        use MachineOp::{Add, Div, Mul, Shl, Shr, Sub, Xor};
        for op in [Add, Sub, Mul, Div, Shl, Shr, Xor] {
            assert!(solved[&(t, op)] > 0, "no {op:?} at {t} has a closed form");
        }
    }
}

/// Variables that follow others: `y := f(x)`, `z := g(y)` beside `x := h(x)`.
#[test]
fn forms_that_build_on_others() {
    use MachineOp::{Add, Mul, Shr, Sub, Xor};
    let mut solved = 0;
    for t in IntType::ALL {
        let [x, y] = [0, 1].map(|v| Num::var(format!("x{v}")));
        for first in [Add, Sub, Mul, Shr, Xor] {
            for second in [Add, Sub, Mul, Xor] {
                for c in edges(t) {
                    let next = [
                        machine(first, t, x.clone(), lit(c)),
                        machine(second, t, x.clone(), lit(3)),
                        machine(Add, t, machine(Mul, t, y.clone(), lit(c)), x.clone()),
                    ];
                    let found = run(t, &next, &[1, c, 9]);
                    solved += usize::from(found == [true; 3]);
                }
            }
        }
    }
    assert!(solved > 100, "{solved}");
}
