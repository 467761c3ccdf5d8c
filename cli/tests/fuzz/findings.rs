//! Disagreements: made small, with evidence, and asked about again.

use super::support::{Folder, Ran, babycuda, validate};
use super::{fuzzed, tool};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// The disagreements of a campaign, by their folders.
fn documents(folder: &Folder) -> Vec<(PathBuf, Value)> {
    let findings = fs::read_dir(folder.path("out/findings")).unwrap();
    let document = |path: PathBuf| {
        let text = fs::read_to_string(path.join("finding.json")).unwrap();
        validate("fuzz-finding", &text).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        (path, document["content"].clone())
    };
    let mut all: Vec<_> = findings.map(|finding| document(finding.unwrap().path())).collect();
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    assert!(!all.is_empty());
    all
}

fn sum(d: &Value) -> u64 {
    d.as_array().unwrap().iter().map(|cell| cell.as_u64().unwrap()).sum()
}

/// In its statements and what they are made of, the launch, `n`, and the contents of `d`; the class stays.
#[test]
fn disagreements_are_reduced_in_all_they_have() {
    let folder = Folder::new("fuzz-reduced");
    fuzzed(&folder, &tool(&folder, "exit 0"), 110, &[]).ends(1);
    let all = documents(&folder);
    assert!(all.len() <= 14, "{all:#?}");
    for (_, finding) in &all {
        let launch = &finding["launch"];
        assert!(
            launch["grid"]["x"] == 1 && launch["block"]["x"].as_u64() <= Some(3),
            "{finding:#}"
        );
        assert_eq!((&finding["n"], sum(&finding["d"])), (&json!(0), 0), "{finding:#}");
    }
    // Writes of one value, of others, and a read beside a write.
    for least in ["X[0] = 0u;", "X[0] = t;", "X[0] = X[0];"] {
        let is_least = |(_, finding): &&(_, Value)| finding["body"] == json!([{ "Code": least }]);
        assert_eq!(all.iter().filter(is_least).count(), 2, "{all:#?}");
    }
    babycuda(&["fuzz", "replay", &folder.path("out")], "")
        .ends(1)
        .is_silent_of("agreed now")
        .is_silent_of("not judged now");

    // What the tool's answer needs stays: here two blocks, there contents.
    let blocks = Folder::new("fuzz-reduced-blocks");
    let against = format!("{} {{grid}}", tool(&blocks, "[ \"$3\" = 1 ] && exit 1; exit 0"));
    fuzzed(&blocks, &against, 11, &["--fragment", "multi-block", "--profile", "racy"]).ends(1);
    for (_, finding) in documents(&blocks) {
        let launch = &finding["launch"];
        assert!(
            launch["grid"]["x"] == 2 && launch["block"]["x"].as_u64() <= Some(2),
            "{finding:#}"
        );
    }
    let merge = ["fuzz", "merge", &blocks.path("out")];
    babycuda(&merge, "")
        .ends(1)
        .says("for 2 blocks of 1 thread: thread 0 of block 0 writes a[0] and thread 0 of block 1");
    let run = Folder::new("fuzz-reduced-contents");
    let script = "[ \"$3\" = 0,0,0,0 ] && exit 1; exit 0";
    let against = format!("{} {{d}}", tool(&run, script));
    fuzzed(&run, &against, 22, &["--fragment", "data-dependent-index", "--profile", "racy"])
        .ends(1);
    for (_, finding) in documents(&run) {
        assert_eq!(sum(&finding["d"]), 1, "{finding:#}");
    }
}

/// Of each kind, in the document and in the report; and the command that asks again does so, of that one alone.
#[test]
fn disagreements_have_evidence_and_what_asks_again() {
    let folder = Folder::new("fuzz-evidence");
    let more = ["--divergent-when", "diverges", "--fragment", "divergent-barriers"];
    fuzzed(&folder, &tool(&folder, "exit 0"), 44, &more).ends(1);
    let all = documents(&folder);
    for (path, finding) in &all {
        let evidence = &finding["evidence"];
        let (kind, key) = match finding["class"].as_str().unwrap() {
            "missed-race" => ("race", "cell"),
            "missed-divergence" => ("divergence", "scope"),
            other => panic!("{other}"),
        };
        let [one, other] = ["first", "second"].map(|side| &evidence[kind][side]);
        assert!(evidence[kind][key].is_string() && one["thread"] != other["thread"], "{finding:#}");
        let again: Vec<&str> = finding["again"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap())
            .collect();
        assert_eq!(again[0], "babycuda");
        babycuda(&again[1..], "")
            .ends(1)
            .says(&path.display().to_string())
            .says("1 disagreement before");
    }
    assert!(
        all.iter().any(|(_, finding)| finding["evidence"]["divergence"]["first"]["barrier"] == 1)
    );
    babycuda(&["fuzz", "merge", &folder.path("out")], "")
        .ends(1)
        .says(": in phase 0 of block 0, thread 0 writes ")
        .says(": after phase 0 of block 0, thread 0 ")
        .says("waits at barrier 1")
        .says("again: babycuda fuzz replay ");

    // A function has no command of its own, and is asked again by its name.
    let inside = Folder::new("fuzz-evidence-inside");
    fuzzed(&inside, "symbolic-heap", 33, &[]).ends(1);
    let (path, finding) = documents(&inside).remove(0);
    assert_eq!(finding["command"], json!([]));
    let at = path.display().to_string();
    assert_eq!(finding["again"], json!(["babycuda", "fuzz", "replay", at]));
    babycuda(&["fuzz", "replay", &at], "").ends(1).says("missed race now: symbolic-heap");
    // As older versions wrote it.
    let file = path.join("finding.json");
    let mut old: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    for new in ["evidence", "again", "launch"] {
        assert!(old["content"].as_object_mut().unwrap().remove(new).is_some(), "{new}");
    }
    fs::write(&file, old.to_string()).unwrap();
    babycuda(&["fuzz", "replay", &at], "").ends(1).says("missed race now: symbolic-heap");
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
    let gone = babycuda(&["fuzz", "replay", &out, "--format", "json"], "");
    validate("cli-fuzz-replay", &gone.out).unwrap();
    let gone = gone.ends(3).json();
    assert_eq!(gone["replayed"][0]["before"], "missed-race");
    let other = ["fuzz", "replay", &out, "--against", "/no/such {file}"];
    babycuda(&other, "").ends(2).warns("there is no program");

    let (finding, document) = documents(&folder).remove(0);
    let text = fs::read_to_string(finding.join("finding.json")).unwrap();
    assert!(document["command"][2].as_str().unwrap().ends_with("kernel.cu"), "{document:#}");
    assert!(
        fs::read_to_string(finding.join("kernel.cu")).unwrap().contains("__global__ void kernel(")
    );
    let others = [
        ("\"array\": \"", "\"array\": \"q"),
        ("\"timeout\": 10.0", "\"timeout\": 1e19"),
        ("\"x\": ", "\"x\": 200000000"),
        ("\"version\": 1", "\"version\": 2"),
    ];
    let others = others.map(|(one, other)| text.replace(one, other));
    assert!(others.iter().all(|other| *other != text));
    let more = ["", "[]", "{\"tool\": 1}"].map(str::to_owned);
    for wrong in more.iter().chain(&others) {
        fs::write(finding.join("finding.json"), wrong).unwrap();
        babycuda(&["fuzz", "replay", &out], "").ends(2).warns("finding.json");
    }
    babycuda(&["fuzz", "replay", &folder.path("nothing")], "")
        .ends(2)
        .warns("no campaign is there");
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

/// Who is asked about one run gets what the arrays held in it.
#[test]
fn disagreements_are_asked_about_with_their_contents() {
    let folder = Folder::new("fuzz-replay-contents");
    let log = folder.path("log");
    let script = folder
        .file("tool.sh", &format!("echo \"$2\" >> '{log}'; case $2 in *1*) exit 0;; esac; exit 7"));
    let against = format!("sh '{script}' {{file}} {{d}}");
    let guards = ["--fragment", "data-dependent-guard", "--fragment", "data-dependent-index"];
    fuzzed(&folder, &against, 60, &guards).ends(1);
    fs::remove_file(&log).unwrap();
    babycuda(&["fuzz", "replay", &folder.path("out")], "").ends(1);
    let mut asked: Vec<String> =
        fs::read_to_string(&log).unwrap().lines().map(str::to_owned).collect();
    let cells = |d: &Value| {
        let cells: Vec<String> = d["d"].as_array().unwrap().iter().map(Value::to_string).collect();
        cells.join(",")
    };
    let mut held: Vec<String> =
        documents(&folder).iter().map(|(_, document)| cells(document)).collect();
    asked.sort();
    held.sort();
    assert_eq!(asked, held);
    // It answers where a cell holds 1, so no smaller contents do.
    assert!(documents(&folder).iter().all(|(_, document)| sum(&document["d"]) > 0), "{held:?}");
}

/// Whether races that leave one memory are forgiven is what it was in the campaign.
#[test]
fn disagreements_are_forgiven_as_before() {
    let folder = Folder::new("fuzz-replay-benign");
    fuzzed(&folder, &tool(&folder, "exit 0"), 44, &["--fragment", "benign-writes"]).ends(1);
    let replay = ["fuzz", "replay", &folder.path("out")];
    let now = |ran: &Ran, class: &str| ran.out.matches(class).count();
    let held = babycuda(&replay, "");
    let all = documents(&folder);
    assert_eq!(now(&held, "missed race now"), all.len());
    for (finding, _) in all {
        let file = finding.join("finding.json");
        let text = fs::read_to_string(&file).unwrap();
        let (held, forgiven) = ("\"ignore_benign\": false", "\"ignore_benign\": true");
        assert!(text.contains(held), "{text}");
        fs::write(&file, text.replace(held, forgiven)).unwrap();
    }
    assert!(now(&babycuda(&replay, ""), "not judged now") > 0);
}
