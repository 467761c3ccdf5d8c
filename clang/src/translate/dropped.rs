//! Declarations that clang drops: where it rejects what stands outside of every declaration that it keeps, another
//! overload, type or specialisation may be meant than the one that it resolves to. That concerns the
//! kernels that use a name which the dropped text may declare, and no other.

use crate::diagnostics::Diagnostic;
use crate::document::{Document, Node};
use crate::run::Source;
use babycuda_core::deep::grow;
use std::collections::{BTreeSet, HashMap};

/// Words that declare nothing by themselves; what begins with `__` does not, either.
const WORDS: &str = "\
    alignas auto bool char class const constexpr double else enum explicit extern false float for friend goto if \
    inline int long mutable private protected public register return short signed sizeof static struct switch \
    template this true typedef typename union unsigned virtual void volatile wchar_t while size_t kernel global \
    local constant";

/// Where such words stand, anything may be declared.
const ANYTHING: [&str; 5] = ["operator", "namespace", "using", "import", "asm"];

/// An error of what clang drops.
pub(super) struct Dropped<'a> {
    pub(super) error: &'a Diagnostic,
    /// What the text may declare; `None`: anything.
    names: Option<BTreeSet<String>>,
}

impl<'a> Dropped<'a> {
    /// `text`: the lines between the declarations that are kept, `None` where they are not known.
    pub(super) fn new(error: &'a Diagnostic, text: Option<&str>) -> Self {
        Dropped { error, names: text.and_then(declared) }
    }

    /// Does it concern what mentions these names?
    pub(super) fn concerns(&self, mentioned: &BTreeSet<&str>) -> bool {
        self.names.as_ref().is_none_or(|names| names.iter().any(|n| mentioned.contains(&**n)))
    }
}

/// The names that a text may declare; `None`: that cannot be said.
fn declared(text: &str) -> Option<BTreeSet<String>> {
    let tokens = tokens(text);
    let mut names = BTreeSet::new();
    let (mut depth, mut at) = (0usize, 0);
    while at < tokens.len() {
        let token = tokens[at].as_str();
        let before = at.checked_sub(1).map_or("", |at| &tokens[at]);
        let next = tokens.get(at + 1).map_or("", String::as_str);
        match token {
            "#" => return None,
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            // The body of a function declares nothing that others see.
            "{" if before == ")" && depth == 0 => at = end_of_body(&tokens, at)?,
            _ if ANYTHING.contains(&token) => return None,
            _ if depth > 0 || !is_word(token) || listed(token) => {}
            _ if "(;=[,{:<}".contains(next) || next.is_empty() => {
                if next == "(" && !follows_a_type(before) {
                    return None;
                }
                names.insert(token.to_owned());
            }
            _ => {}
        }
        at += 1;
    }
    (depth == 0 && !names.is_empty()).then_some(names)
}

/// May what stands behind this token, and before a parenthesis, be a declared function? Otherwise it is a macro,
/// which may declare anything.
fn follows_a_type(before: &str) -> bool {
    let typed = is_word(before) && !before.starts_with("__") && !specifies(before);
    typed || matches!(before, "*" | "&" | ">" | ":" | "~")
}

/// Is a macro used in the text, outside of other parentheses and brackets?
pub(super) fn uses_a_macro(text: &str) -> bool {
    let (tokens, mut depth) = (tokens(text), 0usize);
    (0..tokens.len()).any(|at| {
        let before = at.checked_sub(1).map_or("", |at| &tokens[at]);
        match tokens[at].as_str() {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let token = tokens[at].as_str();
        let called = is_word(token) && tokens.get(at + 1).is_some_and(|next| next == "(");
        depth == 0 && called && !listed(token) && !follows_a_type(before)
    })
}

/// A word that may stand before a type, and is none.
fn specifies(word: &str) -> bool {
    const WORDS: &str = "const constexpr explicit extern friend inline mutable register return static template \
        typedef typename virtual volatile";
    WORDS.split_whitespace().any(|other| other == word)
}

/// The place of the bracket that closes the one at a place.
fn end_of_body(tokens: &[String], from: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token.as_str() {
            "{" => depth += 1,
            "}" if depth == 1 => return Some(at),
            "}" => depth -= 1,
            _ => {}
        }
    }
    None
}

pub(super) fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn listed(token: &str) -> bool {
    token.starts_with("__") || WORDS.split_whitespace().any(|word| word == token)
}

/// Words and characters, without comments, literals and directives that define no macro of the text.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skip = |to: Option<usize>, more: usize| to.map_or(rest.len(), |at| at + more);
        let length = match c {
            _ if rest.starts_with("//") => skip(rest.find('\n'), 0),
            _ if rest.starts_with("/*") => skip(rest[2..].find("*/"), 4),
            '"' | '\'' => literal(rest, c),
            _ if c.is_alphanumeric() || c == '_' => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
                let end = end.unwrap_or(rest.len());
                all.push(rest[..end].to_owned());
                end
            }
            _ => {
                if !c.is_whitespace() {
                    all.push(c.to_string());
                }
                c.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    all
}

fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// What a document declares, by name.
pub(super) struct Names<'a> {
    all: HashMap<&'a str, Vec<&'a Node>>,
    source: &'a Source<'a>,
}

impl<'a> Names<'a> {
    pub(super) fn of(document: &'a Document, source: &'a Source<'a>) -> Self {
        let mut names = Names { all: HashMap::new(), source };
        names.add(&document.root);
        names
    }

    fn add(&mut self, node: &'a Node) {
        if node.kind.ends_with("Decl") && !node.name.is_empty() {
            self.all.entry(&node.name).or_default().push(node);
        }
        for child in &node.inner {
            grow(|| self.add(child));
        }
    }

    /// The names that a declaration mentions, and those that everything of such a name mentions, and so on. Its text is
    /// asked, too: clang leaves a statement out that uses what it rejects.
    pub(super) fn mentioned(&self, node: &'a Node) -> BTreeSet<&'a str> {
        let (mut names, mut pending) = (BTreeSet::new(), vec![node]);
        let mut words = Vec::new();
        while let Some(node) = pending.pop() {
            mentions(node, &mut words);
            words.extend(words_of(self.text(node)));
            for word in words.drain(..) {
                if names.insert(word) {
                    pending.extend(self.all.get(word).into_iter().flatten());
                }
            }
        }
        names
    }

    /// The text of a declaration, where it is at hand.
    fn text(&self, node: &Node) -> &'a str {
        let [begin, end] = node.place.each_ref().map(|place| place.token.as_ref());
        let (Some(begin), Some(end)) = (begin, end) else { return "" };
        let text = self.source.text_of(&begin.file).filter(|_| begin.file == end.file);
        text.and_then(|text| text.get(begin.start..end.end)).unwrap_or_default()
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| is_word(word))
}

/// The words of names and types in a node.
fn mentions<'a>(node: &'a Node, words: &mut Vec<&'a str>) {
    let texts = [node.ty.text(), node.ty.written(), node.ctor_type.text(), &*node.name];
    let argument = node.arg_type.as_ref().map_or("", |t| t.text());
    for text in texts.into_iter().chain([argument]) {
        words.extend(
            text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()),
        );
    }
    if let Some(declared) = &node.referenced_decl {
        words.push(&declared.name);
    }
    for child in node.array_filler.iter().chain(&node.inner) {
        grow(|| mentions(child, words));
    }
}

/// The lines of the file between what is kept before and behind an error.
pub(super) fn text_around(
    error: &Diagnostic,
    source: &Source<'_>,
    before: usize,
    after: usize,
) -> Option<String> {
    let text = source.text_of(&error.file)?;
    let lines: Vec<&str> =
        text.lines().skip(before).take(after.saturating_sub(before + 1)).collect();
    Some(without_directives(lines.into_iter()))
}

/// The lines but those of the preprocessor. A macro that is defined there counts where it is used: as one of anything.
pub(super) fn without_directives<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut continued = false;
    let of_source = |line: &&str| {
        let directive = continued || line.trim_start().starts_with('#');
        continued = directive && line.trim_end().ends_with('\\');
        !directive
    };
    lines.filter(of_source).collect::<Vec<_>>().join("\n")
}
