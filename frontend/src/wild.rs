//! Types whose values are more than data: references under another name, and classes that do
//! something when a value is made, copied, converted, computed with or destroyed.
//!
//! Values of structures are data here (THEORY §4): what their special functions do is not followed.
//! That is right where these reach nothing but the value itself; other types are refused.

use crate::resolve::names::{is_of_library, is_pure, named, plain, sized};
use crate::unit::{
    MAX_DEPTH, Unit, children, function_declarator, has_qualifier, listed, part, walk,
};
use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;
use tree_sitter::Node;

/// The names of the types of the file that are wild: in every scope, if they are in one.
pub(crate) fn types<'t>(unit: &Unit<'t>, root: Node<'t>) -> BTreeSet<&'t str> {
    let mut found: BTreeMap<&str, Vec<Node<'t>>> = BTreeMap::new();
    let _nothing = walk(root, |node, _| {
        let names = match node.kind() {
            "struct_specifier" | "class_specifier" | "union_specifier"
                if part(node, "body").is_some() =>
            {
                vec![part(node, "name")]
            }
            "alias_declaration" => vec![part(node, "name")],
            "type_definition" => {
                crate::unit::field(node, "declarator").into_iter().map(declared_name).collect()
            }
            _ => Vec::new(),
        };
        for name in names.into_iter().flatten() {
            found.entry(base(unit.text_of(name))).or_default().push(node);
        }
        None::<()>
    });
    let mut wild = BTreeSet::new();
    loop {
        let more: Vec<&str> = found
            .iter()
            .filter(|(name, nodes)| {
                !wild.contains(**name) && nodes.iter().any(|node| is_wild(unit, *node, &wild))
            })
            .map(|(name, _)| *name)
            .collect();
        if more.is_empty() {
            return wild;
        }
        wild.extend(more);
    }
}

/// Groups of threads, which are more than values.
const GROUPS: &str = "thread_group thread_block thread_block_tile grid_group coalesced_group";

/// The first operator that the file defines outside of classes and that may do more than compute a
/// value of classes and scalars, or that takes something else.
pub(crate) fn operator<'t>(unit: &Unit<'t>) -> Option<Node<'t>> {
    unit.operators.iter().copied().find(|operator| {
        let name = function_declarator(*operator)
            .and_then(|declarator| part(declarator, "declarator"))
            .map_or("", |name| unit.text_of(name));
        let compares = ["==", "!=", "<=", ">="].iter().any(|o| name.ends_with(o));
        let assigns = ["=", "++", "--"].iter().any(|o| name.ends_with(o)) && !compares;
        let understood = |p: &Node<'t>| {
            part(*p, "type").is_some_and(|t| {
                let name = unit.text_of(t);
                let class = unit.classes.contains(base(name)) && !unit.is_wild(name);
                let library = is_of_library(name) && !listed(GROUPS, base(name));
                class || named(name).is_some() || sized(name).is_some() || library
            })
        };
        !parameters(*operator).iter().all(understood)
            || !is_contained(unit, *operator, &BTreeSet::new(), assigns)
    })
}

/// `X` of `A::X<T>`.
pub(crate) fn base(name: &str) -> &str {
    let base = name.split('<').next().unwrap_or(name).trim();
    base.rsplit("::").next().unwrap_or(base).trim()
}

fn declared_name(declarator: Node<'_>) -> Option<Node<'_>> {
    let below = successors(Some(declarator), |n| part(*n, "declarator").or(n.named_child(0)));
    below.take(MAX_DEPTH).find(|n| n.kind() == "type_identifier")
}

/// Does it make a reference, or name one?
fn has_reference(node: Node<'_>) -> bool {
    walk(node, |node, _| node.kind().contains("reference_declarator").then_some(())).is_some()
}

fn is_wild<'t>(unit: &Unit<'t>, node: Node<'t>, wild: &BTreeSet<&str>) -> bool {
    match node.kind() {
        "alias_declaration" | "type_definition" => {
            has_reference(node)
                || part(node, "type").is_some_and(|t| {
                    let inner = match t.kind() {
                        "type_descriptor" => part(t, "type").unwrap_or(t),
                        _ => t,
                    };
                    is_wild_type(unit, inner, wild)
                })
        }
        _ => {
            let (names, body) = (members(unit, node), part(node, "body"));
            children(node).iter().any(|c| c.kind() == "base_class_clause")
                || body
                    .map(children)
                    .unwrap_or_default()
                    .iter()
                    .any(|m| is_wild_member(unit, *m, wild, &names))
        }
    }
}

/// Is a type that is named here wild, or not understood?
fn is_wild_type<'t>(unit: &Unit<'t>, specifier: Node<'t>, wild: &BTreeSet<&str>) -> bool {
    let text = unit.text_of(specifier);
    match specifier.kind() {
        "primitive_type" | "sized_type_specifier" | "enum_specifier" => false,
        "type_identifier" | "qualified_identifier" | "template_type" => {
            named(text).is_none() && (wild.contains(base(text)) || is_reference_maker(text))
        }
        // One without a name is looked at here, others where they are collected.
        "struct_specifier" | "class_specifier" | "union_specifier" => {
            match part(specifier, "name") {
                Some(name) => wild.contains(base(unit.text_of(name))),
                None => is_wild(unit, specifier, wild),
            }
        }
        _ => true,
    }
}

/// Is this a type of a library, or an instance with a reference, that may be more than data?
pub(crate) fn is_reference_maker(name: &str) -> bool {
    const SPACES: [&str; 4] = ["std::", "thrust::", "cuda::", "cub::"];
    let name = name.trim_start_matches("typename ").trim_start_matches("::");
    name.contains('&') || SPACES.iter().any(|s| name.starts_with(s)) && named(name).is_none()
}

/// The names of a class' fields and methods, and of those of classes inside.
fn members<'t>(unit: &Unit<'t>, class: Node<'t>) -> BTreeSet<&'t str> {
    declared(unit, class, "field_identifier")
}

/// The names of a kind that are declared in `node`.
fn declared<'t>(unit: &Unit<'t>, node: Node<'t>, kind: &str) -> BTreeSet<&'t str> {
    let mut names = BTreeSet::new();
    let _nothing = walk(node, |node, field| {
        let name = match node.kind() {
            // `T &x`: the name is no field of its declarator.
            "reference_declarator" => node.named_child(0),
            _ => Some(node).filter(|_| field == Some("declarator")),
        };
        names.extend(name.filter(|n| n.kind() == kind).map(|n| unit.text_of(n)));
        None::<()>
    });
    names
}

fn is_wild_member<'t>(
    unit: &Unit<'t>,
    member: Node<'t>,
    wild: &BTreeSet<&str>,
    names: &BTreeSet<&str>,
) -> bool {
    match member.kind() {
        "access_specifier"
        | "comment"
        | "alias_declaration"
        | "type_definition"
        | "using_declaration"
        | "static_assert_declaration" => false,
        "field_declaration" => {
            let declarators = crate::unit::field(member, "declarator");
            let is_method = |d: &Node<'_>| {
                walk(*d, |n, _| (n.kind() == "function_declarator").then_some(())).is_some()
            };
            if declarators.iter().any(is_method) {
                // A method is followed, or refused, where it is called.
                return declarators.iter().any(|d| !names_method(*d));
            }
            let literal =
                |v: Node<'_>| v.kind().ends_with("literal") || matches!(v.kind(), "true" | "false");
            declarators.iter().any(|d| has_reference(*d))
                || part(member, "default_value").is_some_and(|v| !literal(v))
                || part(member, "type").is_none_or(|t| is_wild_type(unit, t, wild))
        }
        "function_definition" => {
            let ordinary = function_declarator(member)
                .and_then(|d| part(d, "declarator"))
                .is_some_and(|name| name.kind() == "field_identifier");
            !ordinary && !is_contained(unit, member, names, false)
        }
        "template_declaration" => children(member).iter().any(|m| {
            m.kind() != "template_parameter_list" && is_wild_member(unit, *m, wild, names)
        }),
        _ => true,
    }
}

fn names_method(declarator: Node<'_>) -> bool {
    walk(declarator, |n, field| {
        (n.kind() == "field_identifier" && field == Some("declarator")).then_some(())
    })
    .is_some()
}

fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    let list = function_declarator(function).and_then(|d| part(d, "parameters"));
    list.map(children).unwrap_or_default()
}

/// Does a function reach nothing but what it is given and makes itself? `known`: the names of its
/// class; `assigns`: it may change the objects that it is given by reference.
fn is_contained<'t>(
    unit: &Unit<'t>,
    function: Node<'t>,
    known: &BTreeSet<&str>,
    assigns: bool,
) -> bool {
    is_contained_within(unit, function, known, assigns, &mut BTreeSet::new())
}

fn is_contained_within<'t>(
    unit: &Unit<'t>,
    function: Node<'t>,
    known: &BTreeSet<&str>,
    assigns: bool,
    called: &mut BTreeSet<&'t str>,
) -> bool {
    let parameters = parameters(function);
    let changes = |p: &Node<'t>| has_reference(*p) && !has_qualifier(*p, unit.text, "const");
    if !assigns && parameters.iter().any(changes) {
        return false;
    }
    let mut own = declared(unit, function, "identifier");
    own.extend(known);
    let reaches = walk(function, |node, field| {
        let suspicious = match node.kind() {
            "subscript_expression"
            | "lambda_expression"
            | "gnu_asm_expression"
            | "new_expression"
            | "delete_expression"
            | "throw_statement" => true,
            // `return *this` is the value itself.
            "pointer_expression" => {
                unit.text_of(node) != "*this" && unit.text_of(node).starts_with('*')
            }
            "field_expression" => {
                let of = part(node, "argument");
                part(node, "operator").is_some_and(|o| unit.text_of(o) == "->")
                    && of.is_none_or(|of| of.kind() != "this")
            }
            "call_expression" => part(node, "function").is_none_or(|f| {
                let name = plain(unit.text_of(f));
                match unit.functions.get(name) {
                    // One that is met again is looked at already.
                    Some(own) => {
                        let none = BTreeSet::new();
                        called.insert(name)
                            && !own
                                .iter()
                                .all(|f| is_contained_within(unit, f.node, &none, false, called))
                    }
                    None => {
                        let class = unit.classes.contains(base(name));
                        !is_pure(name) && named(name).is_none() && !class
                    }
                }
            }),
            "identifier" if field != Some("declarator") && field != Some("function") => {
                let name = unit.text_of(node);
                let built_in = ["threadIdx", "blockIdx", "blockDim", "gridDim"].contains(&name);
                !own.contains(name) && !built_in && !unit.classes.contains(name)
            }
            _ => false,
        };
        suspicious.then_some(())
    });
    reaches.is_none()
}
