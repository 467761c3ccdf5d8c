//! Several instrumented kernels as one text, so that the compiler is called once.
//!
//! Texts of one language begin with the same definitions, up to the operators that they need, and
//! end with their kernel. What is the same is there once. The rest are the kernel, and in WGSL the
//! extents of a block and the shared arrays: their names get the number of the program.

use crate::emit::Text;
use std::collections::BTreeSet;

/// The module of the texts, and the names that their kernels have there.
pub(super) fn of(texts: &[&Text]) -> (String, Vec<String>) {
    let (mut head, mut kernels, mut known) = (String::new(), String::new(), BTreeSet::new());
    let mut entries = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let mut own = vec![text.kernel.as_str()];
        let parts: Vec<&str> = text.text.split("\n\n").flat_map(items).collect();
        own.extend(parts.iter().filter_map(|part| own_name(part)));
        // No name of a text has two underscores in a row.
        let rename = |part: &str| renamed(part, &own, &format!("__{number}"));
        // The last part is the kernel.
        let (kernel, definitions) = parts.split_last().unwrap_or((&"", &[]));
        for part in definitions.iter().map(|part| match own_name(part) {
            Some(_) => rename(part),
            None => (*part).to_owned(),
        }) {
            let is_comment = part.lines().all(|line| line.starts_with("//"));
            if !is_comment && known.insert(part.clone()) {
                head += &format!("{part}\n");
            }
        }
        kernels += &format!("{}\n", rename(kernel));
        entries.push(rename(&text.kernel));
    }
    (head + &kernels, entries)
}

/// A paragraph's definitions: each line by itself where they are declarations of WGSL.
fn items(paragraph: &str) -> Vec<&str> {
    let is_declaration = |line: &str| {
        ["const ", "override ", "var<", "@group"].iter().any(|word| line.starts_with(word))
    };
    match paragraph.lines().all(is_declaration) {
        true => paragraph.lines().collect(),
        false => vec![paragraph.trim_end_matches('\n')],
    }
}

/// The name that the line of WGSL declares, if it is the program's own.
fn own_name(part: &str) -> Option<&str> {
    let starts = ["const block_", "override block_", "var<workgroup> "];
    let own = part.lines().count() == 1 && starts.iter().any(|start| part.starts_with(start));
    let declared = part.split_once(' ')?.1.split(':').next()?;
    own.then_some(declared)
}

/// The text with a suffix at each of the names.
fn renamed(text: &str, names: &[&str], suffix: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word);
        out += word;
        if names.contains(&word) {
            out += suffix;
        }
        let other = after.find(is_part).unwrap_or(after.len());
        out += &after[..other];
        rest = &after[other..];
    }
    out
}
