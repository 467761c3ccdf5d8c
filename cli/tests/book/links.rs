//! Links of pages, and the anchors that mdBook makes of headings.

use super::{Piece, folder, pieces, playground};
use crate::support::root;
use std::collections::{BTreeMap, BTreeSet};

/// The lines of a page outside of blocks.
pub(crate) fn text(page: &str) -> impl Iterator<Item = &str> {
    pieces(page).into_iter().filter_map(|piece| match piece {
        Piece::Line(line) => Some(line),
        Piece::Block(_) => None,
    })
}

/// What stands in parentheses behind each `](` of the text.
pub(crate) fn links(page: &str) -> Vec<&str> {
    let after = text(page).flat_map(|line| line.split("](").skip(1));
    after.filter_map(|link| link.split(')').next()).collect()
}

/// The page with the files that it includes, or the parts of them that it names.
fn included(page: &str) -> String {
    let mut whole = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("{{#include ") {
        let (include, after) = after.split_once("}}").unwrap_or((after, ""));
        let (file, anchor) = include.split_once(':').unwrap_or((include, ""));
        let file = std::fs::read_to_string(folder().join(file)).unwrap_or_default();
        let part = file.split_once(&format!("ANCHOR: {anchor} ")).and_then(|(_, part)| {
            let (part, _) = part.split_once(&format!("ANCHOR_END: {anchor} "))?;
            part.split_once('\n')
        });
        whole += before;
        whole += if anchor.is_empty() { &file } else { part.map_or("", |(_, part)| part) };
        rest = after;
    }
    whole + rest
}

/// The anchors of a page: those of its headings, as mdBook makes them, and each `id="…"`.
pub(crate) fn anchors(page: &str) -> BTreeSet<String> {
    let page = included(page);
    let mut anchors = BTreeSet::new();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for line in text(&page) {
        let ids = line.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
        anchors.extend(ids.map(str::to_owned));
        let level = line.bytes().take_while(|b| *b == b'#').count();
        let Some(heading) = line.get(level..).and_then(|rest| rest.strip_prefix(' ')) else {
            continue;
        };
        if !(1..=6).contains(&level) {
            continue;
        }
        let id = anchor(heading.trim());
        let before = times.entry(id.clone()).or_default();
        anchors.insert(if *before == 0 { id } else { format!("{id}-{before}") });
        *before += 1;
    }
    anchors
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    // Of a link, its words.
    let words: String =
        heading.split("](").enumerate().fold(String::new(), |words, (part, text)| {
            words
                + if part == 0 { text } else { text.split_once(')').map_or("", |(_, after)| after) }
        });
    let kept = words.chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// What is wrong with the links of the pages, and with the files that they name.
pub(crate) fn broken(pages: &[(String, String)]) -> Vec<String> {
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        pages.iter().map(|(name, page)| (name.as_str(), anchors(page))).collect();
    let mut broken = Vec::new();
    for (name, page) in pages {
        for link in links(page).into_iter().filter(|link| !link.starts_with("https://")) {
            let (file, anchor) = match link.split_once('#') {
                Some((file, anchor)) => (file, Some(anchor)),
                None => (link, None),
            };
            let wrong = match anchors.get(if file.is_empty() { name.as_str() } else { file }) {
                Some(anchors) => anchor.is_some_and(|anchor| !anchors.contains(anchor)),
                None if file == playground::PAGE => match playground::opens(anchor, page) {
                    Ok(()) => false,
                    Err(why) => {
                        broken.push(format!("{name}: `{link}`: {why}"));
                        false
                    }
                },
                // A page of the book has the files beside it, and no others.
                None => file.contains("..") || anchor.is_some() || !folder().join(file).is_file(),
            };
            if wrong {
                broken.push(format!("{name}: `{link}` leads nowhere"));
            }
        }
        broken.extend(
            named(page)
                .filter(|file| !is_there(file))
                .map(|file| format!("{name}: the repository has no `{file}`")),
        );
    }
    broken
}

/// What the text names in backticks that looks like a file or folder of the repository.
fn named(page: &str) -> impl Iterator<Item = &str> {
    let spans = text(page).flat_map(|line| line.split('`').skip(1).step_by(2));
    spans.filter(|span| {
        let folder = span.split_once('/').map(|(folder, _)| root().join(folder));
        let is_path = |c: char| c.is_ascii_alphanumeric() || "/._-*".contains(c);
        span.chars().all(is_path)
            && !span.starts_with("target/")
            && folder.is_some_and(|f| f.is_dir())
    })
}

/// Is there such a file or folder? In its last part a `*` may stand for anything.
fn is_there(path: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    let Some((begin, end)) = name.split_once('*') else { return root().join(path).exists() };
    let files = std::fs::read_dir(root().join(folder)).into_iter().flatten().flatten();
    let mut names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    names.any(|name| name.starts_with(begin) && name.ends_with(end))
}

#[test]
fn anchors_are_those_of_mdbook() {
    let page = "# `A, b ↓_{H,i} B`\n\n## Why?\n\n```c\n# no heading\n```\n\n## Why?\n\n\
                ### thread/read-input\n\n<a id=\"here\"></a>\n\n#no heading\n\n## See [*Λ*](a.md) there\n";
    let expected = ["a-b-_hi-b", "here", "see-λ-there", "threadread-input", "why", "why-1"];
    assert_eq!(anchors(page).iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

#[test]
fn a_wrong_link_is_noticed() {
    let one = |page: &str| {
        let other = "# Other\n\n## A part\n\n{{#include ../../docs/RULES.md:type}}\n";
        let pages = [("one.md", page), ("other.md", other)];
        broken(&pages.map(|(name, page)| (name.to_owned(), page.to_owned())))
    };
    for right in [
        "# One\n\n[a](other.md) [b](other.md#a-part) [c](#one) [d](https://example.com/#e)",
        "[a rule](other.md#typet-for)",
        "```sh\nbabycuda check - \n```\n\n`docs/THEORY.md`, `examples/paper`, `book/programs/shift*.cu`, `wr/rd`, `target/x`",
        "```text\n[a](nowhere.md) `docs/NOTHING.md`\n```",
        "[a](playground/index.html#example=book/programs/shift.cu&tab=walk)",
        "```sh\necho 'A[0] := 1' | babycuda run -\n```\n\n\
         [a](playground/index.html#language=bcuda&text=A%5B0%5D%20%3A%3D%201&params=n%3D1)",
    ] {
        assert_eq!(one(right), Vec::<String>::new(), "{right}");
    }
    for wrong in [
        "[a](nowhere.md)",
        "[a](other.md#parts)",
        "[a](other.md#threadread)",
        "[a](#two)",
        "[a](figures/nothing.svg)",
        "[a](../../docs/THEORY.md)",
        "`docs/NOTHING.md`",
        "`book/programs/shaft*.cu`",
        "[a](playground/index.html)",
        "[a](../playground/index.html#example=book/programs/shift.cu)",
        "[a](playground/index.html#example=book/programs/nothing.cu)",
        "[a](playground/index.html#example=book/programs/shift.cu&tab=tabs)",
        "[a](playground/index.html#language=bcuda&text=A%5B0%5D%20%3A%3D%202)",
    ] {
        assert_eq!(one(wrong).len(), 1, "{wrong}: {:?}", one(wrong));
    }
}
