//! What has effects: accesses of memory, barriers, changes of variables.

use super::Lower;
use crate::unit::children;
use crate::value::Binding;
use std::collections::BTreeSet;
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// May evaluating the expression access memory or change a variable? A trial run shows it: an
    /// expression without effects adds no statement and changes no variable. (Within a trial, yes:
    /// one trial does not start another.)
    pub(super) fn has_effects(&mut self, node: Node<'t>) -> bool {
        if self.probing || !self.may_have_effects(node) {
            return self.probing;
        }
        self.probing = true;
        let result = self.discarded(|s| {
            let before = s.values.clone();
            s.eval(node)?;
            let items = s.blocks.last().map_or(&[][..], |items| items);
            let accesses = items.iter().any(|item| !s.is_unknown(item));
            Ok(accesses || s.values[..before.len()] != before)
        });
        self.probing = false;
        result.unwrap_or(true)
    }

    /// Is there anything in the expression that may have an effect? (Without a look at what names
    /// stand for.)
    fn may_have_effects(&self, node: Node<'t>) -> bool {
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            let effect = match node.kind() {
                "subscript_expression"
                | "update_expression"
                | "assignment_expression"
                | "call_expression" => true,
                "pointer_expression" => self.operator(node) == "*",
                "field_expression" => self.operator(node) == "->",
                "identifier" => matches!(
                    self.lookup(self.text(node)),
                    Some(Binding::Cell(..) | Binding::Reference(_))
                ),
                _ => false,
            };
            if effect {
                return true;
            }
            pending.extend(children(node));
        }
        false
    }

    /// May an operator that the file defines do more than compute a value? Operators on data are
    /// not inlined.
    pub(super) fn operators_have_effects(&self) -> bool {
        let bodies = self.unit.operators.iter().filter_map(|n| n.child_by_field_name("body"));
        self.may_reach_memory(bodies.collect())
    }

    /// Is there anything in the bodies, or in those of the functions that they call, that may
    /// access memory or wait? (By the look of it: they are not translated.)
    fn may_reach_memory(&self, mut pending: Vec<Node<'t>>) -> bool {
        let mut called = BTreeSet::new();
        while let Some(node) = pending.pop() {
            let suspicious = match node.kind() {
                "subscript_expression" | "gnu_asm_expression" | "lambda_expression" => true,
                "pointer_expression" => self.operator(node) == "*",
                "field_expression" => self.operator(node) == "->",
                // A scalar that other threads see.
                "identifier" => self.scopes.first().is_some_and(|file| {
                    matches!(file.get(self.text(node)), Some(Binding::Cell(..)))
                }),
                "call_expression" => match node.child_by_field_name("function") {
                    Some(function) => {
                        let name = super::intrinsics::plain(self.text(function));
                        let bodies = self.unit.functions.get(name).into_iter().flatten();
                        if called.insert(name) {
                            pending
                                .extend(bodies.filter_map(|f| f.node.child_by_field_name("body")));
                        }
                        !self.unit.functions.contains_key(name)
                            && !super::intrinsics::is_pure(name)
                            && crate::ctype::named(name).is_none()
                    }
                    None => true,
                },
                _ => false,
            };
            if suspicious {
                return true;
            }
            pending.extend(children(node));
        }
        false
    }
}
