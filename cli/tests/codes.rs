//! The codes: what the table says is what reports have, and what `docs/CODES.md` says.

mod support;

use serde_json::Value;
use support::{babycuda, root};

/// Every code, as `explain` lists them.
fn listed() -> Vec<(String, String)> {
    let list = babycuda(&["explain"], "");
    list.ends(0);
    let split = |line: &str| {
        let (id, title) = line.split_once(": ").unwrap();
        (id.to_owned(), title.to_owned())
    };
    list.out.lines().map(split).collect()
}

/// The kernel in an explanation, and the options with it.
fn example(explanation: &str) -> (String, Vec<String>) {
    let lines = explanation.lines();
    let kernel: Vec<&str> = lines.filter_map(|line| line.strip_prefix("    ")).collect();
    let options = explanation.split("with `babycuda check ").nth(1);
    let options = options.map_or("", |rest| rest.split('`').next().unwrap());
    // Words, of which those in quotes have spaces.
    let parts = options.split('\'').enumerate();
    let words = parts.flat_map(|(i, part)| match i % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    (kernel.join("\n"), words.collect())
}

/// The codes in a document of `check --format json`.
fn codes(document: &Value) -> Vec<String> {
    let kernel = &document["kernels"][0];
    let found = ["races", "divergences"].map(|of| kernel[of].as_array().unwrap().clone());
    let found = found.iter().flatten().map(|one| &one["code"]).chain([&kernel["code"]]);
    found.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn the_kernel_of_every_code_gets_it_in_every_format() {
    let all = listed();
    assert!(all.len() >= 11 && all.windows(2).all(|pair| pair[0].0 < pair[1].0), "{all:?}");
    for (id, title) in &all {
        let explained = babycuda(&["explain", id], "");
        explained.ends(0).says(&format!("{id}: {title}\n")).says("Repair: ").says("Source: ");
        let (kernel, options) = example(&explained.out);
        let check = |format: &str| {
            let options = options.iter().map(String::as_str);
            let args: Vec<&str> =
                ["check", "-", "--format", format].into_iter().chain(options).collect();
            babycuda(&args, &kernel)
        };
        let document = check("json").json();
        assert!(codes(&document).contains(id), "{id}: {document}");
        check("short").says(&format!(" [{id}]: "));
        check("human").says(&format!("[{id}]"));
        check("github").says(&format!(",title={id}%3A {}::", title.replace(':', "%3A")));
        let sarif = check("sarif").json();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        assert!(results.iter().any(|result| result["ruleId"] == id.as_str()), "{sarif}");
    }
}

#[test]
fn one_that_is_not_there_is_bad_usage() {
    babycuda(&["explain", "BC999"], "").ends(2).warns("no code is named `BC999`");
    // In small letters, too.
    babycuda(&["explain", "bc001", "BC002"], "").ends(0).says("BC001: ").says("BC002: ");
}

/// With `BABYCUDA_BLESS=1` the page is written.
#[test]
fn the_page_is_the_table() {
    let mut page = "# Codes\n\nThis page is what `babycuda explain` prints; `BABYCUDA_BLESS=1 cargo test -p babycuda-cli \
                    --test codes` writes it.\nA code keeps its meaning; new kinds get new codes.\n\n\
                    | code | what |\n|---|---|\n"
        .to_owned();
    let all = listed();
    for (id, title) in &all {
        page += &format!("| {id} | {title} |\n");
    }
    for (id, title) in &all {
        let text = babycuda(&["explain", id], "").out;
        let text = text.strip_prefix(&format!("{id}: {title}\n")).unwrap().to_owned();
        page += &format!("\n## {id}: {title}\n{text}");
    }
    let path = root().join("docs/CODES.md");
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/CODES.md is stale: see its head");
}
