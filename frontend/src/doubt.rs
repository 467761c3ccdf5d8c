//! What of a file may be otherwise than it was read, because a header is missing, a macro is used
//! wrongly, or names clash, and which kernels depend on it.

use crate::error::Refusal;
use crate::preprocess::Reason;
use crate::unit::{Function, Unit, field, function_declarator, function_name, items, part, walk};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::iter::successors;
use std::ops::Range;
use tree_sitter::Node;

/// The names of a file that are in doubt, and why.
pub(crate) struct Doubts<'t> {
    names: BTreeMap<&'t str, Reason>,
    /// Those of them of which only the file's own are in doubt.
    own: BTreeSet<&'t str>,
    /// Bytes of the text that are in doubt.
    text: &'t [(Range<usize>, Reason)],
}

impl<'t> Doubts<'t> {
    /// The names that are in doubt because of the text that the compiler sees, and those whose
    /// declarations depend on them.
    pub(crate) fn of_text(unit: &Unit<'t>, root: Node<'t>) -> Self {
        let expanded = unit.expanded;
        let names = expanded.names.iter().map(|(n, r)| (&**n, r.clone())).collect();
        Doubts { names, own: BTreeSet::new(), text: &expanded.doubts }.spread(unit, root)
    }

    /// Those, and the names that need C++'s rules of lookup.
    pub(crate) fn new(unit: &Unit<'t>, root: Node<'t>) -> Self {
        let expanded = unit.expanded;
        let mut names: BTreeMap<&'t str, Reason> =
            expanded.names.iter().map(|(n, r)| (&**n, r.clone())).collect();
        let clashes = crate::clashes::clashes(unit, root);
        let own = clashes.keys().copied().filter(|name| !names.contains_key(name)).collect();
        names.extend(clashes);
        Doubts { names, own, text: &expanded.doubts }.spread(unit, root)
    }

    /// What rests on each assumption, by itself and through declarations.
    pub(crate) fn assumptions(unit: &Unit<'t>, root: Node<'t>) -> Vec<(Reason, Self)> {
        let resting = unit.expanded.assumptions.iter().map(|(reason, resting)| {
            let names = resting.names.iter().map(|(n, r)| (&**n, r.clone())).collect();
            let own = BTreeSet::new();
            (reason.clone(), Doubts { names, own, text: &resting.text }.spread(unit, root))
        });
        resting.collect()
    }

    /// Adds the names whose declarations depend on what is in doubt.
    fn spread(self, unit: &Unit<'t>, root: Node<'t>) -> Self {
        let mut doubts = self;
        if doubts.names.is_empty() && doubts.text.is_empty() {
            return doubts;
        }
        // What declares, and all of it: with the `template<…>` before.
        let mut found: Vec<(Node<'t>, Node<'t>)> = Vec::new();
        items(root, &mut |item, _, template| {
            let around = successors(item.parent().filter(|_| template.is_some()), Node::parent);
            let templates = around.take_while(|n| n.kind() == "template_declaration");
            if item.kind() != "template_parameter_list" {
                found.push((item, templates.last().unwrap_or(item)));
            }
        });
        let mut mentions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, (_, whole)) in found.iter().enumerate() {
            let _nothing = walk(*whole, |n, _| {
                if is_name(n) {
                    mentions.entry(unit.text_of(n)).or_default().push(i);
                }
                None::<()>
            });
        }
        // An item is looked at again when a name that it mentions comes into doubt.
        let mut open: VecDeque<usize> = (0..found.len()).collect();
        let mut settled = vec![false; found.len()];
        while let Some(i) = open.pop_front() {
            if settled[i] {
                continue;
            }
            let Some(refusal) = doubts.about(unit, found[i].1, None) else {
                continue;
            };
            settled[i] = true;
            let reason: Reason = refusal.construct.into();
            for name in declared(unit, found[i].0) {
                doubts.names.entry(name).or_insert_with(|| {
                    open.extend(mentions.get(name).into_iter().flatten());
                    reason.clone()
                });
            }
        }
        doubts
    }

    /// Why a function may be otherwise than it was read.
    pub(crate) fn of(&self, unit: &Unit<'t>, function: Function<'t>) -> Option<Refusal> {
        // That its own name is in doubt says the least.
        let own = function_name(function.node).map(|n| unit.text_of(n));
        let template = function.template.and_then(|t| self.about(unit, t, None));
        self.about(unit, function.node, own).or(template)
    }

    /// Why a kernel that could not be read, and is marked at these bytes of the text, may be otherwise.
    pub(crate) fn within(&self, unit: &Unit<'t>, mark: Range<usize>) -> Option<Refusal> {
        let within = mark.start..end_of_body(unit.text, mark.end);
        if let Some(refusal) = self.overlapping(&within) {
            return Some(refusal);
        }
        let words = unit.text[within].split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let reason = words.into_iter().find_map(|word| self.names.get(word))?;
        Some(Refusal { range: mark, construct: reason.to_string() })
    }

    /// May text in this range be otherwise?
    pub(crate) fn overlaps(&self, range: &Range<usize>) -> bool {
        self.overlapping(range).is_some()
    }

    /// Is something in the node in doubt?
    pub(crate) fn mentions(&self, unit: &Unit<'t>, node: Node<'t>) -> bool {
        self.about(unit, node, None).is_some()
    }

    fn overlapping(&self, within: &Range<usize>) -> Option<Refusal> {
        let overlaps = |r: &Range<usize>| r.start < within.end && within.start < r.end;
        let (range, reason) = self.text.iter().find(|(r, _)| overlaps(r))?;
        let range = range.start.max(within.start)..range.end.min(within.end);
        Some(Refusal { range, construct: reason.to_string() })
    }

    fn about(&self, unit: &Unit<'t>, node: Node<'t>, own: Option<&str>) -> Option<Refusal> {
        let within = node.byte_range();
        if let Some(refusal) = self.overlapping(&within) {
            return Some(refusal);
        }
        if self.names.is_empty() {
            return None;
        }
        walk(node, |n, _| {
            let text = unit.text_of(n);
            let reason = self.names.get(text).filter(|_| is_name(n) && own != Some(text))?;
            if self.own.contains(text) && is_cooperative(unit, n) {
                return None;
            }
            let construct = match reason.starts_with("conditional on") {
                true => format!("`{text}`: {reason}"),
                false => reason.to_string(),
            };
            Some(Refusal { range: n.byte_range(), construct })
        })
    }
}

/// The end of the body that opens next in the text, or of the text.
fn end_of_body(text: &str, from: usize) -> usize {
    let mut depth = 0usize;
    let closes = text[from..].char_indices().find(|(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *c == '}' && depth == 0
    });
    closes.map_or(text.len(), |(at, _)| from + at + 1)
}

/// The names that a declaration declares. What could not be read may declare every name in it.
fn declared<'t>(unit: &Unit<'t>, item: Node<'t>) -> Vec<&'t str> {
    let whole = end_of_body(unit.text, item.start_byte()) == item.end_byte();
    if item.has_error() && !(item.kind() == "function_definition" && whole) {
        let mut all = Vec::new();
        let _nothing = walk(item, |n, _| {
            all.extend(Some(unit.text_of(n)).filter(|_| is_name(n)));
            None::<()>
        });
        return all;
    }
    if item.kind() == "function_definition" {
        return function_name(item).map(|n| unit.text_of(n)).into_iter().collect();
    }
    // Not the names of a function's parameters.
    let function = function_declarator(item).filter(|_| field(item, "declarator").len() == 1);
    if let Some(name) = function.and_then(|f| part(f, "declarator")) {
        return vec![unit.text_of(name)];
    }
    let mut out = Vec::new();
    let _nothing = walk(item, |n, field| {
        let declares = matches!(field, Some("declarator" | "name"));
        if declares && n.kind().ends_with("identifier") {
            out.push(unit.text_of(n));
        }
        None::<()>
    });
    out
}

/// Is it a name of CUDA, `reduce` in `cooperative_groups::reduce`?
fn is_cooperative<'t>(unit: &Unit<'t>, name: Node<'t>) -> bool {
    let mut around = successors(name.parent(), Node::parent).take(2);
    around.any(|q| {
        let member = Some(q).filter(|q| q.kind() == "qualified_identifier");
        let member = member.and_then(|q| unit.cooperative.member(q));
        member.is_some_and(|m| m == name || part(m, "name") == Some(name))
    })
}

/// Is this node a name?
fn is_name(node: Node<'_>) -> bool {
    node.kind().ends_with("identifier") && node.child_count() == 0
}
