//! The smallest machine that says the same: states that no labels tell apart become one (Moore).

use babycuda_core::shadow::{Machine, State};
use std::collections::HashMap;

/// For each state, the number of its class. Two states are of one class iff the same words of labels
/// lead from them to the race. Classes are numbered in the order of their first states.
pub fn classes(machine: &Machine) -> Vec<State> {
    let states = 0..machine.names().len() as State;
    let mut class: Vec<State> = states.clone().map(|q| State::from(q == machine.race())).collect();
    loop {
        let mut numbers = HashMap::new();
        let finer = states.clone().map(|q| {
            let next = machine.chain().labels().map(|l| class[usize::from(machine.next(q, l))]);
            let key: (State, Vec<State>) = (class[usize::from(q)], next.collect());
            let fresh = numbers.len() as State;
            *numbers.entry(key).or_insert(fresh)
        });
        let finer: Vec<State> = finer.collect();
        if finer == class {
            return class;
        }
        class = finer;
    }
}

/// The machine of the classes; each has the name of its first state. (There is always one: it has no more
/// states, and each of them has its next ones.)
pub(super) fn minimal(machine: &Machine) -> Option<Machine> {
    let class = classes(machine);
    let first = |c: State| class.iter().position(|other| *other == c).unwrap_or_default();
    let count = class.iter().max().map_or(0, |c| c + 1);
    let names = (0..count).map(|c| machine.names()[first(c)].clone()).collect();
    let race = class[usize::from(machine.race())];
    let next = |c, label| class[usize::from(machine.next(first(c) as State, label))];
    Machine::new(machine.chain().clone(), names, race, next)
}
