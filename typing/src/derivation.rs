//! Typing derivations.

use crate::Rule;
use crate::context::Context;
use babycuda_core::derivation;
use babycuda_core::{Bool, Num, Protocol, Stmt};
use std::fmt;
use std::sync::Arc;

/// What a node of a typing derivation concludes (LCL22 Fig. 6 has these three judgments).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgment {
    /// `V ⊢ n`
    #[allow(missing_docs)]
    Num { context: Context, expression: Num },
    /// `V ⊢ c`
    #[allow(missing_docs)]
    Bool { context: Context, condition: Bool },
    /// `V ⊢ b ▶ u`
    #[allow(missing_docs)]
    Program { context: Context, program: Arc<Stmt>, protocol: Arc<Protocol> },
}

/// A typing derivation: a rule, what it concludes, and derivations of its premises that are
/// judgments, in the rule's order. Premises on sets (`fv(n) ⊆ V`, `x ∉ V`) need no derivation.
///
/// Nothing vouches for a value of this type but [`check_derivation`](crate::check_derivation).
#[derive(Clone, PartialEq, Eq, Debug)]
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
        derivation::nodes(self)
    }
}

impl derivation::Node for Derivation {
    type Rule = Rule;

    fn rule(&self) -> Rule {
        self.rule
    }

    fn derived(&self) -> impl DoubleEndedIterator<Item = (usize, &Derivation)> {
        self.premises.iter().enumerate()
    }
}

impl Drop for Derivation {
    /// Level by level: a derivation is as deep as its program is long.
    fn drop(&mut self) {
        let mut open = std::mem::take(&mut self.premises);
        while let Some(mut node) = open.pop() {
            open.append(&mut node.premises);
        }
    }
}

impl fmt::Display for Judgment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Judgment::Num { context, expression } => write!(f, "{context} ⊢ {expression}"),
            Judgment::Bool { context, condition } => write!(f, "{context} ⊢ {condition}"),
            Judgment::Program { context, program, protocol } => {
                write!(f, "{context} ⊢ {program} ▶ {protocol}")
            }
        }
    }
}
