//! Calls: casts in the form of calls, what the device provides, and functions of the file.

use super::names::{is_pure, may_take, named, plain};
use super::types::operands;
use super::{Entity, Resolved, Resolver};
use crate::error::refuse;
use crate::unit::children;
use babycuda_core::IntType;
use babycuda_core::Name;
use babycuda_kernel::device::{Device, result};
use babycuda_kernel::surface::SurfaceAccess;
use babycuda_kernel::{Expr, ExprKind, Type};
use tree_sitter::Node;

impl<'t> Resolver<'t> {
    pub(super) fn call(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let (function, arguments) = operands(node, "function", "arguments")?;
        if children(node).iter().any(|c| c.kind() == "kernel_call_syntax") {
            return refuse(node, "kernel launch from a kernel");
        }
        let args = children(arguments);
        if let Some(value) = self.group_call(function, &args, node)? {
            return Ok(value);
        }
        let own =
            |name: &str| self.unit.functions.contains_key(name) || self.lookup(name).is_some();
        if !own(self.text(function))
            && let Some(value) = self.copy_call(function, &args, node)?
        {
            return Ok(value);
        }
        match function.kind() {
            "identifier" => self.call_named(self.text(function), None, &args, node),
            "primitive_type" | "sized_type_specifier" => {
                let ty = self.specifier(function)?;
                self.construct(ty, &args, node)
            }
            "qualified_identifier" => {
                let name = self.text(function);
                if let Some(value) = self.fragment_call(name, &args, node)? {
                    return Ok(value);
                }
                let simple = plain(name);
                if simple.contains("::") {
                    return refuse(node, format!("call of `{name}`"));
                }
                if name.trim_start_matches("::").starts_with("std::") {
                    return self.call_known(simple, &args, node);
                }
                self.call_named(simple, None, &args, node)
            }
            "template_function" => {
                let (name, template) = operands(function, "name", "arguments")?;
                let name = self.text(name);
                match name {
                    "static_cast" | "reinterpret_cast" | "const_cast" => {
                        match (&children(template)[..], &args[..]) {
                            ([ty], [value]) => self.cast(*ty, *value, node),
                            _ => refuse(node, name),
                        }
                    }
                    _ => self.call_named(name, Some(template), &args, node),
                }
            }
            "parenthesized_expression" => match self.cast_of_call(function, &args, node)? {
                Some(value) => Ok(value),
                None => refuse(node, "call of a function that an expression computes"),
            },
            "field_expression" => {
                refuse(node, format!("call of the method `{}`", self.text(function)))
            }
            other => refuse(node, format!("call of a {}", other.replace('_', " "))),
        }
    }

    fn call_named(
        &mut self,
        name: &'t str,
        template: Option<Node<'t>>,
        args: &[Node<'t>],
        node: Node<'t>,
    ) -> Resolved<Expr> {
        match self.lookup(name).cloned() {
            Some(Entity::Type(ty)) => return self.construct(Some(ty), args, node),
            Some(_) => return refuse(node, format!("call of the object `{name}`")),
            None => {}
        }
        if self.unit.functions.contains_key(name) {
            // An own `min` of three parameters leaves CUDA's of two as it is.
            let exact = Device::of(plain(name)) == Some(Device::Exact);
            let cuda = exact && may_take(name, args.len());
            if cuda && self.taking(name, args.len()).is_empty() {
                return self.call_known(name, args, node);
            }
            return self.own_call(name, template, args, node);
        }
        if self.unit.declared.contains(name) {
            return refuse(node, format!("call of `{name}`, which is not defined in this file"));
        }
        if let Some(access) = SurfaceAccess::of(name) {
            return self.surface(access, template, args, node);
        }
        match Device::of(name) {
            Some(Device::Fetch) => self.fetch(name, template, args, node),
            _ => self.call_known(name, args, node),
        }
    }

    /// A call of a function that CUDA or the standard library defines.
    fn call_known(&mut self, name: &str, args: &[Node<'t>], node: Node<'t>) -> Resolved<Expr> {
        let name = if is_pure(name) { plain(name) } else { name };
        let count = args.len();
        let undefined = || format!("call of `{name}`, which is not defined in this file");
        let counted = || format!("call of `{name}` with this number of arguments");
        if let ("__builtin_expect", [value, expected]) = (name, args) {
            let (value, expected) = (self.expr(*value)?, self.expr(*expected)?);
            if self.constant(&expected).is_none() {
                return refuse(node, "`__builtin_expect` of what is no constant");
            }
            return Ok(value.converted(&Type::Int(IntType::I64), self.at(node)));
        }
        if matches!(name, "memcpy" | "memmove" | "memset") {
            let mut arguments =
                args.iter().map(|a| self.expr(*a)).collect::<Resolved<Vec<Expr>>>()?;
            if let Some(count) = arguments.pop() {
                arguments.push(self.folded(count));
            }
            return match Expr::bytes(name, &arguments, self.at(node)) {
                Some(assigned) => Ok(assigned),
                None => refuse(node, format!("call of `{name}` with an unknown length")),
            };
        }
        if name.starts_with("__pipeline_") {
            let arguments = args.iter().map(|arg| self.expr(*arg).map(|value| self.folded(value)));
            let arguments = arguments.collect::<Resolved<Vec<Expr>>>()?;
            if let Some(made) = Expr::of_pipeline(name, &arguments, self.at(node)) {
                return made.or_else(|construct| refuse(node, construct));
            }
        }
        let Some(device) = Device::of(name) else {
            return match named(name) {
                Some(ty) => self.construct(Some(ty), args, node),
                None => refuse(node, undefined()),
            };
        };
        let fits = match device {
            Device::Barrier if name.starts_with("__syncthreads_") => count == 1,
            Device::Barrier => count == 0 || count == 1 && name == "__syncwarp",
            Device::Load => count == 1,
            Device::Store | Device::Swap => count == 2,
            Device::Trap => count == 0,
            _ => true,
        };
        if !fits {
            return refuse(node, undefined());
        }
        let mut arguments = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let text = matches!(arg.kind(), "string_literal" | "concatenated_string");
            if device == Device::Ignored && text {
                continue;
            }
            arguments.push(match device {
                Device::Swap => {
                    let place = self.place(*arg)?;
                    let ty = place.ty.clone().pointer();
                    self.expression(*arg, ExprKind::AddressOf(Box::new(place)), ty)
                }
                Device::Assert => self.condition(*arg)?,
                _ => {
                    let value = self.expr(*arg)?;
                    match arguments.first().map(|first: &Expr| &first.ty) {
                        Some(Type::Pointer(pointee))
                            if matches!(device, Device::Atomic | Device::Store) =>
                        {
                            value.converted(pointee, self.at(*arg))
                        }
                        _ => value,
                    }
                }
            });
            let last = &arguments[arguments.len() - 1];
            let pointer = matches!(last.ty, Type::Pointer(_));
            match device {
                Device::Load | Device::Store if i == 0 && !pointer => {
                    return refuse(
                        node,
                        format!("call of `{name}` with a value that is no pointer"),
                    );
                }
                Device::Exchange(number) if i == number && !is_exchangeable(&last.ty) => {
                    return refuse(*arg, "a value that threads cannot exchange");
                }
                _ if device.is_pure() && pointer => {
                    return refuse(*arg, format!("pointer as an argument of `{name}`"));
                }
                _ => {}
            }
        }
        let operands = if name.starts_with("atomicCAS") { 2 } else { 1 };
        match device {
            Device::Atomic if count != 1 + operands => return refuse(node, counted()),
            Device::Atomic if !matches!(arguments[0].ty, Type::Pointer(_)) => {
                return refuse(args[0], format!("address of `{name}`"));
            }
            Device::Assert if count != 1 => return refuse(node, counted()),
            _ => {}
        }
        let types: Vec<Type> = arguments.iter().map(|a| a.ty.clone()).collect();
        let ty = match name.strip_prefix("make_").filter(|_| device == Device::Data) {
            Some(made) => named(made).filter(Type::is_data).unwrap_or_else(|| {
                let data = types.iter().filter(|t| t.is_data()).max_by_key(|t| t.size());
                data.cloned().unwrap_or_else(|| Type::Opaque(made.into()))
            }),
            None => match result(name, &types) {
                Some(ty) => ty,
                None => return refuse(node, counted()),
            },
        };
        Ok(self.device(name, arguments, ty, node))
    }

    /// A call of a function of the device.
    pub(super) fn device(
        &mut self,
        name: &str,
        arguments: Vec<Expr>,
        ty: Type,
        node: Node<'t>,
    ) -> Expr {
        self.expression(node, ExprKind::Device(Name::new(name), arguments), ty)
    }

    /// `dim3(x, y)`: what it is not given is 1.
    pub(super) fn dim3(&mut self, args: &[Node<'t>], ty: &Type, node: Node<'t>) -> Resolved<Expr> {
        let mut values = Vec::new();
        for arg in args {
            let (value, at) = (self.expr(*arg)?, self.at(*arg));
            if args.len() == 1 && value.ty.integer().is_none() {
                return Ok(value.converted(ty, at));
            }
            values.push(value.converted(&Type::Int(IntType::U32), at));
        }
        while values.len() < 3 {
            values.push(self.int(node, IntType::U32, 1));
        }
        Ok(self.expression(node, ExprKind::List(values), ty.clone()))
    }

    /// `type(value)`, or a vector type from its components.
    fn construct(&mut self, ty: Option<Type>, args: &[Node<'t>], node: Node<'t>) -> Resolved<Expr> {
        match (ty, args) {
            // Only `dim3` of them can be called.
            (Some(ty), args) if is_uint3(&ty) && args.len() <= 3 => self.dim3(args, &ty, node),
            (Some(ty), [value]) => {
                let value = self.expr(*value)?;
                Ok(value.converted(&ty, self.at(node)))
            }
            (Some(ty), args) if ty.is_data() && ty.size().is_some() => {
                let values = args.iter().map(|arg| self.expr(*arg)).collect::<Resolved<_>>()?;
                Ok(self.expression(node, ExprKind::List(values), ty))
            }
            _ => refuse(node, "object of a type whose size is not known"),
        }
    }
}

/// Is it the type of `uint3` and `dim3`?
pub(super) fn is_uint3(ty: &Type) -> bool {
    matches!(ty, Type::Vector(lane, 3) if **lane == Type::Int(IntType::U32))
}

/// Can threads exchange values of the type?
pub(super) fn is_exchangeable(ty: &Type) -> bool {
    !matches!(ty, Type::Pointer(_) | Type::Group(_) | Type::Void | Type::Array(..))
}
