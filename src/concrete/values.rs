//! What a run begins with: patterns of small values, as the bits of a type, and what such bits are.

use babycuda_core::Natural;
use babycuda_kernel::Type;

/// What an array holds at first, cell by cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pattern {
    Zeros,
    Ones,
    Indices,
    /// Small values that repeat, of each array others.
    Mixed(u64),
}

pub(super) const PATTERNS: [Pattern; 5] =
    [Pattern::Mixed(5), Pattern::Zeros, Pattern::Ones, Pattern::Indices, Pattern::Mixed(97)];

impl Pattern {
    pub(super) fn value(self, salt: u64, i: u64) -> u64 {
        match self {
            Pattern::Zeros => 0,
            Pattern::Ones => 1,
            Pattern::Indices => i,
            Pattern::Mixed(modulus) => (i * i + i / 3 + salt) % modulus,
        }
    }

    /// A value as a float: kernels ask for what is between 0 and 1, too.
    fn float(self, value: u64) -> f64 {
        match self {
            Pattern::Mixed(5) => value as f64 / 2.0,
            _ => value as f64,
        }
    }
}

/// Are there floats in a value of the type?
pub(super) fn has_floats(ty: &Type) -> bool {
    match ty {
        Type::Float(_) => true,
        Type::Vector(component, _) => has_floats(component),
        _ => false,
    }
}

/// The value of a type that is the bit pattern, as C writes it; of types that are not known here, and of floats of two
/// bytes, the pattern.
pub(super) fn decoded(ty: &Type, bits: &Natural) -> String {
    match ty {
        Type::Float(4) => f32::from_bits(bits.low_u64() as u32).to_string(),
        Type::Float(8) => f64::from_bits(bits.low_u64()).to_string(),
        Type::Vector(component, count) => {
            let radix = radix(component);
            let mut rest = bits.clone();
            let components: Vec<String> = (0..*count)
                .map(|_| {
                    let (above, lowest) = (rest.div_total(&radix), rest.mod_total(&radix));
                    rest = above;
                    decoded(component, &lowest)
                })
                .collect();
            format!("{{{}}}", components.join(", "))
        }
        Type::Int(_) | Type::Bool => bits.to_string(),
        _ => format!("the pattern {bits}"),
    }
}

/// How many values a component of a vector has.
fn radix(component: &Type) -> Natural {
    let bits = component.size().unwrap_or(4).clamp(1, 8) * 8;
    Natural::from(u64::MAX >> (64 - bits)).successor()
}

/// A small number of a pattern as a value of the type, by its bits; of a vector, all components.
pub(super) fn encoded(ty: Option<&Type>, value: u64, pattern: Pattern) -> Natural {
    let scalar = |ty: &Type| match ty {
        Type::Float(4) => u64::from((pattern.float(value) as f32).to_bits()),
        Type::Float(8) => pattern.float(value).to_bits(),
        // 0 or 1 in the format of two bytes.
        Type::Float(_) => 0x3c00 * value.min(1),
        _ => value,
    };
    match ty {
        Some(Type::Vector(component, count)) => {
            let radix = radix(component);
            let one = Natural::from(scalar(component));
            (0..*count).fold(Natural::zero(), |sum, _| &(&sum * &radix) + &one)
        }
        Some(ty) => Natural::from(scalar(ty)),
        None => Natural::from(value),
    }
}
