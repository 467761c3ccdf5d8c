//! One interleaving, step by step: who steps, what is in memory then, and which races there are.

use crate::Answer;
use crate::ask::Question;
use crate::place::place;
use babycuda::semantics::Instance;
use babycuda::semantics::interleavings::{EndKind, ExplorationLimits, Next, Stand, TooLarge, Walk};
use babycuda_core::history::Race;
use babycuda_core::{Cell, Natural, Site, Span};
use babycuda_files::problem::Problem;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Threads of which a page shows what each does next, at most.
const THREADS: u64 = 128;
/// Steps that a schedule may have.
const STEPS: usize = 5_000;
/// Schedules that are drawn, where a race is looked for.
const DRAWN: u64 = 64;

const LIMITS: ExplorationLimits = ExplorationLimits { executions: 1, steps: 2_000_000 };

/// How a schedule goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The thread with the smallest number, as far as it can step.
    First,
    /// That with the largest.
    Last,
    /// One step each.
    Turns,
    /// One that is drawn.
    Drawn(u64),
}

impl Order {
    /// Which of the threads that can step does so, after `last`.
    fn choose(&mut self, can_step: &[usize], last: Option<usize>) -> Option<usize> {
        match self {
            Order::First => can_step.first().copied(),
            Order::Last => can_step.last().copied(),
            Order::Turns => {
                let next = can_step.iter().find(|i| last.is_none_or(|last| **i > last));
                next.or(can_step.first()).copied()
            }
            Order::Drawn(state) => {
                // xorshift64 (Marsaglia 2003)
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                let many = u64::try_from(can_step.len()).ok().filter(|many| *many > 0)?;
                can_step.get(usize::try_from(*state % many).ok()?).copied()
            }
        }
    }
}

fn failed(error: &TooLarge) -> Problem {
    Problem::new(error.to_string())
}

fn can_step(walk: &Walk<'_>) -> Vec<usize> {
    let all = walk.threads().enumerate();
    all.filter(|(_, stand)| stand.can_step).map(|(i, _)| i).collect()
}

/// The interleaving with the schedule of the question, which goes on as `extend` says: `first`, `last`, `turns` and
/// `drawn` up to its end, `race` up to a race.
pub(crate) fn walk(question: &Question, instance: &Instance) -> Result<Answer, Problem> {
    let threads = instance.configuration.launch.block.count();
    if threads > THREADS {
        let message = format!("{threads} threads: interleavings are shown of at most {THREADS}");
        return Err(Problem::new(message).help("give a smaller block"));
    }
    let drawn = |k: u64| Order::Drawn((question.seed ^ k).wrapping_mul(2).wrapping_add(1));
    let given = &question.schedule;
    let schedule = match question.extend.as_str() {
        "" => given.clone(),
        "first" => extended(instance, given, Order::First, false)?.0,
        "last" => extended(instance, given, Order::Last, false)?.0,
        "turns" => extended(instance, given, Order::Turns, false)?.0,
        "drawn" => extended(instance, given, drawn(0x9e37_79b9_7f4a_7c15), false)?.0,
        "race" => race(instance, given, drawn)?,
        other => return Err(Problem::new(format!("no schedule is named `{other}`"))),
    };
    shown(question, instance, &schedule)
}

/// The schedule up to the first race that one of several schedules finds; as it is, where none does.
fn race(
    instance: &Instance,
    given: &[usize],
    drawn: impl Fn(u64) -> Order,
) -> Result<Vec<usize>, Problem> {
    let orders = [Order::Turns, Order::First, Order::Last].into_iter().chain((1..DRAWN).map(drawn));
    for order in orders {
        if let (schedule, true) = extended(instance, given, order, true)? {
            return Ok(schedule);
        }
    }
    Ok(given.to_vec())
}

/// The schedule as it goes on, to its end or to a new race; whether it has one.
fn extended(
    instance: &Instance,
    given: &[usize],
    mut order: Order,
    to_a_race: bool,
) -> Result<(Vec<usize>, bool), Problem> {
    let mut walk = Walk::of(instance, &LIMITS).map_err(|e| failed(&e))?;
    let mut schedule = Vec::new();
    for i in given {
        if walk.step(*i).map_err(|e| failed(&e))? {
            schedule.push(*i);
        }
    }
    let before = walk.races().len();
    while schedule.len() < STEPS {
        let Some(i) = order.choose(&can_step(&walk), schedule.last().copied()) else { break };
        walk.step(i).map_err(|e| failed(&e))?;
        schedule.push(i);
        if to_a_race && walk.races().len() > before {
            return Ok((schedule, true));
        }
    }
    Ok((schedule, false))
}

/// What a page shows of a schedule.
fn shown(question: &Question, instance: &Instance, given: &[usize]) -> Result<Answer, Problem> {
    let program = &instance.program;
    let at = |site: Option<Site>| -> Option<Span> { program.sources.spans.get(&site?).copied() };
    let value = |cell: &Cell, value: &Natural| -> String {
        program.read_content(&cell.array, value).to_string()
    };
    let mut walk = Walk::of(instance, &LIMITS).map_err(|e| failed(&e))?;
    let (mut steps, mut schedule, mut races) = (Vec::new(), Vec::new(), BTreeSet::<Race>::new());
    for i in given.iter().copied().take(STEPS) {
        let phase = walk.intervals().len() - 1;
        let Some((does, span, cell)) = walk.threads().nth(i).map(|stand| {
            let cell = stand.next.access().map(|(_, cell)| cell.clone());
            (does(&stand, &walk, &value), at(stand.site), cell)
        }) else {
            break;
        };
        if !walk.step(i).map_err(|e| failed(&e))? {
            break;
        }
        let now = walk.races();
        let new: Vec<String> = now.difference(&races).map(said).collect();
        races = now;
        schedule.push(i);
        steps.push(json!({
            "thread": i, "does": does, "place": place(&question.text, span), "phase": phase,
            "cell": cell.map(|cell| cell.to_string()), "races": new,
            "barrier": walk.intervals().len() - 1 > phase,
        }));
    }
    let threads: Vec<Value> = walk
        .threads()
        .map(|stand| {
            json!({
                "does": does(&stand, &walk, &value), "can_step": stand.can_step,
                "place": place(&question.text, at(stand.site)),
                "over": *stand.next == Next::End,
            })
        })
        .collect();
    let touched = walk.intervals().iter().flatten().map(|access| &access.cell);
    let about = walk.threads().filter_map(|stand| stand.next.access().map(|(_, cell)| cell));
    let cells: BTreeSet<&Cell> = touched.chain(about).collect();
    let racy: BTreeSet<&Cell> = races.iter().map(|race| &race.cell).collect();
    let memory: Vec<Value> = cells
        .into_iter()
        .map(|cell| {
            let held = walk.value(cell).map(|k| value(cell, k));
            json!({ "cell": cell.to_string(), "value": held, "racy": racy.contains(cell) })
        })
        .collect();
    let launch = instance.configuration.launch;
    Ok(json!({
        "launch": format!("block {}, grid {}", launch.block, launch.grid),
        "schedule": schedule, "steps": steps, "threads": threads, "memory": memory,
        "phase": walk.intervals().len() - 1,
        "races": races.iter().map(said).collect::<Vec<_>>(),
        "end": walk.end().map(|end| ended(&end)),
    }))
}

fn said(race: &Race) -> String {
    race.to_string()
}

/// What a thread does next, in words.
fn does(stand: &Stand<'_>, walk: &Walk<'_>, value: &dyn Fn(&Cell, &Natural) -> String) -> String {
    let held = |cell: &Cell| walk.value(cell).map_or("⊥".to_owned(), |k| value(cell, k));
    match stand.next {
        Next::Write(cell, k) => format!("{cell} := {}", value(cell, k)),
        Next::Read(cell, x, _) => format!("{x} = {cell}, which holds {}", held(cell)),
        Next::Atomic(cell, _, update, x, _) => {
            let operand = value(cell, &update.operand);
            format!("{x} = atomic {cell} {} {operand}, which holds {}", update.op, held(cell))
        }
        Next::Barrier(_, scope) => match scope.to_string().as_str() {
            "block" => "waits at sync".to_owned(),
            scope => format!("waits at sync.{scope}"),
        },
        Next::End => "ended".to_owned(),
    }
}

fn ended(end: &EndKind) -> String {
    match end {
        EndKind::Done => "all threads ended".to_owned(),
        EndKind::Diverged => {
            "the threads diverge: they ended or wait, and not all at one barrier".to_owned()
        }
        EndKind::Stuck(threads) => {
            let threads: Vec<String> = threads.iter().map(u64::to_string).collect();
            format!("stuck: thread {} is about to read what holds ⊥", threads.join(", "))
        }
    }
}
