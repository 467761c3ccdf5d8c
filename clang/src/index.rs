//! What a document declares.

use crate::document::{Document, Node};
use babycuda_core::deep::grow;
use std::collections::{HashMap, HashSet};

/// A declaration and the names around it.
#[derive(Clone, Copy)]
pub(crate) struct Declared<'a> {
    pub(crate) node: &'a Node,
    /// The number of the scope that it stands in.
    scope: usize,
}

/// A namespace, class or function.
struct Scope<'a> {
    node: &'a Node,
    name: String,
    outer: usize,
}

/// Declarations by their ids, and types by their names.
pub(crate) struct Index<'a> {
    declared: HashMap<&'a str, Declared<'a>>,
    /// The declaration with a body, or the complete one, by the id of the first.
    definitions: HashMap<&'a str, &'a Node>,
    /// Types by their last name.
    types: HashMap<&'a str, Vec<&'a Node>>,
    scopes: Vec<Scope<'a>>,
    /// Other names of namespaces.
    spaces: Vec<(&'a str, &'a str)>,
    /// Classes without a name, by their place.
    unnamed: HashMap<String, Vec<&'a Node>>,
    /// Lambdas by the id of their class.
    lambdas: HashMap<&'a str, &'a Node>,
    /// The values of enumerators by their full names, where one name has one value.
    enumerators: HashMap<String, Option<i128>>,
    /// Functions of which templates make others.
    patterns: HashSet<&'a str>,
    /// In the order of the file.
    pub(crate) functions: Vec<&'a Node>,
}

impl<'a> Index<'a> {
    pub(crate) fn new(document: &'a Document) -> Self {
        let root = Scope { node: &document.root, name: String::new(), outer: 0 };
        let mut index = Index {
            declared: HashMap::new(),
            definitions: HashMap::new(),
            types: HashMap::new(),
            scopes: vec![root],
            spaces: Vec::new(),
            unnamed: HashMap::new(),
            lambdas: HashMap::new(),
            enumerators: HashMap::new(),
            patterns: HashSet::new(),
            functions: Vec::new(),
        };
        index.add(&document.root, 0);
        index.define();
        index
    }

    fn add(&mut self, node: &'a Node, scope: usize) {
        if node.kind.ends_with("Decl") && !node.id.is_empty() {
            let here = Declared { node, scope };
            let known = self.declared.get(&*node.id).map_or(0, |d| d.node.inner.len() + 1);
            if node.inner.len() + 1 > known {
                self.declared.insert(&node.id, here);
            }
            match &*node.kind {
                "CXXRecordDecl"
                | "ClassTemplateSpecializationDecl"
                | "RecordDecl"
                | "EnumDecl"
                | "TypedefDecl"
                | "TypeAliasDecl" => {
                    self.types.entry(&node.name).or_default().push(node);
                    if let (true, Some(t)) = (node.name.is_empty(), &node.named.token) {
                        let place = format!("{}:{}:{}", t.file, t.line, t.column);
                        let same = self.unnamed.entry(place).or_default();
                        if !same.iter().any(|n| n.id == node.id) {
                            same.push(node);
                        }
                    }
                }
                "FunctionDecl" => self.functions.push(node),
                _ => {}
            }
        }
        if &*node.kind == "LambdaExpr"
            && let Some(class) = node.child("CXXRecordDecl")
        {
            self.lambdas.insert(&class.id, node);
        }
        if let Some(space) = &node.aliased_namespace {
            self.spaces.push((&node.name, &space.name));
        }
        if &*node.kind == "FunctionTemplateDecl" {
            let function = |n: &&Node| n.kind.contains("Function") || n.kind.contains("Method");
            if let Some(pattern) = node.inner.iter().find(function) {
                self.patterns.insert(&pattern.id);
            }
        }
        let inner = match &*node.kind {
            "NamespaceDecl"
            | "CXXRecordDecl"
            | "ClassTemplateSpecializationDecl"
            | "RecordDecl"
            | "FunctionDecl"
            | "CXXMethodDecl"
            | "CXXConstructorDecl"
            | "EnumDecl" => {
                self.scopes.push(Scope { node, name: own_name(node), outer: scope });
                self.scopes.len() - 1
            }
            _ => scope,
        };
        for child in node.array_filler.iter().chain(&node.inner) {
            grow(|| self.add(child, inner));
        }
    }

    fn define(&mut self) {
        let all: Vec<&'a Node> = self.declared.values().map(|d| d.node).collect();
        for node in all {
            let defines = node.complete_definition || node.body().is_some();
            if defines {
                let first = self.first(&node.id);
                self.definitions.insert(first, node);
            }
            if &*node.kind == "EnumDecl" {
                self.enumerate(node);
            }
        }
    }

    /// Notes the values of the enumerators, as far as clang says them.
    fn enumerate(&mut self, all: &'a Node) {
        let mut next = Some(0);
        for constant in all.inner.iter().filter(|n| &*n.kind == "EnumConstantDecl") {
            if let Some(said) = constant.parts().next() {
                next = folded(said);
            }
            let full = self.qualified(constant);
            let around = full.strip_suffix(&format!("{}::{}", all.name, constant.name));
            let short = around.filter(|_| all.scoped_enum_tag.is_empty());
            let short = short.map(|around| format!("{around}{}", constant.name));
            for name in short.into_iter().chain([full]) {
                let known = self.enumerators.entry(name).or_insert(next);
                *known = known.filter(|known| Some(*known) == next);
            }
            next = next.map(|value| value + 1);
        }
    }

    /// The id of the first declaration of what one with this id declares.
    pub(crate) fn first<'s>(&self, id: &'s str) -> &'s str
    where
        'a: 's,
    {
        let mut id = id;
        // Each is declared behind its previous one, in a document that clang wrote.
        for _ in 0..1000 {
            match self.declared.get(id) {
                Some(d) if !d.node.previous_decl.is_empty() => id = &d.node.previous_decl,
                _ => break,
            }
        }
        id
    }

    /// Is it what a template makes functions of, and none itself?
    pub(crate) fn is_pattern(&self, node: &Node) -> bool {
        self.patterns.contains(&*node.id)
    }

    /// The scope around a declaration.
    pub(crate) fn around(&self, node: &Node) -> Option<&'a Node> {
        self.declared.get(&*node.id).map(|d| self.scopes[d.scope].node)
    }

    /// The lambda whose class this is.
    pub(crate) fn lambda(&self, class: &Node) -> Option<&'a Node> {
        self.lambdas.get(&*class.id).copied()
    }

    /// What initializes the captured variables of a lambda, in the order of its fields.
    pub(crate) fn captures(lambda: &Node) -> impl Iterator<Item = &Node> {
        lambda.parts().filter(|n| !matches!(&*n.kind, "CXXRecordDecl" | "CompoundStmt"))
    }

    /// The ids of the variables that a lambda captures, in the order of its fields, and is it by reference?
    pub(crate) fn captured(lambda: &Node) -> Vec<(&str, bool)> {
        let fields = lambda.child("CXXRecordDecl").into_iter();
        let fields = fields.flat_map(|c| c.inner.iter().filter(|n| &*n.kind == "FieldDecl"));
        let by_reference = |f: &Node| f.ty.written().ends_with('&');
        Index::captures(lambda)
            .zip(fields)
            .map(|(value, field)| {
                let mut value = value;
                while value.referenced_decl.is_none() {
                    match value.parts().next_back() {
                        Some(inner) => value = inner,
                        None => break,
                    }
                }
                (value.referenced_decl.as_ref().map_or("", |d| &*d.id), by_reference(field))
            })
            .collect()
    }

    /// The declaration of a variable that says its value, if one does.
    pub(crate) fn initialized(&self, node: &'a Node) -> &'a Node {
        if !node.init.is_empty() {
            return node;
        }
        let first = self.first(&node.id);
        let same = self.declared.values().map(|d| d.node);
        let same = same.filter(|n| &*n.kind == "VarDecl" && n.name == node.name);
        let mut with = same.filter(|n| !n.init.is_empty() && self.first(&n.id) == first);
        with.next().unwrap_or(node)
    }

    pub(crate) fn get(&self, id: &str) -> Option<&'a Node> {
        self.declared.get(id).map(|d| d.node)
    }

    /// The definition of what is declared, or else its declaration.
    pub(crate) fn definition(&self, id: &str) -> Option<&'a Node> {
        self.definitions.get(self.first(id)).copied().or_else(|| self.get(id))
    }

    /// The class that a function is a method of.
    pub(crate) fn class_of(&self, node: &Node) -> Option<&'a Node> {
        let parent = match node.parent_decl_context_id.is_empty() {
            false => self.get(&node.parent_decl_context_id)?,
            true => self.scopes[self.declared.get(&*node.id)?.scope].node,
        };
        parent
            .kind
            .contains("Record")
            .then_some(parent)
            .or_else(|| (&*parent.kind == "ClassTemplateSpecializationDecl").then_some(parent))
    }

    /// The names of the namespaces and classes around a declaration, outermost first, joined by `::`, with
    /// its own.
    pub(crate) fn qualified(&self, node: &Node) -> String {
        let mut name = own_name(node);
        let mut scope = match node.parent_decl_context_id.is_empty() {
            false => self.scopes.iter().position(|s| *s.node.id == *node.parent_decl_context_id),
            true => self.declared.get(&*node.id).map(|d| d.scope),
        };
        while let Some(number) = scope.filter(|number| *number != 0) {
            let around = &self.scopes[number];
            if !around.node.kind.contains("Function") && !around.node.kind.contains("Method") {
                name = format!("{}::{name}", around.name);
            }
            scope = Some(around.outer);
        }
        name
    }

    /// The types that a name may mean, as clang writes names: each definition once.
    pub(crate) fn types_named(&self, text: &str) -> Vec<&'a Node> {
        if let Some(place) = place_of(text) {
            return self.unnamed.get(place).cloned().unwrap_or_default();
        }
        let mut wanted = self.plain_arguments(&squeezed(text));
        for (alias, space) in &self.spaces {
            if let Some(rest) = wanted.strip_prefix(alias).filter(|rest| rest.starts_with("::")) {
                wanted = format!("{space}{rest}");
            }
        }
        let plain = wanted.split('<').next().unwrap_or(&wanted);
        let last = plain.rsplit("::").next().unwrap_or(plain);
        // The last name may stand behind arguments of a template, and have some itself.
        let tail = wanted.rsplit("::").next().unwrap_or(&wanted);
        let stem = tail.split('<').next().unwrap_or(tail);
        let mut found: Vec<&'a Node> = Vec::new();
        for name in [last, tail, stem] {
            for node in self.types.get(name).into_iter().flatten() {
                let full = self.plain_arguments(&squeezed(&self.qualified(node)));
                let behind = |full: &str| {
                    full.strip_suffix(&wanted).is_some_and(|rest| rest.ends_with("::"))
                };
                // Clang leaves out arguments that are the defaults of their parameters.
                let open = wanted.strip_suffix('>').unwrap_or("\0");
                let fits = full == wanted
                    || behind(&full)
                    || full.starts_with(&format!("{open},"))
                    || full.contains(&format!("::{open},"));
                let node = self.definition(&node.id).unwrap_or(node);
                if fits && !found.iter().any(|other| std::ptr::eq(*other, node)) {
                    found.push(node);
                }
            }
        }
        // Exactly that name comes before one in a namespace.
        let exact: Vec<_> = found
            .iter()
            .copied()
            .filter(|n| self.plain_arguments(&squeezed(&self.qualified(n))) == wanted)
            .collect();
        let templates = |n: &&Node| &*n.kind != "CXXRecordDecl" || n.complete_definition;
        let mut found = if exact.is_empty() { found } else { exact };
        if found.len() > 1 {
            found.retain(templates);
        }
        found
    }

    /// A name whose template arguments are written as clang's document has them: `4`, not `4U`; `-1`, not `true`; the
    /// value of an enumerator.
    fn plain_arguments(&self, name: &str) -> String {
        let mut out = String::new();
        let mut rest = name;
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        while let Some(at) = rest.find(word) {
            let (before, behind) = rest.split_at(at);
            let end = behind.find(|c| !word(c)).unwrap_or(behind.len());
            out += before;
            let argument = &behind[..end];
            match argument {
                "true" => out += "-1",
                "false" => out += "0",
                number if number.starts_with(|c: char| c.is_ascii_digit()) => {
                    out += number.trim_end_matches(['u', 'U', 'l', 'L']);
                }
                other => match self.enumerators.get(other.trim_start_matches("::")) {
                    Some(Some(value)) if !out.is_empty() && !self.is_type(other) => {
                        out += &value.to_string();
                    }
                    _ => out += other,
                },
            }
            rest = &behind[end..];
        }
        out + rest
    }

    /// May the name be that of a type?
    fn is_type(&self, name: &str) -> bool {
        self.types.contains_key(name.rsplit("::").next().unwrap_or(name))
    }

    /// Does one node stand within another?
    pub(crate) fn within(&self, node: &Node, outer: &Node) -> bool {
        let mut scope = self.declared.get(&*node.id).map(|d| d.scope);
        while let Some(number) = scope {
            if std::ptr::eq(self.scopes[number].node, outer) {
                return true;
            }
            scope = (number != 0).then(|| self.scopes[number].outer);
        }
        false
    }
}

/// The name of a declaration, with the arguments of its template.
fn own_name(node: &Node) -> String {
    let arguments = template_arguments(node);
    match arguments.is_empty() || &*node.kind != "ClassTemplateSpecializationDecl" {
        true => node.name.to_string(),
        false => format!("{}<{}>", node.name, arguments.join(",")),
    }
}

/// A kernel's template arguments, as one writes them; nothing where it has none.
pub(crate) fn arguments(node: &Node) -> String {
    let texts = template_arguments(node);
    if texts.is_empty() { String::new() } else { format!("<{}>", texts.join(", ")) }
}

/// The value that clang says an enumerator's expression has.
fn folded(node: &Node) -> Option<i128> {
    match &node.value {
        Some(value) => value.as_str()?.parse().ok(),
        None if node.kind.ends_with("CastExpr") || &*node.kind == "ParenExpr" => {
            node.parts().next().and_then(folded)
        }
        None => None,
    }
}

/// The arguments of a template's instance, those of packs one by one.
fn template_arguments(node: &Node) -> Vec<String> {
    let arguments = node.inner.iter().filter(|n| &*n.kind == "TemplateArgument");
    let texts = arguments.flat_map(|n| match &n.value {
        Some(value) => vec![value.to_string().trim_matches('"').to_owned()],
        None if n.is_pack => template_arguments(n),
        None => vec![n.ty.text().to_owned()],
    });
    texts.collect()
}

/// Without spaces, but for those between words.
pub(crate) fn squeezed(text: &str) -> String {
    let text = text.trim_start_matches("::");
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let between =
            out.chars().last().is_some_and(word) && characters.peek().copied().is_some_and(word);
        if !c.is_whitespace() || between {
            out.push(c);
        }
    }
    out
}

/// The place in clang's name for a class without one: `(lambda at file.cu:3:7)`.
fn place_of(text: &str) -> Option<&str> {
    let (before, place) = text.strip_suffix(')')?.rsplit_once(" at ")?;
    before.contains('(').then_some(place)
}
