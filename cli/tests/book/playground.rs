//! Links to the playground, which stands in the folder `playground` of the book.

use super::{Fence, Piece, links::links, pages, pieces};
use crate::support::root;
use std::collections::BTreeSet;

/// The page.
pub(crate) const PAGE: &str = "playground/index.html";

/// The programs in its list, as `playground/web/build.js` makes it.
fn listed() -> BTreeSet<String> {
    let mut listed = BTreeSet::new();
    for folder in ["book/programs", "examples/paper"] {
        for file in std::fs::read_dir(root().join(folder)).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            if [".bcuda", ".cu", ".map"].iter().any(|ending| name.ends_with(ending)) {
                listed.insert(format!("{folder}/{name}"));
            }
        }
    }
    listed
}

/// `%20` as a space, and so on.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut parts = text.split('%');
    bytes.extend(parts.next()?.bytes());
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend(part.get(2..)?.bytes());
    }
    String::from_utf8(bytes).ok()
}

/// The fields of a fragment.
fn fields(fragment: &str) -> Vec<(&str, String)> {
    let fields = fragment.split('&').filter_map(|field| field.split_once('='));
    fields.filter_map(|(name, value)| Some((name, decoded(value)?))).collect()
}

/// The programs that commands of a page have between quotes.
fn quoted(page: &str) -> Vec<&str> {
    let pieces = pieces(page).into_iter();
    let commands = pieces.filter_map(|piece| match piece {
        Piece::Block(Fence { language: "sh", lines, .. }) => lines.first().copied(),
        _ => None,
    });
    commands
        .filter_map(|command| Some(command.strip_prefix("echo '")?.split_once('\'')?.0))
        .collect()
}

/// Does the fragment open a program of the list, or one that stands on the page?
///
/// # Errors
/// Why not.
pub(crate) fn opens(fragment: Option<&str>, page: &str) -> Result<(), String> {
    let fragment = fragment.ok_or("no program is named")?;
    let fields = fields(fragment);
    if fields.len() != fragment.split('&').count() {
        return Err("a field that cannot be read".to_owned());
    }
    let mut programs = 0;
    for (name, value) in &fields {
        let is_known = match *name {
            "example" => listed().contains(value),
            "text" => quoted(page).contains(&value.as_str()),
            "language" => ["bcuda", "cu", "map"].contains(&value.as_str()),
            "tab" => ["verdict", "protocol", "history", "derivation", "techniques", "walk"]
                .contains(&value.as_str()),
            "judgment" => ["run", "type", "map"].contains(&value.as_str()),
            name => ["block", "grid", "params", "kernel"].contains(&name),
        };
        if !is_known {
            return Err(format!("nothing is known of {name} `{value}`"));
        }
        programs += usize::from(["example", "text"].contains(name));
    }
    if programs == 1 { Ok(()) } else { Err(format!("{programs} programs")) }
}

/// A program that a block shows, or that its command is about.
fn program_of(fence: &Fence<'_>, listed: &BTreeSet<String>) -> Option<(String, bool)> {
    let command = fence.lines.first()?;
    if fence.language != "sh" {
        let [only] = fence.lines.as_slice() else { return None };
        let file = only.strip_prefix("{{#include ../")?.strip_suffix("}}")?;
        let file = file.strip_prefix("../").map_or(format!("book/{file}"), str::to_owned);
        return listed.contains(&file).then_some((file, true));
    }
    let shows = command.starts_with("cat ") || command.starts_with("grep -v '^//' ");
    let named = command.split_whitespace().find(|word| listed.contains(*word))?;
    Some((named.to_owned(), shows))
}

/// What is missing on a page, and how many programs it shows.
fn missing(page: &str, listed: &BTreeSet<String>) -> (Vec<String>, usize) {
    let opened: Vec<(&str, String)> = links(page)
        .into_iter()
        .filter_map(|link| link.strip_prefix(PAGE)?.strip_prefix('#'))
        .flat_map(fields)
        .collect();
    let mut missing = Vec::new();
    let mut shown = 0;
    let pieces = pieces(page);
    for (at, piece) in pieces.iter().enumerate() {
        let Piece::Block(fence) = piece else { continue };
        let Some((file, shows)) = program_of(fence, listed) else { continue };
        if !opened.contains(&("example", file.clone())) {
            missing.push(format!("no link opens {file} in the playground"));
        } else if shows {
            // It stands below the program, or below what the command printed.
            let below = pieces[at + 1..].iter().find(|piece| match piece {
                Piece::Line(line) => !line.trim().is_empty(),
                Piece::Block(below) => fence.language != "sh" || below.language != "text",
            });
            let link = format!("]({PAGE}#example={file}");
            if !matches!(below, Some(Piece::Line(line)) if line.contains(&link)) {
                missing.push(format!("the link to {file} does not stand below it"));
            }
        }
        shown += usize::from(shows);
    }
    for program in quoted(page) {
        let runs = |what: &str| page.contains(&format!("echo '{program}' | babycuda {what} -"));
        if ["run", "check", "derive", "type"].into_iter().any(runs)
            && !opened.contains(&("text", program.to_owned()))
        {
            missing.push(format!("no link opens `{program}` in the playground"));
        }
    }
    (missing, shown)
}

#[test]
fn programs_open_in_the_playground() {
    let listed = listed();
    let (mut all, mut shown) = (Vec::new(), 0);
    let mut linked = BTreeSet::new();
    for (name, page) in pages() {
        let (missing, shows) = missing(&page, &listed);
        all.extend(missing.into_iter().map(|why| format!("{name}: {why}")));
        shown += shows;
        let links = links(&page)
            .into_iter()
            .filter_map(|link| link.split_once("#example=")?.1.split('&').next());
        linked.extend(links.map(str::to_owned));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    assert!(shown >= 18, "{shown} programs are shown");
    let of_the_book = listed.iter().filter(|file| file.starts_with("book/"));
    let missing: Vec<_> = of_the_book.filter(|file| !linked.contains(*file)).collect();
    assert!(missing.is_empty(), "programs of the book that no page opens: {missing:?}");
}

#[test]
fn a_missing_link_is_noticed() {
    let listed = listed();
    let shift = "```c\n{{#include ../programs/shift.cu}}\n```\n";
    let link = "[a](playground/index.html#example=book/programs/shift.cu&tab=walk)\n";
    let cat = "```sh\ncat book/programs/shift.cu\n```\n\n```text\n…\n```\n";
    let echo = "```sh\necho 'A[0] := 1' | babycuda run -\n```\n";
    let opened = "[a](playground/index.html#language=bcuda&text=A%5B0%5D%20%3A%3D%201)\n";
    for (page, expected) in [
        (format!("{shift}\n{link}"), 0),
        (format!("{cat}\n{link}"), 0),
        (format!("{echo}\n{opened}"), 0),
        (shift.to_owned(), 1),
        (cat.to_owned(), 1),
        (echo.to_owned(), 1),
        (format!("{shift}\nText between.\n\n{link}"), 1),
        (format!("{shift}\n[a](playground/index.html#example=book/programs/shift_guard.cu)\n"), 1),
    ] {
        assert_eq!(missing(&page, &listed).0.len(), expected, "{page}");
    }
}
