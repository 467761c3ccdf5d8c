//! Properties of the type system and of the approximation, over random programs in which every
//! binder may shadow every other.

mod poison;
mod programs;
mod run;

use babycuda_core::evidence::Counter;
use babycuda_core::history::{HostArray, HostMemory};
use babycuda_core::machine::IntType;
use babycuda_core::{Access, Configuration, Name, Natural, Program, Protocol, Site, Stmt};
use babycuda_protocols::map::{
    Configured, Ending, Lambda, MapLimits, NoOracle, Oracle, evaluate_threads,
};
use babycuda_testkit::Distribution;
use babycuda_testkit::generators::{self, Profile, almost_well_typed, raw_program, strategy};
use babycuda_typing::{
    AccessCertainty, Cause, Context, DataSource, Place, TypeEvidence, approximate,
    check_derivation, check_type, infer, normalize, type_program, type_relative,
};
use im::Vector;
use poison::poisonings;
use programs::{Kind, programs};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use run::{Run, parameters, run};
use std::collections::BTreeSet;

/// Host memory: small numbers in all arrays.
fn memories() -> impl Strategy<Value = HostMemory> {
    let cells = || prop::collection::vec(0u64..6, 6);
    (cells(), cells(), cells(), 0u64..3).prop_map(|(a, b, i, fill)| {
        let array = |cells: Vec<u64>| HostArray {
            fill: Some(Natural::from(fill)),
            cells: (0u64..).zip(cells).map(|(j, k)| (Natural::from(j), Natural::from(k))).collect(),
        };
        let mut memory = HostMemory::default();
        memory.insert(Name::new("A"), array(a));
        memory.insert(Name::new("B"), array(b));
        memory.insert(Name::new("I"), array(i));
        memory
    })
}

/// Chooses for each `any` what the read at its site yielded in a run.
struct Replay<'a> {
    run: &'a Run,
    out_of_domain: usize,
}

impl Oracle for Replay<'_> {
    fn choose(
        &mut self,
        thread: u64,
        site: Site,
        _: &Name,
        domain: Option<IntType>,
        iteration: &Vector<Counter>,
    ) -> Option<Natural> {
        // `any` may stand inside loops that begin after the read: the longest fitting iteration.
        let counters: Vec<(Site, Natural)> =
            iteration.iter().map(|c| (c.site, c.value.clone())).collect();
        let fits = |read: &run::Iteration| {
            let mut counters = counters.iter();
            read.iter().all(|c| counters.any(|d| c == d))
        };
        let (_, value) = self
            .run
            .reads
            .iter()
            .filter(|((i, s, read), _)| (*i, *s) == (thread, site) && fits(read))
            .max_by_key(|((_, _, read), _)| read.len())?;
        if let Some(t) = domain
            && *value > Natural::from(t.width.mask())
        {
            self.out_of_domain += 1;
        }
        Some(value.clone())
    }
}

/// Λ where the inputs of the program hold what the memory does.
fn lambda(
    (program, memory): (&Program, &HostMemory),
    protocol: &Protocol,
    oracle: &mut dyn Oracle,
) -> Lambda {
    let launch = program.geometry.launch().unwrap();
    let mut host = HostMemory::default();
    for input in program.inputs() {
        // Of what is undefined, these runs read 0.
        let mut contents = memory.array(&input).cloned().unwrap_or_default();
        contents.fill.get_or_insert_with(Natural::zero);
        host.insert(input, contents);
    }
    let parameters = parameters(program);
    let configuration = Configuration { parameters, host, ..Configuration::of_launch(launch) };
    let configured = Configured { protocol, configuration: &configuration };
    let threads = 0..launch.block.count();
    evaluate_threads(configured, threads, oracle, &MapLimits::default()).unwrap()
}

/// Programs of this file and of the testkit, with contents of their arrays.
fn any_programs() -> impl Strategy<Value = (Program, HostMemory)> {
    prop_oneof![(programs(Kind::Any), memories()), generators::programs_with_memory(Profile::ANY),]
}

/// The same, well-typed.
fn typed_programs() -> impl Strategy<Value = (Program, HostMemory)> {
    prop_oneof![
        (programs(Kind::Typed), memories()),
        generators::programs_with_memory(Profile::WELL_TYPED),
        generators::programs_with_memory(Profile::PAPER_WELL_TYPED),
    ]
}

fn accesses(run: &Run) -> Vec<BTreeSet<Access>> {
    let mut phases = vec![BTreeSet::new(); run.phases];
    for e in &run.events {
        phases[e.phase].insert(Access { thread: e.thread, mode: e.mode, cell: e.cell.clone() });
    }
    phases
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// With the data of a run in the place of `any`, the approximation accesses what the run
    /// accesses, phase by phase, and ends as it ends. So over all data it covers every run.
    #[test]
    fn the_approximation_covers_every_run((program, memory) in any_programs()) {
        let Some(run) = run(&program, &memory) else { return Ok(()) };
        let protocol = approximate(&program).protocol;
        let mut replay = Replay { run: &run, out_of_domain: 0 };
        let lambda = lambda((&program, &memory), &protocol, &mut replay);
        prop_assert_eq!(replay.out_of_domain, 0);
        prop_assert_eq!(lambda.accesses(), accesses(&run), "{}", protocol);
        prop_assert_eq!(lambda.ending != Ending::Done, run.diverged());
    }

    /// T2, and T5 with the same protocol for every memory: a well-typed program accesses what its
    /// type says, whatever the data.
    #[test]
    fn well_typed_programs_do_what_their_type_says((program, memory) in typed_programs()) {
        let typed = type_program(&program).unwrap();
        prop_assert_eq!(check_derivation(&typed.derivation), Ok(()));
        let Some(run) = run(&program, &memory) else { return Ok(()) };
        let lambda = lambda((&program, &memory), &typed.protocol, &mut NoOracle);
        prop_assert_eq!(lambda.accesses(), accesses(&run));
        prop_assert_eq!(lambda.ending != Ending::Done, run.diverged());
    }

    /// T11: relative to what the host stored in inputs, a program accesses what its type says, and
    /// other contents of other arrays change nothing.
    #[test]
    fn relative_types_do_what_they_say(
        program in programs(Kind::Relative),
        memories in (memories(), memories()),
    ) {
        let typed = type_relative(&program).unwrap();
        let derivation = typed.derivation.clone();
        let evidence = TypeEvidence { program: program.clone(), derivation };
        prop_assert_eq!(check_type(&evidence), Ok(()));
        let (memory, mut other) = memories;
        other.insert(Name::new("I"), memory.array(&Name::new("I")).unwrap().clone());
        let approximation = approximate(&program).protocol;
        prop_assert!(approximation.is_exact(), "{approximation}");
        for memory in [memory, other] {
            let Some(run) = run(&program, &memory) else { return Ok(()) };
            for protocol in [&typed.protocol, &normalize(&typed.protocol), &approximation] {
                let lambda = lambda((&program, &memory), protocol, &mut NoOracle);
                prop_assert_eq!(lambda.accesses(), accesses(&run), "{}", protocol);
                prop_assert_eq!(lambda.ending != Ending::Done, run.diverged());
            }
        }
    }

    /// On well-typed programs the approximation is the type, and everything is independent of
    /// data; on all programs it is exact just where everything is independent, but for what comes
    /// after a loop with an opaque bound (`let x = A[0] in forU i in 0..x {skip}`).
    #[test]
    fn the_approximation_extends_the_type(
        (program, _) in prop_oneof![any_programs(), typed_programs()],
    ) {
        let approximation = approximate(&program);
        let exact = approximation.protocol.is_exact() && !approximation.protocol.is_relative();
        prop_assert!(exact || !approximation.is_exact());
        if exact {
            for a in &approximation.accesses {
                let opaque = a.phase_data.iter().all(|flow| flow.source == DataSource::Opaque);
                prop_assert!(a.index_data.is_empty() && a.control_data.is_empty() && opaque);
            }
            prop_assert!(approximation.barriers.iter().all(|b| b.control_data.is_empty()));
        }
        prop_assert_eq!(&normalize(&approximation.protocol), &approximation.protocol);
        if let Ok(typed) = type_program(&program) {
            prop_assert_eq!(&approximation.protocol, &normalize(&typed.protocol));
            prop_assert!(approximation.is_exact());
        }
    }

    /// Two runs on different data agree on every access that is said to be independent of data.
    #[test]
    fn independent_accesses_are_the_same_for_all_data(
        program in programs(Kind::Any),
        memories in (memories(), memories()),
    ) {
        let Some((one, other)) = run(&program, &memories.0).zip(run(&program, &memories.1)) else {
            return Ok(());
        };
        let approximation = approximate(&program);
        for a in approximation.accesses.iter().filter(|a| a.is_independent()) {
            let at = |run: &Run| -> BTreeSet<_> {
                run.events.iter().filter(|e| e.site == a.site).cloned().collect()
            };
            prop_assert_eq!(at(&one), at(&other), "{:?} of {}", a, program);
        }
    }

    /// Weakening: more variables in `V` change nothing, as long as no binder has their names.
    #[test]
    fn typing_is_weakened((program, _) in any_programs()) {
        let small = Context::of_program(&program);
        let large = small.with(Name::new("more")).with(Name::new("even'more"));
        match (infer(&small, &program.body), infer(&large, &program.body)) {
            (Ok(one), Ok(other)) => prop_assert_eq!(one.protocol, other.protocol),
            (one, other) => prop_assert_eq!(one.err(), other.err()),
        }
    }

    /// A rejection is true: the place at the site mentions the variable, and the site it blames
    /// is a `let` or loop of that variable.
    #[test]
    fn rejections_are_true((program, _) in any_programs()) {
        let Err(rejection) = type_program(&program) else { return Ok(()) };
        let at = |site| program.body.subterms().find(|b| b.site() == Some(site)).unwrap();
        let x = &rejection.variable;
        let statement = at(rejection.site);
        let mentions = match (rejection.place, statement) {
            (
                Place::Index,
                Stmt::Write { index, .. } | Stmt::Read { index, .. } | Stmt::Atomic { index, .. },
            ) => index.free_vars().contains(x),
            (Place::Guard, Stmt::If { condition, .. }) => condition.free_vars().contains(x),
            (Place::LowerBound, Stmt::For { lower, .. }) => lower.free_vars().contains(x),
            (Place::UpperBound, Stmt::For { upper, .. }) => upper.free_vars().contains(x),
            (
                Place::Binder,
                Stmt::Read { var, .. } | Stmt::Atomic { var, .. } | Stmt::For { var, .. },
            ) => var == x,
            _ => false,
        };
        prop_assert!(mentions, "{rejection} in {program}");
        match &rejection.cause {
            Cause::Data(read) => {
                let (Stmt::Read { var, array, .. } | Stmt::Atomic { var, array, .. }) = at(read.site)
                else {
                    panic!("{rejection} blames no let");
                };
                prop_assert_eq!((var, array), (x, &read.array));
            }
            Cause::AlreadyInContext(Some(site)) => {
                let blamed = matches!(at(*site), Stmt::For { var, .. } if var == x);
                prop_assert!(blamed);
            }
            Cause::AlreadyInContext(None) => {
                prop_assert!(Context::of_program(&program).contains(x));
            }
            Cause::Unbound => prop_assert!(false, "{rejection}: the program is closed"),
        }
    }

    /// The testkit's programs that break one rule are rejected by it.
    #[test]
    fn a_broken_rule_is_named((program, broken) in strategy(almost_well_typed)) {
        let rejection = type_program(&program).unwrap_err();
        prop_assert_eq!(rejection.rule.id(), broken.rule());
    }

    /// The paper's well-typed programs need nothing else.
    #[test]
    fn the_paper_suffices_for_its_programs(
        program in generators::programs(Profile::PAPER_WELL_TYPED),
    ) {
        let typed = type_program(&program).unwrap();
        prop_assert!(typed.is_paper_fragment());
        prop_assert!(typed.derivation.nodes().all(|(_, node)| node.rule.is_paper()));
    }

    /// Everything is total, on trees that no parser would accept.
    #[test]
    fn nothing_panics(program in strategy(raw_program)) {
        let approximation = approximate(&program);
        prop_assert_eq!(&normalize(&approximation.protocol), &approximation.protocol);
        match type_program(&program) {
            Ok(typed) => prop_assert_eq!(check_derivation(&typed.derivation), Ok(())),
            Err(rejection) => prop_assert!(!rejection.describe(&program.sources).is_empty()),
        }
    }

    /// Almost well-typed: data put into one index, guard or bound of a well-typed program is
    /// rejected at that place.
    #[test]
    fn data_in_one_place_is_rejected_there((program, _) in typed_programs()) {
        for (rule, premise, site, x, poisoned) in poisonings(&program.body) {
            let rejection = infer(&Context::of_program(&program), &poisoned).unwrap_err();
            let found = (rejection.rule, rejection.premise, rejection.site, rejection.variable);
            prop_assert_eq!(found, (rule, premise, site, x));
            prop_assert!(matches!(rejection.cause, Cause::Data(_)));
        }
    }
}

/// What the generators of this file produce, so that no property above holds for want of cases.
#[test]
fn the_random_programs_are_balanced() {
    let sample = |strategy: BoxedStrategy<(Program, HostMemory)>| {
        let mut runner = TestRunner::deterministic();
        let mut seen = Distribution::default();
        for _ in 0..4000 {
            let (program, memory) = strategy.new_tree(&mut runner).unwrap().current();
            seen.case(labels(&program, &memory));
        }
        println!("{seen}");
        seen
    };
    let any = sample((programs(Kind::Any), memories()).boxed());
    let typed = sample((programs(Kind::Typed), memories()).boxed());
    let testkit = sample(generators::programs_with_memory(Profile::ANY).boxed());
    for (seen, what, least) in [
        (&typed, "well-typed", 1.0),
        (&typed, "several phases", 0.05),
        (&typed, "divergent", 0.012),
        (&typed, "renamed", 0.025),
        (&typed, "can be poisoned", 0.25),
        (&testkit, "any", 0.015),
        (&testkit, "several phases", 0.1),
        (&testkit, "one phase", 0.25),
        (&any, "well-typed", 0.25),
        (&any, "any", 0.12),
        (&any, "renamed", 0.07),
        (&any, "several phases", 0.05),
        (&any, "divergent", 0.012),
        (&any, "partly independent", 0.1),
        (&any, "phase decided by data", 0.005),
        (&any, "rejected by type/t-write at premise 1", 0.025),
        (&any, "rejected by type/t-read at premise 1", 0.012),
        (&any, "rejected by type/t-read at premise 2", 0.025),
        (&any, "rejected by type/t-if at premise 1", 0.012),
        (&any, "rejected by type/t-for at premise 1", 0.0025),
        (&any, "rejected by type/t-for at premise 2", 0.0025),
        (&any, "rejected by type/t-for at premise 3", 0.007),
        (&any, "rejected by type/t-for-s at premise 1", 0.0025),
        (&any, "rejected by type/t-for-s at premise 2", 0.0025),
        (&any, "rejected by type/t-for-s at premise 3", 0.007),
        (&any, "rejected by type/t-atomic at premise 1", 0.005),
        (&any, "rejected by type/t-atomic at premise 2", 0.012),
    ] {
        seen.assert_share(what, least..=1.0);
    }
}

fn labels(program: &Program, memory: &HostMemory) -> Vec<String> {
    let approximation = approximate(program);
    let protocol = &approximation.protocol;
    let accesses = &approximation.accesses;
    let typing = match type_program(program) {
        Ok(_) => "well-typed".to_owned(),
        Err(r) => format!("rejected by {} at premise {}", r.rule, r.premise),
    };
    let run = match run(program, memory) {
        None => "too long",
        Some(run) if run.diverged() => "divergent",
        Some(run) if run.phases > 1 => "several phases",
        Some(_) => "one phase",
    };
    let independent = accesses.iter().any(AccessCertainty::is_independent);
    let partly = independent && !approximation.is_exact();
    let by_phase = accesses.iter().any(|a| !a.phase_data.is_empty());
    let parts = [
        (!protocol.is_exact()).then_some("any"),
        protocol.to_string().contains('\'').then_some("renamed"),
        partly.then_some("partly independent"),
        by_phase.then_some("phase decided by data"),
        (!poisonings(&program.body).is_empty()).then_some("can be poisoned"),
        Some(run),
    ];
    parts.into_iter().flatten().map(str::to_owned).chain([typing]).collect()
}
