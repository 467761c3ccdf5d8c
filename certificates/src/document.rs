//! The text of a certificate: definitions, each made once, and lemmas.

use std::collections::HashMap;

/// What is defined, by its type in Coq.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Program,
    Protocol,
    Accesses,
    Phase,
    History,
    Context,
}

impl Sort {
    /// How its definitions are named, and its type.
    fn describe(self) -> (&'static str, &'static str) {
        match self {
            Sort::Program => ("b", "prog"),
            Sort::Protocol => ("u", "protocol"),
            Sort::Accesses => ("A", "access_pair"),
            Sort::Phase => ("P", "phase"),
            Sort::History => ("H", "history"),
            Sort::Context => ("V", "list var"),
        }
    }
}

/// A certificate under construction.
#[derive(Default)]
pub(crate) struct Document {
    text: String,
    /// The name of each term, by its sort and text.
    names: HashMap<(Sort, String), String>,
    /// How many terms of each sort are defined.
    defined: HashMap<Sort, usize>,
    lemmas: usize,
    /// Are terms written where they are used, and not defined?
    spelled_out: bool,
}

impl Document {
    /// A term: its name, defined now if need be.
    pub(crate) fn term(&mut self, sort: Sort, term: String) -> String {
        if self.spelled_out {
            return enclosed(term);
        }
        if let Some(name) = self.names.get(&(sort, term.clone())) {
            return name.clone();
        }
        let (prefix, type_) = sort.describe();
        let number = self.defined.entry(sort).or_default();
        let name = format!("{prefix}{number}");
        *number += 1;
        self.write(&format!("Definition {name} : {type_} := {term}."));
        self.names.insert((sort, term), name.clone());
        name
    }

    /// A lemma, proved by a term; its name. `rule` says which rule the term is an instance of.
    pub(crate) fn lemma(&mut self, rule: &str, statement: &str, proof: &str) -> String {
        let name = format!("d{}", self.lemmas);
        self.lemmas += 1;
        self.write(&format!("(* {rule} *)\nLemma {name} : {statement}."));
        self.write(&format!("Proof. exact {proof}. Qed."));
        name
    }

    /// From now on, terms are written in full.
    pub(crate) fn spell_out(&mut self) {
        self.spelled_out = true;
    }

    /// A command of its own.
    pub(crate) fn write(&mut self, command: &str) {
        wrap(command, &mut self.text);
    }

    /// The root's judgment as a theorem, proved by the lemma `root`; and the text of all.
    pub(crate) fn conclude(mut self, statement: &str, root: &str) -> String {
        self.write(&format!("\nTheorem certificate : {statement}.\nProof. exact {root}. Qed."));
        self.text
    }
}

/// A term as an argument.
pub(crate) fn enclosed(term: String) -> String {
    let closed = term.starts_with(['(', '[']) || !term.contains(' ');
    if closed { term } else { format!("({term})") }
}

/// `[a; b; c]`
pub(crate) fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join("; "))
}

/// A Coq string. Bytes are themselves; only the quote is doubled.
pub(crate) fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Appends a command and ends its line. Lines longer than 100 columns are broken at spaces outside
/// of strings: in the second half of the line, where it is nested least, and as late as possible.
fn wrap(command: &str, out: &mut String) {
    const COLUMNS: usize = 100;
    const INDENT: &str = "  ";
    let (mut start, mut column, mut quoted, mut depth) = (0, 0, false, 0usize);
    // Where to break: the space, the column behind it, and how deeply it is nested.
    let mut space: Option<(usize, usize, usize)> = None;
    for (at, c) in command.char_indices() {
        quoted ^= c == '"';
        column += 1;
        match c {
            '\n' => (column, space) = (0, None),
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth = depth.saturating_sub(1),
            ' ' if !quoted => {
                let better = |(_, behind, nested)| depth <= nested || behind < COLUMNS / 2;
                if space.is_none_or(|other| column <= COLUMNS && better(other)) {
                    space = Some((at, column, depth));
                }
            }
            _ => {}
        }
        if let Some((end, behind, _)) = space
            && column > COLUMNS
        {
            out.push_str(&command[start..end]);
            out.push('\n');
            out.push_str(INDENT);
            start = end + 1;
            column = column - behind + INDENT.len();
            space = None;
        }
    }
    out.push_str(&command[start..]);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::{Document, Sort, enclosed, string, wrap};

    #[test]
    fn long_lines_are_broken_outside_of_strings() {
        let word = "a".repeat(60);
        let mut out = String::new();
        wrap(&format!("{word} {word}\n\"{word} {word}\" b"), &mut out);
        assert_eq!(out, format!("{word}\n  {word}\n\"{word} {word}\"\n  b\n"));
    }

    #[test]
    fn a_term_is_defined_once() {
        let mut document = Document::default();
        assert_eq!(document.term(Sort::Program, "Skip".into()), "b0");
        assert_eq!(document.term(Sort::Program, "Seq b0 b0".into()), "b1");
        assert_eq!(document.term(Sort::Program, "Skip".into()), "b0");
        assert_eq!(document.term(Sort::Phase, "[]".into()), "P0");
        document.spell_out();
        assert_eq!(document.term(Sort::Program, "Seq Skip Skip".into()), "(Seq Skip Skip)");
        let text = document.conclude("True", "I");
        assert_eq!(text.matches("Definition").count(), 3);
    }

    #[test]
    fn quotes_are_doubled_and_arguments_enclosed() {
        assert_eq!(string("x\"y"), "\"x\"\"y\"");
        assert_eq!(enclosed("Skip".into()), "Skip");
        assert_eq!(enclosed("Num 0".into()), "(Num 0)");
        assert_eq!(enclosed("[1; 2]".into()), "[1; 2]");
    }
}
