//! The scorecard as a page.

use super::corpus::Corpus;
use super::fragment::Fragment;
use super::score::{Claim, Score, Tally};
use super::technique::{About, Technique};
use std::fmt::Write;

/// Kernels of the sample that a test counts again.
pub const SAMPLE: u64 = 110;

/// The table of what each technique found in each fragment, without times: the same on every machine.
pub fn counts(techniques: &[Technique], score: &Score) -> String {
    let mut out = String::from(
        "| technique | fragment | found | missed | silent | false alarms | clean | unknown | unsupported |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for (technique, fragment, tally) in rows(techniques, score) {
        let _ = writeln!(out, "| {technique} | {fragment} | {} |", tally.cells());
    }
    out
}

impl Tally {
    /// The counts as cells of a table.
    fn cells(&self) -> String {
        let Tally { found, missed, silent, false_alarms, clean, unknown, unsupported, .. } = self;
        let counts = [found, missed, silent, false_alarms, clean, unknown, unsupported];
        counts.map(ToString::to_string).join(" | ")
    }
}

/// The table of shares and times.
pub fn shares(techniques: &[Technique], score: &Score) -> String {
    let mut out = String::from(
        "| technique | fragment | precision | recall | no verdict | unsupported | median |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for (technique, fragment, tally) in rows(techniques, score) {
        let all = tally.times.len().max(1) as f64;
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let or_none = |share: Option<f64>| share.map_or("–".to_owned(), percent);
        let _ = writeln!(
            out,
            "| {technique} | {fragment} | {} | {} | {} | {} | {:.1} ms |",
            or_none(tally.precision()),
            or_none(tally.recall()),
            percent((tally.silent + tally.unknown) as f64 / all),
            percent(tally.unsupported as f64 / all),
            tally.median().as_secs_f64() * 1000.0,
        );
    }
    out
}

fn rows<'a>(
    techniques: &'a [Technique],
    score: &'a Score,
) -> impl Iterator<Item = (&'static str, Fragment, &'a Tally)> {
    techniques.iter().flat_map(move |technique| {
        let rows = Fragment::ALL.into_iter();
        rows.filter_map(move |fragment| {
            Some((technique.name, fragment, score.tallies.get(&(technique.name, fragment))?))
        })
    })
}

/// What is claimed, and whether it holds here.
pub fn claims(techniques: &[Technique], score: &Score, seed: u64) -> String {
    let mut out = String::new();
    for technique in techniques {
        for (claim, fragment, word) in [
            (Claim::MissesNoRace, technique.claims.misses_no_race, "misses no race"),
            (
                Claim::RaisesNoFalseAlarm,
                technique.claims.raises_no_false_alarm,
                "raises no false alarm",
            ),
        ] {
            let Some(fragment) = fragment else { continue };
            let about = match technique.about {
                About::Run => "of the run",
                About::Inputs => "for all contents",
            };
            let _ =
                writeln!(out, "### {} {word} ({about})\n\n{}.\n", technique.name, fragment.text);
            let key = (technique.name, claim);
            let Some(refuted) = score.refuted.get(&key) else {
                out.push_str("No kernel refutes it.\n\n");
                continue;
            };
            let _ = writeln!(out, "Refuted by {} kernels. The smallest:\n", refuted.kernels);
            if let Some(case) = score.counterexample(techniques, seed, key) {
                let launch = case.configuration.launch;
                let _ = writeln!(
                    out,
                    "```cuda\n// <<<{}, {}>>>, warps of {}, n = {}",
                    launch.grid, launch.block, launch.warp, case.small.n
                );
                let _ = writeln!(out, "{}```\n", case.small);
            }
        }
    }
    out
}

/// The table of the kernels themselves.
pub fn kernels(score: &Score) -> String {
    let mut out = String::from("| fragment | kernels | racy | divergent |\n|---|---|---|---|\n");
    for (fragment, [all, racy, divergent]) in &score.kernels {
        let _ = writeln!(out, "| {fragment} | {all} | {racy} | {divergent} |");
    }
    out
}

/// The techniques on a folder of kernels.
fn of_corpus(techniques: &[Technique], corpus: &Corpus) -> String {
    let [all, wrong] = corpus.kernels;
    let mut out = format!(
        "{all} kernels that people wrote (`tests/corpus`), each with one block of 32 threads and 5 for every \
         parameter; {wrong} race or diverge. {} more are not translated, or it is not known what is true of them. \
         What is true is said by runs under several schedules, else by this library's own technique, which has no \
         row for that reason. Techniques that speak of one run are asked where the runs said it.\n\n\
         | technique | found | missed | silent | false alarms | clean | unknown | unsupported | median |\n\
         |---|---|---|---|---|---|---|---|---|\n",
        corpus.open
    );
    for technique in techniques {
        let Some(tally) = corpus.tallies.get(technique.name) else { continue };
        let median = tally.median().as_secs_f64() * 1000.0;
        let _ = writeln!(out, "| {} | {} | {median:.1} ms |", technique.name, tally.cells());
    }
    out
}

/// What stands on the page.
#[derive(Debug)]
pub struct Scores {
    /// Of many kernels of a seed.
    pub whole: Score,
    /// That seed.
    pub seed: u64,
    /// Of the [`SAMPLE`] of seed 0.
    pub sample: Score,
    /// Of kernels that people wrote.
    pub corpus: Corpus,
}

/// The page: what it is, a score of many kernels, one of the corpus, and a sample that a test counts again.
pub fn page(techniques: &[Technique], scores: &Scores) -> String {
    let Scores { whole: score, seed, sample, corpus } = scores;
    let all: u64 = score.kernels.values().map(|[all, ..]| all).sum();
    format!(
        "{HEAD}\n{all} kernels of seed {seed}: `babycuda-validation scorecard --kernels {all} --seed {seed}`.\n\n\
         {}\n## What each technique found\n\n{}\n## Shares and times\n\n{}\n## Kernels that people wrote\n\n{}\n\
         ## Claims\n\n{}{REMEDIES}\n{SAMPLE_HEAD}\n{}",
        kernels(score),
        counts(techniques, score),
        shares(techniques, score),
        of_corpus(techniques, corpus),
        claims(techniques, score, *seed),
        counts(techniques, sample),
    )
}

/// The page with the rows of one technique as another page has them, in their order. What is said of its claims stays.
pub fn renewed(page: &str, other: &str, technique: &str) -> String {
    let is_row = |line: &str| line.starts_with(&format!("| {technique} |"));
    let mut rows = other.lines().filter(|line| is_row(line));
    let renewed = |line| if is_row(line) { rows.next().unwrap_or(line) } else { line };
    page.lines().map(renewed).flat_map(|line| [line, "\n"]).collect()
}

/// What stands before the counts of the sample.
pub const SAMPLE_HEAD: &str = "## Sample\n\nThe first 110 kernels; a test counts them again.\n";

const REMEDIES: &str = "\
## What would have to change

**two-thread** (SKBG18): `Φ` needs the test that both accesses are in one barrier interval, copies of threads
their block, and an array of the SSA form must not be shared by the two threads: what a thread reads of it is
unknown. An iteration of a loop must begin with any values that the loop may have left. The repaired reading
does all this (`detectors::two_thread::Reading`). What is left are alarms that rest on data, since each thread reads
any value, on signed arithmetic that overflows, and on loop conditions that some iterations skip over.

**symbolic-heap** (Distefano and Dubreil): `NoRace` compares the heap of a generic thread with itself under
another name, so what a thread reads is compared with nothing. The product of two threads compares reads, too. To
miss no race, a cell that a third thread may have written before a barrier must be unknown behind it; the product
keeps its old value. `if (t == 2) a[0] = 1; __syncthreads(); if (t < 2) a[1] = a[0] * t;` with three threads is a
smallest kernel: threads 0 and 1 both store 0 there, as long as nobody knows what thread 2 left (`docs/SYMBOLIC_HEAP.md`).
What the technique calls race-free may have races that leave the memory determined, which count as races here.

**amplification** (LGAGJL12): Theorem 1 holds of complete runs whose logs are kept interval by interval, of
kernels in which nothing that the taint analysis does not understand decides an access. That is what is built here;
where data decides an access, one run says nothing of other data.

**hirace** (HiRace): 15 cells of the published table must change (`docs/HIRACE.md`); the machine that is derived
here has them. A run says nothing of other contents, and its clocks must not overflow.

**protocols** (LCL22): Theorem 1 needs a hypothesis on the history (THEORY T1). Where a kernel has no type, an alarm
counts once a run or an interleaving shows it.
";

const HEAD: &str = "\
# Scorecard

Techniques that find data races, on the same random kernels, beside the ground truth. Written by a
command; do not edit.

A kernel has one array that it stores into, one (`d`) that only the host does, some statements and barriers, and
one launch: 4 threads, 8 in two warps of 4 for
warp synchronisation, two blocks of 4 for multi-block. The ground truth is the semantics: where what the
host stored may decide the accesses, all contents that a kernel tells apart are run. A kernel is wrong where
it races or its threads diverge at a barrier.

- *found*: an alarm on a wrong kernel; *missed*: a wrong kernel called clean; *silent*: no verdict on a
  wrong kernel; *unknown*: none on a clean one. Precision is found / (found + false alarms), recall
  found / (found + missed + silent).
- A technique whose verdict is about what the host stored is held to a run with that; all others to what any
  contents show. Races that leave no trace in memory are races here; a claim that is about harmful races only is not
  held to them.
- *Unsupported*: the kernel has a construct that is not in the language of the paper. Precision and recall are of
  the others. *No verdict* is silent and unknown together.
- The row of HiRace is of the machine that is derived here (`docs/HIRACE.md`), not of the published table.
- Times are those of one machine, beside other work: for comparing techniques with each other.
";
