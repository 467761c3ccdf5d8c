//! The order of evaluation. C++ leaves open which operand of an operator, or which argument of a
//! call, is evaluated first, but for `&&`, `||`, `,`, `?:`, `<<`, `>>`, subscripts and assignments.
//! We evaluate from left to right, so an expression whose meaning depends on it is refused.

use super::expr::operands;
use super::inline::by_reference;
use super::{Lower, intrinsics};
use crate::error::{Lowered, refuse};
use crate::unit::{Function, children, part, walk};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Calls that are followed deeper than this change whatever they are given.
const MAX_DEPTH: usize = 3;

impl<'t> Lower<'t> {
    /// Is the order of the operands immaterial: is nothing named in one that another changes?
    pub(super) fn in_any_order(&self, operands: &[Node<'t>], node: Node<'t>) -> Lowered<()> {
        for (i, operand) in operands.iter().enumerate() {
            // Most operands are told by their text.
            let text = self.text(*operand);
            if !text.contains(['=', '(']) && !text.contains("++") && !text.contains("--") {
                continue;
            }
            let mut changed = BTreeSet::new();
            self.changes(*operand, 0, &mut changed);
            if changed.is_empty() {
                continue;
            }
            let others = operands.iter().enumerate().filter(|(j, _)| *j != i);
            let used = others.flat_map(|(_, other)| self.names(*other));
            if let Some(name) = used.into_iter().find(|name| changed.contains(name)) {
                let what = "is changed in one operand and used in another";
                return refuse(node, format!("`{name}` {what}: C++ leaves open which comes first"));
            }
        }
        Ok(())
    }

    /// The names of what evaluating the node may change: variables, arrays, and pointers through
    /// which something is changed.
    fn changes(&self, node: Node<'t>, depth: usize, changed: &mut BTreeSet<&'t str>) {
        let _nothing = walk(node, |n, _| {
            match n.kind() {
                "update_expression" => {
                    changed.extend(part(n, "argument").and_then(|a| self.root(a)))
                }
                "assignment_expression" => {
                    changed.extend(part(n, "left").and_then(|a| self.root(a)))
                }
                "call_expression" => self.call_changes(n, depth, changed),
                _ => {}
            }
            None::<()>
        });
    }

    fn call_changes(&self, call: Node<'t>, depth: usize, changed: &mut BTreeSet<&'t str>) {
        let Ok((function, arguments)) = operands(call, "function", "arguments") else {
            return;
        };
        let name =
            intrinsics::plain(self.text(function).split('<').next().unwrap_or_default().trim());
        let functions = self.unit.functions.get(name).map_or(&[][..], |f| f);
        for (i, argument) in children(arguments).into_iter().enumerate() {
            let may_change = |function: &Function<'t>| {
                let Some(parameter) = self.parameters(*function).get(i).copied() else {
                    return true;
                };
                let declarator = part(parameter, "declarator");
                let points = declarator.is_some_and(|d| self.text(d).contains(['*', '[']));
                if !points && !by_reference(parameter) {
                    return false;
                }
                let body = part(function.node, "body");
                let (Some(body), true) = (body, depth < MAX_DEPTH) else { return true };
                let mut inside = BTreeSet::new();
                self.changes(body, depth + 1, &mut inside);
                let own = declarator.map(|d| self.names(d)).unwrap_or_default();
                !own.is_disjoint(&inside) || self.aliases(body, &own)
            };
            let by_address = || self.text(argument).starts_with('&') || i == 0 && writes(name);
            let is_changed = match functions {
                [] => by_address() || name == "swap",
                _ => functions.iter().any(may_change),
            };
            if is_changed {
                changed.extend(self.names(argument));
            }
        }
    }

    /// May the body give one of the names another name: is it the whole of an initializer, or moved
    /// in one?
    fn aliases(&self, body: Node<'t>, own: &BTreeSet<&'t str>) -> bool {
        let alias = walk(body, |n, _| {
            let pointer = n.kind() == "init_declarator"
                && part(n, "declarator").is_some_and(|d| self.text(d).starts_with(['*', '&']));
            let value = part(n, "value").filter(|_| pointer)?;
            (!self.names(value).is_disjoint(own)).then_some(())
        });
        alias.is_some()
    }

    /// The name of the variable, array or pointer below subscripts, members and dereferences.
    fn root(&self, node: Node<'t>) -> Option<&'t str> {
        walk(node, |n, _| (n.kind() == "identifier").then(|| self.text(n)))
    }

    fn names(&self, node: Node<'t>) -> BTreeSet<&'t str> {
        let mut names = BTreeSet::new();
        let _nothing = walk(node, |n, _| {
            if n.kind() == "identifier" {
                names.insert(self.text(n));
            }
            None::<()>
        });
        names
    }
}

/// Does the function of CUDA write through its first argument?
fn writes(name: &str) -> bool {
    name.starts_with("atomic") || name.starts_with("__st")
}
