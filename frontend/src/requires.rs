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

/// What comments of the file require, with their places. Those in a comment of several lines or in a conditional do
/// not count, nor do those that go on in the next line.
pub(crate) fn comments(source: &str) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    let (mut at, mut inside, mut conditionals) = (0, false, 0u32);
    for line in source.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        let (comment, before) = (line.trim(), at);
        at += line.len();
        let directive = comment.strip_prefix('#').map_or("", str::trim_start);
        conditionals += u32::from(directive.starts_with("if"));
        conditionals = conditionals.saturating_sub(u32::from(directive.starts_with("endif")));
        if inside || conditionals > 0 || comment.contains("/*") {
            inside = match (comment.rfind("/*"), comment.rfind("*/")) {
                (Some(begins), ends) => ends.is_none_or(|ends| ends < begins),
                (None, ends) => inside && ends.is_none(),
            };
            continue;
        }
        if comment.starts_with("//@") && !comment.contains("requires") {
            let last = found.last().map(|(place, _)| place.end);
            if last.is_some_and(|end| source[end..before].trim().is_empty()) {
                found.pop();
            }
            continue;
        }
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
        for hidden in [
            "/*\n//@ requires n > 0;\n*/",
            "#if 0\n//@ requires n > 0;\n#endif",
            "//@ requires n > 0\n//@   || m > 0;\n",
        ] {
            assert_eq!(of(hidden), none, "{hidden}");
        }
        assert_eq!(
            of("/* a */\n#if 0\n#endif\n//@ requires n > 0\n//@ requires m > 0"),
            ["n > 0", "m > 0"]
        );
        let (place, _) = &comments("a;\n  //@ requires n > 0\n")[0];
        assert_eq!(place.clone(), 5..23);
    }
}
