//! How often what was generated.

use std::collections::BTreeMap;
use std::fmt;

/// Counts of labelled cases.
///
/// ```
/// use babycuda_testkit::Distribution;
/// let mut seen = Distribution::default();
/// for n in 0..100 {
///     seen.case([if n % 2 == 0 { "even" } else { "odd" }]);
/// }
/// seen.assert_share("even", 0.4..=0.6);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Distribution {
    cases: u64,
    labels: BTreeMap<String, u64>,
}

impl Distribution {
    /// Counts one case, under any number of labels.
    pub fn case<L: Into<String>>(&mut self, labels: impl IntoIterator<Item = L>) {
        self.cases += 1;
        for label in labels {
            *self.labels.entry(label.into()).or_default() += 1;
        }
    }

    /// How many cases were counted.
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// How many cases had the label.
    pub fn count(&self, label: &str) -> u64 {
        self.labels.get(label).copied().unwrap_or(0)
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
        for (label, count) in &self.labels {
            writeln!(f, "{count:8} {:6.2} %  {label}", 100.0 * self.share(label))?;
        }
        Ok(())
    }
}
