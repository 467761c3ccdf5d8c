//! Potential races, looked for in runs of the kernel itself.
//!
//! A translation does not say what floats and other values are that the front end could not express: what rests on them
//! stays potential there. The typed tree can be run ([`babycuda_detectors::execute`]); a race of one schedule is a race.
//! The runs are of the launches and parameters of the witnesses, where these are small, and begin with what these have
//! of the host's memory and with some patterns.

mod values;

use crate::check::{host_memory, least_launch, sparse, with_races};
use crate::contract::realistic;
use crate::{CheckOptions, Checked};
use babycuda_core::evidence::{Certainty, Confirmation, Report, Side, Witness};
use babycuda_core::history::{HostArray, HostMemory};
use babycuda_core::syntax::{Contents, Tree};
use babycuda_core::trace::{Event, Trace};
use babycuda_core::verdict::Outcome;
use babycuda_core::{
    AccessMode, Budget, Cell, Configuration, Dim3, Name, Natural, Program, Site, Span,
};
use babycuda_detectors::execute::{Limits, Schedule, run};
use babycuda_detectors::happens_before::{races, witness};
use babycuda_kernel::device::Device;
use babycuda_kernel::{Expr, ExprKind, Kernel, Node, Type};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use values::{PATTERNS, Pattern, decoded, encoded, has_floats};

/// Launches of more threads are not run.
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

/// So many cells of an array get a value; all others hold 0.
const CELLS: u64 = 256;

/// So many floats of a run are told.
const MAX_TOLD: usize = 8;

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
    let mut launches: Vec<Configuration> = Vec::new();
    let races = &checked.verdict.races;
    for race in races.iter().filter(potential) {
        let at = alone(program, Configuration { block: 0, ..race.configuration.clone() });
        let known = |other: &Configuration| {
            (&other.launch, &other.parameters) == (&at.launch, &at.parameters)
        };
        if threads(&at) <= MAX_THREADS && !launches.iter().any(known) {
            launches.push(at);
        }
    }
    launches.truncate(MAX_LAUNCHES);
    let budget = Budget::time(options.budget.at_most(options.timeout));
    let runs = Runs { kernel, source, program };
    let (mut proved, mut told) = (races.clone(), BTreeSet::new());
    for (at, pattern) in launches.iter().flat_map(|at| PATTERNS.map(|pattern| (at, pattern))) {
        if proved.iter().all(|race| !potential(&race)) {
            break;
        }
        let begun = runs.beginning(at, pattern, races);
        let proving = || runs.prove(&begun, STEPS, &mut proved, &mut told);
        if budget.within(proving).is_err() {
            break;
        }
    }
    if proved.iter().all(|race| potential(&race)) {
        let others = budget.within(|| runs.elsewhere(options, &mut told));
        proved.extend(others.unwrap_or_default());
    }
    let mut checked = with_races(checked, proved);
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

struct Runs<'a> {
    kernel: &'a Kernel,
    source: &'a str,
    program: &'a Program,
}

impl Runs<'_> {
    /// The launch with what the host stores: a pattern, and what the witnesses there have to read.
    fn beginning(
        &self,
        at: &Configuration,
        pattern: Pattern,
        races: &[Report<Witness>],
    ) -> Configuration {
        let alike = races.iter().filter(|race| race.configuration.parameters == at.parameters);
        let choices =
            alike.flat_map(|race| race.first.data.iter().chain(&race.second.data)).take(64);
        let chosen = host_memory(self.program, at, choices);
        let chosen = chosen.unwrap_or_else(|| HostMemory::declared(self.program));
        let mut host = HostMemory::default();
        for (salt, array) in (0..).zip(&self.program.arrays) {
            let held = match &array.contents {
                Contents::Any | Contents::Opaque => {
                    let ty = self.element(&array.name);
                    let value = |i| encoded(ty, pattern.value(salt, i), pattern);
                    let cells = (0..CELLS).map(|i| (Natural::from(i), value(i)));
                    // Solvers know no floats: what they choose there stands for none.
                    let chosen = chosen.array(&array.name).filter(|_| !ty.is_some_and(has_floats));
                    let given = chosen.into_iter().flat_map(|a| a.cells.clone());
                    HostArray { fill: Some(Natural::zero()), cells: cells.chain(given).collect() }
                }
                _ => chosen.array(&array.name).cloned().unwrap_or_default(),
            };
            host.insert(array.name.clone(), held);
        }
        let mut at = Configuration { host, ..at.clone() };
        // Different ones: kernels divide by differences.
        let first = u64::from(pattern != Pattern::Zeros);
        for (number, (name, ty)) in (first..).zip(self.floats()) {
            at.parameters.insert(Name::new(name), encoded(Some(ty), number, pattern));
        }
        at
    }

    /// The parameters, and fields of parameters, whose values the translation does not know.
    fn floats(&self) -> Vec<(String, &Type)> {
        let mut all = self.parts();
        all.retain(|(_, ty)| has_floats(ty));
        all
    }

    /// The parameters, of objects their fields: `object.field`.
    fn parts(&self) -> Vec<(String, &Type)> {
        let entry = self.kernel.entry().into_iter();
        let parameters = entry.flat_map(|entry| &entry.parameters).map(|v| &self.kernel[*v]);
        let mut open: VecDeque<_> = parameters.map(|v| (v.name.clone(), &v.ty)).collect();
        let mut all = Vec::new();
        while let Some((name, ty)) = open.pop_front() {
            let Type::Record(id) = ty else {
                all.push((name, ty));
                continue;
            };
            for field in self.kernel[*id].fields.iter().rev() {
                open.push_front((format!("{name}.{}", field.name), &field.ty));
            }
        }
        all
    }

    /// Takes out of a run's beginning what the translation does not know, so that a witness cannot say it: floats. They
    /// are told as they are.
    fn told(&self, at: &mut Configuration) -> Option<String> {
        let mut all: Vec<String> = self.textures().into_iter().collect();
        for (name, ty) in self.floats() {
            let passed = at.parameters.remove(&Name::new(&name));
            all.extend(passed.map(|value| format!("{name} = {}", decoded(ty, &value))));
        }
        let unknown = |name: &Name, ty: Option<&Type>| {
            ty.is_some_and(has_floats) || *self.program.contents(name) == Contents::Opaque
        };
        for array in &self.program.arrays {
            let ty = self.element(&array.name);
            let held = at.host.array(&array.name).filter(|_| unknown(&array.name, ty));
            let Some(HostArray { fill, cells }) = held.cloned() else { continue };
            at.host.insert(array.name.clone(), HostArray { fill, cells: BTreeMap::new() });
            let cells = cells.into_iter().filter(|(_, value)| *value != Natural::zero());
            let ty = ty.unwrap_or(&Type::Void);
            all.extend(
                cells.map(|(i, value)| format!("{}[{i}] = {}", array.name, decoded(ty, &value))),
            );
        }
        let more = if all.len() > MAX_TOLD { ", …" } else { "" };
        let told = all.iter().take(MAX_TOLD).cloned().collect::<Vec<_>>().join(", ");
        (!told.is_empty()).then(|| format!("{told}{more}"))
    }

    /// What its textures hold, of a kernel that fetches from some.
    fn textures(&self) -> Option<String> {
        let fetches = |node: Node<'_>| match node {
            Node::Expr(Expr { kind: ExprKind::Device(name, _), .. }) => {
                Device::of(name.as_str()) == Some(Device::Fetch)
            }
            _ => false,
        };
        let any = self.kernel.functions.iter().any(|f| Node::Stmt(&f.body).subterms().any(fetches));
        any.then(|| "textures of 0".to_owned())
    }

    /// The type of an array's elements.
    fn element(&self, name: &Name) -> Option<&Type> {
        let pointer = |ty: &&Type| matches!(ty, Type::Pointer(_) | Type::Array(..));
        let variables = self.kernel.variables.iter().filter(|v| v.name == name.as_str());
        let fields = self.parts().into_iter().filter(|(field, _)| field == name.as_str());
        let mut types = variables.map(|v| &v.ty).chain(fields.map(|(_, ty)| ty));
        types.find(pointer).map(|ty| match ty {
            Type::Pointer(element) => element.innermost(),
            ty => ty.innermost(),
        })
    }

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
                let found = self.found(&begun, steps);
                let mut races: Vec<Report<Witness>> =
                    found.iter().filter_map(|witness| self.alarm(witness, options)).collect();
                self.prove(&begun, steps, &mut races, told);
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
        steps: u64,
        races: &mut [Report<Witness>],
        told: &mut BTreeSet<String>,
    ) {
        let found = self.found(begun, steps);
        for race in races.iter_mut().filter(|race| race.certainty == Certainty::Potential) {
            let same = |witness: &&Witness| self.is_same(race, witness);
            let Some(witness) = found.iter().find(same) else { continue };
            let again = |at: &Configuration| {
                self.found(at, steps).into_iter().find(|witness| self.is_same(race, witness))
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
    fn found(&self, at: &Configuration, steps: u64) -> Vec<Witness> {
        let of_launch = Configuration { host: HostMemory::default(), ..at.clone() };
        if !self.program.admits(&of_launch) {
            return Vec::new();
        }
        let events = steps as usize / 5;
        let limits = Limits { steps, events, bytes: 1 << 24, threads: MAX_THREADS };
        let schedules = [Schedule::InOrder, Schedule::Random(0), Schedule::Random(1)];
        let made = schedules.into_iter().filter_map(|s| run(self.kernel, at, s, &limits).ok());
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
