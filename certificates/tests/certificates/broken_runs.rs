//! Derivations of runs that a mutation broke.

use crate::edit::{everywhere, first};
use crate::programs::{parse, run};
use crate::rejected::Broken;
use babycuda_certificates::of_run;
use babycuda_core::expr::Relation;
use babycuda_core::{Accesses, Bool, Cell, History, HostMemory, Natural, Phase, Site, Stmt};
use babycuda_semantics::{
    Derivation, Instance, Judgment, Premise, Rule, RunOptions, Stop, check_derivation, parallel,
};
use std::sync::Arc;

/// All of them.
pub fn runs() -> Vec<Broken> {
    let families = [
        threads(),
        concurrent_writes(),
        forgotten_reads(),
        blocks(),
        races(),
        divergences(),
        parallel_threads(),
    ];
    families.into_iter().flatten().collect()
}

/// Mutants of one derivation.
struct Mutants {
    original: Derivation,
    broken: Vec<Broken>,
}

impl Mutants {
    fn of(text: &str) -> Mutants {
        let original = run(&parse(text)).expect("no thread is stuck");
        Mutants { original: (*original).clone(), broken: Vec::new() }
    }

    /// The independent checker rejects it, too.
    fn add(&mut self, name: &'static str, rule: Rule, mutant: Derivation) {
        assert!(check_derivation(&mutant).is_err(), "{name}");
        let certificate = |derivation| of_run(derivation).unwrap_or_else(|e| panic!("{name}: {e}"));
        self.broken.push(Broken {
            name,
            rule: rule.id(),
            certificate: certificate(&mutant),
            original: certificate(&self.original),
        });
    }

    /// The first node with the rule, changed.
    fn change(&mut self, name: &'static str, rule: Rule, change: impl Fn(&mut Derivation)) {
        let mutant = first(&self.original, rule, change);
        self.add(name, rule, mutant);
    }
}

fn zero() -> Cell {
    Cell::new("A", 0u32)
}

/// The node has another rule.
fn renamed(to: Rule) -> impl Fn(&mut Derivation) {
    move |node| node.rule = to
}

fn set_value(premise: &mut Premise, to: u32) {
    match premise {
        Premise::Value { value, .. } | Premise::LastWrite { value, .. } => {
            *value = Natural::from(to);
        }
        other => panic!("{other:?} has no value"),
    }
}

/// The newest phase, changed.
fn with_newest(history: &History, change: impl Fn(&mut Phase)) -> Arc<History> {
    let (newest, older) = history.split().expect("a phase");
    let mut phase = newest.clone();
    change(&mut phase);
    Arc::new(older.push(phase))
}

/// What a run of one thread may get wrong.
fn threads() -> Vec<Broken> {
    let mut mutants = Mutants::of(
        "threads 2; shared A = [7];
         forU x in 0..2 { let y = A[0] in A[0] := y + x };
         if tid == 0 { A[1] := 5 } else { skip }",
    );
    mutants.change("a sequence without its second half", Rule::ThreadSeq, |node| {
        node.premises.pop();
    });
    mutants.change("a sequence in the wrong order", Rule::ThreadSeq, |node| {
        node.premises.reverse();
    });
    let mutant = first(&mutants.original, Rule::ThreadIfTrue, renamed(Rule::ThreadIfFalse));
    mutants.add("if-f for if-t", Rule::ThreadIfFalse, mutant);
    let mutant = first(&mutants.original, Rule::ThreadIfFalse, renamed(Rule::ThreadIfTrue));
    mutants.add("if-t for if-f", Rule::ThreadIfTrue, mutant);
    mutants.change("the other truth of a condition", Rule::ThreadIfFalse, |node| {
        let Premise::Truth { value, .. } = &mut node.premises[0] else { panic!() };
        *value = true;
    });
    mutants.change("another value read", Rule::ThreadRead, |node| {
        set_value(&mut node.premises[1], 8);
    });
    mutants.change("another cell read", Rule::ThreadRead, |node| {
        set_value(&mut node.premises[0], 1);
    });
    mutants.change("another value written", Rule::ThreadWrite, |node| {
        set_value(&mut node.premises[1], 8);
    });
    let mutant = first(&mutants.original, Rule::ThreadFor2, |node| {
        let Premise::Derived(others) = &mut node.premises[4] else { panic!() };
        *others = Arc::new(over(others));
    });
    mutants.add("a loop that is over before its last iteration", Rule::ThreadFor1, mutant);
    mutants.change("a skip that writes", Rule::ThreadSkip, |node| {
        let Judgment::Thread(j) = &mut node.conclusion else { panic!() };
        j.after = Arc::new(j.before.write(zero(), Natural::zero()));
    });
    mutants.broken
}

/// The derivation of a loop's last iteration, as if the loop were over: `1 ≥ 2`.
fn over(iteration: &Derivation) -> Derivation {
    let mut over = iteration.clone();
    let Judgment::Thread(j) = &mut over.conclusion else { panic!() };
    j.after = j.before.clone();
    over.rule = Rule::ThreadFor1;
    over.premises.truncate(2);
    let condition = Bool::compare(Relation::Ge, 1.into(), 2.into());
    over.premises.push(Premise::Truth { condition, value: true });
    over
}

/// What thread 1 reads, thread 0 writes in the same phase: with that value in the memory before,
/// the derivation would be right.
fn concurrent_writes() -> Vec<Broken> {
    let text = |value| {
        format!(
            "threads 2; shared A = [{value}];
             if tid == 0 {{ A[0] := 5 }} else {{ let y = A[0] in A[1] := y }}"
        )
    };
    let mut mutants = Mutants::of(&text(7));
    let host = HostMemory::declared(&parse(&text(7)));
    let seen = run(&parse(&text(5))).expect("no thread is stuck");
    let mutant = everywhere(&seen, &|node| {
        let change = |history: &mut Arc<History>| {
            let phases = history.newest_first().rev().cloned();
            *history = Arc::new(phases.fold(History::empty(host.clone()), |h, p| h.push(p)));
        };
        match &mut node.conclusion {
            Judgment::Thread(j) => change(&mut j.history),
            Judgment::ToBarrier(j) => change(&mut j.history),
            Judgment::Parallel(_) => {}
            Judgment::Block(j) => {
                change(&mut j.before);
                change(&mut j.ending.history);
            }
            Judgment::Program(j) => {
                change(&mut j.before);
                change(&mut j.ending.history);
            }
        }
    });
    mutants.add("a read of what another thread writes in this phase", Rule::ThreadRead, mutant);
    mutants.broken
}

/// R ∪ {j} is forgotten, consistently.
fn forgotten_reads() -> Vec<Broken> {
    let mut mutants = Mutants::of("threads 1; shared A = [7]; let y = A[0] in A[1] := y");
    let mutant = everywhere(&mutants.original, &|node| {
        let forget = |accesses: &mut Arc<Accesses>| {
            Arc::make_mut(accesses).reads.remove(&zero());
        };
        let in_history = |history: &mut Arc<History>| {
            *history = with_newest(history, |phase| {
                let mut accesses = phase.get(0);
                accesses.reads.remove(&zero());
                phase.insert(0, accesses);
            });
        };
        match &mut node.conclusion {
            Judgment::Thread(j) => {
                forget(&mut j.before);
                forget(&mut j.after);
            }
            Judgment::ToBarrier(j) => forget(&mut j.after),
            Judgment::Block(j) => in_history(&mut j.ending.history),
            Judgment::Program(j) => in_history(&mut j.ending.history),
            Judgment::Parallel(_) => {}
        }
    });
    mutants.add("a read that is not recorded", Rule::ThreadRead, mutant);
    mutants.broken
}

/// What a block may get wrong.
fn blocks() -> Vec<Broken> {
    let mut mutants = Mutants::of("threads 2; A[0] := tid; sync; A[tid] := 1");
    mutants.change("a residual that is lost", Rule::BarrierSeq2, |node| {
        let Judgment::ToBarrier(j) = &mut node.conclusion else { panic!() };
        let Stop::Barrier { rest, .. } = &mut j.stop else { panic!() };
        *rest = Arc::new(Stmt::Skip);
    });
    mutants.change("another barrier", Rule::BarrierSync, |node| {
        let Judgment::ToBarrier(j) = &mut node.conclusion else { panic!() };
        let Stop::Barrier { site, .. } = &mut j.stop else { panic!() };
        *site = Site(77);
    });
    let mutant = everywhere(&mutants.original, &|node| {
        let forget = |history: &mut Arc<History>| {
            *history = with_newest(history, |phase| phase.insert(1, Default::default()));
        };
        match &mut node.conclusion {
            Judgment::Block(j) => forget(&mut j.ending.history),
            Judgment::Program(j) => forget(&mut j.ending.history),
            _ => {}
        }
    });
    mutants.add("a thread's accesses left out", Rule::BlockEnds, mutant);
    mutants.change("a thread left out", Rule::BlockEnds, |node| {
        node.premises.remove(1);
    });
    mutants.change("a block that goes on without one of its threads", Rule::BlockSyncs, |node| {
        node.premises.remove(1);
    });
    mutants.broken
}

/// The racy cell of the only phase is left out of what comes of the run.
fn races() -> Vec<Broken> {
    let mut mutants = Mutants::of("threads 2; A[0] := tid; A[tid + 1] := 1");
    let mutant = everywhere(&mutants.original, &|node| {
        let forget = |history: &mut Arc<History>| {
            *history = with_newest(history, |phase| {
                let mut accesses = phase.get(1);
                accesses.writes.remove(&zero());
                phase.insert(1, accesses);
            });
        };
        match &mut node.conclusion {
            Judgment::Block(j) => forget(&mut j.ending.history),
            Judgment::Program(j) => forget(&mut j.ending.history),
            _ => {}
        }
    });
    mutants.add("a racy cell left out", Rule::BlockEnds, mutant);
    mutants.broken
}

/// A divergence that is none, or is somewhere else.
fn divergences() -> Vec<Broken> {
    let mut mutants = Mutants::of("threads 2; if tid == 0 { sync } else { skip }");
    let mutant = everywhere(&mutants.original, &|node| {
        match &mut node.conclusion {
            Judgment::Block(j) => j.ending.divergence = None,
            Judgment::Program(j) => j.ending.divergence = None,
            _ => {}
        }
        if node.rule == Rule::BlockDiverges {
            node.rule = Rule::BlockEnds;
        }
    });
    mutants.add("a divergence that is taken for the end", Rule::BlockEnds, mutant);
    let mutant = everywhere(&mutants.original, &|node| {
        let ending = match &mut node.conclusion {
            Judgment::Block(j) => &mut j.ending,
            Judgment::Program(j) => &mut j.ending,
            _ => return,
        };
        let divergence = ending.divergence.as_mut().expect("a divergence");
        divergence.second = divergence.first;
    });
    mutants.add("a thread that diverges from itself", Rule::BlockDiverges, mutant);
    mutants.broken
}

/// Rule par, with each thread's result given to the other.
fn parallel_threads() -> Vec<Broken> {
    let program = parse("threads 2; A[tid] := tid");
    let instance = Instance::new(program.clone(), program.geometry.launch().expect("a launch"));
    let (start, body) = (instance.start(), instance.body());
    let (_, original) = parallel::run(&start, &body, instance.block(), &RunOptions::default())
        .expect("no one is stuck");
    let mut mutants = Mutants { original, broken: Vec::new() };
    mutants.change("threads that are exchanged", Rule::Par, |node| node.premises.reverse());
    mutants.broken
}
