//! Histories as programs.

use crate::situation::Situation;
use babycuda_core::expr::Relation;
use babycuda_core::history::{HostArray, HostMemory};
use babycuda_core::syntax::{ArrayDecl, AtomicOp, AtomicUpdate, Contents, Domain, Param, Scope};
use babycuda_core::{
    AccessMode, Accesses, Bool, Cell, History, LastWrite, Name, Natural, Num, Phase, Program,
    Protocol, Stmt, history::lastwrite,
};
use std::collections::BTreeMap;

pub(crate) fn program(situation: &Situation) -> Program {
    let Situation { history, subject, .. } = situation;
    let mut parts = Vec::new();
    for (number, phase) in history.chronological() {
        if number > 0 {
            parts.push(Stmt::sync());
        }
        parts.extend(phase.threads().map(|(i, accesses)| alone(i, thread(accesses))));
    }
    parts.push(subject.program().clone());
    let body = Stmt::sequence(parts);
    with_memory(Program::of_body(body).with_launch(subject.block().launch), history.host())
}

/// The program with its arrays declared to hold what `host` holds. What a declaration cannot say,
/// thread 0 writes before everything else.
pub(crate) fn with_memory(program: Program, host: &HostMemory) -> Program {
    let mut stores = Vec::new();
    let mut arrays = program.arrays.clone();
    for (name, array) in host.arrays() {
        let (contents, rest) = declared(array);
        let store = |(j, k): (&Natural, &Natural)| {
            Stmt::write(name.clone(), Num::Lit(j.clone()), Num::Lit(k.clone()))
        };
        stores.extend(rest.into_iter().flatten().map(store));
        match arrays.iter_mut().find(|a| a.name == *name) {
            Some(declaration) => declaration.contents = contents,
            None => arrays.push(ArrayDecl { contents, ..ArrayDecl::implicit(name.clone()) }),
        }
    }
    if stores.is_empty() {
        return program.with_arrays(arrays);
    }
    let before = Stmt::seq(alone(0, Stmt::sequence(stores)), Stmt::sync());
    let body = Stmt::seq(before, program.body.clone()).numbered();
    Program { body, ..program.with_arrays(arrays) }
}

/// The declaration of an array, and the cells that it leaves out.
fn declared(
    array: &HostArray,
) -> (Contents, Option<impl Iterator<Item = (&Natural, &Natural)> + use<'_>>) {
    let dense = (0u64..).zip(array.cells.keys()).all(|(i, j)| *j == Natural::from(i));
    match &array.fill {
        Some(fill) => (Contents::Fill(fill.clone()), Some(array.cells.iter())),
        None if array.cells.is_empty() => (Contents::Undefined, None),
        None if dense => (Contents::Values(array.cells.values().cloned().collect()), None),
        None => (Contents::Undefined, Some(array.cells.iter())),
    }
}

fn alone(thread: u64, then: Stmt) -> Stmt {
    let guard = Bool::compare(Relation::Eq, Num::var("tid"), Num::lit(thread));
    Stmt::branch(guard, then, Stmt::Skip)
}

/// Writes first, so that a thread reads what it wrote; then the atomic updates.
fn thread(accesses: &Accesses) -> Stmt {
    let write = |(cell, value): (&Cell, &Natural)| {
        Stmt::write(cell.array.clone(), Num::Lit(cell.index.clone()), Num::Lit(value.clone()))
    };
    let read =
        |cell: &Cell| Stmt::read("x", cell.array.clone(), Num::Lit(cell.index.clone()), Stmt::Skip);
    let mut parts: Vec<Stmt> = accesses.writes.iter().map(write).collect();
    for (cell, log) in &accesses.atomics {
        let scope = log.scopes.get_min().copied().unwrap_or_default();
        parts.extend(log.updates.iter().map(|update| atomic(cell, scope, update)));
    }
    parts.extend(accesses.reads.iter().map(read));
    Stmt::sequence(parts)
}

fn atomic(cell: &Cell, scope: Scope, update: &AtomicUpdate<Natural>) -> Stmt {
    let update = AtomicUpdate {
        op: update.op,
        operand: Num::Lit(update.operand.clone()),
        expected: update.expected.clone().map(Num::Lit),
    };
    let index = Num::Lit(cell.index.clone());
    Stmt::atomic("x", cell.array.clone(), index, update, scope, Stmt::Skip)
}

/// The first read of the history that no program can have made: of a cell that the reading thread
/// did not write in the phase, and that nothing before defined.
pub fn unrealizable_read(history: &History) -> Option<(u64, Cell)> {
    let mut before = History::empty(history.host().clone());
    for (_, phase) in history.chronological() {
        for (i, accesses) in phase.threads() {
            let own = before.push(Phase::singleton(i, accesses.clone()));
            let undefined = |cell: &&Cell| lastwrite(cell, &own) == LastWrite::Undefined;
            if let Some(cell) = accesses.reads.iter().find(undefined) {
                return Some((i, cell.clone()));
            }
        }
        before = before.push(phase.clone());
    }
    None
}

/// A program with these accesses: reads are of variables that nothing uses, writes store 0.
pub(crate) fn program_of_protocol(protocol: &Protocol) -> Stmt {
    match protocol {
        Protocol::Skip => Stmt::Skip,
        Protocol::Access { mode, array, index, .. } => match mode {
            AccessMode::Rd => Stmt::read("'", array.clone(), index.clone(), Stmt::Skip),
            AccessMode::Wr => Stmt::write(array.clone(), index.clone(), Num::lit(0u32)),
            AccessMode::At(scope) => {
                let op = AtomicOp::Add(None);
                let update = AtomicUpdate { op, operand: Num::lit(1u32), expected: None };
                Stmt::atomic("'", array.clone(), index.clone(), update, *scope, Stmt::Skip)
            }
        },
        Protocol::Seq(p, q) => Stmt::seq(program_of_protocol(p), program_of_protocol(q)),
        Protocol::If { condition, then, otherwise, .. } => Stmt::branch(
            condition.clone(),
            program_of_protocol(then),
            program_of_protocol(otherwise),
        ),
        Protocol::For { sort, var, lower, upper, body, .. } => Stmt::repeat(
            *sort,
            var.clone(),
            lower.clone(),
            upper.clone(),
            program_of_protocol(body),
        ),
        Protocol::Sync { scope, .. } => Stmt::barrier(*scope),
        Protocol::Input { var, array, index, body, .. } => {
            Stmt::read(var.clone(), array.clone(), index.clone(), program_of_protocol(body))
        }
        Protocol::Any { var, body, .. } => {
            Stmt::read(var.clone(), "data", Num::lit(0u32), program_of_protocol(body))
        }
    }
}

/// The program with parameters of these values.
pub(crate) fn with_parameters(mut program: Program, values: &BTreeMap<Name, Natural>) -> Program {
    let param = |(name, value): (&Name, &Natural)| Param {
        name: name.clone(),
        domain: Domain::Natural,
        value: Some(value.clone()),
    };
    program.params = values.iter().map(param).collect();
    program
}
