//! Suggestions for people.

use babycuda::repair::Fix;
use std::fmt::Write;

/// A suggestion, and the lines that it changes.
pub(crate) fn shown(text: &str, fix: &Fix) -> String {
    let mut out = format!("help: {}: checked, the kernel is race-free then\n", fix.title);
    for edit in &fix.edits {
        let start = text[..edit.span.start].rfind('\n').map_or(0, |end| end + 1);
        let end = text[edit.span.end..].find('\n').map_or(text.len(), |end| edit.span.end + end);
        let old = &text[start..end];
        let new =
            format!("{}{}{}", &text[start..edit.span.start], edit.text, &text[edit.span.end..end]);
        let added = match new.strip_prefix(old) {
            Some(added) if added.starts_with('\n') => {
                let _ = writeln!(out, "  {:>5}   {old}", edit.span.line);
                added[1..].to_owned()
            }
            _ => {
                for (line, number) in old.lines().zip(edit.span.line..) {
                    let _ = writeln!(out, "  {number:>5} - {line}");
                }
                new
            }
        };
        for line in added.lines() {
            let _ = writeln!(out, "  {:>5} + {line}", "");
        }
    }
    out
}
