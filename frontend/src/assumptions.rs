//! How assumptions go through the parser: each as the body of a function behind the file.

use crate::error::FrontendError;
use crate::resolve::FORALL;
use crate::unit::{Unit, children, part, walk};
use tree_sitter::Node;

/// The function that carries an assumption's expression through the parser.
pub(crate) fn assumption_function(number: usize, text: &str) -> String {
    let (variables, expression) = quantifiers(text);
    format!("bool {FUNCTION}{number}({variables}) {{ return ({expression}); }}\n")
}

/// How the names of these functions begin.
const FUNCTION: &str = "babycuda_assumption_";

/// Is it the function of an assumption?
pub(crate) fn is_assumption(unit: &Unit<'_>, function: Node<'_>) -> bool {
    part(function, "declarator").is_some_and(|n| unit.text_of(n).starts_with(FUNCTION))
}

/// The variables of `forall i in 0..n: …` as parameters of a function, and all of it as a call.
fn quantifiers(text: &str) -> (String, String) {
    let (mut parameters, mut arguments, mut rest) = (Vec::new(), Vec::new(), text.trim());
    let word = |text: &'_ str| text.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let one = |rest: &str| {
        let rest = rest.strip_prefix("forall")?;
        let rest = rest.strip_prefix(char::is_whitespace)?.trim_start();
        let (name, rest) = rest.split_at(word(rest)?);
        let rest = rest.trim_start().strip_prefix("in")?.strip_prefix(char::is_whitespace)?;
        let (lower, rest) = split_outside(rest, "..")?;
        let (upper, rest) = split_outside(rest, ":")?;
        if ![lower, upper].into_iter().all(is_one_expression) {
            return None;
        }
        let bounds = format!("({lower}), ({upper})");
        Some((format!("long long {name}"), bounds, rest.trim_start().len()))
    };
    while let Some((parameter, bounds, left)) = one(rest) {
        parameters.push(parameter);
        arguments.push(bounds);
        rest = &rest[rest.len() - left..];
    }
    if parameters.is_empty() || !is_one_expression(rest) {
        return (String::new(), text.to_owned());
    }
    let call = format!("{}({}, ({rest}))", FORALL, arguments.join(", "));
    (parameters.join(", "), call)
}

/// The text before and behind the first `separator` outside of parentheses and brackets.
fn split_outside<'a>(text: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    let mut places = text.match_indices(separator).map(|(at, _)| text.split_at(at));
    let (before, rest) = places.find(|(before, _)| depth(before) == Some(0))?;
    Some((before, &rest[separator.len()..]))
}

/// Is the text closed, and no list?
fn is_one_expression(text: &str) -> bool {
    depth(text) == Some(0) && split_outside(text, ",").is_none()
}

/// How many parentheses and brackets are open behind the text; `None`: one is closed that is not.
fn depth(text: &str) -> Option<u32> {
    text.chars().try_fold(0u32, |depth, c| match c {
        '(' | '[' | '{' => depth.checked_add(1),
        ')' | ']' | '}' => depth.checked_sub(1),
        _ => Some(depth),
    })
}

/// Is the assumption one C expression?
pub(crate) fn check_assumption(text: &str, function: &str) -> Result<(), FrontendError> {
    let tree = crate::parse(function)?;
    let root = tree.root_node();
    let one_function = children(root).len() == 1
        && root.named_child(0).is_some_and(|n| n.kind() == "function_definition")
        && !text.contains(['\n', '#', ';', '{']);
    if root.has_error() || !one_function {
        return Err(FrontendError::Assumption {
            text: text.to_owned(),
            message: "not a C expression".into(),
        });
    }
    Ok(())
}

/// The expression of an assumption, in the tree of the file.
pub(crate) fn assumption_expression<'t>(unit: &Unit<'t>, number: usize) -> Option<Node<'t>> {
    let name = format!("{FUNCTION}{number}");
    let function = unit.functions.get(&name)?.first()?;
    let body = part(function.node, "body")?;
    let statement = *children(body).first()?;
    children(statement).first().copied()
}

/// Does an expression assign to something?
pub(crate) fn assigns(expression: Node<'_>) -> bool {
    let assigning = |kind| matches!(kind, "assignment_expression" | "update_expression");
    walk(expression, |n, _| assigning(n.kind()).then_some(())).is_some()
}
