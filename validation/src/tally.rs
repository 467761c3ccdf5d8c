//! How many programs of which kind there were, and what the claims came to.

use crate::case::Family;
use crate::claims::{Claim, Explanation, Judgment, Verdict};
use crate::trial::Exclusion;
use babycuda_campaign::{Counts, merge_fields};
use babycuda_gpu::Report;
use babycuda_gpu::report::Status;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Counts.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Programs generated.
    pub programs: u64,
    /// Programs by family.
    pub families: Counts<Family>,
    /// Programs that ran, in blocks of several warps.
    #[serde(default)]
    pub several_warps: u64,
    /// Programs of several blocks.
    #[serde(default)]
    pub grids: Grids,
    /// Programs that were not run or not compared, by reason.
    pub excluded: Counts<Exclusion>,
    /// Programs compared, by what the theory says of them.
    pub classes: Counts<String>,
    /// Reports, by how the run ended.
    pub endings: Counts<String>,
    /// What each claim came to, over all reports.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Judged>"))]
    pub claims: BTreeMap<Claim, Judged>,
    /// Reports of ill-typed programs, by how they differ from the big-step history.
    pub explanations: Counts<Explanation>,
    /// Reports without which there is a failure: the device gave none.
    pub unreported: u64,
    /// Programs whose memory differed after two of their runs, by what the theory says of them.
    pub different_memories: Counts<String>,
}

/// Programs of several blocks, which run as whole grids.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Grids {
    /// Generated.
    pub programs: u64,
    /// Compared.
    pub compared: u64,
    /// Of these, with blocks that wait for each other.
    pub waiting: u64,
    /// Of those compared, with a race between blocks.
    pub racy_between: u64,
}

impl Grids {
    /// Counts one that was compared.
    pub fn add(&mut self, waits: bool, racy_between: bool) {
        self.compared += 1;
        self.waiting += u64::from(waits);
        self.racy_between += u64::from(racy_between);
    }
}

/// How often a claim came to what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// It held.
    pub holds: u64,
    /// It says nothing of the run.
    pub not_applicable: u64,
    /// It was not decided.
    pub undecided: u64,
    /// The values are of no interleaving.
    pub beyond_interleavings: u64,
    /// It did not hold.
    pub violated: u64,
}

impl Judged {
    /// Counts a judgment.
    pub fn count(&mut self, judgment: &Judgment) {
        *match judgment {
            Judgment::Holds => &mut self.holds,
            Judgment::NotApplicable => &mut self.not_applicable,
            Judgment::Undecided => &mut self.undecided,
            Judgment::BeyondInterleavings(_) => &mut self.beyond_interleavings,
            Judgment::Violated(_) => &mut self.violated,
        } += 1;
    }

    /// How often it was tried.
    pub fn tried(&self) -> u64 {
        self.holds + self.undecided + self.beyond_interleavings + self.violated
    }
}

merge_fields!(Grids { programs, compared, waiting, racy_between });

merge_fields!(Judged { holds, not_applicable, undecided, beyond_interleavings, violated });

merge_fields!(Tally {
    programs,
    families,
    several_warps,
    grids,
    excluded,
    classes,
    endings,
    claims,
    explanations,
    unreported,
    different_memories,
});

impl Tally {
    /// Counts a program.
    pub fn program(&mut self, family: Family) {
        self.programs += 1;
        self.families.add(family);
    }

    /// Counts a report.
    pub fn report(&mut self, report: &Report, verdict: &Verdict) {
        self.endings.add(ending(&report.status).to_owned());
        for (claim, judgment) in &verdict.judgments {
            self.claims.entry(*claim).or_default().count(judgment);
        }
        verdict.explanation.into_iter().for_each(|explanation| self.explanations.add(explanation));
    }

    /// Programs that were compared.
    pub fn all_compared(&self) -> u64 {
        self.classes.total()
    }

    /// Programs compared of the classes whose description has all these parts.
    pub fn of_class(&self, parts: &[&str]) -> u64 {
        with_parts(&self.classes, parts)
    }

    /// Racy programs whose memory differed after two of their runs, and all racy programs.
    pub fn racy_with_different_memories(&self) -> (u64, u64) {
        (with_parts(&self.different_memories, &["racy"]), self.of_class(&["racy"]))
    }

    /// What a claim came to.
    pub fn judged(&self, claim: Claim) -> Judged {
        self.claims.get(&claim).copied().unwrap_or_default()
    }
}

/// How many there are of the classes whose description has all these parts.
fn with_parts(classes: &Counts<String>, parts: &[&str]) -> u64 {
    let has = |class: &str| parts.iter().all(|part| class.split(", ").any(|word| word == *part));
    classes.iter().filter(|(class, _)| has(class)).map(|(_, count)| count).sum()
}

fn ending(status: &Status) -> &'static str {
    match status {
        Status::Done => "done",
        Status::Divergence(_) => "divergence",
        Status::Waits(_) => "other blocks",
        Status::OutOfFuel(_) => "out of fuel",
        Status::LogFull(_) => "log full",
        Status::OutOfBounds { .. } => "out of bounds",
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let compared = self.all_compared();
        writeln!(f, "{:9} programs", self.programs)?;
        let share = 100.0 * self.several_warps as f64 / self.programs.max(1) as f64;
        writeln!(f, "{:9}   of several warps ({share:.1} %)", self.several_warps)?;
        let Grids { programs, compared: judged, waiting, racy_between } = self.grids;
        writeln!(
            f,
            "{programs:9}   of several blocks: {judged} compared, {waiting} of them with barriers of \
             the grid, {racy_between} with races between blocks"
        )?;
        for (why, count) in self.excluded.iter() {
            writeln!(f, "{count:9}   excluded: {why}")?;
        }
        writeln!(f, "{compared:9}   compared")?;
        for (class, count) in self.classes.iter() {
            writeln!(f, "{count:9}     {class}")?;
        }
        let reports = self.endings.total();
        writeln!(f, "{reports:9} reports, {} runs without one", self.unreported)?;
        for (ending, count) in self.endings.iter() {
            writeln!(f, "{count:9}   {ending}")?;
        }
        for (explanation, count) in self.explanations.iter() {
            writeln!(f, "{count:9}   ill-typed: {explanation}")?;
        }
        let (different, racy) = self.racy_with_different_memories();
        let share = 100.0 * different as f64 / racy.max(1) as f64;
        writeln!(f, "{different:9} racy programs with different memories ({share:.1} %)")?;
        writeln!(f, "    holds undecided    beyond  violated  claim")?;
        for (claim, judged) in &self.claims {
            let Judged { holds, undecided, beyond_interleavings, violated, .. } = judged;
            writeln!(f, "{holds:9} {undecided:9} {beyond_interleavings:9} {violated:9}  {claim}")?;
        }
        Ok(())
    }
}
