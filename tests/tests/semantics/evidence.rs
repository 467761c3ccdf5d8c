//! A right derivation is evidence only for the program, launch, parameters and memory from which it
//! comes.

use babycuda_core::history::HostArray;
use babycuda_core::parse::parse_program;
use babycuda_core::syntax::{Domain, Extent};
use babycuda_core::{
    Accesses, Bool, Cell, Dim3, History, HostMemory, IntType, Launch, Natural, Num, Phase, Program,
};
use babycuda_semantics::{Block, Instance, RunEvidence, RunOptions, blocks, check_run};

fn program(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}")).without_sources()
}

/// The evidence of a run of the instance, from its start or from another history.
fn evidence_from(instance: &Instance, start: &History) -> RunEvidence {
    let run = blocks::run(start, &instance.body(), instance.block(), &RunOptions::default());
    let derivation = run.derivation.unwrap_or_else(|| panic!("{:?}", run.outcome));
    RunEvidence::new(instance, &run.choices, (*derivation).clone())
}

fn evidence(instance: &Instance) -> RunEvidence {
    evidence_from(instance, &instance.start())
}

fn instance(text: &str) -> Instance {
    Instance::new(program(text), Launch::threads(2))
}

#[track_caller]
fn refused(wrong: &RunEvidence, expected: &str) {
    let rejected = check_run(wrong).expect_err(expected);
    assert_eq!((rejected.path.len(), rejected.premise), (0, None), "{rejected}");
    assert!(rejected.defect.contains(expected), "{rejected}");
}

const TEXT: &str = "param n; shared A = [5, 6]; let x = A[tid] in A[tid] := x + n";

fn right() -> RunEvidence {
    evidence(&instance(TEXT).with_parameter("n", 1u32))
}

#[test]
fn a_launch_is_one_that_the_program_is_meant_for() {
    assert_eq!(check_run(&right()), Ok(()));
    let mut wrong = right();
    wrong.program.geometry.block[0] = Extent::Known(3);
    refused(&wrong, "a block of a launch");
    let mut wrong = right();
    wrong.program.geometry.grid = Some([Extent::Known(2), Extent::Known(1), Extent::Known(1)]);
    refused(&wrong, "a block of a launch");
    let outside = instance(TEXT).with_parameter("n", 1u32).with_block(5);
    refused(&evidence(&outside), "a block of a launch");
    let empty = Instance::new(program("A[tid] := 1"), Launch::threads(0));
    refused(&evidence(&empty), "a block of a launch");
    // The block of the judgment is that of the evidence.
    let mut wrong =
        evidence(&Instance::new(program("A[tid] := 1"), Launch::new(Dim3::line(2), Dim3::line(2))));
    assert_eq!(check_run(&wrong), Ok(()));
    wrong.block = Block { index: 1, ..wrong.block };
    refused(&wrong, "the judgment of");
}

#[test]
fn parameters_have_values_that_they_may_have() {
    let mut wrong = right();
    wrong.program.params[0].value = Some(Natural::from(7u32));
    refused(&wrong, "a value of the parameter");
    let mut wrong = evidence(&instance(TEXT).with_parameter("n", 300u32));
    assert_eq!(check_run(&wrong), Ok(()));
    wrong.program.params[0].domain = Domain::Machine(IntType::U8);
    refused(&wrong, "a value of the parameter");
    let mut wrong = right();
    wrong.parameters.insert("m".into(), Natural::zero());
    refused(&wrong, "of nothing else");
    let mut wrong = right();
    wrong.program.assumptions.push(Bool::compare(
        babycuda_core::expr::Relation::Eq,
        Num::var("n"),
        Num::lit(2u32),
    ));
    refused(&wrong, "is true");
}

#[test]
fn variables_are_bound() {
    let free = "if 0 == 0 { A[tid] := 1 } else { A[0] := m }";
    refused(&evidence(&instance(free)), "well-scoped");
}

#[test]
fn memory_is_as_declared() {
    let mut memory = HostMemory::default();
    memory.set(Cell::new("Z", 0u32), Natural::from(1u32));
    let more = instance("A[tid] := 1").with_host(memory);
    refused(&evidence(&more), "the memory that is declared");
    let mut memory = HostMemory::default();
    memory.set(Cell::new("A", 0u32), Natural::from(7u32));
    let other = instance("shared A = [5, 6]; A[tid] := 1").with_host(memory);
    refused(&evidence(&other), "the memory that is declared");
    let less = instance("shared A = [5, 6]; A[tid] := 1").with_host(HostMemory::default());
    refused(&evidence(&less), "the memory that is declared");
}

#[test]
fn memory_is_as_assumed() {
    let text = "global B = any; shared A; assume forall i in 0..2: B[i] == 7; \
        let x = B[tid] in A[tid] := x";
    let mut memory = HostMemory::declared(&program(text));
    refused(&evidence(&instance(text).with_host(memory.clone())), "contents as assumed");
    memory.set(Cell::new("B", 0u32), Natural::from(7u32));
    refused(&evidence(&instance(text).with_host(memory.clone())), "does not hold for i = 1");
    memory.set(Cell::new("B", 1u32), Natural::from(7u32));
    assert_eq!(check_run(&evidence(&instance(text).with_host(memory))), Ok(()));
}

#[test]
fn a_run_starts_from_one_empty_phase() {
    let instance = instance("A[tid] := 1");
    let start = instance.start();
    let later = start.push(Phase::default());
    refused(&evidence_from(&instance, &later), "from one empty phase");
    let busy = Accesses::default().read(Cell::new("A", 0u32));
    let (_, older) = start.split().unwrap_or_else(|| panic!("a phase"));
    let busy = older.push(Phase::singleton(0, busy));
    refused(&evidence_from(&instance, &busy), "from one empty phase");
    // Other memory, which the declaration admits as well.
    let any = |k: u32| {
        let mut memory = HostMemory::default();
        let fill = Some(Natural::from(k));
        memory.insert("A".into(), HostArray { fill, ..HostArray::default() });
        evidence(&super::evidence::instance("global A = any; A[tid] := 1").with_host(memory))
    };
    assert_eq!(check_run(&any(1)), Ok(()));
    refused(&RunEvidence { host: any(2).host, ..any(1) }, "from one empty phase");
}

#[test]
fn a_run_is_of_the_program_and_its_choices_are_listed() {
    let mut other = program(&TEXT.replace("x + n", "x + 2"));
    other.params = right().program.declarations.params;
    refused(&RunEvidence { program: other, ..right() }, "of the program");
    let updates = "shared A = fill 0; let x = atomic A[0] add 1 in skip";
    let chosen = evidence(&instance(updates));
    assert_eq!((check_run(&chosen), chosen.choices.len()), (Ok(()), 2));
    let mut wrong = chosen.clone();
    wrong.choices[1].value = Natural::from(9u32);
    refused(&wrong, "the choices");
    let mut wrong = chosen.clone();
    wrong.choices_made += 1;
    refused(&wrong, "the choices");
    let mut wrong = chosen;
    wrong.choices.pop();
    refused(&wrong, "the choices");
}
