//! Derivations as JSON documents.

use babycuda_core::Launch;
use babycuda_core::json::{JsonError, from_json, to_json};
use babycuda_core::parse::parse_program;
use babycuda_semantics::{Instance, RunEvidence, RunOptions, check_run};

fn evidence(text: &str, threads: u32) -> RunEvidence {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let instance = Instance::new(program, Launch::threads(threads));
    let evaluation = instance.evaluate(&RunOptions::default());
    let derivation = (*evaluation.derivation.expect("not stuck")).clone();
    RunEvidence::new(&instance, &evaluation.choices, derivation)
}

#[test]
fn derivations_are_read_back_and_still_accepted() {
    for (text, threads) in [
        ("skip", 1),
        ("A[tid] := 1; sync; if tid == 0 { sync } else { skip }", 2),
        ("shared A = fill 3; forS x in 0..2 { let y = A[x] in A[tid] := y + x; sync }", 3),
        ("shared A = fill 3; let x = atomic A[0] cas 1 if 3 in { sync; A[0] := x }", 2),
    ] {
        let evidence = evidence(text, threads);
        let json = to_json(&evidence).unwrap_or_else(|e| panic!("{e}"));
        let back: RunEvidence = from_json(&json).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(back, evidence, "{text}");
        assert_eq!(check_run(&back), Ok(()));
        assert_eq!(to_json(&back).ok(), Some(json));
    }
}

#[test]
fn long_derivations_are_written_and_read() {
    let evidence = evidence("forU x in 0..3000 { A[x % 3] := x }", 1);
    let json = to_json(&evidence).unwrap_or_else(|e| panic!("{e}"));
    let back: RunEvidence = from_json(&json).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(back.derivation.size(), evidence.derivation.size());
    assert_eq!(check_run(&back), Ok(()));
}

#[test]
fn a_document_that_refers_to_nothing_is_refused() {
    let json = to_json(&evidence("A[0] := 1", 1)).unwrap_or_else(|e| panic!("{e}"));
    let refused = |from: &str, to: &str| {
        let changed = json.replacen(from, to, 1);
        assert_ne!(changed, json, "{from} is not in {json}");
        match from_json::<RunEvidence>(&changed) {
            Err(error @ JsonError::Place { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(r#""history":0"#, r#""history":9"#).contains("no history number 9"));
    assert!(refused(r#""derived":0"#, r#""derived":7"#).contains("no node"));
    assert!(refused("thread/write", "thread/wrote").contains("unknown variant `thread/wrote`"));
}
