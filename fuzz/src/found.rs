//! What a campaign found.

use crate::evidence::Evidence;
use crate::judge::{Class, Judged};
use crate::probe::Same;
use crate::tool::Tool;
use babycuda_campaign::{Counts, Merge};
use babycuda_core::Launch;
use babycuda_core::launch::Dim3;
use babycuda_validation::scorecard::kernel::{Line, Small};
use babycuda_validation::scorecard::truth::{Truth, cells};
use babycuda_validation::scorecard::{Case, Fragment};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Counts, and each disagreement once.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// The kernels, by fragment and what is true of them.
    pub kernels: Counts<String>,
    /// What their statements are made of.
    pub constructs: Counts<String>,
    /// The rules that their runs and types use.
    pub rules: Counts<String>,
    /// Which rules derive premises of which: [`Step`](crate::coverage::Step)s.
    pub steps: Counts<String>,
    /// What the answers of each tool come to.
    pub tools: BTreeMap<String, Row>,
    /// Disagreements, by what makes two of them the same.
    pub findings: BTreeMap<String, Finding>,
}

impl Merge for Found {
    fn merge(&mut self, other: Found) {
        self.kernels.merge(other.kernels);
        self.constructs.merge(other.constructs);
        self.rules.merge(other.rules);
        self.steps.merge(other.steps);
        Merge::merge(&mut self.tools, other.tools);
        for (same, finding) in other.findings {
            self.add(same, finding);
        }
    }
}

impl Found {
    /// Adds a disagreement. Of two that are the same the one that was found first stays, as often as both.
    pub(crate) fn add(&mut self, same: String, mut finding: Finding) {
        if let Some(other) = self.findings.remove(&same) {
            let times = finding.times.saturating_add(other.times);
            if other.number < finding.number {
                finding = other;
            }
            finding.times = times;
        }
        self.findings.insert(same, finding);
    }

    /// How many disagreements there are, none of them twice.
    pub fn disagreements(&self) -> usize {
        self.findings.len()
    }

    /// Did no tool answer that was asked?
    pub fn is_mute(&self) -> bool {
        let rows = || self.tools.values().map(|row| &row.classes);
        let asked: u64 = rows().map(Counts::total).sum();
        let unsupported: u64 = rows().map(|classes| classes.get(&Class::Unsupported)).sum();
        asked > 0 && asked == unsupported
    }
}

/// The answers of a tool.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// By what they come to, in words.
    #[serde(with = "in_words")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Counts<String>", extend("propertyNames" = { "enum": Class::ALL.map(|c| c.to_string()) }))
    )]
    pub classes: Counts<Class>,
    /// Why it did not answer.
    pub unsupported: Counts<String>,
    /// What it says both of a kernel that races and of one that does not, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same: Option<Same>,
}

impl Merge for Row {
    fn merge(&mut self, other: Row) {
        self.classes.merge(other.classes);
        self.unsupported.merge(other.unsupported);
        self.same = self.same.take().or(other.same);
    }
}

/// A small kernel of which a tool does not say what is true.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The tool.
    pub tool: String,
    /// What its answer comes to.
    pub class: Class,
    /// The number of the kernel that it was found with.
    pub number: u64,
    /// The fragment.
    pub fragment: String,
    /// The array that its statements call `X`.
    pub array: String,
    /// Its launch; nothing, of older ones: that of the fragment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<Launch>,
    /// The value of `n`.
    pub n: u32,
    /// Its statements.
    pub body: Vec<Line>,
    /// What is true of it.
    pub truth: Told,
    /// The first cells of `d` with which that is so.
    pub d: [u32; 4],
    /// What shows it, where something is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// What the tool said.
    pub words: String,
    /// How many kernels became this one.
    pub times: u64,
}

impl Finding {
    /// The disagreement of a tool about a kernel.
    pub(crate) fn new(tool: &dyn Tool, number: u64, case: &Case, judged: Judged) -> Finding {
        let Small { array, n, body } = case.small.clone();
        Finding {
            tool: tool.name().to_owned(),
            class: judged.class,
            number,
            fragment: case.fragment.to_string(),
            array: array.to_owned(),
            launch: Some(case.launch()),
            n,
            body,
            truth: judged.truth.into(),
            d: cells(judged.contents),
            evidence: Evidence::of(case, judged.contents, judged.truth),
            words: judged.said.words,
            times: 1,
        }
    }

    /// The kernel. `None`: it is none of a campaign, or the front end does not understand it.
    pub fn case(&self) -> Option<Case> {
        let fragment = Fragment::ALL.into_iter().find(|f| f.to_string() == self.fragment)?;
        let array = ["s", "a"].into_iter().find(|array| *array == self.array)?;
        let most = fragment.launch();
        let launch = self.launch.unwrap_or(most);
        let fits = |extent: Dim3, most: Dim3| {
            extent == Dim3::line(extent.x) && (1..=most.x).contains(&extent.x)
        };
        let is_one = launch.warp == most.warp
            && fits(launch.grid, most.grid)
            && fits(launch.block, most.block);
        let small = Small { array, n: self.n, body: self.body.clone() };
        is_one.then(|| Case::read_at(fragment, small, launch))?
    }

    /// The number of the contents.
    pub fn contents(&self) -> u32 {
        self.d.iter().rev().fold(0, |number, cell| number << 2 | cell & 3)
    }

    /// What is alike in two findings that are the same: everything but numbers.
    pub(crate) fn shape(&self, case: &Case) -> String {
        let text = without_numbers(&case.small.to_string());
        format!("{}\n{}\n{text}", self.tool, self.class)
    }
}

/// The text with `#` for each number.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut chars: Vec<char> =
        text.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
    chars.dedup_by(|c, before| *c == '#' && *before == '#');
    chars.into_iter().collect()
}

/// What is told of the truth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Told {
    RaceFree,
    Divergent,
    Racy,
    Unknown,
}

impl From<Option<Truth>> for Told {
    fn from(truth: Option<Truth>) -> Told {
        match truth {
            Some(Truth::Clean) => Told::RaceFree,
            Some(Truth::Divergent) => Told::Divergent,
            Some(Truth::Racy) => Told::Racy,
            None => Told::Unknown,
        }
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Told::RaceFree => "race-free",
            Told::Divergent => "divergent",
            Told::Racy => "racy",
            Told::Unknown => "unknown",
        })
    }
}

/// Counts by classes, which documents call as people do.
mod in_words {
    use super::{BTreeMap, Class, Counts, Deserialize};
    use serde::de::Error;
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(of: &Counts<Class>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(of.iter().map(|(class, number)| (class.to_string(), number)))
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Counts<Class>, D::Error> {
        let mut counts = Counts::default();
        for (words, number) in BTreeMap::<String, u64>::deserialize(from)? {
            let class = Class::ALL.into_iter().find(|class| class.to_string() == words);
            let unknown = || D::Error::custom(format!("no answer comes to `{words}`"));
            counts.add_many(class.ok_or_else(unknown)?, number);
        }
        Ok(counts)
    }
}

/// Why there is no kernel of a number.
pub(crate) const NOT_UNDERSTOOD: &str = "not understood";
/// Likewise.
pub(crate) const NONE_FITS: &str = "none of the profile";

/// What [`constructs`] counts.
pub(crate) const CONSTRUCTS: [&str; 8] = [
    "loop",
    "conditional",
    "barrier of the block",
    "barrier of the warp",
    "atomic update",
    "read",
    "read and write",
    "write",
];

/// What stands in the statements of a kernel.
pub(crate) fn constructs(body: &[Line], into: &mut Counts<String>) {
    let [repeated, conditional, block, warp, atomic, read, both, write] = CONSTRUCTS;
    for line in body {
        let what = match line {
            Line::Block(head, inner) => {
                constructs(inner, into);
                if head.starts_with("for") { repeated } else { conditional }
            }
            Line::Code(code) if code.starts_with("__syncthreads") => block,
            Line::Code(code) if code.starts_with("__syncwarp") => warp,
            Line::Code(code) if code.starts_with("atomic") => atomic,
            Line::Code(code) if code.starts_with("x =") => read,
            Line::Code(code) if code.contains("= X[") => both,
            Line::Code(_) => write,
        };
        into.add(what.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    /// A replay asks with what the campaign asked with.
    #[test]
    fn the_cells_of_a_finding_are_its_contents() {
        let (body, d): (Vec<Line>, [u32; 4]) = (Vec::new(), cells(0));
        let finding = json!({
            "tool": "t", "class": "missed-race", "number": 0, "fragment": "affine", "array": "s",
            "n": 1, "body": body, "truth": "racy", "d": d, "words": "", "times": 1,
        });
        let mut finding: Finding = from_value(finding).expect("a finding");
        for contents in 0..256 {
            finding.d = cells(contents);
            assert_eq!(finding.contents(), contents);
        }
    }
}
