//! The first five minutes: what is installed, what shells know, and kernels in workflows.

mod support;

use serde_json::Value;
use std::process::{Command, Output};
use support::{Folder, babycuda, fed, root, validate};

#[test]
fn doctor_says_what_is_there_and_how_to_get_the_rest() {
    let text = babycuda(&["doctor"], "").ends(0).out.clone();
    let json = babycuda(&["doctor", "--format", "json"], "").ends(0).out.clone();
    validate("cli-doctor", &json).unwrap_or_else(|e| panic!("{e}\n{json}"));
    for (from, to) in [
        ("\"version\":1", "\"version\":2"),
        ("\"purpose\":", "\"use\":"),
        ("\"tools\":[", "\"tools\":[7,"),
    ] {
        let changed = json.replacen(from, to, 1);
        assert_ne!(changed, json, "{json}");
        assert!(validate("cli-doctor", &changed).is_err(), "{to}");
    }
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

/// What a command says of itself.
fn help(command: &[&str]) -> String {
    babycuda(&[command, &["--help"]].concat(), "").ends(0).out.clone()
}

/// The commands that a help lists.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// A command, and all below it; `help` is clap's.
fn commands_from(command: Vec<String>) -> Vec<Vec<String>> {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let names = subcommands(&help(&words)).into_iter().filter(|name| name != "help");
    let below = names.flat_map(|name| commands_from([&command[..], &[name]].concat()));
    let below: Vec<_> = below.collect();
    [vec![command], below].concat()
}

/// An editor that comes and goes.
fn editor() -> String {
    let message = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
    [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
    ]
    .map(message)
    .concat()
}

/// Runs the examples that the help of a command shows, as a shell does in the repository; what they write lies elsewhere.
fn run_examples(command: &[String]) {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let text = help(&words);
    let (_, examples) = text.split_once("\nExamples:\n").unwrap_or_else(|| {
        panic!("`babycuda {} --help` shows no example", command.join(" "));
    });
    let examples: Vec<&str> = examples.lines().map(str::trim).collect();
    assert!((1..=3).contains(&examples.len()), "{command:?}: {examples:?}");
    let called = ["babycuda", &command.join(" ")].join(" ");
    let shows = |example: &&str| example.contains(called.trim_end());
    assert!(examples.iter().any(shows), "none calls `{called}`: {examples:?}");

    let folder = Folder::new(&format!("help-{}", command.join("-")));
    for entry in std::fs::read_dir(root()).unwrap() {
        let (path, name) = entry.map(|e| (e.path(), e.file_name().into_string().unwrap())).unwrap();
        if name != "target" && !name.starts_with('.') {
            let path = path.canonicalize().unwrap();
            std::os::unix::fs::symlink(path, folder.path(&name)).unwrap();
        }
    }
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_babycuda")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let input = if command == ["lsp"] { editor() } else { String::new() };
    for example in examples {
        let (line, status) = match example.split_once("  # exit ") {
            Some((line, status)) => (line, status.parse().unwrap()),
            None => (example, 0),
        };
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(folder.path("")).env("PATH", &path);
        fed(example.to_owned(), &mut shell, &input).ends(status);
    }
}

#[test]
fn every_example_of_a_help_runs() {
    let commands = commands_from(Vec::new());
    for known in [&["check"][..], &["trace", "record"], &["fuzz", "merge"], &["man"]] {
        assert!(commands.iter().any(|command| command == known), "{known:?}: {commands:?}");
    }
    std::thread::scope(|scope| {
        let (one, other) = commands.split_at(commands.len() / 2);
        for part in [one, other] {
            scope.spawn(|| part.iter().for_each(|command| run_examples(command)));
        }
    });
}

#[test]
fn shells_and_manuals_know_every_command() {
    let names = subcommands(&help(&[]));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
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
    let link = folder.path("link");
    std::os::unix::fs::symlink(parent, &link).unwrap();
    assert_eq!(ran(&["--unknown-fails", &link]).0, 3);
    assert_eq!(ran(&["--assume", "n > 0", "--", free]).0, 0);
    // Files that are no kernels are passed over, and none is no failure.
    for none in [&["README.md"][..], &["--", "docs"], &["--block", "64", "README.md"]] {
        let (status, said) = ran(none);
        assert!(status == 0 && said.contains("nothing was checked"), "{none:?}: {said}");
    }
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
