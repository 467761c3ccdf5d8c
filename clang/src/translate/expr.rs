//! Expressions.

use super::{Lowered, Translator, bare, uncast};
use crate::document::Node;
use babycuda_core::IntType;
use babycuda_core::expr::BoolOp;
use babycuda_kernel::{Expr, ExprKind, Launch, Member, Place, Type};
use serde_json::Value;

/// An array of more elements that a list does not fill is not spelled out.
const MAX_FILLED: u64 = 32;

impl<'a> Translator<'a> {
    /// An expression, as a value.
    pub(super) fn expr(&mut self, node: &'a Node) -> Lowered<Expr> {
        self.nested(node, |s| s.expr_of(node))
    }

    /// An expression as a condition.
    pub(super) fn condition(&mut self, node: &'a Node) -> Lowered<Expr> {
        let value = self.expr(node)?;
        let at = self.at(node);
        Ok(truth(value, at))
    }

    /// The value of a node's only part.
    pub(super) fn expr_in(&mut self, node: &'a Node) -> Lowered<Expr> {
        let inner = only(self, node)?;
        self.expr(inner)
    }

    fn expr_of(&mut self, node: &'a Node) -> Lowered<Expr> {
        let node = bare(node);
        match &*node.kind {
            "IntegerLiteral" | "CharacterLiteral" | "CXXBoolLiteralExpr" => self.literal(node),
            "FloatingLiteral" => {
                let ty = self.ty(&node.ty, node)?;
                let text = node.value.as_ref().and_then(Value::as_str).unwrap_or_default();
                let bits = match ty {
                    Type::Float(4) => text.parse::<f32>().ok().map(|x| u64::from(x.to_bits())),
                    Type::Float(8) => text.parse::<f64>().ok().map(f64::to_bits),
                    _ => None,
                };
                Ok(self.expression(node, ExprKind::Float(bits), ty))
            }
            "CXXNullPtrLiteralExpr" | "GNUNullExpr" => {
                Ok(self.expression(node, ExprKind::Null, Type::Void.pointer()))
            }
            "StringLiteral" | "PredefinedExpr" => {
                let ty = Type::Int(IntType::I8).pointer();
                Ok(self.expression(node, ExprKind::String, ty))
            }
            "ImplicitCastExpr"
            | "CStyleCastExpr"
            | "CXXStaticCastExpr"
            | "CXXFunctionalCastExpr"
            | "CXXReinterpretCastExpr"
            | "CXXConstCastExpr" => self.cast(node),
            "MaterializeTemporaryExpr" | "CompoundLiteralExpr" => self.expr_in(node),
            "UnaryOperator" => self.unary(node),
            "BinaryOperator" => self.binary(node),
            "CompoundAssignOperator" => self.update(node),
            "ConditionalOperator" => self.conditional(node),
            "CallExpr" | "CXXMemberCallExpr" | "CXXOperatorCallExpr" => self.call(node),
            "CUDAKernelCallExpr" => self.refuse(node, "kernel launch from a kernel"),
            "CXXConstructExpr" | "CXXTemporaryObjectExpr" => self.construct(node),
            "InitListExpr" => self.list(node),
            "CXXScalarValueInitExpr" | "ImplicitValueInitExpr" => self.zero(node),
            "CXXDefaultInitExpr" => self.refuse(node, "default of a field"),
            "LambdaExpr" => self.closure(node),
            "CXXThisExpr" => {
                let Some(v) = self.this else { return self.refuse(node, "`this`") };
                let place = Place::variable(v, self.kernel[v].ty.clone(), self.at(node));
                match self.outer {
                    Some(field) => Ok(self.captured(place, field, false, node)?.value()),
                    None => Ok(self.address(place, node)),
                }
            }
            "UnaryExprOrTypeTraitExpr" => self.size_of(node),
            "TypeTraitExpr" | "CXXNoexceptExpr" | "SizeOfPackExpr" => match &node.value {
                Some(Value::Bool(value)) => Ok(self.number(node, Type::Bool, u64::from(*value))),
                _ => self.refuse(node, "property of types"),
            },
            "DeclRefExpr" => self.name(node),
            "MemberExpr" => self.member(node),
            "ExtVectorElementExpr" => self.swizzle(node),
            "ArraySubscriptExpr" => Ok(self.place(node)?.value()),
            "AsTypeExpr" => self.as_type(node),
            "GCCAsmStmt" => self.assembly(node),
            "RecoveryExpr" => self.refuse(node, "what clang rejects"),
            other => self.refuse(node, spoken(other)),
        }
    }

    pub(super) fn number(&mut self, node: &Node, ty: Type, bits: u64) -> Expr {
        self.expression(node, ExprKind::Int(bits), ty)
    }

    fn literal(&mut self, node: &'a Node) -> Lowered<Expr> {
        let ty = self.ty(&node.ty, node)?;
        let value = match &node.value {
            Some(Value::Bool(value)) => Some(i128::from(*value)),
            Some(Value::Number(value)) => value.as_i64().map(i128::from),
            Some(Value::String(text)) => text.parse().ok(),
            _ => None,
        };
        let bits = match (&ty, value) {
            (Type::Bool, Some(value)) => u64::from(value != 0),
            (Type::Int(t), Some(value)) => t.write(value),
            _ => return self.refuse(node, "number that is not understood"),
        };
        Ok(self.number(node, ty, bits))
    }

    /// A value of only zeros.
    fn zero(&mut self, node: &'a Node) -> Lowered<Expr> {
        let ty = self.ty(&node.ty, node)?;
        self.zero_of(ty, node)
    }

    fn zero_of(&mut self, ty: Type, node: &'a Node) -> Lowered<Expr> {
        let kind = match &ty {
            Type::Int(_) | Type::Bool => ExprKind::Int(0),
            Type::Float(_) => ExprKind::Float(Some(0)),
            Type::Pointer(_) => ExprKind::Null,
            Type::Void => return self.refuse(node, "value of type `void`"),
            Type::Array(element, _) => {
                let zero = self.zero_of(element.as_ref().clone(), node)?;
                ExprKind::List(vec![zero; self.filled(&ty)])
            }
            _ => ExprKind::List(Vec::new()),
        };
        Ok(self.expression(node, kind, ty))
    }

    /// So many elements are spelled out of an array that a list does not fill; 0: those of the list.
    fn filled(&self, ty: &Type) -> usize {
        match ty {
            Type::Array(_, Some(extent)) => match extent.kind {
                ExprKind::Int(extent) if extent <= MAX_FILLED => extent as usize,
                _ => 0,
            },
            _ => 0,
        }
    }

    /// `{…}`
    fn list(&mut self, node: &'a Node) -> Lowered<Expr> {
        let ty = self.ty(&node.ty, node)?;
        let scalar = matches!(ty, Type::Int(_) | Type::Bool | Type::Float(_) | Type::Pointer(_));
        let mut values = Vec::new();
        // Of an array that it does not fill, the first of the others is what fills the rest.
        let written = node.array_filler.iter().skip(1).chain(&node.inner);
        for part in written.filter(|n| !n.kind.is_empty()) {
            let part = match (&*part.kind, &ty) {
                ("CXXDefaultInitExpr", Type::Record(id)) => {
                    let field = self.fields[id.0 as usize].get(values.len()).copied();
                    self.default_of(field.unwrap_or_default(), part)?
                }
                _ => part,
            };
            values.push(self.expr(part)?);
        }
        if let (Type::Array(element, _), Some(filler)) = (&ty, node.array_filler.first())
            && values.len() < self.filled(&ty)
        {
            let rest = match &*filler.kind {
                "ImplicitValueInitExpr" => self.zero_of(element.as_ref().clone(), node)?,
                _ => self.expr(filler)?,
            };
            values.resize(self.filled(&ty), rest);
        }
        let is_vector = |ty: &Type| matches!(ty, Type::Vector(..));
        if is_vector(&ty) && values.iter().any(|value| is_vector(&value.ty)) {
            let mut parts = Vec::new();
            for value in values {
                match is_vector(&value.ty) {
                    true => parts.extend(self.parts_of(value, node)?),
                    false => parts.push(value),
                }
            }
            values = parts;
        }
        match scalar {
            true if values.len() == 1 => Ok(values.remove(0)),
            true if values.is_empty() => self.zero(node),
            true => self.refuse(node, "list of several values for one"),
            false => Ok(self.expression(node, ExprKind::List(values), ty)),
        }
    }

    fn size_of(&mut self, node: &'a Node) -> Lowered<Expr> {
        let ty = match (&node.arg_type, node.parts().next()) {
            (Some(ty), _) => self.written(ty, node)?.ty,
            (None, Some(value)) => self.written(&bare(value).ty, node)?.ty,
            (None, None) => return self.refuse(node, "`sizeof` of nothing"),
        };
        let found = match &*node.name {
            "sizeof" => self.size(&ty),
            "alignof" | "_Alignof" => self.align(&ty),
            _ => None,
        };
        match found {
            Some(found) => Ok(self.number(node, Type::Int(IntType::U64), found)),
            None => {
                self.refuse(node, format!("`{}` of a type of which it is not known", node.name))
            }
        }
    }

    /// A name as a value.
    fn name(&mut self, node: &'a Node) -> Lowered<Expr> {
        if let Some(launch) = self.launch_of(node) {
            let parts = (0..3).map(|d| self.launch(launch, d, node)).collect();
            let ty = Type::Vector(Box::new(Type::Int(IntType::U32)), 3);
            return Ok(self.expression(node, ExprKind::List(parts), ty));
        }
        let Some(declared) = &node.referenced_decl else {
            return self.refuse(node, "name of nothing");
        };
        match &*declared.kind {
            "EnumConstantDecl" => {
                let ty = self.ty(&node.ty, node)?;
                match (self.enumerator(&declared.id)?, &ty) {
                    (Some(value), Type::Int(t)) if t.read(t.write(value)) == value => {
                        let bits = t.write(value);
                        Ok(self.number(node, ty, bits))
                    }
                    _ => self.refuse(node, format!("enumerator `{}`", declared.name)),
                }
            }
            "VarDecl" if &*declared.name == "warpSize" && self.is_our(&declared.id) => {
                Ok(self.expression(node, ExprKind::WarpSize, Type::Int(IntType::I32)))
            }
            "FunctionDecl" | "CXXMethodDecl" => {
                self.refuse(node, format!("function `{}` as a value", declared.name))
            }
            "VarDecl"
            | "ParmVarDecl"
            | "NonTypeTemplateParmDecl"
            | "BindingDecl"
            | "DecompositionDecl" => Ok(self.place(node)?.value()),
            _ => self.refuse(node, format!("name `{}`", declared.name)),
        }
    }

    /// Is it one of our headers' declarations?
    pub(super) fn is_our(&self, id: &str) -> bool {
        self.index.get(id).is_some_and(|declared| self.is_device(declared))
    }

    /// The variable of a launch that is named.
    pub(super) fn launch_of(&self, node: &Node) -> Option<Launch> {
        let declared = uncast(node).referenced_decl.as_deref()?;
        let launch = Launch::named(&declared.name)?;
        self.is_our(&declared.id).then_some(launch)
    }

    /// `threadIdx.x` and the like.
    pub(super) fn launch(&mut self, of: Launch, dimension: usize, node: &Node) -> Expr {
        self.expression(node, ExprKind::Launch(of, dimension), Type::Int(IntType::U32))
    }

    /// The value of an enumerator: its own, or one more than that before.
    fn enumerator(&mut self, id: &str) -> Lowered<Option<i128>> {
        let Some(constant) = self.index.get(id) else { return Ok(None) };
        let Some(all) = self.index.around(constant) else { return Ok(None) };
        let mut next = 0;
        for other in all.inner.iter().filter(|n| &*n.kind == "EnumConstantDecl") {
            if let Some(said) = other.parts().next() {
                let folded = said.value.as_ref().and_then(Value::as_str);
                match folded.and_then(|text| text.parse::<i128>().ok()) {
                    Some(value) => next = value,
                    None => {
                        let value = self.expr(said)?;
                        let bits = babycuda_kernel::constant(&value, &|_| None);
                        match (bits, value.ty.integer()) {
                            (Some(bits), Some(t)) => next = t.read(bits),
                            _ => return Ok(None),
                        }
                    }
                }
            }
            if other.id == constant.id {
                return Ok(Some(next));
            }
            next += 1;
        }
        Ok(None)
    }

    /// `a.b`, as a value.
    fn member(&mut self, node: &'a Node) -> Lowered<Expr> {
        let object = only(self, node)?;
        let dimension = ["x", "y", "z"].iter().position(|name| **name == *node.name);
        if let (Some(launch), Some(dimension)) = (self.launch_of(object), dimension) {
            return Ok(self.launch(launch, dimension, node));
        }
        if self.index.get(&node.referenced_member_decl).is_some_and(|d| &*d.kind == "VarDecl") {
            return Ok(self.place(node)?.value());
        }
        let temporary = uncast(object);
        if node.is_arrow || &*temporary.value_category == "lvalue" {
            return Ok(self.place(node)?.value());
        }
        let value = self.expr(object)?;
        let (member, ty) = self.component(&value.ty, node)?;
        match (value.kind, &member) {
            (ExprKind::List(mut parts), Member::Lane(lane)) if parts.len() > *lane as usize => {
                Ok(parts.swap_remove(*lane as usize))
            }
            (kind, _) => {
                let value = Box::new(Expr { kind, ..value });
                Ok(self.expression(node, ExprKind::Component(value, member), ty))
            }
        }
    }

    /// The component of values of a type that a node names, with its type.
    pub(super) fn component(&mut self, of: &Type, node: &Node) -> Lowered<(Member, Type)> {
        match of {
            Type::Vector(lane, lanes) => {
                let number = ["x", "y", "z", "w"].iter().position(|name| **name == *node.name);
                match number.filter(|n| *n < *lanes as usize) {
                    Some(number) => Ok((Member::Lane(number as u32), (**lane).clone())),
                    None => self.refuse(node, format!("component `{}` of a vector", node.name)),
                }
            }
            Type::Record(id) => {
                let ids = &self.fields[id.0 as usize];
                let field = ids.iter().position(|id| **id == *node.referenced_member_decl);
                match field {
                    Some(field) => {
                        let ty = self.kernel[*id].fields[field].ty.clone();
                        Ok((Member::Field(field), ty))
                    }
                    None => self.refuse(node, format!("member `{}`", node.name)),
                }
            }
            _ => self.refuse(node, format!("member `{}` of what is no class", node.name)),
        }
    }

    /// `c ? x : y`
    fn conditional(&mut self, node: &'a Node) -> Lowered<Expr> {
        let parts: Vec<&Node> = node.parts().collect();
        let [c, x, y] = parts[..] else { return self.refuse(node, "conditional") };
        if self.is_vector(c) {
            // It chooses for each component, so both are evaluated.
            let values = vec![self.expr(c)?, self.expr(x)?, self.expr(y)?];
            return self.opencl_opaque("select", values, node);
        }
        let (c, x, y) = (self.condition(c)?, self.expr(x)?, self.expr(y)?);
        if x.ty != y.ty {
            return self.refuse(node, "choice between values of two types");
        }
        let ty = x.ty.clone();
        Ok(self.expression(node, ExprKind::Conditional(Box::new([c, x, y])), ty))
    }

    pub(super) fn logical(
        &mut self,
        op: BoolOp,
        both: [&'a Node; 2],
        node: &'a Node,
    ) -> Lowered<Expr> {
        let left = self.condition(both[0])?;
        // It may never be evaluated.
        let right = match self.condition(both[1]) {
            Ok(right) => right,
            Err(refusal) if refusal.rejected.is_some() => return Err(refusal),
            Err(refusal) => {
                Expr { ty: Type::Bool, ..Expr::unsupported(refusal.construct, refusal.at) }
            }
        };
        let kind = ExprKind::Logical(op, Box::new([left, right]));
        let value = self.expression(node, kind, Type::Bool);
        self.of_language(value, node)
    }

    /// A truth value, as the language has it: C's are integers.
    pub(super) fn of_language(&mut self, value: Expr, node: &'a Node) -> Lowered<Expr> {
        let ty = self.ty(&node.ty, node)?;
        let at = value.at;
        Ok(value.converted(&ty, at))
    }
}

/// A value as a truth value.
pub(super) fn truth(value: Expr, at: babycuda_kernel::At) -> Expr {
    match value.kind {
        ExprKind::Convert(inner) if inner.ty == Type::Bool => *inner,
        kind => Expr { kind, ..value }.converted(&Type::Bool, at),
    }
}

/// The only part of a node.
pub(super) fn only<'a>(t: &mut Translator<'a>, node: &'a Node) -> Lowered<&'a Node> {
    match node.parts().next() {
        Some(inner) => Ok(inner),
        None => t.refuse(node, spoken(&node.kind)),
    }
}

/// What clang calls a node, in words.
pub(super) fn spoken(kind: &str) -> String {
    let kind = kind.strip_prefix("CXX").unwrap_or(kind);
    let mut out = String::new();
    for c in kind.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push(' ');
        }
        out.extend(c.to_lowercase());
    }
    out
}
