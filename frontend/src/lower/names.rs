//! Names of the program: fresh variables, values that cannot be expressed, and lookup.

use super::emit::{Event, Item};
use super::{Array, Lower};
use crate::arith::{compare_natural, lit};
use crate::ctype::CType;
use crate::range::full;
use crate::value::{Binding, Value};
use babycuda_core::expr::Relation;
use babycuda_core::syntax::{ArrayDecl, Contents, Domain, Space};
use babycuda_core::{Bool, IntType, Name, Num};
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// A variable of the program that is named like `hint` and bound in the innermost block.
    pub(super) fn fresh(&mut self, hint: &str) -> Name {
        let name = Name::new(hint)
            .fresh(|n| self.used.contains(n) || babycuda_core::name::reserved::is_reserved(n));
        self.used.insert(name.clone());
        self.bound_at.insert(name.clone(), self.blocks.len());
        // A trial may have used the name for something else.
        self.ranges.unset(&name);
        name
    }

    /// Forgets the names that a trial used, but for those of arrays, which stay.
    pub(super) fn restore_used(&mut self, used: std::collections::BTreeSet<Name>) {
        self.used = used;
        let arrays = self.arrays.iter().map(|a| a.decl.name.clone());
        self.used.extend(arrays);
    }

    /// A natural of the given domain of which nothing is known: a read of an array that no one
    /// writes and whose contents are unconstrained (THEORY §4).
    fn unknown_in(&mut self, domain: Domain, node: Node<'_>) -> Num {
        let label = match domain {
            Domain::Natural => "unknown".to_owned(),
            Domain::Machine(t) => format!("unknown.{t}"),
        };
        let known = self
            .arrays
            .iter()
            .find(|a| a.unknown && a.decl.element == domain)
            .map(|a| a.decl.name.clone());
        let array = known.unwrap_or_else(|| {
            let name = self.fresh(&label);
            self.bound_at.remove(&name);
            self.arrays.push(Array {
                decl: ArrayDecl {
                    name: name.clone(),
                    space: Space::Global,
                    element: domain,
                    contents: Contents::Opaque,
                    length: None,
                },
                element: CType::Void,
                unknown: true,
            });
            name
        });
        let var = self.fresh("u");
        if let Domain::Machine(t) = domain {
            self.ranges.set(var.clone(), t, full(t));
        }
        let site = self.site(Event::Unknown, node);
        self.push(Item::Read { site, var: var.clone(), array, index: lit(0) });
        Num::Var(var)
    }

    /// An integer of which nothing is known.
    pub(super) fn unknown_int(&mut self, t: IntType, node: Node<'_>) -> Num {
        self.unknown_in(Domain::Machine(t), node)
    }

    /// A natural of which nothing is known.
    pub(super) fn unknown_natural(&mut self, node: Node<'_>) -> Num {
        self.unknown_in(Domain::Natural, node)
    }

    /// A condition of which nothing is known.
    pub(super) fn unknown_bool(&mut self, node: Node<'_>) -> Bool {
        let u = self.unknown_in(Domain::Machine(IntType::U8), node);
        compare_natural(Relation::Ne, u, lit(0))
    }

    /// A value of which nothing is known but its type.
    pub(super) fn unknown(&mut self, ctype: &CType, node: Node<'_>) -> Value {
        match ctype {
            CType::Int(t) => Value::Int(*t, self.unknown_int(*t, node)),
            CType::Bool => Value::Bool(self.unknown_bool(node)),
            CType::Data(data) => Value::Data(data.clone(), None),
            CType::Void => Value::Void,
            CType::Pointer(_) | CType::Array(..) => {
                Value::Poison("a pointer whose base is not known")
            }
        }
    }

    /// What `name` is bound to: in the scopes of the function that is being translated, or in the
    /// file's.
    pub(super) fn lookup(&self, name: &str) -> Option<&Binding> {
        let first = self.frames.last().map_or(1, |f| f.first_scope);
        let local = self.scopes.get(first..).unwrap_or_default();
        local.iter().rev().chain(self.scopes.first()).find_map(|scope| scope.get(name))
    }

    pub(super) fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), binding);
        }
    }

    /// Runs `f` in a new scope.
    pub(super) fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Default::default());
        let result = f(self);
        self.scopes.pop();
        result
    }
}
