//! Statements notice what is wrong: each is asked of something false, and must refute it.

use babycuda_core::parse::{parse_program, parse_protocol, parse_stmt};
use babycuda_core::{Configuration, History, HostMemory, Launch, Natural, Protocol, Stmt};
use babycuda_proofs::{
    Failure, Situation, Subject, access_equivalence, corrected_theorem_1,
    relative_access_equivalence as relative, synchronized_access_equivalence,
    well_typed_programs_are_access_invariant as invariance,
    well_typed_programs_are_stuck_only_on_undefined_cells as progress,
};
use babycuda_protocols::map::{MapLimits, evaluate};
use babycuda_semantics::{Instance, RunOptions};

fn stmt(text: &str) -> Stmt {
    parse_stmt(text).expect("a statement").numbered()
}

fn protocol(text: &str) -> Protocol {
    parse_protocol(text).expect("a protocol").numbered()
}

fn refuted<E>(checked: Result<E, Failure>) -> bool {
    matches!(checked, Err(Failure::Refuted(_)))
}

/// A program, its protocol, and wrong ones: each loses, adds or changes accesses of one mode.
const CLAIMS: [(&str, &str, &[&str]); 3] = [
    (
        "let x = A[tid] in A[tid + 2] := x",
        "rd[tid]; wr[tid + 2]",
        &[
            "rd[tid]",
            "wr[tid + 2]",
            "rd[tid]; wr[tid + 3]",
            "rd[tid + 1]; wr[tid + 2]",
            "rd[tid]; wr[tid + 2]; wr[7]",
            "rd[tid]; wr[tid + 2]; rd[7]",
            "if tid == 0 {rd[tid]; wr[tid + 2]} else {skip}",
        ],
    ),
    ("if tid == 1 {A[0] := 1} else {skip}", "if tid == 1 {wr[0]} else {skip}", &["skip", "wr[0]"]),
    ("forU i in 0..tid {A[i] := 1}", "forU i in 0..tid {wr[i]}", &["forU i in 0..2 {wr[i]}"]),
];

fn situation(program: &str, claim: &str) -> Situation {
    let mut host = HostMemory::default();
    for index in 0..4u32 {
        host.set(babycuda_core::Cell::new("A", index), Natural::zero());
    }
    let subject = Subject::claiming(stmt(program), 2, protocol(claim)).expect("a Λ");
    Situation::new(History::start(host), subject)
}

#[test]
fn t2_refutes_every_wrong_protocol() {
    for (program, right, wrong) in CLAIMS {
        assert!(access_equivalence::check(&situation(program, right)).is_ok(), "{program}");
        for claim in wrong {
            let checked = access_equivalence::check(&situation(program, claim));
            assert!(refuted(checked), "{program}: {claim}");
        }
    }
}

#[test]
fn t1_refutes_a_protocol_that_races_otherwise() {
    for (program, claim, right) in [
        ("A[tid] := 0", "wr[0]", "wr[tid]"),
        ("A[0] := tid", "wr[tid]", "wr[0]"),
        ("if tid == 0 {A[0] := 0} else {let x = A[0] in skip}", "skip", "wr[0]"),
    ] {
        assert!(refuted(corrected_theorem_1::check(&situation(program, claim))), "{program}");
        assert!(corrected_theorem_1::check(&situation(program, right)).is_ok(), "{program}");
    }
}

#[test]
fn t3_refutes_a_protocol_without_the_reads() {
    let program = "let x = A[9] in A[0] := x";
    assert!(progress::check(&situation(program, "rd[9]; wr[0]")).is_ok());
    assert!(refuted(progress::check(&situation(program, "wr[0]"))));
}

#[test]
fn t4_refutes_other_phases() {
    let text = "threads 2; A[tid] := tid; sync; let x = A[1 - tid] in A[tid + 2] := x";
    let instance = Instance::new(parse_program(text).expect("a program"), Launch::threads(2));
    let right = "wr[tid]; sync; rd[1 - tid]; wr[tid + 2]";
    for (claim, holds) in [
        (right, true),
        ("wr[tid]; rd[1 - tid]; wr[tid + 2]", false),
        ("wr[tid]; sync; rd[1 - tid]; wr[tid + 2]; sync", false),
        ("wr[tid]; sync; rd[1 - tid]", false),
        ("wr[tid]; sync; wr[tid + 2]", false),
        ("wr[0]; sync; rd[1 - tid]; wr[tid + 2]", false),
        ("wr[tid]; if tid == 0 {sync} else {skip}; rd[1 - tid]; wr[tid + 2]", false),
    ] {
        let claim = protocol(claim);
        let lambda =
            evaluate(&claim, &Configuration::threads(2), &MapLimits::default()).expect("a Λ");
        let outcome = instance.run(&RunOptions::default());
        let checked = synchronized_access_equivalence::compare(&instance, &claim, &lambda, outcome);
        assert_eq!(checked.is_ok(), holds, "{claim}");
        assert_eq!(refuted(checked), !holds, "{claim}");
    }
}

/// Without its hypothesis T5 is false: what is accessed depends on data, in a read, in a write, in
/// the number of phases.
#[test]
fn t5_is_refuted_by_ill_typed_programs() {
    let memory = |value: u32| {
        let mut host = HostMemory::default();
        (0..4u32).for_each(|j| host.set(babycuda_core::Cell::new("A", j), Natural::from(value)));
        host
    };
    for text in [
        "threads 2; let x = A[0] in A[x] := 0",
        "threads 2; let x = A[0] in let y = A[x] in skip",
        "threads 2; let x = A[0] in forS i in 0..x {sync}",
        "threads 2; let x = A[0] in if x == tid {sync} else {skip}",
    ] {
        let program = parse_program(text).expect("a program");
        let instance = Instance::new(program, Launch::threads(2)).with_host(memory(1));
        assert!(refuted(invariance::of_any_program(&instance, &memory(2))), "{text}");
        assert!(invariance::of_any_program(&instance, &memory(1)).is_ok(), "{text}");
        assert!(matches!(invariance::check(&instance, &memory(2)), Err(Failure::Vacuous(_))));
    }
}

/// What T11 asks of inputs: that nobody writes them, and that the contents are the same.
#[test]
fn t11_is_refuted_where_an_input_is_written() {
    let host = |array: &str, value: u32| {
        let mut host = HostMemory::default();
        for array in ["A", "B"].into_iter().filter(|a| *a == array || value == 0) {
            (0..4u32).for_each(|j| host.set(babycuda_core::Cell::new(array, j), 0u32.into()));
        }
        (0..4u32).for_each(|j| host.set(babycuda_core::Cell::new(array, j), value.into()));
        host
    };
    let u = protocol("wr[0]; rd[0]; let x = input A[0] in wr B[x]");
    for (body, holds) in [
        ("A[0] := 1; let x = A[0] in B[x] := 1", false),
        ("A[0] := 0; let x = A[0] in B[x] := 1", true),
    ] {
        let program = parse_program(&format!("threads 1; {body}")).expect("a program");
        let instance = Instance::new(program, Launch::threads(1)).with_host(host("A", 0));
        let checked = relative::of_any_type(&instance, &u, &host("A", 0), |a| a.as_str() == "A");
        assert_eq!(refuted(checked), !holds, "{body}");
    }
    // Of an array that is no input, other contents are other accesses.
    let text = "threads 1; global A: u32 = any; global B: u32; let x = A[0] in B[x] := 1";
    let program = parse_program(text).expect("a program");
    let instance = Instance::new(program, Launch::threads(1)).with_host(host("A", 0));
    let u = protocol("rd[0]; wr B[0]");
    let other = host("A", 1);
    assert!(refuted(relative::of_any_type(&instance, &u, &other, |_| false)));
    assert!(relative::of_any_type(&instance, &u, &other, |a| a.as_str() == "A").is_ok());
    assert!(relative::check(&instance, &other).is_ok());
}
