//! Declarations inside of functions.

use super::layout::domain;
use super::{At, Lower, Lowered, refuse};
use crate::ctype::CType;
use crate::value::{ArrayId, Base, Binding, Value};
use babycuda_core::Num;
use babycuda_core::syntax::{Contents, Domain, Shape, Space};
use babycuda_kernel::{ExprKind, Initial, Storage, Var};

impl<'t> Lower<'t> {
    /// A variable begins to live.
    pub(super) fn declaration(
        &mut self,
        v: Var,
        initial: Option<&'t Initial>,
        at: At,
    ) -> Lowered<()> {
        let kernel = self.kernel;
        let variable = &kernel[v];
        if matches!(variable.storage, Storage::Shared | Storage::Dynamic) {
            return self.shared(v, at);
        }
        let value = match initial {
            None => None,
            Some(Initial::Place(place)) => {
                let place = self.place(place)?;
                self.env.bind(v, Binding::Reference(place));
                return Ok(());
            }
            Some(Initial::Value(value)) => {
                if variable.constant && matches!(value.kind, ExprKind::List(_)) {
                    let ctype = self.ctype(&variable.ty)?;
                    if self.local_table(v, &ctype, value, at)? {
                        return Ok(());
                    }
                }
                Some(self.eval(value)?)
            }
        };
        let ctype = self.ctype(&variable.ty)?;
        let value = match (value, &ctype) {
            (Some(value @ Value::Object(..)), _) => value,
            (_, CType::Array(..)) => Value::Void,
            (None, CType::Data(data)) => Value::Data(data.clone(), None),
            (None, _) => Value::Undefined,
            (Some(value), _) => value,
        };
        let binding = self.local(v, ctype, value, at);
        self.env.bind(v, binding);
        Ok(())
    }

    /// The type of a value, where it has one.
    pub(super) fn type_of(&self, value: &Value) -> Option<CType> {
        Some(match value {
            Value::Int(t, _) => CType::Int(*t),
            Value::Bool(_) => CType::Bool,
            Value::Data(data, _) => CType::Data(data.clone()),
            Value::Object(ctype, ..) => ctype.clone(),
            Value::Pointer(p) => CType::Pointer(Box::new(p.pointee.clone())),
            Value::Group(g) => CType::Group(Some(g.scope).filter(|_| !g.any)),
            Value::Void | Value::Undefined | Value::Poison(_) => return None,
        })
    }

    /// A shared variable. Its storage belongs to the block, so a declaration that is translated again
    /// means the same array.
    fn shared(&mut self, v: Var, at: At) -> Lowered<()> {
        let kernel = self.kernel;
        let variable = &kernel[v];
        let dynamic = variable.storage == Storage::Dynamic;
        let ctype = self.ctype(&variable.ty)?;
        let array = match (self.arrays.declared.get(&v), self.arrays.dynamic) {
            (Some(array), _) => *array,
            (None, Some(array)) if dynamic => {
                // All such declarations start at the same address.
                let inner = ctype.innermost();
                self.castable(Base::Array(array), inner, at)?;
                self.note("all `extern __shared__` arrays are one array", Some(at));
                array
            }
            (None, _) => self.array(&variable.name, &ctype, Space::Shared, Contents::Any, at)?,
        };
        self.arrays.declared.insert(v, array);
        if dynamic {
            self.arrays.dynamic = Some(array);
        }
        let binding = match &ctype {
            CType::Array(..) => Binding::Array(array, ctype),
            _ => Binding::Cell(array, ctype),
        };
        self.env.bind(v, binding);
        Ok(())
    }

    /// Adds an array to the program.
    pub(super) fn array(
        &mut self,
        name: &str,
        ctype: &CType,
        space: Space,
        contents: Contents,
        at: At,
    ) -> Lowered<ArrayId> {
        let element = ctype.innermost().clone();
        let domain = match &element {
            CType::Void => Domain::Natural,
            CType::Pointer(_) => return refuse(at, "an array whose elements are pointers"),
            // `innermost` leaves no array.
            CType::Array(..) => return refuse(at, "an array of arrays"),
            CType::Group(_) => return refuse(at, "an array of groups"),
            _ => domain(&element, element.size().unwrap_or(0)),
        };
        let array = self.add_array(name, space, domain, contents, element);
        self.lay_out(array, ctype);
        let shape = match ctype {
            CType::Array(row, _) => Shape::Array(extents(row)),
            _ => Shape::Scalar,
        };
        self.shape(array, ctype, shape);
        Ok(array)
    }

    /// Notes how the source indexes an array whose elements are those of `ctype`, if by its cells.
    pub(super) fn shape(&mut self, array: ArrayId, ctype: &CType, shape: Shape) {
        let it = &self.arrays[array];
        let elements = ctype.innermost().size().is_none_or(|size| it.cell == Some(size));
        let shape = if elements && !it.mixed { shape } else { Shape::Cells };
        let name = it.decl.name.clone();
        self.arrays.shapes.insert(name, shape);
    }
}

/// The extents of an array of arrays, outermost first; of anything else none. One that is not known
/// ends them.
pub(super) fn extents(ctype: &CType) -> Vec<u64> {
    match ctype {
        CType::Array(row, Some(Num::Lit(n))) => {
            n.to_u64().into_iter().chain(extents(row)).collect()
        }
        _ => Vec::new(),
    }
}
