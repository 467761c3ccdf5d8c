//! What phases make of a cell, rule by rule.

use super::*;
use crate::history::{Accesses, HostMemory};
use crate::machine::IntType;
use crate::syntax::Scope;

fn cell(index: u32) -> Cell {
    Cell::new("A", index)
}

fn wrote(value: u32) -> Accesses {
    Accesses::default().write(cell(0), Natural::from(value))
}

fn update(op: AtomicOp, operand: u32) -> AtomicUpdate<Natural> {
    AtomicUpdate { op, operand: Natural::from(operand), expected: None }
}

/// The accesses, and then an atomic update of cell 0.
fn updated(accesses: &Accesses, op: AtomicOp, operand: u32) -> Accesses {
    accesses.atomic(cell(0), Scope::Device, update(op, operand))
}

fn added(operand: u32) -> Accesses {
    updated(&Accesses::default(), AtomicOp::Add(None), operand)
}

fn phase(threads: impl IntoIterator<Item = Accesses>) -> Phase {
    (0..).zip(threads).collect()
}

/// A history over a host that stored 100 in cell 0, phases oldest first.
fn history(phases: impl IntoIterator<Item = Phase>) -> History {
    let mut host = HostMemory::default();
    host.set(cell(0), Natural::from(100u32));
    phases.into_iter().fold(History::empty(host), |h, p| h.push(p))
}

fn after_phases(phases: impl IntoIterator<Item = Phase>) -> LastWrite {
    lastwrite(&cell(0), &history(phases))
}

fn one(value: u32) -> LastWrite {
    LastWrite::One(Natural::from(value))
}

/// Several values; the first one given is the one of the first thread.
fn several(values: impl IntoIterator<Item = u32>, exhaustive: bool) -> LastWrite {
    let values: Vec<Natural> = values.into_iter().map(Natural::from).collect();
    let first = values[0].clone();
    LastWrite::Several(Possible { values: values.into_iter().collect(), exhaustive, first })
}

#[test]
fn the_history_of_equation_1() {
    let write = |a: Accesses, j: u32, k: u32| a.write(cell(j), Natural::from(k));
    let empty = Accesses::default;
    let phase_0 = phase([write(empty(), 1, 9), write(empty(), 2, 10)]);
    let phase_1 = phase([write(empty(), 0, 0), write(empty().read(cell(0)), 0, 1)]);
    let h = History::empty(HostMemory::default()).push(phase_0).push(phase_1);
    assert_eq!(
        h.to_string(),
        "[{0: (∅, {0: 0}), 1: ({0}, {0: 1})}, {0: (∅, {1: 9}), 1: (∅, {2: 10})}]"
    );
    assert_eq!(lastwrite(&cell(0), &h), several([0, 1], true));
    assert_eq!(lastwrite(&cell(1), &h), one(9));
    assert_eq!(lastwrite(&cell(2), &h), one(10));
    assert_eq!(lastwrite(&cell(3), &h), LastWrite::Undefined);
    let races: Vec<String> = h.races().map(|r| r.to_string()).collect();
    assert_eq!(
        races,
        [
            "phase 1: thread 0 wr / thread 1 rd on A[0]",
            "phase 1: thread 0 wr / thread 1 wr on A[0]"
        ]
    );
    assert!(!h.is_drf());
}

#[test]
fn the_newest_writing_phase_decides_and_the_host_comes_last() {
    assert_eq!(after_phases([]), one(100));
    assert_eq!(after_phases([phase([wrote(1)]), phase([wrote(2)])]), one(2));
    let reader = phase([Accesses::default().read(cell(0))]);
    assert_eq!(after_phases([phase([wrote(1)]), reader]), one(1));
    assert_eq!(lastwrite(&cell(1), &history([])), LastWrite::Undefined);
}

#[test]
fn plain_writes_of_several_threads_are_a_relation() {
    assert_eq!(after_phases([phase([wrote(1), wrote(2)])]), several([1, 2], true));
    assert_eq!(after_phases([phase([wrote(3), wrote(3)])]), one(3));
    // An update before the thread's own write is overwritten in every order.
    let overwritten = added(5).write(cell(0), Natural::from(7u32));
    assert_eq!(after_phases([phase([overwritten, wrote(1)])]), several([7, 1], true));
}

#[test]
fn a_threads_own_operations_are_ordered() {
    let add = AtomicOp::Add(None);
    assert_eq!(after_phases([phase([updated(&wrote(1), add, 2)])]), one(3));
    let exchanged = updated(&updated(&wrote(1), AtomicOp::Exch, 9), add, 2);
    assert_eq!(after_phases([phase([exchanged])]), one(11));
    assert_eq!(after_phases([phase([added(2)])]), one(102));
}

#[test]
fn one_commutative_operator_gives_one_value() {
    assert_eq!(after_phases([phase([added(1), added(2), added(3)])]), one(106));
    let max = |m| updated(&Accesses::default(), AtomicOp::Max(Some(IntType::I32)), m);
    // As i32, 0xffff_ffff is -1.
    assert_eq!(after_phases([phase([max(0xffff_ffff), max(200)])]), one(200));
    // Phase by phase.
    let phases = [phase([wrote(1)]), phase([added(1), added(2)]), phase([added(4)])];
    assert_eq!(after_phases(phases), one(8));
    // On top of a racy phase, each possible value is updated.
    let phases = [phase([wrote(1), wrote(2)]), phase([added(1), added(2)])];
    assert_eq!(after_phases(phases), several([4, 5], true));
}

#[test]
fn where_the_order_decides_not_all_values_are_known() {
    let exch = |m| updated(&Accesses::default(), AtomicOp::Exch, m);
    assert_eq!(after_phases([phase([exch(1), exch(2)])]), several([1, 2], false));
    let typed = updated(&Accesses::default(), AtomicOp::Add(Some(IntType::U8)), 3);
    assert_eq!(after_phases([phase([added(200), typed])]), several([303, 47], false));
    assert_eq!(after_phases([phase([wrote(5), added(1)])]), several([5, 6], false));
    // Even when the listed values agree, others may exist.
    assert_eq!(after_phases([phase([wrote(5), added(0)])]), several([5], false));
    let opaque = updated(&wrote(5), AtomicOp::Opaque, 0);
    assert_eq!(after_phases([phase([opaque])]), several([5], false));
}

#[test]
fn an_update_of_values_that_are_not_all_known_makes_none_certain() {
    let exch = |m| updated(&Accesses::default(), AtomicOp::Exch, m);
    let phases = [phase([exch(1), exch(2)]), phase([added(1)])];
    assert_eq!(after_phases(phases), several([2, 3], false));
    // One listed value is not one possible value.
    let phases = [phase([wrote(5), added(0)]), phase([added(1), added(2)])];
    assert_eq!(after_phases(phases), several([8], false));
}

/// Phase `number`, of two updates whose order decides.
fn mixed(number: u32) -> Phase {
    let t = IntType::U32;
    let add = updated(&Accesses::default(), AtomicOp::Add(Some(t)), 3u32.wrapping_pow(number));
    let xor = updated(&Accesses::default(), AtomicOp::Xor(t), 5u32.wrapping_pow(number));
    phase([add, xor])
}

#[test]
fn the_values_do_not_double_for_ever_and_what_is_cut_is_not_called_complete() {
    for phases in 1..=40 {
        let LastWrite::Several(Possible { values, exhaustive, first }) =
            after_phases((0..phases).map(mixed))
        else {
            panic!("the order decides");
        };
        assert!(values.contains(&first) && values.len() <= MAX_LISTED);
        assert!(!exhaustive, "{phases} phases");
        assert!(phases < 10 || values.len() > MAX_LISTED / 4, "{phases}: {}", values.len());
        // One that decides makes the list complete again.
        let newer = (0..phases).map(mixed).chain([phase([wrote(1), wrote(2)])]);
        assert_eq!(after_phases(newer), several([1, 2], true));
    }
}

#[test]
fn all_values_of_a_racy_phase_are_listed_and_updates_make_no_more() {
    let racy = phase((0..100).map(|i| wrote(1000 * i)));
    let LastWrite::Several(all) = after_phases([racy.clone()]) else { panic!() };
    assert_eq!((all.values.len(), all.exhaustive), (100, true));
    let LastWrite::Several(cut) = after_phases([racy, mixed(1)]) else { panic!() };
    assert_eq!((cut.values.len(), cut.exhaustive), (100, false));
    assert!(cut.values.contains(&cut.first));
}

#[test]
fn an_update_of_an_undefined_cell_is_undefined() {
    let at = |op| {
        let log = update(op, 1);
        Accesses::default().atomic(cell(1), Scope::Device, log)
    };
    let add = AtomicOp::Add(None);
    for threads in [vec![at(add)], vec![at(add), at(add)], vec![at(add), at(AtomicOp::Exch)]] {
        assert_eq!(lastwrite(&cell(1), &history([phase(threads)])), LastWrite::Undefined);
    }
}
