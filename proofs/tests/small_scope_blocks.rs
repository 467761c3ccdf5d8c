//! T4 to T7 on every synchronized program of a small scope. Counts are printed: `--nocapture`.

use babycuda_core::{Configuration, HostMemory, Launch, Program, Stmt};
use babycuda_proofs::small_scope::histories::memories;
use babycuda_proofs::small_scope::{Found, Search, Vocabulary, raise};
use babycuda_proofs::{
    adequacy, splitting_preserves_phases, synchronized_access_equivalence,
    well_typed_programs_are_access_invariant,
};
use babycuda_semantics::interleavings::{ExplorationLimits, Reduction};
use babycuda_semantics::vm::{Code, Machine};
use babycuda_semantics::{Instance, Policy, RunOptions};

const SYNCHRONIZED: Vocabulary = Vocabulary::SYNCHRONIZED;

fn instance(program: &Stmt, host: &HostMemory) -> Instance {
    let program = Program::of_body(program.clone());
    Instance::new(program, Launch::threads(2)).with_host(host.clone())
}

/// T4, T5 and T7 of one program, on every memory, by the virtual machine.
fn block_statements(machine: &mut Machine, found: &mut Found, p: (usize, &Stmt)) {
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    let memories = memories();
    let first = instance(p.1, &memories[0]);
    let names = ["typed programs", "ill-typed programs", "undecided programs"];
    let prepared = found.note(p, names, synchronized_access_equivalence::prepare(&first));
    let Some((protocol, lambda)) = prepared else {
        found.counts.add_many("(program, memory) instances", memories.len() as u64);
        found.counts.add_many("T4 vacuous", memories.len() as u64);
        return;
    };
    let code = Code::compile(&first.program.body);
    let mut accesses = None;
    for memory in memories {
        let instance = first.clone().with_host(memory);
        found.counts.add("(program, memory) instances");
        let outcome = machine.run(&code, &instance, &options).outcome();
        let checked =
            synchronized_access_equivalence::compare(&instance, &protocol, &lambda, outcome);
        let Some(e) = found.note(p, ["T4 held", "T4 stuck", "T4 undecided"], checked) else {
            continue;
        };
        found.counts.add(if e.racy.is_empty() { "T4 held, DRF" } else { "T4 held, racy" });
        if e.diverges {
            found.counts.add("T4 held, diverges");
        }
        // T5: all memories on which it is not stuck give the same accesses.
        match &accesses {
            None => accesses = Some((instance, e.phases)),
            Some((_, phases)) if *phases == e.phases => found.counts.add("T5 held"),
            Some((other, _)) => {
                let checked =
                    well_typed_programs_are_access_invariant::check(other, instance.host());
                found.note(p, ["T5 held", "T5 vacuous", "T5 undecided"], checked);
            }
        }
    }
    let declarations = first.program.declarations.clone();
    // One thread meets every obligation.
    let at = [1, 2, 3].map(Configuration::threads);
    let checked = splitting_preserves_phases::check(&protocol, &declarations, &at);
    if let Some(e) = found.note(p, ["T7 held", "T7 vacuous", "T7 undecided"], checked)
        && e.obligations > 0
    {
        found.counts.add("T7 held, obligations met");
        if e.unmet > 0 {
            found.counts.add("T7 held, unmet elsewhere");
        }
    }
}

#[test]
fn t4_t5_and_t7_on_every_memory() {
    let search = Search { vocabulary: SYNCHRONIZED, size: 3 + raise() };
    let found = search.run(|machine: &mut Machine, found, number, program| {
        block_statements(machine, found, (number, program));
    });
    println!("size ≤ {}, 16 memories, {SYNCHRONIZED:?}\n{}", search.size, found.counts);
    found.expect_no_counterexample();
    let count = |what: &str| found.counts.get(what);
    assert!(count("(program, memory) instances") >= 250_000);
    for (what, share) in [
        ("T4 held, DRF", 10),
        ("T4 held, racy", 10),
        ("T4 held, diverges", 1000),
        ("T4 stuck", 50),
        ("T5 held", 10),
    ] {
        assert!(count(what) > count("(program, memory) instances") / share, "{what}");
    }
    assert!(count("T7 held") > count("programs") / 2);
    assert!(count("T7 held, obligations met") > count("programs") / 1000);
    assert!(count("T7 held, unmet elsewhere") > count("programs") / 1000);
    for what in ["undecided programs", "T4 undecided", "T5 undecided", "T5 vacuous"] {
        assert_eq!(count(what), 0, "{what}");
    }
    assert!(count("T7 undecided") < count("programs") / 20);
}

/// The machine's outcomes are the reference's, on every program and memory of a smaller scope.
#[test]
fn the_machine_has_the_outcomes_of_the_reference() {
    let search = Search { vocabulary: SYNCHRONIZED, size: 2 + raise() };
    let found = search.run(|machine: &mut Machine, found, _, program| {
        let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
        let code = Code::compile(&Program::of_body(program.clone()).body);
        for memory in memories() {
            let instance = instance(program, &memory);
            let by_machine = machine.run(&code, &instance, &options).outcome();
            assert_eq!(by_machine, instance.run(&options), "{program}");
            found.counts.add("compared");
        }
    });
    println!("{}", found.counts);
    assert!(found.counts.get("compared") > 3_000);
}

fn adequate(vocabulary: Vocabulary, bound: usize, at_least: u64) {
    let search = Search { vocabulary, size: bound + raise() };
    let found = search.run(|(): &mut (), found, number, program| {
        for memory in memories() {
            let instance = instance(program, &memory);
            found.counts.add("(program, memory) instances");
            let checked =
                adequacy::check(&instance, Reduction::SleepSets, &ExplorationLimits::default());
            let names = ["T6 held", "T6 vacuous", "T6 undecided"];
            let Some(e) = found.note((number, program), names, checked) else { continue };
            found.counts.add_many("executions visited", e.interleavings.executions);
            let racy = e.first_racy.is_some();
            found.counts.add(if racy { "T6 held, racy" } else { "T6 held, DRF" });
            if e.opened().is_some() {
                found.counts.add("T6 held, a racy value opens accesses");
            }
        }
    });
    println!("size ≤ {}, 16 memories, {vocabulary:?}\n{}", search.size, found.counts);
    found.expect_no_counterexample();
    let count = |what: &str| found.counts.get(what);
    let instances = count("(program, memory) instances");
    assert!(instances >= at_least, "{instances}");
    assert!(count("T6 held, DRF") > instances / 20);
    assert!(count("T6 held, racy") > instances / 5);
    assert!(count("T6 held, a racy value opens accesses") > 0);
    assert_eq!(count("T6 undecided"), 0);
    let vacuous = count("T6 vacuous");
    assert!(0 < vacuous && vacuous < instances * 3 / 4, "{vacuous}");
}

#[test]
fn t6_on_every_memory() {
    adequate(SYNCHRONIZED, 3, 250_000);
}

#[test]
fn t6_with_atomics() {
    adequate(Vocabulary { atomics: true, ..SYNCHRONIZED }, 2, 4_000);
}
