//! Declarations outside of functions: constants, device variables.

use super::{At, Lower, Lowered, refuse};
use crate::arith::lit;
use crate::ctype::CType;
use crate::range::full;
use crate::value::{ArrayId, Base, Binding, Pointer, Value};
use babycuda_core::syntax::{Contents, Domain, Param, Space};
use babycuda_core::{Name, Num};
use babycuda_kernel::{Expr, Initial, StmtKind, Storage, Var};

impl<'t> Lower<'t> {
    /// Binds what the file declares. What cannot be read stays an unknown name, which is refused
    /// where it is used.
    pub(super) fn globals(&mut self) {
        let kernel = self.kernel;
        for declaration in &kernel.globals {
            if let StmtKind::Declare(v, initial) = &declaration.kind {
                let value = match initial {
                    Some(Initial::Value(value)) => Some(value),
                    _ => None,
                };
                let _unknown = self.global(*v, value, declaration.at);
            }
        }
    }

    fn global(&mut self, v: Var, value: Option<&'t Expr>, at: At) -> Lowered<()> {
        let kernel = self.kernel;
        let variable = &kernel[v];
        let (name, fixed) = (&variable.name, variable.constant);
        let device = variable.storage == Storage::Device;
        if matches!(variable.storage, Storage::Shared | Storage::Dynamic) {
            return self.declaration(v, None, at);
        }
        let ctype = self.ctype(&variable.ty)?;
        let binding = match (&ctype, value) {
            (CType::Array(..), _) if fixed => {
                let table = value.and_then(|value| self.table(&ctype, value));
                // What a table holds is one thing, not whatever the host chose.
                let (ctype, contents) = table.unwrap_or((ctype, Contents::Opaque));
                let array = self.array(name, &ctype, Space::Global, contents, at)?;
                Binding::Array(array, ctype)
            }
            (CType::Array(..), _) => {
                let array = self.host_array(v, &ctype, at)?;
                if value.is_some() {
                    self.arrays.initialized.insert(self.arrays[array].decl.name.clone());
                }
                Binding::Array(array, ctype)
            }
            (CType::Pointer(pointee), value) if device || variable.storage == Storage::Constant => {
                let null = value.is_none_or(|value| self.eval(value) == Ok(Value::NULL));
                Binding::Constant(match null && !device {
                    true => self.host_pointer(pointee, |s| {
                        let array = s.host_array(v, pointee, at)?;
                        s.arrays.pointed.insert(s.arrays[array].decl.name.clone());
                        Ok(array)
                    })?,
                    false => Value::Poison("a pointer of the file that not only the host sets"),
                })
            }
            (_, Some(value)) if fixed && !device => match self.eval(value)? {
                value @ Value::Object(..) => self.local(v, ctype, value, at),
                value => Binding::Constant(value),
            },
            (CType::Int(t), Some(value))
                if fixed && let Some(bits) = self.constant_element(&ctype, value) =>
            {
                Binding::Constant(Value::Int(*t, Num::Lit(bits)))
            }
            (_, _) if device => Binding::Cell(self.host_array(v, &ctype, at)?, ctype),
            (_, _) if variable.storage == Storage::Constant => {
                if self.given_object(v)? {
                    return Ok(());
                }
                Binding::Constant(self.parameter_value(name, &ctype)?)
            }
            _ => return Ok(()),
        };
        self.env.bind(v, binding);
        Ok(())
    }

    /// A pointer that the host sets: it is the only one into its array, of any length.
    pub(super) fn host_pointer(
        &mut self,
        pointee: &CType,
        array: impl FnOnce(&mut Self) -> Lowered<ArrayId>,
    ) -> Lowered<Value> {
        if matches!(pointee.innermost(), CType::Pointer(_)) {
            return Ok(Value::Poison("an array whose elements are pointers"));
        }
        let array = array(self)?;
        self.arrays[array].decl.length = None;
        let base = Base::Array(array);
        Ok(Value::Pointer(Pointer { base, index: lit(0), pointee: pointee.clone() }))
    }

    /// Adds a global array with whatever the host stored. Behind `volatile`, of its declaration or
    /// of a pointer to it, any two reads of what the kernel does not write may differ.
    pub(super) fn host_array(&mut self, v: Var, ctype: &CType, at: At) -> Lowered<ArrayId> {
        let kernel = self.kernel;
        let variable = &kernel[v];
        // A parameter of OpenCL C may point into the block's memory.
        let space = match variable.storage {
            Storage::Shared => Space::Shared,
            _ => Space::Global,
        };
        let array = self.array(&variable.name, ctype, space, Contents::Any, at)?;
        if variable.volatile || kernel.volatile_places {
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
            return refuse(At(0), format!("the value {value} of the `bool` `{name}`"));
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
                lit(0),
            )),
            _ => Value::Int(t, num),
        })
    }
}
