//! Matrices as a picture.

use super::{Band, LEGEND, Matrix};
use crate::markup::escape;
use crate::picture::{CHAR, LINE, MARGIN, PAGE, Picture};
use std::fmt::Write;

const INDENT: f64 = 10.0;

const STYLE: &str = "\
.band { fill: #f4f4f6; stroke: #c9c9c9; }
.group { fill: #ffffff; stroke: #c9c9c9; }
.hit { fill: #fde7ea; }
.edge { fill: none; stroke: #c9c9c9; }
.bad { stroke: #b00020; }
";

impl Picture {
    fn band(&mut self, band: &Band, level: usize) {
        let left = MARGIN + level as f64 * INDENT;
        let (start, top) = (self.out.len(), self.y);
        self.y += 4.0;
        self.paragraph(left + 6.0, if band.racy { "r" } else { "h" }, &band.heading);
        self.grid(band, left + 6.0, PAGE - left - 6.0);
        if let Some(rest) = band.rest() {
            self.paragraph(left + 6.0, "", &rest);
        }
        for inner in &band.inner {
            self.band(inner, level + 1);
        }
        self.y += 4.0;
        let class = if level == 0 { "band" } else { "group" };
        let bad = if band.racy { " bad" } else { "" };
        let frame = format!(
            "<rect class=\"{class}{bad}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" \
             height=\"{:.1}\" rx=\"4\"/>\n",
            PAGE - 2.0 * left,
            self.y - top
        );
        self.out.insert_str(start, &frame);
        self.y += 6.0;
    }

    fn grid(&mut self, band: &Band, left: f64, right: f64) {
        let thread = 7.0 * CHAR + 8.0;
        let wide = |n: usize| {
            let entries = band.rows.iter().map(|row| row.entries[n].marked().chars().count());
            let title = band.columns[n].cell.chars().count() + 1;
            // Names may be as long as they like; pages may not.
            (entries.max().unwrap_or(0).max(title).min(60) as f64).mul_add(CHAR, 8.0)
        };
        let wides: Vec<f64> = (0..band.columns.len()).map(wide).collect();
        let mut start = 0;
        while start < wides.len() {
            let (mut end, mut x) = (start, left + thread);
            while end < wides.len() && (end == start || x + wides[end] <= right) {
                x += wides[end];
                end += 1;
            }
            self.text(left + 2.0, "h", "thread");
            let mut x = left + thread;
            for (column, wide) in band.columns[start..end].iter().zip(&wides[start..end]) {
                let mark = if column.racy { "!" } else { "" };
                let title: String = column.cell.chars().take(59).collect();
                self.text(x + 4.0, if column.racy { "r" } else { "h" }, &format!("{title}{mark}"));
                x += wide;
            }
            self.y += LINE;
            for row in &band.rows {
                if row.entries[start..end].iter().all(|entry| entry.text.is_empty()) {
                    continue;
                }
                self.text(left + 2.0, "h", &row.thread.to_string());
                let mut x = left + thread;
                for (entry, wide) in row.entries[start..end].iter().zip(&wides[start..end]) {
                    let hit = if entry.races.is_empty() { "edge" } else { "hit" };
                    let y = self.y;
                    let _ = write!(
                        self.out,
                        "<rect class=\"{hit}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{LINE}\">"
                    );
                    let race =
                        entry.spoken().map(|race| format!("<title>{}</title>", escape(&race)));
                    let _ = writeln!(self.out, "{}</rect>", race.unwrap_or_default());
                    let class = if entry.races.is_empty() { "" } else { "r" };
                    let text: String = entry.marked().chars().take(60).collect();
                    self.text(x + 4.0, class, &text);
                    x += wide;
                }
                self.y += LINE;
            }
            self.y += 4.0;
            start = end;
        }
    }
}

/// A picture that is as wide as a page.
pub fn svg(matrices: &[Matrix]) -> String {
    let mut picture = Picture::new();
    for matrix in matrices {
        picture.paragraph(MARGIN, "h", &matrix.title);
        for phase in &matrix.phases {
            picture.band(phase, 0);
        }
        for note in &matrix.notes {
            picture.paragraph(MARGIN, "", note);
        }
        picture.y += LINE;
    }
    picture.paragraph(MARGIN, "", LEGEND);
    let title = matrices.first().map_or("history", |matrix| matrix.title.as_str());
    picture.finish(title, STYLE)
}
