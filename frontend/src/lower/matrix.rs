//! Accesses of matrices by warps (`nvcuda::wmma`).
//!
//! Which lanes hold which elements of a fragment CUDA leaves open, but that it is the same for all fragments of one
//! type. An element of an accumulator is held by one lane. A race has one or two accesses of one tile's elements, so
//! parameters stand for what is open: the lane that holds an element before a split, and the one that holds an element
//! behind it. A race for some values of them is one for some device; two lanes never hold one element. Of the other
//! fragments several lanes may hold an element; they are only read, and a race has one such read.
//!
//! A distance of lines that CUDA does not allow, or by which they overlap, stops the thread. A call orders nothing: CUDA says that the lanes wait for each other, and nothing of memory.

use super::{At, Lower, Lowered, refuse};
use crate::arith::{cast, compare_natural, lit, machine, or, select};
use crate::ctype::CType;
use crate::value::{Pointer, Value};
use babycuda_core::expr::Relation;
use babycuda_core::{IntType, MachineOp, Name, Num};
use babycuda_kernel::matrix::Fragment;
use babycuda_kernel::{Expr, ExprKind, Member, Place, PlaceKind};

/// The lanes that hold elements of fragments of a type: those before the split, and those behind it.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    split: Num,
    before: Num,
    behind: Num,
    /// How many elements a lane holds.
    elements: Num,
}

impl<'t> Lower<'t> {
    /// `load_matrix_sync` or `store_matrix_sync`.
    pub(super) fn matrix(&mut self, name: &str, args: &'t [Expr], at: At) -> Lowered<Value> {
        let [pointer, fragment, stride, layout] = args else {
            return refuse(at, format!("call of `{name}` with this number of arguments"));
        };
        let (Some(tile), ExprKind::Int(by_columns)) = (Fragment::of(&fragment.ty), &layout.kind)
        else {
            return refuse(at, "a fragment of a type that is not known");
        };
        let pointer = match self.eval(pointer)? {
            Value::Pointer(pointer) => pointer,
            Value::Poison(what) => return refuse(at, what),
            _ => return refuse(at, format!("call of `{name}` with a value that is no pointer")),
        };
        let stride = self.eval(stride)?;
        let stride = match self.convert(stride, &CType::Int(IntType::U32), at)? {
            Value::Int(t, stride) => cast(t, IntType::U64, stride, &self.ranges),
            _ => return refuse(at, "distance of lines that is no number"),
        };
        let lanes = self.lanes_of(&fragment.ty, &tile)?;
        let by_columns = *by_columns != 0;
        let (lines, length) = match by_columns {
            true => (tile.columns, tile.rows),
            false => (tile.rows, tile.columns),
        };
        self.is_distance(&stride, length, &pointer.pointee, at);
        let writes = name == "wmma::store_matrix_sync";
        self.times("line", lines, at, &|s, line| {
            s.times("place", length, at, &|s, place| {
                let (row, column) = if by_columns { (place, line) } else { (line, place) };
                let t = IntType::U32;
                let number = machine(MachineOp::Mul, t, row.clone(), lit(tile.columns.into()));
                let number = machine(MachineOp::Add, t, number, column.clone());
                let before = compare_natural(Relation::Lt, number, lanes.split.clone());
                let holder = select(before, lanes.before.clone(), lanes.behind.clone());
                let t = IntType::U64;
                let offset = machine(MachineOp::Mul, t, line.clone(), stride.clone());
                let offset = machine(MachineOp::Add, t, offset, place.clone());
                s.held(writes, pointer.clone(), offset, holder, at)
            })
        })?;
        Ok(Value::Void)
    }

    /// The distance of lines is a multiple of 16 bytes, as CUDA wants it, and no line reaches into the next. Otherwise
    /// the thread goes no further: what the lanes of one call do to each other is not told.
    fn is_distance(&mut self, stride: &Num, length: u32, element: &CType, at: At) {
        let t = IntType::U64;
        let Some(size) = element.size() else { return };
        let bytes = machine(MachineOp::Mul, t, stride.clone(), lit(size));
        let rest = machine(MachineOp::Rem, t, bytes, lit(16));
        let unaligned = compare_natural(Relation::Ne, rest, lit(0));
        let overlaps = compare_natural(Relation::Lt, stride.clone(), lit(length.into()));
        self.undefined(
            or(unaligned, overlaps),
            "lines of a matrix are no distance apart that a fragment has",
            at,
        );
    }

    /// The lane that holds an element accesses it.
    fn held(
        &mut self,
        writes: bool,
        pointer: Pointer,
        offset: Num,
        holder: Num,
        at: At,
    ) -> Lowered<()> {
        let there = self.offset(pointer, MachineOp::Add, Value::Int(IntType::U64, offset), at)?;
        let place = self.deref(there, at)?;
        let lane = self.lane_of_warp();
        let holds = compare_natural(Relation::Eq, lane, holder);
        let access: super::branch::Side<'_, 't> = &|s| match writes {
            true => s.store_unknown(&place, at),
            false => s.load(&place, at).map(|_| ()),
        };
        self.branch(holds, access, &|_| Ok(()), at)
    }

    /// `f` for all numbers below `count`.
    fn times(
        &mut self,
        hint: &str,
        count: u32,
        at: At,
        f: &dyn Fn(&mut Self, &Num) -> Lowered<()>,
    ) -> Lowered<()> {
        let (var, body) = self.in_block(|s| {
            let var = s.fresh(hint);
            s.ranges.set(var.clone(), IntType::U64, (0, i128::from(count) - 1));
            f(s, &Num::Var(var.clone()))?;
            Ok(var)
        })?;
        self.push_for(at, var, lit(0), lit(count.into()), body);
        Ok(())
    }

    /// Who holds the elements of fragments of a type: parameters say it.
    fn lanes_of(&mut self, ty: &babycuda_kernel::Type, tile: &Fragment) -> Lowered<Lanes> {
        let key = ty.clone();
        if let Some((_, known)) = self.fragments.iter().find(|(known, _)| *known == key) {
            return Ok(known.clone());
        }
        let mut parameter = |what: &str| {
            let int = if what == "elements" { IntType::I32 } else { IntType::U32 };
            let value = self.parameter_value(&format!("{}_{what}", tile.role), &CType::Int(int))?;
            match value {
                Value::Int(_, num) => Ok(num),
                _ => refuse(At(0), "a lane that is no number"),
            }
        };
        let lanes = Lanes {
            split: parameter("split")?,
            before: parameter("lane")?,
            behind: parameter("lane_behind")?,
            elements: parameter("elements")?,
        };
        let names = [&lanes.before, &lanes.split, &lanes.behind].map(|num| format!("`{num}`"));
        let [before, split, behind] = names;
        self.note(
            format!("which lane holds an element of a fragment is left open: lane {before} those before number {split}, lane {behind} the others ({})", tile.role),
            None,
        );
        self.fragments.push((key, lanes.clone()));
        Ok(lanes)
    }

    /// `fragment.num_elements`; `None`: the place is another.
    pub(super) fn elements_of(&mut self, place: &'t Place) -> Lowered<Option<Value>> {
        let PlaceKind::Member(of, Member::Named(name)) = &place.kind else { return Ok(None) };
        let Some(tile) = Fragment::of(&of.ty).filter(|_| name == Fragment::ELEMENTS) else {
            return Ok(None);
        };
        self.place(of)?;
        let lanes = self.lanes_of(&of.ty, &tile)?;
        Ok(Some(Value::Int(IntType::I32, lanes.elements)))
    }

    /// The parameters that stand for what is open of fragments.
    pub(super) fn lane_parameters(&self) -> Vec<Name> {
        let of = |l: &Lanes| [&l.split, &l.before, &l.behind, &l.elements].map(Num::free_vars);
        let all = self.fragments.iter().flat_map(|(_, l)| of(l));
        all.flatten().collect()
    }
}
