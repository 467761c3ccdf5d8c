//! A set of threads, to be gone through again and again.

/// Threads of so many.
pub(super) struct Stirred {
    threads: usize,
    words: Vec<u64>,
}

impl Stirred {
    pub(super) fn of(threads: usize) -> Stirred {
        Stirred { threads, words: vec![0; threads.div_ceil(64)] }
    }

    pub(super) fn none(&mut self) {
        self.words.fill(0);
    }

    pub(super) fn all(&mut self) {
        for (word, first) in self.words.iter_mut().zip((0..).step_by(64)) {
            let own = self.threads.saturating_sub(first).min(64);
            *word = u64::MAX >> (64 - own);
        }
    }

    pub(super) fn add(&mut self, thread: usize) {
        self.words[thread / 64] |= 1 << (thread % 64);
    }

    /// Adds all whose next access is to the cell.
    pub(super) fn of_cell(&mut self, fronts: &[u32], cell: u32) {
        for (word, fronts) in self.words.iter_mut().zip(fronts.chunks(64)) {
            let bits = fronts.iter().enumerate();
            *word |= bits.fold(0, |all, (bit, own)| all | u64::from(*own == cell) << bit);
        }
    }

    pub(super) fn settle(&mut self, thread: usize) {
        self.words[thread / 64] &= !(1 << (thread % 64));
    }

    /// The first of the threads from this one on.
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut left = self.words.get(word)? & (u64::MAX << (from % 64));
        while left == 0 {
            word += 1;
            left = *self.words.get(word)?;
        }
        Some(64 * word + left.trailing_zeros() as usize)
    }
}
