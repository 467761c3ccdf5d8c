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
    file: File<'t>,
}

impl<'t> Aliases<'t> {
    /// Those of a function. Two variables that are exchanged through a third stay what they are, as a pair.
    pub(super) fn of(unit: &'t Unit<'t>, function: Node<'t>) -> Aliases<'t> {
        let mut aliases = Aliases { file: File::of(unit, function), ..Aliases::default() };
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
                && let Some((to, from)) = assigned(n)
                && let Some(name) = aliases.file.place(unit, to)
            {
                aliases.copied(unit, name, from);
            }
            if may_be_one(unit, n, &aliases.file) {
                let all = aliases.file.pointers_in(unit, n);
                aliases.join_all(&all);
            }
            None::<()>
        });
        aliases.passed_twice(unit, function);
        aliases
    }

    /// What stands in an argument of a launch may be any of its pointers.
    pub(super) fn argument(&mut self, unit: &'t Unit<'t>, argument: Node<'t>) -> Option<&'t str> {
        let all = self.file.pointers_in(unit, argument);
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
    fn passed_twice(&mut self, unit: &'t Unit<'t>, function: Node<'t>) {
        let list = walk(function, |n, _| (n.kind() == "parameter_list").then_some(n));
        let parameters = list.map(children).unwrap_or_default();
        let own = part(function, "declarator").and_then(|d| declared(unit, d));
        let calls = std::mem::take(&mut self.file.calls);
        for call in calls.iter().filter(|call| own.is_some() && called(unit, **call) == own) {
            let given = part(*call, "arguments").map(children).unwrap_or_default();
            // The parameter that was given each pointer.
            let mut holders: BTreeMap<&str, &str> = BTreeMap::new();
            for (parameter, given) in parameters.iter().zip(given) {
                let Some(parameter) = declared(unit, *parameter) else { continue };
                for pointer in self.file.pointers_in(unit, given) {
                    let holder = *holders.entry(pointer).or_insert(parameter);
                    join(&mut self.origins, holder, parameter);
                }
            }
        }
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
            "assignment_expression" => {
                if let Some(value) = part(from, "left") {
                    self.copied(unit, to, value);
                }
            }
            "argument_list" | "initializer_list" if children(from).len() == 1 => {
                self.copied(unit, to, children(from)[0]);
            }
            _ => {
                for name in self.file.pointers_in(unit, from) {
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

/// What a file says of pointers.
#[derive(Default)]
struct File<'t> {
    /// The names that it declares as pointers or arrays, or without a type, and how often they can be dereferenced.
    levels: BTreeMap<&'t str, usize>,
    /// The fields that it declares: plain ones, and pointers and arrays.
    fields: [BTreeSet<&'t str>; 2],
    /// Its functions that take references.
    referring: BTreeSet<&'t str>,
    calls: Vec<Node<'t>>,
}

impl<'t> File<'t> {
    /// Of the file that a node is of.
    fn of(unit: &'t Unit<'t>, node: Node<'t>) -> File<'t> {
        let mut file = File::default();
        let root = std::iter::successors(Some(node), |n| n.parent()).last().unwrap_or(node);
        let has = |n: Node<'t>, kind: &str| walk(n, |d, _| (d.kind() == kind).then_some(()));
        let _nothing = walk(root, |n, _| {
            match n.kind() {
                "call_expression" => file.calls.push(n),
                "function_definition" => {
                    let declarator = part(n, "declarator");
                    let refers = declarator.filter(|d| has(*d, "reference_declarator").is_some());
                    file.referring.extend(refers.and_then(|d| declared(unit, d)));
                }
                "declaration" if has(n, "placeholder_type_specifier").is_some() => {
                    if let Some(name) = declared(unit, n) {
                        file.levels.entry(name).or_insert(1);
                    }
                }
                "field_identifier" => {
                    let around = n.parent().map_or("", |around| around.kind());
                    let pointer = ["pointer_declarator", "array_declarator"].contains(&around);
                    if pointer || around == "field_declaration" {
                        file.fields[usize::from(pointer)].insert(unit.text_of(n));
                    }
                }
                "pointer_declarator" | "array_declarator" => {
                    if let Some((name, levels)) = variable(unit, n) {
                        let known = file.levels.entry(name).or_default();
                        *known = levels.max(*known);
                    }
                }
                _ => {}
            }
            None::<()>
        });
        file
    }

    /// The variable that a place is or begins with, if a pointer may stand there: a pointer, or a field.
    fn place(&self, unit: &'t Unit<'t>, place: Node<'t>) -> Option<&'t str> {
        let name = declared(unit, place)?;
        (self.pointers_in(unit, place).first() == Some(&name)).then_some(name)
    }

    /// The pointers that are values in an expression, in their order: no elements of arrays. An object stands for its
    /// fields.
    fn pointers_in(&self, unit: &'t Unit<'t>, node: Node<'t>) -> Vec<&'t str> {
        let mut found = Vec::new();
        let _nothing = walk(node, |n, _| {
            let name = unit.text_of(n);
            let around = n.parent().filter(|around| part(*around, "argument") == Some(n));
            let field = around.filter(|around| around.kind() == "field_expression");
            let field = field.and_then(|around| part(around, "field"));
            let of_field = field.is_some_and(|field| {
                let [plain, pointers] = &self.fields;
                let name = unit.text_of(field);
                pointers.contains(name) || !plain.contains(name)
            });
            let levels = self.levels.get(name).copied().max(of_field.then_some(1));
            // `int *c(a);` looks like a function of a type `a`.
            if matches!(n.kind(), "identifier" | "type_identifier")
                && levels.is_some_and(|levels| levels > dereferenced(unit, n))
                && !found.contains(&name)
            {
                found.push(name);
            }
            None::<()>
        });
        found
    }
}

/// The variable of a declarator, and how often it can be dereferenced; `None`: it is a function.
fn variable<'t>(unit: &'t Unit<'t>, declarator: Node<'t>) -> Option<(&'t str, usize)> {
    let (mut levels, mut inner) = (0, declarator);
    while inner.kind() != "identifier" {
        match inner.kind() {
            "function_declarator" => return None,
            "pointer_declarator" | "array_declarator" => levels += 1,
            _ => {}
        }
        inner = part(inner, "declarator").or_else(|| children(inner).into_iter().next())?;
    }
    Some((unit.text_of(inner), levels))
}

/// How often what a name stands for is dereferenced around it.
fn dereferenced<'t>(unit: &'t Unit<'t>, name: Node<'t>) -> usize {
    let (mut times, mut inner) = (0, name);
    while let Some(around) = inner.parent() {
        let operator = part(around, "operator").map(|o| unit.text_of(o));
        match (around.kind(), operator) {
            ("subscript_expression", _) if part(around, "argument") == Some(inner) => times += 1,
            ("pointer_expression", Some("*")) => times += 1,
            ("field_expression" | "parenthesized_expression", _)
            | ("binary_expression", Some("+" | "-")) => {}
            _ => break,
        }
        inner = around;
    }
    times
}

/// The place that a node gives a value, and that.
fn assigned(n: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    match n.kind() {
        "assignment_expression" => Some((part(n, "left")?, part(n, "right")?)),
        "init_declarator" => Some((part(n, "declarator")?, part(n, "value")?)),
        _ => None,
    }
}

/// The first name in a declaration or a place.
fn declared<'t>(unit: &'t Unit<'t>, node: Node<'t>) -> Option<&'t str> {
    walk(node, |n, _| (n.kind() == "identifier").then(|| unit.text_of(n)))
}

/// The name of the function that is called.
fn called<'t>(unit: &'t Unit<'t>, call: Node<'t>) -> Option<&'t str> {
    part(call, "function").map(|function| unit.text_of(function))
}

/// May the pointers in this node be one, whatever they were before: since a call changes one of them, by its address or
/// as a function of the file that takes references; since they are compared; or in `int *c(a);`, which looks like a
/// function?
fn may_be_one<'t>(unit: &'t Unit<'t>, n: Node<'t>, file: &File<'t>) -> bool {
    let operator = |n: Node<'t>| part(n, "operator").map(|o| unit.text_of(o));
    match n.kind() {
        "call_expression" => {
            let given = part(n, "arguments").map(children).unwrap_or_default();
            let address =
                |n: &Node<'t>| n.kind() == "pointer_expression" && operator(*n) == Some("&");
            given.iter().any(address) || called(unit, n).is_some_and(|f| file.referring.contains(f))
        }
        "declaration" => {
            walk(n, |d, _| (d.kind() == "function_declarator").then_some(())).is_some()
        }
        "binary_expression" => operator(n) == Some("=="),
        _ => false,
    }
}

/// Are these `t = x; x = y; y = t;`?
fn exchanges<'t>(unit: &'t Unit<'t>, three: &[Node<'t>]) -> bool {
    let names: Vec<(&str, &str)> = three
        .iter()
        .filter_map(|statement| {
            let (to, from) = children(*statement).into_iter().find_map(assigned)?;
            let from = without_parentheses(from);
            (from.kind() == "identifier").then_some((declared(unit, to)?, unit.text_of(from)))
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
