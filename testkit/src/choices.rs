//! The choices that a generator makes.

/// A sequence of choices, read from left to right; after its end, every choice is 0.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    rest: &'a [u16],
}

impl<'a> Choices<'a> {
    /// The choices in `numbers`.
    pub fn new(numbers: &'a [u16]) -> Choices<'a> {
        Choices { rest: numbers }
    }

    /// A number below `bound`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        match self.rest.split_first() {
            Some((first, rest)) if bound > 0 => {
                self.rest = rest;
                usize::from(*first) % bound
            }
            _ => 0,
        }
    }

    /// True in `numerator` of `denominator` cases; false is the simplest.
    pub fn chance(&mut self, numerator: usize, denominator: usize) -> bool {
        self.below(denominator) >= denominator.saturating_sub(numerator)
    }

    /// One of `items`, which are not empty; the first is the simplest.
    pub fn pick<'b, T>(&mut self, items: &'b [T]) -> &'b T {
        &items[self.below(items.len())]
    }

    /// The position of one of `weights`, as often as its share of their sum; the first that is
    /// not 0 is the simplest.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut number = self.below(weights.iter().sum());
        for (position, weight) in weights.iter().enumerate() {
            if number < *weight {
                return position;
            }
            number -= weight;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::Choices;

    #[test]
    fn an_exhausted_sequence_chooses_the_simplest() {
        let mut choices = Choices::new(&[7]);
        assert_eq!(choices.below(4), 3);
        assert!(choices.rest.is_empty());
        assert_eq!(choices.below(4), 0);
        assert!(!choices.chance(1, 2));
        assert_eq!(choices.weighted(&[0, 2, 1]), 1);
    }
}
