//! `babycuda trace`: its page, its reports, and what it does with files that are no logs.

mod support;

use serde_json::{Value, json};
use support::{Folder, babycuda, root, run_page, validate};

const LOG: &str = "traces/tests/logs/neighbours.bclog";

#[test]
fn every_command_of_the_page_runs() {
    let folder = Folder::new("traces-page");
    let words = [" run.bclog", " copy.bclog"]
        .map(|name| (name, format!(" '{}'", folder.path(name.trim()))));
    assert_eq!(run_page("docs/TRACES.md", &words), 8);
}

#[test]
fn a_race_has_its_accesses_and_places() {
    let ran = babycuda(&["trace", "check", LOG], "");
    ran.ends(1).says("neighbours.bclog: racy (2 cells, 1 racing pair)");
    ran.says("grid (1,1,1), block (8,1,1), warps of 4: 24 accesses, 3 barriers");
    ran.says("read-write race on A[4], in one block");
    ran.says("event 4: block 0, thread 4 writes, neighbours.cu:3:5");
    ran.says("event 13: block 0, thread 3 reads, neighbours.cu:5:12");
    ran.says("A: 2 racy cells").is_silent_of("machine");
}

/// The document of a check, held to its schema.
fn document(args: &[&str], input: &str, status: i32) -> Value {
    let args = [&["trace", "check", "--format", "json"], args].concat();
    let ran = babycuda(&args, input);
    ran.ends(status);
    validate("cli-trace", &ran.out)
        .unwrap_or_else(|error| panic!("{args:?}: {error}\n{}", ran.out));
    ran.json()
}

#[test]
fn documents_are_as_described() {
    let racy = document(&[LOG, "--machine", "hirace"], "", 1);
    assert_eq!(racy["racy_cells"], 2);
    assert_eq!(racy["races"][0]["cell"], json!({ "array": "A", "index": 4 }));
    assert_eq!(racy["races"][0]["second"]["line"], 5);
    let machine = json!({ "racy_cells": 2, "missed": 0, "false_alarms": 0, "stop": null });
    assert_eq!(racy["machine"], machine);
    let mut lines = babycuda(&["trace", "convert", LOG], "").out;
    for line in lines.lines() {
        validate("trace-line", line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    // With a barrier of the block in the place of those of warps it has no race.
    lines = lines.replacen(r#"{"warp-barrier":{"block":0,"warp":0}}"#, r#""grid-barrier""#, 1);
    let drf = document(&["-", "--machine", "hirace"], &lines, 0);
    assert_eq!(drf["verdict"], "drf");
    assert_eq!(drf["machine"]["stop"], json!({ "event": 8, "what": "barriers of a grid" }));
    // So it has with barriers of lanes that lead from each writer to its reader, which the schema knows, too.
    let lane = r#"{"lane-barrier":{"block":0,"warp":0,"lanes":3}}"#;
    let lanes = lines.replacen(r#""grid-barrier""#, lane, 1);
    validate("trace-line", lane).unwrap();
    assert_eq!(document(&["-"], &lanes, 1)["verdict"], "racy");
    assert!(validate("trace-line", r#"{"lane-barrier":{"block":0,"lanes":3}}"#).is_err());
    assert!(validate("trace-line", r#"{"access":{}}"#).is_err());
}

/// A table that overlooks what reads race with.
#[test]
fn another_machine_is_held_to_the_truth() {
    let folder = Folder::new("traces-machine");
    let table = std::fs::read_to_string(root().join("core/src/shadow/exact.csv")).unwrap();
    let blind = table.lines().map(|line| match line.split(',').collect::<Vec<_>>()[..] {
        [state, "R", sync, relation, "RACE"] if state != "RACE" => {
            format!("{state},R,{sync},{relation},{state}\n")
        }
        _ => format!("{line}\n"),
    });
    let file = folder.file("blind.csv", &blind.collect::<String>());
    babycuda(&["trace", "check", LOG, "--machine", &file], "")
        .ends(1)
        .says("the machine: 0 racy cells; 2 are missed, as A[0]; none is a false alarm");
    babycuda(&["trace", "check", LOG, "--machine", "none.csv"], "").ends(2).warns("none.csv");
    let file = folder.file("none.csv", "state,access\n");
    babycuda(&["trace", "check", LOG, "--machine", &file], "").ends(2).warns("line 1");
}

#[test]
fn what_is_no_log_is_refused_with_its_place() {
    let folder = Folder::new("traces-refused");
    let lines = babycuda(&["trace", "convert", LOG], "").out;
    let cut = lines.split_inclusive('\n').take(9).collect::<String>();
    for command in [&["trace", "check", "-"][..], &["trace", "convert", "-", "--to", "lines"]] {
        babycuda(command, &cut).ends(2).warns("-: line 10: the log breaks off here");
        babycuda(command, "").ends(2).warns("byte 0: this is no log of accesses");
        babycuda(command, "{\"a\":1}").ends(2).warns("line 1: column ");
        babycuda(command, &lines.replace("\"index\":3}", "\"index\":8}"))
            .ends(2)
            .warns("thread 8: a block has 8");
    }
    let bytes = std::fs::read(root().join(LOG)).unwrap();
    let path = folder.path("cut.bclog");
    std::fs::write(&path, &bytes[..100]).unwrap();
    babycuda(&["trace", "check", &path], "").ends(2).warns("byte 100: the log breaks off here");
    babycuda(&["trace", "check", &folder.path("none")], "").ends(2).warns("none");
    // What could not be read leaves no file, and one that was there as it was.
    let old = folder.file("old.jsonl", "old");
    for output in [&folder.path("new.jsonl"), &old] {
        babycuda(&["trace", "convert", &path, "--output", output], "").ends(2).warns("breaks off");
    }
    let files = std::fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["cut.bclog", "old.jsonl"]);
    assert_eq!(std::fs::read_to_string(&old).unwrap(), "old");
    babycuda(&["trace", "convert", LOG, "--output", &old], "").ends(0);
    assert_eq!(std::fs::read_to_string(&old).unwrap(), lines);
    std::fs::write(&path, &bytes).unwrap();
    babycuda(&["trace", "convert", &path, "--output", &path], "").ends(2).warns("at once");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    // Standard input is kept, so it may not be longer than there is room for.
    let long = format!("{lines}{}", " ".repeat(20 << 20));
    babycuda(&["trace", "check", "-", "--memory-limit", "60"], &long).ends(2).warns("- is no file");
}

/// What a kernel does at a launch is what `compare` says of it.
#[test]
fn kernels_are_recorded() {
    let folder = Folder::new("traces-kernels");
    let source = "__global__ void k(int *a, int n) {\n  a[threadIdx.x / n] = 1;\n}\n\
                  __global__ void two(int *a) { a[0] = 1; }\n";
    let kernel = folder.file("k.cu", source);
    let log = folder.path("k.bclog");
    let record = |args: &[&str]| babycuda(&[&["trace", "record", &kernel], args].concat(), "");
    record(&["--kernel", "k", "--param", "n=1", "--block", "4", "--output", &log]).ends(0);
    babycuda(&["trace", "check", &log], "").ends(0).says("race-free").says("4 accesses");
    let racy = ["--kernel", "k", "--param", "n=2", "--grid", "2", "--block", "4", "--seed", "3"];
    record(&[&racy[..], &["--output", &log]].concat()).ends(0);
    babycuda(&["trace", "check", &log], "")
        .ends(1)
        .says("(2 cells, 2 racing pairs)")
        .says("write-write race on a[")
        .says("], in one block")
        .says("], between blocks")
        .says("k.cu:2:");
    record(&[]).ends(2).warns("has several kernels: k, two").warns("--kernel names one");
    record(&["--kernel", "none"]).ends(2).warns("no kernel `none`");
    let open = record(&["--kernel", "k", "--block", "4", "--output", &log]);
    open.holds(open.status >= 2, "a status that says that n has no value");
    babycuda(&["trace", "record", "-"], "threads 2; A[0] := 1").ends(2).warns("CUDA C");
}

/// A log that does not fit into memory is read several times, and says the same.
#[test]
fn little_memory_takes_more_passes() {
    let folder = Folder::new("traces-memory");
    let head = r#"{"format":"babycuda/trace-lines","version":1,"launch":{"grid":{"x":1,"y":1,"z":1},"block":{"x":2,"y":1,"z":1}}}"#;
    let cells = 40_000;
    let mut lines = format!("{head}\n{{\"array\":{{\"name\":\"A\"}}}}\n");
    for (thread, cell) in (0..2).flat_map(|thread| (0..cells).map(move |cell| (thread, cell))) {
        // Each page of cells has some of one thread's, and all threads the last.
        let index = cell * 64 + if cell + 1 < cells { thread } else { 0 };
        let access = json!({ "access": {
            "thread": { "block": 0, "index": thread }, "mode": "wr", "cell": { "array": "A", "index": index },
        } });
        lines.push_str(&format!("{access}\n"));
    }
    lines.push_str(&format!("{{\"end\":{{\"accesses\":{},\"barriers\":0}}}}\n", 2 * cells));
    let log = folder.file("log.jsonl", &lines);
    let few = document(&[&log], "", 1);
    let many = document(&[&log, "--memory-limit", "60"], "", 1);
    assert_eq!((&few["passes"], &few["racy_cells"]), (&json!(2), &json!(1)));
    assert!(many["passes"].as_u64() > Some(2), "{}", many["passes"]);
    assert_eq!((&many["racy_cells"], &many["races"]), (&few["racy_cells"], &few["races"]));
}
