//! C's operators, with the conversions of their operands.

use super::{Resolved, Resolver};
use crate::error::refuse;
use babycuda_core::IntType;
use babycuda_kernel::{Expr, ExprKind, Type, UnaryOp, arithmetic, common, promote, relation};
use tree_sitter::Node;

/// The types at which a binary operator computes: both operands', and the result's.
pub(super) struct Computed {
    pub(super) left: Type,
    pub(super) right: Type,
    pub(super) result: Type,
}

const NO_VALUE: &str = "the value of a call that returns none";
const GROUP: &str = "a group as a value of another type";

impl<'t> Resolver<'t> {
    /// `left op right` for every binary operator but `&&`, `||` and `,`.
    pub(super) fn binary(
        &mut self,
        op: &str,
        left: Expr,
        right: Expr,
        node: Node<'t>,
    ) -> Resolved<Expr> {
        let types = self.computed(op, &left.ty, &right.ty, node)?;
        let (l, r) = (left.at, right.at);
        let both = Box::new([left.converted(&types.left, l), right.converted(&types.right, r)]);
        let kind = match (relation(op), arithmetic(op)) {
            (Some(relation), _) => ExprKind::Compare(relation, both),
            (None, Some(op)) => ExprKind::Arithmetic(op, both),
            (None, None) => return refuse(node, format!("operator `{op}`")),
        };
        Ok(self.expression(node, kind, types.result))
    }

    /// At which types an operator computes, of operands of these.
    pub(super) fn computed(
        &self,
        op: &str,
        left: &Type,
        right: &Type,
        node: Node<'t>,
    ) -> Resolved<Computed> {
        let compares = relation(op).is_some();
        let as_they_are = |result: Type| {
            let result = if compares { Type::Bool } else { result };
            Ok(Computed { left: left.clone(), right: right.clone(), result })
        };
        for ty in [left, right] {
            match ty {
                Type::Void => return refuse(node, NO_VALUE),
                Type::Group(_) => return refuse(node, GROUP),
                _ => {}
            }
        }
        match (left, right) {
            (Type::Pointer(_), Type::Pointer(_)) if compares || op == "-" => {
                as_they_are(Type::Int(IntType::I64))
            }
            (Type::Pointer(_), Type::Pointer(_)) => refuse(node, format!("`{op}` on two pointers")),
            (pointer @ Type::Pointer(_), _) if compares || matches!(op, "+" | "-") => {
                as_they_are(pointer.clone())
            }
            (_, pointer @ Type::Pointer(_)) if compares || op == "+" => {
                as_they_are(pointer.clone())
            }
            (Type::Pointer(_), _) | (_, Type::Pointer(_)) => {
                refuse(node, format!("`{op}` on a pointer"))
            }
            _ => match (left.integer(), right.integer()) {
                (Some(l), Some(r)) => {
                    let (l, r) = match op {
                        "<<" | ">>" => (promote(l), promote(r)),
                        _ => (common(l, r), common(l, r)),
                    };
                    let result = if compares { Type::Bool } else { Type::Int(l) };
                    Ok(Computed { left: Type::Int(l), right: Type::Int(r), result })
                }
                _ => {
                    let wider = match (left.is_data(), right.is_data()) {
                        (true, true) if left.size() >= right.size() => left,
                        (true, false) => left,
                        _ => right,
                    };
                    let number = |t: &Type| matches!(t, Type::Float(_)) || t.integer().is_some();
                    let result = if compares { Type::Bool } else { wider.clone() };
                    match number(left) && number(right) {
                        true => Ok(Computed { left: wider.clone(), right: wider.clone(), result }),
                        // What operators of classes and vectors do to their operands is not said.
                        false => as_they_are(result),
                    }
                }
            },
        }
    }

    /// A unary operator: `-`, `+`, `~`, `!`.
    pub(super) fn unary(&mut self, op: &str, operand: Expr, node: Node<'t>) -> Resolved<Expr> {
        if op == "!" {
            let truth = self.truth(operand, node)?;
            return Ok(self.expression(
                node,
                ExprKind::Unary(UnaryOp::Not, Box::new(truth)),
                Type::Bool,
            ));
        }
        let operand = match operand.ty.is_data() {
            true => operand,
            false => {
                let operand = self.integer(operand, node)?;
                let t = promote(operand.ty.integer().unwrap_or(IntType::I32));
                let at = operand.at;
                operand.converted(&Type::Int(t), at)
            }
        };
        let op = match op {
            "+" => return Ok(operand),
            "-" => UnaryOp::Negate,
            "~" => UnaryOp::Complement,
            _ => return refuse(node, format!("operator `{op}`")),
        };
        let ty = operand.ty.clone();
        Ok(self.expression(node, ExprKind::Unary(op, Box::new(operand)), ty))
    }

    /// The truth of a value in a condition.
    pub(super) fn truth(&mut self, value: Expr, node: Node<'t>) -> Resolved<Expr> {
        match value.ty {
            Type::Void => refuse(node, NO_VALUE),
            Type::Group(_) => refuse(node, GROUP),
            _ => Ok(value.converted(&Type::Bool, self.at(node))),
        }
    }

    /// The value as an integer, of its own type if it has one.
    pub(super) fn integer(&mut self, value: Expr, node: Node<'t>) -> Resolved<Expr> {
        match &value.ty {
            Type::Int(_) => Ok(value),
            Type::Bool => {
                let at = value.at;
                Ok(value.converted(&Type::Int(IntType::I32), at))
            }
            Type::Group(_) => refuse(node, GROUP),
            Type::Void => refuse(node, NO_VALUE),
            Type::Pointer(_) | Type::Array(..) => refuse(node, self.no_integer(&value)),
            _ => Ok(value.converted(&Type::Int(IntType::I64), self.at(node))),
        }
    }

    fn no_integer(&self, value: &Expr) -> &'static str {
        match value.kind {
            ExprKind::Null => "null pointer",
            ExprKind::String => "string",
            _ => "pointer as an integer",
        }
    }
}
