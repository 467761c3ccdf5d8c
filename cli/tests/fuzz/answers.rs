//! How answers are read, and what they come to.

use super::support::{Folder, babycuda};
use super::{count, fuzzed, kernels, tool};
use serde_json::{Value, json};
use std::time::Duration;
use std::{fs, thread};

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
    // The least kernel with nothing wrong is one without statements, for one thread.
    let findings = racy["findings"].as_object().unwrap();
    let is_least = |f: &Value| f["body"] == json!([]) && f["launch"]["block"]["x"] == 1;
    assert!(findings.values().all(is_least), "{findings:#?}");
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

/// By its place in the JSON document of this program; what has no such place has said nothing.
#[test]
fn json_is_read_at_its_places() {
    let asked = |name: &str, then: &str, conditions: [[&str; 2]; 3]| {
        let folder = Folder::new(name);
        let script = format!(
            "'{}' check \"$1\" --warp $2 --block $3 --grid $4 --contract none --format json {then}",
            env!("CARGO_BIN_EXE_babycuda")
        );
        let against = format!("{} {{block}} {{grid}}", tool(&folder, &script));
        fuzzed(&folder, &against, 22, conditions.as_flattened()).json()
    };
    let verdicts = [
        ["--racy-when", "json:/kernels/0/verdict=racy"],
        ["--divergent-when", "json:/kernels/0/verdict=divergent"],
        ["--free-when", "json:/kernels/0/verdict=drf"],
    ];
    let found = asked("fuzz-json", "", verdicts);
    assert_eq!(count(&found, "agreed"), 22, "{found:#}");
    let lists = [
        ["--racy-when", "json:/kernels/0/races!=[]"],
        ["--divergent-when", "json:/kernels/0/divergences!=[]"],
        ["--free-when", "json:/kernels/0/verdict!=racy"],
    ];
    let lists = asked("fuzz-json-lists", "", lists);
    assert_eq!(count(&lists, "agreed"), 22, "{lists:#}");
    // Status 0, and no document.
    let none = asked("fuzz-json-none", "> /dev/null; exit 0", verdicts);
    assert_eq!(count(&none, "unsupported"), 22, "{none:#}");
    babycuda(&["fuzz", "--racy-when", ""], "").ends(2).warns("every tool prints an empty text");
    babycuda(&["fuzz", "--racy-when", "json:verdict=racy"], "")
        .ends(2)
        .warns("is not json:/place=value");
    babycuda(&["fuzz", "--racy-when", "json:/a~2=true"], "").ends(2).warns("stands as `~0`");
}

/// Who says the same of a kernel that races and of one that does not is asked all the same, and it is said.
#[test]
fn it_is_said_who_tells_nothing_apart() {
    let folder = Folder::new("fuzz-traceback");
    let script = "echo 'Traceback (most recent call last):' >&2; exit 1";
    let ran = fuzzed(&folder, &tool(&folder, script), 11, &[]);
    ran.ends(1).warns(
        "says racy both of a kernel that races and of one that does not, in these words: Traceback",
    );
    let row = ran.json()["tools"].as_object().unwrap().values().next().unwrap().clone();
    assert_eq!(row["same"]["answer"], "racy", "{row:#}");
    let merge = ["fuzz", "merge", &folder.path("out")];
    babycuda(&merge, "").ends(1).says("it says racy both of a kernel that races");
    // All threads of the first kernel write the same cell.
    let other = Folder::new("fuzz-apart");
    let ran = fuzzed(&other, &tool(&other, "! grep -q '\\[0\\] = t' \"$1\""), 11, &[]);
    assert!(!ran.ends(1).err.contains("note"), "{}", ran.err);
    let row = ran.json()["tools"].as_object().unwrap().values().next().unwrap().clone();
    assert!(row["same"].is_null(), "{row:#}");
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

/// It looks for races only, and says so of every kernel.
#[test]
fn what_is_not_judged_was_answered() {
    let folder = Folder::new("fuzz-unjudged");
    let found = fuzzed(&folder, &tool(&folder, "exit 0"), 48, &["--profile", "divergent"]);
    assert!(count(&found.ends(0).json(), "not judged") > 0);
}

/// There are more parts than kernels.
#[test]
fn a_part_without_kernels_is_a_part() {
    let parts = ["fuzz-all", "fuzz-none"].map(Folder::new);
    let against = tool(&parts[0], "exit 0");
    let found = fuzzed(&parts[0], &against, 1, &["--shard", "1/2"]).json();
    let none = fuzzed(&parts[1], &against, 1, &["--shard", "2/2"]).ends(0).json();
    assert!(kernels(&found, "") > 0 && kernels(&none, "") == 0);
    let [all, none] = parts.each_ref().map(|part| part.path("out"));
    let merged = babycuda(&["fuzz", "merge", "--format", "json", &all, &none], "").json();
    assert_eq!(merged, found);
    babycuda(&["fuzz", "replay", &none], "").ends(0);
}
