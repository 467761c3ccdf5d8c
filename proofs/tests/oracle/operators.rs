//! Every operator of every type, on operands at the edges.

use crate::campaign::start;
use crate::cases::ARRAY;
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::{
    Accesses, Bool, Cell, CompareOp, History, HostMemory, IntType, MachineOp, Natural, Num, NumOp,
    Stmt,
};
use babycuda_proofs::oracle::{Answer, Outcome, Request};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn edges() -> Vec<Natural> {
    let mut edges: Vec<Natural> = (0..4u32).map(Natural::from).collect();
    for bits in [7, 8, 15, 16, 31, 32, 63, 64, 100] {
        let power = 1u128 << bits;
        edges.extend([power - 1, power, power + 1].map(Natural::from));
    }
    // Small negative numbers of each width.
    edges.extend([1u128 << 8, 1 << 16, 1 << 32, 1 << 64].map(|power| Natural::from(power - 3)));
    edges
}

/// An operator, as a function of two operands, with its name.
struct Operator {
    name: String,
    apply: Box<dyn Fn(Num, Num) -> Num>,
}

impl Operator {
    fn new(name: String, apply: impl Fn(Num, Num) -> Num + 'static) -> Operator {
        Operator { name, apply: Box::new(apply) }
    }
}

fn operators() -> Vec<Operator> {
    let machine =
        MachineOp::ALL.into_iter().flat_map(|op| IntType::ALL.map(|t| NumOp::Machine(op, t)));
    let arithmetic = ArithOp::ALL.map(NumOp::Natural).into_iter().chain(machine).map(|op| {
        let apply = move |l, r| Num::Binary(op, Arc::new(l), Arc::new(r));
        Operator::new(format!("{op:?}"), apply)
    });
    let machine =
        IntType::ALL.into_iter().flat_map(|t| Relation::ALL.map(|r| CompareOp::machine(r, t)));
    let relations = Relation::ALL.map(CompareOp::natural).into_iter().chain(machine).map(|op| {
        let apply = move |l, r| {
            let holds = Bool::Compare(op, Arc::new(l), Arc::new(r));
            Num::select(holds, Num::lit(1u32), Num::lit(0u32))
        };
        Operator::new(format!("{op:?}"), apply)
    });
    let casts = IntType::ALL.into_iter().flat_map(|from| {
        IntType::ALL.map(|to| {
            // The second operand makes every pair another question.
            let apply = move |l, r| Num::arith(ArithOp::Add, Num::cast(from, to, l), r);
            Operator::new(format!("cast.{from}.{to}"), apply)
        })
    });
    arithmetic.chain(relations).chain(casts).collect()
}

/// A program for each operator and left operand: it writes the results for all right ones.
pub fn all_agree_on_the_edges(program: &Path) {
    let (edges, operators) = (edges(), operators());
    let (mut requests, mut expected) = (Vec::new(), Vec::new());
    for operator in &operators {
        for left in &edges {
            let (mut writes, mut after) = (Vec::new(), Accesses::default());
            for (index, right) in edges.iter().enumerate() {
                let n = (operator.apply)(Num::Lit(left.clone()), Num::Lit(right.clone()));
                // Proof: nothing is free in it.
                let value = n.value().expect("closed");
                after = after.write(Cell::new(ARRAY, index), value);
                writes.push(Stmt::write(ARRAY, Num::lit(index), n));
            }
            let history = History::empty(HostMemory::default());
            let (thread, before) = (0, Accesses::default());
            let program = Stmt::sequence(writes);
            requests.push(Request::Evaluate { history, thread, before, program });
            expected.push((&operator.name, left, Answer::Accesses(Outcome::Result(after))));
        }
    }
    let answers = start(program).ask(&requests, Duration::from_secs(300)).expect("answers");
    for (answer, (name, left, expected)) in answers.iter().zip(&expected) {
        assert_eq!(answer.as_ref(), Ok(expected), "{name} of {left} and {edges:?}");
    }
    println!("{} operators on {} pairs of operands", operators.len(), edges.len().pow(2));
}
