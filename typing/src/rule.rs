//! The rules of the judgments `V ⊢ n`, `V ⊢ c` and `V ⊢ b ▶ u` (LCL22 Fig. 6), and ours.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A typing rule. The first eight are printed in LCL22 Fig. 6, in its order; the others extend
/// them to barriers, synchronized loops and atomics (THEORY §4).
///
/// Several arrays need no rule of their own: the calculus of LCL22 is the projection of a program
/// to one array, and every rule carries the array's name from program to protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TypingRule"))]
pub enum Rule {
    /// `t-n`: an expression may mention only variables of `V`.
    #[serde(rename = "type/t-n")]
    N,
    /// `t-b`: a condition may mention only variables of `V`.
    #[serde(rename = "type/t-b")]
    B,
    /// `t-write`
    #[serde(rename = "type/t-write")]
    Write,
    /// `t-read`: the variable that is bound never enters `V`.
    #[serde(rename = "type/t-read")]
    Read,
    /// `t-seq`
    #[serde(rename = "type/t-seq")]
    Seq,
    /// `t-if`
    #[serde(rename = "type/t-if")]
    If,
    /// `t-for`: the loop variable joins `V` in the body.
    #[serde(rename = "type/t-for")]
    For,
    /// `t-skip`
    #[serde(rename = "type/t-skip")]
    Skip,
    /// `t-sync` (ours): a barrier is always well-typed.
    #[serde(rename = "type/t-sync")]
    Sync,
    /// `t-for-s` (ours): `t-for` for synchronized loops.
    #[serde(rename = "type/t-for-s")]
    ForS,
    /// `t-atomic` (ours): `t-read` for atomic updates; what the update does is unconstrained.
    #[serde(rename = "type/t-atomic")]
    Atomic,
}

impl Rule {
    /// Every rule, in the paper's order, then ours.
    pub const ALL: [Rule; 11] = [
        Rule::N,
        Rule::B,
        Rule::Write,
        Rule::Read,
        Rule::Seq,
        Rule::If,
        Rule::For,
        Rule::Skip,
        Rule::Sync,
        Rule::ForS,
        Rule::Atomic,
    ];

    /// The identity in the rule ledger: `type/t-write`.
    pub fn id(self) -> &'static str {
        match self {
            Rule::N => "type/t-n",
            Rule::B => "type/t-b",
            Rule::Write => "type/t-write",
            Rule::Read => "type/t-read",
            Rule::Seq => "type/t-seq",
            Rule::If => "type/t-if",
            Rule::For => "type/t-for",
            Rule::Skip => "type/t-skip",
            Rule::Sync => "type/t-sync",
            Rule::ForS => "type/t-for-s",
            Rule::Atomic => "type/t-atomic",
        }
    }

    /// The name as LCL22 prints it: `t-write`.
    pub fn name(self) -> &'static str {
        self.id().trim_start_matches("type/")
    }

    /// The premises, in the order of the paper; premise 1 is the first.
    pub fn premises(self) -> &'static [&'static str] {
        match self {
            Rule::N => &["fv(n) ⊆ V"],
            Rule::B => &["fv(c) ⊆ V"],
            Rule::Write => &["V ⊢ n"],
            Rule::Read | Rule::Atomic => &["V ⊢ n", "y ∉ V", "V ⊢ b ▶ u"],
            Rule::Seq => &["V ⊢ b1 ▶ u1", "V ⊢ b2 ▶ u2"],
            Rule::If => &["V ⊢ c", "V ⊢ b1 ▶ u1", "V ⊢ b2 ▶ u2"],
            Rule::For | Rule::ForS => &["V ⊢ n", "V ⊢ m", "x ∉ V", "V ∪ {x} ⊢ b ▶ u"],
            Rule::Skip | Rule::Sync => &[],
        }
    }

    /// The conclusion.
    pub fn conclusion(self) -> &'static str {
        match self {
            Rule::N => "V ⊢ n",
            Rule::B => "V ⊢ c",
            Rule::Write => "V ⊢ A[n] := m ▶ wr A[n]",
            Rule::Read => "V ⊢ let y = A[n] in b ▶ rd A[n]; u",
            Rule::Seq => "V ⊢ b1; b2 ▶ u1; u2",
            Rule::If => "V ⊢ if c {b1} else {b2} ▶ if c {u1} else {u2}",
            Rule::For => "V ⊢ forU x in n..m {b} ▶ forU x in n..m {u}",
            Rule::Skip => "V ⊢ skip ▶ skip",
            Rule::Sync => "V ⊢ sync ▶ sync",
            Rule::ForS => "V ⊢ forS x in n..m {b} ▶ forS x in n..m {u}",
            Rule::Atomic => "V ⊢ let y = atomic A[n] ⋆ m in b ▶ at A[n]; u",
        }
    }

    /// Is the rule printed in LCL22 Fig. 6?
    pub fn is_paper(self) -> bool {
        !matches!(self, Rule::Sync | Rule::ForS | Rule::Atomic)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
