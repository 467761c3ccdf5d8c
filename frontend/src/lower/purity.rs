//! What has effects: accesses of memory, barriers, changes of variables.

use super::{Lower, Mode};
use crate::unit::walk;
use crate::value::Binding;
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// May evaluating the expression access memory or change a variable? A trial run shows it: an
    /// expression without effects adds no statement and changes no variable. (Within a trial, yes:
    /// one trial does not start another.)
    pub(super) fn has_effects(&mut self, node: Node<'t>) -> bool {
        if self.mode.probing || !self.may_have_effects(node) {
            return self.mode.probing;
        }
        let before = self.env.values().to_vec();
        let probing = Mode { probing: true, on_trial: false, ..self.mode };
        let result = self.within(probing, |s| {
            s.discarded(|s| {
                s.eval(node)?;
                Ok(s.accesses() || !s.env.values().starts_with(&before))
            })
        });
        result.unwrap_or(true)
    }

    /// Is there anything in the expression that may have an effect? (Without a look at what names
    /// stand for.)
    fn may_have_effects(&self, node: Node<'t>) -> bool {
        let effect = |node: Node<'t>, _| {
            let effect = match node.kind() {
                "subscript_expression"
                | "update_expression"
                | "assignment_expression"
                | "call_expression" => true,
                "pointer_expression" => self.operator(node) == "*",
                "field_expression" => self.operator(node) == "->",
                "identifier" => matches!(
                    self.env.lookup(self.text(node)),
                    Some(Binding::Cell(..) | Binding::Reference(_))
                ),
                _ => false,
            };
            effect.then_some(())
        };
        walk(node, effect).is_some()
    }
}
