//! The book (`book/src`): each command does what stands below it, and nothing that it links to or includes is
//! missing.
//!
//! An `sh` block is run by the shell, in the repository. It ends as `# exit N` on its last line says, else with 0. If
//! a `text` block follows, that is all that was printed; times (`… ms`) are not compared. If a picture of the folder
//! `figures` follows, its file is what was printed. `BABYCUDA_BLESS=1` writes these blocks and files.

#[path = "book/links.rs"]
mod links;
#[path = "book/playground.rs"]
mod playground;
mod support;

use links::{broken, links};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::root;

fn folder() -> PathBuf {
    root().join("book/src")
}

/// The pages, by name.
fn pages() -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let mut pages: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    pages.sort();
    pages
}

/// A fenced block: its language, how far it stands in, and its lines.
struct Fence<'a> {
    language: &'a str,
    indent: &'a str,
    lines: Vec<&'a str>,
}

/// A line of text, or a block.
enum Piece<'a> {
    Line(&'a str),
    Block(Fence<'a>),
}

fn pieces(page: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
        match rest.strip_prefix("```") {
            None => pieces.push(Piece::Line(line)),
            Some(language) => {
                let inside = lines.by_ref().take_while(|line| line.trim() != "```");
                let lines = inside.map(|l| l.strip_prefix(indent).unwrap_or(l)).collect();
                pieces.push(Piece::Block(Fence { language, indent, lines }));
            }
        }
    }
    pieces
}

/// What the shell prints, and how it ends.
fn run(command: &str) -> (String, i32) {
    let program = Path::new(env!("CARGO_BIN_EXE_babycuda")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let ran = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .env("PATH", format!("{}:{path}", program.display()))
        .current_dir(root())
        .output()
        .unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    (without_times(text.trim_end()), ran.status.code().unwrap_or(-1))
}

/// `12.3 ms` as `   … ms`, as long as it was.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(" ms") {
        let (before, after) = rest.split_at(at);
        let words = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let digits = before.len() - words.len();
        out += words;
        out += &match digits {
            0 => String::new(),
            _ => " ".repeat(digits - 1) + "…",
        };
        out += " ms";
        rest = &after[3..];
    }
    out + rest
}

/// The picture that a line is, if it is one that a command prints.
fn figure(line: &str) -> Option<&str> {
    let (_, file) = line.trim().strip_prefix("![")?.split_once("](")?;
    file.strip_suffix(')').filter(|file| file.starts_with("figures/"))
}

/// What the commands of a page do.
#[derive(Default)]
struct Executed {
    /// The page with what they print.
    page: String,
    /// The files of pictures, with what they print.
    figures: Vec<(String, String)>,
    /// What is wrong with how they end.
    wrong: Vec<String>,
    commands: usize,
}

fn executed(name: &str, page: &str) -> Executed {
    let Executed { page: mut out, mut figures, mut wrong, mut commands } = Executed::default();
    let mut printed: Option<String> = None;
    for piece in pieces(page) {
        let Fence { language, indent, lines } = match piece {
            Piece::Line(line) => {
                if let Some(file) = figure(line) {
                    match printed.take() {
                        Some(text) => figures.push((file.to_owned(), text + "\n")),
                        None => wrong.push(format!("{name}: no command prints {file}")),
                    }
                }
                printed = printed.filter(|_| line.trim().is_empty());
                out += line;
                out.push('\n');
                continue;
            }
            Piece::Block(block) => block,
        };
        let lines: Vec<String> = match (language, printed.take()) {
            ("sh", _) => {
                let text = lines.join("\n");
                let (command, status) = match text.rsplit_once("  # exit ") {
                    Some((command, status)) => (command, status.trim().parse().unwrap()),
                    None => (text.as_str(), 0),
                };
                let (text, ended) = run(command);
                if ended != status {
                    wrong.push(format!("{name}: `{command}` ended with {ended}\n{text}"));
                }
                printed = Some(text);
                commands += 1;
                lines.into_iter().map(str::to_owned).collect()
            }
            ("text", Some(text)) => text.lines().map(|line| line.trim_end().to_owned()).collect(),
            _ => lines.into_iter().map(str::to_owned).collect(),
        };
        out += &format!("{indent}```{language}\n");
        for line in lines {
            out += format!("{indent}{line}").trim_end();
            out.push('\n');
        }
        out += &format!("{indent}```\n");
    }
    Executed { page: out, figures, wrong, commands }
}

#[test]
fn every_command_of_the_book_prints_what_it_says() {
    let bless = std::env::var_os("BABYCUDA_BLESS").is_some();
    let pages = pages();
    let done: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            pages.iter().map(|(name, page)| scope.spawn(move || executed(name, page))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut failures = Vec::new();
    let (mut ran, mut drawn) = (0, BTreeSet::new());
    for ((name, page), done) in pages.iter().zip(done) {
        ran += done.commands;
        failures.extend(done.wrong);
        for (file, now) in done.figures {
            let path = folder().join(&file);
            if std::fs::read_to_string(&path).ok().as_ref() != Some(&now) {
                match bless {
                    true => std::fs::write(path, now).unwrap(),
                    false => failures.push(format!("{name}: {file} is not what is printed now")),
                }
            }
            drawn.insert(file);
        }
        let (now, page) = (done.page.trim_end(), page.trim_end());
        let differs = now.lines().zip(page.lines()).find(|(now, then)| now != then);
        if bless {
            if now != page {
                std::fs::write(folder().join(name), now.to_owned() + "\n").unwrap();
            }
        } else if let Some((now, then)) = differs {
            failures.push(format!("{name} has\n  {then}\nwhere now is\n  {now}"));
        } else if now.lines().count() != page.lines().count() {
            failures.push(format!("{name}: a command prints more, or less, than it says"));
        }
    }
    for file in std::fs::read_dir(folder().join("figures")).unwrap() {
        let file = format!("figures/{}", file.unwrap().file_name().to_string_lossy());
        if !drawn.contains(&file) {
            failures.push(format!("{file} is a picture that no page shows"));
        }
    }
    assert!(failures.is_empty(), "{}\nBABYCUDA_BLESS=1 writes it", failures.join("\n"));
    assert!(ran >= 60, "the book has only {ran} commands");
    assert!(drawn.len() >= 4, "the book has only {} pictures", drawn.len());
}

#[test]
fn the_summary_lists_each_page_once_and_links_lead_somewhere() {
    let pages = pages();
    let broken = broken(&pages);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    let names = pages.iter().map(|(name, _)| name.as_str()).filter(|name| *name != "SUMMARY.md");
    let (_, summary) = pages.iter().find(|(name, _)| name == "SUMMARY.md").unwrap();
    let listed: BTreeSet<&str> = links(summary).into_iter().collect();
    assert!(
        names.clone().eq(listed.iter().copied()),
        "{listed:?} of {:?}",
        names.collect::<Vec<_>>()
    );
    assert_eq!(listed.len(), links(summary).len(), "a page that is listed twice");
}

/// The quizzes of a page, by the name of their file.
fn quizzes() -> Vec<(String, String)> {
    let files = std::fs::read_dir(root().join("book/quizzes")).unwrap();
    let quiz = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    files.map(|file| quiz(file.unwrap().path())).collect()
}

/// Each stands on its page, no question is there twice, and what programs print of it is so. (`scripts/book` says whether
/// they are quizzes.)
#[test]
fn quizzes_say_what_programs_print() {
    let (mut ids, mut ran) = (BTreeSet::new(), 0);
    for (name, quiz) in quizzes() {
        let page = std::fs::read_to_string(folder().join(name.replace(".toml", ".md"))).unwrap();
        assert!(page.contains(&format!("{{{{#quiz ../quizzes/{name}}}}}")), "{name}");
        for question in quiz.split("[[questions]]").skip(1) {
            let id = question.lines().find_map(|line| line.strip_prefix("id = ")).unwrap();
            assert!(ids.insert(id.to_owned()), "{id} is there twice");
            let explained = question.lines().any(|line| line.starts_with("context = "));
            assert!(explained, "{id} does not say why");
        }
        let lines: Vec<&str> = quiz.lines().collect();
        for pair in lines.windows(2) {
            let Some(command) = pair[0].strip_prefix("# $ ") else { continue };
            let expected =
                pair[1].strip_prefix("# > ").unwrap_or_else(|| panic!("{name}: {command}"));
            let (command, status) = match command.split_once("  # exit ") {
                Some((command, status)) => (command, status.parse().unwrap()),
                None => (command, 0),
            };
            let (text, ended) = run(command);
            assert!(
                ended == status && text.contains(expected),
                "{name}: {command}: {ended}\n{text}"
            );
            ran += 1;
        }
    }
    assert!(ids.len() >= 25 && ran >= 17, "{} questions, {ran} commands", ids.len());
}

/// Files that pages include, with `ANCHOR: name` and `ANCHOR_END: name` in it where they include a part.
#[test]
fn what_is_included_is_there() {
    let (mut programs, mut anchors) = (BTreeSet::new(), BTreeSet::new());
    for (name, page) in pages().into_iter().chain(quizzes()) {
        for include in page.split("{{#include ").skip(1) {
            let include = include.split("}}").next().unwrap();
            let (file, anchor) = match include.split_once(':') {
                Some((file, anchor)) => (file, Some(anchor)),
                None => (include, None),
            };
            let text = std::fs::read_to_string(folder().join(file));
            let text = text.unwrap_or_else(|e| panic!("{name}: {include}: {e}"));
            for mark in
                anchor.iter().flat_map(|a| [format!("ANCHOR: {a} "), format!("ANCHOR_END: {a} ")])
            {
                assert!(text.contains(&mark), "{name}: {include}: no `{mark}`");
            }
            anchors.extend(anchor.map(str::to_owned));
            programs.extend(file.strip_prefix("../programs/").map(str::to_owned));
        }
        let named = page.split("book/programs/").skip(1);
        programs.extend(named.filter_map(|rest| {
            rest.split([' ', '`', '|', '\n', ')', '*']).next().map(str::to_owned)
        }));
    }
    // Every rule has its place in the book.
    let rules = std::fs::read_to_string(root().join("docs/RULES.md")).unwrap();
    let parts = rules.split("<!-- ANCHOR: ").skip(1).filter_map(|rest| rest.split(' ').next());
    // A rule by itself stands where a page wants it.
    let judgments = parts.filter(|part| !part.starts_with("rule-"));
    for judgment in judgments {
        assert!(anchors.contains(judgment), "no page has the rules of `{judgment}`");
    }
    for file in std::fs::read_dir(root().join("book/programs")).unwrap() {
        let file = file.unwrap().file_name().into_string().unwrap();
        assert!(programs.contains(&file), "{file} is a program that no page shows");
    }
}
