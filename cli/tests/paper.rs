//! The programs of the five papers (`examples/paper`): the program says of each what its head expects. Tables and traces
//! have no head; what is found of them is computed here. `README.md` there lists them all.
//!
//! A head is a comment, a line for each item; lines that begin with three spaces go on:
//!
//! ```text
//! // place: where it stands in its paper
//! // paper: what the paper says of it
//! // history: a document of the history that its first run has
//! // expect: COMMAND => STATUS | TEXT | TEXT
//! // why: where the two differ, and why
//! ```
//!
//! COMMAND is that of `babycuda` without the file (one that it names, a machine, stands last), STATUS how it exits, and each TEXT stands in what it prints.

#[path = "paper/documents.rs"]
mod documents;
#[path = "paper/hirace.rs"]
mod hirace;
#[path = "paper/others.rs"]
mod others;
#[path = "paper/skbg18.rs"]
mod skbg18;
mod support;
#[path = "paper/table.rs"]
mod table;

use babycuda_core::History;
use babycuda_core::json::from_json;
use babycuda_core::shadow::{Chain, INIT, Label, Machine, State, mode_letter};
use documents::{DOCUMENTS, Document};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use support::{Ran, babycuda, has_clang, root, validate};

const FOLDER: &str = "examples/paper";

/// What stands at the head of a file.
#[derive(Default)]
struct Head {
    place: String,
    paper: String,
    history: Option<String>,
    expectations: Vec<Expectation>,
    why: String,
}

struct Expectation {
    command: String,
    status: i32,
    texts: Vec<String>,
}

fn names() -> Vec<String> {
    let files = std::fs::read_dir(root().join(FOLDER)).unwrap().map(|file| file.unwrap());
    let mut names: Vec<_> = files.map(|f| f.file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "README.md");
    names.sort();
    names
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(FOLDER).join(name)).unwrap()
}

/// The head of a file; a mistake in it is a failure.
fn head(name: &str) -> Head {
    let mut items: Vec<(String, String)> = Vec::new();
    for line in read(name).lines().map_while(|line| line.strip_prefix("//").map(str::to_owned)) {
        match (line.strip_prefix("   "), items.last_mut()) {
            (Some(more), Some((_, text))) => *text += &format!(" {}", more.trim()),
            _ => {
                let item = line.trim().split_once(": ");
                let (key, text) = item.unwrap_or_else(|| panic!("{name}: no item: `{line}`"));
                items.push((key.to_owned(), text.to_owned()));
            }
        }
    }
    let mut head = Head::default();
    for (key, text) in items {
        match key.as_str() {
            "place" => head.place = text,
            "paper" => head.paper = text,
            "history" => head.history = Some(text),
            "why" => head.why = text,
            "expect" => head.expectations.push(expectation(name, &text)),
            _ => panic!("{name}: an item of no kind: `{key}`"),
        }
    }
    assert!(!head.place.is_empty() && !head.paper.is_empty(), "{name}: no place, or no paper");
    assert!(!head.expectations.is_empty(), "{name} expects nothing");
    head
}

fn expectation(name: &str, text: &str) -> Expectation {
    let parts = text.split_once(" => ").and_then(|(command, rest)| {
        let mut parts = rest.split(" | ").map(|part| part.trim().to_owned());
        let status = parts.next()?.parse().ok()?;
        Some(Expectation { command: command.to_owned(), status, texts: parts.collect() })
    });
    let found = parts.unwrap_or_else(|| panic!("{name}: no expectation: `{text}`"));
    assert!(
        !found.texts.is_empty(),
        "{name}: an exit status alone may have another reason: `{text}`"
    );
    found
}

/// Runs a command on a file.
fn run(name: &str, command: &str) -> Ran {
    let mut words = command.split_whitespace().collect::<Vec<_>>();
    let path = format!("{FOLDER}/{name}");
    words.insert(1, &path);
    babycuda(&words, "")
}

/// The files that have a head. Others cannot have one: they stand in one, or are documents.
fn programs() -> Vec<String> {
    let mut names = names();
    names.retain(|name| {
        [".cl", ".cu", ".bcuda", ".map"].iter().any(|ending| name.ends_with(ending))
    });
    names
}

/// OpenCL C is read by clang alone.
fn readable(name: &str) -> bool {
    !name.ends_with(".cl") || has_clang()
}

#[test]
fn the_program_says_what_each_file_expects() {
    let programs = programs();
    let named: BTreeSet<String> = std::thread::scope(|scope| {
        let readable = programs.iter().filter(|name| readable(name));
        let threads: Vec<_> = readable.map(|name| scope.spawn(|| is_as_expected(name))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let others = names().into_iter().filter(|name| !programs.contains(name));
    let documents = DOCUMENTS.iter().map(|document| document.name.to_owned());
    let known: BTreeSet<String> = named.into_iter().chain(documents).collect();
    assert!(others.eq(known), "a file that no program names, and no document is");
}

/// The documents that the head of a file names.
fn is_as_expected(name: &str) -> BTreeSet<String> {
    let mut documents = BTreeSet::new();
    let head = head(name);
    for expected in &head.expectations {
        let ran = run(name, &expected.command);
        ran.ends(expected.status);
        let named = expected.command.split_once(FOLDER);
        documents.extend(named.map(|(_, file)| file[1..].to_owned()));
        for text in &expected.texts {
            let said = ran.out.contains(text) || ran.err.contains(text);
            ran.holds(said, text);
        }
    }
    if let Some(document) = head.history {
        has_the_history(name, &head.expectations[0], &document);
        documents.insert(document);
    }
    documents
}

/// The run of the first expectation has the history of the document.
fn has_the_history(name: &str, expected: &Expectation, document: &str) {
    let document = read(document);
    validate("history", &document).unwrap_or_else(|e| panic!("{name}: {e}"));
    let printed: History = from_json(&document).unwrap_or_else(|e| panic!("{name}: {e}"));
    let run = &run(name, &format!("{} --format json", expected.command)).json()["runs"][0];
    let ran = run["history"].to_string();
    let ran: History = from_json(&ran).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(ran.to_string(), printed.to_string(), "{name}");
    let races: Vec<String> = printed.races().map(|race| race.to_string()).collect();
    assert_eq!(run["races"], json!(races), "{name}");
}

/// Three columns of one figure are one program: what the second has for a type stands in the third.
#[test]
fn types_are_the_protocols_of_the_right_column() {
    for name in ["lcl22-fig3", "lcl22-fig4"] {
        let inferred = run(&format!("{name}.bcuda"), "type");
        let lines = |text: &str| -> String {
            let code = text.lines().filter(|l| !l.starts_with("//") && !l.starts_with("param"));
            code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
        };
        inferred.says(&lines(&read(&format!("{name}.map"))));
    }
}

/// A text in code quotes, columns closed up.
fn code(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

const GENERATED: &str = "<!-- generated -->\n";

/// The page lists every file, with what is found of it; `BABYCUDA_BLESS=1` writes what stands behind its mark.
#[test]
fn the_page_lists_them() {
    let mut table = String::from(
        "| file | place | the paper says | the library says | and why |\n|---|---|---|---|---|\n",
    );
    for name in &programs() {
        let head = head(name);
        let said = head.expectations.iter().map(|e| {
            let texts: Vec<String> = e.texts.iter().map(|text| code(text)).collect();
            format!("`{}`: exit {}, {}", e.command, e.status, texts.join(", "))
        });
        let said = said.collect::<Vec<_>>().join("<br>");
        let cells = [&head.place, &head.paper, &said, &head.why].map(|c| c.replace('|', "\\|"));
        writeln!(table, "| [{name}]({name}) | {} |", cells.join(" | ")).unwrap();
    }
    table += "\n## Tables and traces\n\n| file | place | the paper says | what is found |\n|---|---|---|---|\n";
    for Document { name, place, findings } in DOCUMENTS {
        for (paper, found) in findings() {
            writeln!(table, "| [{name}]({name}) | {place} | {paper} | {found} |").unwrap();
        }
    }
    let path = root().join(FOLDER).join("README.md");
    let found = std::fs::read_to_string(&path).unwrap();
    let (introduction, _) = found.split_once(GENERATED).expect("the mark");
    let page = format!("{introduction}{GENERATED}{table}");
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let stale = found != page && std::env::var_os("BABYCUDA_BLESS").is_none();
    assert!(!stale, "{} is stale: BABYCUDA_BLESS=1 writes it", path.display());
}
