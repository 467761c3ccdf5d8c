//! `babycuda verify`, and how `run` and `derive` settle what is open.

mod support;

use serde_json::Value;
use support::babycuda;

const RACY: &str = "threads 3; A[0] := 7 - tid; sync; let x = A[0] in A[1 + tid] := x";

fn derived(args: &[&str], text: &str) -> String {
    let all: Vec<&str> =
        ["derive", "-", "--format", "json"].into_iter().chain(args.iter().copied()).collect();
    let output = babycuda(&all, text);
    output.ends(0);
    output.out
}

#[test]
fn what_is_derived_is_verified_in_one_line() {
    let text = "threads 2; A[tid] := tid";
    for (judgment, line) in [
        (
            "run",
            "verified: a run of `main`, 6 nodes, block 0 of 1, 2 threads, 0 choices; \
                 1 phase, race-free; all threads end\n",
        ),
        ("type", "verified: a type of `main`, 2 nodes\n"),
        (
            "map",
            "verified: the accesses of the protocol `main`, 3 nodes, block 0 of 1, 2 threads; \
                 2 accesses in 1 phase; all threads end\n",
        ),
    ] {
        let output = babycuda(&["verify", "-"], &derived(&["--judgment", judgment], text));
        output.ends(0);
        assert_eq!(output.out, line);
    }
}

#[test]
fn what_is_wrong_is_rejected_with_node_and_premise() {
    let text = "threads 2; shared A = [5, 6]; let y = A[tid] in A[tid] := y + 1";
    let document = derived(&[], text);
    let rejected = |from: &str, to: &str| {
        assert!(document.contains(from), "{from} is not in {document}");
        let output = babycuda(&["verify", "-"], &document.replacen(from, to, 1));
        output.ends(1);
        output.out
    };
    // The value read by thread 0.
    let read = r#"{"lastwrite":{"cell":{"array":"A","index":0},"value":5}}"#;
    let other = read.replace("\"value\":5", "\"value\":6");
    assert_eq!(
        rejected(read, &other),
        "rejected: node /0/0/0, rule thread/read, premise 2: A[0] holds 5\n"
    );
    // Another memory than the program's.
    let report = rejected(r#""host":{"A":{"cells":{"0":5"#, r#""host":{"A":{"cells":{"0":4"#);
    assert!(report.contains("the memory that is declared, for `A`"), "{report}");
    // Another launch.
    let report = rejected(
        r#""block":{"x":2,"y":1,"z":1}},"index":0"#,
        r#""block":{"x":3,"y":1,"z":1}},"index":0"#,
    );
    assert!(report.contains("a block of a launch"), "{report}");
}

#[test]
fn what_is_no_derivation_has_status_2() {
    for text in ["", "{}", "[1]", "{\"format\":\"babycuda/statement\",\"version\":1,\"content\":1}"]
    {
        let output = babycuda(&["verify", "-"], text);
        output.ends(2);
        assert!(output.err.starts_with("error"), "{}", output.err);
    }
    babycuda(&["verify", "no/such/file"], "").ends(2);
    let newer = derived(&[], "threads 1; skip").replacen("\"version\":1", "\"version\":9", 1);
    babycuda(&["verify", "-"], &newer).ends(2).warns("version 9, where only version 1 is read");
}

/// Each document is read by one reader in one way, and what is wrong is named with its place.
#[test]
fn documents_are_read_to_the_letter() {
    let program = "threads 1; shared B; global A: u8 = any; let x = A[0] in B[tid] := x";
    for judgment in ["run", "type", "map"] {
        let document = derived(&["--judgment", judgment], program);
        let good: Value = serde_json::from_str(&document).unwrap();
        let refused = |place: &str, change: &dyn Fn(&mut Value)| {
            let mut changed = good.clone();
            change(changed.pointer_mut(place).unwrap_or_else(|| panic!("{judgment} {place}")));
            let output = babycuda(&["verify", "-"], &changed.to_string());
            output.ends(2);
            let said = output.err.clone();
            assert!(said.contains(place), "{judgment} {place}: {said}");
            said
        };
        // Unknown keys, and arrays of the fields where objects belong, wherever an object stands.
        let (mut objects, mut pending) = (0, vec![String::new()]);
        while let Some(place) = pending.pop() {
            let value = good.pointer(&place).unwrap();
            pending.extend(match value {
                Value::Object(fields) => fields.keys().map(|k| format!("{place}/{k}")).collect(),
                Value::Array(items) => (0..items.len()).map(|n| format!("{place}/{n}")).collect(),
                _ => Vec::new(),
            });
            let Value::Object(fields) = value else { continue };
            // Maps have keys of any name, and variants have one.
            let map = |part: &str| place.ends_with(part);
            if map("/parameters")
                || map("/host")
                || map("/cells")
                || map("/spans")
                || map("/writes")
                || map("/atomics")
                || (map("/sources"))
            {
                continue;
            }
            objects += 1;
            refused(&place, &|v| v["unknown"] = 1.into());
            if fields.len() > 1 {
                refused(&place, &|v| {
                    let fields = v.as_object().unwrap().values().cloned().collect();
                    *v = Value::Array(fields);
                });
            }
        }
        assert!(objects > 20, "{judgment}: {objects}");
        refused("/content/derivation/nodes/0", &|v| *v = Value::Null);
        let node = "/content/derivation/nodes";
        assert!(
            refused("/content/derivation", &|v| {
                let nodes = v["nodes"].as_array_mut().unwrap();
                nodes.insert(0, nodes[0].clone());
            })
            .contains("is no premise of another node, or of several"),
            "{node}"
        );
        for (from, to) in [
            ("\"format\":", "\"format\":\"x\",\"format\":"),
            ("\"derivation\":{", "\"derivation\":{\"nodes\":[],"),
            ("}", "}]"),
        ] {
            let changed =
                if to == "}]" { document.clone() + "]" } else { document.replacen(from, to, 1) };
            babycuda(&["verify", "-"], &changed).ends(2);
        }
    }
    let document = derived(&[], program);
    for (from, to, place) in [
        ("\"site\":0", "\"site\":-1", "/site: invalid value: integer `-1`"),
        ("\"site\":0", "\"site\":\"0\"", "/site: invalid type: string"),
        ("\"fill\":0", "\"fill\":\"007\"", "/content/host/A/fill: invalid value"),
        ("\"fill\":0", "\"fill\":\"1_0\"", "/content/host/A/fill: invalid value"),
        ("\"fill\":0", "\"fill\":-1", "/content/host/A/fill: invalid"),
        ("\"fill\":0", "\"fill\":0.0", "/content/host/A/fill: invalid"),
        ("\"choices_made\":0", "\"choices_made\":\"0\"", "/content/choices_made: invalid type"),
        ("\"host\":{", "\"host\":{},\"host\":{", "/content: the key `host` stands twice"),
    ] {
        assert!(document.contains(from), "{from} is not in {document}");
        babycuda(&["verify", "-"], &document.replacen(from, to, 1)).ends(2).warns(place);
    }
}

#[test]
fn the_host_stores_values_of_the_elements_type() {
    let document = derived(&[], "threads 1; shared B; global A: u8 = any; B[tid] := 1");
    for (memory, place) in [
        (r#"{"fill":256,"cells":{}}"#, "/content/host/A/fill"),
        (r#"{"fill":0,"cells":{"3":300}}"#, "/content/host/A/cells/3"),
    ] {
        let from = r#""A":{"fill":0,"cells":{}}"#;
        assert!(document.contains(from), "{document}");
        let changed = document.replace(from, &format!("\"A\":{memory}"));
        babycuda(&["verify", "-"], &changed).ends(1).says(place);
        let fits = changed.replace("256", "255").replace("300", "30");
        babycuda(&["verify", "-"], &fits).is_silent_of("/content/host");
    }
}

#[test]
fn a_type_of_many_statements_is_read_back() {
    let statements: Vec<String> = (0..3000).map(|i| format!("A[{i}] := 1")).collect();
    let text = format!("threads 1; {}", statements.join("; "));
    for judgment in ["type", "run", "map"] {
        babycuda(&["verify", "-"], &derived(&["--judgment", judgment], &text)).ends(0);
    }
}

/// Blocks that wait for each other have one run, and one derivation, which is of all of them.
#[test]
fn blocks_that_run_together_have_one_run_and_one_derivation() {
    let text = "grid 2; threads 2; global A; shared S; S[tid] := 1; sync.grid;
        A[2 * blockIdx.x + tid] := 1";
    let named = "thread i of block b is thread 2 * b + i; \
        cell S[n] of block b is S[2 * n + b], of each shared array";
    let run = babycuda(&["run", "-"], text);
    run.ends(0);
    run.says("main, 2 blocks together, of 2 threads").says(named);
    run.says("thread 3: wr S[3] := 1").says("thread 3: wr A[3] := 1");
    babycuda(&["derive", "-"], text).says(named);
    let document = derived(&[], text);
    let verified = babycuda(&["verify", "-"], &document);
    verified.ends(0);
    verified.says("all 2 blocks, 4 threads");
    let other = document.replacen(r#""grid":{"x":2"#, r#""grid":{"x":3"#, 1);
    assert_ne!(other, document);
    babycuda(&["verify", "-"], &other).ends(1);
    // What one of them does is no derivation of its own, whoever writes it down.
    let map = ["derive", "-", "--judgment", "map", "--format", "json"];
    babycuda(&map, text).ends(2).warns("there is no derivation of one");
    let free = text.replace("grid 2", "grid *");
    let one = babycuda(&[&map[..], &["--grid", "1"]].concat(), &free).out;
    babycuda(&["verify", "-"], &one).ends(0);
    let other = one.replace(r#""grid":{"x":1"#, r#""grid":{"x":2"#);
    let other = other.replace(r#""grid":[{"known":1}"#, r#""grid":[{"known":2}"#);
    babycuda(&["verify", "-"], &other).ends(1).says("a block that waits for no other one");
}

#[test]
fn run_and_derive_choose_alike_and_say_what() {
    for (choose, value) in [("smallest", 5), ("first", 7)] {
        let run = babycuda(&["run", "-", "--choose", choose], RACY);
        run.ends(1);
        let line = format!(
            "chosen by `--choose {choose}`:\n  phase 1, thread 0, statement #2: \
             the read of A[0] yields {value}, of 5 or 6 or 7\n"
        );
        run.says(&line).says(&format!("wr A[3] := {value}"));
        for format in ["text", "latex", "html"] {
            let derive = babycuda(&["derive", "-", "--choose", choose, "--format", format], RACY);
            derive.ends(0);
            let said = format!("the read of A[0] yields {value}, of 5 or 6 or 7");
            // LaTeX has its own spaces.
            derive.says(&if format == "latex" { said.replace(' ', "\\ ") } else { said });
        }
        let document = derived(&["--choose", choose], RACY);
        assert!(document.contains(&format!(r#""A[3]":{value}"#)), "{document}");
        assert!(document.contains(r#""candidates":[5,6,7]"#), "{document}");
        babycuda(&["verify", "-"], &document).ends(0);
    }
    // Some seed finds what neither of the two has.
    let seeds = (0..20).map(|seed| format!("seed:{seed}"));
    let runs = seeds.map(|seed| babycuda(&["run", "-", "--choose", &seed], RACY).out);
    assert!(runs.into_iter().any(|text| text.contains("wr A[3] := 6")));
    // Nothing is open, nothing is said.
    let run = babycuda(&["run", "-"], "threads 2; A[tid] := 1");
    run.is_silent_of("chosen");
    for choose in ["largest", "stop", "seed", "seed:x", ""] {
        babycuda(&["run", "-", "--choose", choose], RACY).ends(2);
    }
}

#[test]
fn updates_and_open_contents_are_choices_too() {
    let text = "threads 2; shared A; global B = any; let x = atomic A[0] exch 4 in let y = B[0] in B[1] := y";
    babycuda(&["run", "-"], text)
        .says("initial contents of B, which are `any`: 0 in every cell")
        .says("the update of A[0] yields 0, of any number");
    let run = babycuda(&["run", "-", "--choose", "seed:5"], text).out;
    assert!(run.contains("numbers below 256, drawn"), "{run}");
    assert_eq!(run, babycuda(&["run", "-", "--choose", "seed:5"], text).out);
}

#[test]
fn a_run_of_many_steps_says_what_ran_it() {
    let run = babycuda(&["run", "-"], "threads 1; forU x in 0..60000 { A[0] := x }");
    run.says("run by the virtual machine: more than 50000 steps");
    babycuda(&["run", "-"], "threads 1; forU x in 0..60 { A[0] := x }")
        .is_silent_of("virtual machine");
}
