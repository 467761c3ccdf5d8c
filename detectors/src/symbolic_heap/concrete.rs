//! The concrete semantics (§4), explored exhaustively: every schedule of the threads of a small launch.
//!
//! A thread that waits remembers the shared state in which it began to (`τ ⊡ σ`). The printed race rule looks
//! at these; the text of §4 says something else, and [`RaceRule`] has both. The end of the kernel is a barrier.
//! Private commands of different threads commute, so schedules differ in their accesses only.

use super::language::{Array, Command, Program};
use crate::detector::Refusal;
use babycuda_kernel::At;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// When all threads wait: what is a race?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RaceRule {
    /// The printed rule: a thread waits in another shared state than that of the last one to arrive. It calls
    /// `A[tid] := tid` racy, since one thread waits and another then writes.
    Printed,
    /// The text below Def. 1: some schedules up to the barrier leave different shared states.
    Deterministic,
}

/// What the schedules of a kernel do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Behaviour {
    /// All end, and none of the rest happens.
    Ends,
    /// A race (`⊥`): a cell that tells the shared states at a barrier apart.
    Race {
        /// The array, by its number.
        array: Array,
        /// The index.
        index: i128,
        /// How many barriers came before.
        phase: usize,
    },
    /// An error (`⊥`): an index outside of its array, or an assertion that fails.
    Error(At),
    /// Threads wait at different barriers.
    Diverges,
}

type Memory = BTreeMap<(Array, i128), i128>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    /// The node to be executed.
    node: usize,
    locals: Vec<i128>,
    /// The shared state in which it began to wait.
    waits: Option<Memory>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    threads: Vec<Thread>,
    memory: Memory,
}

/// What a kernel does, in every schedule.
///
/// # Errors
/// [`Refusal::Limit`]: there are more than so many states.
pub fn explore(program: &Program, rule: RaceRule, limit: usize) -> Result<Behaviour, Refusal> {
    let thread = Thread { node: 0, locals: program.values.clone(), waits: None };
    let threads = vec![thread; program.threads as usize];
    let mut starts = vec![State { threads, memory: Memory::new() }];
    let mut states = 0;
    for phase in 0.. {
        let found = match to_barrier(program, starts, &mut states, limit)? {
            Ok(finals) => finals,
            Err(at) => return Ok(Behaviour::Error(at)),
        };
        let differs = |one: &Memory, other: &Memory| {
            let cells: BTreeSet<_> = one.keys().chain(other.keys()).copied().collect();
            let held = |m: &Memory, (array, index): (Array, i128)| {
                m.get(&(array, index)).copied().unwrap_or(program.arrays[array].first(index))
            };
            cells.into_iter().find(|cell| held(one, *cell) != held(other, *cell))
        };
        for state in &found {
            let other = |memory| differs(memory, &state.memory);
            let cell = match rule {
                RaceRule::Printed => {
                    state.threads.iter().filter_map(|t| t.waits.as_ref()).find_map(other)
                }
                RaceRule::Deterministic => other(&found[0].memory),
            };
            if let Some((array, index)) = cell {
                return Ok(Behaviour::Race { array, index, phase });
            }
        }
        for state in &found {
            if state.threads.iter().any(|t| t.node != state.threads[0].node) {
                return Ok(Behaviour::Diverges);
            }
        }
        starts = Vec::new();
        for mut state in found {
            if state.threads.iter().any(|t| program.nodes[t.node].next.is_empty()) {
                continue;
            }
            for thread in &mut state.threads {
                (thread.node, thread.waits) = (program.nodes[thread.node].next[0], None);
            }
            starts.push(state);
        }
        if starts.is_empty() {
            break;
        }
    }
    Ok(Behaviour::Ends)
}

/// The states in which all threads wait, or where one has an error.
fn to_barrier(
    program: &Program,
    starts: Vec<State>,
    states: &mut usize,
    limit: usize,
) -> Result<Result<Vec<State>, At>, Refusal> {
    let (mut seen, mut pending, mut finals) = (HashSet::new(), starts, Vec::new());
    while let Some(state) = pending.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        *states += 1;
        if *states > limit {
            return Err(Refusal::Limit("number of states"));
        }
        let runs = |t: &Thread| t.waits.is_none();
        let shared = |t: &Thread| {
            let command = &program.nodes[t.node].command;
            matches!(command, Command::Load(..) | Command::Store(..)) || program.waits(t.node)
        };
        let private = state.threads.iter().position(|t| runs(t) && !shared(t));
        let chosen: Vec<usize> = match private {
            Some(thread) => vec![thread],
            None => (0..state.threads.len()).filter(|i| runs(&state.threads[*i])).collect(),
        };
        if chosen.is_empty() {
            finals.push(state);
            continue;
        }
        for i in chosen {
            match local_step(program, &state, i) {
                Ok(next) => pending.extend(next),
                Err(at) => return Ok(Err(at)),
            }
        }
    }
    Ok(Ok(finals))
}

/// The thread-local semantics `⇝ₜ`: what a thread may do next. None: `⊤`; an error: `⊥`.
fn local_step(program: &Program, state: &State, i: usize) -> Result<Vec<State>, At> {
    let thread = &state.threads[i];
    let node = &program.nodes[thread.node];
    let mut after = state.clone();
    if program.waits(thread.node) {
        after.threads[i].waits = Some(state.memory.clone());
        return Ok(vec![after]);
    }
    let value = |e: &super::language::Exp| e.value(i as u32, &thread.locals);
    let cell = |array: Array, index: i128| {
        if program.arrays[array].admits(index) { Ok((array, index)) } else { Err(node.at) }
    };
    match &node.command {
        Command::Skip | Command::Barrier => {}
        Command::Assign(v, e) => after.threads[i].locals[*v] = value(e),
        Command::Store(array, index, e) => {
            let cell = cell(*array, value(index))?;
            let t = program.arrays[*array].element;
            after.memory.insert(cell, t.read(t.write(value(e))));
        }
        Command::Load(v, array, index) => {
            let cell = cell(*array, value(index))?;
            let first = || program.arrays[*array].first(cell.1);
            after.threads[i].locals[*v] = state.memory.get(&cell).copied().unwrap_or_else(first);
        }
        Command::Assume(b) if value(b) == 0 => return Ok(Vec::new()),
        Command::Assert(b) if value(b) == 0 => return Err(node.at),
        Command::Assume(_) | Command::Assert(_) => {}
    }
    let next = node.next.iter().map(|next| {
        let mut state = after.clone();
        state.threads[i].node = *next;
        state
    });
    Ok(next.collect())
}
