//! The kernels of a file as the built-in parser reads them.

use crate::doubt::Doubts;
use crate::other::Entry;
use crate::unit::{Function, Unit, function_name, part};
use crate::{
    Kernel, Options, Parser, Required, Translation, locate, located, lower, not_lowered, note,
    requires, resolve, unread_at, unsupported,
};
use babycuda_core::Span;
use babycuda_core::syntax::Note;
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::Node;

/// Conditions that were read: those of the command line with their texts, and those of comments.
pub(crate) type Conditions<'c, 't> = (&'c [(Node<'t>, &'c str)], &'c [(Node<'t>, Required)]);

/// The kernels of a file as the built-in parser reads them, if it is to.
pub(crate) fn builtin<'t>(
    unit: &'t Unit<'t>,
    root: Node<'t>,
    (expressions, comments): Conditions<'_, 't>,
    options: &Options,
    parser: Parser,
) -> Vec<Entry<'t>> {
    // A comment is about the function that it stands in, or before.
    let ends: Vec<Range<usize>> = unit
        .functions
        .values()
        .flatten()
        .chain(&unit.kernels)
        .map(|f| unit.expanded.map.original(&f.node.byte_range()))
        .collect();
    let about = |place: &Span| ends.iter().filter(|f| f.end > place.end).min_by_key(|f| f.end);
    let doubts = Doubts::new(unit, root);
    let assumed = Doubts::assumptions(unit, root);
    let read = |function: &Function<'t>| {
        let (bytes, source) = (function.node.byte_range(), unit.source);
        let name = function_name(function.node).map_or("", |n| unit.text_of(n));
        if parser == Parser::Other {
            let kernel = unread_at(unit, name, &bytes, "kernel that is not read".into());
            return Entry { kernel, function: Some(*function), bytes, skipped: Vec::new() };
        }
        let own = unit.expanded.map.original(&bytes);
        let comments = comments.iter().filter(|(_, r)| about(&r.span).is_some_and(|f| *f == own));
        let mut stated: Vec<(Node<'t>, String)> =
            expressions.iter().map(|(node, text)| (*node, (*text).to_owned())).collect();
        let mut required: Vec<Required> = Vec::new();
        for (node, comment) in comments {
            stated.push((*node, comment.said()));
            required.push(comment.clone());
        }
        if !options.ignore_requires {
            let body = part(function.node, "body");
            for node in body.into_iter().flat_map(|body| requires::of_body(unit, body).1) {
                let text = unit.text_of(node).to_owned();
                let condition = Required { span: locate(unit, &node.byte_range()), text };
                stated.push((node, condition.said()));
                required.push(condition);
            }
        }
        let stated: Vec<(Node<'t>, &str)> =
            stated.iter().map(|(node, text)| (*node, text.as_str())).collect();
        let resolved = resolve::kernel(unit, *function, name, &stated);
        let (result, skipped) = match &resolved {
            Ok(kernel) => {
                let (result, unused) = lower::kernel::kernel(kernel, source, options);
                (result.map_err(|refused| not_lowered(source, kernel, refused)), unused)
            }
            Err(refusal) => (Err(unsupported(unit, refusal.clone())), Vec::new()),
        };
        let doubt = doubts.of(unit, *function);
        let certain = doubt.is_none();
        let result = match doubt {
            Some(refusal) => Err(unsupported(unit, refusal)),
            None => result,
        };
        let rests = assumed.iter().filter(|(_, on_it)| on_it.of(unit, *function).is_some());
        let notes: Vec<Note> = rests.map(|(reason, _)| note(reason)).collect();
        let kernel = Kernel {
            name: name.to_owned(),
            span: locate(unit, &bytes),
            translation: match result {
                Ok(mut program) => {
                    program.notes.extend(notes);
                    program.sources.required = !required.is_empty();
                    Translation::Program(located(unit, bytes.clone(), program))
                }
                Err(unsupported) => Translation::Unsupported(unsupported),
            },
            tree: resolved.ok().filter(|_| certain).map(Arc::new),
            parser: None,
            required,
        };
        Entry { kernel, function: Some(*function), bytes, skipped }
    };
    let kernels = unit.kernels.iter().filter(|kernel| unit.is_of_file(&kernel.node.byte_range()));
    let mut entries: Vec<Entry<'t>> = kernels.map(read).collect();
    for (name, range) in unit.broken.iter().filter(|(_, range)| unit.is_of_file(range)) {
        let kernel = unread_at(unit, name, range, "syntax error".into());
        entries.push(Entry { kernel, function: None, bytes: range.clone(), skipped: Vec::new() });
    }
    entries
}
