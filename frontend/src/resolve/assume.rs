//! Assumptions: C expressions over parameters, extents, and what the host stored.

use super::{Resolved, Resolver};
use crate::error::refuse;
use crate::unit::{Function, children, part};
use babycuda_core::IntType;
use babycuda_kernel::{Assumption, Expr, Storage, Type};
use std::iter::successors;
use tree_sitter::Node;

/// The function whose call carries `forall` through the parser: the bounds of each variable, then
/// the condition. The variables are parameters of the function around it.
pub(crate) const FORALL: &str = "babycuda_forall";

impl<'t> Resolver<'t> {
    /// What an assumption states.
    pub(super) fn assumption(&mut self, expression: Node<'t>, text: &str) -> Assumption {
        self.assuming = true;
        let stated = self.scoped(|s| s.quantified(expression, text));
        self.assuming = false;
        stated.unwrap_or_else(|refusal| {
            let condition = Expr { ty: Type::Bool, ..self.unsupported(refusal) };
            Assumption { text: text.to_owned(), over: Vec::new(), condition }
        })
    }

    /// With the variables of `forall` and their bounds.
    fn quantified(&mut self, expression: Node<'t>, text: &str) -> Resolved<Assumption> {
        let call = crate::unit::without_parentheses(expression);
        let name = part(call, "function").map_or("", |n| self.text(n));
        let mut arguments = part(call, "arguments").map(children).unwrap_or_default();
        let mut around = successors(Some(call), |n| n.parent())
            .skip_while(|n| n.kind() != "function_definition");
        let (parameters, condition) = match (name == FORALL, around.next(), arguments.pop()) {
            (true, Some(node), Some(condition)) => {
                (self.parameters(Function { node, template: None }), condition)
            }
            _ => (Vec::new(), expression),
        };
        let mut bounds = arguments.into_iter();
        let mut over = Vec::new();
        for parameter in parameters {
            let Some(name) = part(parameter, "declarator") else {
                continue;
            };
            let (Some(lower), Some(upper)) = (bounds.next(), bounds.next()) else {
                return refuse(expression, "variable without bounds");
            };
            let (lower, upper) = (self.expr(lower)?, self.expr(upper)?);
            let v = self.declare(name, Type::Int(IntType::I64), Storage::Local, true);
            over.push((v, lower, upper));
        }
        let value = self.expr(condition)?;
        match value.ty {
            Type::Int(_) | Type::Bool => {
                let condition = self.truth(value, condition)?;
                Ok(Assumption { text: text.to_owned(), over, condition })
            }
            _ => refuse(condition, "not an integer expression"),
        }
    }
}
