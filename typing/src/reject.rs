//! Why a program has no type.

use crate::Rule;
use babycuda_core::syntax::Sources;
use babycuda_core::{Name, Site, Span};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A premise of a typing rule that fails: the reason why a program is ill-typed.
///
/// Of several reasons it is the first in the order of the program text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[error("{}", self.describe(&Sources::default()))]
pub struct Rejection {
    /// The rule that would have to apply.
    pub rule: Rule,
    /// Which premise fails, from 1; its text is [`Rejection::premise_text`].
    pub premise: usize,
    /// Where the premise speaks of the variable.
    pub place: Place,
    /// The variable that the premise fails for; of several, the first by name.
    pub variable: Name,
    /// The statement that is rejected.
    pub site: Site,
    /// Why the premise fails.
    pub cause: Cause,
}

/// The part of a statement that a failing premise speaks of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// The index of an access.
    Index,
    /// The condition of an `if`.
    Guard,
    /// The lower bound of a loop.
    LowerBound,
    /// The upper bound of a loop.
    UpperBound,
    /// The variable that a `let` or a loop binds.
    Binder,
}

/// Why a premise fails.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The variable is data: a `let` bound it.
    Data(DataRead),
    /// Nothing binds the variable: it is neither in `V` nor a `let` variable.
    Unbound,
    /// The variable to be bound is in `V` already; the loop that put it there, or `None` when it
    /// was there from the start.
    AlreadyInContext(Option<Site>),
}

/// Where a variable became data. (Its own index is never data: `t-read` rejected that before.)
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DataRead {
    /// The array that was read.
    pub array: Name,
    /// The `let`.
    pub site: Site,
    /// Was it an atomic update?
    pub atomic: bool,
}

impl Rejection {
    /// The text of the premise that fails.
    pub fn premise_text(&self) -> &'static str {
        // The rule has the premise in every rejection that inference makes.
        self.rule.entry().premise(self.premise).unwrap_or_default()
    }

    /// Where the rejected statement stands.
    pub fn span(&self, sources: &Sources) -> Option<Span> {
        sources.spans.get(&self.site).copied()
    }

    /// The rejection as one line, with positions in the source where they are known:
    /// `t-write, premise 1: index mentions x, which is data: read from A at 3:5`.
    pub fn describe(&self, sources: &Sources) -> String {
        let place = self.place;
        let x = &self.variable;
        let reason = match &self.cause {
            Cause::Data(read) => {
                let how = if read.atomic { "updated atomically in" } else { "read from" };
                let (array, at) = (&read.array, sources.place(read.site));
                format!("{place} mentions {x}, which is data: {how} {array} at {at}")
            }
            Cause::Unbound => format!("{place} mentions {x}, which nothing binds"),
            Cause::AlreadyInContext(None) => {
                format!("{place} {x} is already a variable of the context")
            }
            Cause::AlreadyInContext(Some(site)) => {
                let at = sources.place(*site);
                format!("{place} {x} is already bound by the loop at {at}")
            }
        };
        format!("{}, premise {}: {reason}", self.rule.entry().name(), self.premise)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Place::Index => "index",
            Place::Guard => "guard",
            Place::LowerBound => "lower bound",
            Place::UpperBound => "upper bound",
            Place::Binder => "binder",
        })
    }
}
