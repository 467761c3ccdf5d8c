//! `babycuda fuzz` with tools that are wrong in each way, that are right, and that behave badly.

#[path = "../../proofs/tests/coq/mod.rs"]
mod coq;
mod support;

use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};
use support::{Folder, Ran, babycuda, run_page, validate};

/// A tool that does this.
fn tool(folder: &Folder, script: &str) -> String {
    format!("sh '{}' {{file}} {{warp}}", folder.file("tool.sh", script))
}

/// What a campaign of so many kernels finds, with further arguments.
fn fuzzed(folder: &Folder, against: &str, programs: u32, more: &[&str]) -> Ran {
    let (out, programs) = (folder.path("out"), programs.to_string());
    let mut args = vec!["fuzz", "--against", against, "--programs", &programs, "--out", &out];
    args.extend(["--format", "json"]);
    args.extend(more);
    let ran = babycuda(&args, "");
    assert!(ran.out.is_empty() || validate("cli-fuzz", &ran.out) == Ok(()), "{}", ran.out);
    ran
}

/// How often the answers of the only tool came to this.
fn count(found: &Value, class: &str) -> u64 {
    let rows = found["tools"].as_object().unwrap();
    assert_eq!(rows.len(), 1);
    rows.values().next().unwrap()["classes"][class].as_u64().unwrap_or(0)
}

/// How many kernels are this.
fn kernels(found: &Value, truth: &str) -> u64 {
    let all = found["kernels"].as_object().unwrap().iter();
    all.filter(|(name, _)| name.ends_with(truth)).map(|(_, n)| n.as_u64().unwrap()).sum()
}

#[test]
fn who_says_the_same_of_all_misses_races_or_raises_false_alarms() {
    let folder = Folder::new("fuzz-same");
    let free = fuzzed(&folder, &tool(&folder, "exit 0"), 66, &[]).ends(1).json();
    assert_eq!(
        kernels(&free, ": racy") + kernels(&free, ": race-free") + kernels(&free, ": divergent"),
        66
    );
    assert_eq!(count(&free, "missed race"), kernels(&free, ": racy"));
    assert_eq!(count(&free, "agreed"), kernels(&free, ": race-free"));
    assert_eq!(count(&free, "not judged"), kernels(&free, ": divergent"));
    assert_eq!(count(&free, "false alarm"), 0);

    let other = Folder::new("fuzz-other");
    let racy = fuzzed(&other, &tool(&other, "exit 1"), 66, &[]).ends(1).json();
    assert_eq!(count(&racy, "false alarm"), kernels(&racy, ": race-free"));
    assert_eq!(count(&racy, "missed race"), 0);
    // The least kernel with nothing wrong is one without statements.
    let findings = racy["findings"].as_object().unwrap();
    assert!(findings.values().all(|f| f["body"].as_array().unwrap().len() <= 1), "{findings:#?}");
    assert!(findings.values().any(|f| f["times"].as_u64().unwrap() > 10), "{findings:#?}");
}

/// Who reports no race that leaves one memory is held to the others alone, where that is asked.
#[test]
fn races_that_leave_one_memory_may_be_forgiven() {
    let silent = |name: &str, more: &[&str]| {
        let folder = Folder::new(name);
        let more = [more, &["--fragment", "benign-writes"]].concat();
        fuzzed(&folder, &tool(&folder, "exit 0"), 44, &more).json()
    };
    let (held, forgiven) =
        (silent("fuzz-held", &[]), silent("fuzz-forgiven", &["--ignore-benign"]));
    let (all, some) = (count(&held, "missed race"), count(&forgiven, "missed race"));
    assert!(0 < some && some < all, "{all} {some}");
    assert_eq!(some + count(&forgiven, "not judged"), all);
}

#[test]
fn what_a_tool_says_is_read_as_asked() {
    let folder = Folder::new("fuzz-words");
    // It calls everything racy that has a barrier nowhere.
    let script = "grep -q syncthreads \"$1\" && echo fine || echo RACE; exit 0";
    let found = fuzzed(
        &folder,
        &tool(&folder, script),
        44,
        &["--racy-when", "RACE", "--free-when", "fine"],
    );
    let found = found.ends(1).json();
    assert_eq!(count(&found, "unsupported"), 0);
    assert!(count(&found, "missed race") > 0 && count(&found, "false alarm") > 0, "{found:#}");

    let junk = Folder::new("fuzz-junk");
    let found =
        fuzzed(&junk, &tool(&junk, "printf '\\377\\376 what?\\n'; exit 7"), 11, &[]).ends(3).json();
    assert_eq!(count(&found, "unsupported"), 11);
    let (why, times) = found["tools"].as_object().unwrap().values().next().unwrap()["unsupported"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    assert!(why.contains('7') && why.contains("what?") && times == 11, "{why}");
}

/// A tool that has words of its own for divergence is held to them: this program, and one that calls all of it a race.
#[test]
fn a_tool_may_tell_divergence_apart() {
    let asked = |name: &str, words: &str| {
        let folder = Folder::new(name);
        let script = format!(
            "'{}' check \"$1\" --warp $2 --block $3 --grid $4 --contract none --format json | {words}",
            env!("CARGO_BIN_EXE_babycuda")
        );
        let against = format!("{} {{block}} {{grid}}", tool(&folder, &script));
        let more = [
            ["--racy-when", "is racy"],
            ["--divergent-when", "is divergent"],
            ["--free-when", "is drf"],
            ["--fragment", "divergent-barriers"],
        ];
        fuzzed(&folder, &against, 32, more.as_flattened()).json()
    };
    let verdict = r#"sed -n 's/.*"verdict": *"\([a-z]*\)".*/is \1/p'"#;
    let found = asked("fuzz-divergent", verdict);
    assert_eq!(count(&found, "agreed"), 32, "{found:#}");
    let divergent = kernels(&found, "divergent");
    assert!(divergent > 5, "{found:#}");
    let racy = asked("fuzz-divergent-as-racy", &format!("{verdict} | sed 's/divergent/racy/'"));
    assert_eq!(count(&racy, "false alarm"), divergent, "{racy:#}");
    let free = asked("fuzz-divergent-as-free", &format!("{verdict} | sed 's/divergent/drf/'"));
    assert_eq!(count(&free, "missed divergence"), divergent, "{free:#}");
    // What is racy is no mere divergence.
    let all = asked("fuzz-racy-as-divergent", &format!("{verdict} | sed 's/racy/divergent/'"));
    assert_eq!(count(&all, "missed race"), kernels(&found, "racy"), "{all:#}");
}

#[test]
fn bad_behaviour_is_a_finding_and_ends() {
    let crash = Folder::new("fuzz-crash");
    let found = fuzzed(&crash, &tool(&crash, "kill -SEGV $$"), 11, &[]).ends(1).json();
    assert_eq!(count(&found, "crash"), 11);
    let findings = found["findings"].as_object().unwrap();
    assert!(findings.values().all(|f| f["words"].as_str().unwrap().contains("signal: 11")));

    // It floods, and leaves a child behind, which ends with it.
    let hang = Folder::new("fuzz-hang");
    let marker = hang.path("marker");
    let script = format!("(sleep 3; touch '{marker}') & yes");
    let args = ["--timeout", "0.3", "--jobs", "2"];
    let found = fuzzed(&hang, &tool(&hang, &script), 2, &args).ends(1).json();
    assert_eq!(count(&found, "time-out"), 2);
    thread::sleep(Duration::from_secs(4));
    assert!(fs::metadata(&marker).is_err(), "the child lives");
}

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

#[test]
fn parts_are_the_whole_and_a_killed_campaign_goes_on() {
    let whole = Folder::new("fuzz-whole");
    let against = tool(&whole, "sleep 0.02; exit 0");
    let found = |path: &str| -> Value {
        let text = fs::read_to_string(format!("{path}/state.json")).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        document["content"]["found"].clone()
    };
    fuzzed(&whole, &against, 96, &[]).ends(1);
    let expected = found(&whole.path("out"));

    let parts: Vec<Folder> = (1..=3).map(|i| Folder::new(&format!("fuzz-part-{i}"))).collect();
    for (i, part) in (1..).zip(&parts) {
        fuzzed(part, &against, 96, &["--shard", &format!("{i}/3")]).ends(1);
    }
    let paths: Vec<String> = parts.iter().map(|part| part.path("out")).collect();
    let mut args = vec!["fuzz", "merge", "--format", "json"];
    args.extend(paths.iter().map(String::as_str));
    let mut merged = babycuda(&args, "").ends(1).json();
    assert_eq!(merged.as_object_mut().unwrap().remove("version"), Some(1.into()));
    assert!(expected.is_object() && merged == expected);
    // No part counts twice, nor one of another campaign; that others are missing is said.
    babycuda(&["fuzz", "merge", &paths[0], &paths[0]], "").ends(2).warns("was given before");
    babycuda(&["fuzz", "merge", &paths[0], &whole.path("out")], "")
        .ends(2)
        .warns("another campaign");
    babycuda(&["fuzz", "merge", &paths[0], &paths[2]], "")
        .ends(1)
        .warns("1 part of the campaign not");
    let replay = ["fuzz", "replay", &paths[0], &paths[1], &paths[2]];
    babycuda(&replay, "").ends(1).says("fuzz-part-1").says("fuzz-part-3");
    let other_part =
        ["fuzz", "--against", &against, "--programs", "96", "--shard", "2/3", "--out", &paths[0]];
    babycuda(&other_part, "").ends(2).warns("its part, which is 1/3 and not 2/3");

    let killed = Folder::new("fuzz-killed");
    let out = killed.path("out");
    let mut child = Command::new(env!("CARGO_BIN_EXE_babycuda"))
        .args(["fuzz", "--against", &against, "--programs", "96", "--jobs", "1", "--out", &out])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while fs::metadata(format!("{out}/state.json")).is_err() {
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let half = found(&out);
    assert!(half != expected, "it was done before it was killed");
    fuzzed(&killed, &against, 96, &[]).ends(1);
    assert!(found(&out) == expected);

    // Another campaign does not go on from there.
    let other = babycuda(
        &["fuzz", "--against", &against, "--seed", "1", "--programs", "96", "--out", &out],
        "",
    );
    other.ends(2).warns("another campaign, by its seed, which is 0 and not 1");
    let state = fs::read_to_string(format!("{out}/state.json")).unwrap();
    for (number, other) in [
        ("\"of\":1", "\"of\":0"),
        ("\"time\":{\"secs\":", "\"time\":{\"secs\":184467440737095516"),
        ("\"done\":6", "\"done\":99999"),
        ("\"done\":6", "\"done\":"),
    ] {
        assert!(state.contains(number), "{number}");
        fs::write(format!("{out}/state.json"), state.replace(number, other)).unwrap();
        fuzzed(&killed, &against, 96, &[]).ends(2);
    }
}

#[test]
fn disagreements_are_asked_about_again() {
    let folder = Folder::new("fuzz-replay");
    let against = tool(&folder, "exit 0");
    fuzzed(&folder, &against, 22, &[]).ends(1);
    let out = folder.path("out");
    babycuda(&["fuzz", "replay", &out], "").ends(1).says("missed race before, missed race now");
    // The tool was mended.
    babycuda(&["fuzz", "replay", &out, "--against", "protocols"], "")
        .ends(0)
        .says("missed race before, agreed now");
    folder.file("tool.sh", "exit 1");
    babycuda(&["fuzz", "replay", &out], "").ends(0);
    // Who does not say anything has mended nothing.
    folder.file("tool.sh", "exit 7");
    babycuda(&["fuzz", "replay", &out], "").ends(3).says("unsupported now (exit status: 7");
    fs::remove_file(folder.path("tool.sh")).unwrap();
    let gone = babycuda(&["fuzz", "replay", &out, "--format", "json"], "").ends(3).json();
    assert_eq!(gone["replayed"][0]["before"], "missed-race");
    let other = ["fuzz", "replay", &out, "--against", "/no/such {file}"];
    babycuda(&other, "").ends(2).warns("there is no program");

    let finding = fs::read_dir(format!("{out}/findings")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(finding.join("finding.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(
        document["content"]["command"][2].as_str().unwrap().ends_with("kernel.cu"),
        "{document:#}"
    );
    assert!(
        fs::read_to_string(finding.join("kernel.cu")).unwrap().contains("__global__ void kernel(")
    );
    let others = [("\"array\": \"", "\"array\": \"q"), ("\"timeout\": 10.0", "\"timeout\": 1e19")];
    let others = others.map(|(one, other)| text.replace(one, other));
    assert!(others.iter().all(|other| *other != text));
    for wrong in ["", "[]", "{\"tool\": 1}", &others[0], &others[1]] {
        fs::write(finding.join("finding.json"), wrong).unwrap();
        babycuda(&["fuzz", "replay", &out], "").ends(2).warns("finding.json");
    }
    babycuda(&["fuzz", "replay", &folder.path("nothing")], "")
        .ends(2)
        .warns("no campaign is there");
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

/// As the campaign read its words; what is said now counts more.
#[test]
fn disagreements_are_asked_about_as_before() {
    let folder = Folder::new("fuzz-replay-words");
    let against = tool(&folder, "case \"$1\" in *.cl) echo fine;; esac; exit 5");
    let words = ["--racy-when", "RACE", "--free-when", "fine", "--language", "opencl"];
    fuzzed(&folder, &against, 22, &words).ends(1);
    let out = folder.path("out");
    babycuda(&["fuzz", "replay", &out], "").ends(1).says("missed race before, missed race now");
    babycuda(&["fuzz", "replay", &out, "--racy-when", "fine", "--free-when", "no"], "")
        .ends(0)
        .says("missed race before, agreed now");
    babycuda(&["fuzz", "replay", &out, "--language", "cuda"], "").ends(3).says("unsupported now");
}

/// Its tools end with it, and what they read is gone.
#[test]
#[cfg(unix)]
fn a_campaign_that_is_interrupted_leaves_nothing_running() {
    let folder = Folder::new("fuzz-interrupted");
    let (marker, begun) = (folder.path("marker"), folder.path("begun"));
    let against = tool(&folder, &format!("touch '{begun}'; (sleep 3; touch '{marker}') & sleep 9"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_babycuda"))
        .args(["fuzz", "--against", &against, "--programs", "16", "--out", &folder.path("out")])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while fs::metadata(&begun).is_err() {
        thread::sleep(Duration::from_millis(20));
    }
    let scratch = std::env::temp_dir().join(format!("babycuda-fuzz-{}", child.id()));
    assert!(scratch.exists());
    let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(told.success() && child.wait().unwrap().code() == Some(130));
    assert!(!scratch.exists());
    // That a tool was ended is no crash of it.
    assert!(fs::metadata(folder.path("out/state.json")).is_err());
    thread::sleep(Duration::from_secs(4));
    assert!(fs::metadata(&marker).is_err(), "a tool lives");
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

#[test]
fn tools_that_are_none_are_refused() {
    // Who says more than is read may have said anything.
    let flood = Folder::new("fuzz-flood");
    let script = "head -c 3000000 /dev/zero | tr '\\0' x";
    let found = fuzzed(&flood, &tool(&flood, script), 3, &[]).ends(3).json();
    assert_eq!(count(&found, "unsupported"), 3);
    // Other words to look for make another campaign, and it is said what differs.
    fuzzed(&flood, &tool(&flood, script), 3, &["--racy-when", "x"])
        .ends(2)
        .warns("another campaign, by who is asked, or how words are read");
    fuzzed(&flood, &tool(&flood, script), 3, &["--timeout", "9"]).ends(2).warns("(--timeout,");
    fuzzed(&flood, &tool(&flood, script), 3, &["--fragment", "affine"]).ends(2).warns("--fragment");
    for wrong in ["nobody", "t 'x {file}", ""] {
        babycuda(&["fuzz", "--against", wrong], "").ends(2).warns("is no tool");
    }
    babycuda(&["fuzz", "--fragment", "none"], "").ends(2).warns("data-dependent-index");
    babycuda(&["fuzz", "--shard", "3/2"], "").ends(2);
    let folder = Folder::new("fuzz-none");
    fuzzed(&folder, "/no/such/program {file}", 11, &[])
        .ends(2)
        .warns("there is no program /no/such");
    fuzzed(&folder, "no-such-program {file}", 11, &[]).ends(2).warns("is not installed");
    fuzzed(&folder, "t 'x {file}", 11, &[]).ends(2).warns("a quote is not closed");
    fuzzed(&folder, "t {fil}", 11, &[]).ends(2).warns("{file} or {sim}");
}

/// What kernels use is counted; with coverage fewer kernels use more, and a part of a campaign has what the whole has.
#[test]
fn kernels_are_made_of_those_that_used_something_new() {
    let ways = |name: &str, more: &[&str]| {
        let folder = Folder::new(name);
        let found = fuzzed(&folder, "symbolic-heap", 512, more).json();
        assert!(found["rules"]["block/start"].as_u64() > Some(400), "{found:#}");
        found["steps"].as_object().unwrap().len()
    };
    let plain = ways("fuzz-plain", &[]);
    let covered = ways("fuzz-coverage", &["--coverage"]);
    assert!(covered > plain, "{covered} with coverage, {plain} without");
    let again = ways("fuzz-coverage-2", &["--coverage", "--jobs", "1"]);
    assert_eq!(covered, again);
}

#[test]
fn kernels_are_of_a_profile() {
    for (profile, truth) in
        [("racy", ": racy"), ("race-free", ": race-free"), ("divergent", ": divergent")]
    {
        let folder = Folder::new(&format!("fuzz-{profile}"));
        let found = fuzzed(&folder, &tool(&folder, "exit 0"), 22, &["--profile", profile]).json();
        let none = kernels(&found, ": none of the profile");
        assert_eq!(kernels(&found, truth) + none, 22, "{found:#}");
        assert!(kernels(&found, truth) > 0, "{found:#}");
    }
    for profile in ["typed", "untyped"] {
        let folder = Folder::new(&format!("fuzz-{profile}"));
        let found = fuzzed(&folder, &tool(&folder, "exit 0"), 33, &["--profile", profile]).json();
        let used = found["rules"].as_object().unwrap();
        let relative = used.contains_key("type/t-read-input");
        let typed = used.keys().any(|id| id.starts_with("type/")) && !relative;
        assert_eq!(typed, profile == "typed", "{found:#}");
    }
    for (profile, rule, is_used) in [
        ("paper", "barrier/atomic", false),
        ("scoped", "barrier/atomic", true),
        ("relative", "type/t-read-input", true),
        ("almost-typed", "thread/atomic", false),
    ] {
        let folder = Folder::new(&format!("fuzz-{profile}"));
        let found = fuzzed(&folder, &tool(&folder, "exit 0"), 33, &["--profile", profile]).json();
        let used = found["rules"].as_object().unwrap();
        assert!(used.contains_key("thread/write"), "{profile}: {found:#}");
        assert_eq!(used.contains_key(rule), is_used, "{profile}: {found:#}");
    }
    babycuda(&["fuzz", "--profile", "none"], "").ends(2).warns("race-free");
}

/// Racecheck runs a program, which a compiler makes. Both are stand-ins here.
#[test]
fn a_tool_that_runs_programs_is_asked_about_one() {
    let folder = Folder::new("fuzz-racecheck");
    let stand_in = |name: &str, script: &str| {
        let file = folder.file(name, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    };
    // nvcc -G -o PROGRAM HOST; compute-sanitizer --tool racecheck PROGRAM
    stand_in("nvcc", "grep -q 'while' \"$4\" && exit 1; cp \"$4\" \"$3\"");
    let says = "echo 'RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)'";
    let launched =
        "grep -q 'kernel<<<[12], [48]>>>(a, d);' \"$3\" && grep -q 'contents.16. = {' \"$3\"";
    stand_in("compute-sanitizer", &format!("[ \"$2\" = racecheck ] && {launched} && {says}"));
    let path =
        format!("{}:{}", folder.path("").trim_end_matches('/'), std::env::var("PATH").unwrap());
    let out = folder.path("out");
    let ran = Command::new(env!("CARGO_BIN_EXE_babycuda"))
        .args([
            "fuzz",
            "--against",
            "racecheck",
            "--programs",
            "66",
            "--out",
            &out,
            "--format",
            "json",
        ])
        .env("PATH", path)
        .output()
        .unwrap();
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
}

#[test]
fn every_command_of_the_page_runs() {
    let folder = Folder::new("fuzz-page");
    let tool = folder.file("mytool", "#!/bin/sh\nexit 0\n");
    let mut words = vec![("mytool", format!("sh {tool}"))];
    // The longer names first.
    for name in [
        " fuzz-out-2",
        " fuzz-out-3",
        " fuzz-out-4",
        " fuzz-out-5",
        " fuzz-out",
        " part-1",
        " part-2",
    ] {
        words.push((name, format!(" '{}'", folder.path(name.trim()))));
    }
    assert_eq!(run_page("docs/FUZZ.md", &words), 11);
}
