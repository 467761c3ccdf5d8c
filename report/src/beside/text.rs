//! Runs beside their source for a terminal.

use super::{Beside, LEGEND, Line, cut};
use std::fmt::Write;

/// Columns of a line.
const WIDE: usize = 120;
/// Columns of the source, at most.
const SOURCE: usize = 48;
/// Columns of a thread, at most, but for one long access.
const THREAD: usize = 30;

/// The source in text, with a column for each thread that fits.
pub fn text(beside: &Beside) -> String {
    let lines = || beside.phases.iter().flat_map(|part| &part.lines);
    let digits = lines().map(|line| line.number.to_string().len()).max().unwrap_or(1);
    let source = lines().map(|line| line.text.chars().count()).max().unwrap_or(0);
    let source = source.min(SOURCE);
    let cell = |line: &Line, n: usize| line.so_far[n].marked_within(THREAD);
    let wide = |n: usize| {
        let cells = lines().map(|line| cell(line, n).chars().count());
        let title = format!("thread {}", beside.threads[n]).chars().count();
        cells.max().unwrap_or(0).max(title)
    };
    let wide: Vec<usize> = (0..beside.threads.len()).map(wide).collect();
    let mut taken = digits + source + 3;
    let shown = beside.shown(|n| {
        taken += wide[n] + 3;
        taken <= WIDE
    });

    let mut out = format!("{}\n", beside.title);
    let row =
        |out: &mut String, number: &str, text: &str, cells: &mut dyn Iterator<Item = String>| {
            let short = cut(text, source);
            let mut line = format!("{number:>digits$}  {short:source$}");
            for (cell, n) in cells.zip(&shown) {
                let wide = wide[*n];
                let _ = write!(line, " │ {cell:wide$}");
            }
            let _ = writeln!(out, "{}", line.trim_end());
        };
    let mut titles = shown.iter().map(|n| format!("thread {}", beside.threads[*n]));
    row(&mut out, "", "", &mut titles);
    for part in &beside.phases {
        let _ = writeln!(out, "{}", part.heading);
        for line in &part.lines {
            let mut cells = shown.iter().map(|n| cell(line, *n));
            row(&mut out, &line.number.to_string(), &line.text, &mut cells);
        }
    }
    let notes = beside.rest(shown.len()).into_iter().chain([LEGEND.to_owned()]);
    for note in notes.chain(beside.notes.iter().cloned()) {
        let _ = writeln!(out, "{note}");
    }
    out
}
