//! The namespace of CUDA's cooperative groups, and the names that a file gives it.

use crate::unit::{children, part, walk};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// The namespace.
const COOPERATIVE: &str = "cooperative_groups";

/// What a file calls the namespace.
pub(crate) struct Spaces<'t> {
    text: &'t str,
    names: BTreeSet<&'t str>,
    /// Are its own names used without it?
    opened: bool,
}

impl<'t> Spaces<'t> {
    /// `namespace cg = cooperative_groups;` and `using namespace cooperative_groups;`, wherever they
    /// stand. A name that another namespace or a class has as well means none, as if the file adds to it.
    pub(crate) fn of(text: &'t str, root: Node<'_>) -> Self {
        let (mut names, mut others) = (BTreeSet::from([COOPERATIVE]), BTreeSet::new());
        let mut opened = false;
        let _nothing = walk(root, |node, _| {
            let text_of = |n: Node<'_>| &text[n.byte_range()];
            match (node.kind(), part(node, "name").map(text_of)) {
                ("namespace_alias_definition", Some(name)) => {
                    let target = children(node).pop().map_or("", text_of);
                    match target.trim_start_matches("::") == COOPERATIVE {
                        true => names.insert(name),
                        false => others.insert(name),
                    };
                }
                ("namespace_definition" | "struct_specifier" | "class_specifier", Some(name)) => {
                    others.insert(name);
                }
                ("using_declaration", _) => opened |= text_of(node).contains(COOPERATIVE),
                _ => {}
            }
            None::<()>
        });
        let is_own = others.contains(COOPERATIVE);
        names.retain(|name| !is_own && !others.contains(name));
        Spaces { text, names, opened: opened && !is_own }
    }

    /// What `name` means in the namespace, where it may mean something there.
    pub(crate) fn member<'n>(&self, name: Node<'n>) -> Option<Node<'n>> {
        if name.kind() != "qualified_identifier" {
            return Some(name).filter(|_| self.opened);
        }
        let inner = part(name, "name")?;
        match part(name, "scope") {
            Some(scope) => self.names.contains(&self.text[scope.byte_range()]).then_some(inner),
            // `::cooperative_groups::sync`
            None if inner.kind() == "qualified_identifier" => self.member(inner),
            None => None,
        }
    }
}
