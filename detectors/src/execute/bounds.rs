//! Floats between bounds: what is known of a result that no float is, whatever device computes it.
//!
//! A device may round a product before it adds to it, or not, take small results for 0, and divide by a reciprocal. So
//! each result has some room on both sides, of [`ROOM`] of itself: more than any of these makes.

use babycuda_core::MachineOp;
use babycuda_core::expr::Relation;
use std::cmp::Ordering;

/// A float between two others, both included; no infinity, and a number. Of 0 and -0 it is either.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bounds {
    least: f32,
    most: f32,
}

/// How far a result may be from the exact one, relative to it: 16 times as much as rounding to 24 bits makes.
const ROOM: f64 = 1.0 / (1 << 20) as f64;

/// And absolutely: twice the least normal float.
const TINY: f64 = 2.0 * f32::MIN_POSITIVE as f64;

/// Larger results are not followed: some device may say that they are infinite, or divide by them otherwise.
const LARGEST: f64 = 1e30;

impl Bounds {
    /// A float of 4 or 8 bytes.
    pub(super) fn of(bytes: u32, bits: u64) -> Option<Bounds> {
        let value = match bytes {
            4 => f64::from(f32::from_bits(bits as u32)),
            8 => f64::from_bits(bits),
            _ => return None,
        };
        let narrow = value as f32;
        // What is below the least normal float may be 0.
        let exact = f64::from(narrow) == value && !narrow.is_subnormal();
        match exact && value.abs() <= LARGEST {
            true => Some(Bounds { least: narrow, most: narrow }),
            false => Bounds::around(value, value),
        }
    }

    /// What a device may compute where the exact result is between these.
    pub(super) fn around(least: f64, most: f64) -> Option<Bounds> {
        let room = |x: f64| x.abs() * ROOM + TINY;
        let (least, most) = (least - room(least), most + room(most));
        let followed = least <= most && least >= -LARGEST && most <= LARGEST;
        let [below, above] = [least as f32, most as f32];
        // Conversion rounds to the nearest float.
        followed.then(|| Bounds { least: below.next_down(), most: above.next_up() })
    }

    fn ends(self) -> [f64; 2] {
        [self.least.into(), self.most.into()]
    }

    /// Is it this one float?
    fn is(self, value: f32) -> bool {
        self.least == value && self.most == value
    }

    /// `self op other`
    pub(super) fn apply(self, op: MachineOp, other: Bounds) -> Option<Bounds> {
        let ([a, b], [c, d]) = (self.ends(), other.ends());
        match op {
            MachineOp::Add if other.is(0.0) => Some(self),
            MachineOp::Add if self.is(0.0) => Some(other),
            MachineOp::Add => Bounds::around(a + c, b + d),
            MachineOp::Sub => self.apply(MachineOp::Add, -other),
            MachineOp::Mul if self.is(0.0) || other.is(0.0) => {
                Some(Bounds { least: 0.0, most: 0.0 })
            }
            MachineOp::Mul => hull([a * c, a * d, b * c, b * d]),
            // What is near to 0 may be taken for it.
            MachineOp::Div if (c.max(-d)) < 1.0 / LARGEST => None,
            MachineOp::Div => hull([a / c, a / d, b / c, b / d]),
            MachineOp::Min => {
                Some(Bounds { least: self.least.min(other.least), most: self.most.min(other.most) })
            }
            MachineOp::Max => {
                Some(Bounds { least: self.least.max(other.least), most: self.most.max(other.most) })
            }
            _ => None,
        }
    }

    /// Its square root, or one by that.
    pub(super) fn root(self, inverse: bool) -> Option<Bounds> {
        let [a, b] = self.ends();
        match inverse {
            false if self.is(0.0) => Some(self),
            _ if a < 1.0 / LARGEST => None,
            false => Bounds::around(a.sqrt(), b.sqrt()),
            true => Bounds::around(1.0 / b.sqrt(), 1.0 / a.sqrt()),
        }
    }

    /// Its absolute value.
    pub(super) fn abs(self) -> Bounds {
        let Bounds { least, most } = self;
        let inner = if least > 0.0 || most < 0.0 { least.abs().min(most.abs()) } else { 0.0 };
        Bounds { least: inner, most: least.abs().max(most.abs()) }
    }

    /// Does the relation hold between the two? `None`: that is not known.
    pub(super) fn compare(self, relation: Relation, other: Bounds) -> Option<bool> {
        let may = [
            (Ordering::Less, self.least < other.most),
            (Ordering::Equal, self.least <= other.most && other.least <= self.most),
            (Ordering::Greater, self.most > other.least),
        ];
        let mut all = may.into_iter().filter(|(_, may)| *may).map(|(o, _)| relation.holds(o));
        let first = all.next()?;
        all.all(|holds| holds == first).then_some(first)
    }

    /// The integer that its conversion yields, if it is one.
    pub(super) fn whole(self) -> Option<i128> {
        let [a, b] = self.ends().map(f64::trunc);
        (a == b).then_some(a as i128)
    }
}

impl std::ops::Neg for Bounds {
    type Output = Bounds;

    fn neg(self) -> Bounds {
        Bounds { least: -self.most, most: -self.least }
    }
}

/// What a device may compute where the exact result is between some of these.
fn hull(of: [f64; 4]) -> Option<Bounds> {
    Bounds::around(
        of.into_iter().fold(f64::INFINITY, f64::min),
        of.into_iter().fold(f64::NEG_INFINITY, f64::max),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(x: f32) -> Bounds {
        Bounds::of(4, x.to_bits().into()).expect("a float")
    }

    fn holds(bounds: Bounds, x: f32) -> bool {
        bounds.least <= x && x <= bounds.most
    }

    /// What some device computes is between the bounds: rounded after each operation, or once after two; with a reciprocal;
    /// in twice as many bits.
    #[test]
    fn results_of_all_devices_are_between_the_bounds() {
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let sign = if state >> 63 == 1 { -1.0 } else { 1.0 };
            let scale = 10f32.powi((state >> 40 & 15) as i32 - 8);
            sign * scale * ((state >> 32) as u16 as f32 + 0.3) / 777.0
        };
        for _ in 0..100_000 {
            let (a, b, c) = (next(), next(), next());
            let product = float(a).apply(MachineOp::Mul, float(b)).expect("small");
            let sum = product.apply(MachineOp::Add, float(c)).expect("small");
            let exact = f64::from(a) * f64::from(b) + f64::from(c);
            assert!(holds(product, a * b) && holds(sum, a * b + c), "{a} {b} {c}");
            assert!(holds(sum, a.mul_add(b, c)) && holds(sum, exact as f32), "{a} {b} {c}");
            let quotient = sum.apply(MachineOp::Div, float(b)).expect("small");
            assert!(
                holds(quotient, (a * b + c) / b) && holds(quotient, a.mul_add(b, c) * (1.0 / b))
            );
            let root = float(a).abs().root(true).expect("not 0");
            assert!(holds(root, 1.0 / a.abs().sqrt()) && holds(root, a.abs().powf(-0.5)), "{a}");
            for (relation, is) in
                [(Relation::Lt, a < c), (Relation::Ge, a >= c), (Relation::Ne, a != c)]
            {
                assert_eq!(float(a).compare(relation, float(c)), Some(is));
            }
            let near = float(a).apply(MachineOp::Mul, float(3.0)).expect("small");
            assert_eq!(near.compare(Relation::Lt, float(a * 3.0)), None, "{a}");
            assert_eq!((-near).compare(Relation::Lt, -float(a * 6.0)), Some(-3.0 * a < -6.0 * a));
        }
    }

    #[test]
    fn what_may_be_infinite_or_no_number_is_not_followed() {
        assert_eq!(float(1.0).apply(MachineOp::Div, float(0.0)), None);
        assert_eq!(float(1e20).apply(MachineOp::Mul, float(1e20)), None);
        assert_eq!(float(-1.0).root(false), None);
        assert_eq!(float(0.0).root(true), None);
        for strange in [f32::INFINITY, f32::NAN, f32::MAX] {
            assert_eq!(Bounds::of(4, strange.to_bits().into()), None);
        }
        let around = float(1.0).apply(MachineOp::Sub, float(1.0)).expect("near 0");
        assert_eq!(float(1.0).apply(MachineOp::Div, around), None);
        assert_eq!(float(0.0).apply(MachineOp::Mul, around), Some(float(0.0)));
        assert_eq!(float(2.5).whole(), Some(2));
        assert_eq!(float(3.0).apply(MachineOp::Mul, float(1.1)).and_then(Bounds::whole), Some(3));
        assert_eq!(float(3.0).apply(MachineOp::Mul, float(2.0)).and_then(Bounds::whole), None);
    }
}
