//! The source of a program, line by line.

use babycuda_core::parse::parse_program;
use babycuda_core::{Program, Site};
use std::collections::BTreeMap;

/// So many lines of a source before the first statement may be its kernel's head.
const HEAD: usize = 30;

/// Where statements stand.
pub(super) struct Source {
    pub(super) lines: Vec<String>,
    /// The line of each statement, from 0.
    pub(super) at: BTreeMap<Site, usize>,
    /// The program's own lines.
    pub(super) first: usize,
    pub(super) last: usize,
}

impl Source {
    /// The source of a program, in the text that it was read from; its own, where it was read from none.
    pub(super) fn of(program: &Program, text: &str) -> Source {
        let own = program.sources.spans.is_empty().then(|| program.to_string());
        let parsed = own.as_ref().and_then(|text| parse_program(text).ok());
        let spans = parsed.as_ref().map_or(&program.sources.spans, |own| &own.sources.spans);
        let text = own.as_deref().unwrap_or(text);
        let lines: Vec<String> = text.lines().map(printable).collect();
        let line = |number: u32| (number as usize).saturating_sub(1);
        let at: BTreeMap<Site, usize> =
            spans.iter().map(|(site, span)| (*site, line(span.line))).collect();
        let ends = spans.values().map(|span| text[..span.end.min(text.len())].lines().count());
        let first = at.values().copied().min().unwrap_or(0);
        let last = ends.max().unwrap_or(0).saturating_sub(1).max(first);
        let head = || {
            let above = lines.get(first.saturating_sub(HEAD)..first)?;
            let is_head = |line: &String| line.contains(&format!("{}(", program.name));
            Some(first - above.len() + above.iter().rposition(is_head)?)
        };
        let closes = |line: &&String| line.trim().chars().all(|c| c == '}') && !line.is_empty();
        let closing = lines.iter().skip(last + 1).take_while(closes).count();
        let first = if own.is_some() { 0 } else { head().unwrap_or(first) };
        Source { lines, at, first, last: last + closing }
    }
}

/// A line of a source as it may be shown.
fn printable(line: &str) -> String {
    let line = line.trim_end().replace('\t', "    ");
    line.replace(char::is_control, "\u{fffd}")
}
