//! The same kernel with its variables in objects: `int v = e; … v …` becomes `Box_int v = {1, (int)(e)}; … v.v …`.
//! The translation follows the parts of objects as it follows variables, so both are one program.

use crate::case::View;
use crate::dialect::cuda;
use crate::generate::TYPES;
use crate::parsers::{compared, plain, read, reason};
use babycuda_campaign::setting;
use babycuda_frontend::Parser;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A declaration of a variable: where its text stands, its type, its name and what it holds at first.
struct Declared<'a> {
    place: Range<usize>,
    ty: &'a str,
    name: &'a str,
    value: Option<&'a str>,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The words of a text, with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive(|c| !is_word(c)).filter_map(move |piece| {
        let (start, word) = (at, piece.trim_end_matches(|c| !is_word(c)));
        at += piece.len();
        (!word.is_empty()).then_some((start, word))
    })
}

/// Where an initializer ends: before the `;`, `,` or `)` that is not in parentheses.
fn end(text: &str) -> Option<(usize, char)> {
    let mut depth = 0;
    text.char_indices().find(|(_, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            ';' | ',' | ')' if depth == 0 => return true,
            _ => {}
        }
        false
    })
}

/// The declarations that can be boxed, and the names that cannot: of parameters, macros, pointers, arrays.
fn declarations(text: &str) -> (Vec<Declared<'_>>, BTreeSet<&str>) {
    let (mut found, mut others) = (Vec::new(), BTreeSet::new());
    let lines = text.lines().filter(|line| line.trim_start().starts_with('#'));
    others.extend(lines.flat_map(words).map(|(_, word)| word));
    let starts: Vec<usize> = text.match_indices("BC_").map(|(at, _)| at).collect();
    for at in starts {
        let rest = &text[at..];
        let (Some(open), Some(close)) = (rest.find('('), rest.find(')')) else { continue };
        let (kind, inner) = (&rest[..open], &rest[open + 1..close]);
        let Some((before, name)) = words(&rest[close + 1..]).next() else { continue };
        let gap = &rest[close + 1..close + 1 + before];
        match kind {
            "BC_VAR" if gap.trim().is_empty() => {
                let behind = close + 1 + before + name.len();
                let value = rest[behind..].trim_start();
                let skipped = rest.len() - value.len();
                let declared = match (value.strip_prefix('='), value.starts_with(';')) {
                    (Some(value), _) if !value.starts_with('=') => match end(value) {
                        Some((length, ';')) => {
                            Some((skipped + 1 + length, Some(value[..length].trim())))
                        }
                        _ => None,
                    },
                    (_, true) => Some((behind, None)),
                    _ => None,
                };
                match declared {
                    Some((length, value)) => {
                        let place = at..at + length;
                        found.push(Declared { place, ty: inner, name, value });
                    }
                    None => {
                        others.insert(name);
                    }
                }
            }
            "BC_PTR" | "BC_CPTR" | "BC_REF" if gap.trim().is_empty() => {
                others.insert(name);
            }
            "BC_LIT" | "BC_NEG" | "BC_CHANGE" | "BC_LOAD" | "BC_USE" | "BC_VAL" | "BC_VAR" => {}
            _ => others.extend(words(inner).map(|(_, word)| word)),
        }
    }
    // Parameters, and variables that are declared without a macro.
    let mut last = (0, "");
    for (at, word) in words(text) {
        let gap = &text[last.0 + last.1.len()..at];
        let typed = TYPES.iter().any(|t| t.ends_with(last.1)) || last.1 == "auto";
        if typed && gap.chars().all(|c| matches!(c, ' ' | '*' | '&')) {
            others.insert(word);
        }
        last = (at, word);
    }
    (found, others)
}

/// The text with the variables in objects, which no other text names; `None`: it has none.
pub fn boxed(text: &str, others: &str) -> Option<String> {
    let (found, mut other) = declarations(text);
    other.extend(words(others).map(|(_, word)| word));
    let found: Vec<Declared<'_>> = found.into_iter().filter(|d| !other.contains(d.name)).collect();
    let names: BTreeSet<&str> = found.iter().map(|d| d.name).collect();
    let box_of = |ty: &str| format!("Box_{}", ty.replace(' ', "_"));
    // What is put in the text, by the place of what it replaces.
    let mut edits: BTreeMap<usize, (usize, String)> = BTreeMap::new();
    for (at, word) in words(text) {
        if names.contains(word) && !text[..at].ends_with('.') {
            edits.insert(at, (at + word.len(), format!("{word}.v")));
        }
    }
    for Declared { place, ty, name, value } in &found {
        let head = text[place.clone()].find(name)? + place.start;
        edits.insert(place.start, (head + name.len(), format!("{} {name}", box_of(ty))));
        edits.remove(&head);
        if let Some(value) = value {
            let first = value.as_ptr() as usize - text.as_ptr() as usize;
            // The first word of the value may be one of the names.
            let open = format!("{{1, ({ty})(");
            match edits.get_mut(&first) {
                Some((_, text)) => text.insert_str(0, &open),
                None => {
                    edits.insert(first, (first, open));
                }
            }
            edits.insert(place.end, (place.end, ")}".to_owned()));
        }
    }
    let types: BTreeSet<&str> = found.iter().map(|d| d.ty).collect();
    let mut out: String = types
        .iter()
        .map(|ty| format!("struct {} {{ char before; {ty} v; }};\n", box_of(ty)))
        .collect();
    let mut done = 0;
    for (at, (behind, new)) in edits {
        out += &text[done..at];
        out += &new;
        done = behind;
    }
    (!found.is_empty()).then(|| out + &text[done..])
}

/// Each pair of programs is one, up to the names that bodies bind. `BABYCUDA_CASES` sets how many random kernels.
#[test]
fn variables_in_objects_change_nothing() {
    let (first, count) = (setting("BABYCUDA_SEED", 0), setting("BABYCUDA_CASES", 2_000));
    let results: Vec<Option<Result<(), String>>> = (first..first + count)
        .into_par_iter()
        .map(|seed| {
            let case = plain(seed);
            let text = boxed(&case.text(), "")?;
            let options = case.options(View::Symbolic, &case.settings[0]);
            let [one, other] =
                [case.cuda(), cuda(&text)].map(|text| read(&text, None, &options, Parser::Builtin));
            let result = compared(one.first()?, other.first()?);
            if result.is_none() {
                println!("seed {seed}: {:?} / {:?}", reason(&one[0]), reason(&other[0]));
            }
            result.map(|result| result.map_err(|what| format!("{case}\n{}\n{what}", cuda(&text))))
        })
        .collect();
    let compared = results.iter().flatten().count() as u64;
    let wrong: Vec<String> = results.into_iter().flatten().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong[0]);
    assert!(compared * 5 >= count * 4, "{compared} of {count}");
}
