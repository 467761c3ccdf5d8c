//! Another machine beside the exact one, and what to change in it.

use super::*;
use babycuda_core::shadow::Label;
use babycuda_detectors::hirace::{Change, compare, events, repair};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn changed(machine: &Machine, changes: &[Change]) -> Machine {
    let next = |state, label| {
        let change = changes.iter().find(|c| (c.state, c.label) == (state, label));
        change.map_or(machine.next(state, label), |change| change.next)
    };
    let names = machine.names().to_vec();
    Machine::new(machine.chain().clone(), names, machine.race(), next).expect("a machine")
}

/// A repair undoes the damage, with as few changes.
#[test]
fn a_damaged_machine_is_repaired() {
    let exact = Machine::exact();
    let labels: Vec<Label> = exact.chain().labels().collect();
    for damage in 1..8u16 {
        let fault = |i: u16| Change {
            state: 2 + i * 2 % 19,
            label: labels[usize::from(i) * 7 % labels.len()],
            next: (i + damage) % 21,
        };
        let faults: Vec<Change> = (0..damage).map(fault).collect();
        let damaged = changed(&exact, &faults);
        let repair = repair(&damaged, &exact).expect("as many states as before");
        assert!(repair.len() <= faults.len(), "{repair:?}");
        assert_eq!(compare(&changed(&damaged, &repair), &exact), []);
        let differs = |f: &&Change| exact.next(f.state, f.label) != f.next;
        assert_eq!(repair.len(), faults.iter().filter(differs).count());
    }
}

/// How many cells of two states differ.
fn apart(machine: &Machine, [a, b]: [State; 2]) -> usize {
    machine.chain().labels().filter(|l| machine.next(a, *l) != machine.next(b, *l)).count()
}

/// A state that should stand for one whose cells lead to it, and not for the one whose cells it has.
#[test]
fn what_leads_to_a_state_says_what_it_stands_for() {
    let exact = Machine::exact();
    let pairs = (2..21).flat_map(|a| (2..21).map(move |b| [a, b])).filter(|[a, b]| a != b);
    let [own, wanted] = pairs.min_by_key(|pair| apart(&exact, *pair)).expect("two states");
    let mut redirected = 0;
    let names = [exact.names(), &["MORE".to_owned()]].concat();
    let machine = Machine::new(exact.chain().clone(), names, exact.race(), |state, label| {
        match (state, exact.next(if state == 21 { own } else { state }, label)) {
            (0..21, next) if next == wanted && state != wanted => {
                redirected += 1;
                21
            }
            (_, next) => next,
        }
    });
    let machine = machine.expect("a machine");
    let few = apart(&exact, [own, wanted]);
    assert!(few < redirected, "{few} {redirected}");
    let changes = repair(&machine, &exact).expect("enough states");
    assert_eq!(compare(&changed(&machine, &changes), &exact), []);
    assert!(changes.len() <= few + 1, "{changes:?}");
}

/// A state that stands for two is wrong for one of them.
#[test]
fn a_state_for_two_is_found() {
    let exact = Machine::exact();
    for [a, b] in (2..21).flat_map(|a| (2..21).map(move |b| [a, b])).filter(|[a, b]| a != b) {
        let next = |state, label| match exact.next(state, label) {
            next if next == b => a,
            next => next,
        };
        let names = exact.names().to_vec();
        let machine = Machine::new(exact.chain().clone(), names, exact.race(), next);
        let found = compare(&machine.expect("a machine"), &exact);
        assert!(found.iter().any(|d| d.state == a), "{a} for {b}: {found:?}");
    }
}

#[test]
fn too_few_states_cannot_be_repaired() {
    let exact = Machine::exact();
    let names = exact.names()[..20].to_vec();
    let next = |state, label| exact.next(state, label).min(19);
    let small = Machine::new(exact.chain().clone(), names, 1, next).expect("a machine");
    assert_eq!(repair(&small, &exact), None);
}

/// The table that `BABYCUDA_HIRACE_TABLE` names, or that lies beside the workspace.
fn given() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let beside = beside.join("hirace_fsm_published.csv");
    let named = std::env::var_os("BABYCUDA_HIRACE_TABLE").map(PathBuf::from);
    named.or_else(|| beside.exists().then_some(beside))
}

/// What differs in the published table, where it is given, and how to mend it: `docs/HIRACE.md`.
#[test]
fn the_published_machine() {
    let Some(path) = given() else { return };
    let text = std::fs::read_to_string(&path).expect("a table");
    let exact = Machine::exact();
    let chain = exact.chain().clone();
    let given = Machine::from_csv(&text, chain.clone()).unwrap_or_else(|e| panic!("{e}"));
    let name = |state: State| &given.names()[usize::from(state)];
    assert_eq!(given.names().len() * chain.labels().count(), 1200);
    // Without atomics it is exact (T9).
    let is_atomic = |label: &Label| matches!(label.mode, AccessMode::At(_));
    assert!(compare(&given, &exact).iter().all(|d| d.trace.iter().any(is_atomic)));
    let shape = two_of_each(&chain);
    let last = |events: &[Event]| name(*states(&given, &shape, events).last().expect("a state"));
    let unordered = [access(W, 0), barrier(1, 0), access(GA, 0), access(GA, 1), access(R, 1)];
    assert_eq!(last(&unordered), "WRITE");
    assert_eq!(last(&[access(R, 0), barrier(2, 0), access(GA, 0), access(GA, 1)]), "RACE");
    let mut page =
        String::from("| state | access | the machine says | shortest trace |\n|---|---|---|---|\n");
    for d in compare(&given, &exact) {
        let says = if d.races { "no race" } else { "race" };
        let trace: Vec<String> = events(&d.trace).iter().map(|e| e.show(&chain)).collect();
        let (state, label, trace) = (name(d.state), chain.show(d.label), trace.join("; "));
        let _ = writeln!(page, "| {state} | {label} | {says} | `{trace}` |");
    }
    let changes = repair(&given, &exact).expect("enough states");
    assert_eq!(compare(&changed(&given, &changes), &exact), []);
    page += "\n| state | access | next | repaired |\n|---|---|---|---|\n";
    for c in &changes {
        let (state, label) = (name(c.state), chain.show(c.label));
        let (next, repaired) = (name(given.next(c.state, c.label)), name(c.next));
        let _ = writeln!(page, "| {state} | {label} | {next} | {repaired} |");
    }
    crate::common::holds_behind_its_mark("HIRACE.md", &page);
}
