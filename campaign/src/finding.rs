//! What a campaign found, as people look at it: each thing once, in a file of its own.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A case that is worth a look; `C` says what does not hold in it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Case"))]
#[serde(deny_unknown_fields)]
pub struct Finding<C> {
    /// The number of the case.
    pub number: u64,
    /// What does not hold.
    pub claim: C,
    /// What was found.
    pub why: String,
    /// How many of the findings that were kept are this one.
    #[serde(default = "once")]
    pub times: u64,
    /// The text of a small case with the finding, once it is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub least: String,
}

fn once() -> u64 {
    1
}

impl<C> Finding<C> {
    /// A finding in the case with this number.
    pub fn new(number: u64, claim: C, why: impl ToString) -> Finding<C> {
        Finding { number, claim, why: why.to_string(), times: 1, least: String::new() }
    }

    /// Writes the small case to a file in the folder, which is made where there is none. Its name
    /// tells the campaign and the case.
    ///
    /// # Errors
    /// The folder or the file cannot be written.
    pub fn keep(&self, folder: &Path, campaign: &str, extension: &str) -> io::Result<PathBuf> {
        let Finding { number, times, least, .. } = self;
        let path = folder.join(format!("{campaign}-{number}.{extension}"));
        fs::create_dir_all(folder)?;
        fs::write(&path, format!("// findings: {times}, the first is case {number}\n{least}"))?;
        Ok(path)
    }
}

/// Each finding once, with the text of its small case, by the numbers of the cases. `least` tells the
/// text, after a key: findings of one key are the same.
pub fn distinct<C>(
    findings: Vec<Finding<C>>,
    mut least: impl FnMut(&Finding<C>) -> (String, String),
) -> Vec<Finding<C>> {
    let mut distinct: BTreeMap<String, Finding<C>> = BTreeMap::new();
    for mut finding in findings {
        let (key, text) = least(&finding);
        finding.least = text;
        let same = distinct.entry(key).and_modify(|first| first.times += finding.times);
        same.or_insert(finding);
    }
    let mut distinct: Vec<Finding<C>> = distinct.into_values().collect();
    distinct.sort_by_key(|finding| finding.number);
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_that_are_the_same_are_one_file() {
        let found = [(4, "odd"), (7, "even"), (9, "odd")];
        let found = found.map(|(number, claim)| Finding::new(number, claim, "a test"));
        let found =
            distinct(found.into(), |f| (f.claim.into(), format!("{} {}\n", f.claim, f.why)));
        let told: Vec<_> = found.iter().map(|f| (f.number, f.claim, f.times)).collect();
        assert_eq!(told, [(4, "odd", 2), (7, "even", 1)]);
        let folder = std::env::temp_dir().join(format!("findings-{}", std::process::id()));
        let path = found[0].keep(&folder, "sim-0", "txt").expect("a file");
        assert_eq!(path, folder.join("sim-0-4.txt"));
        let text = fs::read_to_string(path).expect("the file");
        assert_eq!(text, "// findings: 2, the first is case 4\nodd a test\n");
        fs::remove_dir_all(folder).expect("the folder");
    }
}
