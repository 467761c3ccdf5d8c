//! Casts and operators.

use super::expr::only;
use super::{Lowered, Translator, bare};
use crate::document::Node;
use babycuda_core::MachineOp;
use babycuda_core::expr::BoolOp;
use babycuda_kernel::{
    Expr, ExprKind, Place, PlaceKind, Type, UnaryOp, arithmetic, constant, relation,
};

/// The operands of an addition; what is added to a pointer is taken as it is written, without promotion.
fn pointed(both: [&Node; 2]) -> [&Node; 2] {
    let [l, r] = both.map(|side| side.ty.text().ends_with('*'));
    if l == r {
        return both;
    }
    both.map(|side| match side.parts().next() {
        Some(inner) if &*side.kind == "ImplicitCastExpr" && &*side.cast_kind == "IntegralCast" => {
            inner
        }
        _ => side,
    })
}

impl<'a> Translator<'a> {
    /// A cast of any kind.
    pub(super) fn cast(&mut self, node: &'a Node) -> Lowered<Expr> {
        let inner = only(self, node)?;
        let at = self.at(node);
        match &*node.cast_kind {
            "LValueToRValue" => self.load(inner),
            "ArrayToPointerDecay" => match &*bare(inner).kind {
                "StringLiteral" | "PredefinedExpr" => self.expr(inner),
                _ => Ok(self.place(inner)?.value()),
            },
            "NullToPointer" => {
                let ty = self.ty(&node.ty, node)?;
                let null = self.expression(inner, ExprKind::Null, Type::Void.pointer());
                Ok(null.converted(&ty, at))
            }
            // The event that is none.
            "ZeroToOCLOpaqueType" => {
                let ty = self.ty(&node.ty, node)?;
                Ok(self.expr(inner)?.converted(&ty, at))
            }
            "ToVoid" => Ok(self.expr(inner)?.converted(&Type::Void, at)),
            "UserDefinedConversion" | "ConstructorConversion" => self.expr(inner),
            "VectorSplat" => {
                let ty = self.ty(&node.ty, node)?;
                let Type::Vector(_, lanes) = ty else { return self.refuse(node, "vector") };
                let value = self.expr(inner)?;
                if lanes > 16 || !super::calls::is_repeatable(&value) {
                    return self.refuse(node, "vector of one value that has an effect");
                }
                let parts = vec![value; lanes as usize];
                Ok(self.expression(node, ExprKind::List(parts), ty))
            }
            "NoOp" | "DerivedToBase" | "UncheckedDerivedToBase"
                if !super::calls::is_temporary(inner) =>
            {
                Ok(self.place(inner)?.value())
            }
            "NoOp"
            | "IntegralCast"
            | "IntegralToBoolean"
            | "IntegralToFloating"
            | "FloatingToIntegral"
            | "FloatingToBoolean"
            | "FloatingCast"
            | "PointerToBoolean"
            | "PointerToIntegral"
            | "IntegralToPointer"
            | "BitCast"
            | "BooleanToSignedIntegral"
            | "AddressSpaceConversion"
            | "DerivedToBase"
            | "UncheckedDerivedToBase"
            | "BaseToDerived" => {
                let ty = self.ty(&node.ty, node)?;
                let value = self.expr(inner)?;
                match (&value.ty, &ty) {
                    (Type::Record(_), _) | (_, Type::Record(_)) => Ok(value),
                    _ => Ok(value.converted(&ty, at)),
                }
            }
            other => self.refuse(node, format!("cast ({})", super::expr::spoken(other))),
        }
    }

    /// What the place holds that a node denotes.
    pub(super) fn load(&mut self, node: &'a Node) -> Lowered<Expr> {
        let node = bare(node);
        match &*node.kind {
            // Their values are those of what they change.
            "BinaryOperator" if &*node.opcode == "=" => self.expr(node),
            "CompoundAssignOperator" => self.expr(node),
            "UnaryOperator" if matches!(&*node.opcode, "++" | "--") => self.expr(node),
            "DeclRefExpr"
            | "MemberExpr"
            | "ExtVectorElementExpr"
            | "CXXOperatorCallExpr"
            | "CompoundLiteralExpr"
            | "MaterializeTemporaryExpr" => self.expr(node),
            "ImplicitCastExpr" | "CStyleCastExpr" | "CXXStaticCastExpr" | "CXXConstCastExpr"
                if &*node.cast_kind == "NoOp" =>
            {
                let inner = only(self, node)?;
                self.load(inner)
            }
            "ConditionalOperator" => {
                let parts: Vec<&Node> = node.parts().collect();
                let [c, x, y] = parts[..] else { return self.refuse(node, "conditional") };
                let (c, x, y) = (self.condition(c)?, self.load(x)?, self.load(y)?);
                let ty = x.ty.clone();
                Ok(self.expression(node, ExprKind::Conditional(Box::new([c, x, y])), ty))
            }
            "BinaryOperator" if &*node.opcode == "," => self.expr(node),
            _ => Ok(self.place(node)?.value()),
        }
    }

    pub(super) fn unary(&mut self, node: &'a Node) -> Lowered<Expr> {
        let inner = only(self, node)?;
        let op = match &*node.opcode {
            "-" => UnaryOp::Negate,
            "~" => UnaryOp::Complement,
            "!" if self.is_vector(inner) => {
                let value = self.expr(inner)?;
                return self.opencl_opaque("logical", vec![value], node);
            }
            "!" => {
                let truth = Box::new(self.condition(inner)?);
                let value = self.expression(node, ExprKind::Unary(UnaryOp::Not, truth), Type::Bool);
                return self.of_language(value, node);
            }
            "+" | "__extension__" => return self.expr(inner),
            "&" => {
                if let "FunctionDecl" | "CXXMethodDecl" =
                    bare(inner).referenced_decl.as_deref().map_or("", |d| &*d.kind)
                {
                    return self.refuse(node, "address of a function");
                }
                let place = self.place(inner)?;
                return Ok(self.address(place, node));
            }
            "*" => return Ok(self.place(node)?.value()),
            "++" | "--" => {
                let place = Box::new(self.place(inner)?);
                let ty = place.ty.clone();
                let (up, prefix) = (&*node.opcode == "++", !node.is_postfix);
                return Ok(self.expression(node, ExprKind::Step { place, up, prefix }, ty));
            }
            other => return self.refuse(node, format!("operator `{other}`")),
        };
        let value = self.expr(inner)?;
        let ty = value.ty.clone();
        Ok(self.expression(node, ExprKind::Unary(op, Box::new(value)), ty))
    }

    /// `&place`
    pub(super) fn address(&mut self, place: Place, node: &Node) -> Expr {
        match place.kind {
            PlaceKind::Deref(pointer) => *pointer,
            kind => {
                let place = Place { kind, ..place };
                let ty = place.ty.clone().pointer();
                self.expression(node, ExprKind::AddressOf(Box::new(place)), ty)
            }
        }
    }

    pub(super) fn binary(&mut self, node: &'a Node) -> Lowered<Expr> {
        let parts: Vec<&Node> = node.parts().collect();
        let [l, r] = parts[..] else { return self.refuse(node, "operator") };
        if matches!(&*node.opcode, "&&" | "||") && self.is_vector(l) {
            // Of vectors both are evaluated.
            let both = vec![self.expr(l)?, self.expr(r)?];
            return self.opencl_opaque("logical", both, node);
        }
        match &*node.opcode {
            "&&" => return self.logical(BoolOp::And, [l, r], node),
            "||" => return self.logical(BoolOp::Or, [l, r], node),
            "," => {
                let both = Box::new([self.expr(l)?, self.expr(r)?]);
                let ty = both[1].ty.clone();
                return Ok(self.expression(node, ExprKind::Comma(both), ty));
            }
            "=" => {
                let value = self.expr(r)?;
                return self.assign(l, value, node);
            }
            _ => {}
        }
        let sides = if matches!(&*node.opcode, "+" | "-") { pointed([l, r]) } else { [l, r] };
        let both = Box::new([self.expr(sides[0])?, self.expr(sides[1])?]);
        let [left, right] = *both;
        let right = self.amount(&node.opcode, &left.ty, right);
        let both = Box::new([left, right]);
        match (relation(&node.opcode), arithmetic(&node.opcode)) {
            (Some(_), _) if matches!(both[0].ty, Type::Vector(..)) => {
                self.opencl_opaque("compare", Vec::from(*both), node)
            }
            (Some(relation), _) => {
                let kind = ExprKind::Compare(relation, both);
                let value = self.expression(node, kind, Type::Bool);
                self.of_language(value, node)
            }
            (None, Some(op)) => {
                let ty = self.ty(&node.ty, node)?;
                Ok(self.expression(node, ExprKind::Arithmetic(op, both), ty))
            }
            (None, None) => self.refuse(node, format!("operator `{}`", node.opcode)),
        }
    }

    /// What is shifted by: OpenCL C takes the lowest bits, as many as say a place of the operand.
    pub(super) fn amount(&self, op: &str, of: &Type, by: Expr) -> Expr {
        let shifts = matches!(op, "<<" | ">>" | "<<=" | ">>=");
        let bits = match (of, &by.ty) {
            (Type::Int(t), Type::Int(_)) if self.opencl && shifts => u64::from(t.width.bits()),
            _ => return by,
        };
        if constant(&by, &|_| None).is_some_and(|by| by < bits) {
            return by;
        }
        let (ty, at) = (by.ty.clone(), by.at);
        let mask = Expr::int(ty.clone(), bits - 1, at);
        let kind = ExprKind::Arithmetic(MachineOp::And, Box::new([by, mask]));
        Expr { kind, ty, at }
    }

    /// `place = value`
    pub(super) fn assign(&mut self, place: &'a Node, value: Expr, node: &'a Node) -> Lowered<Expr> {
        let place = Box::new(self.place(place)?);
        let (ty, at) = (place.ty.clone(), self.at(node));
        let value = Box::new(value.converted(&ty, at));
        Ok(self.expression(node, ExprKind::Assign(place, value), ty))
    }

    /// `place op= value`
    pub(super) fn update(&mut self, node: &'a Node) -> Lowered<Expr> {
        let parts: Vec<&Node> = node.parts().collect();
        let [l, r] = parts[..] else { return self.refuse(node, "operator") };
        let Some(op) = node.opcode.strip_suffix('=').and_then(arithmetic) else {
            return self.refuse(node, format!("operator `{}`", node.opcode));
        };
        let computed = self.ty(&node.computed, node)?;
        let value = Box::new(self.expr(pointed([l, r])[1])?);
        let place = Box::new(self.place(l)?);
        let value = Box::new(self.amount(&node.opcode, &computed, *value));
        let ty = place.ty.clone();
        Ok(self.expression(node, ExprKind::Update { op, place, value, computed }, ty))
    }
}
