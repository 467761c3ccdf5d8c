//! Types and declarators.

use super::names::{named, sized};
use super::{Entity, Resolved, Resolver};
use crate::error::refuse;
use crate::unit::{MAX_DEPTH, begins, children, declarators, part};
use babycuda_kernel::Type;
use std::sync::Arc;
use tree_sitter::Node;

/// How names of types of libraries begin that are more than numbers.
pub(super) const LIBRARIES: &str = "\
    cu CU nv thrust cub cooperative mpi MPI nccl std __";

/// What a declarator declares.
pub(super) struct Declared<'t> {
    /// The name, when it is not abstract.
    pub(super) name: Option<Node<'t>>,
    pub(super) ty: Type,
    /// A C++ reference?
    pub(super) reference: bool,
}

impl<'t> Resolver<'t> {
    /// The type that a type specifier denotes; `None` for `auto`.
    pub(super) fn specifier(&mut self, node: Node<'t>) -> Resolved<Option<Type>> {
        if let Some(class) = self.group_class(node)? {
            return Ok(Some(class));
        }
        if let Some(fragment) = self.fragment_type(node)? {
            return Ok(Some(fragment));
        }
        if let Some(waited) = self.waited_type(node) {
            return Ok(Some(waited));
        }
        let text = self.text(node);
        let name = match node.kind() {
            "type_identifier" | "qualified_identifier" | "template_type" => text,
            "struct_specifier" | "class_specifier" => {
                part(node, "name").map_or("", |name| self.text(name))
            }
            _ => "",
        };
        if self.unit.is_wild(name) {
            return refuse(node, format!("type `{name}`, which may be more than data"));
        }
        Ok(Some(match node.kind() {
            "primitive_type" | "type_identifier" | "qualified_identifier" => {
                match self.lookup(text) {
                    Some(Entity::Type(t)) => t.clone(),
                    _ => match named(text) {
                        Some(t) => t,
                        None => self.unread_type(node)?,
                    },
                }
            }
            "sized_type_specifier" => match sized(text) {
                Some(t) => t,
                None => return refuse(node, format!("type `{text}`")),
            },
            "placeholder_type_specifier" | "auto" if text == "auto" => return Ok(None),
            "enum_specifier" if part(node, "body").is_some() => self.enumeration(node)?,
            "enum_specifier" => {
                let name = part(node, "name").map(|n| self.text(n));
                match name.and_then(|n| self.lookup(n)) {
                    Some(Entity::Type(t)) => t.clone(),
                    _ => return refuse(node, format!("type `{text}`")),
                }
            }
            "template_type" => self.unread_type(node)?,
            // `typename x<3>`
            "dependent_type" => return self.specifier(only(node)?),
            "struct_specifier" | "class_specifier" => self.structure(name, part(node, "body")),
            "union_specifier" => return refuse(node, "union"),
            other => return refuse(node, format!("type ({})", other.replace('_', " "))),
        }))
    }

    /// A type that was not read. One that nobody declares is assumed to be a number's: files have their own
    /// name for the numbers that they compute with, and its definition elsewhere. A name of a library is not.
    fn unread_type(&mut self, node: Node<'t>) -> Resolved<Type> {
        let text = self.text(node);
        let own = node.kind() == "type_identifier" && !begins(LIBRARIES, text);
        match &self.unit.expanded.missing {
            _ if self.unit.knows_type(text) => Ok(self.structure(text, None)),
            _ if own => {
                let name: Arc<str> = text.into();
                self.kernel.assumed_numbers.insert(name.clone());
                Ok(Type::Opaque(name))
            }
            Some(missing) => refuse(node, format!("`{text}`, which {missing} may define")),
            None => refuse(node, format!("unknown type `{text}`")),
        }
    }

    /// Refuses `NAME p[i] = 1;` where `p` is declared already and `NAME` is no type that is known:
    /// it may be a macro before an assignment.
    pub(super) fn no_statement(&self, node: Node<'t>, declarator: Node<'t>) -> Resolved<()> {
        let Some(specifier) = part(node, "type") else {
            return Ok(());
        };
        let text = self.text(specifier);
        let unknown = specifier.kind() == "type_identifier"
            && !matches!(self.lookup(text), Some(Entity::Type(_)))
            && named(text).is_none()
            && !self.unit.knows_type(text);
        let name = declarators(declarator).last();
        if unknown && name.is_some_and(|n| self.lookup(self.text(n)).is_some()) {
            return refuse(specifier, format!("unknown name `{text}` before a statement"));
        }
        Ok(())
    }

    /// The type of a declaration or type descriptor with a `type` field; `None` for `auto`.
    pub(super) fn declared_base(&mut self, node: Node<'t>) -> Resolved<Option<Type>> {
        self.specifier(operand(node, "type")?)
    }

    /// What `declarator` makes of the type `base`.
    pub(super) fn declarator(
        &mut self,
        base: Type,
        declarator: Option<Node<'t>>,
    ) -> Resolved<Declared<'t>> {
        let mut declared = Declared { name: None, ty: base, reference: false };
        let mut next = declarator;
        for _ in 0..MAX_DEPTH {
            let Some(node) = next else {
                return Ok(declared);
            };
            next = part(node, "declarator");
            match node.kind() {
                "identifier" | "field_identifier" | "type_identifier" => {
                    declared.name = Some(node);
                    return Ok(declared);
                }
                "pointer_declarator" | "abstract_pointer_declarator" => {
                    declared.ty = declared.ty.pointer();
                }
                "array_declarator" | "abstract_array_declarator" => {
                    let extent = match part(node, "size") {
                        None => None,
                        Some(size) => {
                            let extent = self.expr(size)?;
                            let extent = self.integer(extent, size)?;
                            Some(Box::new(self.folded(extent)))
                        }
                    };
                    declared.ty = Type::Array(Box::new(declared.ty), extent);
                }
                "reference_declarator" | "abstract_reference_declarator" => {
                    declared.reference = true;
                    next = node.named_child(0);
                }
                "parenthesized_declarator" | "abstract_parenthesized_declarator" => {
                    next = node.named_child(0);
                }
                "init_declarator" => {}
                "function_declarator" | "abstract_function_declarator" => {
                    return refuse(
                        node,
                        "function pointer, or function that is declared in a kernel",
                    );
                }
                other => {
                    return refuse(node, format!("declarator ({})", other.replace('_', " ")));
                }
            }
        }
        match declarator {
            Some(declarator) => refuse(declarator, "declarator that nests too deep"),
            None => Ok(declared),
        }
    }

    /// The type of a type descriptor, as in a cast; `None` for `auto`.
    pub(super) fn descriptor(&mut self, node: Node<'t>) -> Resolved<Option<Type>> {
        let Some(base) = self.declared_base(node)? else {
            return Ok(None);
        };
        let declared = self.declarator(base, part(node, "declarator"))?;
        if declared.reference {
            return refuse(node, "reference type");
        }
        Ok(Some(declared.ty))
    }
}

/// Does a declarator declare a C++ reference?
pub(super) fn has_reference(declarator: Node<'_>) -> bool {
    declarators(declarator).any(|d| d.kind() == "reference_declarator")
}

/// Does a declarator declare a pointer?
pub(super) fn has_pointer(declarator: Node<'_>) -> bool {
    declarators(declarator).any(|d| d.kind() == "pointer_declarator")
}

/// A field of a node that has it, if it is no error.
pub(super) fn operand<'t>(node: Node<'t>, field: &str) -> Resolved<Node<'t>> {
    part(node, field).map_or_else(|| refuse(node, "syntax error"), Ok)
}

/// Two fields of a node.
pub(super) fn operands<'t>(
    node: Node<'t>,
    first: &str,
    second: &str,
) -> Resolved<(Node<'t>, Node<'t>)> {
    Ok((operand(node, first)?, operand(node, second)?))
}

/// The only child of a node.
pub(super) fn only(node: Node<'_>) -> Resolved<Node<'_>> {
    match children(node)[..] {
        [only] => Ok(only),
        _ => refuse(node, "syntax error"),
    }
}
