//! Types and declarators.

use super::Lower;
use super::expr::{only, operand};
use crate::ctype::{CType, Data, named, sized};
use crate::error::{Lowered, refuse};
use crate::unit::{MAX_DEPTH, declarators, part};
use crate::value::Binding;
use babycuda_core::{IntType, Num};
use tree_sitter::Node;

/// What a declarator declares.
pub(super) struct Declared<'t> {
    /// The name, when it is not abstract.
    pub(super) name: Option<Node<'t>>,
    pub(super) ctype: CType,
    /// A C++ reference?
    pub(super) reference: bool,
}

impl<'t> Lower<'t> {
    /// The type that a type specifier denotes; `None` for `auto`.
    pub(super) fn specifier(&mut self, node: Node<'t>) -> Lowered<Option<CType>> {
        if let Some(class) = self.group_class(node)? {
            return Ok(Some(class));
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
                match self.env.lookup(text) {
                    Some(Binding::Type(t)) => t.clone(),
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
                match name.and_then(|n| self.env.lookup(n)) {
                    Some(Binding::Type(t)) => t.clone(),
                    _ => return refuse(node, format!("type `{text}`")),
                }
            }
            "template_type" => self.unread_type(node)?,
            // `typename x<3>`
            "dependent_type" => return self.specifier(only(node)?),
            "struct_specifier" | "class_specifier" => CType::Data(Data::UNKNOWN),
            "union_specifier" => return refuse(node, "union"),
            other => return refuse(node, format!("type ({})", other.replace('_', " "))),
        }))
    }

    /// A type that was not read: data, unless a header that is missing may say otherwise.
    fn unread_type(&self, node: Node<'t>) -> Lowered<CType> {
        let text = self.text(node);
        match &self.unit.expanded.missing {
            _ if self.unit.knows_type(text) => Ok(CType::Data(Data::UNKNOWN)),
            Some(missing) => refuse(node, format!("`{text}`, which {missing} may define")),
            None => refuse(node, format!("unknown type `{text}`")),
        }
    }

    /// Refuses `NAME p[i] = 1;` where `p` is declared already and `NAME` is no type that is known:
    /// it may be a macro before an assignment.
    pub(super) fn no_statement(&self, node: Node<'t>, declarator: Node<'t>) -> Lowered<()> {
        let Some(specifier) = part(node, "type") else {
            return Ok(());
        };
        let text = self.text(specifier);
        let unknown = specifier.kind() == "type_identifier"
            && !matches!(self.env.lookup(text), Some(Binding::Type(_)))
            && named(text).is_none()
            && !self.unit.knows_type(text);
        let name = declarators(declarator).last();
        if unknown && name.is_some_and(|n| self.env.lookup(self.text(n)).is_some()) {
            return refuse(specifier, format!("unknown name `{text}` before a statement"));
        }
        Ok(())
    }

    /// The type of a declaration or type descriptor with a `type` field; `None` for `auto`.
    pub(super) fn declared_base(&mut self, node: Node<'t>) -> Lowered<Option<CType>> {
        self.specifier(operand(node, "type")?)
    }

    /// What `declarator` makes of the type `base`.
    pub(super) fn declarator(
        &mut self,
        base: CType,
        declarator: Option<Node<'t>>,
    ) -> Lowered<Declared<'t>> {
        let mut declared = Declared { name: None, ctype: base, reference: false };
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
                    declared.ctype = CType::Pointer(Box::new(declared.ctype));
                }
                "array_declarator" | "abstract_array_declarator" => {
                    let size = part(node, "size");
                    let extent = size.map(|size| self.extent(size)).transpose()?;
                    declared.ctype = CType::Array(Box::new(declared.ctype), extent);
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
        refuse(declarator.unwrap_or(self.unit_root()), "declarator that nests too deep")
    }

    /// Some node, for errors without a better place.
    pub(super) fn unit_root(&self) -> Node<'t> {
        self.unit.kernels[0].node
    }

    /// The type of a type descriptor, as in a cast; `None` for `auto`.
    pub(super) fn descriptor(&mut self, node: Node<'t>) -> Lowered<Option<CType>> {
        let Some(base) = self.declared_base(node)? else {
            return Ok(None);
        };
        let declared = self.declarator(base, part(node, "declarator"))?;
        if declared.reference {
            return refuse(node, "reference type");
        }
        Ok(Some(declared.ctype))
    }

    /// The extent of an array, as a 64-bit pattern.
    fn extent(&mut self, size: Node<'t>) -> Lowered<Num> {
        let value = self.eval(size)?;
        let (t, num) = self.integer(value, size)?;
        if num.free_vars().iter().any(|x| self.out.names.is_local(x)) {
            return refuse(size, "array whose length is no constant");
        }
        Ok(crate::arith::cast(t, IntType::U64, num, &self.ranges))
    }

    /// The number of cells that an object of type `ctype` takes: those of the innermost elements.
    pub(super) fn cells(&self, ctype: &CType) -> Option<Num> {
        match ctype {
            CType::Array(element, Some(n)) => Some(crate::arith::machine(
                babycuda_core::MachineOp::Mul,
                IntType::U64,
                n.clone(),
                self.cells(element)?,
            )),
            CType::Array(_, None) => None,
            _ => Some(crate::arith::lit(1)),
        }
    }
}
