//! A checker of derivations that trusts no evaluator.
//!
//! It looks at every node by itself: the conclusion must have the shape that the rule concludes,
//! and the premises must be exactly the rule's, in its order. What a premise must say is computed
//! from the conclusion and the premises before it. Only the evaluation of expressions is shared with
//! the evaluators: `lastwrite` is the checker's own, and instead of substituting it walks terms
//! side by side ([`babycuda_core::instance`]).

mod barriers;
mod blocks;
mod code;
mod evidence;
mod lastwrite;
mod premises;
mod thread;

pub use evidence::check_run;

use crate::Rule;
use crate::derivation::{Derivation, Judgment, Premise};
use premises::Premises;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Where a derivation is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejected {
    /// The way from the root to the node: positions among the premises, from 0.
    pub path: Vec<usize>,
    /// The rule of the node.
    pub rule: Rule,
    /// The premise of the rule that fails, by its number in the ledger (`babycuda_core::rules`),
    /// from 1; `None`: the conclusion is none of the rule's, or there are premises too many.
    pub premise: Option<usize>,
    /// What was expected.
    pub expected: String,
}

impl std::error::Error for Rejected {}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("node /")?;
        for (n, position) in self.path.iter().enumerate() {
            write!(f, "{}{position}", if n == 0 { "" } else { "/" })?;
        }
        write!(f, ", rule {}", self.rule)?;
        match self.premise {
            Some(number) => write!(f, ", premise {number}")?,
            None => f.write_str(", conclusion")?,
        }
        write!(f, ": {}", self.expected)
    }
}

/// What is wrong with a node: the premise, and what was expected.
struct Fault {
    premise: Option<usize>,
    expected: String,
}

impl Fault {
    fn premise(number: usize, expected: impl Into<String>) -> Fault {
        Fault { premise: Some(number), expected: expected.into() }
    }

    fn conclusion(expected: impl Into<String>) -> Fault {
        Fault { premise: None, expected: expected.into() }
    }
}

/// Checks every node of a derivation.
///
/// # Errors
/// [`Rejected`] names the first wrong node in pre-order.
pub fn check_derivation(derivation: &Derivation) -> Result<(), Rejected> {
    let mut seen: HashSet<*const Derivation> = HashSet::new();
    // The way to a node: its position, and the index of its parent's entry.
    let mut ways: Vec<(usize, usize)> = vec![(0, 0)];
    let mut pending = vec![(derivation, 0)];
    while let Some((node, way)) = pending.pop() {
        if !seen.insert(std::ptr::from_ref(node)) {
            continue;
        }
        if let Err(Fault { premise, expected }) = check_node(node) {
            let path = path(&ways, way);
            return Err(Rejected { path, rule: node.rule, premise, expected });
        }
        for (position, premise) in node.premises.iter().enumerate().rev() {
            if let Premise::Derived(child) = premise {
                ways.push((position, way));
                pending.push((Arc::as_ref(child), ways.len() - 1));
            }
        }
    }
    Ok(())
}

/// The positions from the root to the node with this way.
fn path(ways: &[(usize, usize)], mut way: usize) -> Vec<usize> {
    let mut path = Vec::new();
    while way != 0 {
        let (position, parent) = ways[way];
        path.push(position);
        way = parent;
    }
    path.reverse();
    path
}

fn check_node(node: &Derivation) -> Result<(), Fault> {
    let mut premises = Premises::of(node);
    match &node.conclusion {
        Judgment::Thread(j) => thread::check(node.rule, j, &mut premises)?,
        Judgment::ToBarrier(j) => barriers::check(node.rule, j, &mut premises)?,
        Judgment::Parallel(j) => blocks::check_parallel(node.rule, j, &mut premises)?,
        Judgment::Block(j) => blocks::check_block(node.rule, j, &mut premises)?,
        Judgment::Program(j) => blocks::check_program(node.rule, j, &mut premises)?,
    }
    premises.end()
}
