//! The program `babycuda-validation`, and the script that runs all of it.

use babycuda_core::json::from_json;
use babycuda_validation::results::Campaign;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_babycuda-validation");

fn run(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // What an earlier run left is no result of this one.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn json(path: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn devices_name_every_back_end() {
    let output = run(&["devices"]);
    assert_eq!(output.status.code(), Some(0));
    let found = text(&output.stdout);
    for backend in ["sim: simulator", "wgpu: ", "opencl: ", "cuda: "] {
        assert!(found.contains(backend), "{found}");
    }
}

#[test]
fn a_campaign_keeps_its_results() {
    let file = folder("campaign").join("sim.json");
    let path = file.to_str().expect("a path in Unicode");
    let output =
        run(&["campaign", "--backend", "sim", "--programs", "300", "--seed", "5", "--json", path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("programs a second"));
    let results = json(&file);
    assert_eq!(results["format"], "babycuda/validation-campaign");
    let content = &results["content"];
    assert_eq!(content["backend"], "sim");
    assert_eq!(content["tally"]["programs"], 300);
    assert_eq!(content["failures"].as_array().map(Vec::len), Some(0));
    assert!(content["programs_per_second"].as_f64().is_some_and(|rate| rate > 0.0));
    assert!(content["command"].as_array().is_some_and(|words| words.len() == 10));
    // It is as the schema says, which is made of this type.
    let kept: Campaign = from_json(&results.to_string()).expect("a document of results");
    assert_eq!(kept.tally.programs, 300);
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_runs() {
    let folder = folder("unwritable");
    let file = folder.join("file");
    std::fs::write(&file, "kept").expect("a file");
    let path = |path: PathBuf| path.to_str().expect("a path in Unicode").to_owned();
    let below = path(file.join("below"));
    for command in ["campaign", "litmus", "kernels"] {
        for option in ["--json", "--keep"] {
            if option == "--keep" && command != "campaign" {
                continue;
            }
            let output = run(&[command, "--backend", "sim", option, &below]);
            let error = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command} {option}: {error}");
            assert!(error.contains(&below) && output.stdout.is_empty(), "{error}");
        }
    }
    // What is there stays until there is something else.
    let new = path(folder.join("new"));
    for json in [path(file.clone()), new.clone()] {
        let output = run(&["campaign", "--backend", "cuda", "--json", &json, "--keep", &below]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    }
    assert_eq!(std::fs::read_to_string(&file).ok().as_deref(), Some("kept"));
    assert!(!Path::new(&new).exists());
}

#[test]
fn two_outputs_of_one_path_are_refused_before_anything_runs() {
    let folder = folder("one-path");
    let path = |name: &str| folder.join(name).to_str().expect("a path in Unicode").to_owned();
    std::fs::create_dir(folder.join("there")).expect("a folder");
    std::os::unix::fs::symlink(folder.join("there"), folder.join("link")).expect("a link");
    for (one, other) in [
        (["--json", &path("new")], ["--state", &path("new")]),
        (["--json", &path("new")], ["--state", &path("there/../new")]),
        (["--json", &path("there/new")], ["--state", &path("link/new")]),
        (["--json", &path("new")], ["--keep", &path("new/")]),
        (["--state", &path("new")], ["--keep", &path("new")]),
    ] {
        let output = run(&[&["campaign", "--backend", "sim"], &one[..], &other[..]].concat());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{one:?} {other:?}: {error}");
        assert!(error.contains("only one would be left"), "{one:?} {other:?}: {error}");
    }
    assert!(!folder.join("new").exists() && !folder.join("there/new").exists());
}

#[test]
fn a_campaign_goes_on_where_it_ended() {
    let folder = folder("state");
    let path = |name: &str| folder.join(name).to_str().expect("a path in Unicode").to_owned();
    let (state, result) = (path("state.json"), path("result.json"));
    let campaign = |programs: &str, more: &[&str]| {
        let common = ["campaign", "--backend", "sim", "--batch", "20", "--programs", programs];
        let output = run(&[&common[..], &["--json", &result], more].concat());
        let tally = || json(Path::new(&result))["content"]["tally"].clone();
        (output.status.code(), output.status.success().then(tally))
    };
    let seconds = || json(Path::new(&result))["content"]["seconds"].as_f64().expect("seconds");
    let whole = campaign("120", &[]);
    assert_eq!(whole.0, Some(0));
    campaign("60", &["--state", &state]);
    let first = seconds();
    assert_eq!(campaign("120", &["--state", &state]), whole);
    // Seconds are those of all pieces. In the last one nothing is left to do.
    let both = seconds();
    assert!(first > 0.0 && both > first, "{first} {both}");
    assert_eq!(campaign("120", &["--state", &state]), whole);
    assert_eq!(seconds(), both);
    let part = campaign("120", &["--shard", "2/3"]);
    assert!(part.0 == Some(0) && part != whole);
    // It is of another campaign.
    for other in [["--seed", "1"], ["--runs", "3"], ["--racy-runs", "3"]] {
        let arguments = [&["--state", state.as_str()][..], &other[..]].concat();
        assert_eq!(campaign("120", &arguments).0, Some(2), "{other:?}");
    }
}

#[test]
fn the_self_test_catches_every_fault() {
    let output = run(&["self-test", "--backend", "sim", "--programs", "500"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    // With few programs some faults show only by chance, or cannot, and are not said to be missed.
    for programs in ["0", "4", "30"] {
        let output = run(&["self-test", "--backend", "sim", "--programs", programs]);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let all = |word: &str| said.lines().filter(|line| line.starts_with(word)).count();
        let undecided = all("no chance: ") + all("too few programs: ");
        assert!(all("MISSED") == 0 && undecided > 0, "{said}");
        assert_eq!(all("caught: ") + undecided, 31, "{said}");
        assert!(said.contains(&format!("\n{undecided} not decided: ")), "{said}");
        assert_eq!(all("too few programs: ") > 0, programs != "0", "{said}");
        assert_eq!(all("caught: ") > 0, programs != "0", "{said}");
    }
}

#[test]
fn what_is_recorded_is_replayed() {
    let folder = folder("record");
    let path = folder.to_str().expect("a path in Unicode");
    let output =
        run(&["record", "--backend", "sim", "--programs", "60", "--each", "1", "--out", path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let files: Vec<String> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|file| file.expect("a file").path().to_string_lossy().into_owned())
        .collect();
    assert!(files.len() >= 4, "{files:?}");
    let mut arguments = vec!["replay"];
    arguments.extend(files.iter().map(String::as_str));
    let output = run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("every claim holds"));
}

#[test]
fn a_recording_that_does_not_hold_up_is_a_failure() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sim-1.json");
    let kept = json(&golden);
    let file = folder("forged").join("forged.json");
    let mut forged = kept.clone();
    let cell = &mut forged["content"]["reports"][0]["arrays"][0]["cells"][0];
    *cell = (cell.as_u64().expect("a small number") + 1).into();
    std::fs::write(&file, forged.to_string()).expect("a file");
    let output = run(&["replay", file.to_str().expect("a path in Unicode")]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("does not hold"));
}

/// What no run of the program can have left is no recording of one.
#[test]
fn a_recording_of_no_run_is_refused() {
    let kept = json(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sim-1.json"));
    let file = folder("no-run").join("forged.json");
    let nowhere = serde_json::json!({ "thread": 99, "site": 9999 });
    let behind = serde_json::json!({ "phase": 0, "site": 0, "scope": "warp", "after": u32::MAX });
    for (place, value, said) in [
        ("/content/reports", serde_json::json!([]), "no runs"),
        ("/content/reports/0/last_phase", u32::MAX.into(), "phases"),
        ("/content/reports/0/block/index", 7.into(), "block"),
        ("/content/reports/0/arrays/0/cells", serde_json::json!([]), "arrays"),
        ("/content/reports/0/threads/0/log/0/site", u32::MAX.into(), "thread 0"),
        ("/content/reports/0/status", serde_json::json!({ "out-of-fuel": nowhere }), "status"),
        ("/content/reports/0/overflow", nowhere.clone(), "overflow"),
        ("/content/reports/0/threads/0/passed", serde_json::json!([behind]), "end of its log"),
    ] {
        let mut forged = kept.clone();
        match forged.pointer_mut(place) {
            Some(part) => *part = value,
            None => {
                let (object, key) = place.rsplit_once('/').expect("a pointer");
                forged.pointer_mut(object).expect("an object")[key] = value;
            }
        }
        std::fs::write(&file, forged.to_string()).expect("a file");
        let output = run(&["replay", file.to_str().expect("a path in Unicode")]);
        let error = text(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains(said), "{place}: {error}");
    }
}

#[test]
fn output_that_nobody_reads_is_no_panic() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a device of Linux");
    let output = Command::new(PROGRAM).arg("devices").stdout(full).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("standard output cannot be written"));
}

#[test]
fn bad_input_is_told_from_failures() {
    let missing = run(&["replay", "/nowhere/recording.json"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("/nowhere/recording.json"));

    let file = folder("bad").join("bad.json");
    std::fs::write(&file, "{}").expect("a file");
    let bad = run(&["replay", file.to_str().expect("a path in Unicode")]);
    assert_eq!(bad.status.code(), Some(2));

    assert_eq!(run(&["campaign"]).status.code(), Some(2));
    assert_eq!(run(&["campaign", "--backend", "abacus"]).status.code(), Some(2));
    let unknown = run(&["litmus", "--backend", "sim", "--test", "abacus"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("there is no litmus test `abacus`; there are "));
    // The simulator compiles no text.
    let none = run(&["kernels", "--backend", "sim"]);
    assert_eq!(none.status.code(), Some(3), "{}", text(&none.stderr));
}

fn script(arguments: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/gpu-campaign");
    let mut command = Command::new("bash");
    command.arg(script).args(["--bin", PROGRAM]).args(arguments);
    command.output().expect("bash runs")
}

#[test]
fn the_script_does_everything_that_the_machine_supports() {
    let base = folder("script");
    let folder = base.join("out");
    let path = folder.to_str().expect("a path in Unicode");
    let output = script(&["--dry-run", "--require", "sim", "--out", path]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    assert!(said.ends_with("no failure\n"), "{said}");
    for name in ["machine.txt", "summary.txt", "self-test-sim.txt", "litmus-sim.json"] {
        assert!(folder.join(name).is_file(), "{name}");
    }
    let sim = json(&folder.join("campaign-sim.json"));
    assert_eq!(sim["content"]["tally"]["programs"], 300);
    assert!(said.contains("racy programs with different memories"), "{said}");
    assert!(folder.join("recordings").read_dir().expect("a folder").count() >= 4);
    // What is golden can be replayed, and its memories differ.
    let golden: Vec<PathBuf> =
        folder.join("golden").read_dir().expect("a folder").flatten().map(|f| f.path()).collect();
    assert!(golden.len() >= 2, "{golden:?}");
    for file in golden {
        let content = json(&file)["content"].clone();
        assert!(content["class"].as_str().is_some_and(|class| class.contains("racy")));
        assert!(content["reports"].as_array().is_some_and(|reports| reports.len() > 1));
        let replayed = run(&["replay", file.to_str().expect("a path in Unicode")]);
        assert_eq!(replayed.status.code(), Some(0), "{}", text(&replayed.stdout));
    }
    // A back end either ran every step or none.
    for backend in ["cuda", "opencl", "wgpu"] {
        let steps = ["self-test", "litmus", "campaign", "kernels", "compiled", "record"];
        let skipped = |step: &str| said.contains(&format!("{step}-{backend}: skipped: "));
        let ran = |step: &str| said.contains(&format!("{step}-{backend}: no failure"));
        assert!(steps.iter().all(|s| skipped(s)) || steps.iter().all(|s| ran(s)), "{said}");
        assert_eq!(ran("campaign"), folder.join(format!("campaign-{backend}.json")).is_file());
        assert_eq!(ran("kernels"), folder.join(format!("kernels-{backend}.json")).is_file());
    }
}

#[test]
fn the_script_goes_on_where_it_stopped_from_its_archive_too() {
    let folder = folder("script-goes-on").join("out");
    let path = folder.to_str().expect("a path in Unicode");
    let campaign = |more: &[&str]| {
        let size = ["--dry-run", "--programs", "900", "--racy-runs", "2"];
        let output = script(&[&["--out", path, "--backends", "sim"], &size[..], more].concat());
        (output.status.code(), text(&output.stdout))
    };
    // One step, and then the others from the archive.
    let (status, said) = campaign(&["--steps", "litmus"]);
    assert!(status == Some(0) && said.contains("litmus-sim: no failure"), "{said}");
    // Results of another size are not mixed with these.
    assert_eq!(campaign(&["--compiled", "7"]).0, Some(2));
    std::fs::remove_dir_all(&folder).expect("the folder");
    let (status, said) = campaign(&["--steps", "campaign"]);
    assert!(status == Some(0) && said.contains("campaign-sim: no failure, "), "{said}");
    assert_eq!(json(&folder.join("campaign-sim.json"))["content"]["tally"]["programs"], 900);
    let (_, said) = campaign(&["--steps", "campaign"]);
    assert!(said.contains("campaign-sim: done before"), "{said}");
    let lines = std::fs::read_to_string(folder.join("results.jsonl")).expect("the results");
    let ends: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|line| line["end"].as_str().expect("a word").to_owned())
        .collect();
    assert_eq!(ends, ["done", "done"]);
}

#[test]
fn the_script_ends_what_takes_too_long_and_misses_what_is_required() {
    let base = folder("script-limits");
    let folder = base.join("out");
    let path = folder.to_str().expect("a path in Unicode");
    let suites = suite(&base, "sleep 60");
    let output =
        script(&["--out", path, "--steps", "suites", "--suites", &suites, "--deadline", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("suite-suite: FAILED: not done after"));
    // Nothing is tried on it.
    let required = ["--out", path, "--steps", "litmus", "--backends", "sim", "--require", "cuda"];
    let output = script(&required);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("FAILED: litmus did not run on cuda, which is required"));
    // Of two steps one runs: the program is one that knows no recordings.
    let partial = base.join("partial");
    let text_of = format!(
        "#!/bin/sh\n[ \"$1\" != record ] || {{ echo none >&2; exit 3; }}\nexec {PROGRAM} \"$@\"\n"
    );
    std::fs::write(&partial, text_of).expect("a file");
    assert!(Command::new("chmod").arg("+x").arg(&partial).status().expect("chmod").success());
    let out = base.join("out-partial");
    let (out, partial) = (out.to_str().expect("Unicode"), partial.to_str().expect("Unicode"));
    let wanted = |steps, backend| {
        let arguments = ["--dry-run", "--bin", partial, "--out", out, "--backends", "sim"];
        let output = script(&[&arguments[..], &["--steps", steps, "--require", backend]].concat());
        (output.status.code(), text(&output.stdout))
    };
    let (status, said) = wanted("litmus record", "sim");
    assert!(status == Some(1) && said.contains("FAILED: record did not run on sim"), "{said}");
    assert!(!said.contains("FAILED: litmus"), "{said}");
    // What was done before has run; the simulator has no kernels to compile.
    let (status, said) = wanted("litmus kernels compiled", "sim");
    assert!(status == Some(0) && said.contains("litmus-sim: done before"), "{said}");
    // Nor does a step of an earlier start stand for another one.
    assert_eq!(wanted("litmus record", "sim").0, Some(1));
    let help = script(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    let help = text(&help.stdout);
    assert!(help.contains("--require LIST") && help.contains("ten minutes"), "{help}");
}

/// A folder with a test program that does this.
fn suite(folder: &Path, does: &str) -> String {
    let suites = folder.join("suites");
    std::fs::create_dir(&suites).expect("a folder");
    let suite = suites.join("suite");
    std::fs::write(&suite, format!("#!/bin/sh\n{does}\n")).expect("a file");
    let made = Command::new("chmod").arg("+x").arg(&suite).status().expect("chmod runs");
    assert!(made.success());
    suites.to_str().expect("a path in Unicode").to_owned()
}

#[test]
fn the_script_reports_failures_and_misuse() {
    let base = folder("script-failures");
    let folder = base.join("out");
    let path = folder.to_str().expect("a path in Unicode");
    let suites = suite(&base, "exit 7");
    let output = script(&["--out", path, "--steps", "suites", "--suites", &suites]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("suite-suite: FAILED with status 7"));

    assert_eq!(script(&["--frobnicate"]).status.code(), Some(2));
    assert_eq!(script(&["--out"]).status.code(), Some(2));
    for misuse in [["--steps", "dance"], ["--backends", "abacus"], ["--programs", "0"]] {
        assert_eq!(script(&[&["--out", path], &misuse[..]].concat()).status.code(), Some(2));
    }
    // What is cut off is no archive, now and at the next start.
    let out = base.join("cut");
    std::fs::write(base.join("cut.tar.gz"), [0x1f, 0x8b, 8, 0]).expect("a file");
    for _ in 0..2 {
        let output = script(&["--out", out.to_str().expect("a path in Unicode")]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        assert!(text(&output.stderr).contains("is no archive"));
    }
}
