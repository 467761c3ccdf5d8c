//! Inference rules in text: premises, a line with the rule's id, the conclusion.

use super::drawing::Drawing;
use super::formula::{Formula, columns, equation, text_of};
use super::layout::{GAP, Page, Part, Sheet, Tree, heading, reference, sheet};
use super::letter::settled;
use std::fmt::Write;

/// Lines of a figure.
const HEIGHT: usize = 60;

/// Characters at their places.
#[derive(Default)]
struct Canvas {
    lines: Vec<Vec<char>>,
}

impl Canvas {
    fn put(&mut self, column: usize, line: usize, text: &str) {
        if self.lines.len() <= line {
            self.lines.resize(line + 1, Vec::new());
        }
        let row = &mut self.lines[line];
        for (n, c) in text.chars().enumerate() {
            if row.len() <= column + n {
                row.resize(column + n + 1, ' ');
            }
            row[column + n] = c;
        }
    }

    fn lines(&mut self, left: usize, wide: usize, top: usize, lines: &[Formula]) {
        for (n, line) in lines.iter().enumerate() {
            let text = text_of(line);
            let text = text.trim_end();
            let own = columns(line).min(text.chars().count());
            self.put(left + wide.saturating_sub(own) / 2, top + n, text);
        }
    }

    fn tree(&mut self, left: usize, top: usize, tree: &Tree) {
        let mut line = top;
        for (row, start) in tree.rows.iter().zip(&tree.starts) {
            let high = row.iter().map(Part::height).max().unwrap_or(0);
            let mut column = left + start;
            for part in row {
                self.part(column, line + high - part.height(), part);
                column += part.width() + GAP;
            }
            line += high;
        }
        let (begin, end) = tree.line;
        let dashes = if tree.stopped { "╌" } else { "─" };
        self.put(left + begin, line, &format!("{} {}", dashes.repeat(end - begin), tree.rule));
        self.lines(left + begin, end - begin, line + 1, &tree.conclusion);
    }

    fn part(&mut self, left: usize, top: usize, part: &Part) {
        let wide = part.width();
        match part {
            Part::Lines(lines) | Part::Fails(lines) | Part::Unseen(lines) => {
                self.lines(left, wide, top, lines);
            }
            Part::Tree(tree) => self.tree(left, top, tree),
            Part::Elsewhere { name, threads, conclusion, .. } => {
                let reference = reference(*name, threads.as_deref());
                let own = reference.chars().count();
                self.put(left + wide.saturating_sub(own) / 2, top, &reference);
                self.lines(left, wide, top + 1, conclusion);
            }
        }
    }
}

/// Inference rules in text, no wider than so many columns. Subtrees that do not fit have names.
pub fn tree(drawing: &Drawing, width: usize) -> String {
    let Sheet { figures } = sheet(drawing, Page { width, height: HEIGHT, trees: usize::MAX });
    let mut text = String::new();
    for figure in &figures {
        if let Some(heading) = heading(figure) {
            let _ = writeln!(text, "\n{heading}");
        }
        let mut canvas = Canvas::default();
        canvas.tree(0, 0, &figure.tree);
        for line in canvas.lines {
            let line: String = line.into_iter().collect();
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    if !drawing.legend.is_empty() || !drawing.notes.is_empty() {
        text.push('\n');
    }
    for (name, meaning) in &drawing.legend {
        let _ = writeln!(text, "{}", text_of(&equation(name, meaning)));
    }
    for note in &drawing.notes {
        let _ = writeln!(text, "{note}");
    }
    settled(&text, drawing)
}
