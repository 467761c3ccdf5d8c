//! Values of which nothing is known.

use super::emit::Item;
use super::sites::Event;
use super::{At, Lower};
use crate::arith::{compare_natural, lit};
use crate::ctype::CType;
use crate::range::full;
use crate::value::Value;
use babycuda_core::expr::Relation;
use babycuda_core::syntax::{Contents, Domain, Space};
use babycuda_core::{Bool, IntType, Num};

impl<'t> Lower<'t> {
    /// A natural of the given domain of which nothing is known: a read of an array that no one
    /// writes and whose contents are unconstrained (THEORY §4).
    pub(super) fn unknown_in(&mut self, domain: Domain, at: At) -> Num {
        let label = match domain {
            Domain::Natural => "unknown".to_owned(),
            Domain::Machine(t) => format!("unknown.{t}"),
        };
        let array = self.arrays.unknown(&domain).unwrap_or_else(|| {
            self.add_array(&label, Space::Global, domain, Contents::Opaque, CType::Void)
        });
        let array = self.arrays[array].decl.name.clone();
        let var = self.fresh("u");
        if let Domain::Machine(t) = domain {
            self.ranges.set(var.clone(), t, full(t));
        }
        let site = self.site(Event::Unknown, at);
        self.push(Item::Read { site, var: var.clone(), array, index: lit(0) });
        Num::Var(var)
    }

    /// An integer of which nothing is known.
    pub(super) fn unknown_int(&mut self, t: IntType, at: At) -> Num {
        self.unknown_in(Domain::Machine(t), at)
    }

    /// A natural of which nothing is known.
    pub(super) fn unknown_natural(&mut self, at: At) -> Num {
        self.unknown_in(Domain::Natural, at)
    }

    /// A condition of which nothing is known.
    pub(super) fn unknown_bool(&mut self, at: At) -> Bool {
        let u = self.unknown_in(Domain::Machine(IntType::U8), at);
        compare_natural(Relation::Ne, u, lit(0))
    }

    /// A value of which nothing is known but its type.
    pub(super) fn unknown(&mut self, ctype: &CType, at: At) -> Value {
        match ctype {
            CType::Int(t) => Value::Int(*t, self.unknown_int(*t, at)),
            CType::Bool => Value::Bool(self.unknown_bool(at)),
            CType::Data(data) => Value::Data(data.clone(), None),
            CType::Void => Value::Void,
            CType::Group(_) => Value::Poison("a group that is not known"),
            CType::Pointer(_) | CType::Array(..) => {
                Value::Poison("a pointer into an array that is not known")
            }
        }
    }
}
