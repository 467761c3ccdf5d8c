//! Certificates that Coq accepts, many in one file: a module each.

use crate::coq::{check, theory};
use crate::programs::{EXAMPLES, corpus, parse, random, run};
use babycuda_campaign::{Counts, setting};
use babycuda_certificates::{Certificate, PREAMBLE, Unsupported, of_run, of_type};
use babycuda_core::name::reserved::TID;
use babycuda_core::syntax::ForSort;
use babycuda_core::{Launch, Name, Natural, Num, Program, Stmt};
use babycuda_semantics::{Instance, RunOptions, parallel};
use babycuda_testkit::generators::Profile;
use babycuda_typing::{Context, infer, type_program};
use std::path::Path;

/// What is certified, and its certificate.
pub type Named = (String, Certificate);

/// Larger runs make the suite slow, and show nothing that smaller ones do not.
const LARGEST: usize = 150;

/// How many random programs of each profile.
fn cases() -> usize {
    setting("BABYCUDA_CERTIFICATES", 10)
}

/// The run and the type of a program, as far as it has them; what kept it from having them is
/// counted.
fn certificates(name: &str, program: &Program, counts: &mut Counts<&str>) -> Vec<Named> {
    let mut found = Vec::new();
    match run(program) {
        Some(derivation) if derivation.size() <= LARGEST => {
            found.push(("run", of_run(&derivation)));
        }
        Some(_) => counts.add("too large"),
        None => counts.add("stuck"),
    }
    match type_program(program) {
        Ok(typed) => found.push(("type", of_type(&typed.derivation))),
        Err(_) => counts.add("ill-typed"),
    }
    let mut certificates = Vec::new();
    for (what, certificate) in found {
        match certificate {
            Ok(certificate) => {
                counts.add(what);
                certificates.push((format!("{what} of {name}"), certificate));
            }
            Err(unsupported) => counts.add(reason(&unsupported)),
        }
    }
    certificates
}

fn reason(unsupported: &Unsupported) -> &'static str {
    match unsupported {
        Unsupported::Atomic { .. } => "atomic",
        other => panic!("{other}"),
    }
}

/// Asks Coq about all of them, many in one file. Each must be accepted, and none rest on an axiom.
pub fn accept(theory: &Path, name: &str, certificates: &[Named]) {
    for (number, chunk) in certificates.chunks(100).enumerate() {
        accept_file(theory, &format!("{name}{number}"), chunk);
    }
}

fn accept_file(theory: &Path, file: &str, certificates: &[Named]) {
    let mut text = PREAMBLE.to_owned();
    let mut starts = Vec::new();
    for (number, (_, certificate)) in certificates.iter().enumerate() {
        starts.push(text.lines().count());
        text += &format!("Module m{number}.\n{}End m{number}.\n", certificate.body());
    }
    let theorems: Vec<String> =
        (0..certificates.len()).map(|number| format!("m{number}.certificate")).collect();
    text += &format!("Definition all := ({}).\nPrint Assumptions all.\n", theorems.join(",\n"));
    let answer = check(theory, file, &text);
    if !answer.accepted {
        let number = starts.iter().filter(|start| **start < answer.line).count();
        let name = number.checked_sub(1).map_or("the preamble", |n| certificates[n].0.as_str());
        panic!("{name}, {file}.v: {}", answer.error);
    }
    assert_eq!(answer.output, "Closed under the global context\n", "{file}.v");
    println!("{file}: {} certificates, {} lines", certificates.len(), text.lines().count());
}

#[test]
fn of_the_papers_figures_and_examples() {
    let Some(theory) = theory() else { return };
    let (mut counts, mut all) = (Counts::default(), Vec::new());
    for (name, text) in EXAMPLES {
        all.extend(certificates(name, &parse(text), &mut counts));
    }
    println!("{counts}");
    assert_eq!(counts.get("run"), EXAMPLES.len() as u64);
    assert_eq!(counts.get("type"), 11);
    accept(theory, "examples", &all);
}

/// Every judgment can be the root of a certificate, not only a program's.
#[test]
fn of_each_judgment() {
    let Some(theory) = theory() else { return };
    let mut all = Vec::new();
    for (name, text) in [EXAMPLES[0], EXAMPLES[4], EXAMPLES[9]] {
        let program = parse(text);
        let root = run(&program).expect("no thread is stuck");
        for (depth, node) in root.nodes().filter(|(depth, _)| *depth <= 4) {
            let certificate = of_run(node).unwrap_or_else(|e| panic!("{e}"));
            all.push((format!("{} of {name} at depth {depth}", node.rule), certificate));
        }
    }
    for (name, text) in &EXAMPLES[..5] {
        let program = parse(text);
        let launch = program.geometry.launch().expect("a launch");
        let instance = Instance::new(program, launch);
        let body = instance.body();
        if !body.has_sync() {
            let (_, derivation) =
                parallel::run(&instance.start(), &body, instance.block(), &RunOptions::default())
                    .unwrap_or_else(|e| panic!("{e}"));
            let certificate = of_run(&derivation).unwrap_or_else(|e| panic!("{e}"));
            all.push((format!("parallel of {name}"), certificate));
        }
    }
    let typed = infer(&Context::from_iter(["tid"]), &parse(EXAMPLES[1].1).body).expect("typed");
    for (_, node) in typed.derivation.nodes() {
        let certificate = of_type(node).unwrap_or_else(|e| panic!("{e}"));
        all.push((format!("{} of {}", node.rule, EXAMPLES[1].0), certificate));
    }
    assert!(all.len() >= 30, "{}", all.len());
    accept(theory, "judgments", &all);
}

/// Every third kernel, since Coq takes a second for each; all of them where more cases are asked for.
#[test]
fn of_kernels_of_the_corpus() {
    let Some(theory) = theory() else { return };
    let (mut counts, mut all) = (Counts::default(), Vec::new());
    for (name, program) in corpus().into_iter().step_by(if cases() > 10 { 1 } else { 3 }) {
        all.extend(certificates(&name, &program, &mut counts));
    }
    println!("{counts}");
    assert!(counts.get("run") >= 10 && counts.get("type") >= 20, "{counts}");
    accept(theory, "corpus", &all);
}

#[test]
fn of_random_programs() {
    let Some(theory) = theory() else { return };
    let (mut counts, mut all) = (Counts::default(), Vec::new());
    let anything = Profile { atomics: false, ..Profile::ANY };
    let well_typed = Profile { atomics: false, ..Profile::WELL_TYPED };
    for profile in [Profile::PAPER, Profile::PAPER_WELL_TYPED, anything, well_typed] {
        for (number, program) in random(profile, cases()).iter().enumerate() {
            all.extend(certificates(&format!("{number}:\n{program}\n"), program, &mut counts));
        }
    }
    println!("{counts}");
    let tried = 4 * cases() as u64;
    assert!(counts.get("run") > tried / 2 && counts.get("type") > tried / 3, "{counts}");
    accept(theory, "random", &all);
}

/// The type of every program, wherever its barriers stand and whatever the context is.
#[test]
fn of_types_with_barriers_anywhere() {
    let Some(theory) = theory() else { return };
    let (tid, nothing): (&[&str], &[&str]) = (&["tid"], &[]);
    let all = [
        ("if tid == 0 { sync } else { skip }", tid),
        ("forS x in 0..tid { sync }", tid),
        ("let y = A[tid] in { sync; A[tid] := y }", tid),
        ("forU x in 0..2 { forS z in 0..x { sync; A[z] := 1 } }", nothing),
        ("sync", nothing),
    ];
    let all = all.map(|(text, context)| {
        let context = Context::from_iter(context.iter().copied());
        let typed = infer(&context, &parse(text).body).expect("typed");
        let certificate = of_type(&typed.derivation).unwrap_or_else(|e| panic!("{e}"));
        (format!("type of {text}"), certificate)
    });
    accept(theory, "anywhere", &all);
}

/// Names are strings there, whatever is in them.
#[test]
fn of_programs_with_odd_names() {
    let Some(theory) = theory() else { return };
    let mut all = Vec::new();
    for odd in ["x\"y", "(* x *)", "x\r\ny.", "\\", "tid ", "Ünïcödé↓", "\0", " ", ""] {
        let name = || Name::new(odd);
        let write = Stmt::write("B", Num::var(name()), Num::var("v"));
        let body = Stmt::read("v", name(), Num::var(name()), write);
        let body = Stmt::repeat(ForSort::U, name(), 0, 2, body);
        let launch = Launch::threads(2);
        let instance = Instance::new(Program::of_body(body.clone()), launch);
        let instance = instance.defined_everywhere(&Natural::zero());
        let run = instance.evaluate(&RunOptions::default()).derivation.expect("no thread is stuck");
        all.push((format!("run of {odd:?}"), of_run(&run).unwrap_or_else(|e| panic!("{e}"))));
        let typed = infer(&Context::from_iter([TID]), &body).expect("typed");
        let certificate = of_type(&typed.derivation).unwrap_or_else(|e| panic!("{e}"));
        all.push((format!("type of {odd:?}"), certificate));
    }
    accept(theory, "names", &all);
}

/// What the program `babycuda` prints is accepted as it stands.
#[test]
fn of_the_command_line() {
    let Some(theory) = theory() else { return };
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/certificates");
    let mut checked = 0;
    for golden in std::fs::read_dir(goldens).expect("cli/tests/certificates").flatten() {
        let name = golden.file_name().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".v") else { continue };
        let text = std::fs::read_to_string(golden.path()).expect("readable");
        let answer = check(theory, stem, &text);
        assert!(answer.accepted, "{name}: {}", answer.error);
        assert_eq!(answer.output, "Closed under the global context\n", "{name}");
        checked += 1;
    }
    assert!(checked >= 3, "{checked}");
}

/// What the mechanization does not have is named, with its place.
#[test]
fn what_is_not_mechanized_is_refused() {
    let run_of = |text| run(&parse(text)).map(|derivation| of_run(&derivation));
    let atomic = run_of("threads 1; shared A = [1]; skip; let x = atomic A[0] add 1 in skip");
    let refused = atomic.expect("no thread is stuck").expect_err("atomic");
    assert!(matches!(refused, Unsupported::Atomic { .. }), "{refused}");
    assert!(refused.site().is_some());

    let atomic = type_program(&parse("let x = atomic A[0] add 1 in skip")).expect("typed");
    let refused = of_type(&atomic.derivation).expect_err("atomic");
    assert!(matches!(refused, Unsupported::Atomic { site: Some(_) }), "{refused}");

    let program = parse("threads 2; A[threadIdx.x] := 1");
    let instance = Instance::new(program.clone(), Launch::threads(2));
    let (start, block) = (instance.start(), instance.block());
    let par = parallel::run(&start, &program.body, block, &RunOptions::default());
    let refused = of_run(&par.expect("no thread is stuck").1).expect_err("not `tid`");
    assert!(matches!(refused, Unsupported::LaunchVariable { .. }), "{refused}");
}
