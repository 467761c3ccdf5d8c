//! The runs of a translated kernel, held against the runs of the compiled one.

use crate::case::{Array, Case, Setting, View};
use crate::log::{Cell, Deed, End, Mode, Phase, Race, Run, Update, races};
use crate::possible;
use babycuda_core::history::AccessMode;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, Contents, Scope};
use babycuda_core::{Accesses, History, Natural, Program, Site, Thread};
use babycuda_frontend::{Translation, parse_cuda};
use babycuda_semantics::grid::{cross_block_races, run_by};
use babycuda_semantics::{Instance, Outcome, Reason, RunLimits, RunOptions, vm};
use std::collections::BTreeSet;

/// What a comparison came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Equal in everything.
    Equal,
    /// The translation leaves something open, and allows what happened.
    Possible,
    /// Not translated: why.
    Unsupported(String),
    /// The compiled kernel did not end, or the virtual machine gave up.
    Limit,
    /// Not equal: the first difference.
    Different(String),
}

/// The translation of the case's kernel, for a view.
pub fn translate(case: &Case, view: View, setting: &Setting) -> Result<Program, Verdict> {
    let text = case.cuda();
    let kernels = parse_cuda(&text, &case.options(view, setting))
        .map_err(|e| Verdict::Different(format!("not read: {e}")))?;
    match &kernels[..] {
        [kernel] => match &kernel.translation {
            Translation::Program(program) => Ok(program.clone()),
            Translation::Unsupported(why) => Err(Verdict::Unsupported(why.construct.clone())),
        },
        other => Err(Verdict::Different(format!("{} kernels", other.len()))),
    }
}

/// The instance of a translation in a setting.
fn instance(case: &Case, program: &Program, setting: &Setting) -> Instance {
    let mut instance = Instance::new(program.clone(), setting.launch());
    for param in &program.params {
        let given = case.params.iter().position(|p| *p == param.name.as_str());
        if let (Some(i), babycuda_core::syntax::Domain::Machine(t)) = (given, param.domain) {
            let value = Natural::from(t.write(setting.params[i]));
            instance.configuration.parameters.insert(param.name.clone(), value);
        }
    }
    instance.with_host(case.host(program))
}

/// The most rounds of a loop that the threads of a block leave together, of which the translation leaves open how many.
const MAX_ROUNDS: u64 = 8;

/// Compares the kernel's runs in a setting, one per block, with a translation of it: for some number of rounds, where it
/// leaves that open.
pub fn compare(case: &Case, program: &Program, setting: &Setting, runs: &[Run]) -> Verdict {
    if program.sources.open.is_empty() {
        return compare_known(case, program, setting, runs);
    }
    let rounds = (0..=MAX_ROUNDS).map(|rounds| {
        let open = program.sources.open.iter().map(|name| Array {
            name: name.to_string(),
            bits: 64,
            global: true,
            constant: true,
            values: Vec::new(),
            fill: rounds,
        });
        let arrays = case.arrays.iter().cloned().chain(open).collect();
        compare_known(&Case { arrays, ..case.clone() }, program, setting, runs)
    });
    let mut fitting = rounds.filter(|verdict| !matches!(verdict, Verdict::Different(_)));
    let several = "loops of several numbers of rounds".to_owned();
    fitting.next().unwrap_or(Verdict::Unsupported(several))
}

fn compare_known(case: &Case, program: &Program, setting: &Setting, runs: &[Run]) -> Verdict {
    if runs.iter().any(|run| run.end == End::Fuel) {
        return Verdict::Limit;
    }
    let instance = instance(case, program, setting);
    if program.arrays.iter().any(|a| a.contents == Contents::Opaque) {
        return possible::compare(case, &instance, runs, None);
    }
    let limits = RunLimits { steps: 2_000_000, ..RunLimits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let outcomes = match run_by(&instance, &options, |block| vm::run(block, &options)) {
        Ok(outcomes) => outcomes,
        Err(stuck) => return Verdict::Different(stuck.to_string()),
    };
    let stops = stops(program, &outcomes);
    let stopped = stops.iter().any(Option::is_some);
    if stopped || runs.iter().any(|run| run.end == End::Overflow) {
        return possible::compare(case, &instance, runs, Some(&stops));
    }
    for (block, (outcome, run)) in outcomes.iter().zip(runs).enumerate() {
        if let Some(difference) = block_difference(case, program, outcome, run) {
            return match difference {
                Verdict::Different(text) => Verdict::Different(format!("block {block}, {text}")),
                other => other,
            };
        }
    }
    if runs.iter().any(|run| run.end == End::Ambiguous) {
        return Verdict::Equal;
    }
    let histories: Vec<&History> = outcomes.iter().map(Outcome::history).collect();
    let global = |name: &str| case.arrays.iter().any(|a| a.name == name && a.global);
    match first_difference(&races(runs, global), &their_races(program, &histories)) {
        Some(text) => Verdict::Different(format!("races: {text}")),
        None => Verdict::Equal,
    }
}

/// The thread of each block that meets a stop, and its phase.
fn stops(program: &Program, outcomes: &[Outcome]) -> Vec<Option<(usize, u64)>> {
    let unwritten = program.unwritten();
    let stop = |outcome: &Outcome| {
        let stuck = outcome.stuck()?;
        match &stuck.reason {
            Reason::Undefined { cell } if unwritten.contains(&cell.array) => {
                Some((stuck.phase, stuck.thread))
            }
            _ => None,
        }
    };
    outcomes.iter().map(stop).collect()
}

/// The first difference between the runs of a block; `None` when there is none.
fn block_difference(
    case: &Case,
    program: &Program,
    outcome: &Outcome,
    run: &Run,
) -> Option<Verdict> {
    let history = outcome.history();
    if let Outcome::Stuck { stuck, .. } = outcome {
        match stuck.reason {
            Reason::Limit { .. } => return Some(Verdict::Limit),
            Reason::Ambiguous { .. } if run.end == End::Ambiguous => {}
            _ => return Some(Verdict::Different(format!("stuck: {stuck}"))),
        }
    }
    for ((number, theirs), ours) in history.chronological().zip(&run.phases) {
        let kept = |name: &babycuda_core::Name| {
            !case.is_constant(name.as_str())
                && !matches!(program.array(name).map(|a| &a.contents), Some(Contents::Values(_)))
        };
        let theirs: Phase = theirs.threads().map(|(thread, a)| (thread, deeds(a, &kept))).collect();
        if let Some(text) = phase_difference(ours, &theirs) {
            return Some(Verdict::Different(format!("phase {number}, {text}")));
        }
    }
    let different = |text: String| Some(Verdict::Different(text));
    if run.end == End::Ambiguous {
        // Values of an ambiguous cell have no meaning; what came before was compared.
        let missing = history.len() < run.phases.len();
        return if missing { different("phases are missing".into()) } else { None };
    }
    if history.len() != run.phases.len() {
        return different(format!("{} phases, not {}", history.len(), run.phases.len()));
    }
    let end = match outcome {
        Outcome::Done { .. } => End::Done,
        Outcome::Diverged { divergence, .. } => End::Diverged {
            line: line(program, divergence.first.1),
            other: divergence.second.0,
            other_line: line(program, divergence.second.1),
        },
        Outcome::Stuck { .. } => return different("stuck".into()),
    };
    (end != run.end).then(|| Verdict::Different(format!("it ends {end:?}, not {:?}", run.end)))
}

/// The line of a barrier; 0 for the end.
pub fn line(program: &Program, site: Option<Site>) -> u32 {
    site.map_or(0, |s| program.sources.spans.get(&s).map_or(u32::MAX, |span| span.line))
}

/// The accesses of a thread in a phase.
fn deeds(
    accesses: &Accesses,
    kept: &dyn Fn(&babycuda_core::Name) -> bool,
) -> std::collections::BTreeMap<Cell, Deed> {
    let mut out = std::collections::BTreeMap::<Cell, Deed>::new();
    let mut at = |cell: &babycuda_core::Cell, change: &dyn Fn(&mut Deed)| {
        if !kept(&cell.array) {
            return;
        }
        // An index of more than 64 bits is no cell of the compiled kernel.
        let index = cell.index.to_u64();
        let name = match index {
            Some(_) => cell.array.to_string(),
            None => format!("{} beyond 64 bits", cell.array),
        };
        change(out.entry((name, index.unwrap_or(0))).or_default());
    };
    for cell in accesses.reads.iter() {
        at(cell, &|deed| deed.read = true);
    }
    for (cell, value) in accesses.writes.iter() {
        at(cell, &|deed| deed.written = Some(value.to_u64().unwrap_or(u64::MAX)));
    }
    for (cell, log) in accesses.atomics.iter() {
        at(cell, &|deed| {
            deed.atomic |= log.scopes.iter().any(|s| *s != Scope::Block);
            deed.atomic_block |= log.scopes.contains(&Scope::Block);
            deed.updates = log.updates.iter().map(update).collect();
        });
    }
    out
}

pub fn update(update: &AtomicUpdate<Natural>) -> Update {
    let number = |n: &Natural| n.to_u64().unwrap_or(u64::MAX);
    let op = symbol(update.op);
    (op, number(&update.operand), update.expected.as_ref().map_or(0, number))
}

/// The operator as the run-time system prints it.
pub fn symbol(op: AtomicOp) -> char {
    match op {
        AtomicOp::Add(_) => '+',
        AtomicOp::Sub(_) => '-',
        AtomicOp::Min(_) => '<',
        AtomicOp::Max(_) => '>',
        AtomicOp::And(_) => '&',
        AtomicOp::Or(_) => '|',
        AtomicOp::Xor(_) => '^',
        AtomicOp::Exch => '=',
        AtomicOp::Inc => 'i',
        AtomicOp::Dec => 'd',
        AtomicOp::Cas => '?',
        AtomicOp::Opaque => '.',
    }
}

fn phase_difference(ours: &Phase, theirs: &Phase) -> Option<String> {
    let threads: BTreeSet<u64> = ours.keys().chain(theirs.keys()).copied().collect();
    for thread in threads {
        let (a, b) = (ours.get(&thread), theirs.get(&thread));
        let cells = a.iter().chain(&b).flat_map(|deeds| deeds.keys());
        for cell in cells.collect::<BTreeSet<_>>() {
            let deed = |deeds: Option<&std::collections::BTreeMap<Cell, Deed>>| {
                deeds.and_then(|d| d.get(cell)).cloned().unwrap_or_default()
            };
            let (a, b) = (deed(a), deed(b));
            if a != b {
                let (array, index) = cell;
                let index = *index as i64;
                return Some(format!(
                    "thread {thread}, {array}[{index}]:\n  compiled:   {a:?}\n  translated: {b:?}"
                ));
            }
        }
    }
    None
}

/// The races as babycuda finds them.
fn their_races(program: &Program, histories: &[&History]) -> BTreeSet<Race> {
    let mode = |mode| match mode {
        AccessMode::Rd => Mode::Read,
        AccessMode::Wr => Mode::Write,
        AccessMode::At(Scope::Block) => Mode::AtomicBlock,
        AccessMode::At(_) => Mode::Atomic,
    };
    let name = |cell: &babycuda_core::Cell| {
        (cell.array.to_string(), cell.index.to_u64().unwrap_or(u64::MAX))
    };
    let within = (0u64..).zip(histories).flat_map(|(block, history)| {
        history.races().map(move |r| {
            let side = |(thread, m)| (block, thread, mode(m));
            (Some((block, r.phase)), name(&r.cell), side(r.first), side(r.second))
        })
    });
    let across = cross_block_races(program, histories.iter().copied()).map(|r| {
        let side = |(thread, m): (Thread, AccessMode)| (thread.block, thread.index, mode(m));
        (None, name(&r.cell), side(r.first), side(r.second))
    });
    within.chain(across).collect()
}

fn first_difference(ours: &BTreeSet<Race>, theirs: &BTreeSet<Race>) -> Option<String> {
    let missing = ours.difference(theirs).next().map(|r| format!("missing {r:?}"));
    missing.or_else(|| theirs.difference(ours).next().map(|r| format!("invented {r:?}")))
}
