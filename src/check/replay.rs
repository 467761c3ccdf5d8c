//! Replaying a witness in the semantics: is the history racy there?

use super::diverge::{may_be_stuck, may_read_undefined};
use super::least::{chosen, least};
use super::{CheckOptions, has_atomic, has_opaque_data};
use babycuda_core::evidence::{Certainty, Choice, Confirmation, Replay, Report, Witness};
use babycuda_core::history::HostMemory;
use babycuda_core::natural::Natural;
use babycuda_core::syntax::{ArrayDecl, AtomicOp, Contents, Program};
use babycuda_core::{Cell, Configuration, Name, Site, Stmt, Together};
use babycuda_semantics::{Instance, Reason, Stuck};
use babycuda_typing::{Approximation, DataFlow, DataSource, approximate};
pub(super) use scene::Made;
use scene::{Run, Scene};
use std::collections::{BTreeMap, BTreeSet};

/// Why a run of the witness proves its race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Basis {
    /// Both accesses are independent of data, so they are the same in every run (T5).
    Independent,
    /// They depend only on values that the host stored and nobody changes: those of the run are
    /// those of every interleaving.
    HostData,
    /// They depend on what the program itself computes. Without atomics, and up to the first racy
    /// phase, the run is that of every interleaving (T6).
    Run,
}

/// What a run may prove of the witness; `None`: nothing. The value that an atomic update yields
/// depends on the order of threads, and an opaque value is not a real one: no run that rests on
/// either is evidence.
fn basis(program: &Program, approximation: &Approximation, witness: &Witness) -> Option<Basis> {
    let sites = [witness.first.site, witness.second.site];
    let decided_by_data = approximation.barriers.iter().any(|b| !b.control_data.is_empty());
    let independent = sites.iter().all(|site| approximation.is_independent(*site));
    if independent && !decided_by_data && !witness.depends_on_data() {
        return Some(Basis::Independent);
    }
    let mut flows =
        sites.iter().flat_map(|site| approximation.accesses_at(*site)).flat_map(|a| a.flows());
    if flows.all(is_host_data) {
        return Some(Basis::HostData);
    }
    let ordered = !has_opaque_data(program) && !has_atomic(&program.body) && witness.same_block();
    ordered.then_some(Basis::Run)
}

/// The statements at which a run takes some value for what the front end could not express, if that
/// may decide what the program accesses: the kernel may have no such run. Empty otherwise.
#[must_use]
pub fn guesses(program: &Program) -> Vec<Site> {
    if !has_opaque_data(program) {
        return Vec::new();
    }
    let approximation = approximate(program);
    let accesses = approximation.accesses.iter().flat_map(|a| a.flows());
    let barriers = approximation.barriers.iter();
    let barriers = barriers.flat_map(|b| b.control_data.iter().chain(&b.phase_data));
    if accesses.chain(barriers).all(is_host_data) {
        return Vec::new();
    }
    let is_opaque = |name: &Name| {
        let unknown = |array: &ArrayDecl| array.contents == Contents::Opaque;
        program.array(name).is_some_and(unknown) || program.sources.open.contains(name)
    };
    let guessed = program.body.subterms().filter_map(|statement| match statement {
        Stmt::Read { site, array, .. } if is_opaque(array) => Some(*site),
        Stmt::Atomic { site, update, .. } if update.op == AtomicOp::Opaque => Some(*site),
        _ => None,
    });
    guessed.collect::<BTreeSet<Site>>().into_iter().collect()
}

/// Is the value one that the host stored in an array that nobody writes, at an index likewise?
fn is_host_data(flow: &DataFlow) -> bool {
    !flow.atomic
        && matches!(flow.source, DataSource::HostChosen | DataSource::Declared)
        && flow.index.as_deref().is_none_or(is_host_data)
}

/// How sure a race is, its run, and where the run stopped when that is why it has no race.
pub(super) struct Judged {
    pub certainty: Certainty,
    pub replay: Option<Replay>,
    /// The phase in which its run has it, where both threads are of one block.
    pub phase: Option<usize>,
    pub stopped: Option<Stuck>,
    /// The cell of the race that was found instead.
    pub cell: Option<Cell>,
    /// What the host stored, where an interleaving was found that has the race.
    pub host: Option<HostMemory>,
    /// Does it rest on what atomic updates yield, and was no order found that has it?
    pub unordered: bool,
}

impl Judged {
    fn potential(stopped: Option<Stuck>) -> Judged {
        let (certainty, unordered) = (Certainty::Potential, false);
        let (replay, phase, cell, host) = Default::default();
        Judged { certainty, replay, phase, stopped, cell, host, unordered }
    }

    fn provable() -> Judged {
        Judged { certainty: Certainty::Provable, ..Judged::potential(None) }
    }

    /// Provable by an interleaving, if one of those tried has the race.
    fn ordered(program: &Program, witness: &Witness, options: &CheckOptions) -> Option<Judged> {
        let (cell, phase, host) = order::find(program, witness, options)?;
        Some(Judged { phase, cell: Some(cell), host: Some(host), ..Judged::provable() })
    }

    /// The report of the witness in a program: it may not have known its phase. What its threads read is said
    /// where the evidence tells it.
    pub(super) fn report(self, program: &Program, mut witness: Witness) -> Report<Witness> {
        if let Some(phase) = self.phase {
            witness.first.phase = Some(phase);
            witness.second.phase = Some(phase);
        }
        if let Some(cell) = self.cell.filter(|cell| *cell != witness.cell) {
            // What led to another cell is not known.
            witness.cell = cell;
            witness.first.iteration.clear();
            witness.second.iteration.clear();
        }
        let (phase, written) = (witness.phase(), program.body.written());
        let sides = [&mut witness.first, &mut witness.second];
        if let Some(host) = self.host {
            witness.confirmation = Confirmation::Interleaving;
            // What the interleaving gave to a thread is that for certain which nobody changes.
            let value =
                |cell: &Cell| host.get(cell).filter(|_| !written.contains(&cell.array)).cloned();
            for side in sides {
                side.data.retain(|choice| choice.cell.is_some());
                tell(&mut side.data, value);
            }
            witness.configuration.host = host;
        } else if let Some(replay) = &self.replay
            && replay.contents.len() < MAX_CONTENTS
        {
            let value = |cell: &Cell| match phase {
                _ if !written.contains(&cell.array) => replay.history.host().get(cell).cloned(),
                Some(phase) => read_in(replay, phase, cell),
                None => None,
            };
            sides.into_iter().for_each(|side| tell(&mut side.data, value));
        }
        Report { witness, certainty: self.certainty, replay: self.replay }
    }
}

/// Keeps what was read in the cells of which that is known, with the value.
fn tell(data: &mut Vec<Choice>, value: impl Fn(&Cell) -> Option<Natural>) {
    data.retain_mut(|choice| match choice.cell.as_ref().map(&value) {
        Some(Some(known)) => {
            choice.value = known;
            true
        }
        Some(None) => false,
        None => true,
    });
}

/// What a thread read in a cell in a phase of a run; `None`: somebody wrote there in that phase, or the order of
/// updates decided it.
fn read_in(replay: &Replay, phase: usize, cell: &Cell) -> Option<Natural> {
    let mut held = replay.history.host().get(cell).cloned();
    for (number, accesses) in replay.history.chronological().take(phase + 1) {
        for (_, accesses) in accesses.threads() {
            let stored = accesses.writes.get(cell);
            if number == phase && stored.is_some() || accesses.atomics.contains_key(cell) {
                return None;
            }
            held = stored.cloned().or(held);
        }
    }
    held
}

/// The runs that have the race of a witness that a run shows, with how to make them.
pub(super) fn runs(
    program: &Program,
    witness: &Witness,
    options: &CheckOptions,
) -> Option<Vec<(Instance, babycuda_semantics::RunOptions)>> {
    let basis = basis(program, &approximate(program), witness)?;
    let host = host_memory(program, &witness.configuration, choices(witness))?;
    let made = &Made::default();
    let scene = Scene { program, witness, basis, options, made };
    let run = |block| (scene.instance(block, host.clone()), scene.settings(options.replay_steps));
    Some(scene.blocks().into_iter().map(run).collect())
}

/// Judges the race of `witness`. Blocks that run together are run as one. `made` are the runs of other
/// witnesses.
pub(super) fn judge(
    program: &Program,
    approximation: &Approximation,
    witness: &Witness,
    options: &CheckOptions,
    made: &Made,
) -> Judged {
    let blocks = Together::of(program, &program.body, witness.configuration.launch);
    let Some(blocks) = blocks else {
        return judge_in_block(program, approximation, witness, options, made);
    };
    let (program, witness) = (blocks.program(program), blocks.witness(witness));
    let judged = judge_in_block(&program, approximation, &witness, options, made);
    let cell = judged.cell.map(|cell| blocks.own(&cell));
    Judged { phase: None, cell, ..judged }
}

fn judge_in_block(
    program: &Program,
    approximation: &Approximation,
    witness: &Witness,
    options: &CheckOptions,
    made: &Made,
) -> Judged {
    let Some(basis) = basis(program, approximation, witness) else {
        let none = Judged::potential(None);
        return match options.budget.within(|| Judged::ordered(program, witness, options)) {
            Ok(Some(judged)) => judged,
            Ok(None) => Judged { unordered: order::rests_on(approximation, witness), ..none },
            Err(_) => none,
        };
    };
    let judged = || judge_by_runs(program, approximation, basis, witness, options, made);
    options.budget.within(judged).unwrap_or_else(|_| {
        // Theorem 1 needs no run.
        let exists = witness.confirmation != Confirmation::Alone && !may_be_stuck(program);
        let proved = basis == Basis::Independent && exists;
        if proved { Judged::provable() } else { Judged::potential(None) }
    })
}

fn judge_by_runs(
    program: &Program,
    approximation: &Approximation,
    basis: Basis,
    witness: &Witness,
    options: &CheckOptions,
    made: &Made,
) -> Judged {
    let host = host_memory(program, &witness.configuration, choices(witness));
    let met = |host: &HostMemory| program.unmet_in(&witness.configuration, host).is_none();
    let Some(host) = host.filter(met) else { return Judged::potential(None) };
    let scene = Scene { program, witness, basis, options, made };
    let blocks = scene.blocks();
    let runs = scene.runs(&blocks, &host);
    let found = scene.found_in(&runs);
    if found.is_some() && !scene.is_possible(&blocks, &host) {
        // The run takes values for its updates that no order of them yields.
        let exists = basis == Basis::Independent
            && witness.confirmation != Confirmation::Alone
            && !may_be_stuck(program);
        let ordered = Judged::ordered(program, witness, options);
        let proved = || if exists { Judged::provable() } else { Judged::potential(None) };
        return ordered.unwrap_or_else(proved);
    }
    if let Some(phase) = found {
        // The race has to be there too when threads stop at overflows of data.
        let stopping = program.stopping();
        let stopping = stopping.as_ref().map(|program| Scene { program, ..scene });
        if let Some(scene) = stopping {
            let runs = scene.runs(&blocks, &host);
            if scene.found_in(&runs).is_none() {
                return Judged::potential(runs.into_iter().find_map(|run| run.stuck));
            }
        }
        let cost = runs.iter().map(|run| run.accesses).sum();
        let (host, runs) = least(program, host, runs, (cost, options.replay_steps), |host| {
            let found = |scene: &Scene<'_>, runs: &[Run]| scene.found_in(runs) == Some(phase);
            let stops = |scene: Scene<'_>| !found(&scene, &scene.runs(&blocks, host));
            let runs = Some(host).filter(|host| met(host)).map(|host| scene.runs(&blocks, host));
            let runs = runs.filter(|runs| found(&scene, runs) && !stopping.is_some_and(stops));
            runs.filter(|_| scene.is_possible(&blocks, host))
        });
        let contents = chosen(program, &host).into_iter().take(MAX_CONTENTS).collect();
        let evaluator = scene.evaluator(&blocks, &runs, &host);
        return match (evaluator, runs.into_iter().next()) {
            (Some(evaluator), Some(run)) => {
                let history = scene.outcome(&run).history().clone();
                let replay = Some(Replay { evaluator, contents, history });
                let certainty = Certainty::Replayed;
                Judged { certainty, replay, phase, ..Judged::potential(None) }
            }
            _ => Judged::potential(None),
        };
    }
    let stuck: Vec<Stuck> = runs.into_iter().filter_map(|run| run.stuck).collect();
    let too_long = stuck.iter().any(|s| matches!(s.reason, Reason::Limit { .. }));
    let undefined = stuck.iter().any(|s| matches!(s.reason, Reason::Undefined { .. }));
    // A stop in the phase of the race: the threads came there, and the run of protocols, which goes
    // on with the other threads, has the race (THEORY §4). It knows of no other stuck thread.
    let stops = program.unwritten();
    let stopped_there = witness.confirmation == Confirmation::Run
        && program.sources.stopping.is_none()
        && !may_read_undefined(program, &stops)
        && stuck.iter().any(|s| {
            matches!(&s.reason, Reason::Undefined { cell } if stops.contains(&cell.array))
                && witness.phase() == Some(s.phase)
        });
    let stopped = stuck.into_iter().next();
    let independent = basis == Basis::Independent;
    // Theorem 1 stands in for a run that is too long to make.
    let too_long =
        too_long && witness.confirmation != Confirmation::Alone && !may_be_stuck(program);
    let stuck_there = || match program.body.scoped_barrier() {
        None => stopped_there || undefined && scene.interleaves(approximation, &blocks, &host),
        Some(_) => undefined && scene.others_go_on(&stops),
    };
    if independent && (too_long || stuck_there()) {
        return Judged::provable();
    }
    // Others may write first what a thread reads there.
    let other = !independent || undefined;
    let ordered = other.then(|| Judged::ordered(program, witness, options)).flatten();
    ordered.unwrap_or_else(|| Judged::potential(stopped))
}

/// What the two threads have to have read.
fn choices(witness: &Witness) -> impl Iterator<Item = &Choice> {
    witness.first.data.iter().chain(&witness.second.data)
}

/// What the host stores so that a witness' reads yield what it says, beside what its configuration
/// says; `None` when the host cannot bring it about.
pub(crate) fn host_memory<'a>(
    program: &Program,
    at: &Configuration,
    choices: impl Iterator<Item = &'a Choice>,
) -> Option<HostMemory> {
    let mut host = HostMemory::declared(program);
    for (array, contents) in at.host.arrays() {
        if program.contents(array) == &Contents::Any {
            host.insert(array.clone(), contents.clone());
        }
    }
    let mut chosen: BTreeMap<Cell, Natural> = BTreeMap::new();
    for choice in choices {
        // A cell that is not known is left to chance: the replay decides.
        let Some(cell) = &choice.cell else { continue };
        let free = program.array(&cell.array).is_some_and(|a| a.contents == Contents::Any);
        if !free {
            continue;
        }
        let before = chosen.insert(cell.clone(), choice.value.clone());
        if before.is_some_and(|value| value != choice.value) {
            return None;
        }
        host.set(cell.clone(), choice.value.clone());
    }
    Some(host)
}

/// Cells of the host that are reported at most.
const MAX_CONTENTS: usize = 1 << 12;

mod order;
mod scene;
#[cfg(test)]
mod tests;
mod waiting;
