//! Kernels and their transitions (LGAGJL12 Fig. 2, Fig. 3), with the log of §3.4.

use babycuda_core::expr::Relation;
use std::collections::{BTreeMap, BTreeSet};

/// An expression: a local variable, a constant, or an operator.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Operand {
    /// A local variable; one that was never assigned to is 0.
    Local(&'static str),
    /// A number.
    Number(u64),
    /// `l + r`
    Sum(Box<[Operand; 2]>),
    /// `l - r`, or 0
    Difference(Box<[Operand; 2]>),
    /// `l relation r`, 1 or 0
    Compare(Relation, Box<[Operand; 2]>),
}

impl Operand {
    /// `l relation r`
    pub fn compare(self, relation: Relation, right: impl Into<Operand>) -> Operand {
        Operand::Compare(relation, Box::new([self, right.into()]))
    }

    /// The value, with these locals.
    pub fn value(&self, locals: &BTreeMap<&'static str, u64>) -> u64 {
        let both = |both: &[Operand; 2]| both.each_ref().map(|operand| operand.value(locals));
        match self {
            Operand::Local(x) => locals.get(x).copied().unwrap_or(0),
            Operand::Number(n) => *n,
            Operand::Sum(operands) => {
                let [l, r] = both(operands);
                l.wrapping_add(r)
            }
            Operand::Difference(operands) => {
                let [l, r] = both(operands);
                l.saturating_sub(r)
            }
            Operand::Compare(relation, operands) => {
                let [l, r] = both(operands);
                u64::from(match relation {
                    Relation::Eq => l == r,
                    Relation::Ne => l != r,
                    Relation::Lt => l < r,
                    Relation::Le => l <= r,
                    Relation::Gt => l > r,
                    Relation::Ge => l >= r,
                })
            }
        }
    }

    /// The local variables that are read.
    pub fn locals(&self) -> BTreeSet<&'static str> {
        match self {
            Operand::Local(x) => BTreeSet::from([*x]),
            Operand::Number(_) => BTreeSet::new(),
            Operand::Sum(both) | Operand::Difference(both) | Operand::Compare(_, both) => {
                both.iter().flat_map(Operand::locals).collect()
            }
        }
    }
}

impl From<&'static str> for Operand {
    fn from(x: &'static str) -> Operand {
        Operand::Local(x)
    }
}

impl From<u64> for Operand {
    fn from(n: u64) -> Operand {
        Operand::Number(n)
    }
}

/// A command. A sequence of them is one transition (rule T-Seq): all or nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `assume(e)`
    Assume(Operand),
    /// `x = e`
    Assign(&'static str, Operand),
    /// `x = g[e]`; the last says whether the access is logged (§3.4 logs those of the kernel alone).
    Read(&'static str, &'static str, Operand, bool),
    /// `g[e] = e'`
    Write(&'static str, Operand, Operand, bool),
}

/// An edge of the control flow map: from, to, and the commands in sequence.
pub type Edge = (usize, usize, Vec<Command>);

/// A kernel: how many threads, the first of their numbers, and the edges. Threads begin at location 0, and are
/// at their end where there is no edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// How many threads.
    pub threads: u64,
    /// The number of the first (§3.4 needs 1).
    pub first: u64,
    /// The control flow map.
    pub edges: Vec<Edge>,
}

/// An entry of the log: timestamp, is it a write, array, index.
pub type Logged = (u64, bool, &'static str, u64);

/// A state σ: the locations and locals of the threads, and what arrays hold (0 at first). The log is one of the
/// variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    /// Where each thread is.
    pub at: Vec<usize>,
    /// Its locals.
    pub locals: Vec<BTreeMap<&'static str, u64>>,
    /// The arrays.
    pub arrays: BTreeMap<&'static str, BTreeMap<u64, u64>>,
    /// The log of each thread.
    pub log: Vec<BTreeSet<Logged>>,
}

impl Kernel {
    /// The initial state in which inputs have these values: an array's name with an index, or a local's name.
    pub fn initial(&self, inputs: &BTreeMap<(&'static str, Option<u64>), u64>) -> State {
        let mut arrays: BTreeMap<&'static str, BTreeMap<u64, u64>> = BTreeMap::new();
        let mut common = BTreeMap::from([("blockDim", self.threads)]);
        for ((name, index), value) in inputs {
            match index {
                Some(index) => drop(arrays.entry(name).or_default().insert(*index, *value)),
                None => drop(common.insert(name, *value)),
            }
        }
        let locals = (self.first..).take(self.threads as usize).map(|thread| {
            let mut locals = common.clone();
            locals.insert("threadIdx", thread);
            locals
        });
        let at = vec![0; self.threads as usize];
        let log = vec![BTreeSet::new(); self.threads as usize];
        State { at, locals: locals.collect(), arrays, log }
    }

    /// The states that a transition leads to (rules T-Pgm and T-Thread).
    pub fn successors(&self, state: &State) -> Vec<State> {
        let threads = 0..state.at.len();
        let edges = |thread: usize| self.edges.iter().filter(move |e| e.0 == state.at[thread]);
        let steps = threads.flat_map(|thread| edges(thread).map(move |edge| (thread, edge)));
        let next = steps.filter_map(|(thread, (_, to, commands))| {
            let mut next = state.clone();
            commands.iter().try_for_each(|command| command.step(thread, &mut next))?;
            next.at[thread] = *to;
            Some(next)
        });
        next.collect()
    }

    /// Is every thread at its end?
    pub fn is_over(&self, state: &State) -> bool {
        state.at.iter().all(|at| self.edges.iter().all(|edge| edge.0 != *at))
    }
}

impl Command {
    /// What the command does; `None`: it has no transition.
    fn step(&self, thread: usize, state: &mut State) -> Option<()> {
        let locals = &mut state.locals[thread];
        let time = locals.get("timestamp").copied().unwrap_or(0);
        match self {
            Command::Assume(e) => return (e.value(locals) != 0).then_some(()),
            Command::Assign(x, e) => {
                let value = e.value(locals);
                locals.insert(x, value);
            }
            Command::Read(x, g, e, logged) => {
                let index = e.value(locals);
                let value = state.arrays.get(g).and_then(|array| array.get(&index)).copied();
                locals.insert(x, value.unwrap_or(0));
                if *logged {
                    state.log[thread].insert((time, false, g, index));
                }
            }
            Command::Write(g, e, value, logged) => {
                let (index, value) = (e.value(locals), value.value(locals));
                state.arrays.entry(g).or_default().insert(index, value);
                if *logged {
                    state.log[thread].insert((time, true, g, index));
                }
            }
        }
        Some(())
    }
}
