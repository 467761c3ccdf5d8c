//! Which pointers of a host function may be one: copies of pointers, wherever in the function they are made.

use crate::unit::{Unit, children, part, walk, without_parentheses};
use std::collections::{BTreeMap, BTreeSet};
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
        let root = root_of(function);
        let pointers = pointers(unit, root);
        let all = |node: Node<'t>| mentioned(unit, node, &pointers);
        let _nothing = walk(function, |n, _| {
            let inside = |s: &Node<'t>| s.byte_range().contains(&n.start_byte());
            if !exchanged.iter().any(inside)
                && let Some((to, from)) = assigned(unit, n)
            {
                aliases.copied(unit, to, from, &pointers);
            }
            // They are changed by what is called, or they may be the same.
            match n.kind() {
                "call_expression" if changes_pointers(unit, n) => aliases.join_all(&all(n)),
                // `int *c(a);` looks like a function.
                "declaration"
                    if walk(n, |d, _| (d.kind() == "function_declarator").then_some(()))
                        .is_some() =>
                {
                    aliases.join_all(&all(n));
                }
                "binary_expression"
                    if part(n, "operator").is_some_and(|o| unit.text_of(o) == "==") =>
                {
                    aliases.join_all(&all(n));
                }
                _ => {}
            }
            None::<()>
        });
        aliases.passed_twice(unit, function, &pointers);
        aliases
    }

    /// What stands in one argument of a launch may be any of its pointers.
    pub(super) fn argument(&mut self, unit: &'t Unit<'t>, argument: Node<'t>) -> Option<&'t str> {
        let all = mentioned(unit, argument, &pointers(unit, root_of(argument)));
        self.join_all(&all);
        // A structure has pointers, too.
        all.first().copied().or_else(|| declared(unit, argument))
    }

    fn join_all(&mut self, names: &[&'t str]) {
        for two in names.windows(2) {
            join(&mut self.origins, two[0], two[1]);
        }
    }

    /// The parameters for which a call in the file gives the same pointer.
    fn passed_twice(
        &mut self,
        unit: &'t Unit<'t>,
        function: Node<'t>,
        pointers: &BTreeSet<&'t str>,
    ) {
        let list = walk(function, |n, _| (n.kind() == "parameter_list").then_some(n));
        let parameters: Vec<_> = list.map(children).unwrap_or_default();
        let names: Vec<Option<&str>> = parameters.into_iter().map(|p| declared(unit, p)).collect();
        let own = part(function, "declarator").and_then(|d| declared(unit, d));
        let _nothing = walk(root_of(function), |n, _| {
            if n.kind() == "call_expression"
                && let Some(called) = part(n, "function")
                && own.is_some_and(|own| unit.text_of(called) == own)
            {
                let given = part(n, "arguments").map(children).unwrap_or_default();
                let given: Vec<_> =
                    given.into_iter().map(|a| mentioned(unit, a, pointers)).collect();
                for (i, first) in given.iter().enumerate() {
                    for (j, second) in given.iter().enumerate().skip(i + 1) {
                        if let (Some(Some(a)), Some(Some(b))) = (names.get(i), names.get(j))
                            && first.iter().any(|name| second.contains(name))
                        {
                            join(&mut self.origins, a, b);
                        }
                    }
                }
            }
            None::<()>
        });
    }

    fn copied(
        &mut self,
        unit: &'t Unit<'t>,
        to: &'t str,
        from: Node<'t>,
        pointers: &BTreeSet<&'t str>,
    ) {
        let from = without_parentheses(from);
        match from.kind() {
            "identifier" => {
                join(&mut self.copies, to, unit.text_of(from));
                join(&mut self.origins, to, unit.text_of(from));
            }
            "cast_expression" => {
                if let Some(value) = part(from, "value") {
                    self.copied(unit, to, value, pointers);
                }
            }
            "assignment_expression" => {
                if let Some(value) = part(from, "left") {
                    self.copied(unit, to, value, pointers);
                }
            }
            "argument_list" | "initializer_list" if children(from).len() == 1 => {
                self.copied(unit, to, children(from)[0], pointers);
            }
            _ => {
                for name in mentioned(unit, from, pointers) {
                    join(&mut self.origins, to, name);
                }
            }
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

/// The variable that a node gives a value, or what begins with it, and that.
fn assigned<'t>(unit: &'t Unit<'t>, n: Node<'t>) -> Option<(&'t str, Node<'t>)> {
    let (to, from) = match n.kind() {
        "assignment_expression" => (part(n, "left")?, part(n, "right")?),
        "init_declarator" => (part(n, "declarator")?, part(n, "value")?),
        _ => return None,
    };
    Some((declared(unit, to)?, from))
}

/// The whole file.
fn root_of(node: Node<'_>) -> Node<'_> {
    std::iter::successors(Some(node), |n| n.parent()).last().unwrap_or(node)
}

/// The first name in a declaration or a place.
fn declared<'t>(unit: &'t Unit<'t>, node: Node<'t>) -> Option<&'t str> {
    walk(node, |n, _| (n.kind() == "identifier").then(|| unit.text_of(n)))
}

/// The names that the file declares as pointers or arrays, or without a type.
fn pointers<'t>(unit: &'t Unit<'t>, root: Node<'t>) -> BTreeSet<&'t str> {
    let mut names = BTreeSet::new();
    let _nothing = walk(root, |n, _| {
        let open = n.kind() == "declaration"
            && walk(n, |t, _| (t.kind() == "placeholder_type_specifier").then_some(())).is_some();
        if open || matches!(n.kind(), "pointer_declarator" | "array_declarator") {
            names.extend(declared(unit, n));
        }
        None::<()>
    });
    names
}

/// The pointers in an expression, in their order.
fn mentioned<'t>(unit: &'t Unit<'t>, node: Node<'t>, pointers: &BTreeSet<&'t str>) -> Vec<&'t str> {
    let mut found = Vec::new();
    let _nothing = walk(node, |n, _| {
        let name = unit.text_of(n);
        if matches!(n.kind(), "identifier" | "type_identifier")
            && pointers.contains(name)
            && !found.contains(&name)
        {
            found.push(name);
        }
        None::<()>
    });
    found
}

/// Does a call change pointers that it is given: by their address, or as a function of the file that takes references?
fn changes_pointers<'t>(unit: &'t Unit<'t>, call: Node<'t>) -> bool {
    let given = part(call, "arguments").map(children).unwrap_or_default();
    let address = |n: &Node<'t>| {
        n.kind() == "pointer_expression"
            && part(*n, "operator").is_some_and(|o| unit.text_of(o) == "&")
    };
    let called = part(call, "function").map(|f| unit.text_of(f));
    let takes_references = |n: Node<'t>| {
        let declarator = part(n, "declarator").filter(|_| n.kind() == "function_definition");
        declarator
            .filter(|d| declared(unit, *d) == called)
            .and_then(|d| walk(d, |p, _| (p.kind() == "reference_declarator").then_some(())))
    };
    given.iter().any(address) || walk(root_of(call), |n, _| takes_references(n)).is_some()
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
