//! The barriers of LGAGJL12 §3.4: as printed, and such that work.

use super::step::{Command, Edge, Operand};
use babycuda_core::expr::Relation;

fn load(x: &'static str, g: &'static str) -> Command {
    Command::Read(x, g, Operand::Number(0), false)
}

fn store(g: &'static str, value: Operand) -> Command {
    Command::Write(g, Operand::Number(0), value, false)
}

fn plus(x: &'static str, n: u64) -> Operand {
    Operand::Sum(Box::new([x.into(), n.into()]))
}

fn minus(x: &'static str, n: u64) -> Operand {
    Operand::Difference(Box::new([x.into(), n.into()]))
}

fn equal(x: &'static str, y: impl Into<Operand>) -> Command {
    Command::Assume(Operand::Local(x).compare(Relation::Eq, y))
}

fn later() -> Command {
    Command::Assign("timestamp", plus("timestamp", 1))
}

/// The barrier between two locations, by the three edges that are printed; `wait` and `go` are the new locations.
pub fn printed_barrier(from: usize, [wait, go]: [usize; 2], to: usize) -> Vec<Edge> {
    let arrive = vec![
        equal("flag", 0),
        Command::Assign("flag", Operand::Number(1)),
        load("seen", "count"),
        store("count", plus("seen", 1)),
    ];
    let pass = vec![load("seen", "count"), equal("seen", "blockDim"), later()];
    let leave = vec![
        load("seen", "count"),
        equal("threadIdx", "seen"),
        Command::Assign("flag", Operand::Number(0)),
        store("count", minus("seen", 1)),
    ];
    vec![(from, wait, arrive), (wait, go, pass), (go, to, leave)]
}

/// A barrier that works for threads of any numbers: the last one that arrives opens a gate, the last one that
/// leaves closes it, and nobody arrives at the next barrier while it is open.
pub fn repaired_barrier(from: usize, wait: usize, to: usize) -> Vec<Edge> {
    let arrive = |last: bool| {
        let relation = if last { Relation::Eq } else { Relation::Ne };
        let here = Operand::Sum(Box::new(["seen".into(), 1.into()]));
        let mut commands = vec![
            load("open", "gate"),
            equal("open", 0),
            load("seen", "count"),
            Command::Assume(here.compare(relation, "blockDim")),
            store("count", plus("seen", 1)),
        ];
        commands.extend(last.then(|| store("gate", Operand::Number(1))));
        (from, wait, commands)
    };
    let leave = |last: bool| {
        let relation = if last { Relation::Eq } else { Relation::Ne };
        let mut commands = vec![
            load("open", "gate"),
            equal("open", 1),
            load("seen", "count"),
            Command::Assume(Operand::Local("seen").compare(relation, 1)),
            store("count", minus("seen", 1)),
            later(),
        ];
        commands.extend(last.then(|| store("gate", Operand::Number(0))));
        (wait, to, commands)
    };
    vec![arrive(false), arrive(true), leave(false), leave(true)]
}
