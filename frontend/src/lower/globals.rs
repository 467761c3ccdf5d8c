//! Declarations outside of functions: types, constants, device variables.

use super::Lower;
use crate::ctype::{CType, has_qualifier};
use crate::error::{Lowered, refuse};
use crate::range::full;
use crate::unit::{field, part};
use crate::value::{ArrayId, Binding, Value};
use babycuda_core::syntax::{Contents, Domain, Param, Space};
use babycuda_core::{Name, Num};
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// Binds what the file declares. What cannot be read stays an unknown name, which is refused
    /// where it is used.
    pub(super) fn globals(&mut self) {
        for node in self.unit.declarations.clone() {
            let _unknown = match node.kind() {
                "type_definition" | "alias_declaration" => self.type_alias(node),
                "enum_specifier" => self.enumeration(node).map(|_| ()),
                _ => self.global(node),
            };
        }
    }

    fn global(&mut self, node: Node<'t>) -> Lowered<()> {
        let has = |q: &str| has_qualifier(node, self.unit.text, q);
        let (device, constant) = (has("__device__") || has("__managed__"), has("__constant__"));
        let fixed = has("const") || has("constexpr");
        let shared = has("__shared__");
        if let Some(specifier) = part(node, "type")
            && specifier.kind() == "enum_specifier"
        {
            return self.enumeration(specifier).map(|_| ());
        }
        if shared {
            return self.declaration(node);
        }
        for declarator in field(node, "declarator") {
            let Some(base) = self.declared_base(node)? else {
                continue;
            };
            let declared = self.declarator(base, Some(declarator))?;
            let Some(name) = declared.name.map(|n| self.text(n)) else {
                continue;
            };
            let ctype = declared.ctype;
            let value = part(declarator, "value");
            let binding = match (&ctype, value) {
                (CType::Array(..), _) if fixed => {
                    let table = value.and_then(|value| self.table(&ctype, value));
                    // What a table holds is one thing, not whatever the host chose.
                    let (ctype, contents) = table.unwrap_or((ctype, Contents::Opaque));
                    let array = self.array(name, &ctype, Space::Global, contents, node)?;
                    Binding::Array(array, ctype)
                }
                (CType::Array(..), _) if device || constant => {
                    let array = self.host_array(name, &ctype, node)?;
                    if value.is_some() {
                        self.arrays.initialized.insert(self.arrays[array].decl.name.clone());
                    }
                    Binding::Array(array, ctype)
                }
                (_, Some(value)) if fixed && !device => {
                    let value = self.eval(value)?;
                    Binding::Constant(self.convert(value, &ctype, declarator)?)
                }
                (CType::Int(t), Some(value))
                    if fixed && let Some(bits) = self.constant_element(&ctype, value) =>
                {
                    Binding::Constant(Value::Int(*t, Num::Lit(bits)))
                }
                (_, _) if constant => Binding::Constant(self.parameter_value(name, &ctype)?),
                (_, _) if device => {
                    let array = self.host_array(name, &ctype, node)?;
                    Binding::Cell(array, ctype)
                }
                _ => continue,
            };
            self.env.bind(name, binding);
        }
        Ok(())
    }

    /// Adds a global array with whatever the host stored. Behind `volatile`, of its declaration or
    /// of a pointer to it, any two reads of what the kernel does not write may differ.
    pub(super) fn host_array(
        &mut self,
        name: &str,
        ctype: &CType,
        declaration: Node<'t>,
    ) -> Lowered<ArrayId> {
        let array = self.array(name, ctype, Space::Global, Contents::Any, declaration)?;
        let declared = has_qualifier(declaration, self.unit.text, "volatile");
        if declared || self.unit.makes_volatile {
            self.arrays.volatile.insert(self.arrays[array].decl.name.clone());
        }
        Ok(array)
    }

    /// The value of a parameter, or of something else that is the same for all threads.
    pub(super) fn parameter_value(&mut self, name: &str, ctype: &CType) -> Lowered<Value> {
        let t = match ctype {
            CType::Int(t) => *t,
            CType::Bool => babycuda_core::IntType::U8,
            CType::Data(data) => return Ok(Value::Data(data.clone(), None)),
            _ => return Ok(Value::Poison("a pointer into an array that is not known")),
        };
        let given = self.options.settings.params.get(&Name::new(name));
        // A larger one is of no type of C, which is said when the kernel is done.
        let given = given.and_then(|value| i128::try_from(value).ok());
        if let (CType::Bool, Some(value)) = (ctype, given.filter(|v| !matches!(v, 0 | 1))) {
            return refuse(self.unit_root(), format!("the value {value} of the `bool` `{name}`"));
        }
        let variable = self.out.names.global(name);
        let value = given.map(|v| babycuda_core::Natural::from(t.write(v)));
        self.out.params.push(Param {
            name: variable.clone(),
            domain: Domain::Machine(t),
            value: value.clone(),
        });
        let range = match ctype {
            CType::Bool => (0, 1),
            _ => full(t),
        };
        self.ranges.set(Name::new(variable.as_str()), t, range);
        let num = match value {
            Some(value) => Num::Lit(value),
            None => Num::Var(variable),
        };
        Ok(match ctype {
            CType::Bool => Value::Bool(crate::arith::compare_natural(
                babycuda_core::expr::Relation::Ne,
                num,
                crate::arith::lit(0),
            )),
            _ => Value::Int(t, num),
        })
    }
}
