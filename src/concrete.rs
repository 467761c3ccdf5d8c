//! Potential races, looked for in runs of the kernel itself.
//!
//! A translation does not say what floats and other values are that the front end could not express: what rests on them
//! stays potential there. The typed tree can be run ([`babycuda_detectors::execute`]); a race of one schedule is a race.
//! The runs are of the launches and parameters of the witnesses, and begin with what these have of the host's memory and
//! with some patterns. Of a large launch the two threads of the witness run alone, while the others have done nothing yet.

mod beginning;
mod values;

use crate::check::{least_launch, sparse, with_races};
use crate::contract::realistic;
use crate::{CheckOptions, Checked};
use babycuda_core::evidence::{Certainty, Confirmation, Report, Side, Witness};
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::Tree;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::verdict::Outcome;
use babycuda_core::{
    AccessMode, Budget, Cell, Configuration, Dim3, Launch, Natural, Program, Site, Span, Thread,
};
use babycuda_detectors::execute::{Limits, Schedule, begin, run};
use babycuda_detectors::happens_before::{races, witness};
use babycuda_kernel::Kernel;
use std::collections::{BTreeSet, HashSet};
use values::{PATTERNS, Pattern};

/// Launches of more threads are not run as a whole.
const MAX_THREADS: u64 = 1 << 13;

/// Nor those that are guessed of more.
const FEW_THREADS: u64 = 1024;

/// Launches that are guessed, at most.
const MAX_GUESSES: usize = 12;

/// Launches with parameters that are run, at most.
const MAX_LAUNCHES: usize = 4;

/// Steps of a run.
const STEPS: u64 = 5_000_000;

/// Those of a first one that is guessed.
const FEW_STEPS: u64 = 100_000;

/// Pairs of accesses of a run that are compared.
const MAX_PAIRS: u64 = 2_000_000;

/// Runs that look for smaller contents.
const MAX_TRIES: u64 = 64;

/// Runs that look for a smaller launch.
const MAX_LAUNCH_TRIES: u32 = 48;

/// The verdict on a kernel of which `program` is the translation, with those of its potential races proved that a run of
/// the kernel has. All runs together have the time of one question.
///
/// `source` is the text of its file.
#[must_use]
pub fn run_potential(
    kernel: &Kernel,
    source: &str,
    program: &Program,
    checked: Checked,
    options: &CheckOptions,
) -> Checked {
    let potential = |race: &&Report<Witness>| race.certainty == Certainty::Potential;
    let open = matches!(checked.verdict.outcome, Outcome::Unknown(_));
    // Where the host's memory is as something assumes it, a pattern is not.
    if !open || !program.contents_assumed.is_empty() {
        return checked;
    }
    let races = &checked.verdict.races;
    // Two threads first: that takes the fewest steps.
    let mut launches: Vec<(Configuration, Who)> = Vec::new();
    for whole in [false, true] {
        let mut new = Vec::new();
        for race in races.iter().filter(potential) {
            let at = alone(program, Configuration { block: 0, ..race.configuration.clone() });
            let who = if whole { Who::All } else { Who::two(race) };
            let known = |(other, whose): &(Configuration, Who)| {
                (&other.launch, &other.parameters, *whose) == (&at.launch, &at.parameters, who)
            };
            if who.fits(&at) && !new.iter().any(known) {
                new.push((at, who));
            }
        }
        new.truncate(MAX_LAUNCHES);
        launches.extend(new);
    }
    let budget = Budget::time(options.budget.at_most(options.timeout));
    let runs = Runs { kernel, source, program };
    let (mut proved, mut told) = (races.clone(), BTreeSet::new());
    for ((at, who), pattern) in launches.iter().flat_map(|at| PATTERNS.map(|pattern| (at, pattern)))
    {
        if proved.iter().all(|race| !potential(&race)) {
            break;
        }
        let begun = runs.beginning(at, pattern, races);
        let proving = || {
            for steps in who.steps() {
                runs.prove(&begun, *who, *steps, &mut proved, &mut told);
            }
        };
        if budget.within(proving).is_err() {
            break;
        }
    }
    if proved.iter().all(|race| potential(&race)) {
        let others = budget.within(|| runs.elsewhere(options, &mut told));
        proved.extend(others.unwrap_or_default());
    }
    let mut shown: Vec<Report<Witness>> = Vec::new();
    for race in proved {
        // Two questions may have one run as their answer.
        if race.certainty == Certainty::Potential || !shown.contains(&race) {
            shown.push(race);
        }
    }
    let mut checked = with_races(checked, shown);
    checked.remarks.extend(told);
    checked
}

/// The launch of one block, where one block is meant: others would write to its memory.
fn alone(program: &Program, mut at: Configuration) -> Configuration {
    if program.geometry.grid.is_none() {
        at.launch.grid = Dim3::line(1);
    }
    at
}

fn threads(at: &Configuration) -> u64 {
    at.launch.grid.count().saturating_mul(at.launch.block.count())
}

/// Which threads of a launch run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    All,
    /// Two, by their blocks and their places in these.
    Two([[Dim3; 2]; 2]),
}

impl Who {
    /// The threads of a race.
    fn two(race: &Witness) -> Who {
        let Launch { grid, block, .. } = race.configuration.launch;
        Who::Two(
            [&race.first, &race.second]
                .map(|side| [grid.position(side.thread.block), block.position(side.thread.index)]),
        )
    }

    /// May they be run at a launch?
    fn fits(self, at: &Configuration) -> bool {
        let Launch { grid, block, .. } = at.launch;
        let holds = |whole: Dim3, place: Dim3| {
            let mut extents = whole.components().into_iter().zip(place.components());
            extents.all(|(extent, at)| at < extent)
        };
        match self {
            Who::All => threads(at) <= MAX_THREADS,
            Who::Two(two) => two.iter().all(|[b, t]| holds(grid, *b) && holds(block, *t)),
        }
    }

    /// The steps of its runs: a race may come early, and then no more are taken while it is made small.
    fn steps(self) -> &'static [u64] {
        if self == Who::All { &[STEPS] } else { &[2_000, 50_000, 1_000_000] }
    }
}

struct Runs<'a> {
    kernel: &'a Kernel,
    source: &'a str,
    program: &'a Program,
}

impl Runs<'_> {
    /// Races of launches as people make them, where witnesses lead nowhere.
    fn elsewhere(
        &self,
        options: &CheckOptions,
        told: &mut BTreeSet<String>,
    ) -> Vec<Report<Witness>> {
        let launches = realistic(self.program, &[]).into_iter().map(|at| alone(self.program, at));
        let launches = launches.filter(|at| threads(at) <= FEW_THREADS && self.program.admits(at));
        let launches: Vec<Configuration> = launches.take(MAX_GUESSES).collect();
        // A kernel may not come to an end, and race at once.
        for (steps, at) in
            [FEW_STEPS, STEPS].iter().flat_map(|s| launches.iter().map(|at| (*s, at)))
        {
            for pattern in [Pattern::Mixed(5), Pattern::Zeros] {
                let begun = self.beginning(at, pattern, &[]);
                let found = self.found(&begun, Who::All, steps);
                let mut races: Vec<Report<Witness>> =
                    found.iter().filter_map(|witness| self.alarm(witness, options)).collect();
                self.prove(&begun, Who::All, steps, &mut races, told);
                races.retain(|race| race.certainty != Certainty::Potential);
                if !races.is_empty() {
                    return races;
                }
            }
        }
        Vec::new()
    }

    /// What was found as a race of the translation, which is not proved yet; `None`: no statements of it stand there, or
    /// it was not asked for.
    fn alarm(&self, found: &Witness, options: &CheckOptions) -> Option<Report<Witness>> {
        let asked = options.asks_for(&found.cell.array);
        let statement = |first| {
            self.program.body.subterms().find_map(|statement| {
                let (mode, array) = statement.head().access()?;
                let site = statement.site()?;
                let same = *array == found.cell.array && self.is_of(site, mode, found, first);
                same.then_some(site)
            })
        };
        let [first, second] = [(&found.first, true), (&found.second, false)]
            .map(|(side, first)| Some(Side { site: statement(first)?, ..side.clone() }));
        let witness = Witness { first: first?, second: second?, ..found.clone() };
        let (certainty, replay) = (Certainty::Potential, None);
        asked.then_some(Report { witness, certainty, replay })
    }

    /// Runs the kernel there; potential races that the runs have are proved.
    fn prove(
        &self,
        begun: &Configuration,
        who: Who,
        steps: u64,
        races: &mut [Report<Witness>],
        told: &mut BTreeSet<String>,
    ) {
        if races.iter().all(|race| race.certainty != Certainty::Potential) {
            return;
        }
        let found = self.found(begun, who, steps);
        for race in races.iter_mut().filter(|race| race.certainty == Certainty::Potential) {
            let same = |witness: &&Witness| self.is_same(race, witness);
            let Some(witness) = found.iter().find(same) else { continue };
            let again = |at: &Configuration| {
                let runs = [who, Who::All].into_iter().filter(|who| who.fits(at));
                let mut found = runs.flat_map(|who| self.found(at, who, steps));
                found.find(|witness| self.is_same(race, witness))
            };
            let least = least_launch(self.program, witness.clone(), MAX_LAUNCH_TRIES, &again);
            let shows = |host: &HostMemory| {
                again(&Configuration { host: host.clone(), ..least.configuration.clone() })
            };
            let host = least.configuration.host.clone();
            let cells: Vec<(Cell, Natural)> =
                host.cells().filter(|(_, value)| *value != Natural::zero()).collect();
            let (_, shown) = sparse(host, least.clone(), cells, &mut (0..MAX_TRIES), shows);
            let forward = self.is_of(race.first.site, race.first.mode, &shown, true);
            let Witness { mut configuration, cell, first, second, .. } = shown;
            if let Some(floats) = self.told(&mut configuration) {
                told.insert(format!("the run that races on {cell} begins with {floats}"));
            }
            let [first, second] = if forward { [first, second] } else { [second, first] };
            let sides = [(first, &race.first), (second, &race.second)];
            let [first, second] = sides.map(|(side, own)| Side { site: own.site, ..side });
            let confirmation = Confirmation::Interleaving;
            race.witness = Witness { configuration, cell, first, second, confirmation };
            race.certainty = Certainty::Provable;
        }
    }

    /// The races of some schedules, of contents that may be.
    fn found(&self, at: &Configuration, who: Who, steps: u64) -> Vec<Witness> {
        let of_launch = Configuration { host: HostMemory::default(), ..at.clone() };
        if !self.program.admits(&of_launch) {
            return Vec::new();
        }
        let events = steps as usize / 5;
        let limits = Limits { steps, events, bytes: 1 << 24, threads: MAX_THREADS };
        let schedules = [Schedule::InOrder, Schedule::Random(0), Schedule::Random(1)];
        let begun = |schedule| match &who {
            Who::All => run(self.kernel, at, schedule, &limits),
            Who::Two(two) => {
                let Launch { grid, block, .. } = at.launch;
                let two =
                    two.map(|[b, t]| Thread { block: grid.linear(b), index: block.linear(t) });
                begin(self.kernel, at, &two, schedule, &limits)
            }
        };
        let made = schedules.into_iter().filter_map(|schedule| begun(schedule).ok());
        let defined = made.filter(|run| reads_what_is_there(&run.trace));
        let found = defined.flat_map(|mut run| {
            let clashes = loop {
                match races(&run.trace, MAX_PAIRS) {
                    Ok(clashes) => break clashes,
                    // What a run does first is one, too.
                    Err(_) => run.trace.events.truncate(run.trace.events.len() / 2),
                }
            };
            clashes.into_iter().filter_map(move |clash| witness(&run.trace, clash, at))
        });
        found.collect()
    }

    /// Are both the same accesses of the same array?
    fn is_same(&self, race: &Witness, found: &Witness) -> bool {
        let [first, second] = [&race.first, &race.second].map(|side| (side.site, side.mode));
        let either = |forward| {
            self.is_of(first.0, first.1, found, forward)
                && self.is_of(second.0, second.1, found, !forward)
        };
        race.cell.array == found.cell.array
            && race.same_block() == found.same_block()
            && (either(true) || either(false))
    }

    /// Is a statement of the translation the first (or the second) access of what was found?
    fn is_of(&self, site: Site, mode: AccessMode, found: &Witness, first: bool) -> bool {
        let side = if first { &found.first } else { &found.second };
        let origin = self.kernel.origins.get(side.site.0 as usize);
        let place = origin.map(|origin| Span::locate(self.source, origin.bytes.clone()).start);
        let own = self.program.sources.spans.get(&site).map(|span| span.start);
        place.is_some() && place == own && mode == side.mode
    }
}

/// Does nobody read shared memory that nobody wrote? A thread that does is stuck (THEORY §4): what follows is of no run.
fn reads_what_is_there(trace: &Trace) -> bool {
    let mut written = HashSet::new();
    trace.events.iter().all(|event| match event {
        Event::Access { thread, mode, cell, .. } if trace.shared.contains(&cell.array) => {
            let place = (thread.block, cell);
            match mode {
                AccessMode::Wr => {
                    written.insert(place);
                    true
                }
                AccessMode::Rd | AccessMode::At(_) => written.contains(&place),
            }
        }
        _ => true,
    })
}
