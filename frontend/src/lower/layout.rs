//! How large the cells of an array are. Where a kernel accesses an array at one type, a cell is what such an
//! access takes. Where it does at several (a pointer is cast, a field or a component is accessed), a cell has
//! as many bytes as divide all accesses and the distances between them, and an access is one of every
//! cell that it touches. So accesses overlap exactly where they share a byte.
//!
//! What is accessed is known when the kernel is translated. Where that does not suit the cells, it is
//! translated again, with other ones.

use super::arrays::Arrays;
use super::{At, Lower, Lowered, refuse};
use crate::arith::{lit, machine};
use crate::ctype::CType;
use crate::value::{ArrayId, Base, Pointer};
use babycuda_core::syntax::{Contents, Domain};
use babycuda_core::{IntType, MachineOp, Name, Natural, Num};
use std::collections::BTreeMap;

/// How an array is accessed.
#[derive(Clone, Default, Debug)]
pub(super) struct Layout {
    /// The most bytes that divide all accesses, and the distances between them; 0: there are none.
    bytes: u64,
    /// The types of the accesses.
    types: Vec<CType>,
}

/// How arrays are accessed.
pub(super) type Layouts = BTreeMap<Name, Layout>;

impl Layout {
    fn apart(&mut self, bytes: u64) {
        self.bytes = gcd(self.bytes, bytes);
    }

    fn accessed(&mut self, ty: &CType, bytes: u64) {
        self.apart(bytes);
        if !self.types.contains(ty) {
            self.types.push(ty.clone());
        }
    }

    /// The type of all accesses, if a cell is what each takes.
    fn only(&self) -> Option<&CType> {
        match &self.types[..] {
            [only] => Some(only).filter(|only| only.size() == Some(self.bytes)),
            _ => None,
        }
    }
}

impl Arrays {
    /// The cells with which the kernel is to be translated again; `None`: those that it has are right.
    pub(super) fn relaid(&self) -> Option<Layouts> {
        let (mut next, mut changed) = (self.layouts.clone(), false);
        for array in &self.all {
            let name = &array.decl.name;
            let (Some(cell), Some(seen)) = (array.cell, self.seen.get(name)) else { continue };
            let known = self.layouts.get(name);
            // Also where nothing was accessed: a distance that is no whole number of cells may have hidden it.
            let unseen = seen.types.is_empty() && seen.bytes.is_multiple_of(cell);
            if unseen || (known.is_none() && seen.bytes == cell) {
                continue;
            }
            // Only the first time may they become larger: so this ends.
            let mut layout = known.cloned().unwrap_or_default();
            layout.apart(seen.bytes);
            seen.types.iter().for_each(|ty| layout.accessed(ty, 0));
            let same = |k: &Layout| (k.bytes, k.only()) == (layout.bytes, layout.only());
            changed |= !known.is_some_and(same);
            next.insert(name.clone(), layout);
        }
        changed.then_some(next)
    }

    fn seen(&mut self, array: ArrayId) -> &mut Layout {
        self.seen.entry(self.all[array].decl.name.clone()).or_default()
    }
}

impl<'t> Lower<'t> {
    /// Gives an array that was declared with the type `ctype` its cells.
    pub(super) fn lay_out(&mut self, array: ArrayId, ctype: &CType) {
        let declared = ctype.innermost().size().filter(|size| *size > 0);
        let length = match &self.cells(ctype) {
            Some(Num::Lit(n)) => Some(n.clone()),
            _ => None,
        };
        let count = length.as_ref().and_then(|n| n.to_u64());
        let layout = self.arrays.layouts.get(&self.arrays[array].decl.name).cloned();
        let it = &mut self.arrays[array];
        it.decl.length = length;
        // Nothing is known of the size of what `void *` points to.
        it.cell = if it.element == CType::Void { Some(1) } else { declared };
        let Some(layout) = layout else { return };
        let bytes = layout.bytes;
        it.cell = Some(bytes);
        match layout.only() {
            Some(only) => it.element = only.clone(),
            None => it.mixed = true,
        }
        if let (Contents::Values(values), Some(size)) = (&it.decl.contents, declared)
            && size != bytes
        {
            it.decl.contents = match size % bytes {
                0 => {
                    Contents::Values(values.iter().flat_map(|v| in_cells(v, size, bytes)).collect())
                }
                _ => Contents::Opaque,
            };
        }
        it.decl.element = domain(&it.element, bytes);
        let whole = count.zip(declared).and_then(|(n, size)| n.checked_mul(size));
        it.decl.length = whole.map(|whole| whole.div_ceil(bytes).into());
        let name = it.decl.name.clone();
        self.note(format!("indices of `{name}` count cells of {bytes} bytes"), None);
    }

    /// Of how many cells the access of a type is one.
    pub(super) fn touched(&mut self, array: ArrayId, ty: &CType, at: At) -> Lowered<u64> {
        let size = ty.size().filter(|size| *size > 0);
        match (self.arrays[array].cell, size) {
            (Some(cell), Some(size)) => {
                self.arrays.seen(array).accessed(ty, size);
                Ok((size / cell).max(1))
            }
            (None, None) if self.arrays[array].element == *ty => Ok(1),
            _ => refuse(at, OTHER_SIZE),
        }
    }

    /// The cells' size, of what has cells of known size. All arrays of a choice have cells of one size.
    pub(super) fn cell(&self, base: Base) -> Option<u64> {
        match base {
            Base::Array(array) => self.arrays[array].cell,
            Base::Either(number) => self.cell(self.choices[number].bases[0]),
            Base::Object(_) => Some(1),
            Base::Local(_) | Base::Private => None,
        }
    }

    /// Accesses of what has this base are so many bytes apart.
    fn apart(&mut self, base: Base, bytes: u64) {
        match base {
            Base::Array(array) => self.arrays.seen(array).apart(bytes),
            Base::Either(number) => {
                let bases = self.choices[number].bases;
                bases.iter().for_each(|base| self.apart(*base, bytes));
            }
            Base::Object(_) | Base::Local(_) | Base::Private => {}
        }
    }

    /// Have two bases cells of one size? Where they have not, they have when the kernel is translated again.
    pub(super) fn same_cells(&mut self, one: Base, other: Base) -> bool {
        let cells = [self.cell(one), self.cell(other)];
        if let [Some(first), Some(second)] = cells {
            self.apart(one, second);
            self.apart(other, first);
        }
        cells[0] == cells[1]
    }

    /// How far the cells of two elements of the type are apart of which one is `count` behind the other.
    pub(super) fn distance(&mut self, base: Base, ty: &CType, count: Num) -> Option<Num> {
        let inner = self.cells(ty)?;
        let elements = machine(MachineOp::Mul, IntType::U64, count, inner.clone());
        let (Some(cell), Some(size)) = (self.cell(base), ty.innermost().size()) else {
            return Some(elements);
        };
        if let Some(elements) = crate::arith::as_lit(&elements) {
            // As indices go: an element far away is another one, also where its address would wrap around.
            let bytes = i128::from(elements as i64) * i128::from(size);
            let apart = u64::try_from(bytes.unsigned_abs()).unwrap_or(size);
            self.apart(base, apart);
            return Some(lit((bytes / i128::from(cell)) as u64));
        }
        self.apart(base, size);
        let cells = lit((size / cell).max(1));
        Some(machine(MachineOp::Mul, IntType::U64, elements, cells))
    }

    /// The part of what a pointer points to that begins behind so many bytes; `None`: where that is is not
    /// known.
    pub(super) fn part(&mut self, p: &Pointer, bytes: u64, pointee: CType) -> Option<Pointer> {
        let cell = self.cell(p.base)?;
        self.apart(p.base, bytes);
        let index = machine(MachineOp::Add, IntType::U64, p.index.clone(), lit(bytes / cell));
        Some(Pointer { base: p.base, index, pointee })
    }

    /// How many cells each element of the type takes, if that is a whole number.
    pub(super) fn whole_cells(&self, base: Base, ty: &CType) -> Option<u64> {
        let cell = self.cell(base)?;
        ty.size().filter(|size| *size > 0 && size % cell == 0).map(|size| size / cell)
    }

    /// Does a cell hold what a value of the type is? Of a cell that is accessed at several types, integers
    /// know the pattern, whoever stored it.
    pub(super) fn is_exact(&self, array: ArrayId, ty: &CType) -> bool {
        let array = &self.arrays[array];
        match (&array.decl.element, &array.element, ty) {
            (Domain::Machine(t), _, CType::Int(u)) if array.mixed => t.width == u.width,
            (_, CType::Int(t), CType::Int(u)) if !array.mixed => t.width == u.width,
            (_, element, ty) => !array.mixed && element == ty,
        }
    }

    /// May values of the type be of another size than the cells of what is cast?
    pub(super) fn castable(&self, base: Base, to: &CType, at: At) -> Lowered<()> {
        let of_known_size = match base {
            Base::Array(_) | Base::Either(_) => self.cell(base).is_some(),
            Base::Object(_) | Base::Local(_) | Base::Private => return Ok(()),
        };
        match of_known_size == to.innermost().size().is_some() {
            true => Ok(()),
            false => refuse(at, OTHER_SIZE),
        }
    }
}

const OTHER_SIZE: &str = "cast of a pointer to elements of another size";

/// A pattern of so many bytes in cells of `bytes`, the lowest first.
fn in_cells(pattern: &Natural, size: u64, bytes: u64) -> impl Iterator<Item = Natural> {
    let cell = place_value(bytes);
    (0..size / bytes).map(move |n| pattern.div_total(&place_value(n * bytes)).mod_total(&cell))
}

/// What the lowest bit counts of the byte that stands behind so many.
pub(super) fn place_value(bytes: u64) -> Natural {
    let byte = Natural::from(256u64);
    (0..bytes).fold(Natural::from(1u64), |value, _| &value * &byte)
}

/// What cells of so many bytes hold.
pub(super) fn domain(element: &CType, bytes: u64) -> Domain {
    match element {
        CType::Int(t) if u64::from(t.width.bits()) == 8 * bytes => Domain::Machine(*t),
        _ => match bytes {
            1 => Domain::Machine(IntType::U8),
            2 => Domain::Machine(IntType::U16),
            4 => Domain::Machine(IntType::U32),
            8 => Domain::Machine(IntType::U64),
            _ => Domain::Natural,
        },
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
