//! Pictures as wide as a page, from the top down.

use crate::markup::escape;
use std::fmt::Write;

/// The width of a character, and the height of a line.
pub(crate) const CHAR: f64 = 7.2;
pub(crate) const LINE: f64 = 17.0;
pub(crate) const MARGIN: f64 = 12.0;
/// The width of a page, in pixels: A4, upright.
pub(crate) const PAGE: f64 = 794.0;

const STYLE: &str = "\
svg { background: #ffffff; }
text { font: 12px 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace; fill: #1a1a1a; white-space: pre; }
.h { font-weight: bold; }
.r { fill: #b00020; font-weight: bold; }
";

/// A picture, and how far down it is drawn.
pub(crate) struct Picture {
    pub(crate) out: String,
    pub(crate) y: f64,
}

impl Picture {
    pub(crate) fn new() -> Picture {
        Picture { out: String::new(), y: MARGIN }
    }

    /// A text on this line.
    pub(crate) fn text(&mut self, x: f64, class: &str, text: &str) {
        let wide = text.chars().count() as f64 * CHAR;
        if wide == 0.0 {
            return;
        }
        let y = self.y + 0.75 * LINE;
        let _ = writeln!(
            self.out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\" textLength=\"{wide:.1}\" \
             lengthAdjust=\"spacingAndGlyphs\">{}</text>",
            escape(text)
        );
    }

    /// A text in lines; what is drawn next stands below.
    pub(crate) fn paragraph(&mut self, x: f64, class: &str, text: &str) {
        let most = ((PAGE - MARGIN - x) / CHAR) as usize;
        let mut rest: Vec<char> = text.chars().collect();
        while !rest.is_empty() {
            // Between two words, where there are any.
            let whole = rest.len() <= most;
            let blank = rest.iter().take(most + 1).rposition(|c| *c == ' ').filter(|at| *at > 0);
            let end = if whole { rest.len() } else { blank.unwrap_or(most.max(1)) };
            let line: String = rest.drain(..end).collect();
            self.text(x, class, &line);
            self.y += LINE;
            if rest.first() == Some(&' ') {
                rest.remove(0);
            }
        }
    }

    /// A rectangle from this line on.
    pub(crate) fn rectangle(&mut self, class: &str, x: f64, width: f64, height: f64) {
        let y = self.y;
        let _ = writeln!(
            self.out,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height}\"/>"
        );
    }

    /// The whole picture, in this style beside the common one.
    pub(crate) fn finish(self, title: &str, style: &str) -> String {
        let height = (self.y + MARGIN).ceil();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{PAGE}\" height=\"{height}\" \
             viewBox=\"0 0 {PAGE} {height}\" role=\"img\" aria-labelledby=\"title\">\n\
             <title id=\"title\">{}</title>\n<style>{STYLE}{style}</style>\n{}</svg>\n",
            escape(title),
            self.out
        )
    }
}
