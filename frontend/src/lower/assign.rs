//! Assignments, `++` and `--`.

use super::Lower;
use super::expr::{operand, operands};
use crate::error::{Lowered, refuse};
use crate::unit::part;
use crate::value::Value;
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// An assignment expression, plain or compound. As in C++17, the right operand comes first.
    pub(super) fn assignment(&mut self, node: Node<'t>) -> Lowered<Value> {
        let (left, right) = operands(node, "left", "right")?;
        let operator = self.operator(node);
        let value = self.eval(right)?;
        let place = self.place(left)?;
        let value = match operator.strip_suffix('=') {
            Some("") => value,
            Some(op) => {
                let old = self.load(&place, left)?;
                self.binary(op, old, value, node)?
            }
            None => return refuse(node, format!("assignment operator `{operator}`")),
        };
        self.store(&place, value, left)
    }

    /// `x++`, `x--`, `++x`, `--x`.
    pub(super) fn update(&mut self, node: Node<'t>) -> Lowered<Value> {
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
    fn step(&mut self, argument: Node<'t>, prefix: bool, node: Node<'t>) -> Lowered<Value> {
        let op = match self.operator(node) {
            "++" => "+",
            "--" => "-",
            other => return refuse(node, format!("operator `{other}`")),
        };
        let place = self.place(argument)?;
        let old = self.load(&place, argument)?;
        let new = self.binary(op, old.clone(), Value::int(1), node)?;
        let new = self.store(&place, new, argument)?;
        Ok(if prefix { new } else { old })
    }
}
