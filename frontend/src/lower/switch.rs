//! `switch`, with its fall-through: a segment of statements runs when its label or an earlier one
//! was chosen and no `break` came between.

use super::Lower;
use super::expr::operands;
use crate::arith::{and, compare, or};
use crate::error::{Lowered, refuse};
use crate::unit::{children, field, part};
use babycuda_core::Bool;
use babycuda_core::expr::Relation;
use tree_sitter::Node;

impl<'t> Lower<'t> {
    pub(super) fn switch(&mut self, node: Node<'t>) -> Lowered<()> {
        let (condition, body) = operands(node, "condition", "body")?;
        let value = self.eval(condition)?;
        let (from, selector) = self.integer(value, condition)?;
        let t = crate::ctype::promote(from);
        let selector = crate::arith::cast(from, t, selector, &self.ranges);
        let cases: Vec<Node<'t>> = children(body);
        if let Some(stray) = cases.iter().find(|c| c.kind() != "case_statement") {
            return refuse(*stray, "statement in a switch before its first case");
        }
        let mut labels = Vec::new();
        for case in &cases {
            labels.push(match part(*case, "value") {
                None => None,
                Some(value) => {
                    let label = self.eval(value)?;
                    let (from, label) = self.integer(label, value)?;
                    let label = crate::arith::cast(from, t, label, &self.ranges);
                    if crate::arith::as_lit(&label).is_none() {
                        return refuse(value, "case label that is no constant");
                    }
                    Some(compare(Relation::Eq, t, selector.clone(), label, &self.ranges))
                }
            });
        }
        let any = labels.iter().flatten().cloned().fold(Bool::Lit(false), or);
        let otherwise = crate::arith::not(any);
        self.scoped(|s| {
            for case in &cases {
                s.declared_for_all(*case, cases.last() == Some(case))?;
            }
            let flag = s.env.flag("break");
            s.with_flag(flag, |s| {
                let mut entered = Bool::Lit(false);
                for (case, label) in cases.iter().zip(labels) {
                    entered = or(entered, label.unwrap_or_else(|| otherwise.clone()));
                    let last = cases.last() == Some(case);
                    let mut statements = case_body(*case);
                    statements.retain(|n| last || n.kind() != "declaration");
                    if statements.is_empty() {
                        continue;
                    }
                    let runs = and(entered.clone(), s.env.active());
                    let before = s.env.active();
                    s.under(runs, &|s| s.statements(&statements), *case)?;
                    if before == Bool::Lit(true) && s.always_left(&entered) {
                        // Everyone who came here has left: only new labels matter from now on.
                        s.env[flag] = crate::value::Value::Bool(Bool::Lit(false));
                        entered = Bool::Lit(false);
                    }
                }
                Ok(())
            })
        })
    }

    /// The declarations of a case are in scope in those that follow. They may not initialize, as
    /// a jump to a later case would pass them.
    fn declared_for_all(&mut self, case: Node<'t>, last: bool) -> Lowered<()> {
        for statement in case_body(case) {
            if last || statement.kind() != "declaration" {
                continue;
            }
            if field(statement, "declarator").iter().any(|d| d.kind() == "init_declarator") {
                return refuse(statement, "variable that a case before the last initializes");
            }
            self.declaration(statement)?;
        }
        Ok(())
    }

    /// Is exactly the condition `entered` that under which a flag is raised?
    fn always_left(&self, entered: &Bool) -> bool {
        self.env.active() == crate::arith::not(entered.clone())
    }
}

/// The statements of a case.
fn case_body(case: Node<'_>) -> Vec<Node<'_>> {
    let values = field(case, "value");
    children(case).into_iter().filter(|n| !values.contains(n)).collect()
}
