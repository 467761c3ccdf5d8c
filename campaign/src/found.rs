//! What is found, in parts that can be put together.

use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;

/// What is found in parts: the order of the parts does not matter, but for what is printed first.
pub trait Merge: Default {
    /// Adds what another part found.
    fn merge(&mut self, other: Self);

    /// Both together.
    #[must_use]
    fn and(mut self, other: Self) -> Self {
        self.merge(other);
        self
    }
}

impl Merge for u64 {
    fn merge(&mut self, other: u64) {
        *self = self.saturating_add(other);
    }
}

impl<K: Ord, V: Merge> Merge for BTreeMap<K, V> {
    fn merge(&mut self, other: Self) {
        for (key, value) in other {
            self.entry(key).or_default().merge(value);
        }
    }
}

impl<T> Merge for Vec<T> {
    fn merge(&mut self, other: Vec<T>) {
        self.extend(other);
    }
}

/// `Merge` of a struct, field by field.
#[macro_export]
macro_rules! merge_fields {
    ($name:ty { $($field:ident),* $(,)? }) => {
        impl $crate::Merge for $name {
            fn merge(&mut self, other: Self) {
                $($crate::Merge::merge(&mut self.$field, other.$field);)*
            }
        }
    };
}

/// How often what was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Counts", bound = "K: Ord"))]
#[serde(transparent)]
pub struct Counts<K: Ord>(
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, u64>"))] BTreeMap<K, u64>,
);

impl<K: Ord> Default for Counts<K> {
    fn default() -> Counts<K> {
        Counts(BTreeMap::new())
    }
}

impl<K: Ord> Counts<K> {
    /// Counts one more.
    pub fn add(&mut self, what: K) {
        self.add_many(what, 1);
    }

    /// Counts `number` more.
    pub fn add_many(&mut self, what: K, number: u64) {
        let count = self.0.entry(what).or_default();
        *count = count.saturating_add(number);
    }

    /// How many there were.
    pub fn get<Q: Ord + ?Sized>(&self, what: &Q) -> u64
    where
        K: Borrow<Q>,
    {
        self.0.get(what).copied().unwrap_or(0)
    }

    /// How many there were of all.
    pub fn total(&self) -> u64 {
        self.0.values().fold(0, |all, own| all.saturating_add(*own))
    }

    /// All counts, by what is counted.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&K, u64)> {
        self.0.iter().map(|(what, number)| (what, *number))
    }
}

impl Counts<&str> {
    /// The same, with names of their own.
    pub fn owned(&self) -> Counts<String> {
        Counts(self.iter().map(|(name, number)| ((*name).to_owned(), number)).collect())
    }
}

impl<K: Ord> Merge for Counts<K> {
    fn merge(&mut self, other: Self) {
        Merge::merge(&mut self.0, other.0);
    }
}

impl<K: Ord> FromIterator<K> for Counts<K> {
    fn from_iter<I: IntoIterator<Item = K>>(items: I) -> Counts<K> {
        let mut counts = Counts::default();
        items.into_iter().for_each(|item| counts.add(item));
        counts
    }
}

/// One line a name.
impl<K: Ord + fmt::Display> fmt::Display for Counts<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|(what, number)| writeln!(f, "{number:10}  {what}"))
    }
}

/// Counts of labelled cases.
///
/// ```
/// use babycuda_campaign::Distribution;
/// let mut seen = Distribution::default();
/// for n in 0..100 {
///     seen.case([if n % 2 == 0 { "even" } else { "odd" }]);
/// }
/// seen.assert_share("even", 0.4..=0.6);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Distribution {
    cases: u64,
    labels: Counts<String>,
}

merge_fields!(Distribution { cases, labels });

impl Distribution {
    /// Counts one case, under any number of labels.
    pub fn case<L: Into<String>>(&mut self, labels: impl IntoIterator<Item = L>) {
        self.cases += 1;
        labels.into_iter().for_each(|label| self.labels.add(label.into()));
    }

    /// How many cases were counted.
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// How many cases had the label.
    pub fn count(&self, label: &str) -> u64 {
        self.labels.get(label)
    }

    /// The share of the cases that had the label, from 0 to 1; 0 when there was no case.
    pub fn share(&self, label: &str) -> f64 {
        if self.cases == 0 { 0.0 } else { self.count(label) as f64 / self.cases as f64 }
    }

    /// # Panics
    /// When the share of the label is not in `range`: the generator has collapsed.
    pub fn assert_share(&self, label: &str, range: std::ops::RangeInclusive<f64>) {
        let share = self.share(label);
        assert!(
            range.contains(&share),
            "the share of {label:?} is {share:.3}, not in {range:?}, of\n{self}"
        );
    }
}

/// One line a label: its count, and its share in percent.
impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:8}          cases", self.cases)?;
        self.labels.iter().try_for_each(|(label, count)| {
            writeln!(f, "{count:8} {:6.2} %  {label}", 100.0 * self.share(label))
        })
    }
}

/// The `N` findings of the least keys: of a campaign, those of the first cases.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Least<K, T, const N: usize>(Vec<(K, T)>);

impl<K, T, const N: usize> Default for Least<K, T, N> {
    fn default() -> Self {
        Least(Vec::new())
    }
}

impl<K: Ord, T, const N: usize> Least<K, T, N> {
    /// Keeps a finding, if it is one of them.
    pub fn add(&mut self, key: K, finding: T) {
        let place = self.0.partition_point(|(other, _)| *other <= key);
        if place < N {
            self.0.insert(place, (key, finding));
            self.0.truncate(N);
        }
    }

    /// The findings with their keys, the least first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &(K, T)> {
        self.0.iter()
    }

    /// The findings, the least first.
    pub fn into_findings(self) -> Vec<T> {
        self.0.into_iter().map(|(_, finding)| finding).collect()
    }
}

impl<K: Ord, T, const N: usize> Merge for Least<K, T, N> {
    fn merge(&mut self, other: Self) {
        other.0.into_iter().for_each(|(key, finding)| self.add(key, finding));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_end_at_the_largest_number() {
        let mut counts: Counts<char> = Counts::default();
        counts.add_many('x', u64::MAX);
        counts.add('x');
        counts.add('y');
        assert_eq!((counts.get(&'x'), counts.total()), (u64::MAX, u64::MAX));
    }

    #[test]
    fn the_least_findings_are_kept_in_any_order_of_the_parts() {
        let part = |keys: &[u32]| {
            let mut least = Least::<u32, char, 3>::default();
            keys.iter().for_each(|key| least.add(*key, 'x'));
            least
        };
        let keys = |least: &Least<u32, char, 3>| least.iter().map(|(k, _)| *k).collect::<Vec<_>>();
        let (one, other) = (part(&[9, 4, 7, 8]), part(&[5, 4]));
        assert_eq!(keys(&one), [4, 7, 8]);
        assert_eq!(keys(&one.clone().and(other.clone())), [4, 4, 5]);
        assert_eq!(keys(&other.and(one)), [4, 4, 5]);
    }

    #[test]
    fn counts_of_parts_are_added() {
        let counts: Counts<&str> = ["a", "b", "a"].into_iter().collect();
        let both = counts.clone().and(["b"].into_iter().collect());
        assert_eq!((both.get("a"), both.get("b"), both.get("c"), both.total()), (2, 2, 0, 4));
        assert_eq!(both.to_string(), "         2  a\n         2  b\n");
        let mut seen = Distribution::default();
        seen.case(["a", "b"]);
        seen.merge(seen.clone());
        assert_eq!((seen.cases(), seen.count("a")), (2, 2));
        assert!((seen.share("a") - 1.0).abs() < 1e-9);
    }
}
