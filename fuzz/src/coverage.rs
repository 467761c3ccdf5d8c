//! What of the theory a kernel uses: the rules of its run and of its type, and which rule is a premise of which.

use babycuda_core::derivation::{Node, nodes};
use babycuda_core::rules::{Judgment, SemanticsRule, TypingRule, all};
use babycuda_semantics::{Instance, Policy, RunOptions};
use babycuda_typing::type_relative;
use babycuda_validation::scorecard::Case;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A rule, the rule that derives one of its premises, and how often it does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// The id of the rule.
    pub rule: &'static str,
    /// Which premise, from 0.
    pub premise: usize,
    /// The id of the rule that derives it.
    pub by: &'static str,
    /// How often, rounded down to a power of two.
    pub often: u32,
}

impl Step {
    /// Does a text tell one, of these rules?
    pub(crate) fn is_one(text: &str, rules: &BTreeSet<&str>) -> bool {
        let words: Vec<&str> = text.split(' ').collect();
        let [rule, premise, by, often] = words[..] else { return false };
        let numbers = premise.parse::<usize>().is_ok() && often.parse::<u32>().is_ok();
        numbers && rules.contains(rule) && rules.contains(by)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.rule, self.premise, self.by, self.often)
    }
}

/// What a kernel uses.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Used {
    /// The ids of its rules.
    pub rules: BTreeSet<&'static str>,
    /// Which of them derive premises of which.
    pub steps: BTreeSet<Step>,
}

/// The judgments that are looked at.
const JUDGMENTS: [Judgment; 4] =
    [Judgment::Thread, Judgment::Barrier, Judgment::Block, Judgment::Type];

/// The ids of all rules that a kernel may use.
pub fn rules() -> impl Iterator<Item = &'static str> {
    all().filter(|rule| JUDGMENTS.contains(&rule.judgment)).map(|rule| rule.id)
}

impl Used {
    /// The rules of the first block's run with these contents of `d`, and of the type, as far as there are any.
    pub fn by(case: &Case, contents: u32) -> Used {
        let instance = Instance::of(case.program.clone(), case.with(contents));
        let options = RunOptions { ambiguous: Policy::First, ..RunOptions::default() };
        let run = instance.with_contents_chosen(Policy::Smallest).evaluate(&options).derivation;
        let typed = type_relative(&case.program).ok();
        let run = run.iter().flat_map(|run| instances(&**run, SemanticsRule::id));
        let typed = typed.iter().flat_map(|typed| instances(&typed.derivation, TypingRule::id));
        let (mut rules, mut times) = (BTreeSet::new(), BTreeMap::<_, u32>::new());
        for (rule, derived) in run.chain(typed) {
            rules.insert(rule);
            for (premise, by) in derived {
                *times.entry((rule, premise, by)).or_default() += 1;
            }
        }
        let steps = times.into_iter().map(|((rule, premise, by), times)| Step {
            rule,
            premise,
            by,
            often: 1 << times.ilog2(),
        });
        Used { rules, steps: steps.collect() }
    }
}

/// The rule of each node, and which rules derive its premises.
fn instances<N: Node>(
    root: &N,
    id: fn(N::Rule) -> &'static str,
) -> impl Iterator<Item = (&'static str, Vec<(usize, &'static str)>)> {
    let derived = move |node: &N| node.derived().map(|(at, by)| (at, id(by.rule()))).collect();
    nodes(root).map(move |(_, node)| (id(node.rule()), derived(node)))
}
