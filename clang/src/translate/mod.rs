//! From clang's nodes to the typed trees of kernels.

mod assembly;
mod calls;
mod classes;
mod components;
mod declare;
mod device;
mod dropped;
mod expr;
mod file;
mod functions;
mod left;
mod opencl;
mod opencl_atomics;
mod opencl_images;
mod opencl_values;
mod operators;
mod places;
mod stmt;
mod types;
mod written;

pub(crate) use file::file;

use crate::diagnostics::{Diagnostic, MAIN, inclusion};
use crate::document::{Document, Node, Token};
use crate::index::Index;
use crate::run::Source;
use babycuda_core::deep::grow;
use babycuda_kernel::{
    At, Expr, ExprKind, FunctionId, Kernel, Language, Origin, RecordId, Storage, Type, Var,
    Variable,
};
use functions::{Instance, Returns};
use std::collections::HashMap;
use std::ops::Range;

/// A construct that is not translated, and where.
#[derive(Debug)]
pub(crate) struct Refusal {
    construct: String,
    at: At,
    /// What clang says of it, if it rejects it.
    rejected: Option<Diagnostic>,
}

/// What translating yields.
pub(crate) type Lowered<T> = Result<T, Refusal>;

/// At most so many nodes are translated for one kernel, counting every instance of a function.
const MAX_WORK: usize = 400_000;

/// They nest at most so deep.
const MAX_DEPTH: usize = 5_000;

/// Where a variable is found.
#[derive(Clone)]
enum Bound {
    Variable(Var),
    /// A closure has it, in the field of this number: the value, or a pointer to it.
    Captured(usize, bool),
}

/// What makes an origin.
type Key = (Option<Token>, Option<Token>, Option<Token>, String);

/// A kernel that is being translated.
struct Translator<'a> {
    document: &'a Document,
    index: &'a Index<'a>,
    errors: &'a [Diagnostic],
    source: &'a Source<'a>,
    opencl: bool,
    /// Is there an image that is not only read?
    writes_images: bool,
    kernel: Kernel,
    origins: HashMap<Key, At>,
    /// Variables of the function that is being translated, by the id of their declaration.
    variables: HashMap<&'a str, Bound>,
    globals: HashMap<&'a str, Var>,
    /// What constants of functions hold.
    known: HashMap<Var, u64>,
    records: Vec<(&'a str, RecordId)>,
    /// The ids of the fields of each record.
    fields: Vec<Vec<&'a str>>,
    /// The alignments of records.
    aligns: HashMap<RecordId, u64>,
    instances: Vec<(Instance<'a>, FunctionId)>,
    /// The functions that are being translated, innermost last.
    active: Vec<&'a str>,
    /// The innermost of them.
    function: Option<&'a Node>,
    /// Its object, and what it returns.
    this: Option<Var>,
    /// The components that structured bindings name.
    bindings: HashMap<&'a str, &'a Node>,
    /// Which field of a closure has the `this` around it.
    outer: Option<usize>,
    returns: Returns,
    /// The aliases that are being resolved.
    alias: Vec<&'a str>,
    names: HashMap<String, usize>,
    /// What clang rejects of what the kernel uses.
    wrong: Option<Diagnostic>,
    depth: usize,
    work: usize,
}

impl<'a> Translator<'a> {
    fn new(
        document: &'a Document,
        index: &'a Index<'a>,
        errors: &'a [Diagnostic],
        source: &'a Source<'a>,
    ) -> Self {
        let volatile = source.text.contains("volatile");
        Translator {
            document,
            index,
            errors,
            source,
            opencl: source.language == Language::OpenCl,
            writes_images: false,
            kernel: Kernel { volatile, origins: vec![Origin::default()], ..Kernel::default() },
            origins: HashMap::new(),
            variables: HashMap::new(),
            globals: HashMap::new(),
            known: HashMap::new(),
            records: Vec::new(),
            fields: Vec::new(),
            aligns: HashMap::new(),
            instances: Vec::new(),
            active: Vec::new(),
            function: None,
            this: None,
            bindings: HashMap::new(),
            outer: None,
            returns: Returns::Value(Type::Void),
            alias: Vec::new(),
            names: HashMap::new(),
            wrong: None,
            depth: 0,
            work: 0,
        }
    }

    /// Counts one unit of work at `node`, and one level of nesting while `f` runs.
    fn nested<T>(&mut self, node: &Node, f: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        self.work += 1;
        if self.work > MAX_WORK {
            return self.refuse(node, format!("functions of more than {MAX_WORK} parts"));
        }
        if self.depth > MAX_DEPTH {
            return self.refuse(node, format!("nesting of more than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        let result = grow(|| f(self));
        self.depth -= 1;
        result
    }

    /// Refuses the construct at a node.
    fn refuse<T>(&mut self, node: &Node, construct: impl Into<String>) -> Lowered<T> {
        Err(Refusal { construct: construct.into(), at: self.at(node), rejected: None })
    }

    /// Refuses what clang rejects within a declaration.
    fn touch(&mut self, node: &Node) -> Lowered<()> {
        let wrong = |e: &&Diagnostic| node.covers(&e.file, e.line);
        match self.errors.iter().find(wrong) {
            Some(error) => {
                let construct = format!("what clang rejects: {}", error.message());
                let (at, rejected) = (self.at(node), Some(error.clone()));
                Err(Refusal { construct, at, rejected })
            }
            None if node.is_invalid => self.refuse(node, "what clang rejects"),
            None => Ok(()),
        }
    }

    /// Is it declared by our headers, or by clang itself?
    fn is_device(&self, node: &Node) -> bool {
        match node.file() {
            Some(file) => {
                crate::folder::is_known(file)
                    || file.ends_with("/opencl-c.h")
                    || file.ends_with("/opencl-c-base.h")
            }
            None => true,
        }
    }

    /// Where a node stands.
    fn at(&mut self, node: &Node) -> At {
        let [begin, end] = &node.place;
        let (begin, end) = match (&begin.token, &end.token) {
            (Some(_), Some(_)) => (begin, end),
            _ => (&node.named, &node.named),
        };
        let spelled = begin.spelled.clone();
        // What one use of a macro made differs in nothing but its node.
        let id = if spelled.is_some() { node.id.to_string() } else { String::new() };
        let key = (begin.token.clone(), end.token.clone(), spelled, id);
        if let Some(at) = self.origins.get(&key) {
            return *at;
        }
        let origin = self.origin(begin.token.as_ref(), end.token.as_ref());
        let spelled = match (&begin.spelled, &end.spelled) {
            (Some(b), Some(e)) if &*b.file == MAIN && b.file == e.file && b.start < e.end => {
                Some(b.start..e.end)
            }
            (Some(b), _) if &*b.file == MAIN => Some(b.start..b.end),
            _ => None,
        };
        self.kernel.origins.push(Origin { spelled, ..origin });
        let at = At(self.kernel.origins.len() as u32 - 1);
        self.origins.insert(key, at);
        at
    }

    fn origin(&self, begin: Option<&Token>, end: Option<&Token>) -> Origin {
        let Some(begin) = begin else { return Origin::default() };
        if &*begin.file == MAIN {
            let end = end.filter(|end| end.file == begin.file).map_or(begin.end, |end| end.end);
            return Origin { bytes: self.clamped(begin.start..end), ..Origin::default() };
        }
        let around = self.source.includer.filter(|_| self.source.text_of(&begin.file).is_some());
        let file = around.map_or_else(|| begin.file.clone(), |includer| (&*includer.path).into());
        let included = Some((file, begin.line));
        Origin {
            bytes: inclusion(self.source.text, &self.document.includes, &begin.file),
            included,
            ..Origin::default()
        }
    }

    /// A range of the file that is one: a document may say anything.
    fn clamped(&self, bytes: Range<usize>) -> Range<usize> {
        let end = bytes.end.min(self.source.text.len());
        bytes.start.min(end)..end
    }

    fn expression(&mut self, node: &Node, kind: ExprKind, ty: Type) -> Expr {
        Expr { kind, ty, at: self.at(node) }
    }

    /// A new variable.
    fn variable(&mut self, node: &'a Node, ty: Type, storage: Storage) -> Var {
        let name = match node.name.is_empty() {
            true => "unnamed".to_owned(),
            false => node.name.to_string(),
        };
        let token = node.named.token.as_ref();
        let origin = self.origin(token, token);
        self.kernel.origins.push(origin);
        let at = At(self.kernel.origins.len() as u32 - 1);
        let variable = Variable { name, ty, storage, constant: false, volatile: false, at };
        self.kernel.variables.push(variable);
        Var(self.kernel.variables.len() as u32 - 1)
    }

    /// A name of a function or class that no other has.
    fn unique(&mut self, name: &str) -> String {
        let word = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '_' };
        let last: String = name.replace("::", "_").chars().map(word).collect();
        let count = self.names.entry(last.clone()).or_insert(0);
        *count += 1;
        if *count > 1 { format!("{last}_{count}") } else { last }
    }
}

/// A node without what only groups or marks it.
fn bare(mut node: &Node) -> &Node {
    while let "ParenExpr"
    | "ConstantExpr"
    | "ExprWithCleanups"
    | "SubstNonTypeTemplateParmExpr"
    | "CXXBindTemporaryExpr"
    | "GenericSelectionExpr" = &*node.kind
    {
        match node.parts().next_back() {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// The same without implicit casts, too.
fn uncast(node: &Node) -> &Node {
    let mut node = bare(node);
    while &*node.kind == "ImplicitCastExpr" {
        match node.parts().next_back() {
            Some(inner) => node = bare(inner),
            None => break,
        }
    }
    node
}
