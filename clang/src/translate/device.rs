//! Calls of what the device provides.

use super::calls::Called;
use super::{Lowered, Translator, bare, uncast};
use crate::document::Node;
use babycuda_core::{IntType, Name};
use babycuda_kernel::device::{COALESCED, Device, TOKEN};
use babycuda_kernel::surface::SurfaceAccess;
use babycuda_kernel::{Expr, ExprKind, Group, Launch, Type};

/// `cudaBoundaryModeTrap`
const TRAP: u64 = 2;

const GROUPS: &str = "cooperative_groups";

impl<'a> Translator<'a> {
    pub(super) fn device_call(&mut self, called: &Called<'a>, node: &'a Node) -> Lowered<Expr> {
        let declaration = called.declaration;
        let full = self.index.qualified(declaration);
        let ty = self.ty(&node.ty, node);
        if &*declaration.kind == "CXXConversionDecl" {
            let Some((object, arrow)) = called.object else {
                return self.refuse(node, "conversion");
            };
            let (value, ty, at) = (self.of_group(object, arrow, node)?, ty?, self.at(node));
            if !matches!(value.ty, Type::Group(_)) {
                return self.refuse(node, "conversion of a group of threads that values choose");
            }
            return Ok(value.converted(&ty, at));
        }
        if let Some(rest) = full.strip_prefix(&format!("{GROUPS}::")) {
            let method = rest.rsplit("::").next().unwrap_or(rest);
            return self.group_call(method, called, node);
        }
        if let Some(rest) = full.strip_prefix("cuda::") {
            let method = rest.rsplit("::").next().unwrap_or(rest);
            return self.copy_call(method, called, node);
        }
        let name = full.strip_prefix("std::").unwrap_or(&full);
        if matches!(name, "memcpy" | "memmove" | "memset") {
            let (arguments, at) = (self.values(called)?, self.at(node));
            return match Expr::bytes(name, &arguments, at) {
                Some(assigned) => Ok(assigned),
                None => self.refuse(node, format!("call of `{name}` with an unknown length")),
            };
        }
        if let ("__builtin_expect", [value, expected]) = (name, &called.arguments[..]) {
            let (value, expected) = (self.value_of(value)?, self.value_of(expected)?);
            return match babycuda_kernel::constant(&expected, &|_| None) {
                Some(_) => Ok(value),
                None => self.refuse(node, "`__builtin_expect` of what is no constant"),
            };
        }
        if name.starts_with("__pipeline_") {
            let arguments = self.values(called)?;
            if let Some(made) = Expr::of_pipeline(name, &arguments, self.at(node)) {
                return made.or_else(|construct| self.refuse(node, construct));
            }
        }
        if let Some(access) = SurfaceAccess::of(name) {
            return self.surface_access(access, called, node);
        }
        let Some(device) = Device::of(name).filter(|device| *device != Device::Group) else {
            return self.refuse(node, format!("call of `{name}`"));
        };
        let mut arguments = Vec::new();
        let mut passed = self.passed(called);
        if device == Device::Fetch && !passed.is_empty() {
            // The texture, or where to put what it holds.
            let of = passed.remove(0);
            if of.ty.text().ends_with('*') {
                return self.refuse(node, format!("call of `{name}` with a pointer"));
            }
        }
        for argument in passed {
            let value = match device {
                Device::Swap => self.address_of(argument)?,
                Device::Assert => self.condition(argument)?,
                _ => self.value_of(argument)?,
            };
            if device == Device::Ignored && matches!(value.kind, ExprKind::String) {
                continue;
            }
            if device.is_pure() && matches!(value.ty, Type::Pointer(_)) {
                return self.refuse(argument, format!("pointer as an argument of `{name}`"));
            }
            arguments.push(value);
        }
        let ty = if device == Device::Ignored { Type::Void } else { ty? };
        Ok(self.expression(node, ExprKind::Device(Name::new(name), arguments), ty))
    }

    /// An access of a surface. Where what is accessed is no argument, the call says its type.
    fn surface_access(
        &mut self,
        access: SurfaceAccess,
        called: &Called<'a>,
        node: &'a Node,
    ) -> Lowered<Expr> {
        let mut values = self.values(called)?;
        let at = self.at(node);
        let read = self.ty(&node.ty, node)?;
        let said = Some(read).filter(|ty| *ty != Type::Void);
        let of_value = said.is_none();
        let whole = usize::from(of_value) + 1 + access.coordinates;
        let mode = values.split_off(whole.min(values.len()));
        let trap = |mode: &Expr| babycuda_kernel::constant(mode, &|_| None) == Some(TRAP);
        if !mode.iter().all(trap) {
            let other = "access of a surface in another mode than `cudaBoundaryModeTrap`";
            return self.refuse(node, other);
        }
        let value = (of_value && !values.is_empty()).then(|| values.remove(0));
        let made = access.call(said, value, values, at);
        made.or_else(|construct| self.refuse(node, construct))
    }

    /// The values of the arguments that are written, constants as literals.
    fn values(&mut self, called: &Called<'a>) -> Lowered<Vec<Expr>> {
        let passed = self.passed(called).into_iter();
        passed.map(|argument| self.value_of(argument).map(|value| self.folded(value))).collect()
    }

    /// The arguments that are written.
    fn passed(&self, called: &Called<'a>) -> Vec<&'a Node> {
        let written = |n: &&&Node| &*n.kind != "CXXDefaultArgExpr";
        called.arguments.iter().filter(written).copied().collect()
    }

    fn of_group(&mut self, object: &'a Node, arrow: bool, node: &'a Node) -> Lowered<Expr> {
        match arrow {
            false => self.value_of(object),
            true => {
                let pointer = self.expr(object)?;
                Ok(self.deref(pointer, node)?.value())
            }
        }
    }

    /// A function of cooperative groups, or a method of one.
    fn group_call(&mut self, name: &str, called: &Called<'a>, node: &'a Node) -> Lowered<Expr> {
        let mut arguments = Vec::new();
        if let Some((object, arrow)) = called.object {
            arguments.push(self.of_group(object, arrow, node)?);
        }
        let operator = matches!(name, "reduce" | "inclusive_scan" | "exclusive_scan");
        for (number, argument) in self.passed(called).into_iter().enumerate() {
            // The memory of a block's tiles is not accessed otherwise.
            if name == "this_thread_block" {
                break;
            }
            if operator && number == 2 {
                if !self.is_operator(argument) {
                    return self.refuse(argument, "operator of the file for a group");
                }
                continue;
            }
            arguments.push(self.value_of(argument)?);
        }
        if matches!(name, "coalesced_threads" | "binary_partition" | "labeled_partition") {
            // Who is in the group rests on the labels.
            let labels = arguments.split_off(arguments.len().min(1));
            let ty = Type::Opaque(COALESCED.into());
            return Ok(self.expression(node, ExprKind::List(labels), ty));
        }
        if matches!(arguments.first(), Some(group) if group.ty == Type::Opaque(COALESCED.into())) {
            arguments.remove(0);
            let ty = self.ty(&node.ty, node)?;
            let name = Name::new(format!("coalesced::{name}"));
            return Ok(self.expression(node, ExprKind::Device(name, arguments), ty));
        }
        let class = match arguments.first().map(|group| &group.ty) {
            Some(Type::Group(class)) => Some(class.clone()),
            _ => None,
        };
        if let Some(launch) = class.as_ref().and_then(|class| Launch::of_group(class, name)) {
            let parts = (0..3).map(|d| self.launch(launch, d, node)).collect();
            let ty = Type::Vector(Box::new(Type::Int(IntType::U32)), 3);
            return Ok(self.expression(node, ExprKind::List(parts), ty));
        }
        if class.is_some() {
            let prior = first_argument(called).or((name != "wait_prior").then_some(0));
            let at = self.at(node);
            let size = |ty: &Type| self.kernel.size(ty);
            let copies = prior.and_then(|prior| Expr::of_group(name, &arguments, &size, prior, at));
            if let Some(copies) = copies {
                return Ok(copies);
            }
            if matches!(name, "memcpy_async" | "wait" | "wait_prior") {
                return self.refuse(node, format!("call of `{GROUPS}::{name}`"));
            }
        }
        let made = matches!(name, "this_thread_block" | "this_grid");
        if !(class.is_some() || made) {
            return self.refuse(node, format!("call of `{GROUPS}::{name}`"));
        }
        let ty = self.ty(&node.ty, node)?;
        if name == "tiled_partition" && arguments.len() == 2 {
            let size = arguments.pop().map(|size| self.folded(size));
            let Some(size) = size.filter(|size| matches!(size.kind, ExprKind::Int(_))) else {
                let unknown = "`tiled_partition` into tiles of a size that is not known";
                return self.refuse(node, unknown);
            };
            let name = Name::new(format!("{GROUPS}::{name}"));
            let tile = Type::Group(Group::Tile(Box::new(size)));
            let tile = self.expression(node, ExprKind::Device(name, arguments), tile);
            let at = self.at(node);
            return Ok(tile.converted(&ty, at));
        }
        let name = if name == "group_size" { "size" } else { name };
        let name = Name::new(format!("{GROUPS}::{name}"));
        Ok(self.expression(node, ExprKind::Device(name, arguments), ty))
    }

    /// A function of the namespace `cuda`, or a method of its pipelines and barriers, which are passed by pointers.
    fn copy_call(&mut self, name: &str, called: &Called<'a>, node: &'a Node) -> Lowered<Expr> {
        let mut arguments = Vec::new();
        if let Some((object, arrow)) = called.object {
            arguments.push(match arrow {
                true => self.value_of(object)?,
                false => self.address_of(object)?,
            });
        }
        for argument in self.passed(called) {
            let ty = self.ty(&argument.ty, argument)?;
            arguments.push(match &ty {
                Type::Opaque(name) if **name == *TOKEN => self.value_of(self.moved(argument))?,
                Type::Opaque(_) => self.address_of(argument)?,
                _ => {
                    let value = self.value_of(argument)?;
                    self.folded(value)
                }
            });
        }
        let prior = first_argument(called).map(|n| self.number(node, Type::Int(IntType::U64), n));
        match Expr::of_cuda(name, &arguments, prior.as_ref(), self.at(node)) {
            Some(made) => made.or_else(|construct| self.refuse(node, construct)),
            None => self.refuse(node, format!("call of `cuda::{name}`")),
        }
    }

    /// What stands in `std::move(…)`.
    fn moved(&self, node: &'a Node) -> &'a Node {
        let parts: Vec<&'a Node> = bare(node).parts().collect();
        match &parts[..] {
            [callee, inner] if &*bare(node).kind == "CallExpr" => {
                let called = uncast(callee).referenced_decl.as_deref();
                let moves = |d: &Node| &*d.name == "move" && self.is_our(&d.id);
                if called.is_some_and(moves) { inner } else { node }
            }
            _ => node,
        }
    }

    fn address_of(&mut self, object: &'a Node) -> Lowered<Expr> {
        let place = self.place(object)?;
        Ok(self.address(place, object))
    }

    /// Is it an object of one of the namespace's classes, `cg::plus<int>()`?
    fn is_operator(&self, node: &Node) -> bool {
        let text = node.ty.text().trim_start_matches("const ");
        let found = self.index.types_named(text);
        found.iter().any(|class| self.is_device(class))
    }
}

/// The number `N` of a call of `f<N, …>`.
fn first_argument(called: &Called<'_>) -> Option<u64> {
    let given = crate::index::arguments(called.declaration);
    let first = given.trim_start_matches('<').split([',', '>']).next();
    first.and_then(|number| number.trim().parse().ok())
}
