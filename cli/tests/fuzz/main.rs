//! `babycuda fuzz` with tools that are wrong in each way, that are right, and that behave badly.

mod answers;
mod campaigns;
mod findings;
#[path = "../support/mod.rs"]
mod support;
mod tools;

use serde_json::Value;
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
fn every_command_of_the_page_runs() {
    let folder = Folder::new("fuzz-page");
    let tool = folder.file("mytool", "#!/bin/sh\necho '{\"verdict\": \"drf\", \"races\": []}'\n");
    let mut words = vec![("mytool", format!("sh {tool}"))];
    // The longer names first.
    for name in [
        " fuzz-out-2",
        " fuzz-out-3",
        " fuzz-out-4",
        " fuzz-out-5",
        " fuzz-out-6",
        " fuzz-out-7",
        " fuzz-out-8",
        " fuzz-out",
        " part-1",
        " part-2",
    ] {
        words.push((name, format!(" '{}'", folder.path(name.trim()))));
    }
    assert_eq!(run_page("docs/FUZZ.md", &words), 13);
}
