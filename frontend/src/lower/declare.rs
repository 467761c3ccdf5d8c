//! Declarations inside of functions.

use super::Lower;
use super::expr::operand;
use crate::ctype::{CType, has_qualifier};
use crate::error::{Lowered, refuse};
use crate::unit::{children, declarators, field, part};
use crate::value::{ArrayId, Binding, Value};
use babycuda_core::syntax::{Contents, Domain, Space};
use babycuda_core::{IntType, Num};
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// A declaration statement.
    pub(super) fn declaration(&mut self, node: Node<'t>) -> Lowered<()> {
        let shared = has_qualifier(node, self.unit.text, "__shared__");
        let dynamic = has_qualifier(node, self.unit.text, "extern");
        let fixed = has_qualifier(node, self.unit.text, "const")
            || has_qualifier(node, self.unit.text, "constexpr");
        if has_qualifier(node, self.unit.text, "static") && !shared && !fixed {
            return refuse(node, "static local variable");
        }
        for declarator in field(node, "declarator") {
            self.no_statement(node, declarator)?;
        }
        let base = self.declared_base(node)?;
        for declarator in field(node, "declarator") {
            if fixed && !shared && self.local_table(base.as_ref(), declarator, node)? {
                continue;
            }
            if shared {
                let Some(base) = base.clone() else {
                    return refuse(node, "shared array of type auto");
                };
                self.shared(base, declarator, dynamic, node)?;
            } else {
                self.local(base.clone(), declarator, node)?;
            }
        }
        Ok(())
    }

    /// One declarator of a local variable.
    fn local(&mut self, base: Option<CType>, declarator: Node<'t>, node: Node<'t>) -> Lowered<()> {
        let initializer = part(declarator, "value");
        let deduced = base.is_none();
        if has_reference(declarator) {
            let declared = self.declarator(base.unwrap_or(CType::Void), Some(declarator))?;
            let (Some(name), Some(initializer)) = (declared.name, initializer) else {
                return refuse(declarator, "reference without an initializer");
            };
            let place = self.place(initializer)?;
            if !deduced && !self.binds(node, &declared.ctype, &place) {
                return refuse(declarator, "reference to an object of another type");
            }
            self.env.bind(self.text(name), Binding::Reference(place));
            return Ok(());
        }
        let value = initializer.map(|i| self.initial(i)).transpose()?;
        let base = match (base, &value) {
            (Some(base), _) => base,
            (None, Some(value)) => match self.type_of(value) {
                Some(CType::Pointer(pointee)) if has_pointer(declarator) => *pointee,
                Some(ctype) => ctype,
                None => return refuse(declarator, "auto"),
            },
            (None, None) => return refuse(declarator, "auto without an initializer"),
        };
        let declared = self.declarator(base, Some(declarator))?;
        let Some(name) = declared.name else {
            return refuse(declarator, "declaration without a name");
        };
        let name = self.text(name);
        let ctype = declared.ctype;
        let value = match (value, &ctype) {
            (_, CType::Array(..)) => Value::Void,
            (None, CType::Data(data)) => Value::Data(data.clone(), None),
            (None, _) => Value::Undefined,
            (Some(value), _) if deduced => value,
            (Some(value), ctype) => self.convert(value, ctype, declarator)?,
        };
        let v = self.env.variable(name, ctype, value);
        self.env.bind(name, Binding::Var(v));
        Ok(())
    }

    /// The value of an initializer: `= e`, `(e)`, `{e}`, or of several values (then data).
    fn initial(&mut self, node: Node<'t>) -> Lowered<Value> {
        if matches!(node.kind(), "argument_list" | "initializer_list")
            && let [only] = children(node)[..]
            && only.kind() != "initializer_list"
        {
            return self.eval(only);
        }
        self.eval(node)
    }

    /// The type of a value, as `auto` deduces it.
    pub(super) fn type_of(&self, value: &Value) -> Option<CType> {
        Some(match value {
            Value::Int(t, _) => CType::Int(*t),
            Value::Bool(_) => CType::Bool,
            Value::Data(data, _) => CType::Data(data.clone()),
            Value::Pointer(p) => CType::Pointer(Box::new(p.pointee.clone())),
            Value::Group(g) => CType::Group(Some(g.scope).filter(|_| !g.any)),
            Value::Void | Value::Undefined | Value::Poison(_) => return None,
        })
    }

    /// One declarator of a `__shared__` declaration. Its storage belongs to the block, so a
    /// declaration that is translated again means the same array.
    fn shared(
        &mut self,
        base: CType,
        declarator: Node<'t>,
        dynamic: bool,
        node: Node<'t>,
    ) -> Lowered<()> {
        if part(declarator, "value").is_some() {
            return refuse(declarator, "initializer of a shared variable");
        }
        let declared = self.declarator(base, Some(declarator))?;
        let Some(name_node) = declared.name else {
            return refuse(declarator, "declaration without a name");
        };
        let name = self.text(name_node);
        let ctype = declared.ctype;
        let instance = self.env.frames.last().map(|f| f.instance.clone()).unwrap_or_default();
        let array = match (self.arrays.declared.get(&name_node.start_byte()), self.arrays.dynamic) {
            (Some((array, known)), _) if dynamic || *known == instance => *array,
            (Some(_), _) => {
                return refuse(node, "shared arrays of several instances of a template");
            }
            (None, Some(array)) if dynamic => {
                // All such declarations start at the same address.
                if self.arrays[array].element.size() != ctype.innermost().size() {
                    return refuse(node, "extern __shared__ arrays of different element sizes");
                }
                self.note("all `extern __shared__` arrays are one array", Some(node));
                array
            }
            (None, _) => self.array(name, &ctype, Space::Shared, Contents::Any, node)?,
        };
        self.arrays.declared.insert(name_node.start_byte(), (array, instance));
        if dynamic {
            self.arrays.dynamic = Some(array);
        }
        let binding = match &ctype {
            CType::Array(..) => Binding::Array(array, ctype),
            _ => Binding::Cell(array, ctype),
        };
        self.env.bind(name, binding);
        Ok(())
    }

    /// Adds an array to the program.
    pub(super) fn array(
        &mut self,
        name: &str,
        ctype: &CType,
        space: Space,
        contents: Contents,
        node: Node<'t>,
    ) -> Lowered<ArrayId> {
        let element = ctype.innermost().clone();
        let domain = match &element {
            CType::Int(t) => Domain::Machine(*t),
            CType::Bool => Domain::Machine(IntType::U8),
            CType::Data(data) => match data.size {
                Some(2) => Domain::Machine(IntType::U16),
                Some(4) => Domain::Machine(IntType::U32),
                Some(8) => Domain::Machine(IntType::U64),
                _ => Domain::Natural,
            },
            CType::Pointer(_) => return refuse(node, "an array whose elements are pointers"),
            CType::Void => Domain::Natural,
            // `innermost` leaves no array.
            CType::Array(..) => return refuse(node, "an array of arrays"),
            CType::Group(_) => return refuse(node, "an array of groups"),
        };
        let length = match &self.cells(ctype) {
            Some(Num::Lit(n)) => Some(n.clone()),
            _ => None,
        };
        let array = self.add_array(name, space, domain, contents, element);
        self.arrays[array].decl.length = length;
        Ok(array)
    }

    /// `typedef` and `using`.
    pub(super) fn type_alias(&mut self, node: Node<'t>) -> Lowered<()> {
        let type_node = operand(node, "type")?;
        if node.kind() == "alias_declaration" {
            let ctype = self.descriptor(type_node)?;
            if let (Some(name), Some(ctype)) = (part(node, "name"), ctype) {
                self.env.bind(self.text(name), Binding::Type(ctype));
            }
            return Ok(());
        }
        if let Some(base) = self.specifier(type_node)? {
            for declarator in field(node, "declarator") {
                // An alias of a type that is not followed becomes an error where it is used.
                if let Ok(declared) = self.declarator(base.clone(), Some(declarator))
                    && let Some(name) = declared.name
                {
                    self.env.bind(self.text(name), Binding::Type(declared.ctype));
                }
            }
        }
        Ok(())
    }

    /// `enum { A, B = 3 }`: binds its names. Returns the type that its values have in arithmetic:
    /// the one that it states, or else the first that holds all of them ([conv.prom] of C++).
    pub(super) fn enumeration(&mut self, node: Node<'t>) -> Lowered<CType> {
        let stated = match part(node, "base") {
            Some(base) => match self.specifier(base)? {
                Some(CType::Int(t)) => Some(t),
                _ => return refuse(base, "enumeration of this type"),
            },
            None => None,
        };
        let mut cursor = node.walk();
        let scoped = node.children(&mut cursor).any(|c| matches!(c.kind(), "class" | "struct"));
        let stated = stated.or(scoped.then_some(IntType::I32));
        if stated.is_none() && part(node, "body").is_none() {
            return refuse(node, "enumeration without its values");
        }
        let values = self.scoped(|s| s.enumerators(node, stated))?;
        let least = values.iter().map(|(_, v)| *v).min().unwrap_or(0);
        let most = values.iter().map(|(_, v)| *v).max().unwrap_or(0);
        let Some(t) = stated.or_else(|| holding(IntType::I32, least, most)) else {
            return refuse(node, "enumeration whose values no type holds");
        };
        for (name, value) in values.into_iter().filter(|_| !scoped) {
            self.env.bind(name, Binding::Constant(Value::Int(t, Num::lit(t.write(value)))));
        }
        if let Some(name) = part(node, "name") {
            self.env.bind(self.text(name), Binding::Type(CType::Int(t)));
        }
        Ok(CType::Int(t))
    }

    /// The enumerators with their values; each is bound for those that follow.
    fn enumerators(
        &mut self,
        node: Node<'t>,
        stated: Option<IntType>,
    ) -> Lowered<Vec<(&'t str, i128)>> {
        let mut out = Vec::new();
        let mut next = (stated.unwrap_or(IntType::I32), 0);
        for enumerator in part(node, "body").map(children).unwrap_or_default() {
            let name = operand(enumerator, "name")?;
            if let Some(value) = part(enumerator, "value") {
                let value = self.eval(value)?;
                let (t, number) = self.integer(value, enumerator)?;
                let bits = match &number {
                    Num::Lit(bits) => bits.to_u64(),
                    _ => None,
                };
                let Some(bits) = bits else {
                    return refuse(enumerator, "enumerator whose value is not known");
                };
                next = (stated.unwrap_or(t), t.read(bits));
            }
            let (t, value) = next;
            let Some(t) = holding(t, value, value).filter(|wide| stated.is_none_or(|s| s == *wide))
            else {
                return refuse(enumerator, "enumerator that its type does not hold");
            };
            let name = self.text(name);
            self.env.bind(name, Binding::Constant(Value::Int(t, Num::lit(t.write(value)))));
            out.push((name, value));
            next = (t, value + 1);
        }
        Ok(out)
    }
}

/// The first type from `t` on that holds the values from `least` to `most`.
fn holding(t: IntType, least: i128, most: i128) -> Option<IntType> {
    let holds = |t: &IntType| {
        let range = crate::range::full(*t);
        range.0 <= least && most <= range.1
    };
    [t, IntType::I32, IntType::U32, IntType::I64, IntType::U64].into_iter().find(holds)
}

/// Does a declarator declare a C++ reference?
pub(super) fn has_reference(declarator: Node<'_>) -> bool {
    declarators(declarator).any(|d| d.kind() == "reference_declarator")
}

/// Does a declarator declare a pointer?
fn has_pointer(declarator: Node<'_>) -> bool {
    declarators(declarator).any(|d| d.kind() == "pointer_declarator")
}
