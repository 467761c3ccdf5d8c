//! From a case to a small one.

/// A small case, with what `judge` found in it: from `first`, which has its finding, the first of
/// the `smaller` ones in which `judge` finds something, and so on until there is none. To keep a
/// judgment, `judge` must find nothing else. At most `steps` cases are judged.
pub fn reduce<T, E, I: IntoIterator<Item = T>>(
    first: (T, E),
    smaller: impl Fn(&T) -> I,
    mut judge: impl FnMut(&T) -> Option<E>,
    mut steps: usize,
) -> (T, E) {
    let mut least = first;
    loop {
        let next = smaller(&least.0).into_iter().take(steps).find_map(|case| {
            steps -= 1;
            judge(&case).map(|found| (case, found))
        });
        match next {
            Some(next) => least = next,
            None => return least,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reduce;

    #[test]
    fn a_number_becomes_the_least_of_its_kind() {
        let odd = |n: &u32| (n % 2 == 1).then_some("odd");
        let smaller = |n: &u32| [n / 2, n.saturating_sub(2)];
        assert_eq!(reduce((1_001, "odd"), smaller, odd, 1_000), (1, "odd"));
        assert_eq!(reduce((1_001, "odd"), smaller, odd, 2), (999, "odd"));
    }
}
