//! What a file marks as a kernel, or may, and nobody could read as one.

use crate::unit::{MAX_DEPTH, Unit, function_declarator, function_name, listed, part};
use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;
use std::ops::Range;
use tree_sitter::Node;

/// What marks a kernel.
const MARKS: [&str; 3] = ["__global__", "__attribute__((global))", "__attribute__((__global__))"];

/// What is marked as a kernel and was read as none, and as no prototype: between tokens that the grammar could make no
/// sense of, behind a macro that nobody knows, or in the body of something that was never closed. Each has its name,
/// if one can be seen.
pub(crate) fn kernels(unit: &Unit<'_>, root: Node<'_>) -> Vec<(String, Range<usize>)> {
    let heads: Vec<Range<usize>> = unit.kernels.iter().map(|k| head(k.node)).collect();
    let names = unit.kernels.iter().filter_map(|k| function_name(k.node));
    let defined: BTreeSet<&str> = names.map(|name| unit.text_of(name)).collect();
    let (mut broken, mut read) = (Vec::new(), vec![false; heads.len()]);
    for (at, word) in MARKS.iter().flat_map(|mark| unit.text.match_indices(mark)) {
        let in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let (before, after) = (&unit.text[..at], &unit.text[at + word.len()..]);
        if in_word(before.chars().next_back()) || in_word(after.chars().next()) {
            continue;
        }
        // Each head accounts for one mark.
        if let Some(k) = heads.iter().position(|head| head.contains(&at))
            && !std::mem::replace(&mut read[k], true)
        {
            continue;
        }
        let range = at..at + word.len();
        let node = root.descendant_for_byte_range(range.start, range.end);
        let around = successors(node, Node::parent);
        let harmless = |node: Node<'_>| match node.kind() {
            "string_literal" | "raw_string_literal" | "char_literal" | "comment" => true,
            "declaration" | "field_declaration" | "friend_declaration" => {
                !node.has_error() && function_declarator(node).is_some()
            }
            _ => false,
        };
        let template = instantiated(before, after);
        // The template is a kernel for all of its arguments.
        let is_known = template.is_some_and(|name| defined.contains(name));
        if !is_known && !around.take(MAX_DEPTH).any(harmless) {
            let name = template.unwrap_or_else(|| name_behind(after));
            broken.push((name.to_owned(), range));
        }
    }
    broken.sort_by_key(|(_, range): &(_, Range<usize>)| range.start);
    broken
}

/// Functions that nobody calls and that a macro of a missing header may make kernels: a word
/// before the name is unknown, and the body asks for its place in the grid.
pub(crate) fn possible_kernels<'t>(unit: &Unit<'t>) -> Vec<(&'t str, Node<'t>)> {
    let mut mentioned: BTreeMap<&str, usize> = BTreeMap::new();
    let words = unit.text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.for_each(|word| *mentioned.entry(word).or_default() += 1);
    let functions = unit.functions.values().flatten();
    let possible = functions.filter_map(|function| {
        let name = unit.text_of(function_name(function.node)?);
        let body = part(function.node, "body")?;
        let asks = ["threadIdx", "blockIdx"].map(|word| unit.text_of(body).contains(word));
        let before = &unit.text[function.node.start_byte()..name_start(function.node)?];
        let words = before.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let mut unknown = words.filter(|w| {
            w.starts_with(|c: char| !c.is_ascii_digit()) && !is_word_of_a_head(unit, w)
        });
        let is_possible = asks.contains(&true) && mentioned.get(name) == Some(&1);
        Some((unknown.next().filter(|_| is_possible)?, function.node))
    });
    possible.collect()
}

/// May a definition of a function begin with the word, without a macro?
fn is_word_of_a_head(unit: &Unit<'_>, word: &str) -> bool {
    const WORDS: &str = "static inline extern const constexpr volatile unsigned signed struct class \
        enum union typename auto virtual friend void";
    word.is_empty()
        || word.starts_with("__")
        || listed(WORDS, word)
        || unit.knows_type(word)
        || crate::resolve::names::named(word).is_some()
}

/// The template that is instantiated, where a mark between these stands in `template __global__ void k<4>(int *);`.
fn instantiated<'t>(before: &str, after: &'t str) -> Option<&'t str> {
    let statement = before.rsplit([';', '{', '}']).next()?;
    let keyword = statement.rfind("template").map(|at| &statement[at + "template".len()..])?;
    let ends = after.find([';', '{', '='])?;
    let is_one = !keyword.trim_start().starts_with('<') && after[ends..].starts_with(';');
    // Its arguments may be left out.
    let name = last_word(&after[..after[..ends].find(['<', '('])?]);
    is_one.then_some(name)
}

/// A definition up to its body.
fn head(definition: Node<'_>) -> Range<usize> {
    let body = part(definition, "body");
    definition.start_byte()..body.map_or(definition.end_byte(), |body| body.start_byte())
}

fn name_start(definition: Node<'_>) -> Option<usize> {
    Some(function_name(definition)?.start_byte())
}

/// The word before the last parenthesis that opens outside of others, up to a body or the end of a
/// declaration: the name of what is defined there, as far as that can be said.
fn name_behind(text: &str) -> &str {
    let (mut depth, mut name) = (0usize, "");
    for (at, c) in text.char_indices() {
        match c {
            '(' if depth == 0 => {
                name = last_word(&text[..at]);
                depth += 1;
            }
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '{' | ';' | '}' => break,
            _ => {}
        }
    }
    name
}

fn last_word(text: &str) -> &str {
    let text = text.trim_end();
    &text[text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len()..]
}
