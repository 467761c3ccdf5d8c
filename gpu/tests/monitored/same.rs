//! A monitored run beside a logged one.

use super::definition::{Place, Races, races};
use babycuda_core::syntax::{Space, Tree};
use babycuda_core::{AccessMode, Name, Program};
use babycuda_gpu::compiled::{CompiledError, MonitorKernel, MonitorReport};
use babycuda_gpu::emit::{MonitorOptions, WordBits, flag};
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{JobOptions, Report};
use babycuda_semantics::Instance;
use std::collections::BTreeSet;

/// The arrays with accesses that conflict.
pub fn watched(program: &Program) -> BTreeSet<Name> {
    let modes = |name: &Name| -> BTreeSet<AccessMode> {
        let accesses = program.body.subterms().filter_map(|b| b.head().access());
        accesses.filter(|(_, array)| *array == name).map(|(mode, _)| mode).collect()
    };
    let conflict = |array: &&babycuda_core::syntax::ArrayDecl| {
        let modes = modes(&array.name);
        // Shared arrays are of one block.
        let alone = array.space == Space::Shared;
        modes.iter().any(|a| modes.iter().any(|b| a.conflicts(*b, alone)))
    };
    program.arrays.iter().filter(conflict).map(|array| array.name.clone()).collect()
}

/// Runs a program with words of a width, and compares what it says with what the definition says of its logged run,
/// cell by cell. The report, where there is a text.
pub fn compare<B: TextBackend>(
    backend: &mut B,
    instance: &Instance,
    reports: &[Report],
    options: &JobOptions,
    words: WordBits,
    runs: usize,
) -> Option<MonitorReport> {
    let monitor = MonitorOptions { words: Some(words), ..MonitorOptions::default() };
    let program = &instance.program;
    let kernel = match MonitorKernel::new(backend, instance, options, &monitor) {
        Ok(kernel) => kernel,
        Err(CompiledError::Emit(_)) => return None,
        Err(error) => panic!("{error}\n{program}"),
    };
    let expected = races(reports, &watched(program));
    let mut last = None;
    for _ in 0..runs {
        let found = kernel.run(backend).unwrap_or_else(|e| panic!("{e}\n{program}"));
        let said = || format!("{program}\n{:#?}\n{}", instance.configuration, kernel.text().text);
        let flags = if expected.partial { flag::PARTIAL } else { 0 };
        assert_eq!(found.flags, flags, "{}", said());
        same(&expected, &found, &said);
        last = Some(found);
    }
    last
}

fn same(expected: &Races, found: &MonitorReport, said: &dyn Fn() -> String) {
    let cells: Vec<Place> = found.findings.iter().map(place).collect();
    let distinct: BTreeSet<&Place> = cells.iter().collect();
    assert_eq!((distinct.len(), cells.len()), (found.racy as usize, found.racy as usize));
    let missed: Vec<_> = expected.cells.keys().filter(|cell| !distinct.contains(cell)).collect();
    let wrong: Vec<_> = distinct.iter().filter(|cell| !expected.cells.contains_key(cell)).collect();
    let known = (missed.is_empty(), wrong.is_empty());
    assert!(known == (true, true), "missed: {missed:?}\nwrong: {wrong:?}\n{}", said());
    for finding in &found.findings {
        // The access that a race is found at takes part in one.
        let racing = &expected.cells[&place(finding)];
        assert!(racing.contains(&finding.thread), "{finding:?}\n{}", said());
    }
}

/// The cell of a race.
pub fn place(finding: &babycuda_gpu::compiled::Finding) -> Place {
    let own = finding.space == Space::Shared;
    (own.then_some(finding.thread.block), finding.cell.clone())
}
