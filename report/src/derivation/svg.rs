//! Inference rules as a picture (SVG).

use super::drawing::Drawing;
use super::formula::{Formula, Kind, Piece, code, columns, equation, plain, wrap};
use super::layout::{GAP, Page, Part, Tree, heading, reference, sheet};
use super::letter::settled;
use crate::markup::escape;
use std::fmt::Write;

/// The width of a character and the height of a line, in pixels. The letters of a font that is a
/// little wider or narrower are fitted to this.
const CHAR: f64 = 7.2;
const LINE: f64 = 16.0;
const MARGIN: f64 = 12.0;

/// The width of a page, in pixels: A4, upright, at 96 to an inch.
pub const PAGE: u32 = 794;

/// Lines of a figure: a page of A4.
const HEIGHT: usize = 64;

const STYLE: &str = "\
svg { background: #ffffff; }
text { font: 12px 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace; fill: #1a1a1a; white-space: pre; }
.m { fill: #5b3a8c; }
.n { fill: #00558c; font-weight: bold; }
.s { font-size: 10px; }
.v { fill: #8a4b00; font-style: italic; }
.r { fill: #555555; font-size: 10px; }
.d { fill: #00558c; font-weight: bold; }
.h { font-weight: bold; }
.f, .f tspan { fill: #b00020; }
.u, .u tspan { fill: #767676; }
line { stroke: #1a1a1a; }
.stop { stroke: #b00020; stroke-dasharray: 4 3; }
";

/// The picture under way.
struct Picture {
    out: String,
    /// What is drawn so far, in pixels from the top.
    y: f64,
    /// Where the rightmost text ends.
    right: f64,
}

impl Picture {
    fn line(&mut self, x: f64, y: f64, class: &str, formula: &Formula) {
        let wide = columns(formula) as f64 * CHAR;
        if wide == 0.0 {
            return;
        }
        self.right = self.right.max(x + wide);
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let _ = write!(
            self.out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\"{class} textLength=\"{wide:.1}\" \
             lengthAdjust=\"spacingAndGlyphs\">"
        );
        let mut below = false;
        for piece in formula {
            let text = escape(&piece.text);
            let class = match piece.kind {
                _ if piece.values.is_some() => "v",
                Kind::Code => "c",
                Kind::Math => "m",
                Kind::Sub => "s",
                Kind::Name => "n",
            };
            let sub = piece.kind == Kind::Sub;
            let moved = match (below, sub) {
                (false, true) => " dy=\"3\"",
                (true, false) => " dy=\"-3\"",
                _ => "",
            };
            below = sub;
            let _ = write!(self.out, "<tspan class=\"{class}\"{moved}>{text}</tspan>");
        }
        self.out.push_str("</text>\n");
    }

    /// Lines, each in the middle of `wide` columns.
    fn lines(&mut self, left: f64, wide: usize, top: f64, class: &str, lines: &[Formula]) {
        for (n, line) in lines.iter().enumerate() {
            let indent = wide.saturating_sub(columns(line)) as f64 / 2.0 * CHAR;
            self.line(left + indent, top + (n as f64 + 0.75) * LINE, class, line);
        }
    }

    // Trees are no higher than a page, so this recursion is not deep.
    fn tree(&mut self, left: f64, top: f64, tree: &Tree) {
        let mut y = top;
        for (row, start) in tree.rows.iter().zip(&tree.starts) {
            let high = row.iter().map(Part::height).max().unwrap_or(0);
            let mut x = left + *start as f64 * CHAR;
            for part in row {
                self.part(x, y + (high - part.height()) as f64 * LINE, part);
                x += (part.width() + GAP) as f64 * CHAR;
            }
            y += high as f64 * LINE;
        }
        let (begin, end) = (left + tree.line.0 as f64 * CHAR, left + tree.line.1 as f64 * CHAR);
        let middle = y + LINE / 2.0;
        let class = if tree.stopped { " class=\"stop\"" } else { "" };
        let _ = writeln!(
            self.out,
            "<line x1=\"{begin:.1}\" y1=\"{middle:.1}\" x2=\"{end:.1}\" y2=\"{middle:.1}\"{class}/>"
        );
        self.line(end + CHAR / 2.0, middle + 3.5, "r", &vec![code(tree.rule)]);
        self.lines(begin, tree.line.1 - tree.line.0, y + LINE, "", &tree.conclusion);
    }

    fn part(&mut self, left: f64, top: f64, part: &Part) {
        let wide = part.width();
        match part {
            Part::Lines(lines) => self.lines(left, wide, top, "", lines),
            Part::Fails(lines) => self.lines(left, wide, top, "f", lines),
            Part::Unseen(lines) => self.lines(left, wide, top, "u", lines),
            Part::Tree(tree) => self.tree(left, top, tree),
            Part::Elsewhere { name, threads, conclusion, .. } => {
                let reference = vec![code(reference(*name, threads.as_deref()))];
                let _ = writeln!(self.out, "<a href=\"#d{name}\">");
                self.lines(left, wide, top, "d", &[reference]);
                let _ = writeln!(self.out, "</a>");
                self.lines(left, wide, top + LINE, "", conclusion);
            }
        }
    }

    fn paragraph(&mut self, class: &str, text: &[Piece], columns: usize) {
        for line in wrap(text, columns, usize::MAX) {
            self.line(MARGIN, self.y + 0.75 * LINE, class, &line);
            self.y += LINE;
        }
    }
}

/// A picture that is no wider than so many pixels. Subtrees that do not fit have names, and stand
/// below.
pub fn svg(drawing: &Drawing, pixels: u32) -> String {
    let columns = ((f64::from(pixels.max(320)) - 2.0 * MARGIN) / CHAR) as usize;
    let sheet = sheet(drawing, Page { width: columns, height: HEIGHT, trees: usize::MAX });
    let mut picture = Picture { out: String::new(), y: MARGIN, right: 0.0 };
    picture.paragraph("h", &[code(&drawing.title)], columns);
    picture.y += LINE / 2.0;
    for figure in &sheet.figures {
        if let Some(heading) = heading(figure) {
            let _ = writeln!(picture.out, "<g id=\"d{}\">", figure.name.unwrap_or(0));
            picture.paragraph("h", &[code(heading)], columns);
            picture.y += LINE / 2.0;
        } else {
            picture.out.push_str("<g>\n");
        }
        let top = picture.y;
        picture.tree(MARGIN, top, &figure.tree);
        picture.y += (figure.tree.height as f64 + 1.0) * LINE;
        picture.out.push_str("</g>\n");
    }
    for (name, meaning) in &drawing.legend {
        picture.paragraph("", &equation(name, meaning), columns);
    }
    for note in &drawing.notes {
        picture.paragraph("", &[code(note)], columns);
    }
    let width = (picture.right + MARGIN).min(f64::from(pixels.max(320))).ceil();
    let height = (picture.y + MARGIN).ceil();
    let whole = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title desc\">\n\
         <title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n<style>{STYLE}</style>\n{}</svg>\n",
        escape(&drawing.title),
        escape(&plain(&drawing.nodes.first().map_or(Vec::new(), |n| n.conclusion.clone()))),
        picture.out
    );
    settled(&whole, drawing)
}
