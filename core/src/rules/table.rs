//! How the tables of rules are written.

/// Declares rules, judgment by judgment, and an enum of them where derivations cite them:
///
/// ```text
/// enum SemanticsRule;
/// COMMON by variant {
///     /// What the rule is about.
///     ThreadWrite = "thread/write": ["n ↓ j", "m ↓ k"] => "(R, W), A[n] := m ↓ (R, W[j ↦ k])" {
///         coq: …, lowering: …,
///     }
/// }
/// ```
///
/// `COMMON` is an entry with what the rules of a judgment have in common. The code that implements
/// a rule names it: `by variant` as `Rule::ThreadWrite`, `by id` as `thread/write`.
macro_rules! rules {
    (
        $($(#[$doc:meta])* enum $kind:ident;)?
        $($common:ident by $by:ident { $(
            $(#[$about:meta])*
            $rule:ident = $id:literal: [$($premise:literal),*] => $conclusion:literal {
                $($field:ident: $value:expr),* $(,)?
            }
        )* })*
    ) => {
        pub(super) static ENTRIES: &[Rule] = &[$($(Rule {
            id: $id,
            premises: &[$($premise),*],
            conclusion: $conclusion,
            rust: Item { text: rules!(@$by $rule $id), ..$common.rust },
            $($field: $value,)*
            ..$common
        },)*)*];

        rules! { @enum [$($(#[$doc])* $kind)?] $($($(#[$about])* $rule = $id,)*)* }
    };
    (@variant $rule:ident $id:literal) => { concat!("Rule::", stringify!($rule)) };
    (@id $rule:ident $id:literal) => { $id };
    (@enum [] $($rules:tt)*) => {};
    (
        @enum [$(#[$doc:meta])* $kind:ident]
        $($(#[$about:meta])* $rule:ident = $id:literal,)*
    ) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug,
            serde::Serialize, serde::Deserialize,
        )]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $kind {
            $($(#[$about])* #[serde(rename = $id)] $rule,)*
        }

        impl $kind {
            /// Every rule.
            pub const ALL: [$kind; [$($id),*].len()] = [$($kind::$rule),*];

            /// Its entry in the ledger.
            pub fn entry(self) -> &'static Rule {
                // Entries and variants stand in one order.
                &ENTRIES[self as usize]
            }

            /// The id: judgment and name.
            pub fn id(self) -> &'static str {
                self.entry().id
            }

            /// Is it printed in a paper, be it in another form?
            pub fn is_paper(self) -> bool {
                self.entry().is_printed()
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.id())
            }
        }
    };
}
