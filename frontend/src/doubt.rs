//! What of a file may be otherwise than it was read, because a header is missing, a macro is used
//! wrongly, or names clash, and which kernels depend on it.

use crate::error::Refusal;
use crate::preprocess::Reason;
use crate::unit::{Function, Unit, function_declarator, function_name};
use std::collections::BTreeMap;
use std::ops::Range;
use tree_sitter::Node;

/// The names of a file that are in doubt, and why.
pub(crate) struct Doubts<'t> {
    names: BTreeMap<&'t str, Reason>,
}

impl<'t> Doubts<'t> {
    /// The names that are in doubt by themselves, and those whose declarations depend on them.
    pub(crate) fn new(unit: &Unit<'t>, root: Node<'t>) -> Self {
        let expanded = unit.expanded;
        let mut doubts =
            Doubts { names: expanded.names.iter().map(|(n, r)| (&**n, r.clone())).collect() };
        doubts.names.extend(crate::clashes::clashes(unit, root));
        if doubts.names.is_empty() && expanded.doubts.is_empty() {
            return doubts;
        }
        let mut items: Vec<Node<'t>> = items(root);
        // Each round but the last settles an item.
        loop {
            let before = items.len();
            items.retain(|item| match doubts.about(unit, *item, None) {
                None => true,
                Some(refusal) => {
                    let reason: Reason = refusal.construct.into();
                    for name in declared(unit, *item) {
                        doubts.names.entry(name).or_insert_with(|| reason.clone());
                    }
                    false
                }
            });
            if items.len() == before {
                return doubts;
            }
        }
    }

    /// Why a function may be otherwise than it was read.
    pub(crate) fn of(&self, unit: &Unit<'t>, function: Function<'t>) -> Option<Refusal> {
        // That its own name is in doubt says the least.
        let own = function_name(function.node).map(|n| unit.text_of(n));
        let template = function.template.and_then(|t| self.about(unit, t, None));
        self.about(unit, function.node, own).or(template)
    }

    fn about(&self, unit: &Unit<'t>, node: Node<'t>, own: Option<&str>) -> Option<Refusal> {
        let within = node.byte_range();
        let overlaps = |r: &Range<usize>| r.start < within.end && within.start < r.end;
        if let Some((range, reason)) = unit.expanded.doubts.iter().find(|(r, _)| overlaps(r)) {
            let range = range.start.max(within.start)..range.end.min(within.end);
            return Some(Refusal { range, construct: reason.to_string() });
        }
        if self.names.is_empty() {
            return None;
        }
        walk(node, |n, _| {
            let is_name = n.kind().ends_with("identifier") && n.child_count() == 0;
            let text = unit.text_of(n);
            let reason = self.names.get(text).filter(|_| is_name && own != Some(text))?;
            let construct = match reason.starts_with("conditional on") {
                true => format!("`{text}`: {reason}"),
                false => reason.to_string(),
            };
            Some(Refusal { range: n.byte_range(), construct })
        })
    }
}

/// The declarations of a file, those in namespaces by themselves.
fn items(root: Node<'_>) -> Vec<Node<'_>> {
    let mut out = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "linkage_specification" | "namespace_definition" | "declaration_list" => {
                    open.push(child);
                }
                _ => out.push(child),
            }
        }
    }
    out
}

/// The names that a declaration declares.
fn declared<'t>(unit: &Unit<'t>, item: Node<'t>) -> Vec<&'t str> {
    if item.kind() == "function_definition" {
        return function_name(item).map(|n| unit.text_of(n)).into_iter().collect();
    }
    if item.kind() == "template_declaration" {
        let mut cursor = item.walk();
        let inner = item.named_children(&mut cursor).last();
        let name = inner.and_then(function_declarator).map(|f| f.child_by_field_name("declarator"));
        return match (name, inner) {
            // Not the names of its parameters.
            (Some(name), _) => name.map(|n| unit.text_of(n)).into_iter().collect(),
            (None, Some(inner)) => declared(unit, inner),
            (None, None) => Vec::new(),
        };
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

/// Visits a node and what is below it, with the fields they are in, until `visit` finds something.
pub(crate) fn walk<'t, T>(
    node: Node<'t>,
    mut visit: impl FnMut(Node<'t>, Option<&'t str>) -> Option<T>,
) -> Option<T> {
    let mut cursor = node.walk();
    loop {
        if let Some(found) = visit(cursor.node(), cursor.field_name()) {
            return Some(found);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}
