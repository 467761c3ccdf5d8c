//! What graders rest on is what they say: the small evaluator of mutants is the reference where nothing is changed,
//! every change can be seen, and no kernel is repaired by fewer barriers than its exercise asks for.

use babycuda::semantics::{Instance, Outcome, RunLimits, RunOptions};
use babycuda_core::syntax::BarrierScope;
use babycuda_exercises::kinds::mutant::memory::{Memory, run};
use babycuda_exercises::{Kind, catalogue};
use babycuda_testkit::for_all;
use babycuda_testkit::generators::{Profile, programs_with_memory};
use proptest::prelude::*;

#[test]
fn the_evaluator_of_mutants_is_the_reference_where_nothing_is_changed() {
    let profile = Profile {
        atomics: false,
        barriers: true,
        divergent: true,
        huge: false,
        arrays: 2,
        ..Profile::PAPER
    };
    let config =
        ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() };
    let seen = for_all(config, programs_with_memory(profile), |(program, host)| {
        let Some(launch) = program.geometry.launch() else { return Ok(vec!["no launch"]) };
        let narrow =
            program.body.scoped_barrier().is_some_and(|(_, scope)| scope != BarrierScope::Block);
        if launch.grid.count() > 1 || narrow {
            return Ok(vec!["several blocks"]);
        }
        let instance = Instance::new(program, launch).with_host(host);
        let limits = RunLimits { steps: 20_000, ..RunLimits::default() };
        let right = instance.run(&RunOptions { limits, ..RunOptions::default() });
        let found = run(&instance, Memory::Right);
        Ok(vec![match (right, found) {
            (Outcome::Done { history }, Ok(found)) => {
                prop_assert_eq!(&history, &found);
                if history.len() > 1 { "several phases" } else { "one phase" }
            }
            (Outcome::Diverged { .. }, Err(why)) => {
                prop_assert!(why.contains("diverge"), "{}", why);
                "diverges"
            }
            (Outcome::Stuck { .. }, Err(_)) => "stuck",
            (right, found) => return Err(TestCaseError::fail(format!("{right:?} and {found:?}"))),
        }])
    });
    for (label, least) in
        [("several phases", 50), ("one phase", 50), ("diverges", 5), ("stuck", 50)]
    {
        assert!(seen.count(label) >= least, "{label}: {}", seen.count(label));
    }
}

/// One barrier less, at any place: each is tried.
#[test]
fn fewer_barriers_repair_no_kernel() {
    let (mut several, mut tried) = (0, 0);
    for exercise in catalogue::all().into_iter().filter(|exercise| exercise.kind == Kind::Repair) {
        let asked = exercise.text.lines().find_map(|line| line.strip_prefix("barriers: ")).unwrap();
        // With none, the kernel is racy: reading the exercise fails otherwise.
        if asked == "1" {
            continue;
        }
        assert_eq!(asked, "2", "{}", exercise.id);
        several += 1;
        let block = if exercise.ending() == "cu" {
            ("```cuda\n", "__syncthreads();")
        } else {
            ("```bcuda\n", "sync;")
        };
        let (_, rest) = exercise.text.split_once(block.0).unwrap();
        let (kernel, _) = rest.split_once("```").unwrap();
        for (line, _) in kernel.match_indices('\n') {
            let text = format!("{}\n{}{}", &kernel[..line], block.1, &kernel[line..]);
            let grade = exercise.grade(text.as_bytes());
            assert_ne!(grade.status(), "passed", "{}: {text}", exercise.id);
            tried += 1;
        }
    }
    assert!(several >= 2 && tried >= 15, "{several} exercises, {tried} places");
}
