//! The translation unit: what the file declares outside of functions' bodies.

use crate::preprocess::Expanded;
use crate::spaces::Spaces;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter::successors;
use std::ops::Range;
use std::sync::LazyLock;
use tree_sitter::{Language, Node, Tree};

/// A function definition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function<'t> {
    /// The definition.
    pub(crate) node: Node<'t>,
    /// Its template parameters, when it is a template.
    pub(crate) template: Option<Node<'t>>,
}

impl<'t> Function<'t> {
    /// The node of the parameter list.
    pub(crate) fn parameters(&self) -> Option<Node<'t>> {
        part(function_declarator(self.node)?, "parameters")
    }
}

/// What a file declares.
pub(crate) struct Unit<'t> {
    /// The preprocessed text.
    pub(crate) text: &'t str,
    /// Where it comes from.
    pub(crate) expanded: &'t Expanded,
    /// The file itself.
    pub(crate) source: &'t str,
    /// Kernels in order.
    pub(crate) kernels: Vec<Function<'t>>,
    /// Functions that can be inlined, by name.
    pub(crate) functions: BTreeMap<String, Vec<Function<'t>>>,
    /// Functions that are declared; they need not be defined.
    pub(crate) declared: BTreeSet<&'t str>,
    /// Declarations outside of functions, in order.
    pub(crate) declarations: Vec<Node<'t>>,
    /// Definitions of operators.
    pub(crate) operators: Vec<Node<'t>>,
    /// The names of the types that the file declares anywhere.
    types: BTreeSet<&'t str>,
    /// Those of them that are classes and structures.
    pub(crate) classes: BTreeSet<&'t str>,
    /// The bodies of the structures that are defined, by name.
    pub(crate) structures: BTreeMap<&'t str, Vec<Node<'t>>>,
    /// The namespace of cooperative groups.
    pub(crate) cooperative: Spaces<'t>,
    /// Types that are more than data ([`crate::wild`]).
    wild: BTreeSet<&'t str>,
    /// May a cast, a type's name or a pointer that is no parameter of a kernel make an array
    /// `volatile` that is not declared so?
    pub(crate) makes_volatile: bool,
    /// Places of `__global__` that belong to no definition that could be read, each with the name of
    /// what is defined there, or nothing.
    pub(crate) broken: Vec<(String, Range<usize>)>,
}

/// Bodies and declarators may not nest deeper than this.
pub(crate) const MAX_DEPTH: usize = 150;

impl<'t> Unit<'t> {
    /// Does the file declare a type of this name?
    pub(crate) fn is_type(&self, name: &str) -> bool {
        self.types.contains(name)
    }

    /// Collects what `tree` declares.
    pub(crate) fn new(source: &'t str, expanded: &'t Expanded, tree: &'t Tree) -> Self {
        let mut unit = Unit {
            text: &expanded.text,
            expanded,
            source,
            kernels: Vec::new(),
            functions: BTreeMap::new(),
            declared: BTreeSet::new(),
            declarations: Vec::new(),
            operators: Vec::new(),
            types: BTreeSet::new(),
            classes: BTreeSet::new(),
            structures: BTreeMap::new(),
            cooperative: Spaces::of(&expanded.text, tree.root_node()),
            wild: BTreeSet::new(),
            makes_volatile: false,
            broken: Vec::new(),
        };
        unit.collect_types(tree.root_node());
        items(tree.root_node(), &mut |item, _, template| unit.collect(item, template));
        unit.makes_volatile =
            unit.text.contains("volatile") && unit.find_volatile(tree.root_node());
        unit.broken = crate::broken::kernels(&unit, tree.root_node());
        unit
    }

    /// The same, with the types that are more than data.
    pub(crate) fn with_wild_types(mut self, tree: &'t Tree) -> Self {
        self.wild = crate::wild::types(&self, tree.root_node());
        self
    }

    /// Does what has these bytes of the text stand in the file, or where it includes another? The text of a
    /// file that includes it stands before or behind all of its bytes.
    pub(crate) fn is_of_file(&self, range: &Range<usize>) -> bool {
        !self.expanded.map.original(range).is_empty()
    }

    /// The text of a node.
    pub(crate) fn text_of(&self, node: Node<'_>) -> &'t str {
        &self.text[node.byte_range()]
    }

    /// Is this a type that the file declares, or one of a library that is known?
    pub(crate) fn knows_type(&self, name: &str) -> bool {
        let base = name.split('<').next().unwrap_or(name).trim();
        let last = base.rsplit("::").next().unwrap_or(base).trim();
        self.types.contains(last) || crate::resolve::names::is_of_library(base)
    }

    /// Is a type of this name more than data?
    pub(crate) fn is_wild(&self, name: &str) -> bool {
        self.wild.contains(crate::wild::base(name)) || crate::wild::is_reference_maker(name)
    }

    /// Is there a `volatile` that says more than what an array's own declaration does?
    fn find_volatile(&self, root: Node<'t>) -> bool {
        let lists: Vec<Node<'t>> = self.kernels.iter().filter_map(Function::parameters).collect();
        let of_a_kernel = |node: Node<'t>| node.parent().is_some_and(|list| lists.contains(&list));
        let own = |node: Node<'t>| match node.kind() {
            "parameter_declaration" => of_a_kernel(node),
            "declaration" => !self.text_of(node).contains(['*', '&']),
            _ => false,
        };
        let says_more = |node: Node<'t>| {
            let qualifies = node.kind() == "type_qualifier" && self.text_of(node) == "volatile";
            (qualifies && !node.parent().is_some_and(own)).then_some(())
        };
        walk(root, |node, _| says_more(node)).is_some()
    }

    fn collect_types(&mut self, root: Node<'t>) {
        let _nothing = walk(root, |node, field| {
            // Not by `parent`, which searches from the root, as deep on the stack as the node is in the tree.
            let mut cursor = node.walk();
            let declared = match node.kind() {
                "type_identifier" if matches!(field, Some("name" | "declarator")) => vec![node],
                kind if kind.contains("type_parameter") => node.children(&mut cursor).collect(),
                _ => Vec::new(),
            };
            let declared = declared.into_iter().filter(|node| node.kind() == "type_identifier");
            self.types.extend(declared.map(|node| &self.text[node.byte_range()]));
            if matches!(node.kind(), "struct_specifier" | "class_specifier")
                && let Some(name) = part(node, "name")
            {
                let base = crate::wild::base(&self.text[name.byte_range()]);
                self.classes.insert(base);
                if let Some(body) = part(node, "body") {
                    self.structures.entry(base).or_default().push(body);
                }
            }
            None::<()>
        });
    }

    fn collect(&mut self, item: Node<'t>, template: Option<Node<'t>>) {
        match item.kind() {
            "function_definition" => self.function(item, template),
            "declaration" | "type_definition" | "alias_declaration" | "enum_specifier" => {
                self.declared.extend(function_name(item).map(|name| self.text_of(name)));
                if template.is_none() {
                    self.declarations.push(item);
                }
            }
            _ => {}
        }
    }

    fn function(&mut self, node: Node<'t>, template: Option<Node<'t>>) {
        let function = Function { node, template };
        let Some(name) = function_name(node) else {
            return;
        };
        if name.kind() == "operator_name" {
            self.operators.push(node);
            return;
        }
        if has_qualifier(node, self.text, "__global__") {
            self.kernels.push(function);
        } else {
            self.functions.entry(self.text_of(name).to_owned()).or_default().push(function);
        }
    }
}

/// Visits what a file declares, each with the namespaces that it is in, outermost first, and with
/// its template parameters.
pub(crate) fn items<'t>(
    root: Node<'t>,
    visit: &mut impl FnMut(Node<'t>, &[Node<'t>], Option<Node<'t>>),
) {
    items_in(root, &mut Vec::new(), None, 0, visit);
}

fn items_in<'t>(
    node: Node<'t>,
    spaces: &mut Vec<Node<'t>>,
    template: Option<Node<'t>>,
    depth: usize,
    visit: &mut impl FnMut(Node<'t>, &[Node<'t>], Option<Node<'t>>),
) {
    if depth > MAX_DEPTH {
        return;
    }
    for child in children(node) {
        match child.kind() {
            "linkage_specification" | "declaration_list" => {
                items_in(child, spaces, None, depth + 1, visit);
            }
            "namespace_definition" => {
                spaces.push(child);
                items_in(child, spaces, None, depth + 1, visit);
                spaces.pop();
            }
            "template_declaration" => {
                items_in(child, spaces, part(child, "parameters"), depth + 1, visit);
            }
            _ => visit(child, spaces, template),
        }
    }
}

/// The function declarator of a definition, below pointers and references.
pub(crate) fn function_declarator(definition: Node<'_>) -> Option<Node<'_>> {
    let below = successors(part(definition, "declarator"), |n| match n.kind() {
        "reference_declarator" => n.named_child(0),
        _ => part(*n, "declarator"),
    });
    below.take(MAX_DEPTH).find(|n| n.kind() == "function_declarator")
}

/// The node of a defined function's name.
pub(crate) fn function_name(definition: Node<'_>) -> Option<Node<'_>> {
    let name = part(function_declarator(definition)?, "declarator")?;
    matches!(name.kind(), "identifier" | "field_identifier" | "operator_name").then_some(name)
}

/// The named children of a node that are no comments.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect()
}

/// The child of a node in a field.
pub(crate) fn part<'t>(node: Node<'t>, field: &str) -> Option<Node<'t>> {
    node.child_by_field_id(*FIELDS.get(field)?)
}

/// The fields of the grammar, which itself searches through their names for each of its nodes.
static FIELDS: LazyLock<HashMap<String, u16>> = LazyLock::new(|| {
    let language = Language::from(tree_sitter_cuda::LANGUAGE);
    let name = |id| Some((language.field_name_for_id(id)?.to_owned(), id));
    (1..=u16::MAX).take(language.field_count()).filter_map(name).collect()
});

/// A declarator and those inside of it.
pub(crate) fn declarators(declarator: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    successors(Some(declarator), |d| part(*d, "declarator")).take(MAX_DEPTH)
}

/// What stands in the parentheses.
pub(crate) fn without_parentheses(node: Node<'_>) -> Node<'_> {
    let inner = |n: &Node<'_>| n.kind() == "parenthesized_expression";
    let within = |n: &_| Some(n).filter(|n| inner(n)).and_then(|n: &Node<'_>| n.named_child(0));
    successors(Some(node), within).last().unwrap_or(node)
}

/// The children of a node in one field.
pub(crate) fn field<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(name, &mut cursor).collect()
}

/// Visits a node and what is below it, with the fields they are in, until `visit` finds something.
pub(crate) fn walk<'t, T>(
    node: Node<'t>,
    mut visit: impl FnMut(Node<'t>, Option<&'t str>) -> Option<T>,
) -> Option<T> {
    let mut cursor = node.walk();
    loop {
        if let Some(found) = visit(cursor.node(), cursor.field_name()) {
            return Some(found);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

/// Is the name in a list of words?
pub(crate) fn listed(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}

/// Does the name begin with a word of a list?
pub(crate) fn begins(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| name.starts_with(word))
}

/// Does a declaration carry the given qualifier or storage class?
pub(crate) fn has_qualifier(node: Node<'_>, text: &str, qualifier: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| {
        matches!(child.kind(), "type_qualifier" | "storage_class_specifier" | "attribute_specifier")
            && &text[child.byte_range()] == qualifier
            || child.kind() == qualifier
    })
}
