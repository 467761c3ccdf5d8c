//! Names of a file that need C++'s rules of lookup to be understood: the translation knows one
//! scope for the whole file, and no specialisations.

use crate::preprocess::Reason;
use crate::unit::{MAX_DEPTH, Unit, children, field, function_declarator, items, part, walk};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// What is known of one name.
#[derive(Default)]
struct Uses<'t> {
    /// The scopes that declare it, by their path; the file's is empty.
    scopes: BTreeSet<String>,
    /// Is it a template with an explicit specialisation?
    specialised: bool,
    structure: bool,
    /// The parameters of the functions of this name that are defined.
    defined: BTreeSet<Vec<&'t str>>,
    /// The parameters of those that are declared.
    declared: BTreeSet<Vec<&'t str>>,
}

/// The names whose use is refused, and why.
pub(crate) fn clashes<'t>(unit: &Unit<'t>, root: Node<'t>) -> BTreeMap<&'t str, Reason> {
    let mut file = File { unit, names: BTreeMap::new() };
    items(root, &mut |item, spaces, template| {
        // The names of an unnamed namespace are those of the scope around it.
        let names = spaces.iter().filter_map(|space| part(*space, "name"));
        let scope: String = names.map(|name| format!("::{}", unit.text_of(name))).collect();
        file.item(item, &scope, template);
    });
    let reasons = file.names.into_iter().filter_map(|(name, uses)| {
        let what = if uses.specialised {
            "a template with an explicit specialisation"
        } else if uses.scopes.len() > 1 {
            "which is declared in several scopes"
        } else if !uses.scopes.contains("") && crate::resolve::names::is_of_cuda(name) {
            "which a namespace and CUDA declare"
        } else if uses.structure && crate::resolve::names::named(name).is_some() {
            "a structure with the name of a type of CUDA"
        } else if !uses.defined.is_empty() && !uses.declared.is_subset(&uses.defined) {
            "of which an overload is not defined in this file"
        } else {
            return None;
        };
        Some((name, format!("`{name}`, {what}").into()))
    });
    reasons.collect()
}

struct File<'u, 't> {
    unit: &'u Unit<'t>,
    names: BTreeMap<&'t str, Uses<'t>>,
}

impl<'t> File<'_, 't> {
    fn item(&mut self, item: Node<'t>, scope: &str, template: Option<Node<'t>>) {
        let special = template.is_some_and(|t| children(t).is_empty());
        if let Some(declarator) = function_declarator(item) {
            let name = part(declarator, "declarator");
            let Some(name) = name.filter(|n| n.kind() != "qualified_identifier") else {
                return;
            };
            let base = part(name, "name").unwrap_or(name);
            let signature = self.signature(declarator, template);
            let uses = self.names.entry(self.unit.text_of(base)).or_default();
            uses.specialised |= special || name.kind() == "template_function";
            uses.scopes.insert(scope.to_owned());
            match item.kind() {
                "function_definition" => uses.defined.insert(signature),
                _ => uses.declared.insert(signature),
            };
        }
        let mut names = Vec::new();
        if item.kind() != "function_definition" {
            declared(item, &mut names, 0);
        }
        for (name, structure) in names {
            let uses = self.names.entry(self.unit.text_of(name)).or_default();
            uses.scopes.insert(scope.to_owned());
            uses.structure |= structure;
        }
    }

    /// The words of a function's parameters without their names; a template has a mark before.
    fn signature(&self, declarator: Node<'t>, template: Option<Node<'t>>) -> Vec<&'t str> {
        let mut words: Vec<&'t str> = template.map(|_| "template").into_iter().collect();
        let parameters = part(declarator, "parameters").map(children);
        for parameter in parameters.unwrap_or_default() {
            if self.unit.text_of(parameter) == "void" {
                continue;
            }
            let mut behind_default = 0;
            let _nothing = walk(parameter, |n, field| {
                if field == Some("default_value") {
                    behind_default = n.end_byte();
                }
                let of_type = n.child_count() == 0 && !matches!(n.kind(), "identifier" | "=");
                if of_type && n.start_byte() >= behind_default {
                    words.push(self.unit.text_of(n));
                }
                None::<()>
            });
            words.push(",");
        }
        words
    }
}

/// The nodes of the names that an item declares, and whether they are structures: not those inside
/// of its structures and lists of parameters.
fn declared<'t>(node: Node<'t>, out: &mut Vec<(Node<'t>, bool)>, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    let declares_a_type = matches!(
        node.kind(),
        "enum_specifier" | "struct_specifier" | "class_specifier" | "union_specifier"
    );
    if declares_a_type && part(node, "body").is_none() {
        return;
    }
    let structure = declares_a_type && node.kind() != "enum_specifier";
    let name = part(node, "name");
    let name = name.filter(|n| matches!(n.kind(), "identifier" | "type_identifier"));
    out.extend(name.map(|n| (n, structure)));
    let mut below = field(node, "declarator");
    match node.kind() {
        "declaration" | "type_definition" => below.extend(part(node, "type")),
        "enum_specifier" => below.extend(part(node, "body")),
        "enumerator_list" => below.extend(children(node)),
        "reference_declarator" | "parenthesized_declarator" => below.extend(node.named_child(0)),
        _ => {}
    }
    for child in below {
        match child.kind() {
            "identifier" | "type_identifier" => out.push((child, false)),
            _ => declared(child, out, depth + 1),
        }
    }
}
