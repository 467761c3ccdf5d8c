//! What programs came to: counts, and the first findings.

use crate::campaign::Finding;
use crate::claims::{Claim, Verdict, validate};
use crate::tally::Tally;
use crate::trial::{Exclusion, Trial};
use babycuda_campaign::{Least, merge_fields};
use babycuda_gpu::{BackendName, Failure, Report};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How many findings of a sort are kept.
const KEPT: usize = 16;

/// What some of the programs came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "FoundOnDevices"))]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// Counts.
    pub tally: Tally,
    /// The first failures, each behind the number of its program.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<(u64, Finding)>", length(max = KEPT)))]
    pub(crate) failures: Least<u64, Finding, KEPT>,
    /// The first runs that no interleaving explains, likewise.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<(u64, Finding)>", length(max = KEPT)))]
    pub(crate) beyond: Least<u64, Finding, KEPT>,
}

merge_fields!(Found { tally, failures, beyond });

impl Found {
    /// Keeps a failure.
    pub(crate) fn fail(&mut self, finding: Finding) {
        self.failures.add(finding.number, finding);
    }

    /// Judges the reports of one program.
    pub(crate) fn judge(
        &mut self,
        number: u64,
        trial: &Trial,
        reports: &[Result<Report, Failure>],
        backend: BackendName,
    ) {
        let mut overflowed = false;
        // One run with it is as good as many.
        let mut found: BTreeSet<(Option<Claim>, bool)> = BTreeSet::new();
        // Runs are often alike, and the verdict on a report depends on nothing else.
        let mut known: Vec<(&Report, Verdict)> = Vec::new();
        for report in reports {
            let report = match report {
                Ok(report) => report,
                Err(failure) => {
                    self.tally.unreported += 1;
                    if found.insert((None, false)) {
                        self.fail(Finding::new(number, None, failure));
                    }
                    continue;
                }
            };
            let verdict = match known.iter().position(|(same, _)| *same == report) {
                Some(same) => &known[same].1,
                None => {
                    known.push((report, validate(&trial.reference, report)));
                    &known[known.len() - 1].1
                }
            };
            overflowed |= verdict.overflowed;
            self.tally.report(report, verdict);
            if let Some((claim, why)) = verdict.failure(backend) {
                if found.insert((Some(claim), false)) {
                    self.fail(Finding::new(number, Some(claim), why));
                }
            } else if let Some(why) = verdict.beyond_interleavings() {
                let claim = Some(Claim::ValuesAreOfAnInterleaving);
                if found.insert((claim, true)) {
                    self.beyond.add(number, Finding::new(number, claim, why));
                }
            }
        }
        if overflowed {
            self.tally.excluded.add(Exclusion::Overflow);
            return;
        }
        let class = trial.reference.class();
        let mut memories = known.iter().map(|(report, _)| &report.arrays);
        let first = memories.next();
        if memories.any(|memory| Some(memory) != first) {
            self.tally.different_memories.add(class.to_string());
        }
        self.tally.classes.add(class.to_string());
        if trial.blocks.len() > 1 {
            self.tally.grids.add(trial.waits(), trial.races_between_blocks());
        }
    }
}
