//! Open conditionals.

use super::Reason;
use super::scope::Scope;
use std::collections::BTreeSet;

/// What is known of text in a branch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Branch {
    /// It is compiled, or taken to be.
    Live,
    /// It is not taken to be compiled, but may be.
    Maybe,
    /// It is not compiled.
    Dead,
}

/// An open conditional.
pub(super) struct Region {
    /// Its current branch.
    pub(super) branch: Branch,
    /// Has a branch been taken?
    pub(super) taken: bool,
    /// Are all later branches dead for certain?
    pub(super) settled: bool,
    /// Why it is not known which branch is compiled.
    pub(super) undecided: Option<Reason>,
    /// Where it starts in its file.
    pub(super) start: usize,
    /// Where it starts in the output.
    pub(super) output: usize,
    /// Is there text in it, besides directives?
    pub(super) has_text: bool,
    /// What was assumed to decide it.
    pub(super) assumed: BTreeSet<Reason>,
    /// Was text left out of it?
    pub(super) left_out: bool,
    /// The place among the declarations, for what is overlooked.
    pub(super) scope: Scope,
    /// The scope where it started.
    pub(super) outer: Scope,
}

/// The state of text in all open regions.
pub(super) fn state(regions: &[Region]) -> Branch {
    regions.iter().map(|r| r.branch).max().unwrap_or(Branch::Live)
}
