//! Fragments of matrices: their types, and what is done with them ([`babycuda_kernel::matrix`]).

use super::templates::Given;
use super::types::operand;
use super::{Resolved, Resolver};
use crate::error::refuse;
use crate::unit::{children, part};
use babycuda_kernel::matrix::{FUNCTIONS, Fragment, access, computed};
use babycuda_kernel::{Expr, Type};
use tree_sitter::Node;

/// A name of the namespace, without it; `None`: it is another.
fn member(name: &str) -> Option<String> {
    let name: String = name.split_whitespace().collect();
    let name = name.trim_start_matches("::");
    name.strip_prefix("nvcuda::").unwrap_or(name).strip_prefix("wmma::").map(str::to_owned)
}

impl<'t> Resolver<'t> {
    /// The type of fragments that a specifier names; `None`: it names another type.
    pub(super) fn fragment_type(&mut self, node: Node<'t>) -> Resolved<Option<Type>> {
        let is_fragment = |name: &str| name.starts_with("fragment") && name.ends_with('>');
        if node.kind() != "qualified_identifier"
            || !member(self.text(node)).is_some_and(|name| is_fragment(&name))
        {
            return Ok(None);
        }
        let mut named = node;
        while let Some(below) =
            part(named, "name").filter(|_| named.kind() == "qualified_identifier")
        {
            named = below;
        }
        let of_another = |name: Node<'t>| self.text(name) != "fragment";
        if named.kind() != "template_type" || part(named, "name").is_none_or(of_another) {
            return Ok(None);
        }
        let list = operand(named, "arguments")?;
        let unknown = "a fragment of a type that is not known";
        let arguments = children(list);
        let (&[role, m, n, k, element], layout) = match arguments.split_first_chunk::<5>() {
            Some(split) => split,
            None => return refuse(node, unknown),
        };
        let mut extents = [0; 3];
        for (extent, argument) in extents.iter_mut().zip([m, n, k]) {
            let bits = match self.template_argument(argument)? {
                Given::Value(value) => self.constant(&value),
                Given::Type(_) => None,
            };
            match bits.and_then(|bits| u32::try_from(bits).ok()) {
                Some(bits) => *extent = bits,
                None => return refuse(argument, "a fragment of extents that are not known"),
            }
        }
        let layout = match layout {
            [] => None,
            [layout] => Some(self.text(*layout)),
            _ => return refuse(node, unknown),
        };
        match Fragment::ty(self.text(role), extents, self.text(element), layout) {
            Some(ty) => Ok(Some(ty)),
            None => refuse(node, unknown),
        }
    }

    /// A call of one of the functions of fragments; `None`: it is another.
    pub(super) fn fragment_call(
        &mut self,
        name: &str,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Option<Expr>> {
        let Some(name) = member(name) else { return Ok(None) };
        let name = name.as_str();
        if let ("__float_to_tf32", [value]) = (name, args) {
            let value = self.expr(*value)?;
            return Ok(Some(value.converted(&Type::Float(4), self.at(node))));
        }
        if !FUNCTIONS.contains(&name) {
            return Ok(None);
        }
        let at = self.at(node);
        let made = match (name, args) {
            ("fill_fragment", [fragment, value]) => {
                let fragment = self.place(*fragment)?;
                Ok(computed(fragment, vec![self.expr(*value)?], at))
            }
            ("mma_sync", [fragment, a, b, c, _saturates @ ..]) if args.len() <= 5 => {
                let fragment = self.place(*fragment)?;
                let from = [a, b, c].into_iter().map(|part| self.expr(*part));
                Ok(computed(fragment, from.collect::<Resolved<_>>()?, at))
            }
            ("load_matrix_sync", [fragment, pointer, stride, layout @ ..])
            | ("store_matrix_sync", [pointer, fragment, stride, layout @ ..])
                if layout.len() <= 1 =>
            {
                let fragment = self.place(*fragment)?;
                let memory = [self.expr(*pointer)?, self.expr(*stride)?];
                let said = match layout {
                    [layout] => match Fragment::layout(self.text(*layout)) {
                        None => return refuse(*layout, "a layout that is not known"),
                        known => known,
                    },
                    _ => None,
                };
                access(name, fragment, memory, said, at)
            }
            _ => Err("call of a function of fragments with this number of arguments"),
        };
        made.map(Some).or_else(|construct| refuse(node, construct))
    }
}
