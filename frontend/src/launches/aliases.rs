//! Which pointers of a host function may be one: copies of pointers, wherever in the function they are made.

use crate::unit::{Unit, children, part, walk, without_parentheses};
use std::collections::BTreeMap;
use tree_sitter::Node;

/// Names of variables, with another of the same class.
#[derive(Default)]
pub(super) struct Aliases<'t> {
    /// What is copied.
    copies: BTreeMap<&'t str, &'t str>,
    /// What is copied, or begins somewhere in the same array.
    origins: BTreeMap<&'t str, &'t str>,
}

impl<'t> Aliases<'t> {
    /// Those of a function. Two variables that are exchanged through a third stay what they are, as a pair.
    pub(super) fn of(unit: &'t Unit<'t>, function: Node<'t>) -> Aliases<'t> {
        let mut aliases = Aliases::default();
        let mut exchanged: Vec<Node<'t>> = Vec::new();
        let _nothing = walk(function, |n, _| {
            if n.kind() == "compound_statement" {
                let statements = children(n);
                for three in statements.windows(3) {
                    if exchanges(unit, three) {
                        exchanged.extend(three);
                    }
                }
            }
            None::<()>
        });
        let _nothing = walk(function, |n, _| {
            let inside = |s: &Node<'t>| s.byte_range().contains(&n.start_byte());
            if !exchanged.iter().any(inside)
                && let Some((to, from)) = assigned(unit, n)
            {
                aliases.copied(unit, to, from);
            }
            None::<()>
        });
        aliases
    }

    fn copied(&mut self, unit: &'t Unit<'t>, to: &'t str, from: Node<'t>) {
        let from = without_parentheses(from);
        match from.kind() {
            "identifier" => {
                join(&mut self.copies, to, unit.text_of(from));
                join(&mut self.origins, to, unit.text_of(from));
            }
            "cast_expression" => {
                if let Some(value) = part(from, "value") {
                    self.copied(unit, to, value);
                }
            }
            "conditional_expression" => {
                let arms = ["consequence", "alternative"].into_iter();
                let arms =
                    arms.filter_map(|arm| part(from, arm)).filter_map(|arm| first(unit, arm));
                arms.for_each(|name| join(&mut self.origins, to, name));
            }
            "assignment_expression" => {
                if let Some(value) = part(from, "left") {
                    self.copied(unit, to, value);
                }
            }
            "binary_expression" | "pointer_expression" | "subscript_expression" => {
                if let Some(name) = first(unit, from) {
                    join(&mut self.origins, to, name);
                }
            }
            _ => {}
        }
    }

    /// One name for all variables that are copies of each other.
    pub(super) fn copy(&self, name: &str) -> String {
        root(&self.copies, name).to_owned()
    }

    /// One name for all variables that may begin in the same array.
    pub(super) fn origin(&self, name: &str) -> String {
        root(&self.origins, name).to_owned()
    }
}

/// The variable that a node gives a value, and that.
fn assigned<'t>(unit: &'t Unit<'t>, n: Node<'t>) -> Option<(&'t str, Node<'t>)> {
    let (mut to, from) = match n.kind() {
        "assignment_expression" => (part(n, "left")?, part(n, "right")?),
        "init_declarator" => (part(n, "declarator")?, part(n, "value")?),
        _ => return None,
    };
    while to.kind() == "pointer_declarator" {
        to = part(to, "declarator")?;
    }
    let to = without_parentheses(to);
    (to.kind() == "identifier").then(|| (unit.text_of(to), from))
}

/// The first variable of an expression that calls nothing.
fn first<'t>(unit: &'t Unit<'t>, node: Node<'t>) -> Option<&'t str> {
    let calls = walk(node, |n, _| (n.kind() == "call_expression").then_some(()));
    let name = walk(node, |n, _| (n.kind() == "identifier").then(|| unit.text_of(n)));
    name.filter(|_| calls.is_none())
}

/// Are these `t = x; x = y; y = t;`?
fn exchanges<'t>(unit: &'t Unit<'t>, three: &[Node<'t>]) -> bool {
    let names: Vec<(&str, &str)> = three
        .iter()
        .filter_map(|statement| {
            let one = children(*statement).into_iter().find_map(|c| assigned(unit, c));
            let (to, from) = one?;
            let from = without_parentheses(from);
            (from.kind() == "identifier").then(|| (to, unit.text_of(from)))
        })
        .collect();
    matches!(names[..], [(t, x), (u, y), (v, s)] if x == u && y == v && t == s && t != x && t != y && x != y)
}

fn root<'a>(classes: &BTreeMap<&'a str, &'a str>, name: &'a str) -> &'a str {
    let mut name = name;
    // Names go to smaller ones only.
    while let Some(next) = classes.get(name) {
        name = next;
    }
    name
}

fn join<'t>(classes: &mut BTreeMap<&'t str, &'t str>, a: &'t str, b: &'t str) {
    let (a, b) = (root(classes, a), root(classes, b));
    if a != b {
        classes.insert(a.max(b), a.min(b));
    }
}
