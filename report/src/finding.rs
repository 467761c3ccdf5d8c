//! What was found on a file, each finding in one line: what all formats but the ones for people and
//! `document` show.

use crate::code::Code;
use crate::{FileReport, human, names};
use babycuda::Checked;
use babycuda_core::evidence::{Certainty, DivergenceWitness, Report, Witness};
use babycuda_core::site::{Site, Span};
use babycuda_core::verdict::Outcome;
use babycuda_core::{Configuration, Declarations};

/// A race, a barrier divergence, or that a kernel was not decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What kind it is.
    pub code: Code,
    /// How sure.
    pub level: Level,
    /// The word for it: `race`, `divergence` or `unknown`.
    pub word: &'static str,
    /// The kernel.
    pub kernel: String,
    /// What was found, in one line.
    pub text: String,
    /// Where, and where the other side stands.
    pub places: [Option<Span>; 2],
    /// What the two sides do there.
    pub sides: [String; 2],
    /// Is it a race of which all conflicting writes store the same value?
    pub benign: bool,
}

/// How sure a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// It is so.
    Error,
    /// It may be so.
    Warning,
    /// It is not known.
    Note,
}

/// All findings on a file, in the order of its kernels. A kernel that is race-free has none.
pub fn all(report: &FileReport) -> impl Iterator<Item = Finding> {
    report.kernels.iter().flat_map(of)
}

/// All findings on a kernel.
pub fn of(checked: &Checked) -> Vec<Finding> {
    let Checked { declarations, verdict, .. } = checked;
    let races = verdict.races.iter().map(|report| race(checked, report));
    let divergences = verdict.divergences.iter().map(|report| divergence(declarations, report));
    let mut findings: Vec<Finding> = races.chain(divergences).collect();
    if let Outcome::Unknown(reason) = &verdict.outcome {
        // Of a kernel that was refused nothing is known but the place.
        let places = declarations.sources.spans.values().copied();
        let refused = places.take(usize::from(verdict.scope.is_none())).next();
        findings.push(Finding {
            code: Code::of_unknown(reason),
            level: Level::Note,
            word: "unknown",
            kernel: declarations.name.to_string(),
            text: format!("kernel {} was not decided: {reason}", declarations.name),
            places: [refused, None],
            sides: Default::default(),
            benign: false,
        });
    }
    if let Some(assumed) = assumed(checked) {
        findings.iter_mut().for_each(|finding| finding.text += &format!("; {assumed}"));
    }
    findings
}

/// What the verdict on a kernel assumes: conditions of the command line, launches of the file, what the kernel requires.
fn assumed(checked: &Checked) -> Option<String> {
    let assumptions = &checked.verdict.scope.as_ref()?.assumptions;
    (!assumptions.is_empty()).then(|| format!("assuming {}", assumptions.join(", ")))
}

/// What is said of a kernel without findings: that it is race-free under what is assumed. Of one that is so in any case
/// nothing is said.
pub fn free(checked: &Checked) -> Option<String> {
    let free = checked.verdict.outcome == Outcome::Drf;
    let assumed = assumed(checked).filter(|_| free)?;
    Some(format!("kernel {} is race-free, {assumed}", checked.declarations.name))
}

fn race(checked: &Checked, race: &Report<Witness>) -> Finding {
    let declarations = &checked.declarations;
    let benign = checked.same_value_of(race).map(|value| human::benign(declarations, race, value));
    let said = benign.as_ref().map(|said| format!("; {said}")).unwrap_or_default();
    let (both, at) = ([&race.first, &race.second], &race.configuration);
    let sides = both.map(|side| human::says(side, at));
    let [one, other] = &sides;
    let (level, potential) = level(race.certainty);
    let text = format!(
        "{potential}{} race on {} in kernel {}: {one}, {other}; {}{said}",
        race.kind().description(),
        names::cell(declarations, &race.cell),
        declarations.name,
        when(declarations, race, at, race.depends_on_data()),
    );
    Finding {
        code: Code::of_race(race.kind(), race.same_block()),
        level,
        word: "race",
        kernel: declarations.name.to_string(),
        text,
        places: both.map(|side| span(declarations, side.site)),
        sides,
        benign: benign.is_some(),
    }
}

fn divergence(declarations: &Declarations, report: &Report<DivergenceWitness>) -> Finding {
    let (level, potential) = level(report.certainty);
    let both = [report.divergence.first, report.divergence.second];
    let [one, other] = both.map(|(number, _)| human::thread(report, number));
    let text = format!(
        "{potential}barrier divergence in kernel {}: threads {one} and {other}, {}; {}",
        declarations.name,
        human::after(report),
        when(declarations, report, &report.configuration, report.depends_on_data()),
    );
    let does = |thread: String, barrier: Option<Site>| match barrier {
        Some(_) => format!("thread {thread} waits here"),
        None => format!("thread {thread} ends"),
    };
    Finding {
        code: Code::Divergence,
        level,
        word: "divergence",
        kernel: declarations.name.to_string(),
        text,
        places: both.map(|(_, barrier)| span(declarations, barrier?)),
        sides: [does(one, both[0].1), does(other, both[1].1)],
        benign: false,
    }
}

fn span(declarations: &Declarations, site: Site) -> Option<Span> {
    declarations.sources.spans.get(&site).copied()
}

/// The launch, the parameters and the contents of a witness.
fn when<W>(
    declarations: &Declarations,
    report: &Report<W>,
    at: &Configuration,
    rests_on_data: bool,
) -> String {
    let contents = human::contents(declarations, report, at, rests_on_data);
    let contents = contents.map(|cells| format!("; {cells}")).unwrap_or_default();
    human::witness(declarations, at) + &contents
}

/// The level of a finding, and what its text begins with.
fn level(certainty: Certainty) -> (Level, &'static str) {
    match certainty {
        Certainty::Potential => (Level::Warning, "potential "),
        Certainty::Provable | Certainty::Replayed => (Level::Error, ""),
    }
}
