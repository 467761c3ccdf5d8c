//! Predicated formulae in static single assignment form (SKBG18 §4.1, §4.2): `predicate => action`.

use babycuda_core::expr::{BoolOp, Relation};
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::{At, Launch, UnaryOp};
use std::collections::BTreeMap;
use std::fmt;

/// What a formula's value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A truth value.
    Bool,
    /// An integer of a C type.
    Int(IntType),
    /// A float: a value of which the formulae say nothing.
    Data,
}

/// The number of an augmented variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub usize);

/// The number of an array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayId(pub usize);

/// The number of a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(pub usize);

/// An augmented variable: a variable at one of its assignments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The variable, and the number of its assignment.
    pub name: String,
    /// Its type.
    pub kind: Kind,
    /// Where its value is from.
    pub role: Role,
}

/// Where the value of an augmented variable is from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// It is a thread's own (`ThreadIFY` copies it).
    Thread,
    /// How many iterations of a loop are over: the paper's `i2k`. A thread's own.
    Count,
    /// A parameter, one for all threads.
    Parameter(String),
    /// What the launch says.
    Launch(Launch, usize),
}

/// An array, or a variable that threads share: an array of one element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// What its elements are.
    pub kind: Kind,
    /// Who has it.
    pub space: Space,
    /// Is it written anywhere?
    pub written: bool,
}

/// Whose an array is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// A thread's.
    Thread,
    /// A block's.
    Block,
    /// The grid's.
    Grid,
}

/// A well-formed formula (the grammar of §4.2, with types).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wff {
    /// What it is.
    pub node: Node,
    /// What its value is.
    pub kind: Kind,
}

/// What a formula is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// `num`, by its bit pattern.
    Num(u64),
    /// `var`
    Var(SymbolId),
    /// `(unaryop expr)`
    Unary(UnaryOp, Box<Wff>),
    /// `(binop expr1 expr2)`, arithmetic.
    Binary(MachineOp, Box<[Wff; 2]>),
    /// `(binop expr1 expr2)`, a relation.
    Compare(Relation, Box<[Wff; 2]>),
    /// `(&& expr1 expr2)`, `(|| expr1 expr2)`
    Logical(BoolOp, Box<[Wff; 2]>),
    /// A conversion of C.
    Convert(Box<Wff>),
    /// `(select var expr)`: of an array at one of its assignments.
    Select(ArrayId, u32, Box<Wff>, At),
    /// A float that is made of others.
    Data(Vec<Wff>),
}

/// What a formula says where its predicate holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// `x2 == expr`
    Equal(SymbolId, Wff),
    /// `x2 ==` a value of which nothing is said, made from others.
    Free(SymbolId, Vec<Wff>),
    /// `A2 == (store A1 index value)`
    Store {
        /// The array.
        array: ArrayId,
        /// Its number before and behind.
        versions: [u32; 2],
        /// Where.
        index: Wff,
        /// What.
        value: Wff,
    },
    /// `A2 == A1`, where a branch that assigns is not taken.
    Same(ArrayId, [u32; 2]),
    /// `i2 == first op (i2k * step)` and `i2k >= 0`: an arbitrary iteration.
    Iterate {
        /// The loop.
        number: LoopId,
        /// `i2`
        symbol: SymbolId,
        /// `i1`
        first: Wff,
        /// `+`, `-`, `<<` or `>>`.
        op: MachineOp,
        /// By how much.
        step: Wff,
        /// `i2k`
        count: SymbolId,
    },
    /// A condition is computed; what it reads is read.
    Test(Wff),
    /// It is assumed.
    Assume(Wff),
    /// `BAR`
    Barrier,
}

/// A formula of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// All of these hold.
    pub predicate: Vec<Wff>,
    /// What it says then.
    pub action: Action,
    /// The statement.
    pub at: At,
    /// The loops around it, outermost first.
    pub loops: Vec<LoopId>,
    /// The barriers that may be the last one before it.
    pub after: Vec<Interval>,
}

/// A barrier interval, seen from a statement in it: the barrier that begins it, and how old that is in each of
/// the loops around the barrier.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Interval {
    /// The formula of the barrier; `None`: the kernel's beginning.
    pub barrier: Option<usize>,
    /// Its age.
    pub ago: Vec<(LoopId, Age)>,
    /// The loops that were entered since, and how many of their iterations are over without a barrier.
    pub since: Vec<(LoopId, Turns)>,
}

/// How many iterations of a loop passed no barrier; `None`: of a number that is not known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Turns {
    /// Seen from an iteration of the loop: all those before it.
    Over(Option<u32>),
    /// Seen from behind the loop: all that it made.
    Ended(Option<u32>),
}

/// How many iterations ago a barrier was; `None`: of a number that is not known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Age {
    /// Seen from an iteration of the loop: 0 in that of the barrier.
    In(Option<u32>),
    /// Seen from behind the loop: 1 after its last iteration.
    Out(Option<u32>),
}

/// The formulae of a kernel, for a generic thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Translated {
    /// The formulae, in the order of the text.
    pub formulae: Vec<Formula>,
    /// The augmented variables.
    pub symbols: Vec<Symbol>,
    /// The arrays.
    pub arrays: Vec<Array>,
    /// The number of iterations of each loop.
    pub counts: Vec<SymbolId>,
    /// The number of iterations that a loop made in all, where it is described.
    pub ends: BTreeMap<LoopId, SymbolId>,
}

impl Wff {
    /// A truth value that is known.
    pub fn truth(b: bool) -> Wff {
        Wff { node: Node::Num(u64::from(b)), kind: Kind::Bool }
    }

    /// Its negation.
    #[must_use]
    pub fn negated(self) -> Wff {
        Wff { node: Node::Unary(UnaryOp::Not, Box::new(self)), kind: Kind::Bool }
    }

    /// The formulae directly in it.
    pub fn operands(&self) -> Vec<&Wff> {
        match &self.node {
            Node::Num(_) | Node::Var(_) => Vec::new(),
            Node::Unary(_, x) | Node::Convert(x) | Node::Select(_, _, x, _) => vec![x],
            Node::Binary(_, both) | Node::Compare(_, both) | Node::Logical(_, both) => {
                both.iter().collect()
            }
            Node::Data(operands) => operands.iter().collect(),
        }
    }

    /// The conjuncts that it is.
    fn conjuncts(&self) -> usize {
        match &self.node {
            Node::Logical(BoolOp::And, both) => both.iter().map(Wff::conjuncts).sum(),
            _ => 1,
        }
    }
}

impl Action {
    /// The formulae in it.
    pub fn operands(&self) -> Vec<&Wff> {
        match self {
            Action::Equal(_, x) | Action::Test(x) | Action::Assume(x) => vec![x],
            Action::Free(_, all) => all.iter().collect(),
            Action::Store { index, value, .. } => vec![index, value],
            Action::Iterate { first, step, .. } => vec![first, step],
            Action::Same(..) | Action::Barrier => Vec::new(),
        }
    }
}

impl Formula {
    /// How many conjuncts it has: those of the predicate, and what it says.
    pub fn conjuncts(&self) -> usize {
        let predicate: usize = self.predicate.iter().map(Wff::conjuncts).sum();
        predicate + if matches!(self.action, Action::Iterate { .. }) { 2 } else { 1 }
    }
}

impl Translated {
    /// The formulae of barriers.
    pub fn barriers(&self) -> impl Iterator<Item = usize> {
        let barrier = |f: &Formula| f.action == Action::Barrier;
        self.formulae.iter().enumerate().filter(move |(_, f)| barrier(f)).map(|(i, _)| i)
    }

    /// How many conjuncts all formulae have together (Table 1).
    pub fn conjuncts(&self) -> usize {
        self.formulae.iter().map(Formula::conjuncts).sum()
    }

    fn show(&self, wff: &Wff) -> String {
        let name = |s: &SymbolId| self.symbols[s.0].name.clone();
        match &wff.node {
            Node::Num(bits) => match wff.kind {
                Kind::Bool => (*bits != 0).to_string(),
                Kind::Int(t) => t.read(*bits).to_string(),
                Kind::Data => "data".to_owned(),
            },
            Node::Var(s) => name(s),
            Node::Unary(op, x) => {
                let sign = match op {
                    UnaryOp::Negate => '-',
                    UnaryOp::Complement => '~',
                    UnaryOp::Not => '!',
                };
                format!("{sign}{}", self.show(x))
            }
            Node::Binary(op, both) => {
                let symbols = ["+", "-", "*", "/", "%", "min", "max", "&", "|", "^", "<<", ">>"];
                let place = MachineOp::ALL.iter().position(|known| known == op);
                let symbol = place.map_or("?", |place| symbols[place]);
                format!("({symbol} {} {})", self.show(&both[0]), self.show(&both[1]))
            }
            Node::Compare(relation, both) => {
                let (l, r) = (self.show(&both[0]), self.show(&both[1]));
                format!("({} {l} {r})", relation.symbol())
            }
            Node::Logical(op, both) => {
                let symbol = if *op == BoolOp::And { "&&" } else { "||" };
                format!("({symbol} {} {})", self.show(&both[0]), self.show(&both[1]))
            }
            Node::Convert(x) => self.show(x),
            Node::Select(array, version, index, _) => {
                format!("(select {} {})", self.version(*array, *version), self.show(index))
            }
            Node::Data(operands) => {
                let operands: Vec<String> = operands.iter().map(|x| self.show(x)).collect();
                format!("(data {})", operands.join(" "))
            }
        }
    }

    fn version(&self, array: ArrayId, version: u32) -> String {
        format!("{}{version}", self.arrays[array.0].name)
    }

    fn action(&self, action: &Action) -> String {
        let name = |s: &SymbolId| self.symbols[s.0].name.clone();
        match action {
            Action::Equal(s, x) => format!("(== {} {})", name(s), self.show(x)),
            Action::Free(s, all) => {
                let all: Vec<String> = all.iter().map(|x| self.show(x)).collect();
                format!("(== {} (data {}))", name(s), all.join(" "))
            }
            Action::Store { array, versions: [from, to], index, value } => {
                let (from, to) = (self.version(*array, *from), self.version(*array, *to));
                format!("(== {to} (store {from} {} {}))", self.show(index), self.show(value))
            }
            Action::Same(array, [from, to]) => {
                format!("(== {} {})", self.version(*array, *to), self.version(*array, *from))
            }
            Action::Iterate { symbol, first, op, step, count, .. } => {
                let (i, k) = (name(symbol), name(count));
                let (first, step) = (self.show(first), self.show(step));
                let symbol = match op {
                    MachineOp::Add => "+",
                    MachineOp::Sub => "-",
                    MachineOp::Shl => "<<",
                    _ => ">>",
                };
                format!("(and (>= {k} 0) (== {i} ({symbol} {first} (* {k} {step}))))")
            }
            Action::Test(x) => format!("(test {})", self.show(x)),
            Action::Assume(x) => self.show(x),
            Action::Barrier => "BAR".to_owned(),
        }
    }
}

/// A line for each formula, in the form of the paper's Example 2.
impl fmt::Display for Translated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for formula in &self.formulae {
            let predicate: Vec<String> = formula.predicate.iter().map(|p| self.show(p)).collect();
            let predicate = match predicate.len() {
                0 => "true".to_owned(),
                1 => predicate.join(""),
                _ => format!("(and {})", predicate.join(" ")),
            };
            writeln!(f, "{predicate} => {}", self.action(&formula.action))?;
        }
        Ok(())
    }
}
