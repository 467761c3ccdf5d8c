//! Functions of an integer's bits, as sums of what comparisons yield.

use super::{At, Lower, Lowered};
use crate::arith::{bit, cast, compare, lit, machine};
use crate::range::Known;
use crate::value::Value;
use babycuda_core::expr::Relation;
use babycuda_core::machine::Width;
use babycuda_core::{IntType, MachineOp, Num};

/// Operands larger than this are copied so often that the result is taken as unknown.
const MAX_OPERAND: usize = 40;

impl Lower<'_> {
    /// The value of a function of bits; `None` if `name` is none, or if it would be too large.
    pub(super) fn bits(
        &mut self,
        name: &str,
        values: &[Value],
        at: At,
    ) -> Lowered<Option<(IntType, Num)>> {
        let t = match name {
            "__popcll" | "__clzll" | "__ffsll" => IntType::U64,
            "__popc" | "__clz" | "__ffs" | "__brev" | "__umulhi" => IntType::U32,
            "__mulhi" => IntType::I32,
            _ => return Ok(None),
        };
        let mut operands = Vec::new();
        for value in values {
            let (from, x) = self.integer(value.clone(), at)?;
            operands.push(cast(from, t, x, &self.ranges));
        }
        if !operands.iter().all(|x| x.is_within(MAX_OPERAND)) {
            return Ok(None);
        }
        Ok(match (name, &operands[..]) {
            ("__mulhi" | "__umulhi", [x, y]) => Some((t, high_product(t, x, y, &self.ranges))),
            ("__brev", [x]) => Some((t, reversed(t, x))),
            ("__clz" | "__clzll", [x]) => Some((IntType::I32, leading_zeros(t, x, &self.ranges))),
            ("__ffs" | "__ffsll", [x]) => Some((IntType::I32, first_set(t, x, &self.ranges))),
            ("__popc" | "__popcll", [x]) => Some((IntType::I32, population(t, x))),
            _ => None,
        })
    }
}

/// The upper half of the product.
fn high_product(t: IntType, x: &Num, y: &Num, ranges: &Known) -> Num {
    let wide = IntType { width: Width::W64, ..t };
    let [x, y] = [x, y].map(|factor| cast(t, wide, factor.clone(), ranges));
    let product = machine(MachineOp::Mul, wide, x, y);
    cast(wide, t, machine(MachineOp::Shr, wide, product, lit(32)), ranges)
}

/// How many powers of two are above the number.
fn leading_zeros(t: IntType, x: &Num, ranges: &Known) -> Num {
    let below = |k| compare(Relation::Lt, t, x.clone(), lit(1_u64 << k), ranges);
    sum((0..t.width.bits()).map(|k| bit(below(k))))
}

/// The place of the lowest bit that is set, counted from 1: the places whose numbers have a bit are told by a mask
/// for each.
fn first_set(t: IntType, x: &Num, ranges: &Known) -> Num {
    let nonzero = |x: Num| bit(compare(Relation::Ne, t, x, lit(0), ranges));
    let lowest =
        machine(MachineOp::And, t, x.clone(), machine(MachineOp::Sub, t, lit(0), x.clone()));
    let places = (0..t.width.bits().trailing_zeros()).map(|k| {
        let mask =
            (0..t.width.bits()).filter(|place| place >> k & 1 == 1).fold(0, |m, p| m | 1 << p);
        let found = nonzero(machine(MachineOp::And, t, lowest.clone(), lit(mask)));
        machine(MachineOp::Shl, IntType::I32, found, lit(k.into()))
    });
    sum(places.chain([nonzero(x.clone())]))
}

/// The number of bits that are set.
fn population(t: IntType, x: &Num) -> Num {
    let of = |k: u32| {
        let shifted = machine(MachineOp::Shr, t, x.clone(), lit(k.into()));
        machine(MachineOp::And, t, shifted, lit(1))
    };
    sum((0..t.width.bits()).map(of))
}

/// The bits in reverse order: halves change places, then quarters, and so on.
fn reversed(t: IntType, x: &Num) -> Num {
    let mut all = x.clone();
    let mut size = t.width.bits() / 2;
    let mut low = t.width.mask() >> size;
    loop {
        let up = machine(MachineOp::And, t, all.clone(), lit(low));
        let down = machine(MachineOp::Shr, t, all, lit(size.into()));
        let up = machine(MachineOp::Shl, t, up, lit(size.into()));
        all = machine(MachineOp::Or, t, up, machine(MachineOp::And, t, down, lit(low)));
        size /= 2;
        if size == 0 {
            return all;
        }
        low ^= low << size;
    }
}

/// The sum of numbers of bits.
fn sum(parts: impl Iterator<Item = Num>) -> Num {
    parts.fold(lit(0), |sum, part| machine(MachineOp::Add, IntType::I32, sum, part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::{Name, Natural};
    use proptest::prelude::*;

    /// The value of a term of `x`.
    fn at(term: &Num, x: u64) -> u64 {
        let x = Natural::from(x);
        let value = term.eval(&|var: &Name| (var.as_str() == "x").then(|| x.clone()));
        value.ok().and_then(|n| n.to_u64()).expect("a number")
    }

    proptest! {
        /// Each is what Rust says of the bits, whether the operand is known or not.
        #[test]
        fn functions_of_bits(x: u64, shift in 0..64_u32) {
            let wide = x >> shift;
            let narrow = wide as u32;
            let ranges = Known::default();
            for x in [Num::Var(Name::new("x")), lit(narrow.into())] {
                let value = |term: Num| at(&term, narrow.into());
                prop_assert_eq!(value(leading_zeros(IntType::U32, &x, &ranges)), u64::from(narrow.leading_zeros()));
                prop_assert_eq!(value(population(IntType::U32, &x)), u64::from(narrow.count_ones()));
                prop_assert_eq!(value(reversed(IntType::U32, &x)), u64::from(narrow.reverse_bits()));
                let first = if narrow == 0 { 0 } else { narrow.trailing_zeros() + 1 };
                prop_assert_eq!(value(first_set(IntType::U32, &x, &ranges)), u64::from(first));
                let high = (u64::from(narrow) * 0xcafe_f00d) >> 32;
                prop_assert_eq!(value(high_product(IntType::U32, &x, &lit(0xcafe_f00d), &ranges)), high);
                let high = ((i64::from(narrow as i32) * i64::from(-77_i32)) >> 32) as u32;
                let factor = lit(u64::from(-77_i32 as u32));
                prop_assert_eq!(value(high_product(IntType::I32, &x, &factor, &ranges)), u64::from(high));
            }
            for x in [Num::Var(Name::new("x")), lit(wide)] {
                let value = |term: Num| at(&term, wide);
                prop_assert_eq!(value(leading_zeros(IntType::U64, &x, &ranges)), u64::from(wide.leading_zeros()));
                prop_assert_eq!(value(population(IntType::U64, &x)), u64::from(wide.count_ones()));
                let first = if wide == 0 { 0 } else { wide.trailing_zeros() + 1 };
                prop_assert_eq!(value(first_set(IntType::U64, &x, &ranges)), u64::from(first));
            }
        }
    }
}
