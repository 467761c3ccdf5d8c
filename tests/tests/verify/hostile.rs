//! Documents made to break a reader: refused, and fast.

use babycuda_core::json::{DEEPEST, from_json, to_json};
use babycuda_core::parse::{parse_map, parse_program};
use babycuda_core::{Configuration, Launch};
use babycuda_protocols::map::{self, MapEvidence, MapLimits, check_map};
use babycuda_semantics::{Instance, RunEvidence, RunOptions, check_run};
use babycuda_typing::{TypeEvidence, check_type, type_program};

fn run(text: &str) -> RunEvidence {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let launch = program.geometry.launch().unwrap_or(Launch::threads(1));
    let instance = Instance::new(program, launch);
    let evaluation = instance.evaluate(&RunOptions::default());
    let derivation = evaluation.derivation.unwrap_or_else(|| panic!("{text}"));
    RunEvidence::new(&instance, &evaluation.choices, (*derivation).clone())
}

fn document(text: &str) -> String {
    to_json(&run(text)).unwrap_or_else(|e| panic!("{e}"))
}

/// The error of reading, or of verifying.
fn refused(text: &str) -> String {
    match from_json::<RunEvidence>(text) {
        Err(error) => error.to_string(),
        Ok(evidence) => match check_run(&evidence) {
            Err(rejected) => rejected.to_string(),
            Ok(()) => panic!("verified: {text}"),
        },
    }
}

#[test]
fn keys_that_stand_twice_are_refused() {
    let text = document("threads 2; param N: u32 = 3; A[tid] := N");
    for (from, to) in [
        (r#""parameters":{"N":3}"#, r#""parameters":{"N":4,"N":3}"#),
        (r#""host":{"A":"#, r#""host":{"A":{"cells":{}},"A":"#),
        (r#""choices":["#, r#""choices":[],"choices":["#),
        (r#"{"0":{"writes""#, r#"{"0":{},"0":{"writes""#),
    ] {
        assert!(text.contains(from), "{from} is not in {text}");
        let error = refused(&text.replacen(from, to, 1));
        assert!(error.contains("stands twice"), "{error}");
    }
}

#[test]
fn what_is_missing_or_unknown_is_refused() {
    let text = document("threads 2; A[tid] := 1");
    for field in ["program", "block", "parameters", "host", "choices", "derivation", "nodes"] {
        let error = refused(&text.replacen(&format!("\"{field}\":"), &format!("\"{field}x\":"), 1));
        let missing = error.contains("field") || error.contains("no such key is known");
        assert!(missing, "{field}: {error}");
    }
    assert!(from_json::<RunEvidence>("").is_err());
    assert!(from_json::<RunEvidence>("[]").is_err());
    assert!(from_json::<TypeEvidence>(&text).is_err());
    assert!(from_json::<RunEvidence>(&text[..text.len() / 2]).is_err());
}

#[test]
fn huge_numbers_and_launches_are_refused() {
    let text = document("threads 2; A[tid] := 1");
    for (from, to) in [
        (r#""block":{"x":2,"#, r#""block":{"x":4294967295,"#),
        (r#""thread":0"#, r#""thread":18446744073709551615"#),
        (r#""index":0}"#, r#""index":18446744073709551615}"#),
        (r#""lit":1"#, r#""lit":1e400"#),
        (r#""lit":1"#, r#""lit":-1"#),
        (r#""before":0"#, r#""before":99999999999999999999"#),
    ] {
        assert!(text.contains(from), "{from} is not in {text}");
        refused(&text.replacen(from, to, 1));
    }
    let digits = format!(r#""lit":"{}""#, "9".repeat(100_000));
    refused(&text.replacen(r#""lit":1"#, &digits, 1));
    let diverges = document("threads 2; if tid == 0 { sync } else { skip }");
    let phase = r#""divergence":{"phase":0"#;
    assert!(diverges.contains(phase), "{diverges}");
    refused(&diverges.replace(phase, r#""divergence":{"phase":18446744073709551615"#));
}

#[test]
fn depth_is_bounded_and_so_is_what_few_entries_stand_for() {
    let text = document("threads 1; A[0] := 1");
    let n = DEEPEST / 2 + 5;
    let deep = r#"{"seq":["skip","#.repeat(n) + "\"skip\"" + &"]}".repeat(n);
    let error = refused(&text.replacen(r#""body":{"#, &format!(r#""body":{deep},"x":{{"#), 1));
    assert!(error.starts_with("/content/program/body/seq/1/seq/1/"), "{error}");
    assert!(error.contains("deep") && error.len() < 1000, "{error}");
    // Each entry twice the one before.
    let mut table = r#""statements":[{"node":"skip"}"#.to_owned();
    for i in 0..60 {
        table += &format!(r#",{{"node":{{"seq":["skip","skip"]}},"children":[{i},{i}]}}"#);
    }
    let error = refused(&text.replacen(r#""statements":["#, &(table + ","), 1));
    assert!(error.contains("more than"), "{error}");
}

#[test]
fn a_long_derivation_is_as_long_as_what_it_says() {
    let n = 5_000;
    let statements: Vec<String> = (0..n).map(|i| format!("A[{i}] := tid")).collect();
    let program = format!("threads 1; {}", statements.join("; "));
    let parsed = parse_program(&program).unwrap_or_else(|e| panic!("{e}")).without_sources();
    let typed = type_program(&parsed).unwrap_or_else(|e| panic!("{e}"));
    let evidence = TypeEvidence { program: parsed, derivation: typed.derivation };
    let text = to_json(&evidence).unwrap_or_else(|e| panic!("{e}"));
    assert!(text.len() < 1_000 * n, "{}", text.len());
    let back: TypeEvidence = from_json(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(check_type(&back), Ok(()));
    assert_eq!(back.derivation.size(), evidence.derivation.size());

    let map = format!("threads 1; forU x in 0..{n} {{ wr[x] }}; forS y in 0..50 {{ sync }}");
    let map = parse_map(&map).unwrap_or_else(|e| panic!("{e}"));
    let configuration = Configuration::threads(1);
    let choose = |_: &_, _| 0u64.into();
    let derivation = map::derive(&map.protocol, &configuration, &choose, &MapLimits::default());
    let derivation = derivation.unwrap_or_else(|e| panic!("{e}"));
    let evidence = MapEvidence { map, configuration, derivation };
    let text = to_json(&evidence).unwrap_or_else(|e| panic!("{e}"));
    assert!(text.len() < 2_000 * n, "{}", text.len());
    let back: MapEvidence = from_json(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(check_map(&back), Ok(()));
}
