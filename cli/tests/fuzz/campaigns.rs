//! Campaigns: their parts, their ends, and the kernels that they try.

use super::support::{Folder, babycuda, validate};
use super::{count, fuzzed, kernels, tool};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

#[test]
fn parts_are_the_whole_and_a_killed_campaign_goes_on() {
    let whole = Folder::new("fuzz-whole");
    let against = tool(&whole, "sleep 0.02; exit 0");
    let found = |path: &str| -> Value {
        let text = fs::read_to_string(format!("{path}/state.json")).unwrap();
        validate("campaign", &text).unwrap();
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
    for (key, value) in [("version", 1), ("missing_parts", 0), ("open", 0)] {
        assert_eq!(merged.as_object_mut().unwrap().remove(key), Some(value.into()), "{key}");
    }
    assert!(expected.is_object() && merged == expected);
    // What is not done is said.
    let begun = Folder::new("fuzz-part-begun");
    fuzzed(&begun, &against, 96, &["--shard", "1/3", "--time", "0"]).ends(0);
    let out = begun.path("out");
    let args = ["fuzz", "merge", "--format", "json", &out, &paths[1], &paths[2]];
    let merged =
        babycuda(&args, "").ends(1).warns("note: 32 kernels of these parts not done").json();
    assert_eq!((&merged["missing_parts"], &merged["open"]), (&0.into(), &32.into()));
    // No part counts twice, nor one of another campaign; that others are missing is said.
    babycuda(&["fuzz", "merge", &paths[0], &paths[0]], "").ends(2).warns("was given before");
    let twice = ["fuzz", "merge", &paths[0], &paths[2], &paths[0]];
    babycuda(&twice, "").ends(2).warns("was given before");
    babycuda(&["fuzz", "merge", &paths[0], &whole.path("out")], "")
        .ends(2)
        .warns("another campaign");
    let two = ["fuzz", "merge", &paths[0], &paths[2], "--format", "json"];
    let merged = babycuda(&two, "").ends(1).warns("1 part of the campaign not").json();
    assert_eq!((&merged["missing_parts"], &merged["open"]), (&1.into(), &0.into()));
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
    assert!(kernels(&half, "") > 0);
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
        ("\"done\":96", "\"done\":99999"),
        ("\"done\":96", "\"done\":"),
        // Every batch below is done: it is in no other list.
        ("\"beyond\":[]", "\"beyond\":[3]"),
        ("\"truth\":\"", "\"truth\":\"not "),
        ("\"classes\":{\"", "\"classes\":{\"not "),
    ] {
        assert!(state.contains(number), "{number}");
        fs::write(format!("{out}/state.json"), state.replace(number, other)).unwrap();
        fuzzed(&killed, &against, 96, &[]).ends(2);
    }
}

/// What says something else than the rest of a campaign's document is said with its place, and never counts.
#[test]
fn documents_of_campaigns_agree_with_themselves() {
    let folder = Folder::new("fuzz-damaged");
    let against = tool(&folder, "exit 0");
    fuzzed(&folder, &against, 60, &[]).ends(1);
    let (out, path) = (folder.path("out"), folder.path("out/state.json"));
    let whole: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    for (place, value) in [
        ("found/findings", json!({})),
        ("found/tools", json!({})),
        ("found/kernels", json!({})),
        ("found/kernels/affine: racy", json!(u64::MAX)),
        ("found/rules/thread~1read", json!(null)),
        ("found/steps/thread~1read", json!(3)),
        ("found/constructs/thing", json!(1)),
        ("done", json!(59)),
        ("done", json!(0)),
        ("batch", json!(0)),
        ("shard", json!({ "index": 1, "of": 1 })),
    ] {
        let mut state = whole.clone();
        let (parent, key) = place.rsplit_once('/').unwrap_or(("", place));
        let parent =
            if parent.is_empty() { "/content".into() } else { format!("/content/{parent}") };
        state.pointer_mut(&parent).unwrap()[key.replace("~1", "/")] = value;
        fs::write(&path, state.to_string()).unwrap();
        let said = if place == "done" { "/content/found/kernels" } else { "/content/" };
        fuzzed(&folder, &against, 60, &[]).ends(2).warns("state.json").warns(said);
        babycuda(&["fuzz", "merge", &out], "").ends(2).warns(said);
    }
    fs::remove_file(&path).unwrap();
    fuzzed(&folder, &against, 60, &[]).ends(2).warns("whose state.json is gone");
    fs::write(&path, whole.to_string()).unwrap();
    fuzzed(&folder, &against, 60, &[]).ends(1);

    let finding = fs::read_dir(folder.path("out/findings")).unwrap().next().unwrap().unwrap();
    let (at, path) = (finding.path().display().to_string(), finding.path().join("finding.json"));
    let text = fs::read_to_string(&path).unwrap();
    babycuda(&["fuzz", "replay", &at], "").ends(1);
    for (from, to, said) in [
        ("\"timeout\"", "\"time_out\"", "/content/time_out: no such key is known"),
        (
            "\"truth\": \"racy\"",
            "\"truth\": \"race-free\"",
            "/content/truth: race-free, where it is racy",
        ),
        ("\"fragment\": \"", "\"fragment\": \"no ", "/content: its fragment"),
        ("\"tool\": \"", "\"tool\": \"no ", "/content/tool: "),
    ] {
        assert!(text.contains(from), "{from}: {text}");
        fs::write(&path, text.replace(from, to)).unwrap();
        babycuda(&["fuzz", "replay", &at], "").ends(2).warns("finding.json").warns(said);
    }
}

/// Its tools end with it, and what they read is gone.
#[test]
#[cfg(unix)]
fn a_campaign_that_is_interrupted_leaves_nothing_running() {
    let folder = Folder::new("fuzz-interrupted");
    let (marker, begun) = (folder.path("marker"), folder.path("begun"));
    let temporary = folder.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let against = tool(&folder, &format!("touch '{begun}'; (sleep 3; touch '{marker}') & sleep 9"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_babycuda"))
        .args(["fuzz", "--against", &against, "--programs", "16", "--out", &folder.path("out")])
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while fs::metadata(&begun).is_err() {
        thread::sleep(Duration::from_millis(20));
    }
    let read = || fs::read_dir(&temporary).unwrap().count();
    assert_eq!(read(), 1);
    let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(told.success() && child.wait().unwrap().code() == Some(130));
    assert_eq!(read(), 0);
    // That a tool was ended is no crash of it.
    assert!(fs::metadata(folder.path("out/state.json")).is_err());
    thread::sleep(Duration::from_secs(4));
    assert!(fs::metadata(&marker).is_err(), "a tool lives");
}

/// Two campaigns in one folder would overwrite each other; what is no campaign is none that found nothing.
#[test]
fn a_folder_is_of_one_campaign() {
    let folder = Folder::new("fuzz-held");
    let against = tool(&folder, "exit 0");
    fuzzed(&folder, &against, 3, &[]);
    let lock = fs::File::create(folder.path("out/state.lock")).unwrap();
    lock.lock().unwrap();
    fuzzed(&folder, &against, 3, &[]).ends(2).warns("another campaign works in this folder");
    drop(lock);
    fuzzed(&folder, &against, 3, &[]);
    let broken = Folder::new("fuzz-broken");
    for text in ["", "{}", "{\"format\":\"babycuda/history\"}"] {
        broken.file("state.json", text);
        babycuda(&["fuzz", "replay", &broken.path("")], "").ends(2).warns("state.json");
    }
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
    fuzzed(&folder, "t {file} -b{blok}", 11, &[]).ends(2).warns("{blok} stands for nothing");
    // Braces that hold no name are the tool's own.
    fuzzed(&folder, "/no/such {file} '{\"a\": {}}'", 11, &[]).ends(2).warns("there is no program");
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
