//! Tools: those of this library, this program as one, and those of others.

#[path = "../../../proofs/tests/coq/mod.rs"]
mod coq;

use super::support::{Folder, babycuda, has_clang, root, validate};
use super::{count, fuzzed, tool};
use serde_json::Value;
use std::fs;
use std::process::{Command, Output};

#[test]
fn this_library_agrees_inside_and_outside() {
    let folder = Folder::new("fuzz-own");
    fuzzed(&folder, "protocols", 110, &[]).ends(0);
    babycuda(&["fuzz", "replay", &folder.path("out")], "").ends(0).says("0 disagreements before");
    let outside = Folder::new("fuzz-outside");
    let command = format!(
        "'{}' check {{file}} --block {{block}} --grid {{grid}} --contract none",
        env!("CARGO_BIN_EXE_babycuda")
    );
    let found = fuzzed(&outside, &command, 33, &[]).ends(0).json();
    assert!(count(&found, "agreed") >= 25, "{found:#}");
    // Of warps the program is told nothing here, so nothing is expected of it.
}

/// The tool is this program: what it says of kernels with macros is what is true of them.
#[test]
fn kernels_with_macros_are_the_same_kernels() {
    let folder = Folder::new("fuzz-macros");
    let script = format!(
        "grep -q '#define CELL' \"$1\" || exit 9; '{}' check \"$1\" --warp $2 --block $3 --grid $4 --contract none",
        env!("CARGO_BIN_EXE_babycuda")
    );
    let against = format!("{} {{block}} {{grid}}", tool(&folder, &script));
    let found = fuzzed(&folder, &against, 33, &["--macros"]).ends(0).json();
    assert!(count(&found, "agreed") >= 25, "{found:#}");
    let opencl = Folder::new("fuzz-macros-opencl");
    let script =
        "grep -q 'barrier(CLK' \"$1\" && ! grep -q '#define BARRIER barrier(CLK' \"$1\" && exit 9
        grep 'CELL(' \"$1\" | grep -q '[su]\\[64' && exit 9; exit 0";
    let args = ["--macros", "--language", "opencl"];
    let found = fuzzed(&opencl, &tool(&opencl, script), 66, &args).json();
    assert!(count(&found, "unsupported") < 12, "{found:#}");
    let without = Folder::new("fuzz-no-macros");
    assert_eq!(count(&fuzzed(&without, &against, 33, &[]).json(), "unsupported"), 33);
}

/// The semantics in each of its forms, the proved functions of Coq among them.
#[test]
fn implementations_agree() {
    let oracle = coq::built(&["make", "coqc", "ocamlopt"], |proofs| {
        coq::make(&proofs.join("oracle"), &[]);
        proofs.join("oracle/_build/oracle")
    });
    let folder = Folder::new("fuzz-implementations");
    // The oracle that lies in the folder is used where it is asked for by its name.
    let more = oracle.as_ref().map_or(&[][..], |_| &["--against", "coq"]);
    let found = fuzzed(&folder, "implementations", 330, more).ends(0).json();
    let tools = found["tools"].as_object().unwrap();
    let agreed = |tool: &str| tools[tool]["classes"]["agreed"].as_u64().unwrap();
    for (tool, least) in [
        ("reference", 330),
        ("interleavings", 200),
        ("enumeration", 250),
        ("solvers", 320),
        ("sim", 330),
    ] {
        assert!(agreed(tool) >= least, "{tool}: {found:#}");
    }
    assert!(oracle.is_none() || agreed("coq") >= 280, "{found:#}");
    let plain = Folder::new("fuzz-left-out");
    let left_out = fuzzed(&plain, "implementations", 3, &[]);
    left_out.ends(0).warns("coq of implementations is not asked: BABYCUDA_ORACLE");
}

/// A program of the folder that does this.
fn stand_in(folder: &Folder, name: &str, script: &str) {
    let file = folder.file(name, &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// A campaign against a tool, with the programs of the folder.
fn asked(folder: &Folder, tool: &str) -> Output {
    let own = folder.path("");
    let path = format!("{}:{}", own.trim_end_matches('/'), std::env::var("PATH").unwrap());
    let fuzz = ["fuzz", "--programs", "66", "--format", "json", "--against", tool, "--out"];
    let mut program = Command::new(env!("CARGO_BIN_EXE_babycuda"));
    program.args(fuzz).arg(folder.path("out")).env("PATH", path).output().unwrap()
}

/// Faial looks at the threads of one block: it is asked about launches of one, and a race between blocks is none that it misses.
/// A stand-in calls everything race-free.
#[test]
fn faial_is_asked_about_one_block() {
    let folder = Folder::new("fuzz-faial");
    // faial-drf --block-dim BLOCK --grid-dim GRID FILE
    stand_in(&folder, "faial-drf", "[ \"$4\" = 1 ] && echo 'Kernel k is DRF!'");
    let ran = asked(&folder, "faial");
    let found: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let refused = &found["tools"]["faial"]["unsupported"]["it looks at one block"];
    assert!(refused.as_u64() > Some(3), "{found:#}");
    assert!(count(&found, "agreed") > 5 && count(&found, "crash") == 0, "{found:#}");
}

/// Racecheck runs a program, which a compiler makes. Both are stand-ins here.
#[test]
fn a_tool_that_runs_programs_is_asked_about_one() {
    let folder = Folder::new("fuzz-racecheck");
    // nvcc -G -o PROGRAM HOST; compute-sanitizer --tool racecheck PROGRAM
    stand_in(&folder, "nvcc", "grep -q 'while' \"$4\" && exit 1; cp \"$4\" \"$3\"");
    let says = "echo 'RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)'";
    let launched =
        "grep -q 'kernel<<<[12], [48]>>>(a, d);' \"$3\" && grep -q 'contents.16. = {' \"$3\"";
    let script = format!("[ \"$2\" = racecheck ] && {launched} && {says}");
    stand_in(&folder, "compute-sanitizer", &script);
    let ran = asked(&folder, "racecheck");
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let found: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let row = &found["tools"]["racecheck"];
    assert_eq!(
        row["unsupported"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["it looks at shared memory"]
    );
    assert!(count(&found, "missed race") > 5 && count(&found, "agreed") > 5, "{found:#}");
    assert_eq!(count(&found, "false alarm"), 0, "{found:#}");
    let finding =
        fs::read_dir(folder.path("out/findings")).unwrap().next().unwrap().unwrap().path();
    let document = fs::read_to_string(finding.join("finding.json")).unwrap();
    validate("fuzz-finding", &document).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let command = document["content"]["command"].as_array().unwrap();
    assert_eq!((&command[0], &command[5]), (&"nvcc".into(), &"&&".into()), "{command:?}");
}

/// Clang has warnings of much, and of races none: it is counted which, and nothing counts for it or against it.
#[test]
fn clang_says_nothing_of_races() {
    if !has_clang() {
        return;
    }
    let folder = Folder::new("fuzz-clang");
    let found = fuzzed(&folder, "clang", 33, &["--profile", "racy"]).ends(3).json();
    let row = &found["tools"]["clang"];
    assert_eq!(count(&found, "unsupported"), 33, "{found:#}");
    let reasons = row["unsupported"].as_object().unwrap();
    let warned = |name: &str| {
        let of_name =
            |why: &str| why.starts_with("no warning of races, but ") && why.contains(name);
        reasons.iter().filter(|(why, _)| of_name(why)).filter_map(|(_, n)| n.as_u64()).sum::<u64>()
    };
    // Its own warnings, and those of its analyzer.
    assert!(warned("-W") > 25 && warned("deadcode.DeadStores") > 0, "{found:#}");
    assert!(row["same"].is_null(), "{found:#}");
}

/// Oclgrind is a program that nobody here wrote: of kernels that are run as they are written, it finds what the semantics says.
#[test]
fn oclgrind_is_asked_where_it_is_there() {
    let there = Command::new("oclgrind-kernel").arg("--version").output().is_ok();
    let required = std::env::var("BABYCUDA_REQUIRE_BACKENDS").unwrap_or_default();
    assert!(there || !required.split(',').any(|name| name == "oclgrind"), "oclgrind is missing");
    if !there {
        return;
    }
    let folder = Folder::new("fuzz-oclgrind");
    let found = fuzzed(&folder, "oclgrind", 110, &[]);
    let found = found.json();
    assert!(count(&found, "agreed") >= 90, "{found:#}");
    assert_eq!(count(&found, "crash") + count(&found, "time-out"), 0, "{found:#}");

    // What it misses and raises as it is called by default: `docs/FUZZ.md` has the campaign.
    let kept = root().join("fuzz/oclgrind");
    let again = ["fuzz", "replay", kept.to_str().unwrap(), "--format", "json"];
    let replayed = babycuda(&again, "");
    validate("cli-fuzz-replay", &replayed.out).unwrap();
    let replayed = replayed.ends(1).json();
    let replayed = replayed["replayed"].as_array().unwrap();
    assert!(replayed.len() > 10, "{replayed:#?}");
    assert!(replayed.iter().all(|one| one["before"] == one["now"]), "{replayed:#?}");
}
