//! A fixed sequence of numbers: reports do not change from run to run.

/// Xorshift64 (Marsaglia 2003).
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new() -> Draws {
        Draws(0x9e37_79b9_7f4a_7c15)
    }

    /// One of `0..n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    /// One of these, of which there is one.
    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}
