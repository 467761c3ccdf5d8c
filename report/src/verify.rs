//! Is the derivation in a document one? For people and for programs.

use babycuda::protocols::map::{MapEvidence, check_map};
use babycuda::semantics::{RunEvidence, check_run};
use babycuda::typing::{TypeEvidence, check_type};
use babycuda_core::derivation::Rejected;
use babycuda_core::json::{Format, JsonError, format_of, from_json};
use serde_json::{Value, json};
use std::fmt::Display;

/// The longest message of a rejection: it may quote a program.
const MESSAGE: usize = 1000;

/// What came out.
#[derive(Clone, Debug)]
pub struct Verified {
    /// `run`, `type` or `map`.
    pub judgment: &'static str,
    /// What was verified; or which node is wrong.
    pub result: Result<String, Rejected<String>>,
}

/// A derivation that was read.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// Of a run.
    Run(Box<RunEvidence>),
    /// Of a type.
    Type(Box<TypeEvidence>),
    /// Of the accesses of a protocol.
    Map(Box<MapEvidence>),
}

impl Evidence {
    /// Reads a document.
    ///
    /// # Errors
    /// [`JsonError`] when the text is no document of a derivation.
    pub fn read(text: &str) -> Result<Evidence, JsonError> {
        Ok(match format_of(text)?.as_str() {
            RunEvidence::NAME => Evidence::Run(Box::new(from_json(text)?)),
            MapEvidence::NAME => Evidence::Map(Box::new(from_json(text)?)),
            // Any other format is refused here, with its name.
            _ => Evidence::Type(Box::new(from_json(text)?)),
        })
    }

    /// Checks the derivation.
    pub fn verify(&self) -> Verified {
        match self {
            Evidence::Run(run) => Verified::new("run", run.summary(), check_run(run)),
            Evidence::Type(of) => Verified::new("type", of.summary(), check_type(of)),
            Evidence::Map(map) => Verified::new("map", map.summary(), check_map(map)),
        }
    }
}

/// Checks the derivation of a document.
///
/// # Errors
/// [`JsonError`] when the text is no document of a derivation.
pub fn verify(text: &str) -> Result<Verified, JsonError> {
    Ok(Evidence::read(text)?.verify())
}

impl Verified {
    fn new(
        judgment: &'static str,
        summary: String,
        checked: Result<(), Rejected<impl Display, impl Display>>,
    ) -> Verified {
        let result = checked.map(|()| summary);
        let result = result.map_err(|Rejected { path, rule, premise, defect }| Rejected {
            path,
            rule: rule.to_string(),
            premise,
            defect: cut(defect),
        });
        Verified { judgment, result }
    }

    /// One line for people.
    pub fn human(&self) -> String {
        match &self.result {
            Ok(summary) => format!("verified: {summary}"),
            Err(rejected) => format!("rejected: {rejected}"),
        }
    }

    /// For programs; `file` is the document's path.
    pub fn document(&self, file: &str) -> Value {
        let rejection = self.result.as_ref().err().map(|rejected| {
            let Rejected { path, rule, premise, defect } = rejected;
            json!({ "node": path, "rule": rule, "premise": premise, "expected": defect })
        });
        json!({
            "version": 1, "file": file, "judgment": self.judgment,
            "verified": self.result.is_ok(), "summary": self.result.as_ref().ok(),
            "rejection": rejection,
        })
    }
}

/// The beginning of a message.
pub fn cut(message: impl ToString) -> String {
    let message = message.to_string();
    match message.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{} …", &message[..end]),
        None => message,
    }
}
