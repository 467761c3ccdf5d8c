//! Matrices as a page.

use super::{Band, LEGEND, Matrix};
use crate::markup::{escape, page};
use std::fmt::Write;

/// Columns of a table: more stand in another one beside or below it.
const COLUMNS: usize = 6;

/// A page of HTML that needs nothing else.
pub fn html(matrices: &[Matrix]) -> String {
    let mut body = String::new();
    for matrix in matrices {
        let _ = writeln!(body, "<h1>{}</h1>", escape(&matrix.title));
        for phase in &matrix.phases {
            band(phase, "phase", "h2", &mut body);
        }
        for note in &matrix.notes {
            let _ = writeln!(body, "<p>{}</p>", escape(note));
        }
    }
    let title = matrices.first().map_or("history", |matrix| matrix.title.as_str());
    let _ = writeln!(body, "<p class=\"legend\">{}</p>", escape(LEGEND));
    page(title, include_str!("page.css"), &body)
}

fn band(own: &Band, class: &str, level: &str, out: &mut String) {
    let racy = if own.racy { " racy" } else { "" };
    let heading = escape(&own.heading);
    let _ = writeln!(out, "<section class=\"{class}{racy}\"><{level}>{heading}</{level}>");
    if own.rows.is_empty() && own.inner.is_empty() {
        out.push_str("<p>no accesses</p>\n");
    }
    out.push_str("<div class=\"tables\">");
    for start in (0..own.columns.len()).step_by(COLUMNS) {
        let end = (start + COLUMNS).min(own.columns.len());
        out.push_str("<table><thead><tr><th scope=\"col\">thread</th>");
        for column in &own.columns[start..end] {
            let (class, mark) = if column.racy { (" class=\"racy\"", "!") } else { ("", "") };
            let _ = write!(out, "<th scope=\"col\"{class}>{}{mark}</th>", escape(&column.cell));
        }
        out.push_str("</tr></thead><tbody>\n");
        for row in &own.rows {
            let entries = &row.entries[start..end];
            if entries.iter().all(|entry| entry.text.is_empty()) {
                continue;
            }
            let _ = write!(out, "<tr><th scope=\"row\">{}</th>", row.thread);
            for entry in entries {
                let text = escape(&entry.marked());
                let _ = match entry.spoken() {
                    Some(race) => write!(
                        out,
                        "<td class=\"racy\" title=\"{0}\">{text}<span class=\"spoken\"> {0}</span></td>",
                        escape(&race)
                    ),
                    None => write!(out, "<td>{text}</td>"),
                };
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table>\n");
    }
    out.push_str("</div>");
    if let Some(rest) = own.rest() {
        let _ = writeln!(out, "<p>{rest}</p>");
    }
    for inner in &own.inner {
        band(inner, "group", if level == "h2" { "h3" } else { "h4" }, out);
    }
    out.push_str("</section>\n");
}
