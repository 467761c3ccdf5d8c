//! Runs beside their source as a picture.

use super::{Beside, LEGEND, cut};
use crate::picture::{CHAR, LINE, MARGIN, PAGE, Picture};

const STYLE: &str = "\
.f { fill: #6b6b70; }
.phase { fill: #f4f4f6; }
.hit { fill: #fde7ea; }
";

/// Characters of the source, at most.
const SOURCE: usize = 44;
/// Characters of a thread's column, at most.
const COLUMN: usize = 28;

/// A picture that is as wide as a page: threads that do not fit are left out.
pub fn svg(all: &[Beside]) -> String {
    let mut picture = Picture::new();
    for beside in all {
        one(&mut picture, beside);
        picture.y += LINE;
    }
    picture.paragraph(MARGIN, "", LEGEND);
    let title = all.first().map_or("run", |beside| beside.title.as_str());
    picture.finish(title, STYLE)
}

fn one(picture: &mut Picture, beside: &Beside) {
    picture.paragraph(MARGIN, "h", &beside.title);
    let lines = || beside.phases.iter().flat_map(|part| &part.lines);
    let source = lines().map(|line| line.text.chars().count()).max().unwrap_or(0).min(SOURCE);
    let left = MARGIN + (source as f64 + 6.0) * CHAR;
    let wide = |n: usize| {
        let entries = lines().flat_map(|line| &line.so_far[n].done);
        let widest = entries.map(|done| done.marked().chars().count()).max().unwrap_or(0);
        (widest.clamp(10, COLUMN) as f64 + 2.0) * CHAR
    };
    let mut end = left;
    let shown = beside.shown(|n| {
        end += wide(n);
        end <= PAGE - MARGIN
    });
    let mut x = left;
    let column = |n: usize| {
        x += wide(n);
        (n, x - wide(n))
    };
    let columns: Vec<(usize, f64)> = shown.into_iter().map(column).collect();
    for (n, x) in &columns {
        picture.text(*x, "h", &format!("thread {}", beside.threads[*n]));
    }
    picture.y += LINE;
    for part in &beside.phases {
        picture.rectangle("phase", MARGIN, PAGE - 2.0 * MARGIN, LINE);
        picture.text(MARGIN + 2.0, if part.racy { "r" } else { "h" }, &part.heading);
        picture.y += LINE;
        for line in &part.lines {
            picture.text(MARGIN, "f", &format!("{:>3}", line.number));
            let text = cut(&line.text, SOURCE);
            picture.text(MARGIN + 5.0 * CHAR, "", &text);
            let top = picture.y;
            let mut lowest = top + LINE;
            for (n, x) in &columns {
                picture.y = top;
                let so_far = &line.so_far[*n];
                if let Some(more) = so_far.more() {
                    picture.text(*x, "f", &more);
                    picture.y += LINE;
                }
                for done in &so_far.done {
                    let text: String = done.marked().chars().take(COLUMN).collect();
                    if done.racy {
                        let length = text.chars().count() as f64 * CHAR;
                        picture.rectangle("hit", *x, length, LINE);
                    }
                    let class = match (done.racy, done.here) {
                        (true, _) => "r",
                        (false, true) => "h",
                        (false, false) => "f",
                    };
                    picture.text(*x, class, &text);
                    picture.y += LINE;
                }
                lowest = lowest.max(picture.y);
            }
            picture.y = lowest;
        }
    }
    for note in beside.rest(columns.len()).iter().chain(&beside.notes) {
        picture.paragraph(MARGIN, "", note);
    }
}
