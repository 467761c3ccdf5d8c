//! Statements.

use super::types::{operand, operands};
use super::{Resolved, Resolver};
use crate::error::{Refusal, refuse};
use crate::unit::{children, field, part};
use babycuda_core::IntType;
use babycuda_kernel::{Case, Expr, Loop, Stmt, StmtKind, Type, promote};
use tree_sitter::Node;

impl<'t> Resolver<'t> {
    /// Statements in sequence, in the present scope.
    pub(super) fn stmts(&mut self, list: &[Node<'t>]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for node in list {
            if let Err(refusal) = self.nested(*node, |s| s.stmt_into(*node, &mut out)) {
                out.push(self.refused(refusal));
            }
        }
        out
    }

    /// Statements in a scope of their own.
    pub(super) fn block(&mut self, list: &[Node<'t>], node: Node<'t>) -> Stmt {
        let stmts = self.scoped(|s| s.stmts(list));
        self.statement(node, StmtKind::Block(stmts))
    }

    /// A statement in a scope of its own.
    pub(super) fn body(&mut self, node: Node<'t>) -> Stmt {
        match node.kind() {
            "compound_statement" => self.block(&children(node), node),
            _ => self.block(&[node], node),
        }
    }

    pub(super) fn statement(&mut self, node: Node<'t>, kind: StmtKind) -> Stmt {
        Stmt { kind, at: self.at(node) }
    }

    /// A statement that was not understood.
    fn refused(&mut self, refusal: Refusal) -> Stmt {
        let at = self.origin(&refusal.range);
        Stmt { kind: StmtKind::Unsupported(refusal.construct), at }
    }

    /// Adds what a statement is: one, or several that declare.
    fn stmt_into(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) -> Resolved<()> {
        if node.is_error() || node.is_missing() {
            return refuse(node, "syntax error");
        }
        let kind = match node.kind() {
            "compound_statement" => {
                out.push(self.body(node));
                return Ok(());
            }
            "expression_statement" => match children(node)[..] {
                [] => return Ok(()),
                [expression] => StmtKind::Expr(self.expr(expression)?),
                _ => return refuse(node, "syntax error"),
            },
            "declaration" => return self.declaration(node, out),
            "type_definition" | "alias_declaration" => return self.type_alias(node),
            "enum_specifier" => return self.enumeration(node).map(|_| ()),
            "if_statement" => {
                let (condition, then) = operands(node, "condition", "consequence")?;
                let condition = self.condition(condition)?;
                let then = Box::new(self.body(then));
                let otherwise = part(node, "alternative")
                    .map(|otherwise| Box::new(self.block(&children(otherwise), otherwise)));
                StmtKind::If(condition, then, otherwise)
            }
            "for_statement" | "while_statement" | "do_statement" => {
                let turns = self.scoped(|s| s.turns(node))?;
                StmtKind::Loop(Box::new(turns))
            }
            "switch_statement" => {
                let switch = self.scoped(|s| s.switch(node))?;
                out.push(switch);
                return Ok(());
            }
            "return_statement" => match children(node)[..] {
                [value] => {
                    let value = self.expr(value)?;
                    let at = self.at(node);
                    let result = self.result.clone();
                    StmtKind::Return(Some(value.converted(&result, at)))
                }
                _ => StmtKind::Return(None),
            },
            "break_statement" => StmtKind::Break,
            "continue_statement" => StmtKind::Continue,
            "attributed_statement" => {
                return match children(node)[..] {
                    [.., statement] => self.nested(statement, |s| s.stmt_into(statement, out)),
                    [] => Ok(()),
                };
            }
            "static_assert_declaration" | "using_declaration" | "namespace_alias_definition" => {
                return Ok(());
            }
            "goto_statement" => return refuse(node, "goto"),
            "labeled_statement" => return refuse(node, "label, for `goto`"),
            "for_range_loop" => return refuse(node, "range-based for loop"),
            "try_statement" | "throw_statement" => return refuse(node, "exception"),
            other => return refuse(node, other.replace('_', " ")),
        };
        out.push(self.statement(node, kind));
        Ok(())
    }

    fn turns(&mut self, node: Node<'t>) -> Resolved<Loop> {
        let body = operand(node, "body")?;
        let mut initial = Vec::new();
        match part(node, "initializer") {
            Some(declaration) if declaration.kind() == "declaration" => {
                self.declaration(declaration, &mut initial)?;
            }
            Some(expression) => {
                let expr = self.expr(expression)?;
                initial.push(self.statement(expression, StmtKind::Expr(expr)));
            }
            None => {}
        }
        let condition = part(node, "condition").map(|c| self.condition(c)).transpose()?;
        let update = part(node, "update").map(|u| self.expr(u)).transpose()?;
        let test_first = node.kind() != "do_statement";
        let body = self.body(body);
        Ok(Loop { initial, test_first, condition, update, body })
    }

    fn switch(&mut self, node: Node<'t>) -> Resolved<Stmt> {
        let (condition, body) = operands(node, "condition", "body")?;
        let value = self.expr(condition)?;
        let value = self.integer(value, condition)?;
        let t = Type::Int(promote(value.ty.integer().unwrap_or(IntType::I32)));
        let at = value.at;
        let value = value.converted(&t, at);
        let nodes = children(body);
        if let Some(stray) = nodes.iter().find(|c| c.kind() != "case_statement") {
            return refuse(*stray, "statement in a switch before its first case");
        }
        let (mut cases, mut declared) = (Vec::new(), Vec::new());
        for case in &nodes {
            let label = part(*case, "value").map(|label| self.label(label, &t)).transpose()?;
            let values = field(*case, "value");
            let mut body = children(*case);
            body.retain(|n| !values.contains(n));
            let mut body = self.stmts(&body);
            if nodes.last() != Some(case) {
                for stmt in body.extract_if(.., |stmt| is_declaration(&stmt.kind)) {
                    declared.push(declared_for_all(stmt));
                }
            }
            cases.push(Case { label, body, at: self.at(*case) });
        }
        let switch = self.statement(node, StmtKind::Switch(value, cases));
        if declared.is_empty() {
            return Ok(switch);
        }
        declared.push(switch);
        Ok(self.statement(node, StmtKind::Block(declared)))
    }

    /// The label of a case, of the type that is switched on.
    fn label(&mut self, node: Node<'t>, t: &Type) -> Resolved<Expr> {
        let value = self.expr(node)?;
        let value = self.integer(value, node)?;
        let at = value.at;
        let value = value.converted(t, at);
        // A parameter of the kernel's template may be known later.
        Ok(match self.constant(&value) {
            Some(bits) => Expr::int(t.clone(), bits, at),
            None => value,
        })
    }
}

fn is_declaration(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Declare(..))
}

/// The declarations of a case are in scope in those that follow. They may not initialize, as
/// a jump to a later case would pass them.
fn declared_for_all(stmt: Stmt) -> Stmt {
    match stmt.kind {
        StmtKind::Declare(_, Some(_)) => {
            let construct = "variable that a case before the last initializes".to_owned();
            Stmt { kind: StmtKind::Unsupported(construct), at: stmt.at }
        }
        _ => stmt,
    }
}
