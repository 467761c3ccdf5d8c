//! Textures: objects, which are values, and references, which the file declares. Surfaces: objects, which are pointers.

use super::templates::Given;
use super::types::{has_pointer, operand};
use super::{Resolved, Resolver};
use crate::error::refuse;
use crate::unit::{children, declarators, field, part};
use babycuda_kernel::surface::SurfaceAccess;
use babycuda_kernel::{Expr, Type};
use tree_sitter::Node;

impl<'t> Resolver<'t> {
    /// What a texture holds. The type is said by the call (`tex2D<float>(object, x, y)`), or by the
    /// declaration of the reference, which is no value and is left out.
    pub(super) fn fetch(
        &mut self,
        name: &str,
        template: Option<Node<'t>>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Expr> {
        let said = template.map(|list| self.template_arguments(list)).transpose()?;
        let (ty, args) = match said.as_deref() {
            Some([Given::Type(ty)]) => (ty.clone(), args),
            None => match args.split_first() {
                Some((texture, rest)) => (self.texel(*texture)?, rest),
                None => return refuse(node, format!("call of `{name}` without a texture")),
            },
            Some(_) => return refuse(node, format!("call of `{name}` with such a template")),
        };
        let mut arguments = Vec::new();
        for arg in args {
            let value = self.expr(*arg)?;
            if matches!(value.ty, Type::Pointer(_)) {
                return refuse(*arg, format!("pointer as an argument of `{name}`"));
            }
            arguments.push(value);
        }
        Ok(self.device(name, arguments, ty, node))
    }

    /// An access of a surface: `surf2Dread<float>(surface, x, y)`, `surf2Dread(&value, surface, x, y)` or
    /// `surf2Dwrite(value, surface, x, y)`.
    pub(super) fn surface(
        &mut self,
        access: SurfaceAccess,
        template: Option<Node<'t>>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Expr> {
        let said = template.map(|list| self.template_arguments(list)).transpose()?;
        let said = match said.as_deref() {
            Some([Given::Type(ty)]) => Some(ty.clone()),
            None | Some([]) => None,
            Some(_) => return refuse(node, "access of a surface with such a template"),
        };
        let of_value = access.writes || said.is_none();
        let whole = usize::from(of_value) + 1 + access.coordinates;
        let (args, mode) = args.split_at(whole.min(args.len()));
        if mode.iter().any(|mode| self.text(*mode) != "cudaBoundaryModeTrap") {
            return refuse(node, "access of a surface in another mode than `cudaBoundaryModeTrap`");
        }
        let mut values = args.iter().map(|arg| self.expr(*arg)).collect::<Resolved<Vec<_>>>()?;
        let value = (of_value && !values.is_empty()).then(|| values.remove(0));
        let made = access.call(said, value, values, self.at(node));
        made.or_else(|construct| refuse(node, construct))
    }

    /// The type of what the texture reference of this name holds.
    fn texel(&mut self, texture: Node<'t>) -> Resolved<Type> {
        let name = self.text(texture);
        let declares = |declaration: &Node<'t>| {
            field(*declaration, "declarator").into_iter().any(|declarator| {
                let declared = declarators(declarator).last();
                declared.is_some_and(|n| self.text(n) == name) && !has_pointer(declarator)
            })
        };
        let mut found = self.unit.declarations.iter().filter(|d| declares(d));
        let (Some(declaration), None, None) = (found.next(), found.next(), self.lookup(name))
        else {
            return refuse(
                texture,
                format!("`{name}`, which is no texture that the file declares"),
            );
        };
        let class = operand(*declaration, "type")?;
        let arguments = part(class, "arguments").filter(|_| {
            class.kind() == "template_type"
                && part(class, "name").is_some_and(|n| self.text(n) == "texture")
        });
        let Some(arguments) = arguments else {
            return refuse(
                texture,
                format!("`{name}`, which is no texture that the file declares"),
            );
        };
        let element = children(arguments).first().map(|t| self.descriptor(*t)).transpose()?;
        // Integers are floats between 0 and 1 where the third argument says so.
        let plain = match &children(arguments)[..] {
            [_] | [_, _] => true,
            [_, _, mode] => self.text(*mode) == "cudaReadModeElementType",
            _ => false,
        };
        match element.flatten() {
            Some(ty) if plain => Ok(ty),
            _ => Ok(Type::Opaque("texel".into())),
        }
    }
}
