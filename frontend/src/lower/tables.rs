//! Tables: constant arrays whose elements the file gives. No one writes them, not even the host, so
//! what they hold is known.

use super::arrays::Array;
use super::emit::Item;
use super::layout::place_value;
use super::{At, Lower, Lowered};
use crate::arith::{as_lit, lit, select};
use crate::ctype::CType;
use crate::value::{Base, Binding, Pointer, Value};
use babycuda_core::syntax::{Contents, Space};
use babycuda_core::{Bool, Name, Natural, Num};
use babycuda_kernel::{Expr, ExprKind, Var};

/// A larger table counts as one of unknown contents.
const MAX_ELEMENTS: u64 = 1 << 16;

impl<'t> Lower<'t> {
    /// The complete type and the contents of a constant array with an initializer; `None` when an
    /// element is no constant of a type that is followed, or its place is not plain (designators,
    /// braces for some rows only, strings).
    pub(super) fn table(
        &mut self,
        ctype: &CType,
        initializer: &'t Expr,
    ) -> Option<(CType, Contents)> {
        let CType::Array(element, extent) = ctype else {
            return None;
        };
        if !matches!(ctype.innermost(), CType::Int(_) | CType::Bool | CType::Data(_)) {
            return None;
        }
        let row = as_lit(&self.cells(element)?).filter(|row| (1..=MAX_ELEMENTS).contains(row))?;
        let mut values = self.elements(ctype, initializer)?;
        let rows = match extent {
            Some(extent) => as_lit(extent)?,
            None => (values.len() as u64).div_ceil(row),
        };
        let size = rows.checked_mul(row).filter(|size| *size <= MAX_ELEMENTS)?;
        if values.len() as u64 > size {
            return None;
        }
        // C fills the rest with zeros.
        values.resize(size as usize, Natural::zero());
        let ctype = CType::Array(element.clone(), Some(lit(rows)));
        Some((ctype, Contents::Values(values)))
    }

    /// The patterns that a list gives the elements of an array, as far as it goes.
    fn elements(&mut self, ctype: &CType, list: &'t Expr) -> Option<Vec<Natural>> {
        let ExprKind::List(items) = &list.kind else {
            return None;
        };
        let CType::Array(element, _) = ctype else {
            return None;
        };
        let is_row = |item: &&Expr| matches!(item.kind, ExprKind::List(_));
        let rows = items.iter().filter(is_row).count();
        let mut values = Vec::new();
        if rows == 0 || matches!(**element, CType::Data(_)) {
            for item in items {
                values.push(self.constant_element(ctype.innermost(), item)?);
            }
        } else if rows == items.len() && matches!(**element, CType::Array(..)) {
            let row = as_lit(&self.cells(element)?)? as usize;
            for item in items {
                let mut given = self.elements(element, item)?;
                if given.len() > row {
                    return None;
                }
                given.resize(row, Natural::zero());
                values.append(&mut given);
            }
        } else {
            return None;
        }
        (values.len() as u64 <= MAX_ELEMENTS).then_some(values)
    }

    /// The pattern of a constant expression, converted to an element's type.
    pub(super) fn constant_element(&mut self, element: &CType, expr: &'t Expr) -> Option<Natural> {
        let value = self.discarded(|s| {
            let value = s.eval(expr)?;
            s.convert(value, element, expr.at)
        });
        self.pattern(&value.ok()?)
    }

    /// The bit pattern of a value that is known.
    fn pattern(&mut self, value: &Value) -> Option<Natural> {
        match value {
            Value::Int(_, Num::Lit(bits)) | Value::Data(_, Some(Num::Lit(bits))) => {
                Some(bits.clone())
            }
            Value::Bool(Bool::Lit(truth)) => Some(Natural::from(u64::from(*truth))),
            Value::Object(ctype, _, values) => {
                let parts = self.parts(ctype)?;
                let mut whole = Natural::zero();
                for (part, value) in parts.iter().zip(values) {
                    let bits = self.pattern(value)?;
                    whole = &whole + &(&bits * &place_value(part.offset));
                }
                Some(whole)
            }
            _ => None,
        }
    }

    /// What is known to be in a cell: an element of a table.
    pub(super) fn table_element(&self, p: &Pointer) -> Option<Value> {
        let Base::Array(array) = p.base else {
            return None;
        };
        let Array { decl, element, .. } = &self.arrays[array];
        let Contents::Values(values) = &decl.contents else {
            return None;
        };
        let bits = values.get(usize::try_from(as_lit(&p.index)?).ok()?)?.clone();
        match element {
            _ if self.is_exact(array, &p.pointee)
                && let CType::Int(t) = &p.pointee =>
            {
                Some(Value::Int(*t, Num::Lit(bits)))
            }
            _ if *element != p.pointee => None,
            CType::Int(t) => Some(Value::Int(*t, Num::Lit(bits))),
            CType::Bool => Some(Value::Bool(Bool::Lit(bits != Natural::zero()))),
            CType::Data(data) => Some(Value::Data(data.clone(), Some(Num::Lit(bits)))),
            _ => None,
        }
    }

    /// What the innermost block reads, if that is all it does, and of tables and unknown values alone. A mark is a read of
    /// no array: it stays where it is.
    pub(super) fn table_reads(&self) -> Option<Vec<Item>> {
        let is_table = |name: &Name| match self.arrays.all.iter().find(|a| a.decl.name == *name) {
            Some(a) => matches!(&a.decl.contents, Contents::Values(values) if !values.is_empty()),
            None => self.arrays.unknowns().any(|unknown| unknown == name),
        };
        let items = self.out.items();
        let all = items.iter().all(|i| matches!(i, Item::Read { array, .. } if is_table(array)));
        (all && !items.is_empty()).then(|| items.to_vec())
    }

    /// Reads tables where a guard need not hold, at their first element where it does not: nobody sees that, and what is
    /// read is known behind the guard.
    pub(super) fn read_anyway(&mut self, guard: &Bool, reads: Vec<Item>) {
        for item in reads {
            if let Item::Read { site, var, array, index } = item {
                self.out.names.bind(var.clone(), self.out.depth());
                let index = select(guard.clone(), index, lit(0));
                self.push(Item::Read { site, var, array, index });
            }
        }
    }

    /// Binds a constant local array as a table; `false` when it is none.
    pub(super) fn local_table(
        &mut self,
        v: Var,
        ctype: &CType,
        initializer: &'t Expr,
        at: At,
    ) -> Lowered<bool> {
        let Some((ctype, contents)) = self.table(ctype, initializer) else {
            return Ok(false);
        };
        // A declaration that is translated again means the same table.
        let before = self.arrays.declared.get(&v).copied();
        let array = match before {
            Some(array) if self.arrays[array].holds(&contents) => array,
            _ => {
                let kernel = self.kernel;
                self.array(&kernel[v].name, &ctype, Space::Global, contents, at)?
            }
        };
        self.arrays.declared.insert(v, array);
        self.env.bind(v, Binding::Array(array, ctype));
        Ok(true)
    }
}
