//! How a page shows a derivation: what stands in a section of its own, what is open at first, and in
//! which order a reader is led through it.

use super::drawing::{Drawing, Given};
use super::share;
use std::collections::{HashMap, HashSet, VecDeque};

/// What is higher above the root of its section has one of its own.
const HIGHEST: usize = 24;

/// Premises that are to be seen at first: of the root's section, and of another one.
const SEEN: (usize, usize) = (16, 10);

/// A derivation by itself.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// Its name; none of the root.
    pub(super) name: Option<usize>,
    /// The threads that it stands for.
    pub(super) threads: Option<Vec<u64>>,
    pub(super) node: usize,
}

pub(super) struct Outline {
    pub(super) sections: Vec<Section>,
    /// The names of nodes that have a section.
    pub(super) names: HashMap<usize, usize>,
    /// Which nodes show their premises at first.
    pub(super) open: Vec<bool>,
    /// The steps: of the node, or of one of its premises.
    steps: HashMap<(usize, Option<usize>), usize>,
}

impl Outline {
    pub(super) fn of(drawing: &Drawing) -> Outline {
        let shared = share::named(drawing);
        let mut outline = Outline {
            sections: vec![Section { name: None, threads: None, node: 0 }],
            names: HashMap::new(),
            open: vec![false; drawing.nodes.len()],
            steps: HashMap::new(),
        };
        let mut next = 0;
        while let Some(section) = outline.sections.get(next).cloned() {
            next += 1;
            outline.section(drawing, &section, &shared);
        }
        outline.walk(drawing);
        outline
    }

    /// What of a section is open, and what of it has a section of its own.
    fn section(&mut self, drawing: &Drawing, section: &Section, shared: &[bool]) {
        let mut room = if section.name.is_none() { SEEN.0 } else { SEEN.1 };
        let mut pending = VecDeque::from([(section.node, 0)]);
        while let Some((place, height)) = pending.pop_front() {
            let premises = &drawing.nodes[place].premises;
            let leads_to_failure = drawing.nodes[place].stopped;
            if premises.len() <= room || height == 0 || leads_to_failure {
                self.open[place] = true;
                room = room.saturating_sub(premises.len());
            }
            for premise in premises {
                let (child, threads) = match &premise.given {
                    Given::Derived(child, _) => (*child, None),
                    Given::Family(child, threads) => (*child, Some(threads.clone())),
                    _ => continue,
                };
                let high = height + 1 >= HIGHEST && !drawing.nodes[child].premises.is_empty();
                if threads.is_some() || shared[child] || high {
                    if !self.names.contains_key(&child) {
                        let name = self.names.len() + 1;
                        self.names.insert(child, name);
                        self.sections.push(Section { name: Some(name), threads, node: child });
                    }
                } else {
                    pending.push_back((child, height + 1));
                }
            }
        }
    }

    /// Numbers everything in the order in which it is found out: the premises of a node, then what it
    /// concludes.
    fn walk(&mut self, drawing: &Drawing) {
        let (mut seen, mut next) = (HashSet::new(), 0);
        let mut pending = vec![(0, 0)];
        let mut number = |key: (usize, Option<usize>), steps: &mut HashMap<_, usize>| {
            steps.insert(key, next);
            next += 1;
        };
        while let Some((place, position)) = pending.pop() {
            let Some(premise) = drawing.nodes[place].premises.get(position) else {
                if !drawing.nodes[place].stopped {
                    number((place, None), &mut self.steps);
                }
                continue;
            };
            match &premise.given {
                Given::Side(_) | Given::Fails(..) => {
                    number((place, Some(position)), &mut self.steps);
                    pending.push((place, position + 1));
                }
                Given::Unseen(_) | Given::Omitted(_) => pending.push((place, position + 1)),
                Given::Derived(child, _) | Given::Family(child, _) => {
                    if seen.insert(*child) {
                        // Looked at again, behind its derivation.
                        pending.push((place, position));
                        pending.push((*child, 0));
                    } else {
                        if self.names.contains_key(child) {
                            number((place, Some(position)), &mut self.steps);
                        }
                        pending.push((place, position + 1));
                    }
                }
            }
        }
    }

    /// The attribute with the number of a step.
    pub(super) fn step(&self, node: usize, premise: Option<usize>) -> String {
        let step = self.steps.get(&(node, premise));
        step.map_or_else(String::new, |step| format!(" data-step=\"{step}\""))
    }
}
