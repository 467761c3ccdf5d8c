//! T8: the solvers against brute force on small domains, for every back end that is there.

use crate::{evidence, for_all};
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::syntax::{Domain as Values, ForSort, Geometry};
use babycuda_core::{
    AccessMode, Bool, Declarations, IntType, Launch, MachineOp, Name, Natural, Num, NumOp,
    Protocol, Width,
};
use babycuda_proofs::Failure;
use babycuda_proofs::race_formulae_are_exact::{Domain, check};
use babycuda_smt::process::{External, Kind};
use babycuda_smt::{Answer, Builtin, Query, QueryLimits, Solver};
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, protocol, strategy};

/// A protocol with a parameter `n` of these values.
#[derive(Debug)]
struct Drawn {
    protocol: Protocol,
    values: Vec<Natural>,
}

impl Drawn {
    fn domain(&self) -> Domain {
        Domain { threads: 3, values: self.values.clone() }
    }

    /// `n` is one of the values, and blocks have at most three threads, said by assumptions.
    fn declarations(&self) -> Declarations {
        let compare =
            |relation, x: &str, k: Natural| Bool::compare(relation, Num::var(x), Num::Lit(k));
        let is = self.values.iter().map(|k| compare(Relation::Eq, "n", k.clone()));
        let one_of =
            is.reduce(|a, b| Bool::connective(BoolOp::Or, a, b)).unwrap_or(Bool::Lit(false));
        let threads = Natural::from(self.domain().threads);
        let mut declarations = Declarations::of_geometry(Geometry::line());
        declarations = declarations.with_param("n", Values::Natural);
        let most = self.values.iter().max().cloned().unwrap_or_default();
        let bounds = [("n", most), ("blockDim.x", threads)];
        let bounds = bounds.map(|(x, most)| compare(Relation::Le, x, most));
        declarations.assumptions = [one_of].into_iter().chain(bounds).collect();
        declarations
    }
}

/// A protocol over natural arithmetic, or over machine arithmetic at its edges.
fn drawn(choices: &mut Choices<'_>) -> Drawn {
    if choices.chance(1, 2) {
        let values = (0u32..=3).map(Natural::from).collect();
        return Drawn { protocol: parametrised(choices), values };
    }
    // Of 64 bits, solvers decide less.
    let narrow = IntType::ALL.into_iter().filter(|t| t.width != Width::W64);
    let t = match choices.chance(1, 10) {
        true => *choices.pick(&[IntType::U64, IntType::I64]),
        false => *choices.pick(&narrow.collect::<Vec<_>>()),
    };
    let mut edges = Edges { choices, t };
    let protocol = edges.protocol().numbered();
    Drawn { protocol, values: edges_of(t) }
}

/// 0, 1, 2^(w-1) ± 1, 2^(w-1) and 2^w - 1.
fn edges_of(t: IntType) -> Vec<Natural> {
    let half = 1u64 << (t.width.bits() - 1);
    [0, 1, half - 1, half, half + 1, t.width.mask()].map(Natural::from).to_vec()
}

/// Draws protocols of machine operators of one type, with casts to and from all others.
struct Edges<'a, 'c> {
    choices: &'a mut Choices<'c>,
    t: IntType,
}

impl Edges<'_, '_> {
    /// Of type `t`.
    fn num(&mut self, depth: usize) -> Num {
        let inner = usize::from(depth > 0);
        match self.choices.weighted(&[2, 3, 3, 5 * inner, 2 * inner, inner]) {
            0 => Num::Lit(self.choices.pick(&edges_of(self.t)).clone()),
            1 => Num::var("n"),
            2 => Num::var("tid"),
            3 => {
                let op = *self.choices.pick(&MachineOp::ALL);
                let left = self.num(depth - 1);
                Num::machine(op, self.t, left, self.num(depth - 1))
            }
            4 => {
                let t = self.t;
                self.t = *self.choices.pick(&IntType::ALL);
                let (from, operand) = (self.t, self.num(depth - 1));
                self.t = t;
                Num::cast(from, t, operand)
            }
            _ => {
                let condition = self.bool(depth - 1);
                let then = self.num(depth - 1);
                Num::select(condition, then, self.num(depth - 1))
            }
        }
    }

    fn bool(&mut self, depth: usize) -> Bool {
        let relation = *self.choices.pick(&Relation::ALL);
        let left = self.num(depth);
        Bool::compare_machine(relation, self.t, left, self.num(depth))
    }

    fn access(&mut self) -> Protocol {
        let mode = *self.choices.pick(&[AccessMode::Wr, AccessMode::Wr, AccessMode::Rd]);
        Protocol::access(mode, "A", self.num(2))
    }

    fn protocol(&mut self) -> Protocol {
        let first = self.access();
        let p = match self.choices.below(4) {
            0 => first,
            1 => Protocol::branch(self.bool(2), first, self.access()),
            2 => {
                let upper = Num::arith(ArithOp::Mod, self.num(2), Num::lit(3u32));
                let index = Num::machine(MachineOp::Add, self.t, self.num(1), Num::var("x"));
                let body = Protocol::seq(first, Protocol::access(AccessMode::Wr, "A", index));
                Protocol::repeat(ForSort::U, "x", Num::lit(0u32), upper, body)
            }
            // Under a guard that threads may decide differently.
            _ => {
                let then = Protocol::seq(first, Protocol::sync());
                Protocol::branch(self.bool(1), then, Protocol::Skip)
            }
        };
        Protocol::seq(p, self.access())
    }
}

/// A protocol in which some numbers became the parameter.
fn parametrised(choices: &mut Choices<'_>) -> Protocol {
    let divergent = choices.chance(1, 6);
    let profile = Profile {
        data_dependent: false,
        huge: false,
        machine: false,
        arrays: 2,
        size: 8,
        divergent,
        ..Profile::ANY
    };
    let seed = choices.below(4);
    let drawn = protocol(choices, profile);
    with_parameter(&drawn, &mut (seed as u32)).numbered()
}

/// Every third bound and index, and right operand of a guard, becomes `n`.
fn with_parameter(p: &Protocol, count: &mut u32) -> Protocol {
    let mut this_one = || {
        *count += 1;
        count.is_multiple_of(3)
    };
    match p {
        Protocol::Seq(p, q) => Protocol::seq(with_parameter(p, count), with_parameter(q, count)),
        Protocol::If { site, condition, then, otherwise } => {
            let condition = match condition {
                Bool::Compare(op, left, _) if this_one() => {
                    Bool::Compare(*op, left.clone(), Num::var("n").into())
                }
                condition => condition.clone(),
            };
            let then = with_parameter(then, count).into();
            let otherwise = with_parameter(otherwise, count).into();
            Protocol::If { site: *site, condition, then, otherwise }
        }
        Protocol::For { site, sort, var, lower, upper, body } => {
            let upper = if this_one() { Num::var("n") } else { upper.clone() };
            let body = with_parameter(body, count).into();
            let (var, lower) = (var.clone(), lower.clone());
            Protocol::For { site: *site, sort: *sort, var, lower, upper, body }
        }
        Protocol::Access { site, mode, array, .. } if this_one() => {
            Protocol::Access { site: *site, mode: *mode, array: array.clone(), index: "n".into() }
        }
        p => p.clone(),
    }
}

fn exact_by(solver: &dyn Solver, cases: u32) {
    println!("{}", solver.name());
    let seen = for_all(cases, strategy(drawn), |drawn| {
        let p = &drawn.protocol;
        let checked = check(p, &drawn.declarations(), &drawn.domain(), solver);
        let mut labels = vec![match &checked {
            Ok(_) => "held",
            Err(Failure::Undecided(_)) => "undecided",
            Err(_) => "vacuous",
        }];
        let is_machine = drawn.values.len() > 4;
        labels.extend(is_machine.then_some("machine arithmetic"));
        labels.extend((is_machine && checked.is_ok()).then_some("held, machine arithmetic"));
        if let Some(e) = evidence(checked)? {
            labels.push(if e.racing.is_empty() { "held, DRF" } else { "held, racy" });
            labels.extend(e.diverges.then_some("held, diverges"));
            let compared = e.diverges && !e.racing.is_empty();
            labels.extend(compared.then_some("held, diverges and races"));
            let racy = is_machine && !e.racing.is_empty();
            labels.extend(racy.then_some("held, machine arithmetic, racy"));
        }
        Ok(labels)
    });
    seen.assert_share("held", 0.7..=1.0);
    seen.assert_share("held, DRF", 0.1..=0.95);
    seen.assert_share("held, racy", 0.03..=0.8);
    seen.assert_share("held, machine arithmetic", 0.2..=0.7);
    seen.assert_share("held, machine arithmetic, racy", 0.1..=0.6);
    seen.assert_share("held, diverges", 0.01..=0.3);
    seen.assert_share("held, diverges and races", 0.005..=0.3);
    seen.assert_share("undecided", 0.0..=0.3);
    seen.assert_share("vacuous", 0.0..=0.05);
}

#[test]
fn t8_holds_by_the_embedded_solver() {
    exact_by(&Builtin, 400);
}

/// An outside solver that is not there is skipped, unless `BABYCUDA_REQUIRE_SOLVERS` is set.
fn exact_by_outside(kind: Kind) {
    let solver = External::find(kind);
    if solver.is_there() {
        exact_by(&solver, 200);
    } else {
        assert!(std::env::var_os("BABYCUDA_REQUIRE_SOLVERS").is_none(), "{kind:?} is missing");
        println!("{kind:?} is not there");
    }
}

#[test]
fn t8_holds_by_z3() {
    exact_by_outside(Kind::Z3);
}

#[test]
fn t8_holds_by_cvc5() {
    exact_by_outside(Kind::Cvc5);
}

/// Every operator of every type, every cast, and selection, at the edges of its operands: the
/// threads race in `A[0]` where the result is another than it is, so they never do.
#[test]
fn t8_holds_of_every_operator_at_its_edges() {
    let [a, b] = ["a", "b"].map(Num::var);
    for t in IntType::ALL {
        let binary = |op: MachineOp| Num::machine(op, t, a.clone(), b.clone());
        let less = Bool::compare_machine(Relation::Lt, t, a.clone(), b.clone());
        let operators = MachineOp::ALL.into_iter().map(binary);
        let casts = IntType::ALL.into_iter().map(|to| Num::cast(t, to, a.clone()));
        // What a cast loses shows in a sum.
        let sums = IntType::ALL
            .into_iter()
            .map(|to| Num::machine(MachineOp::Add, to, Num::cast(t, to, a.clone()), b.clone()));
        let select = Num::select(less, a.clone(), b.clone());
        for n in operators.chain(casts).chain(sums).chain([select]) {
            let drawn = at_the_edges(&n, t);
            match check(&drawn.0, &drawn.1, &drawn.2, &Builtin) {
                Ok(e) => assert!(e.racing.is_empty() && e.configurations > 0, "{n:?}"),
                // The embedded solver does not divide by all numbers of 64 bits in time.
                Err(Failure::Undecided(_)) if is_long_division(&n) => {}
                Err(failure) => panic!("{n:?}: {failure}"),
            }
        }
    }
}

fn is_long_division(n: &Num) -> bool {
    let Num::Binary(NumOp::Machine(op, t), ..) = n else { return false };
    t.width == Width::W64 && matches!(op, MachineOp::Div | MachineOp::Rem)
}

/// `if the value of n is wrong {wr A[0]}`, for `a` and `b` at the edges of `t`, in two threads.
fn at_the_edges(n: &Num, t: IntType) -> (Protocol, Declarations, Domain) {
    let edges = edges_of(t);
    let is = |x: &str, k: &Natural| Bool::compare(Relation::Eq, Num::var(x), Num::Lit(k.clone()));
    let or = |cs: Vec<Bool>| {
        cs.into_iter().reduce(|c, d| Bool::connective(BoolOp::Or, c, d)).unwrap_or(Bool::Lit(false))
    };
    let and = |c: Bool, d: Bool| Bool::connective(BoolOp::And, c, d);
    let mut wrong = Vec::new();
    for (a, b) in edges.iter().flat_map(|a| edges.iter().map(move |b| (a, b))) {
        let value = |x: &Name| Some(if x.as_str() == "a" { a.clone() } else { b.clone() });
        // Proof: `a` and `b` are all that is free in `n`.
        let value = n.eval(&value).expect("closed");
        let other = Bool::compare(Relation::Ne, n.clone(), Num::Lit(value));
        wrong.push(and(and(is("a", a), is("b", b)), other));
    }
    let then = Protocol::access(AccessMode::Wr, "A", Num::lit(0u32));
    let protocol = Protocol::branch(or(wrong), then, Protocol::Skip);
    let mut declarations = Declarations::of_geometry(Geometry::exactly(Launch::threads(2)));
    let ints = Values::Machine(t);
    declarations = declarations.with_param("a", ints).with_param("b", ints);
    let one_of = |x: &str| or(edges.iter().map(|k| is(x, k)).collect());
    declarations.assumptions = vec![one_of("a"), one_of("b")];
    (protocol.numbered(), declarations, Domain { threads: 2, values: edges })
}

/// A solver for which nothing about two threads is satisfiable.
struct Denies;

impl Solver for Denies {
    fn name(&self) -> &str {
        "denies"
    }

    fn check(&self, query: &Query, limits: &QueryLimits) -> Answer {
        let is_of_threads = query.declarations().iter().any(|d| d.name.ends_with("@2"));
        if is_of_threads { Answer::Unsat } else { Builtin.check(query, limits) }
    }
}

#[test]
fn t8_refutes_a_solver_that_denies_every_race() {
    let index = Num::arith(ArithOp::Mod, Num::var("tid"), Num::lit(2u32));
    let protocol = Protocol::access(AccessMode::Wr, "A", index).numbered();
    let drawn = Drawn { protocol, values: vec![Natural::zero()] };
    let by = |solver: &dyn Solver| {
        check(&drawn.protocol, &drawn.declarations(), &drawn.domain(), solver)
    };
    assert!(by(&Builtin).is_ok_and(|e| !e.racing.is_empty()));
    let denied = by(&Denies);
    assert!(matches!(denied, Err(Failure::Refuted(_))), "{denied:?}");
}
