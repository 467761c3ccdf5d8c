//! The rules of the judgments.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Declares the rules with their ids.
macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident = $id:literal,)*) => {
        /// A rule of one of the judgments. Its [`id`](Rule::id) is `judgment/rule`; those of the
        /// judgments `thread` and `parallel` are LCL22's, but for `thread/atomic`.
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize,
        )]
        #[serde(into = "String", try_from = "String")]
        pub enum Rule { $($(#[$doc])* $rule,)* }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule,)*];

            /// The id: `thread/read`.
            pub fn id(self) -> &'static str {
                match self { $(Rule::$rule => $id,)* }
            }
        }
    };
}

rules! {
    /// LCL22 Fig. 5, read.
    ThreadRead = "thread/read",
    /// LCL22 Fig. 5, write.
    ThreadWrite = "thread/write",
    /// LCL22 Fig. 5, seq.
    ThreadSeq = "thread/seq",
    /// LCL22 Fig. 5, if-t.
    ThreadIfTrue = "thread/if-t",
    /// LCL22 Fig. 5, if-f.
    ThreadIfFalse = "thread/if-f",
    /// LCL22 Fig. 5, for-1.
    ThreadFor1 = "thread/for-1",
    /// LCL22 Fig. 5, for-2.
    ThreadFor2 = "thread/for-2",
    /// LCL22 Fig. 5, skip.
    ThreadSkip = "thread/skip",
    /// An atomic update (ours, THEORY §4).
    ThreadAtomic = "thread/atomic",
    /// LCL22 Fig. 5, par.
    Par = "parallel/par",
    /// Code without barriers runs to its end by the thread judgment.
    BarrierBlock = "barrier/block",
    /// A barrier stops the thread.
    BarrierSync = "barrier/sync",
    /// A read, with barriers behind it.
    BarrierRead = "barrier/read",
    /// An atomic update, with barriers behind it.
    BarrierAtomic = "barrier/atomic",
    /// The first statement ends, the second runs.
    BarrierSeq1 = "barrier/seq-1",
    /// The first statement stops at a barrier.
    BarrierSeq2 = "barrier/seq-2",
    /// A condition that holds.
    BarrierIfTrue = "barrier/if-t",
    /// A condition that does not hold.
    BarrierIfFalse = "barrier/if-f",
    /// A loop that is over.
    BarrierFor1 = "barrier/for-1",
    /// An iteration and the loop behind it.
    BarrierFor2 = "barrier/for-2",
    /// All threads end: so does the block.
    BlockEnds = "block/ends",
    /// All threads stop at one barrier: a new phase begins.
    BlockSyncs = "block/syncs",
    /// Two threads stop at different places.
    BlockDiverges = "block/diverges",
    /// Every thread starts the program with its own `tid`.
    BlockStart = "block/start",
}

impl Rule {
    /// Its entry in the ledger, which has its premises and their numbers.
    pub fn entry(self) -> Option<&'static babycuda_core::rules::Rule> {
        babycuda_core::rules::find(self.id())
    }

    /// Is it printed in LCL22 Fig. 5?
    pub fn is_paper(self) -> bool {
        self <= Rule::ThreadSkip || self == Rule::Par
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The text is no rule's id.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not the id of a rule of the semantics")]
pub struct NotARule(String);

impl FromStr for Rule {
    type Err = NotARule;
    fn from_str(text: &str) -> Result<Rule, NotARule> {
        let found = Rule::ALL.iter().find(|rule| rule.id() == text);
        found.copied().ok_or_else(|| NotARule(text.to_owned()))
    }
}

impl TryFrom<String> for Rule {
    type Error = NotARule;
    fn try_from(text: String) -> Result<Rule, NotARule> {
        text.parse()
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> String {
        rule.id().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn every_rule_is_in_the_ledger_and_read_back() {
        for rule in Rule::ALL {
            let entry = rule.entry();
            assert_eq!(entry.map(|entry| entry.id), Some(rule.id()));
            assert_eq!(entry.map(|entry| entry.is_printed()), Some(rule.is_paper()), "{rule}");
            assert_eq!(rule.id().parse(), Ok(*rule));
        }
        assert!("thread/none".parse::<Rule>().is_err());
    }
}
