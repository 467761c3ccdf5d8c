//! Matrices for a terminal.

use super::{Band, LEGEND, Matrix};
use std::fmt::Write;

/// Columns of a line.
const WIDE: usize = 100;

/// The matrices in text: a line for each thread. Cells that do not fit a line follow below.
pub fn text(matrix: &Matrix) -> String {
    let mut out = format!("{}\n", matrix.title);
    let mut any = false;
    for phase in &matrix.phases {
        let _ = writeln!(out, "{}", phase.heading);
        any |= !phase.rows.is_empty() || !phase.inner.is_empty();
        band(phase, "  ", &mut out);
    }
    if any {
        let _ = writeln!(out, "{LEGEND}");
    }
    for note in &matrix.notes {
        let _ = writeln!(out, "{note}");
    }
    out
}

fn band(own: &Band, indent: &str, out: &mut String) {
    grid(own, indent, out);
    for (n, inner) in own.inner.iter().enumerate() {
        let is_last = n + 1 == own.inner.len();
        let (corner, side) = if is_last { ("└", " ") } else { ("├", "│") };
        let _ = writeln!(out, "{indent}{corner} {}", inner.heading);
        band(inner, &format!("{indent}{side}   "), out);
    }
}

fn grid(band: &Band, indent: &str, out: &mut String) {
    let thread = band.rows.iter().map(|row| row.thread.to_string().len()).max().unwrap_or(0).max(6);
    let wide: Vec<usize> = (0..band.columns.len())
        .map(|n| {
            let cells = band.rows.iter().map(|row| row.entries[n].marked().chars().count());
            let title = band.columns[n].cell.chars().count() + usize::from(band.columns[n].racy);
            cells.max().unwrap_or(0).max(title)
        })
        .collect();
    let mut start = 0;
    while start < wide.len() {
        let (mut end, mut taken) = (start, indent.chars().count() + thread + 2);
        while end < wide.len() && (end == start || taken + wide[end] + 2 <= WIDE) {
            taken += wide[end] + 2;
            end += 1;
        }
        let mut line = format!("{indent}{:thread$} │", "thread");
        for (column, wide) in band.columns[start..end].iter().zip(&wide[start..end]) {
            let mark = if column.racy { "!" } else { "" };
            let _ = write!(line, " {:wide$} ", format!("{}{mark}", column.cell));
        }
        let _ = writeln!(out, "{}", line.trim_end());
        for row in &band.rows {
            let own = &row.entries[start..end];
            if own.iter().all(|entry| entry.text.is_empty()) {
                continue;
            }
            let mut line = format!("{indent}{:>thread$} │", row.thread);
            for (entry, wide) in own.iter().zip(&wide[start..end]) {
                let text = if entry.text.is_empty() { "·".to_owned() } else { entry.marked() };
                let _ = write!(line, " {text:wide$} ");
            }
            let _ = writeln!(out, "{}", line.trim_end());
        }
        start = end;
    }
    if let Some(rest) = band.rest() {
        let _ = writeln!(out, "{indent}{rest}");
    }
}
