//! What `check --format sarif` prints is SARIF 2.1.0, by the schema of the standard.
//!
//! `cli/tests/sarif/sarif-schema-2.1.0.json` is the schema that OASIS publishes with the standard,
//! as the crate `serde-sarif` 0.8.0 has it, whose licence stands beside it.

mod support;

use serde_json::Value;
use support::{Folder, babycuda};

fn is_sarif(document: &Value) -> Result<(), String> {
    let schema: Value = serde_json::from_str(include_str!("sarif/sarif-schema-2.1.0.json"))
        .map_err(|e| e.to_string())?;
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.enable_format_assertions();
    compiler.add_resource("sarif.json", schema).map_err(|e| e.to_string())?;
    let index = compiler.compile("sarif.json", &mut schemas).map_err(|e| e.to_string())?;
    schemas.validate(document, index).map_err(|e| format!("{e:#}"))
}

fn printed(args: &[&str], input: &str) -> Value {
    let output = babycuda(&[&["check", "--format", "sarif"], args].concat(), input);
    serde_json::from_str(&output.out).unwrap_or_else(|e| panic!("{e}: {}", output.err))
}

#[test]
fn every_kind_of_verdict_is_sarif() {
    let mut rules = std::collections::BTreeSet::new();
    for text in [
        "threads 2; A[tid] := 1",
        "threads 2; A[0] := 1",
        "threads 2; let x = A[1 - tid] in A[tid] := 1",
        "threads 2; shared A = [7, 7]; let x = A[1 - tid] in A[tid] := 1",
        "threads 2; shared A = fill 0; let x = atomic A[0] add 1 in A[0] := 1",
        "threads 2; if tid == 0 { sync } else { skip }; A[tid] := 1",
        "threads *; global U = opaque; shared A; let k = U[0] in if k == tid { sync } else { A[k] := 1 }",
        "threads 2; assume 1 == 2; A[0] := 1",
        "__global__ void k(int *a) { __syncwarp(7); a[0] = 1; }",
        "__global__ void k(int *a, int n) { a[n] = 1; }",
        "grid 2; threads 1; global A; A[0] := 1",
        "threads 4; shared A; global B = opaque; let x = B[tid] in A[x] := tid",
        "__global__ void k(int *a, int n) { for (int i = 0; i < n; i++) { if (i % 2 == 0) __syncthreads(); a[threadIdx.x] = i; } }",
        "threads",
    ] {
        let document = printed(&["-"], text);
        is_sarif(&document).unwrap_or_else(|e| panic!("{text}: {e}\n{document}"));
        let results = document["runs"][0]["results"].as_array().unwrap();
        rules.extend(results.iter().map(|r| r["ruleId"].as_str().unwrap().to_owned()));
    }
    let late = printed(&["-", "--time-limit", "0.000001"], "threads 2; A[tid] := 1");
    rules.extend(late["runs"][0]["results"][0]["ruleId"].as_str().map(str::to_owned));
    let text = "threads 2; shared A; shared B; A[0] := tid; sync; let x = A[0] in B[x] := 1";
    let other = printed(&["-", "--array", "B"], text);
    rules.extend(other["runs"][0]["results"][0]["ruleId"].as_str().map(str::to_owned));
    let declared = printed(&["-"], "threads 1; skip")["runs"][0]["tool"]["driver"]["rules"].clone();
    let declared =
        declared.as_array().unwrap().iter().map(|r| r["id"].as_str().unwrap().to_owned());
    assert_eq!(rules, declared.collect(), "every rule is reported once at least");
}

/// What a service knows a finding by stays where lines move, and differs where findings do.
#[test]
fn fingerprints_stay_where_lines_move() {
    let text = "__global__ void k(int *a) {\n  a[0] = threadIdx.x;\n  a[1] = threadIdx.x;\n}\n";
    let prints = |text: &str| -> Vec<String> {
        let document = printed(&["-"], text);
        is_sarif(&document).unwrap_or_else(|e| panic!("{e}\n{document}"));
        let results = document["runs"][0]["results"].as_array().unwrap();
        let print =
            |r: &Value| r["partialFingerprints"]["babycuda/v1"].as_str().unwrap().to_owned();
        results.iter().map(print).collect()
    };
    let before = prints(text);
    assert_eq!(before.len(), 2);
    assert_ne!(before[0], before[1]);
    assert_eq!(prints(&format!("// one\n\n{}", text.replace("  a", "\ta"))), before);
    assert_ne!(prints(&text.replace("a[1]", "a[2]")), before);
}

/// A race is two threads of a code flow, each with its region.
#[test]
fn both_sides_of_a_race_are_a_flow() {
    let text = "__global__ void k(int *a) {\n  a[threadIdx.x] = 1;\n  int x = a[0];\n  a[64 + threadIdx.x] = x;\n}\n";
    let document = printed(&["-", "--block", "32"], text);
    is_sarif(&document).unwrap_or_else(|e| panic!("{e}\n{document}"));
    let result = &document["runs"][0]["results"][0];
    let threads = result["codeFlows"][0]["threadFlows"].as_array().unwrap();
    let region = |thread: &Value| {
        let region = &thread["locations"][0]["location"]["physicalLocation"]["region"];
        ["startLine", "startColumn", "endLine", "endColumn"].map(|of| region[of].as_u64().unwrap())
    };
    let mut regions: Vec<_> = threads.iter().map(region).collect();
    regions.sort();
    assert_eq!(regions, [[2, 3, 2, 17], [3, 11, 3, 15]], "{document}");
}

/// What is refused has a place.
#[test]
fn a_refused_kernel_has_the_region_of_what_is_refused() {
    let text = "__global__ void k(int *a) {\n  a[threadIdx.x] = 1;\n  asm(\"bar.sync 1;\");\n}";
    let document = printed(&["-"], text);
    is_sarif(&document).unwrap_or_else(|e| panic!("{e}\n{document}"));
    let region = |document: &Value| {
        document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"].clone()
    };
    assert_eq!(
        (&region(&document)["startLine"], &region(&document)["startColumn"]),
        (&3.into(), &3.into())
    );
    // What is not decided as a whole has none.
    assert_eq!(region(&printed(&["-"], "threads 2; assume 1 == 2; A[0] := 1")), Value::Null);
}

/// A path is no URI: what may not stand there is escaped.
#[test]
fn paths_of_any_kind_are_locations() {
    let folder = Folder::new("sarif %");
    let document = printed(&[&folder.file("π [1] #a?.bcuda", "threads 2; A[0] := 1")], "");
    is_sarif(&document).unwrap_or_else(|e| panic!("{e}\n{document}"));
    let location = &document["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    let uri = location["artifactLocation"]["uri"].as_str().unwrap();
    assert!(uri.ends_with("/%CF%80%20%5B1%5D%20%23a%3F.bcuda"), "{uri}");
}

#[test]
fn a_file_that_cannot_be_read_is_a_failure() {
    let document = printed(&["-"], "threads 2; A[0 := 1");
    is_sarif(&document).unwrap_or_else(|e| panic!("{e}\n{document}"));
    let invocation = &document["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let said = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str();
    assert!(said.is_some_and(|text| text.contains("expected")), "{document}");
    let good = printed(&["-"], "threads 2; A[0] := 1");
    assert_eq!(good["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn the_schema_refuses_other_documents() {
    let text = "threads 2; A[tid] := 1; let x = A[1 - tid] in B[tid] := x";
    let good = printed(&["-", "--fix-time", "60"], text);
    assert_eq!(is_sarif(&good), Ok(()));
    for (place, value) in [
        ("/version", Value::from("2.0.0")),
        ("/runs/0/results/0/level", Value::from("bad")),
        ("/runs/0/results/0/message", Value::from("text")),
        ("/runs/0/columnKind", Value::from("bytes")),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", Value::from(0)),
        ("/runs/0/results/0/fixes/0/artifactChanges/0/replacements", Value::from(0)),
        ("/runs/0/results/0/codeFlows/0/threadFlows", Value::from(0)),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", Value::from("a b")),
    ] {
        let mut wrong = good.clone();
        *wrong.pointer_mut(place).unwrap_or_else(|| panic!("{place}")) = value;
        assert!(is_sarif(&wrong).is_err(), "{place}");
    }
}
