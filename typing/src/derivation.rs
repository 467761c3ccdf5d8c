//! Typing derivations.

use crate::context::Context;
use crate::rule::Rule;
use babycuda_core::{Bool, Num, Protocol, Stmt};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a node of a typing derivation concludes (LCL22 Fig. 6 has these three judgments).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Judgment {
    /// `V ⊢ n`
    #[allow(missing_docs)]
    Num { context: Context, expression: Num },
    /// `V ⊢ c`
    #[allow(missing_docs)]
    Bool { context: Context, condition: Bool },
    /// `V ⊢ b ▶ u`
    #[allow(missing_docs)]
    Program {
        context: Context,
        program: Arc<Stmt>,
        protocol: Arc<Protocol>,
    },
}

/// A typing derivation: a rule, what it concludes, and derivations of its premises that are
/// judgments, in the rule's order. Premises on sets (`fv(n) ⊆ V`, `x ∉ V`) need no derivation.
///
/// Nothing vouches for a value of this type but [`check_derivation`](crate::check_derivation).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Derivation {
    /// The rule.
    pub rule: Rule,
    /// The conclusion.
    pub conclusion: Judgment,
    /// Derivations of the premises.
    pub premises: Vec<Derivation>,
}

impl Derivation {
    /// How many rule instances.
    pub fn size(&self) -> usize {
        self.nodes().count()
    }

    /// Every node with its depth, the root first, premises in order.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, &Derivation)> {
        let mut stack = vec![(0, self)];
        std::iter::from_fn(move || {
            let (depth, node) = stack.pop()?;
            stack.extend(node.premises.iter().rev().map(|p| (depth + 1, p)));
            Some((depth, node))
        })
    }

    /// Does the derivation use only rules of LCL22 Fig. 6?
    pub fn uses_paper_rules_only(&self) -> bool {
        self.nodes().all(|(_, node)| node.rule.is_paper())
    }
}
