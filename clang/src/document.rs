//! Clang's JSON as nodes, each with its place.

use crate::ClangError;
use babycuda_core::deep::grow;
use serde::{Deserialize, Deserializer};
use std::sync::Arc;

/// Documents whose brackets nest deeper are refused; clang's own limit for a source is 256 of them.
const MAX_DEPTH: usize = 4_000;

/// A node: a declaration, a statement, an expression, an attribute. What a document leaves out is empty.
#[derive(Deserialize, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Node {
    pub(crate) id: Box<str>,
    pub(crate) kind: Box<str>,
    loc: Raw,
    range: RawRange,
    pub(crate) name: Box<str>,
    #[serde(rename = "type")]
    pub(crate) ty: TypeText,
    pub(crate) arg_type: Option<TypeText>,
    pub(crate) fixed_underlying_type: Option<TypeText>,
    pub(crate) ctor_type: TypeText,
    #[serde(rename = "computeLHSType")]
    pub(crate) computed: TypeText,
    pub(crate) value: Option<serde_json::Value>,
    pub(crate) opcode: Box<str>,
    pub(crate) cast_kind: Box<str>,
    pub(crate) value_category: Box<str>,
    pub(crate) storage_class: Box<str>,
    pub(crate) tag_used: Box<str>,
    /// Of `enum class`.
    pub(crate) scoped_enum_tag: Box<str>,
    /// Of a template argument: are there several within?
    pub(crate) is_pack: bool,
    pub(crate) init: Box<str>,
    pub(crate) is_arrow: bool,
    pub(crate) is_postfix: bool,
    pub(crate) is_bitfield: bool,
    pub(crate) is_implicit: bool,
    pub(crate) is_invalid: bool,
    pub(crate) has_else: bool,
    pub(crate) has_init: bool,
    pub(crate) has_var: bool,
    #[serde(rename = "virtual")]
    pub(crate) is_virtual: bool,
    pub(crate) complete_definition: bool,
    pub(crate) definition_data: Option<serde_json::Value>,
    pub(crate) bases: Vec<Base>,
    pub(crate) referenced_decl: Option<Box<Node>>,
    pub(crate) referenced_member_decl: Box<str>,
    pub(crate) previous_decl: Box<str>,
    pub(crate) parent_decl_context_id: Box<str>,
    /// The class or enumeration that a type's name defines on its way.
    pub(crate) owned_tag_decl: Option<Box<Node>>,
    pub(crate) aliased_namespace: Option<Box<Node>>,
    pub(crate) any_init: Option<Box<Node>>,
    #[serde(rename = "array_filler", deserialize_with = "children")]
    pub(crate) array_filler: Vec<Node>,
    #[serde(deserialize_with = "children")]
    pub(crate) inner: Vec<Node>,
    /// Where its name is declared.
    #[serde(skip)]
    pub(crate) named: Place,
    /// Where it begins, and where its last token does.
    #[serde(skip)]
    pub(crate) place: [Place; 2],
}

/// A type as clang writes it.
#[derive(Deserialize, Default, Debug, Clone)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TypeText {
    qual_type: Box<str>,
    desugared_qual_type: Option<Box<str>>,
}

impl TypeText {
    /// With as few other names as clang can.
    pub(crate) fn text(&self) -> &str {
        self.desugared_qual_type.as_deref().unwrap_or(&self.qual_type)
    }

    /// As the source has it.
    pub(crate) fn written(&self) -> &str {
        &self.qual_type
    }
}

/// A class that another is derived from.
#[derive(Deserialize, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Base {
    #[serde(rename = "type")]
    pub(crate) ty: TypeText,
    pub(crate) is_virtual: bool,
}

#[derive(Deserialize, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
struct Raw {
    offset: Option<usize>,
    file: Option<Box<str>>,
    line: Option<u32>,
    col: u32,
    tok_len: usize,
    included_from: Option<IncludedFrom>,
    spelling_loc: Option<Box<Raw>>,
    expansion_loc: Option<Box<Raw>>,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct RawRange {
    begin: Raw,
    end: Raw,
}

#[derive(Deserialize, Default, Debug)]
#[serde(default)]
struct IncludedFrom {
    file: Box<str>,
}

/// A token: where it takes effect, and for one that a macro made, where it is written.
#[derive(Default, Debug, Clone)]
pub(crate) struct Place {
    /// `None`: clang says none.
    pub(crate) token: Option<Token>,
    pub(crate) spelled: Option<Token>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Token {
    pub(crate) file: Arc<str>,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A document, and who includes whom.
pub(crate) struct Document {
    pub(crate) root: Node,
    /// A file, and one that includes it.
    pub(crate) includes: Vec<(Arc<str>, Arc<str>)>,
}

impl Document {
    /// Reads a document.
    pub(crate) fn read(text: &str) -> Result<Document, ClangError> {
        check_depth(text)?;
        let mut reader = serde_json::Deserializer::from_str(text);
        reader.disable_recursion_limit();
        let malformed = |e: serde_json::Error| ClangError::Document {
            line: e.line(),
            column: e.column(),
            message: e.to_string(),
        };
        let mut root = Node::deserialize(&mut reader).map_err(malformed)?;
        reader.end().map_err(malformed)?;
        if &*root.kind != "TranslationUnitDecl" {
            let message = "no translation unit".to_owned();
            return Err(ClangError::Document { line: 1, column: 1, message });
        }
        let mut places = Places::default();
        places.node(&mut root);
        Ok(Document { root, includes: places.includes })
    }
}

/// Refuses documents that nest too deep to be walked through.
fn check_depth(text: &str) -> Result<(), ClangError> {
    let (mut depth, mut string, mut escaped) = (0usize, false, false);
    let (mut line, mut column) = (1, 0);
    for byte in text.bytes() {
        (line, column) = if byte == b'\n' { (line + 1, 0) } else { (line, column + 1) };
        match byte {
            _ if escaped => escaped = false,
            b'\\' if string => escaped = true,
            b'"' => string = !string,
            b'[' | b'{' if !string => depth += 1,
            b']' | b'}' if !string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            let message = format!("nesting of more than {MAX_DEPTH} levels");
            return Err(ClangError::Document { line, column, message });
        }
    }
    Ok(())
}

fn children<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<Node>, D::Error> {
    grow(|| Vec::deserialize(reader))
}

/// Gives nodes their places. Clang leaves out a file and a line that are the ones that it wrote last.
#[derive(Default)]
struct Places {
    file: Arc<str>,
    line: u32,
    includes: Vec<(Arc<str>, Arc<str>)>,
}

impl Places {
    fn node(&mut self, node: &mut Node) {
        node.named = self.place(&node.loc);
        node.place = [self.place(&node.range.begin), self.place(&node.range.end)];
        // Both lists are written in this order.
        for list in [&mut node.array_filler, &mut node.inner] {
            list.iter_mut().for_each(|child| grow(|| self.node(child)));
        }
    }

    fn place(&mut self, raw: &Raw) -> Place {
        let spelled = raw.spelling_loc.as_deref().and_then(|raw| self.token(raw));
        let token = self.token(raw.expansion_loc.as_deref().unwrap_or(raw));
        Place { token, spelled }
    }

    fn token(&mut self, raw: &Raw) -> Option<Token> {
        let start = raw.offset?;
        if let Some(file) = &raw.file {
            self.file = (&**file).into();
        }
        self.line = raw.line.unwrap_or(self.line);
        if let Some(from) = &raw.included_from
            && !self.includes.iter().any(|(file, _)| *file == self.file)
        {
            self.includes.push((self.file.clone(), (&*from.file).into()));
        }
        let (file, line, column) = (self.file.clone(), self.line, raw.col);
        Some(Token { file, line, column, start, end: start.saturating_add(raw.tok_len) })
    }
}

impl Node {
    /// Its children that are written: statements and expressions, no attributes or comments.
    pub(crate) fn parts(&self) -> impl DoubleEndedIterator<Item = &Node> {
        let said = |kind: &str| !kind.ends_with("Attr") && !kind.ends_with("Comment");
        self.inner.iter().filter(move |n| !n.kind.is_empty() && said(&n.kind))
    }

    /// Its first child of a kind.
    pub(crate) fn child(&self, kind: &str) -> Option<&Node> {
        self.inner.iter().find(|n| &*n.kind == kind)
    }

    /// The body of a function.
    pub(crate) fn body(&self) -> Option<&Node> {
        self.child("CompoundStmt")
    }

    /// Parameters of a function.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &Node> {
        self.inner.iter().filter(|n| &*n.kind == "ParmVarDecl")
    }

    /// The file of its first token.
    pub(crate) fn file(&self) -> Option<&Arc<str>> {
        let [begin, _] = &self.place;
        self.named.token.as_ref().or(begin.token.as_ref()).map(|token| &token.file)
    }

    /// Does it stand on lines with this one?
    pub(crate) fn covers(&self, file: &str, line: u32) -> bool {
        self.reaches(file, |begin, end| (begin.line..=end.line).contains(&line))
    }

    /// Does it hold this place, or end where that is?
    pub(crate) fn holds(&self, file: &str, line: u32, column: u32) -> bool {
        self.reaches(file, |begin, end| {
            let behind = end.column.saturating_add((end.end - end.start) as u32);
            (begin.line, begin.column) <= (line, column) && (line, column) <= (end.line, behind)
        })
    }

    /// Is it so of its first and last token in the file, or of those that are written for them?
    fn reaches(&self, file: &str, is_so: impl Fn(&Token, &Token) -> bool) -> bool {
        let [begin, end] = &self.place;
        [(&begin.token, &end.token), (&begin.spelled, &end.spelled)].into_iter().any(|pair| {
            matches!(pair, (Some(b), Some(e)) if *b.file == *file && *e.file == *file && is_so(b, e))
        })
    }
}
