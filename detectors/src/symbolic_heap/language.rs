//! The paper's language of kernels (§3): commands on the nodes of a control flow graph.

use babycuda_core::expr::Relation;
use babycuda_core::{IntType, MachineOp, Name, Natural};
use babycuda_kernel::At;
use std::collections::BTreeMap;

/// A private variable, by its number.
pub type Local = usize;
/// An array, by its number.
pub type Array = usize;

/// An expression `e`. Values are integers; conditions `b` are those that are 0 or 1.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Exp {
    /// `c`
    Int(i128),
    /// `v`, a private variable.
    Var(Local),
    /// `tid`
    Tid,
    /// `op(e, e)` at a machine type.
    Op(MachineOp, IntType, Box<[Exp; 2]>),
    /// The value as another machine type reads it.
    Convert(IntType, Box<Exp>),
    /// `e < e`, `e = e` and their kin.
    Compare(Relation, Box<[Exp; 2]>),
    /// `b ∧ b`
    And(Box<[Exp; 2]>),
    /// `b ∨ b`
    Or(Box<[Exp; 2]>),
    /// `¬b`
    Not(Box<Exp>),
}

/// A command of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// No command: the nodes `start` and `exit`, and joins.
    Skip,
    /// `v := e`
    Assign(Local, Exp),
    /// `a[e] := e`: the array, the index, the value.
    Store(Array, Exp, Exp),
    /// `v := a[e]`
    Load(Local, Array, Exp),
    /// `barrier`
    Barrier,
    /// `assume(b)`
    Assume(Exp),
    /// `assert(b)`
    Assert(Exp),
}

/// A node of the graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What it does.
    pub command: Command,
    /// Where it stands in the kernel.
    pub at: At,
    /// The nodes that may come next. Only the node `exit` has none.
    pub next: Vec<usize>,
}

/// An array that the threads share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shared {
    /// Its name.
    pub name: Name,
    /// The type of its elements.
    pub element: IntType,
    /// `size(a)`; `None` of what a pointer points to: the kernel does not say it.
    pub size: Option<u64>,
    /// What the host stored, by index.
    pub initial: BTreeMap<i128, i128>,
    /// What all other cells hold.
    pub fill: i128,
}

/// A kernel `(tid, C, →, Locals)` with its launch: threads `0..threads`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The nodes. The first is `start`, the last is `exit`.
    pub nodes: Vec<Node>,
    /// How many private variables there are.
    pub locals: usize,
    /// The value of each at first: parameters have theirs, all others 0.
    pub values: Vec<i128>,
    /// The arrays.
    pub arrays: Vec<Shared>,
    /// How many threads run.
    pub threads: u32,
}

impl Program {
    /// The number of the node `exit`.
    pub fn exit(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Does a thread wait at this node: is it a barrier, or the implicit one at the end (§4)?
    pub fn waits(&self, node: usize) -> bool {
        node == self.exit() || self.nodes[node].command == Command::Barrier
    }
}

impl Shared {
    /// What a cell holds at first.
    pub fn first(&self, index: i128) -> i128 {
        self.initial.get(&index).copied().unwrap_or(self.fill)
    }

    /// May this be an index?
    pub fn admits(&self, index: i128) -> bool {
        self.size.is_none_or(|size| (0..i128::from(size)).contains(&index))
    }
}

impl Exp {
    /// Does the variable stand in it?
    pub fn mentions(&self, local: Local) -> bool {
        match self {
            Exp::Int(_) | Exp::Tid => false,
            Exp::Var(v) => *v == local,
            Exp::Convert(_, e) | Exp::Not(e) => e.mentions(local),
            Exp::Op(_, _, both) | Exp::Compare(_, both) | Exp::And(both) | Exp::Or(both) => {
                both.iter().any(|e| e.mentions(local))
            }
        }
    }

    /// Its value in a thread.
    pub fn value(&self, tid: u32, locals: &[i128]) -> i128 {
        let of = |e: &Exp| e.value(tid, locals);
        match self {
            Exp::Int(n) => *n,
            Exp::Var(v) => locals.get(*v).copied().unwrap_or(0),
            Exp::Tid => i128::from(tid),
            Exp::Op(op, t, both) => {
                t.read(op.apply(*t, t.write(of(&both[0])), t.write(of(&both[1]))))
            }
            Exp::Convert(t, e) => t.read(t.write(of(e))),
            Exp::Compare(relation, both) => {
                i128::from(relation.holds(of(&both[0]).cmp(&of(&both[1]))))
            }
            Exp::And(both) => i128::from(of(&both[0]) != 0 && of(&both[1]) != 0),
            Exp::Or(both) => i128::from(of(&both[0]) != 0 || of(&both[1]) != 0),
            Exp::Not(e) => i128::from(of(e) == 0),
        }
    }
}

/// A cell's index as evidence names it: the index itself, or of a negative one its 64 bits.
pub(crate) fn natural(index: i128) -> Natural {
    Natural::from(index as u64)
}
