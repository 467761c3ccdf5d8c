//! The first five minutes: what is installed, what shells know, and kernels in workflows.

mod support;

use serde_json::Value;
use std::process::{Command, Output};
use support::{Folder, babycuda, root};

#[test]
fn doctor_says_what_is_there_and_how_to_get_the_rest() {
    let text = babycuda(&["doctor"], "").ends(0).out.clone();
    let json = babycuda(&["doctor", "--format", "json"], "").ends(0).out.clone();
    let document: Value = serde_json::from_str(&json).unwrap();
    let tools = document["tools"].as_array().unwrap();
    let named = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
    for name in
        ["z3", "cvc5", "clang", "coq", "opencl", "wgpu", "cuda", "oclgrind", "racecheck", "oracle"]
    {
        let tool = named(name);
        assert!(text.contains(name), "{text}");
        assert_ne!(tool["version"].is_null(), tool["missing"].is_null(), "{tool}");
        assert_eq!(tool["missing"].is_null(), tool["remedy"].is_null(), "{tool}");
    }
    let there = Command::new("z3").arg("--version").output().is_ok_and(|o| o.status.success());
    assert_eq!(there, !named("z3")["version"].is_null());
    // What is not there is missing, with a remedy.
    let output = Command::new(env!("CARGO_BIN_EXE_babycuda"))
        .args(["doctor", "--format", "json"])
        .env("BABYCUDA_Z3", "/nowhere/z3")
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tool = &document["tools"][0];
    assert!(tool["version"].is_null() && tool["missing"].as_str().unwrap().contains("/nowhere/z3"));
    assert!(tool["remedy"].as_str().unwrap().contains("BABYCUDA_Z3"), "{tool}");
}

#[test]
fn shells_and_manuals_know_every_command() {
    let help = babycuda(&["--help"], "").ends(0).out.clone();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| line.starts_with("  "));
    let names: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"check") && names.contains(&"man"), "{names:?}");
    let man = babycuda(&["man"], "").ends(0).out.clone();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = babycuda(&["completions", shell], "").ends(0).out.clone();
        assert!(names.iter().all(|name| text.contains(name)), "{shell}: {text}");
        assert!(text.contains("time-limit"), "{shell}: {text}");
    }
    for name in names.iter().filter(|name| **name != "help") {
        assert!(man.contains(&format!(".TH babycuda-{name} 1")), "{name}: {man}");
    }
    assert!(man.contains(".TH babycuda-trace-check 1"), "{man}");
    babycuda(&["completions", "tcsh"], "").ends(2);
}

/// What is printed as a document is read again, with the same verdict and the same witness.
#[test]
fn documents_are_read_again() {
    let folder = Folder::new("documents");
    for (kernel, status) in [
        ("reduce_sequential.cu", 0),
        ("reduce_sequential_racy.cu", 1),
        ("vector_add.cu", 0),
        ("image_2d.cu", 0),
        ("grid_scan_racy.cu", 1),
        ("scatter_rows_racy.cu", 1),
    ] {
        let path = format!("tests/corpus/{kernel}");
        let printed = babycuda(&["emit", &path, "--target", "json"], "").ends(0).out.clone();
        let document = folder.file("program.json", &printed);
        let again = babycuda(&["emit", &document, "--target", "json"], "").ends(0).out.clone();
        // Places are those of the kernel's file, and left out.
        let bare = folder.file("again.json", &again);
        assert_eq!(again, babycuda(&["emit", &bare, "--target", "json"], "").ends(0).out);
        // The launches of the file are no part of the kernel.
        let check = ["check", "--contract", "none", "--block", "16", "--format", "short"];
        let codes = |path: &str| {
            let lines = babycuda(&[&check[..], &[path]].concat(), "").ends(status).out.clone();
            let code = |line: &str| line[line.find('[')?..].get(..7).map(str::to_owned);
            lines.lines().filter_map(code).collect::<Vec<_>>()
        };
        assert_eq!(codes(&path), codes(&document));
        babycuda(&["check", "-", "--contract", "none", "--block", "16"], &printed).ends(status);
    }
    let map =
        babycuda(&["emit", "-", "--target", "json"], "threads 2; wr[tid]").ends(0).out.clone();
    babycuda(&["check", &folder.file("protocol.json", &map)], "").ends(0).says("race-free");
    // What is no program, and what only looks like one.
    let derivation = babycuda(&["derive", "-", "--format", "json"], "threads 2; A[tid] := 1");
    let derivation = folder.file("derivation.json", &derivation.ends(0).out);
    babycuda(&["check", &derivation], "").ends(2).warns("`babycuda verify` reads derivations");
    for (text, why) in [
        ("{}", "missing field"),
        ("[1]", "invalid type"),
        (r#"{"format":"babycuda/program","version":2,"content":1}"#, "version 2"),
        (r#"{"format":"babycuda/program","version":1,"content":{"body":7}}"#, "content"),
        (r#"{"format":"babycuda/history","version":1,"content":[]}"#, "babycuda/history"),
    ] {
        babycuda(&["check", &folder.file("wrong.json", text)], "").ends(2).warns(why);
    }
    let unbound = printed_with_a_free_variable();
    babycuda(&["check", &folder.file("free.json", &unbound)], "").ends(2).warns("`nobody`");
    babycuda(&["emit", "-", "--target", "json", "--instrumented"], "threads 2; A[tid] := 1")
        .ends(2)
        .warns("no instrumentation");
}

fn printed_with_a_free_variable() -> String {
    let program = "threads 2; A[tid] := 1";
    let printed = babycuda(&["emit", "-", "--target", "json"], program).ends(0).out.clone();
    let changed = printed.replace(r#""index":{"var":"tid"}"#, r#""index":{"var":"nobody"}"#);
    assert_ne!(changed, printed);
    changed
}

fn script(args: &[&str]) -> Output {
    Command::new(root().join("scripts/check-kernels"))
        .args(args)
        .current_dir(root())
        .env("BABYCUDA", env!("CARGO_BIN_EXE_babycuda"))
        .env("GITHUB_ACTIONS", "true")
        .output()
        .unwrap()
}

#[test]
fn kernels_are_checked_in_workflows_and_before_commits() {
    let free = "tests/corpus/vector_add.cu";
    let racy = "tests/corpus/reduce_sequential_racy.cu";
    let ran = |args: &[&str]| {
        let output = script(args);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code().unwrap(), text + &String::from_utf8_lossy(&output.stderr))
    };
    assert_eq!(ran(&["--block", "256", free]).0, 0);
    for args in [
        &[racy][..],
        &["--", racy],
        &["--block", "256", free, racy],
        &["--block", "256", "--", racy],
    ] {
        let (status, said) = ran(args);
        assert_eq!(status, 1, "{args:?}: {said}");
        assert!(said.contains(&format!("::error file={racy},line=")), "{args:?}: {said}");
    }
    // What is not decided is a failure only where that is asked.
    let folder = Folder::new("work flow");
    let unknown = "__global__ void k(int *a) { asm(\"bar.red.popc.u32 %0;\"); }";
    let unknown = folder.file("-u.cu", unknown);
    assert_eq!(ran(&[&unknown]).0, 0);
    assert_eq!(ran(&["--unknown-fails", &unknown]).0, 3);
    assert_eq!(ran(&["--unknown-fails", "--", &unknown]).0, 3);
    let parent = std::path::Path::new(&unknown).parent().unwrap().to_str().unwrap();
    assert_eq!(ran(&["--unknown-fails", parent]).0, 3);
    assert_eq!(ran(&["--assume", "n > 0", "--", free]).0, 0);
    // Files that are no kernels are passed over, and none is no failure.
    assert_eq!(ran(&["README.md"]).0, 0);
    assert_eq!(ran(&["--", "docs"]).0, 0);
    assert_eq!(ran(&["--"]).0, 0);
    assert_eq!(ran(&[]).0, 0);
    for wrong in [&["--blok", "--", free][..], &["--", "nowhere.cu"], &["nowhere.cu"], &["nowhere"]]
    {
        assert_eq!(ran(wrong).0, 2, "{wrong:?}");
    }
    for (file, part) in [
        ("action.yml", "scripts/check-kernels"),
        (".pre-commit-hooks.yaml", "scripts/check-kernels"),
    ] {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        assert!(text.contains(part), "{file}");
    }
}
