//! The counterexamples and examples that search finds, each the smallest, kept as golden files.
//!
//! Set `BABYCUDA_BLESS=1` to write the files anew.

use babycuda_core::parse::parse_program;
use babycuda_core::{Launch, Program, Stmt};
use babycuda_proofs::adequacy::{self, Evidence};
use babycuda_proofs::small_scope::histories::{
    all_phases, memories, phases_of_one_access, with_phases,
};
use babycuda_proofs::small_scope::programs::size;
use babycuda_proofs::small_scope::{Found, Programs, Search, Vocabulary};
use babycuda_proofs::{Situation, Subject, corrected_theorem_1, determinism, printed_theorem_1};
use babycuda_semantics::interleavings::{End, ExplorationLimits, Reduction};
use babycuda_semantics::vm::{Code, Machine, Run};
use babycuda_semantics::{Instance, Outcome, Policy, RunOptions};
use std::path::PathBuf;
use std::sync::Arc;

/// Holds `found` to the golden file, which must parse and print as itself.
fn golden(name: &str, found: &str) -> Program {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("counterexamples").join(name);
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(&path, found).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(kept, found, "{name}");
    parse_program(&kept).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The smallest program of the vocabulary that `check` refutes on some history.
fn smallest<E>(
    bound: usize,
    check: impl Fn(&Situation) -> babycuda_proofs::Checked<E> + Sync,
) -> Found {
    let search = Search { vocabulary: Vocabulary::PAPER, size: bound };
    let histories = with_phases(&phases_of_one_access(2));
    search.run(|(): &mut (), found, number, program| {
        let subject = Arc::new(Subject::new(program.clone(), 2));
        for history in &histories {
            let s = Situation::new(history.clone(), subject.clone());
            found.note((number, program), ["held", "vacuous", "undecided"], check(&s));
        }
    })
}

#[test]
fn theorem_1_as_printed_is_refuted_by_search_and_the_corrected_one_is_not() {
    let found = smallest(2, printed_theorem_1::check);
    println!("T1 as printed\n{}", found.counts);
    let ((size, _), counterexample) = found.smallest.iter().next().expect("it is false");
    assert_eq!(*size, 1);
    let program = golden("T1-printed.bcuda", &counterexample.to_string());
    // The file shows it: its run is racy.
    let launch = program.geometry.launch().expect("two threads");
    match Instance::new(program, launch).run(&RunOptions::default()) {
        Outcome::Done { history } => assert!(!history.is_drf()),
        other => panic!("{other:?}"),
    }
    assert!(found.counts.get("refuted") > 0 && found.counts.get("held") > 0);
    let corrected = smallest(2, corrected_theorem_1::check);
    println!("T1 corrected\n{}", corrected.counts);
    corrected.expect_no_counterexample();
    assert!(corrected.counts.get("held") >= found.counts.get("held") + found.counts.get("refuted"));
}

#[test]
fn without_its_hypothesis_determinism_is_refuted_by_search() {
    let racy = with_phases(&all_phases());
    let search = Search { vocabulary: Vocabulary::PAPER, size: 2 };
    let found = search.run(|(): &mut (), found, number, program| {
        let subject = Arc::new(Subject::new(program.clone(), 2));
        for history in racy.iter().filter(|h| h.len() > 1) {
            let s = Situation::new(history.clone(), subject.clone());
            found.note(
                (number, program),
                ["held", "vacuous", "undecided"],
                determinism::at_most_one(&s),
            );
        }
    });
    let (_, counterexample) = found.smallest.iter().next().expect("lastwrite is a relation");
    golden("T0-without-hypothesis.bcuda", &counterexample.to_string());
}

/// The first program of the vocabulary, by size, on the first memory, for which T6 has evidence
/// that `wanted` accepts. Only where `may_be` accepts the big-step run, interleavings are visited.
fn first_example(
    vocabulary: Vocabulary,
    bound: usize,
    may_be: impl Fn(&Run<'_>) -> bool,
    wanted: impl Fn(&Evidence, &Instance) -> Option<String>,
) -> (Instance, String) {
    let (mut programs, mut machine) = (Programs::new(vocabulary), Machine::default());
    for size in 0..=bound {
        let mut example = None;
        programs.visit(size, &mut |program| {
            if example.is_none() {
                example = on_some_memory(&mut machine, &program, &may_be, &wanted);
            }
        });
        if let Some(example) = example {
            return example;
        }
    }
    panic!("no example up to size {bound}")
}

fn on_some_memory(
    machine: &mut Machine,
    program: &Stmt,
    may_be: impl Fn(&Run<'_>) -> bool,
    wanted: impl Fn(&Evidence, &Instance) -> Option<String>,
) -> Option<(Instance, String)> {
    let whole = Arc::new(Program::of_body(program.clone()));
    let code = Code::compile(&whole.body);
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    memories().into_iter().find_map(|memory| {
        let instance = Instance::new(whole.clone(), Launch::threads(2)).with_host(memory);
        if !may_be(&machine.run(&code, &instance, &options)) {
            return None;
        }
        let checked =
            adequacy::check(&instance, Reduction::SleepSets, &ExplorationLimits::default());
        let why = wanted(&checked.ok()?, &instance)?;
        Some((instance, why))
    })
}

/// The example as a file: the program with its memory, and why it is one.
fn example(title: &str, instance: &Instance, why: &str) -> String {
    let program = babycuda_proofs::situation::with_declared_memory(instance);
    let mut text = format!("// {title}\n//\n");
    for line in why.lines() {
        text += format!("// {line}").trim_end();
        text += "\n";
    }
    format!("{text}\n{program}")
}

#[test]
fn a_racy_value_can_open_accesses_that_the_history_does_not_contain() {
    let (instance, why) = first_example(
        Vocabulary::PAPER,
        2,
        |run| run.is_racy(),
        |evidence, _| {
            let (end, k) = evidence.opened()?;
            let interval: Vec<String> = end.intervals[k].iter().map(ToString::to_string).collect();
            Some(format!(
                "history: {}\ninterval {k} of an interleaving: {}",
                evidence.history,
                interval.join(", ")
            ))
        },
    );
    assert_eq!(size(&instance.program.body), 2);
    let title = "The smallest program with an interleaving whose accesses its history lacks.";
    golden("T6-opened-accesses.bcuda", &example(title, &instance, &why));
}

#[test]
fn after_the_first_racy_phase_history_and_interleavings_can_disagree() {
    let vocabulary = Vocabulary { barriers: true, ..Vocabulary::PAPER };
    // A race, and none in the last phase.
    let may_be = |run: &Run<'_>| {
        run.is_racy() && run.racy_cells().all(|(phase, _)| phase + 1 < run.phases())
    };
    let (instance, why) = first_example(vocabulary, 4, may_be, |evidence, instance| {
        // In no derivation is the last phase racy, and in some interleaving it is.
        let last = evidence.history.len().checked_sub(1)?;
        let in_interleaving = |end: &&End| end.races().any(|r| r.phase == last);
        let end = evidence.interleavings.ends.iter().find(in_interleaving)?;
        let quiet = [Policy::Smallest, Policy::Largest].into_iter().all(|ambiguous| {
            let run = instance.run(&RunOptions { ambiguous, ..RunOptions::default() });
            run.is_done() && run.history().races().all(|race| race.phase != last)
        });
        (evidence.first_racy? < last && quiet).then(|| {
            let races: Vec<String> = end.races().map(|race| race.to_string()).collect();
            format!(
                "history: {}\nraces of an interleaving:\n  {}",
                evidence.history,
                races.join("\n  ")
            )
        })
    });
    let title = "The smallest program with an interleaving that races in a later phase than the\n\
                 // first racy one, in which its history is race-free.";
    golden("T6-after-the-first-race.bcuda", &example(title, &instance, &why));
}
