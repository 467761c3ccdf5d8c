//! What comes of an answer: that it is right, or the first wrong step and why.

use crate::exercise::Exercise;
use babycuda_core::Span;
use babycuda_core::parse::ParseError;
use babycuda_core::rules;
use serde_json::{Value, json};
use std::fmt::Write;

/// What a checker says: what was shown, or what is wrong.
pub type Judged = Result<String, Box<Fault>>;

/// The grade of one answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grade {
    /// The exercise's id.
    pub exercise: String,
    /// Its title.
    pub title: String,
    /// The name of its kind.
    pub kind: &'static str,
    /// What was shown; or the first wrong step.
    pub result: Judged,
}

/// A place in an answer, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

/// The first wrong step of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Is it no answer at all: not readable, or beyond a limit?
    pub refused: bool,
    /// The step that is wrong, in a few words that stay the same whatever the answer is.
    pub step: String,
    /// Where it stands in the answer, where that is known.
    pub place: Option<Place>,
    /// Why it is wrong.
    pub why: String,
    /// What would be right, in the words of the rule, where there is one thing that would.
    pub expected: Option<String>,
    /// The rule of the ledger that says so.
    pub rule: Option<&'static str>,
}

impl Fault {
    /// A step that is wrong.
    pub fn wrong(step: impl Into<String>, why: impl Into<String>) -> Box<Fault> {
        let (step, why) = (step.into(), cut(why.into()));
        Box::new(Fault { refused: false, step, place: None, why, expected: None, rule: None })
    }

    /// No answer at all.
    pub fn refused(step: impl Into<String>, why: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { refused: true, ..*Fault::wrong(step, why) })
    }

    /// A text that is not in its language.
    pub fn syntax(error: &ParseError) -> Box<Fault> {
        Fault::refused("the answer can be read", error.kind.to_string()).at(error.span)
    }

    /// With its place.
    #[must_use]
    pub fn at(mut self: Box<Fault>, place: impl Into<Place>) -> Box<Fault> {
        self.place = Some(place.into());
        self
    }

    /// With what would be right.
    #[must_use]
    pub fn expecting(mut self: Box<Fault>, expected: impl Into<String>) -> Box<Fault> {
        self.expected = Some(cut(expected.into()));
        self
    }

    /// With the rule of this id.
    #[must_use]
    pub fn by(mut self: Box<Fault>, rule: &str) -> Box<Fault> {
        self.rule = rules::find(rule).map(|rule| rule.id);
        self
    }
}

/// The longest message: it may quote an answer.
const MESSAGE: usize = 1000;

/// The beginning of a message.
fn cut(message: String) -> String {
    match message.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{} …", &message[..end]),
        None => message,
    }
}

impl From<Span> for Place {
    fn from(span: Span) -> Place {
        Place { line: span.line, column: span.column }
    }
}

impl From<u32> for Place {
    fn from(line: u32) -> Place {
        Place { line, column: 1 }
    }
}

impl Grade {
    /// The grade of an answer.
    pub fn of(exercise: &Exercise, result: Judged) -> Grade {
        let (id, title) = (exercise.id.clone(), exercise.title.clone());
        let result = result.map(cut);
        Grade { exercise: id, title, kind: exercise.kind.name(), result }
    }

    /// `passed`, `wrong` or `refused`.
    pub fn status(&self) -> &'static str {
        match &self.result {
            Ok(_) => "passed",
            Err(fault) if fault.refused => "refused",
            Err(_) => "wrong",
        }
    }

    /// The exit status of a program: 0 passed, 1 wrong, 2 refused.
    pub fn exit(&self) -> u8 {
        match self.status() {
            "passed" => 0,
            "wrong" => 1,
            _ => 2,
        }
    }

    /// For people.
    pub fn human(&self) -> String {
        let mut text = format!("{}: {} ({})\n", self.status(), self.title, self.exercise);
        // Writing into a text does not fail.
        let _ = match &self.result {
            Ok(shown) => writeln!(text, "  {shown}"),
            Err(fault) => {
                let at = fault.place.map_or(String::new(), |at| format!(" (line {})", at.line));
                let _ = writeln!(text, "  first wrong step: {}{at}", fault.step);
                let _ = writeln!(text, "  why: {}", fault.why);
                if let Some(expected) = &fault.expected {
                    let _ = writeln!(text, "  expected: {expected}");
                }
                match fault.rule.and_then(rules::find) {
                    Some(rule) => {
                        writeln!(text, "  rule {}:\n{}", rule.id, indented(&rule.to_string()))
                    }
                    None => Ok(()),
                }
            }
        };
        text
    }

    /// For programs: `schemas/cli-grade.json`.
    pub fn document(&self) -> Value {
        let fault = self.result.as_ref().err().map(|fault| {
            json!({
                "step": fault.step, "line": fault.place.map(|at| at.line),
                "column": fault.place.map(|at| at.column), "why": fault.why,
                "expected": fault.expected, "rule": fault.rule,
            })
        });
        json!({
            "version": 1, "exercise": self.exercise, "title": self.title, "kind": self.kind,
            "status": self.status(), "score": u8::from(self.result.is_ok()),
            "shown": self.result.as_ref().ok(), "fault": fault,
        })
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
