//! What derivations of all judgments share: the order of their nodes, and how a checker walks them
//! and says which is wrong. What a node must say is the business of each checker alone.

use crate::expr::{Bool, Num};
use crate::history::Cell;
use crate::natural::Natural;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;

/// A premise of a rule instance, of runs and of protocols; `D` stands for the derivation of a
/// judgment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Premise"))]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
#[allow(missing_docs)]
pub enum Premise<D> {
    /// A judgment, derived.
    Derived(D),
    /// `n ↓ k`
    Value { expression: Num, value: Natural },
    /// `c ↓ true` or `c ↓ false`
    Truth { condition: Bool, value: bool },
    /// `lastwrite(j, {i:A} :: H) = k`, with `A`, `H` and `i` of the conclusion; of a protocol, which
    /// has no history, `H0(j) = k`: what the host stored.
    LastWrite { cell: Cell, value: Natural },
    /// `k ∈ ℕ`: the value that an atomic update of the cell yields; without a cell, the value of an
    /// `any`, of the type of the variable.
    Chosen {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cell: Option<Cell>,
        value: Natural,
    },
}

impl<D> Premise<D> {
    /// The same premise with something else for the derivation.
    ///
    /// # Errors
    /// Those of `f`.
    pub fn with<E, X>(&self, f: impl FnOnce(&D) -> Result<E, X>) -> Result<Premise<E>, X> {
        Ok(match self {
            Premise::Derived(derivation) => Premise::Derived(f(derivation)?),
            Premise::Value { expression, value } => {
                Premise::Value { expression: expression.clone(), value: value.clone() }
            }
            Premise::Truth { condition, value } => {
                Premise::Truth { condition: condition.clone(), value: *value }
            }
            Premise::LastWrite { cell, value } => {
                Premise::LastWrite { cell: cell.clone(), value: value.clone() }
            }
            Premise::Chosen { cell, value } => {
                Premise::Chosen { cell: cell.clone(), value: value.clone() }
            }
        })
    }
}

/// A node of a derivation: an instance of a rule.
pub trait Node: Sized {
    /// What names the rules.
    type Rule: Copy + fmt::Display;

    /// The rule.
    fn rule(&self) -> Self::Rule;

    /// The derivations of those premises that are judgments, each with the premise's position.
    fn derived(&self) -> impl DoubleEndedIterator<Item = (usize, &Self)>;
}

/// Where a derivation is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("node /{}, rule {rule}, {}: {defect}", way(.path), place(*.premise))]
pub struct Rejected<R, D = String>
where
    R: fmt::Display,
    D: fmt::Display,
{
    /// The way from the root to the node: positions among the premises, from 0.
    pub path: Vec<usize>,
    /// The rule of the node.
    pub rule: R,
    /// The premise of the rule that fails, by its number in the ledger ([`rules`](crate::rules)),
    /// from 1; `None`: the rule has no such conclusion, or there are too many premises.
    pub premise: Option<usize>,
    /// What is wrong, or what was expected.
    pub defect: D,
}

fn way(path: &[usize]) -> String {
    path.iter().map(usize::to_string).collect::<Vec<_>>().join("/")
}

fn place(premise: Option<usize>) -> String {
    premise.map_or("conclusion".to_owned(), |number| format!("premise {number}"))
}

impl<R: fmt::Display, D: fmt::Display> Rejected<R, D> {
    /// The root is rejected for what it concludes.
    pub fn root(node: &impl Node<Rule = R>, defect: D) -> Rejected<R, D> {
        Rejected { path: Vec::new(), rule: node.rule(), premise: None, defect }
    }
}

/// What is wrong with a node.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Fault<D = String> {
    pub premise: Option<usize>,
    pub defect: D,
}

impl<D> Fault<D> {
    /// In a premise, by its number.
    pub fn premise(number: usize, defect: impl Into<D>) -> Fault<D> {
        Fault { premise: Some(number), defect: defect.into() }
    }

    /// In the conclusion, or in the number of premises.
    pub fn conclusion(defect: impl Into<D>) -> Fault<D> {
        Fault { premise: None, defect: defect.into() }
    }
}

/// Every node once, with its depth, the root first, premises in order.
pub fn nodes<N: Node>(root: &N) -> impl Iterator<Item = (usize, &N)> {
    let mut seen = HashSet::new();
    let mut pending = vec![(0, root)];
    std::iter::from_fn(move || {
        loop {
            let (depth, node) = pending.pop()?;
            if seen.insert(std::ptr::from_ref(node)) {
                pending.extend(node.derived().rev().map(|(_, child)| (depth + 1, child)));
                return Some((depth, node));
            }
        }
    })
}

/// Looks at every node by itself.
///
/// # Errors
/// [`Rejected`] names the first node in pre-order that is not `right`.
pub fn check<N: Node, D: fmt::Display>(
    root: &N,
    right: impl Fn(&N) -> Result<(), Fault<D>>,
) -> Result<(), Rejected<N::Rule, D>> {
    let mut seen = HashSet::new();
    // The way to a node: its position, and the index of its parent's entry.
    let mut ways = vec![(0, 0)];
    let mut pending = vec![(root, 0)];
    while let Some((node, way)) = pending.pop() {
        if !seen.insert(std::ptr::from_ref(node)) {
            continue;
        }
        if let Err(Fault { premise, defect }) = right(node) {
            return Err(Rejected { path: path(&ways, way), rule: node.rule(), premise, defect });
        }
        for (position, child) in node.derived().rev() {
            ways.push((position, way));
            pending.push((child, ways.len() - 1));
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
