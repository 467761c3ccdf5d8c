//! Where programs come from: places in the source, and what a front end left out.

#[cfg(doc)]
use super::Program;
use super::{ArrayDecl, BarrierScope, Stmt};
use crate::expr::{Bool, Num};
use crate::machine::IntType;
use crate::name::Name;
use crate::site::{Site, Span};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Where sites stand in the source text.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sources {
    /// The file, when there is one.
    pub file: Option<String>,
    /// The parser that read it, where it is not the one that is built in. Not a part of documents.
    #[serde(skip)]
    pub parser: Option<String>,
    /// The span of each site.
    pub spans: BTreeMap<Site, Span>,
    /// Where the assumptions over contents stand, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents_assumed: Vec<Span>,
    /// The reads that stand for signed overflow, each with the operations it stands for (THEORY
    /// §4): a thread that gets there is stuck.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub overflows: BTreeMap<Site, Vec<Span>>,
    /// Signed operations on data that decides no access: no thread stops at them, and data is taken
    /// to make none of them overflow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unstopped: Vec<Span>,
    /// The other reads at which a front end stops a thread, each with why, in words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stops: BTreeMap<Site, String>,
    /// What [`Program::stopping`] is made of; `None`: no stop was left out, or none can be said.
    /// Not a part of documents.
    #[serde(skip)]
    pub stopping: Option<Arc<Stopping>>,
    /// Is the program the translation of a kernel that is written in CUDA C or OpenCL C? Then
    /// barriers of warps let threads pass that come to others, or whose other lanes have ended: a
    /// divergence there is one of the calculus alone. And what is declared of the launch is in the
    /// text, too: [`Settings`](crate::Settings) do not change it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub translated: bool,
    /// Arrays that nobody stores in: they hold numbers that are the same for all threads that read them, and that a
    /// front end could not express. So not every value need be possible, and a race that needs a particular one is
    /// never proved.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub open: BTreeSet<Name>,
    /// Are some of its assumptions what the kernel requires itself? They hold with contracts only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Assumptions in the words of whoever stated them. Not a part of documents.
    #[serde(skip)]
    pub stated: Vec<(Bool, String)>,
    /// Likewise those over contents, by their numbers. Not a part of documents.
    #[serde(skip)]
    pub stated_of_contents: BTreeMap<usize, String>,
    /// The variables of the source that loops count, by the loops. Not a part of documents.
    #[serde(skip)]
    pub counted: BTreeMap<Site, Counted>,
    /// How the source indexes the arrays that it has; other arrays stand for what has no name there.
    /// Empty: the program is its own source. Not a part of documents.
    #[serde(skip)]
    pub shapes: BTreeMap<Name, Shape>,
}

/// A variable of the source that a loop counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: IntType,
    /// The counter of the loop.
    pub counter: Name,
    /// The variable's value while the counter has its own.
    pub value: Num,
}

/// How the source indexes an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Not at all: it is one variable.
    Scalar,
    /// By one index, and one below each of these extents: `As[8][4]` has `[4]`.
    Array(Vec<u64>),
    /// By indices that are not those of its cells: it is accessed at several types.
    Cells,
}

/// A body with stops that the program's own leaves out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopping {
    /// The body, with the program's sites.
    pub body: Stmt,
    /// Its arrays.
    pub arrays: Vec<ArrayDecl>,
    /// Its [`Sources::overflows`].
    pub overflows: BTreeMap<Site, Vec<Span>>,
}

impl Sources {
    /// Where a statement stands in the source, or else its site.
    pub fn place(&self, site: Site) -> String {
        self.spans.get(&site).map_or_else(|| site.to_string(), Span::to_string)
    }

    /// Why threads that diverge at a barrier of this scope need not be a divergence of what the
    /// program stands for, where they need not.
    pub fn lets_pass(&self, scope: BarrierScope) -> Option<&'static str> {
        (self.translated && scope < BarrierScope::Block).then_some(
            "lanes of a warp come to different barriers of it, or end before: CUDA lets the others \
             pass then, the calculus does not",
        )
    }

    /// An assumption as it was stated, or else as the calculus has it.
    pub fn said(&self, assumption: &Bool) -> String {
        let stated = self.stated.iter().find(|(known, _)| known == assumption);
        stated.map_or_else(|| assumption.to_string(), |(_, text)| text.clone())
    }
}

/// Something that a front end assumed or simplified, with its place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Note {
    /// What.
    pub message: String,
    /// Where.
    pub span: Option<Span>,
}
