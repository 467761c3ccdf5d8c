//! Statements.

use super::expr::spoken;
use super::{Lowered, Translator};
use crate::document::Node;
use babycuda_kernel::{Case, Expr, Loop, Stmt, StmtKind};

impl<'a> Translator<'a> {
    /// Statements in sequence. One that is not understood is a node that says so.
    fn stmts(&mut self, list: impl Iterator<Item = &'a Node>) -> Vec<Stmt> {
        let mut out = Vec::new();
        for node in list {
            if let Err(refusal) = self.nested(node, |s| s.stmt_into(node, &mut out)) {
                self.wrong = self.wrong.take().or(refusal.rejected);
                out.push(Stmt { kind: StmtKind::Unsupported(refusal.construct), at: refusal.at });
            }
        }
        out
    }

    /// A statement in a scope of its own.
    pub(super) fn body(&mut self, node: &'a Node) -> Stmt {
        let mut stmts = match &*node.kind {
            "CompoundStmt" => self.stmts(node.parts()),
            _ => self.stmts([node].into_iter()),
        };
        if let Some(text) = self.left_out(node) {
            let construct = format!("what clang leaves out: `{text}`");
            stmts.push(Stmt { kind: StmtKind::Unsupported(construct), at: self.at(node) });
        }
        Stmt { kind: StmtKind::Block(stmts), at: self.at(node) }
    }

    /// Adds what a statement is: one, or several that declare.
    fn stmt_into(&mut self, node: &'a Node, out: &mut Vec<Stmt>) -> Lowered<()> {
        let parts: Vec<&'a Node> = node.inner.iter().collect();
        let before = usize::from(node.has_init) + usize::from(node.has_var);
        if before > 0 && &*node.kind != "IfStmt" {
            return self.refuse(node, "variable that is declared in a condition");
        }
        let kind = match (&*node.kind, &parts[..]) {
            ("CompoundStmt", _) => {
                out.push(self.body(node));
                return Ok(());
            }
            ("DeclStmt", _) => return self.declaration(node, out),
            ("NullStmt", _) => return Ok(()),
            ("IfStmt", parts) if before > 0 && parts.len() > before + 1 => {
                let mut stmts = Vec::new();
                for declared in &parts[..before] {
                    self.stmt_into(declared, &mut stmts)?;
                }
                let kind = self.branch(node, &parts[before..])?;
                stmts.push(Stmt { kind, at: self.at(node) });
                StmtKind::Block(stmts)
            }
            ("IfStmt", parts) if before == 0 && parts.len() > 1 => self.branch(node, parts)?,
            ("ForStmt", [initial, declared, condition, update, body]) => {
                if !declared.kind.is_empty() {
                    return self.refuse(node, "variable that is declared in a condition");
                }
                let mut first = Vec::new();
                match &*initial.kind {
                    "" => {}
                    "DeclStmt" => self.declaration(initial, &mut first)?,
                    _ => {
                        let value = self.expr(initial)?;
                        let at = self.at(initial);
                        first.push(Stmt { kind: StmtKind::Expr(value), at });
                    }
                }
                let some = |n: &&'a Node| Some(*n).filter(|n| !n.kind.is_empty());
                let condition = some(condition).map(|c| self.condition(c)).transpose()?;
                let update = some(update).map(|u| self.expr(u)).transpose()?;
                let body = self.body(body);
                let initial = first;
                StmtKind::Loop(Box::new(Loop {
                    initial,
                    test_first: true,
                    condition,
                    update,
                    body,
                }))
            }
            ("WhileStmt", [condition, body]) => self.turns(condition, body, true)?,
            ("DoStmt", [body, condition]) => self.turns(condition, body, false)?,
            ("SwitchStmt", [value, body]) => {
                let value = self.expr(value)?;
                let cases = self.cases(body)?;
                StmtKind::Switch(value, cases)
            }
            ("BreakStmt", _) => StmtKind::Break,
            ("ContinueStmt", _) => StmtKind::Continue,
            ("ReturnStmt", parts) => StmtKind::Return(self.returned(parts.first().copied())?),
            ("AttributedStmt", _) => {
                return match node.parts().next_back() {
                    Some(inner) => self.nested(inner, |s| s.stmt_into(inner, out)),
                    None => Ok(()),
                };
            }
            ("GotoStmt" | "IndirectGotoStmt", _) => return self.refuse(node, "goto"),
            ("LabelStmt", _) => return self.refuse(node, "label, for `goto`"),
            // As the standard defines it: what it ranges over, its iterators, the condition, the step.
            ("CXXForRangeStmt", [none, range, begin, end, condition, update, element, body])
                if none.kind.is_empty() =>
            {
                let mut initial = Vec::new();
                for declared in [range, begin, end] {
                    self.declaration(declared, &mut initial)?;
                }
                let condition = Some(self.condition(condition)?);
                let update = Some(self.expr(update)?);
                let mut stmts = Vec::new();
                self.declaration(element, &mut stmts)?;
                stmts.push(self.body(body));
                let body = Stmt { kind: StmtKind::Block(stmts), at: self.at(body) };
                let turns = Loop { initial, test_first: true, condition, update, body };
                StmtKind::Loop(Box::new(turns))
            }
            ("CXXForRangeStmt", _) => return self.refuse(node, "range-based for loop"),
            ("GCCAsmStmt", _) => StmtKind::Expr(self.assembly(node)?),
            ("MSAsmStmt", _) => return self.refuse(node, "inline assembly"),
            (kind, _) if kind.ends_with("Stmt") => return self.refuse(node, spoken(kind)),
            _ if self.stores_components(node, out)? => return Ok(()),
            _ => StmtKind::Expr(self.expr(node)?),
        };
        out.push(Stmt { kind, at: self.at(node) });
        Ok(())
    }

    /// An `if`: its condition, what comes then, and what comes otherwise.
    fn branch(&mut self, node: &'a Node, parts: &[&'a Node]) -> Lowered<StmtKind> {
        let condition = self.condition(parts[0])?;
        let then = Box::new(self.body(parts[1]));
        let otherwise = parts.get(2).filter(|_| node.has_else);
        let otherwise = otherwise.map(|otherwise| Box::new(self.body(otherwise)));
        Ok(StmtKind::If(condition, then, otherwise))
    }

    fn turns(&mut self, condition: &'a Node, body: &'a Node, first: bool) -> Lowered<StmtKind> {
        let condition = Some(self.condition(condition)?);
        let body = self.body(body);
        let turns = Loop { initial: Vec::new(), test_first: first, condition, update: None, body };
        Ok(StmtKind::Loop(Box::new(turns)))
    }

    fn cases(&mut self, body: &'a Node) -> Lowered<Vec<Case>> {
        let mut cases: Vec<Case> = Vec::new();
        let stmts: Vec<&'a Node> = match &*body.kind {
            "CompoundStmt" => body.parts().collect(),
            _ => vec![body],
        };
        for mut node in stmts {
            while let "CaseStmt" | "DefaultStmt" = &*node.kind {
                let parts: Vec<&'a Node> = node.parts().collect();
                let (label, inner) = match (&*node.kind, &parts[..]) {
                    ("CaseStmt", [label, inner]) => (Some(self.label(label)?), *inner),
                    ("DefaultStmt", [inner]) => (None, *inner),
                    _ => return self.refuse(node, "range of cases"),
                };
                cases.push(Case { label, body: Vec::new(), at: self.at(node) });
                node = inner;
            }
            // A jump to a later case would pass by what it initializes.
            let stmts = self.stmts([node].into_iter());
            match cases.last_mut() {
                Some(case) => case.body.extend(stmts),
                None => return self.refuse(node, "statement in a switch before its first case"),
            }
        }
        Ok(cases)
    }

    fn label(&mut self, node: &'a Node) -> Lowered<Expr> {
        let value = self.expr(node)?;
        let known = babycuda_kernel::constant(&value, &|_| None);
        match (known, node.value.as_ref().and_then(|v| v.as_str()), value.ty.integer()) {
            (Some(bits), _, _) => Ok(Expr::int(value.ty, bits, value.at)),
            (None, Some(text), Some(t)) => match text.parse() {
                Ok(number) => Ok(Expr::int(value.ty, t.write(number), value.at)),
                Err(_) => self.refuse(node, "label that is not known"),
            },
            _ => self.refuse(node, "label that is not known"),
        }
    }
}
