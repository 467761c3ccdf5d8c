//! Division, by the relation that defines it: quotient and remainder are free words with
//! `q*d + r = n` and `r` below the divisor.

use super::{
    gates::{Bit, Circuit, Overrun},
    words::{Word, resize, resize_signed},
};

/// The position of the only one in a constant word.
fn power_of_two(word: &[Bit]) -> Option<usize> {
    let mut found = None;
    for (i, bit) in word.iter().enumerate() {
        match bit.value()? {
            true if found.is_some() => return None,
            true => found = Some(i),
            false => {}
        }
    }
    found
}

impl Circuit {
    fn magnitude(&mut self, word: &[Bit]) -> Word {
        let sign = word.last().copied().unwrap_or(Bit::FALSE);
        let minus = self.negate(word);
        self.choose_word(sign, &minus, word)
    }

    /// Euclidean quotient and remainder of two's complement words, of the widths asked for, which
    /// must hold them whenever the divisor is not zero. The third result says that it is zero;
    /// then the others are arbitrary.
    pub(super) fn divide_euclid(
        &mut self,
        n: &[Bit],
        d: &[Bit],
        (q_width, r_width): (usize, usize),
    ) -> Result<(Word, Word, Bit), Overrun> {
        let negative = d.last().copied().unwrap_or(Bit::FALSE);
        if let (Some(shift), Bit::FALSE) = (power_of_two(d), negative) {
            let top = n.len().saturating_sub(1);
            let quotient = resize_signed(&n[shift.min(top)..], q_width);
            let low = resize_signed(n, n.len().max(shift));
            return Ok((quotient, resize(&low[..shift], r_width), Bit::FALSE));
        }
        let some = self.any(d.iter().copied());
        let zero = !some;
        let q = self.inputs(q_width);
        let mut r = self.inputs(r_width);
        // A remainder is never negative.
        if let Some(sign) = r.last_mut() {
            *sign = Bit::FALSE;
        }
        let wide = (q_width + d.len()).max(r_width).max(n.len()) + 1;
        let product = self.multiply_signed(&q, d, wide)?;
        let sum = self.add(&product, &resize_signed(&r, wide), Bit::FALSE);
        let exact = self.equal(&sum, &resize_signed(n, wide));
        let size = self.magnitude(&resize_signed(d, d.len() + 1));
        let width = size.len().max(r_width);
        let small = self.below(&resize(&r, width), &resize(&size, width), false);
        self.clause(&[zero, exact]);
        self.clause(&[zero, small]);
        Ok((q, r, zero))
    }
}
