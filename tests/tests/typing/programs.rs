//! Random programs that reuse names as often as they can: every binder may shadow every other.

use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::launch::Launch;
use babycuda_core::machine::IntType;
use babycuda_core::syntax::{
    ArrayDecl, AtomicOp, AtomicUpdate, Contents, Domain, ForSort, Geometry, Param, Scope, Space,
};
use babycuda_core::{Bool, Name, Num, Program, Stmt};
use proptest::prelude::*;

/// Which programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Any well-scoped program.
    Any,
    /// Well-typed by construction: indices, guards and bounds use variables of `V` only.
    Typed,
    /// Well-typed relative to what the host stored in the read-only input `I`, by construction.
    Relative,
}

/// How many threads the programs are for.
const THREADS: u32 = 3;
/// The value of their parameter `M`.
const M: u32 = 2;

/// Programs of the kind, with arrays `A` (naturals) and `B` (bytes), the parameter `M`, and the
/// read-only input `I` (bytes).
pub fn programs(kind: Kind) -> impl Strategy<Value = Program> {
    prop::collection::vec(any::<u8>(), 0..120).prop_map(move |tape| program(kind, &tape))
}

fn program(kind: Kind, tape: &[u8]) -> Program {
    let mut builder = Builder { kind, tape };
    let v = ["M", "tid"].map(Name::new).to_vec();
    let body = builder.statement(5, &v, &[]);
    let array = |name: &str, element| ArrayDecl {
        name: Name::new(name),
        space: Space::Shared,
        element,
        contents: Contents::Any,
        length: None,
    };
    let mut program = Program::of_body(body);
    program.params =
        vec![Param { name: Name::new("M"), domain: Domain::Natural, value: Some(M.into()) }];
    let input = array("I", Domain::Machine(IntType::U8));
    program.arrays = vec![
        array("A", Domain::Natural),
        array("B", Domain::Machine(IntType::U8)),
        ArrayDecl { space: Space::Global, ..input },
    ];
    program.geometry = Geometry::exactly(Launch::threads(THREADS));
    program
}

struct Builder<'a> {
    kind: Kind,
    tape: &'a [u8],
}

impl Builder<'_> {
    /// A number below `n`; 0 when the tape is at its end.
    fn below(&mut self, n: usize) -> usize {
        match self.tape.split_first() {
            None => 0,
            Some((byte, rest)) => {
                self.tape = rest;
                usize::from(*byte) % n
            }
        }
    }

    /// `v`: the variables of `V`; `data`: the visible `let` variables, which may hide them.
    fn statement(&mut self, depth: u32, v: &[Name], data: &[Name]) -> Stmt {
        let choices = if depth == 0 { 3 } else { 12 };
        match self.below(choices) {
            0 => Stmt::Skip,
            1 => Stmt::write(self.array(), self.decider(v, data), self.payload(v, data)),
            2 if self.below(2) == 0 => Stmt::sync(),
            2 => Stmt::write(self.array(), self.decider(v, data), self.payload(v, data)),
            3..=5 => {
                let parts = [(); 2].map(|()| self.statement(depth - 1, v, data));
                let [first, second] = parts;
                Stmt::seq(first, second)
            }
            6 | 7 => {
                let condition = self.condition(v, data);
                let then = self.statement(depth - 1, v, data);
                let otherwise = self.statement(depth - 1, v, data);
                Stmt::branch(condition, then, otherwise)
            }
            8 => {
                let sort = [ForSort::U, ForSort::S][self.below(2)];
                let lower = self.bound(v, data);
                let upper = self.bound(v, data);
                let Some(var) = self.binder(v) else {
                    return Stmt::Skip;
                };
                let visible: Vec<Name> = data.iter().filter(|y| **y != var).cloned().collect();
                let mut inner = v.to_vec();
                inner.push(var.clone());
                let body = self.statement(depth - 1, &inner, &visible);
                Stmt::repeat(sort, var, lower, upper, body)
            }
            9 | 10 => {
                let (array, index) = (self.source(), self.decider(v, data));
                match self.binder(v) {
                    None => Stmt::Skip,
                    Some(var) if array == "I" && self.kind == Kind::Relative => {
                        let visible: Vec<Name> =
                            data.iter().filter(|y| **y != var).cloned().collect();
                        let inner: Vec<Name> = v.iter().chain([&var]).cloned().collect();
                        let body = self.statement(depth - 1, &inner, &visible);
                        Stmt::read(var, array, index, body)
                    }
                    Some(var) => {
                        let body = self.below_let(depth, &var, v, data);
                        Stmt::read(var, array, index, body)
                    }
                }
            }
            _ => {
                let (array, index) = (self.array(), self.decider(v, data));
                let update = AtomicUpdate {
                    op: AtomicOp::Add(Some(IntType::U8)),
                    operand: self.payload(v, data),
                    expected: None,
                };
                match self.binder(v) {
                    None => Stmt::Skip,
                    Some(var) => {
                        let body = self.below_let(depth, &var, v, data);
                        let scope = [Scope::Block, Scope::Device][self.below(2)];
                        Stmt::atomic(var, array, index, update, scope, body)
                    }
                }
            }
        }
    }

    fn below_let(&mut self, depth: u32, var: &Name, v: &[Name], data: &[Name]) -> Stmt {
        let visible: Vec<Name> = v.iter().filter(|x| *x != var).cloned().collect();
        let mut data = data.to_vec();
        data.push(var.clone());
        self.statement(depth - 1, &visible, &data)
    }

    /// An array to read.
    fn source(&mut self) -> &'static str {
        let input = match self.kind {
            Kind::Typed => false,
            Kind::Any => self.below(4) == 0,
            Kind::Relative => self.below(2) == 0,
        };
        if input { "I" } else { self.array() }
    }

    fn array(&mut self) -> &'static str {
        ["A", "B"][self.below(2)]
    }

    /// A name to bind: not in `V` when the program is to be well-typed.
    fn binder(&mut self, v: &[Name]) -> Option<Name> {
        let start = self.below(5);
        ["x", "y", "z", "tid", "x'1"]
            .into_iter()
            .cycle()
            .skip(start)
            .take(5)
            .map(Name::new)
            .find(|x| self.kind == Kind::Any || !v.contains(x))
    }

    fn variable(&mut self, names: &[Name]) -> Num {
        match names.len() {
            0 => Num::lit(1u32),
            n => Num::Var(names[self.below(n)].clone()),
        }
    }

    /// What decides an access: data too, now and then, unless the program is to be well-typed.
    fn decider(&mut self, v: &[Name], data: &[Name]) -> Num {
        let first = if self.kind == Kind::Any && self.below(3) == 0 {
            self.variable(data)
        } else {
            self.variable(v)
        };
        match self.below(5) {
            0 => Num::lit(self.below(3) as u64),
            1 => Num::arith(ArithOp::Add, first, Num::lit(1u32)),
            2 => Num::arith(ArithOp::Mul, first, self.variable(v)),
            _ => first,
        }
    }

    fn bound(&mut self, v: &[Name], data: &[Name]) -> Num {
        let n = self.decider(v, data);
        Num::arith(ArithOp::Mod, n, Num::lit(4u32))
    }

    fn condition(&mut self, v: &[Name], data: &[Name]) -> Bool {
        let relation = [Relation::Eq, Relation::Lt][self.below(2)];
        Bool::compare(relation, self.decider(v, data), Num::lit(self.below(3) as u64))
    }

    fn payload(&mut self, v: &[Name], data: &[Name]) -> Num {
        let n = match self.below(2) {
            0 => self.variable(v),
            _ => self.variable(data),
        };
        match self.below(3) {
            0 => n,
            1 => Num::arith(ArithOp::Add, n, Num::lit(255u32)),
            _ => Num::cast(IntType::U32, IntType::U8, n),
        }
    }
}
