//! Arithmetic on words: lists of bits, least significant first.
//!
//! Every function works modulo `2^w` for words of one width `w`; the caller extends first where it
//! wants the exact result.

use num_bigint::BigInt;

use super::gates::{Bit, Circuit, Overrun};

pub(super) type Word = Vec<Bit>;

/// The constant word congruent to `n`.
pub(super) fn constant(width: usize, n: &BigInt) -> Word {
    (0..width as u64).map(|i| Bit::constant(n.bit(i))).collect()
}

/// The number that a two's complement word is.
pub(super) fn number(bits: &[bool]) -> BigInt {
    let negative = bits.last() == Some(&true);
    let mut number = BigInt::from(if negative { -1 } else { 0 });
    for (i, bit) in bits.iter().enumerate() {
        number.set_bit(i as u64, *bit);
    }
    number
}

/// The word cut or extended with its top bit.
pub(super) fn resize_signed(word: &[Bit], width: usize) -> Word {
    let sign = word.last().copied().unwrap_or(Bit::FALSE);
    let mut word = word.to_vec();
    word.resize(width, sign);
    word
}

/// The word cut or extended with zeros.
pub(super) fn resize(word: &[Bit], width: usize) -> Word {
    let mut word = word.to_vec();
    word.resize(width, Bit::FALSE);
    word
}

pub(super) fn invert(word: &[Bit]) -> Word {
    word.iter().map(|bit| !*bit).collect()
}

fn known(word: &[Bit]) -> usize {
    word.iter().filter(|bit| bit.value().is_some()).count()
}

impl Circuit {
    /// `n` free bits.
    pub(super) fn inputs(&mut self, n: usize) -> Word {
        (0..n).map(|_| self.input()).collect()
    }

    pub(super) fn add(&mut self, a: &[Bit], b: &[Bit], carry: Bit) -> Word {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(a.len());
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            sum.push(self.xor3(*x, *y, carry));
            if i + 1 < a.len() {
                carry = self.majority(*x, *y, carry);
            }
        }
        sum
    }

    pub(super) fn subtract(&mut self, a: &[Bit], b: &[Bit]) -> Word {
        self.add(a, &invert(b), Bit::TRUE)
    }

    pub(super) fn negate(&mut self, a: &[Bit]) -> Word {
        let zero = vec![Bit::FALSE; a.len()];
        self.subtract(&zero, a)
    }

    /// The product modulo `2^width` of unsigned words.
    pub(super) fn multiply(&mut self, a: &[Bit], b: &[Bit], width: usize) -> Result<Word, Overrun> {
        // One row for each bit of the multiplier: better few.
        let a_live = a.iter().filter(|bit| **bit != Bit::FALSE).count();
        let b_live = b.iter().filter(|bit| **bit != Bit::FALSE).count();
        let a_first =
            (a_live.saturating_sub(known(a)), a_live) < (b_live.saturating_sub(known(b)), b_live);
        let (rows, row) = if a_first { (a, b) } else { (b, a) };
        if known(rows) == rows.len() {
            return self.multiply_constant(rows, row, width);
        }
        let row = resize(row, width);
        let mut sum = vec![Bit::FALSE; width];
        for (shift, select) in rows.iter().enumerate().take(width) {
            if *select == Bit::FALSE {
                continue;
            }
            self.check()?;
            let part: Word =
                row[..width - shift].iter().map(|bit| self.and(*select, *bit)).collect();
            let high = self.add(&sum[shift..], &part, Bit::FALSE);
            sum.splice(shift.., high);
        }
        Ok(sum)
    }

    /// The product with a constant, whose runs of ones are turned into one subtraction each.
    fn multiply_constant(
        &mut self,
        constant: &[Bit],
        row: &[Bit],
        width: usize,
    ) -> Result<Word, Overrun> {
        let row = resize(row, width);
        let mut sum = vec![Bit::FALSE; width];
        let mut i = 0;
        let ones = |i: usize| constant.get(i) == Some(&Bit::TRUE);
        while i < width {
            if !ones(i) {
                i += 1;
                continue;
            }
            self.check()?;
            let start = i;
            while ones(i) {
                i += 1;
            }
            // 2^start + … + 2^(i-1) = 2^i - 2^start
            if i - start <= 2 {
                for shift in start..i.min(width) {
                    sum = self.accumulate(sum, &row, shift, false);
                }
            } else {
                sum = self.accumulate(sum, &row, start, true);
                sum = self.accumulate(sum, &row, i, false);
            }
        }
        Ok(sum)
    }

    /// `sum ± row * 2^shift`.
    fn accumulate(&mut self, mut sum: Word, row: &[Bit], shift: usize, minus: bool) -> Word {
        let width = sum.len();
        if shift >= width {
            return sum;
        }
        let part = &row[..width - shift];
        let high = if minus {
            self.subtract(&sum[shift..], part)
        } else {
            self.add(&sum[shift..], part, Bit::FALSE)
        };
        sum.splice(shift.., high);
        sum
    }

    /// The product modulo `2^width` of two's complement words.
    pub(super) fn multiply_signed(
        &mut self,
        a: &[Bit],
        b: &[Bit],
        width: usize,
    ) -> Result<Word, Overrun> {
        // The top bit of the shorter word weighs -2^(n-1).
        let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let long = resize_signed(long, width);
        let Some((sign, low)) = short.split_last() else {
            return Ok(vec![Bit::FALSE; width]);
        };
        if known(short) == short.len() && *sign == Bit::TRUE {
            // A negative constant: negate the product with the positive one.
            let positive = self.negate(&resize_signed(short, short.len() + 1));
            let product = self.multiply(&positive, &long, width)?;
            return Ok(self.negate(&product));
        }
        let product = self.multiply(low, &long, width)?;
        let shift = low.len();
        if *sign == Bit::FALSE || shift >= width {
            return Ok(product);
        }
        let part: Word = long.iter().map(|bit| self.and(*sign, *bit)).collect();
        Ok(self.accumulate(product, &part, shift, true))
    }

    pub(super) fn equal(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let same: Word = a.iter().zip(b).map(|(x, y)| !self.xor(*x, *y)).collect();
        self.all(same)
    }

    /// Unsigned `a < b`, or `a <= b`.
    pub(super) fn below(&mut self, a: &[Bit], b: &[Bit], or_equal: bool) -> Bit {
        let mut less = Bit::constant(or_equal);
        for (x, y) in a.iter().zip(b) {
            less = self.majority(!*x, *y, less);
        }
        less
    }

    /// Two's complement `a < b`, or `a <= b`.
    pub(super) fn below_signed(&mut self, a: &[Bit], b: &[Bit], or_equal: bool) -> Bit {
        // Inverted sign bits turn the signed order into the unsigned one.
        let flip = |word: &[Bit]| {
            let mut word = word.to_vec();
            if let Some(sign) = word.last_mut() {
                *sign = !*sign;
            }
            word
        };
        self.below(&flip(a), &flip(b), or_equal)
    }

    pub(super) fn choose_word(&mut self, condition: Bit, then: &[Bit], otherwise: &[Bit]) -> Word {
        then.iter().zip(otherwise).map(|(x, y)| self.choose(condition, *x, *y)).collect()
    }
}
