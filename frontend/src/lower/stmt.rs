//! Statements.

use super::Lower;
use super::expr::operands;
use crate::error::{Lowered, refuse};
use crate::unit::{children, part};
use tree_sitter::Node;

impl<'t> Lower<'t> {
    pub(super) fn statement(&mut self, node: Node<'t>) -> Lowered<()> {
        self.nested(node, |s| s.statement_of(node))
    }

    fn statement_of(&mut self, node: Node<'t>) -> Lowered<()> {
        if node.is_error() || node.is_missing() {
            return refuse(node, "syntax error");
        }
        match node.kind() {
            "compound_statement" => {
                let list = children(node);
                self.scoped(|s| s.statements(&list))
            }
            "expression_statement" => match children(node)[..] {
                [] => Ok(()),
                [expression] => self.effects(expression),
                _ => refuse(node, "syntax error"),
            },
            "declaration" => self.declaration(node),
            "type_definition" | "alias_declaration" => self.type_alias(node),
            "enum_specifier" => self.enumeration(node).map(|_| ()),
            "if_statement" => self.if_statement(node),
            "for_statement" | "while_statement" | "do_statement" => self.loop_statement(node),
            "switch_statement" => self.switch(node),
            "return_statement" => {
                let frame = self.env.frames.last().map(|f| (f.result, f.returned));
                let Some((result, returned)) = frame else {
                    return refuse(node, "return outside of a function");
                };
                if let [value] = children(node)[..] {
                    let value = self.eval(value)?;
                    let ctype = self.env.ctype(result).clone();
                    self.env[result] = self.convert(value, &ctype, node)?;
                }
                self.env.raise(returned);
                Ok(())
            }
            "break_statement" | "continue_statement" => {
                let wanted = node.kind().trim_end_matches("_statement");
                match self.env.flags().iter().rev().find(|f| self.env.name(**f) == wanted) {
                    Some(&flag) => {
                        self.env.raise(flag);
                        Ok(())
                    }
                    None => refuse(node, format!("`{wanted}` outside of a loop")),
                }
            }
            "attributed_statement" => match children(node)[..] {
                [.., statement] => self.statement(statement),
                [] => Ok(()),
            },
            "static_assert_declaration" | "using_declaration" | "namespace_alias_definition" => {
                Ok(())
            }
            "goto_statement" => refuse(node, "goto"),
            "labeled_statement" => refuse(node, "label, for `goto`"),
            "for_range_loop" => refuse(node, "range-based for loop"),
            "try_statement" | "throw_statement" => refuse(node, "exception"),
            other => refuse(node, other.replace('_', " ")),
        }
    }

    fn if_statement(&mut self, node: Node<'t>) -> Lowered<()> {
        let (condition, consequence) = operands(node, "condition", "consequence")?;
        let alternative = part(node, "alternative");
        let clause = alternative.map(children).unwrap_or_default();
        self.branch_on(
            condition,
            &|s| s.scoped(|s| s.statement(consequence)),
            &|s| s.scoped(|s| s.statements(&clause)),
            node,
        )
    }
}
