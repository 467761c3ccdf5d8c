//! Expressions.

use super::names::{self, Constant};
use super::types::{only, operand, operands};
use super::{Entity, Resolved, Resolver};
use crate::error::refuse;
use crate::literal;
use crate::unit::{children, part, without_parentheses};
use babycuda_core::IntType;
use babycuda_core::expr::BoolOp;
use babycuda_kernel::matrix::Fragment;
use babycuda_kernel::{Expr, ExprKind, Kernel, Launch, Member, Storage, Type, common};
use tree_sitter::Node;

/// An array of more elements that a list does not fill is not spelled out.
const MAX_FILLED: u64 = 32;

impl<'t> Resolver<'t> {
    /// An expression, as a value.
    pub(super) fn expr(&mut self, node: Node<'t>) -> Resolved<Expr> {
        self.nested(node, |s| s.expr_of(node))
    }

    /// An expression as a condition.
    pub(super) fn condition(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let value = self.expr(node)?;
        self.truth(value, node)
    }

    fn expr_of(&mut self, node: Node<'t>) -> Resolved<Expr> {
        if node.is_error() || node.is_missing() {
            return refuse(node, "syntax error");
        }
        match node.kind() {
            "parenthesized_expression" => self.expr(only(node)?),
            "condition_clause" => {
                let value = operand(node, "value")?;
                if part(node, "initializer").is_some() || value.kind() == "declaration" {
                    return refuse(node, "variable that is declared in a condition");
                }
                self.expr(value)
            }
            "identifier" | "qualified_identifier" => self.name(node),
            "number_literal" => self.number(node),
            "char_literal" => match literal::integer(self.text(node)) {
                Some((_, bits)) => Ok(self.int(node, IntType::I8, bits & 0xff)),
                None => refuse(node, format!("character literal {}", self.text(node))),
            },
            "true" | "false" => {
                let bits = u64::from(node.kind() == "true");
                Ok(self.expression(node, ExprKind::Int(bits), Type::Bool))
            }
            "null" | "nullptr" => Ok(self.expression(node, ExprKind::Null, Type::Void.pointer())),
            "string_literal" => {
                let ty = Type::Int(IntType::I8).pointer();
                Ok(self.expression(node, ExprKind::String, ty))
            }
            "binary_expression" => {
                let (l, r) = operands(node, "left", "right")?;
                match self.operator(node) {
                    "&&" => self.logical(BoolOp::And, l, r, node),
                    "||" => self.logical(BoolOp::Or, l, r, node),
                    op => {
                        if let Some(value) = self.cast_of_operator(op, [l, r], node)? {
                            return Ok(value);
                        }
                        let (l, r) = (self.expr(l)?, self.expr(r)?);
                        self.binary(op, l, r, node)
                    }
                }
            }
            "unary_expression" => {
                let value = self.expr(operand(node, "argument")?)?;
                self.unary(self.operator(node), value, node)
            }
            "pointer_expression" if self.operator(node) == "&" => {
                let place = self.place(operand(node, "argument")?)?;
                let ty = place.ty.clone().pointer();
                Ok(self.expression(node, ExprKind::AddressOf(Box::new(place)), ty))
            }
            "pointer_expression" | "subscript_expression" => Ok(self.place(node)?.value()),
            "field_expression" => self.member(node),
            "cast_expression" => {
                let (t, value) = operands(node, "type", "value")?;
                self.cast(t, value, node)
            }
            "conditional_expression" => self.conditional(node),
            "assignment_expression" => self.assignment(node),
            "update_expression" => self.update(node),
            "comma_expression" => {
                let (l, r) = operands(node, "left", "right")?;
                let both = Box::new([self.expr(l)?, self.expr(r)?]);
                let ty = both[1].ty.clone();
                Ok(self.expression(node, ExprKind::Comma(both), ty))
            }
            "call_expression" => self.call(node),
            "sizeof_expression" => self.size_of(node),
            "initializer_list" | "argument_list" => self.list(node, &Type::Opaque("object".into())),
            "compound_literal_expression" => {
                let (ty, value) = operands(node, "type", "value")?;
                match self.descriptor(ty)? {
                    Some(ty) => self.list(value, &ty),
                    None => refuse(node, "auto"),
                }
            }
            "gnu_asm_expression" => self.assembly(node),
            "lambda_expression" => refuse(node, "lambda"),
            other => refuse(node, other.replace('_', " ")),
        }
    }

    pub(super) fn int(&mut self, node: Node<'t>, t: IntType, bits: u64) -> Expr {
        self.expression(node, ExprKind::Int(bits), Type::Int(t))
    }

    fn logical(&mut self, op: BoolOp, l: Node<'t>, r: Node<'t>, node: Node<'t>) -> Resolved<Expr> {
        let left = self.condition(l)?;
        // It may never be evaluated.
        let right = match self.condition(r) {
            Ok(right) => right,
            Err(refusal) => Expr { ty: Type::Bool, ..self.unsupported(refusal) },
        };
        Ok(self.expression(node, ExprKind::Logical(op, Box::new([left, right])), Type::Bool))
    }

    fn name(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let name = self.text(node);
        if let Some(value) = self.enumerator_of(node) {
            return Ok(Expr { at: self.at(node), ..value });
        }
        match self.lookup(name).cloned() {
            Some(Entity::Constant(value)) => Ok(Expr { at: self.at(node), ..value }),
            Some(_) => Ok(self.place(node)?.value()),
            None if name == "warpSize" => {
                Ok(self.expression(node, ExprKind::WarpSize, Type::Int(IntType::I32)))
            }
            None => match names::constant(name) {
                Some(Constant::Int(t, bits)) => Ok(self.int(node, t, bits)),
                Some(Constant::Float(bytes)) => {
                    Ok(self.expression(node, ExprKind::Float(None), Type::Float(bytes)))
                }
                Some(Constant::Null) => {
                    Ok(self.expression(node, ExprKind::Null, Type::Void.pointer()))
                }
                None => self.undeclared(node),
            },
        }
    }

    /// A name that nothing declares. It may be assumed to be a constant of type `int`, unless a header is missing, which
    /// may define anything.
    fn undeclared(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let name = self.text(node);
        let may_be = Kernel::may_be_constant(name) && !self.assuming;
        if !may_be || self.unit.expanded.missing.is_some() {
            return refuse(node, format!("unknown name `{name}`"));
        }
        let v = self.variable(name, Type::Int(IntType::I32), Storage::Template, node);
        self.kernel.template.push(v);
        self.kernel.assumed_constants.push(v);
        if let Some(file) = self.scopes.first_mut() {
            file.insert(name, Entity::Variable(v));
        }
        Ok(self.place_of(v, node).value())
    }

    fn number(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let text = self.text(node);
        // The grammar takes a sign for a part of the number.
        if let Some(digits) = text.strip_prefix('-') {
            let value = self.number_of(digits, node)?;
            let value = self.unary("-", value, node)?;
            return Ok(match self.constant(&value) {
                Some(bits) => Expr::int(value.ty.clone(), bits, value.at),
                None => value,
            });
        }
        self.number_of(text.strip_prefix('+').unwrap_or(text), node)
    }

    fn number_of(&mut self, text: &str, node: Node<'t>) -> Resolved<Expr> {
        if let Some((t, bits)) = literal::integer(text) {
            return Ok(self.int(node, t, bits));
        }
        let single = text.ends_with(['f', 'F']) && !text.starts_with("0x");
        let looks_floating = text.contains(['.', 'e', 'E', 'p', 'P']) || single;
        if !looks_floating {
            return refuse(node, format!("number `{text}`, which is not understood"));
        }
        let ty = Type::Float(if single { 4 } else { 8 });
        Ok(self.expression(node, ExprKind::Float(literal::floating(text)), ty))
    }

    /// `a.b`: a component of a built-in index, or of a place or value.
    fn member(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let (argument, field) = operands(node, "argument", "field")?;
        let name = self.text(argument);
        if argument.kind() == "identifier"
            && self.lookup(name).is_none()
            && let Some(launch) = Launch::named(name)
            && let Some(dimension) = dimension(self.text(field))
        {
            return Ok(self.launch(launch, dimension, node));
        }
        let argument = without_parentheses(argument);
        if argument.kind() != "call_expression" || self.operator(node) == "->" {
            return Ok(self.place(node)?.value());
        }
        if let Some(value) = self.place_in_group(argument, self.text(field), node)? {
            return Ok(value);
        }
        // A component of a value that is nowhere: `make_float4(…).x`.
        let value = self.expr(argument)?;
        let Some((member, ty)) = self.component(&value.ty, self.text(field)) else {
            return refuse(node, "member of a value that is no structure");
        };
        Ok(self.expression(node, ExprKind::Component(Box::new(value), member), ty))
    }

    /// `threadIdx.x` and the like.
    pub(super) fn launch(&mut self, of: Launch, dimension: usize, node: Node<'t>) -> Expr {
        self.expression(node, ExprKind::Launch(of, dimension), Type::Int(IntType::U32))
    }

    /// A component of values of a type, with its type. Of an opaque one nothing is known, so it is data.
    pub(super) fn component(&self, of: &Type, field: &str) -> Option<(Member, Type)> {
        match of {
            Type::Vector(lane, _) => {
                let number = ["x", "y", "z", "w"].iter().position(|name| *name == field)?;
                Some((Member::Lane(number as u32), lane.as_ref().clone()))
            }
            Type::Record(record) => {
                let fields = &self.kernel[*record].fields;
                let number = fields.iter().position(|known| known.name == field)?;
                Some((Member::Field(number), fields[number].ty.clone()))
            }
            ty if Fragment::of(ty).is_some() => {
                let member = Member::Named(field.to_owned());
                match field {
                    // What a lane holds, whatever its type is.
                    "x" => Some((member, Type::Array(Box::new(Type::Float(4)), None))),
                    Fragment::ELEMENTS => Some((member, Type::Int(IntType::I32))),
                    _ => None,
                }
            }
            // A number has none.
            Type::Opaque(name) if self.kernel.assumed_numbers.contains(name) => None,
            ty if ty.is_data() => {
                Some((Member::Named(field.to_owned()), Type::Opaque("member".into())))
            }
            _ => None,
        }
    }

    /// `c ? x : y`
    fn conditional(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let Some(consequence) = part(node, "consequence") else {
            return refuse(node, "`?:` without its middle operand");
        };
        let (c, alternative) = operands(node, "condition", "alternative")?;
        let c = self.condition(c)?;
        let (mut x, mut y) = (self.expr(consequence)?, self.expr(alternative)?);
        let ty = match (&x.ty, &y.ty) {
            (x, y) if x == y => x.clone(),
            (x, _) if x.is_data() => x.clone(),
            (_, y) if y.is_data() => y.clone(),
            (Type::Pointer(_), y @ Type::Pointer(_)) if x.kind == ExprKind::Null => y.clone(),
            (x @ Type::Pointer(_), Type::Pointer(_)) => x.clone(),
            (x @ Type::Group(_), Type::Group(_)) => x.clone(),
            _ => {
                (x, y) = (self.integer(x, node)?, self.integer(y, node)?);
                let t = |e: &Expr| e.ty.integer().unwrap_or(IntType::I32);
                Type::Int(common(t(&x), t(&y)))
            }
        };
        let at = self.at(node);
        let all = Box::new([c, x.converted(&ty, at), y.converted(&ty, at)]);
        Ok(self.expression(node, ExprKind::Conditional(all), ty))
    }

    /// An assignment expression, plain or compound.
    fn assignment(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let (left, right) = operands(node, "left", "right")?;
        let operator = self.operator(node);
        let value = self.expr(right)?;
        let place = Box::new(self.place(left)?);
        let ty = place.ty.clone();
        let kind = match operator.strip_suffix('=') {
            Some("") => {
                let at = self.at(left);
                ExprKind::Assign(place, Box::new(value.converted(&ty, at)))
            }
            Some(op) => {
                let types = self.computed(op, &decayed(&ty), &value.ty, node)?;
                let at = value.at;
                let value = Box::new(value.converted(&types.right, at));
                match babycuda_kernel::arithmetic(op) {
                    Some(op) => ExprKind::Update { op, place, value, computed: types.left },
                    None => return refuse(node, format!("operator `{op}`")),
                }
            }
            None => return refuse(node, format!("assignment operator `{operator}`")),
        };
        Ok(self.expression(node, kind, ty))
    }

    /// `x++`, `x--`, `++x`, `--x`.
    fn update(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let argument = operand(node, "argument")?;
        let prefix = argument.start_byte() > node.start_byte();
        if !prefix
            && argument.kind() == "unary_expression"
            && let Some(operand) = part(argument, "argument")
        {
            // The grammar takes `-x++` for `(-x)++`, which C has not.
            let old = self.step(operand, false, node)?;
            return self.unary(self.operator(argument), old, node);
        }
        self.step(argument, prefix, node)
    }

    /// `++` or `--`, as `node` says, of `argument`.
    fn step(&mut self, argument: Node<'t>, prefix: bool, node: Node<'t>) -> Resolved<Expr> {
        let up = match self.operator(node) {
            "++" => true,
            "--" => false,
            other => return refuse(node, format!("operator `{other}`")),
        };
        let place = self.place(argument)?;
        let ty = place.ty.clone();
        self.computed("+", &decayed(&ty), &Type::Int(IntType::I32), node)?;
        Ok(self.expression(node, ExprKind::Step { place: Box::new(place), up, prefix }, ty))
    }

    /// `{…}`, an object of the type `ty`.
    pub(super) fn list(&mut self, node: Node<'t>, ty: &Type) -> Resolved<Expr> {
        let mut values: Vec<Expr> = Vec::new();
        // As long as each value is that of one field, and not of a part of it.
        let fields: Vec<Type> = match ty {
            Type::Record(record) => {
                self.kernel[*record].fields.iter().map(|f| f.ty.clone()).collect()
            }
            _ => Vec::new(),
        };
        let mut fields = fields.into_iter();
        for child in children(node) {
            let nested = child.kind() == "initializer_list";
            let field = fields.next().unwrap_or(Type::Opaque("object".into()));
            if !nested
                && !matches!(field, Type::Int(_) | Type::Bool | Type::Float(_) | Type::Pointer(_))
            {
                fields = Vec::new().into_iter();
            }
            let element = match ty {
                Type::Array(element, _) => element,
                Type::Record(_) if nested => &field,
                _ => &Type::Opaque("object".into()),
            };
            values.push(match child.kind() {
                "initializer_list" => self.list(child, element)?,
                _ => {
                    let value = self.expr(child)?;
                    let at = value.at;
                    let number = |t: &Type| t.integer().is_some() || matches!(t, Type::Float(_));
                    // Within braces that are left out, it is a part of the element.
                    let of = element.innermost();
                    match number(of) && number(&value.ty) {
                        true => value.converted(of, at),
                        false => value,
                    }
                }
            });
        }
        // What C fills with zeros.
        if let Type::Array(element, Some(extent)) = ty
            && let (Type::Int(t), ExprKind::Int(extent)) = (element.as_ref(), &extent.kind)
            && (values.len() as u64) < *extent
            && *extent <= MAX_FILLED
            && values.iter().all(|value| !matches!(value.kind, ExprKind::List(_)))
        {
            let zero = self.int(node, *t, 0);
            values.resize(*extent as usize, zero);
        }
        while let Some(Type::Int(t)) = fields.next() {
            values.push(self.int(node, t, 0));
        }
        Ok(self.expression(node, ExprKind::List(values), ty.clone()))
    }

    fn size_of(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let of_name = |s: &mut Self, name: &'t str| match s.lookup(name) {
            Some(Entity::Variable(v)) => Some(s.kernel[*v].ty.clone()),
            Some(Entity::Type(ty)) => Some(ty.clone()),
            None if s.unit.structures.contains_key(name) => Some(s.structure(name, None)),
            None => super::names::named(name),
            _ => None,
        };
        let ty = if let Some(descriptor) = part(node, "type") {
            // `sizeof(x)` of a variable can look like a type.
            match of_name(self, self.text(descriptor)) {
                Some(ty) => Some(ty),
                None => self.descriptor(descriptor)?,
            }
        } else if let Some(value) = part(node, "value").map(without_parentheses) {
            // The operand is not evaluated.
            match of_name(self, self.text(value)) {
                Some(ty) => Some(ty),
                None => Some(self.place(value)?.ty),
            }
        } else {
            None
        };
        match ty.and_then(|ty| self.kernel.size(&ty)) {
            Some(size) => Ok(self.int(node, IntType::U64, size)),
            None => refuse(node, "`sizeof` of a type whose size is not known"),
        }
    }
}

/// An array as an operand.
fn decayed(ty: &Type) -> Type {
    ty.clone().decayed()
}

/// The dimension of a launch that a component names.
pub(super) fn dimension(field: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|name| *name == field)
}
