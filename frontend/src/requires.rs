//! What a kernel requires of its launches, as its author writes it: `__requires(n > 0);` or `requires(n > 0);` as the first
//! statements of its body, as in verifiers' suites, and comments `//@ requires n > 0;` in it or before it.

use crate::options::Options;
use crate::unit::{Unit, children, part};
use crate::{Kernel, lower};
use babycuda_core::{Program, Span};
use std::ops::Range;
use tree_sitter::Node;

/// A condition that a kernel requires.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Required {
    /// Where it stands.
    pub span: Span,
    /// In C.
    pub text: String,
}

impl Required {
    /// As an assumption says it.
    pub(crate) fn said(&self) -> String {
        format!("{} (required at {})", self.text, self.span)
    }
}

impl Kernel {
    /// The kernel for launches that need not be as it requires, read with the same options; `None`: it cannot be
    /// translated for them.
    pub fn without_requires(&self, source: &str, options: &Options) -> Option<Program> {
        let mut tree = self.tree.as_deref()?.clone();
        let stated = tree.assumptions.len().checked_sub(self.required.len())?;
        tree.assumptions.truncate(stated);
        let (program, _) = lower::kernel::kernel(&tree, source, options);
        let mut program = program.ok()?;
        if let crate::Translation::Program(own) = &self.translation {
            program.sources.parser.clone_from(&own.sources.parser);
            program.notes.clone_from(&own.notes);
        }
        Some(program)
    }
}

/// The statements of a body, without those at its beginning that require something, and what these require.
pub(crate) fn of_body<'t>(unit: &Unit<'t>, body: Node<'t>) -> (Vec<Node<'t>>, Vec<Node<'t>>) {
    if body.kind() != "compound_statement" {
        return (vec![body], Vec::new());
    }
    let mut rest = children(body);
    let required: Vec<Node<'t>> = rest.iter().map_while(|s| condition(unit, *s)).collect();
    rest.drain(..required.len());
    (rest, required)
}

/// What the statement requires.
fn condition<'t>(unit: &Unit<'t>, statement: Node<'t>) -> Option<Node<'t>> {
    let [call] = children(statement)[..] else { return None };
    let name = unit.text_of(part(call, "function")?);
    let known = statement.kind() == "expression_statement" && call.kind() == "call_expression";
    if !known || !["__requires", "requires"].contains(&name) || unit.functions.contains_key(name) {
        return None;
    }
    match children(part(call, "arguments")?)[..] {
        [condition] if !crate::assigns(condition) => Some(condition),
        _ => None,
    }
}

/// What comments of the file require, with their places.
pub(crate) fn comments(source: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        let comment = line.trim();
        at += line.len();
        let stated = comment.strip_prefix("//@").map(str::trim_start);
        let stated = stated.and_then(|text| text.strip_prefix("requires"));
        if let Some(text) = stated.filter(|text| text.starts_with([' ', '\t', '('])) {
            let text = text.trim().trim_end_matches(';').trim_end();
            found.push((start..start + comment.len(), text.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_require() {
        let of = |source: &str| -> Vec<String> {
            comments(source).into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(
            of("//@ requires n > 0;\nint x;\n  //@requires (m == 1)\n"),
            ["n > 0", "(m == 1)"]
        );
        let none: [&str; 0] = [];
        assert_eq!(of("// requires a device\n//@ requiresn > 0\nx; //@ requires n > 0\n"), none);
        let (place, _) = &comments("a;\n  //@ requires n > 0\n")[0];
        assert_eq!(place.clone(), 5..23);
    }
}
