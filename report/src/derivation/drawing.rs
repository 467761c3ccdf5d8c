//! A derivation as it is drawn: judgments, rules and premises, whatever the medium and whatever is
//! derived. Every renderer takes this and nothing else.

use super::formula::Formula;
use super::notation::Notation;
use babycuda_core::derivation;
use babycuda_core::rules::Rule;
use std::collections::{HashMap, HashSet};

/// A derivation, drawn: a tree of rule instances whose equal parts are one.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// What it derives, in a line.
    pub(super) title: String,
    /// What a reader must know beside: what was chosen, or why the tree stops.
    pub(super) notes: Vec<String>,
    /// The nodes, the root first.
    pub(super) nodes: Vec<Node>,
    /// What names stand for: `H0`, `[∅]`.
    pub(super) legend: Vec<(String, Formula)>,
    /// Does indented text leave out the judgment in the names of rules?
    pub(super) brief: bool,
    /// Does indented text leave out side conditions?
    pub(super) bare: bool,
}

/// A rule instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub(super) rule: &'static Rule,
    pub(super) conclusion: Formula,
    pub(super) premises: Vec<Premise>,
    /// What stands for the letters of the rule.
    pub(super) bindings: Vec<(String, Formula)>,
    /// Does the tree stop above it?
    pub(super) stopped: bool,
}

/// A premise of a rule instance.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Premise {
    /// Which of the rule's it is, from 1.
    pub(super) number: usize,
    pub(super) given: Given,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Given {
    /// A side condition.
    Side(Formula),
    /// A judgment, derived by a node; of which thread, where there is one for each.
    Derived(usize, Option<u64>),
    /// Judgments of several threads, whose derivations are the same but for numbers.
    Family(usize, Vec<u64>),
    /// What does not hold, and why.
    Fails(Formula, String),
    /// What was not looked at, since a premise before it does not hold.
    Unseen(Formula),
    /// So many derivations that are not drawn.
    Omitted(usize),
}

/// What a derivation says of its nodes.
pub(super) trait Source: derivation::Node {
    fn entry(&self) -> &'static Rule;
    fn conclusion(&self, notation: &mut Notation) -> Formula;
    /// The premises, derivations as [`Part::Child`] in the order of `derived`.
    fn parts(&self, notation: &mut Notation) -> Vec<(usize, Part)>;
    fn bindings(&self, notation: &mut Notation) -> Vec<(String, Formula)>;
}

/// A premise before its derivation has a place among the nodes.
pub(super) enum Part {
    Side(Formula),
    /// The next derivation; of which thread.
    Child(Option<u64>),
}

impl Drawing {
    /// The same with what it derives, in a line, and what must be known beside.
    #[must_use]
    pub fn titled(self, title: String, notes: Vec<String>) -> Drawing {
        Drawing { title, notes, ..self }
    }

    /// The nodes nearest to the root, at most so many. A derivation that is shared is drawn once.
    pub(super) fn of<S: Source>(root: &S, most: usize, notation: &mut Notation) -> Drawing {
        let mut drawing = Drawing::default();
        drawing.add(root, most, notation);
        drawing.legend = notation.legend();
        drawing
    }

    /// Adds a derivation's nodes; the place of its root.
    pub(super) fn add<S: Source>(
        &mut self,
        root: &S,
        most: usize,
        notation: &mut Notation,
    ) -> usize {
        let kept = nearest(root, most.saturating_sub(self.nodes.len()));
        let first = self.nodes.len();
        let mut places = HashMap::from([(std::ptr::from_ref(root), first)]);
        self.nodes.push(Node::empty(root.entry()));
        // A parent is drawn before its children, these in order: so histories get their names.
        let mut pending = vec![root];
        let mut seen = HashSet::new();
        while let Some(node) = pending.pop() {
            let place = places[&std::ptr::from_ref(node)];
            if !seen.insert(place) {
                continue;
            }
            let conclusion = node.conclusion(notation);
            let parts = node.parts(notation);
            let mut children = node.derived().map(|(_, child)| child);
            let mut premises: Vec<Premise> = Vec::new();
            let mut next = Vec::new();
            for (number, part) in parts {
                let given = match part {
                    Part::Side(formula) => Given::Side(formula),
                    Part::Child(thread) => {
                        let Some(child) = children.next() else { continue };
                        let key = std::ptr::from_ref(child);
                        if !kept.contains(&key) {
                            if let Some(Premise { given: Given::Omitted(n), .. }) =
                                premises.last_mut()
                            {
                                *n += 1;
                                continue;
                            }
                            premises.push(Premise { number, given: Given::Omitted(1) });
                            continue;
                        }
                        let place = *places.entry(key).or_insert_with(|| {
                            self.nodes.push(Node::empty(child.entry()));
                            self.nodes.len() - 1
                        });
                        next.push(child);
                        Given::Derived(place, thread)
                    }
                };
                premises.push(Premise { number, given });
            }
            let bindings = node.bindings(notation);
            let rule = node.entry();
            self.nodes[place] = Node { rule, conclusion, premises, bindings, stopped: false };
            pending.extend(next.into_iter().rev());
        }
        first
    }

    /// The children of a node, each with the position of its premise.
    pub(super) fn children(&self, node: usize) -> impl DoubleEndedIterator<Item = (usize, usize)> {
        let premises = self.nodes[node].premises.iter().enumerate();
        premises.filter_map(|(position, premise)| match premise.given {
            Given::Derived(child, _) | Given::Family(child, _) => Some((position, child)),
            _ => None,
        })
    }

    /// Every node that the root reaches, children before their parents.
    pub(super) fn bottom_up(&self) -> Vec<usize> {
        let (mut order, mut seen) = (Vec::new(), vec![false; self.nodes.len()]);
        let mut pending = vec![(0, false)];
        while let Some((node, children_done)) = pending.pop() {
            if children_done {
                order.push(node);
            } else if !std::mem::replace(&mut seen[node], true) {
                pending.push((node, true));
                pending.extend(self.children(node).rev().map(|(_, child)| (child, false)));
            }
        }
        order
    }

    /// How often each node is a premise; the root once more.
    pub(super) fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.nodes.len()];
        if let Some(root) = uses.first_mut() {
            *root = 1;
        }
        for node in self.bottom_up() {
            for (_, child) in self.children(node) {
                uses[child] += 1;
            }
        }
        uses
    }

    /// How many rule instances are drawn above and with each node, equal ones once a place.
    pub(super) fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![1usize; self.nodes.len()];
        for node in self.bottom_up() {
            let above = self.children(node).map(|(_, child)| sizes[child]);
            sizes[node] = above.fold(1, usize::saturating_add);
        }
        sizes
    }

    /// Leaves out all but the nodes nearest to the root.
    pub(super) fn cut(&mut self, most: usize) {
        let mut kept = HashSet::from([0]);
        let mut pending = std::collections::VecDeque::from([0]);
        while let Some(node) = pending.pop_front() {
            let children: Vec<usize> = self.children(node).map(|(_, child)| child).collect();
            for child in children {
                if !kept.contains(&child) && kept.len() < most && kept.insert(child) {
                    pending.push_back(child);
                }
            }
        }
        for node in &kept {
            for premise in &mut self.nodes[*node].premises {
                if let Given::Derived(child, _) | Given::Family(child, _) = premise.given
                    && !kept.contains(&child)
                {
                    premise.given = Given::Omitted(1);
                }
            }
            self.nodes[*node].premises.dedup_by(|next, last| {
                match (&mut last.given, &next.given) {
                    (Given::Omitted(n), Given::Omitted(more)) => {
                        *n += more;
                        true
                    }
                    _ => false,
                }
            });
        }
    }
}

impl Node {
    pub(super) fn empty(rule: &'static Rule) -> Node {
        let (conclusion, premises, bindings) = (Vec::new(), Vec::new(), Vec::new());
        Node { rule, conclusion, premises, bindings, stopped: false }
    }
}

/// The nodes nearest to the root, at most so many, but the root.
fn nearest<N: derivation::Node>(root: &N, most: usize) -> HashSet<*const N> {
    let mut kept = HashSet::from([std::ptr::from_ref(root)]);
    let mut pending = std::collections::VecDeque::from([root]);
    while let Some(node) = pending.pop_front() {
        for (_, child) in node.derived() {
            if kept.len() >= most.max(1) {
                return kept;
            }
            if kept.insert(std::ptr::from_ref(child)) {
                pending.push_back(child);
            }
        }
    }
    kept
}
