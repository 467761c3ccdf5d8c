//! The rule ledger: every inference rule of every judgment, as data.
//!
//! Derivations, rejections and tables cite a rule by its [`Rule::id`] and a premise by its number,
//! from 1. Wherever a rule is printed, its text comes from here.
//!
//! ```
//! let rule = babycuda_core::rules::find("thread/write").unwrap();
//! assert_eq!(
//!     rule.to_string(),
//!     "            n ↓ j    m ↓ k
//! --------------------------------------- thread/write
//! (R, W), A[n] := m ↓_{H,i} (R, W[j ↦ k])"
//! );
//! ```
//!
//! A test holds the ledger to the source tree: no entry is blank, and every file, item, Coq
//! constructor and test that it names exists. In the other direction, every constructor of a
//! relation in `proofs/coq` belongs to a rule, with the exceptions that the test lists and gives
//! reasons for (`tests/tests/ledger/mechanization.rs`): relations that are no judgment of the
//! ledger (interleavings, stratified programs, what proofs walk along), and constructors that only
//! embed one judgment in another.

#[macro_use]
mod table;
mod grammar;
mod lastwrite;
mod map;
mod semantics;
mod typing;

pub use grammar::{GRAMMARS, Grammar};
pub use map::MapRule;
pub use semantics::SemanticsRule;
pub use typing::TypingRule;

use std::fmt;

/// Declares the judgments, each with what the ids of its rules start with, how it is written, and the section of the
/// book about it.
macro_rules! judgments {
    ($($(#[$doc:meta])* $judgment:ident $name:literal $form:literal $page:literal $heading:literal,)*) => {
        /// A judgment.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Judgment { $(#[doc = concat!("`", $form, "`")] $(#[$doc])* $judgment,)* }

        impl Judgment {
            /// All judgments.
            pub const ALL: [Judgment; [$($name),*].len()] = [$(Judgment::$judgment),*];

            /// What the ids of its rules start with.
            pub fn name(self) -> &'static str {
                match self { $(Judgment::$judgment => $name,)* }
            }

            /// How it is written.
            pub fn form(self) -> &'static str {
                match self { $(Judgment::$judgment => $form,)* }
            }

            /// The section of the book about it.
            pub const fn section(self) -> Item {
                match self {
                    $(Judgment::$judgment => Item {
                        file: concat!("book/src/", $page, ".md"),
                        text: concat!("## ", $heading),
                    },)*
                }
            }
        }
    };
}

judgments! {
    LastWrite "lastwrite" "lastwrite(j, H) = k" "semantics" "Looking up values",
    Thread "thread" "A, b ↓_{H,i} B" "semantics" "How to read a rule",
    Parallel "parallel" "P::H, b ↓ Q::H" "semantics" "All threads of a phase",
    Barrier "barrier" "A, k ⇓_{H,i} (B, s)" "semantics" "Barriers",
    Block "block" "H, k ⇓ outcome" "semantics" "Barriers",
    /// with `V ⊢ n` and `V ⊢ c`
    Type "type" "V ⊢ b ▶ u" "protocols" "The rules",
    Map "map" "u ↓ Λ" "protocols" "The rules of Λ",
}

impl Judgment {
    /// Its rules, in the ledger's order.
    pub fn rules(self) -> impl Iterator<Item = &'static Rule> {
        all().filter(move |rule| rule.judgment == self)
    }
}

/// Where a rule comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Printed in a paper, at this place.
    Printed(&'static str),
    /// Printed in a paper, at this place, in another form: what differs, and why both derive the
    /// same.
    Adapted(&'static str, &'static str),
    /// Ours, defined at this place.
    Ours(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Printed(place) => f.write_str(place),
            Source::Adapted(place, _) => write!(f, "{place}, adapted"),
            Source::Ours(place) => write!(f, "ours ({place})"),
        }
    }
}

/// A place in the source tree: a file, from the repository's root, and a text that is in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// The file.
    pub file: &'static str,
    /// What stands in it: an item's name, or the rule's id in a comment.
    pub text: &'static str,
}

const EXTENSION: Source = Source::Ours("THEORY §4");

const RELATIVE: Source = Source::Ours("THEORY T11");

/// Sections of the book about what is beyond the paper.
const WARPS: Item = extension("## Barriers of a warp");
const INPUTS: Item = extension("## Inputs that nobody writes");
const COUNTERS: Item = extension("## Counters");

const fn extension(heading: &'static str) -> Item {
    Item { file: "book/src/extensions.md", text: heading }
}

const NO_ATOMICS: Coq = Coq::NotMechanized("the mechanization has no atomic updates");

const NO_SCOPES: Coq =
    Coq::NotMechanized("runs by groups are mechanized for protocols, not for programs");

/// The compiler's case for a statement.
const fn compiled(text: &'static str) -> Option<Item> {
    Some(Item { file: "gpu/src/bytecode/compile.rs", text })
}

/// A line of the interpreter.
const fn interpreted(text: &'static str) -> Option<Item> {
    Some(Item { file: "gpu/kernels/interpreter.h", text })
}

/// A test: a file, from the repository's root, and the name of a function in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Test {
    /// The file.
    pub file: &'static str,
    /// The function.
    pub name: &'static str,
}

/// What a rule is in the mechanization, `proofs/coq`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coq {
    /// These constructors. Several, where the mechanization has a relation for one thread and one
    /// for all, or one without barriers and one with them.
    Constructors(&'static [Constructor]),
    /// A definition: the judgment has no other rule there.
    Definition(Item),
    /// Nothing, for this reason.
    NotMechanized(&'static str),
}

/// A constructor of an inductive relation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Constructor {
    /// The file, from the repository's root.
    pub file: &'static str,
    /// The relation.
    pub relation: &'static str,
    /// The constructor.
    pub name: &'static str,
}

/// An inference rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// `judgment/name`; the name is the paper's, where the paper prints the rule.
    pub id: &'static str,
    /// Of which judgment.
    pub judgment: Judgment,
    /// Where it comes from.
    pub source: Source,
    /// The premises, in the order in which they are numbered.
    pub premises: &'static [&'static str],
    /// The conclusion.
    pub conclusion: &'static str,
    /// The section of the book about it.
    pub section: Item,
    /// What implements it.
    pub rust: Item,
    /// What it is in the mechanization.
    pub coq: Coq,
    /// What lowers it to a device, for rules by which programs run: a case of the compiler to
    /// bytecode, or a line of the interpreter.
    pub lowering: Option<Item>,
    /// Tests in which it concludes.
    pub fires: &'static [Test],
    /// Tests with a case in which a premise fails, and the rule does not conclude: one for each
    /// premise that is not chosen ([`chooses`]), in their order, or one for all.
    pub refutes: &'static [Test],
}

/// Does the premise choose a value, and hold for any?
pub fn chooses(premise: &str) -> bool {
    premise.contains("∈ ℕ")
}

impl Rule {
    /// What our own rules of a judgment share, where they are implemented in this file.
    const fn of(judgment: Judgment, file: &'static str) -> Rule {
        Rule {
            id: "",
            judgment,
            source: EXTENSION,
            premises: &[],
            conclusion: "",
            section: judgment.section(),
            rust: Item { file, text: "" },
            coq: Coq::Constructors(&[]),
            lowering: None,
            fires: &[],
            refutes: &[],
        }
    }

    /// The name without the judgment: `for-1` of `thread/for-1`.
    pub fn name(&self) -> &'static str {
        self.id.split_once('/').map_or(self.id, |(_, name)| name)
    }

    /// Is it printed in a paper, be it in another form?
    pub(crate) fn is_printed(&self) -> bool {
        matches!(self.source, Source::Printed(_) | Source::Adapted(..))
    }

    /// What differs from the printed rule, and why both derive the same.
    pub fn adaptation(&self) -> Option<&'static str> {
        match self.source {
            Source::Adapted(_, why) => Some(why),
            Source::Printed(_) | Source::Ours(_) => None,
        }
    }

    /// Premise `number`, from 1.
    pub fn premise(&self, number: usize) -> Option<&'static str> {
        self.premises.get(number.checked_sub(1)?).copied()
    }
}

/// Premises, a line with the id, the conclusion.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let premises = self.premises.join("    ");
        let (above, below) = (premises.chars().count(), self.conclusion.chars().count());
        let width = above.max(below);
        if !premises.is_empty() {
            writeln!(f, "{:indent$}{premises}", "", indent = (width - above) / 2)?;
        }
        writeln!(f, "{} {}", "-".repeat(width), self.id)?;
        write!(f, "{:indent$}{}", "", self.conclusion, indent = (width - below) / 2)
    }
}

/// The rule with this id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// Every rule, judgment by judgment, each in the paper's order.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [lastwrite::ENTRIES, semantics::ENTRIES, typing::ENTRIES, map::ENTRIES].into_iter().flatten()
}
