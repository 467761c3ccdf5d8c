//! Inline assembly, which [`Ptx`] understands.

use super::types::operand;
use super::{Resolved, Resolver};
use crate::error::refuse;
use crate::unit::{children, field, part};
use babycuda_kernel::Expr;
use babycuda_kernel::ptx::Ptx;
use tree_sitter::Node;

impl<'t> Resolver<'t> {
    /// `asm("…" : outputs : inputs : clobbers)`
    pub(super) fn assembly(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let code = operand(node, "assembly_code")?;
        let Some(template) = self.joined(code) else {
            return refuse(node, "inline assembly of such a text");
        };
        if part(node, "goto_labels").is_some() {
            return refuse(node, "inline assembly with labels");
        }
        let ptx = match Ptx::of(&template) {
            Ok(ptx) => ptx,
            Err(instruction) => return refuse(node, format!("inline assembly: `{instruction}`")),
        };
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for given in self.operands_of(node, "input_operands") {
            inputs.push(self.expr(operand(given, "value")?)?);
        }
        for given in self.operands_of(node, "output_operands") {
            let (constraint, value) = (operand(given, "constraint")?, operand(given, "value")?);
            outputs.push((self.place(value)?, self.text(constraint).contains('+')));
        }
        ptx.expr(outputs, inputs, self.at(node)).or_else(|what| refuse(node, what))
    }

    fn operands_of(&self, node: Node<'t>, name: &str) -> Vec<Node<'t>> {
        part(node, name).map_or(Vec::new(), |list| field(list, "operand"))
    }

    /// The text of a string, or of several that follow each other.
    fn joined(&self, node: Node<'t>) -> Option<String> {
        match node.kind() {
            "string_literal" => {
                let text = self.text(node).strip_prefix('"')?.strip_suffix('"')?;
                Some(text.replace("\\n", "\n").replace("\\t", "\t"))
            }
            "concatenated_string" => children(node).iter().map(|part| self.joined(*part)).collect(),
            _ => None,
        }
    }
}
