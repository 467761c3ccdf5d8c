//! Declarations outside of functions: types, constants, device variables.

use super::declare::completed;
use super::{Resolved, Resolver};
use crate::unit::{field, part};
use babycuda_kernel::{Expr, Initial, StmtKind, Storage, Type};
use tree_sitter::Node;

impl<'t> Resolver<'t> {
    /// Binds what the file declares. What cannot be read stays an unknown name, which is refused
    /// where it is used.
    pub(super) fn globals(&mut self) {
        for node in self.unit.declarations.clone() {
            let _unknown = match node.kind() {
                "type_definition" | "alias_declaration" => self.type_alias(node),
                "enum_specifier" => self.enumeration(node).map(|_| ()),
                _ => self.global(node),
            };
        }
    }

    fn global(&mut self, node: Node<'t>) -> Resolved<()> {
        let device = self.has(node, "__device__") || self.has(node, "__managed__");
        let fixed = self.has(node, "const") || self.has(node, "constexpr");
        let storage = match device {
            true => Storage::Device,
            false if self.has(node, "__constant__") => Storage::Constant,
            false => Storage::File,
        };
        if let Some(specifier) = part(node, "type")
            && specifier.kind() == "enum_specifier"
        {
            return self.enumeration(specifier).map(|_| ());
        }
        if self.has(node, "__shared__") {
            let mut shared = Vec::new();
            let result = self.declaration(node, &mut shared);
            self.kernel.globals.extend(shared);
            return result;
        }
        for declarator in field(node, "declarator") {
            let Some(base) = self.declared_base(node)? else {
                continue;
            };
            let declared = self.declarator(base, Some(declarator))?;
            let Some(name) = declared.name else {
                continue;
            };
            let array = matches!(declared.ty, Type::Array(..));
            // The host's own variables are of no use on a device, but constants.
            if storage == Storage::File && !fixed {
                continue;
            }
            let value = match part(declarator, "value") {
                None => None,
                Some(value) => match self.initial(value, Some(&declared.ty)) {
                    Ok(value) if array => Some(value),
                    Ok(value) => Some(value.converted(&declared.ty, self.at(declarator))),
                    // An array of unknown contents is an array.
                    Err(refusal) if array => Some(self.unsupported(refusal)),
                    Err(refusal) if fixed && storage != Storage::Device => return Err(refusal),
                    Err(_) => None,
                },
            };
            if storage == Storage::File && value.is_none() && !array {
                continue;
            }
            let ty = completed(declared.ty, value.as_ref());
            let value = value.map(|value| Expr { ty: ty.clone(), ..value });
            let v = self.declare(name, ty, storage, fixed);
            self.variable_of(v).volatile = self.has(node, "volatile");
            if fixed && let Some(bits) = value.as_ref().and_then(|value| self.constant(value)) {
                self.known.insert(v, bits);
            }
            let initial = value.map(Initial::Value);
            let declaration = self.statement(node, StmtKind::Declare(v, initial));
            self.kernel.globals.push(declaration);
        }
        Ok(())
    }
}
