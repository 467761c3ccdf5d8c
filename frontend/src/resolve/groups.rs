//! Cooperative groups: their classes, and what is asked of them.

use super::calls::is_exchangeable;
use super::coalesced::coalesced;
use super::expr::dimension;
use super::names::named;
use super::templates::Given;
use super::types::{operand, operands};
use super::{Entity, Resolved, Resolver};
use crate::error::refuse;
use crate::unit::{children, listed, part};
use babycuda_core::IntType;
use babycuda_kernel::{Expr, ExprKind, Group, Launch, Place, PlaceKind, Type};
use tree_sitter::Node;

/// The functions of the namespace.
const FUNCTIONS: &str = "\
    this_thread_block this_grid tiled_partition sync thread_rank group_size reduce inclusive_scan \
    exclusive_scan coalesced_threads labeled_partition binary_partition this_multi_grid \
    this_cluster this_thread memcpy_async wait wait_prior invoke_one invoke_one_broadcast \
    reduce_update_async reduce_store_async";

/// Methods that exchange values of their first argument's type.
const EXCHANGES: &str = "shfl shfl_up shfl_down shfl_xor";

const TILE: &str = "thread_block_tile";

impl<'t> Resolver<'t> {
    /// The class of groups that a type names.
    pub(super) fn group_class(&mut self, node: Node<'t>) -> Resolved<Option<Type>> {
        let text = self.text(node);
        let own = matches!(self.lookup(text), Some(Entity::Type(_)))
            || node.kind() != "qualified_identifier"
                && self.unit.classes.contains(crate::wild::base(text));
        let Some(name) = self.unit.cooperative.member(node).filter(|_| !own) else {
            return Ok(None);
        };
        if name.kind() == "template_type" && part(name, "name").map(|n| self.text(n)) == Some(TILE)
        {
            return self.tile(operand(name, "arguments")?, node).map(Some);
        }
        Ok(match self.text(name) {
            "thread_block" => Some(Type::Group(Group::Block)),
            "grid_group" => Some(Type::Group(Group::Grid)),
            "thread_group" => Some(Type::Group(Group::Any)),
            "coalesced_group" => Some(coalesced()),
            _ => None,
        })
    }

    /// The class of tiles of as many threads as a template's first argument says.
    fn tile(&mut self, list: Node<'t>, node: Node<'t>) -> Resolved<Type> {
        let arguments = self.template_arguments(list)?;
        match arguments.into_iter().next() {
            Some(Given::Value(size)) if size.ty.integer().is_some() => {
                let size = match self.constant(&size) {
                    Some(bits) => Expr::int(size.ty.clone(), bits, self.at(node)),
                    None => Expr { at: self.at(node), ..size },
                };
                Ok(Type::Group(Group::Tile(Box::new(size))))
            }
            _ => refuse(list, "tiles of a size that is not known"),
        }
    }

    /// A call of a function of the namespace, or of a group's method; `None`: it is neither.
    pub(super) fn group_call(
        &mut self,
        function: Node<'t>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Option<Expr>> {
        if function.kind() == "field_expression" {
            let field = operand(function, "field")?;
            if let Some(value) = self.coalesced_method(function, args, node)? {
                return Ok(Some(value));
            }
            return match self.group_before(function)? {
                Some((group, class)) => {
                    self.method(group, class, self.text(field), args, node).map(Some)
                }
                None => Ok(None),
            };
        }
        // C++ looks for a function in the namespace of its argument's type, too.
        let plain = self.text(function);
        let by_argument = function.kind() == "identifier"
            && listed(FUNCTIONS, plain)
            && self.lookup(plain).is_none()
            && args.first().is_some_and(|arg| self.is_group(*arg) || self.is_coalesced(*arg));
        let found = match self.unit.cooperative.member(function) {
            _ if by_argument && self.unit.declared.contains(plain) => {
                return refuse(node, format!("call of `{plain}`, which CUDA declares too"));
            }
            Some(found) => found,
            None if by_argument => function,
            None => return Ok(None),
        };
        let template = part(found, "arguments");
        let name = self.text(part(found, "name").unwrap_or(found));
        let unqualified = found == function;
        let own = || self.lookup(name).is_some() || self.unit.declared.contains(name);
        if unqualified && (!listed(FUNCTIONS, name) || own()) {
            return Ok(None);
        }
        if unqualified && self.unit.functions.contains_key(name) {
            return match by_argument && !self.taking(name, args.len()).is_empty() {
                true => refuse(node, format!("call of `{name}`, which CUDA declares too")),
                false => Ok(None),
            };
        }
        self.group_function(name, template, args, node).map(Some)
    }

    /// Does an expression denote a group?
    fn is_group(&mut self, node: Node<'t>) -> bool {
        self.expr(node).is_ok_and(|value| matches!(value.ty, Type::Group(_)))
    }

    /// The group that an argument must be.
    pub(super) fn group(&mut self, node: Node<'t>) -> Resolved<(Expr, Group)> {
        let value = self.expr(node)?;
        match value.ty.clone() {
            Type::Group(class) => Ok((value, class)),
            _ => refuse(node, "a value that is no group"),
        }
    }

    /// The group whose member `access` names.
    fn group_before(&mut self, access: Node<'t>) -> Resolved<Option<(Expr, Group)>> {
        let object = operand(access, "argument")?;
        let value = match self.expr(object) {
            Ok(value) => value,
            Err(refusal) if object.kind() != "identifier" => return Err(refusal),
            Err(_) => return Ok(None),
        };
        let value = match (self.operator(access), value.ty.clone()) {
            ("->", Type::Pointer(ty)) => {
                let at = self.at(object);
                Place { kind: PlaceKind::Deref(Box::new(value)), ty: *ty, at }.value()
            }
            ("->", _) => return Ok(None),
            _ => value,
        };
        Ok(match value.ty.clone() {
            Type::Group(class) => Some((Expr { at: self.at(object), ..value }, class)),
            _ => None,
        })
    }

    /// A function of the namespace.
    fn asked(&mut self, name: &str, arguments: Vec<Expr>, ty: Type, node: Node<'t>) -> Expr {
        self.device(&format!("cooperative_groups::{name}"), arguments, ty, node)
    }

    fn group_function(
        &mut self,
        name: &str,
        template: Option<Node<'t>>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Expr> {
        match (name, template, args) {
            ("this_thread_block", None, []) => {
                Ok(self.asked(name, Vec::new(), Type::Group(Group::Block), node))
            }
            ("this_grid", None, []) => {
                Ok(self.asked(name, Vec::new(), Type::Group(Group::Grid), node))
            }
            ("tiled_partition", Some(list), [parent]) => {
                let (parent, _) = self.group(*parent)?;
                let ty = self.tile(list, node)?;
                Ok(self.asked(name, vec![parent], ty, node))
            }
            ("tiled_partition", None, [parent, size]) => {
                let (parent, _) = self.group(*parent)?;
                let size = self.expr(*size)?;
                let size = self.folded(size);
                if !matches!(size.kind, ExprKind::Int(_)) {
                    return refuse(
                        node,
                        "`tiled_partition` into tiles of a size that is not known",
                    );
                }
                let tile = Type::Group(Group::Tile(Box::new(size)));
                let tile = self.asked(name, vec![parent], tile, node);
                Ok(tile.converted(&Type::Group(Group::Any), self.at(node)))
            }
            ("coalesced_threads", None, []) => self.chosen(&[], node),
            ("labeled_partition" | "binary_partition", None, [_, label]) => {
                self.chosen(&[*label], node)
            }
            ("sync" | "thread_rank" | "group_size", None, [group]) if self.is_coalesced(*group) => {
                let name = if name == "group_size" { "size" } else { name };
                self.of_coalesced(name, &[], node)
            }
            ("reduce", None, [group, value, operator])
                if self.is_coalesced(*group) && self.is_operator(*operator) =>
            {
                self.of_coalesced(name, &[*value], node)
            }
            ("this_multi_grid", ..) => refuse(node, "`this_multi_grid`: grids of several devices"),
            ("sync" | "thread_rank" | "group_size", None, [group]) => {
                let (group, class) = self.group(*group)?;
                let name = if name == "group_size" { "size" } else { name };
                self.method(group, class, name, &[], node)
            }
            ("memcpy_async" | "wait", None, [group, ..]) if !self.is_coalesced(*group) => {
                self.group_copy(name, 0, args, node)
            }
            ("wait_prior", Some(list), [group]) if !self.is_coalesced(*group) => {
                let given = self.template_arguments(list)?;
                match given.first() {
                    Some(Given::Value(prior)) if let Some(prior) = self.constant(prior) => {
                        self.group_copy(name, prior, args, node)
                    }
                    _ => refuse(list, "a wait for a number of copies that is not known"),
                }
            }
            ("reduce" | "inclusive_scan" | "exclusive_scan", None, [group, value, rest @ ..])
                if rest.iter().all(|operator| self.is_operator(*operator)) =>
            {
                let (group, _) = self.group(*group)?;
                let value = self.exchanged(*value)?;
                let ty = value.ty.clone();
                Ok(self.asked(name, vec![group, value], ty, node))
            }
            _ => refuse(node, format!("call of `cooperative_groups::{name}`")),
        }
    }

    /// A function that copies asynchronously, or that waits for copies.
    fn group_copy(
        &mut self,
        name: &str,
        prior: u64,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Expr> {
        let (group, rest) = match args {
            [group, rest @ ..] => (self.group(*group)?.0, rest),
            [] => return refuse(node, format!("call of `cooperative_groups::{name}`")),
        };
        let mut arguments = vec![group];
        for arg in rest {
            let value = self.expr(*arg)?;
            arguments.push(self.folded(value));
        }
        let at = self.at(node);
        let size = |ty: &Type| self.kernel.size(ty);
        match Expr::of_group(name, &arguments, &size, prior, at) {
            Some(made) => Ok(made),
            None => refuse(node, format!("call of `cooperative_groups::{name}`")),
        }
    }

    /// A value that threads exchange.
    fn exchanged(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let value = self.expr(node)?;
        match is_exchangeable(&value.ty) {
            true => Ok(value),
            false => refuse(node, "a value that threads cannot exchange"),
        }
    }

    /// Is it one of the namespace's operators, `cg::plus<int>()`?
    fn is_operator(&self, node: Node<'t>) -> bool {
        const OPERATORS: &str = "plus less greater bit_and bit_xor bit_or";
        let function = part(node, "function").filter(|_| node.kind() == "call_expression");
        let name = function.and_then(|f| part(self.unit.cooperative.member(f)?, "name"));
        name.is_some_and(|name| listed(OPERATORS, self.text(name)))
    }

    fn method(
        &mut self,
        group: Expr,
        class: Group,
        name: &str,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Expr> {
        let (own, of_grid) = (matches!(class, Group::Tile(_)), class == Group::Grid);
        // As CUDA declares them.
        let wide = class == Group::Any || of_grid;
        let number = Type::Int(if wide { IntType::U64 } else { IntType::U32 });
        let mut arguments = vec![group];
        let ty = match (name, args) {
            ("sync", []) => Type::Void,
            ("thread_rank" | "size" | "num_threads", []) => number,
            ("is_valid", []) => Type::Bool,
            ("meta_group_rank" | "meta_group_size", []) if own => number,
            ("block_rank" | "num_blocks", []) if of_grid => number,
            (_, []) if Launch::of_group(&class, name).is_some() => {
                named("dim3").unwrap_or_else(|| Type::Opaque("dim3".into()))
            }
            (_, [value, rest @ ..]) if own && listed(EXCHANGES, name) => {
                let value = self.exchanged(*value)?;
                let ty = value.ty.clone();
                arguments.push(value);
                for arg in rest {
                    arguments.push(self.expr(*arg)?);
                }
                ty
            }
            ("any" | "all" | "ballot" | "match_any", [value]) if own => {
                arguments.push(self.expr(*value)?);
                let voted = matches!(name, "any" | "all");
                Type::Int(if voted { IntType::I32 } else { IntType::U32 })
            }
            _ => return refuse(node, format!("call of the method `{name}` of a group")),
        };
        Ok(self.asked(name, arguments, ty, node))
    }

    /// `group.thread_index().x` and the like.
    pub(super) fn place_in_group(
        &mut self,
        call: Node<'t>,
        field: &str,
        node: Node<'t>,
    ) -> Resolved<Option<Expr>> {
        let (function, arguments) = operands(call, "function", "arguments")?;
        if function.kind() != "field_expression" || !children(arguments).is_empty() {
            return Ok(None);
        }
        let method = self.text(operand(function, "field")?);
        let group = self.group_before(function)?;
        let launch = group.and_then(|(_, class)| Launch::of_group(&class, method));
        Ok(match (launch, dimension(field)) {
            (Some(launch), Some(dimension)) => Some(self.launch(launch, dimension, node)),
            _ => None,
        })
    }
}
