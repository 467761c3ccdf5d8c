//! How data flows to where it decides something.

use babycuda_core::syntax::{Contents, Program, Sources};
use babycuda_core::{Name, Site};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// A variable of an index, guard or bound whose value comes from an array.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct DataFlow {
    /// The variable that was read.
    pub variable: Name,
    /// The `let` that bound it.
    pub site: Site,
    /// The array.
    pub array: Name,
    /// Was it an atomic update, and the variable the value before it?
    pub atomic: bool,
    /// What the array holds.
    pub source: DataSource,
    /// When the index of that access was data in turn: one variable of it.
    pub index: Option<Arc<DataFlow>>,
    /// When the expression mentions not the variable but the counter of a loop that the variable
    /// bounds: that counter; then the counter of the loop around that gave its bound, and so on.
    pub counters: Vec<Counter>,
}

/// A loop and its counter.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Counter {
    /// The counter.
    pub variable: Name,
    /// The loop.
    pub site: Site,
}

/// What is known of the contents of an array that data came from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataSource {
    /// The host chose them freely and the program never writes them: every value is possible.
    HostChosen,
    /// The declaration gives them and the program never writes them.
    Declared,
    /// The program writes them.
    Written,
    /// A front end could not express them, or nothing declares the array.
    Opaque,
}

impl DataFlow {
    /// The flow into the counter of a loop, one of whose bounds this flows into.
    pub(super) fn into_counter(mut self, counter: Counter) -> DataFlow {
        self.counters.insert(0, counter);
        self
    }

    /// Was the value read in one of `inputs`, at an index of which the same is true?
    pub fn is_input(&self, inputs: &BTreeSet<Name>) -> bool {
        inputs.contains(&self.array)
            && self.index.as_deref().is_none_or(|index| index.is_input(inputs))
    }

    /// The variable that the index, guard or bound mentions.
    pub fn mentioned(&self) -> &Name {
        self.counters.first().map_or(&self.variable, |c| &c.variable)
    }

    /// The flow as a phrase, with positions in the source where they are known:
    /// `x, read from A at 3:5`.
    pub fn describe(&self, sources: &Sources) -> String {
        let mut text = String::new();
        for c in &self.counters {
            text += &format!(
                "{}, counter of the loop at {}, bounded by ",
                c.variable,
                sources.place(c.site)
            );
        }
        let how = if self.atomic { "updated atomically in" } else { "read from" };
        text += &format!("{}, {how} {} at {}", self.variable, self.array, sources.place(self.site));
        if let Some(index) = &self.index {
            text += &format!(", indexed by {}", index.describe(sources));
        }
        text
    }
}

impl DataSource {
    /// What is known of `array`, in a program that writes the arrays `written`.
    pub(super) fn of(program: &Program, written: &BTreeSet<Name>, array: &Name) -> DataSource {
        match program.array(array).map(|a| &a.contents) {
            None | Some(Contents::Opaque) => DataSource::Opaque,
            Some(_) if program.sources.open.contains(array) => DataSource::Opaque,
            Some(_) if written.contains(array) => DataSource::Written,
            Some(Contents::Any) => DataSource::HostChosen,
            Some(Contents::Undefined | Contents::Values(_) | Contents::Fill(_)) => {
                DataSource::Declared
            }
        }
    }
}

impl fmt::Display for DataFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(&Sources::default()))
    }
}
