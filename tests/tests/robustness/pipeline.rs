//! What the commands do, in one process: check, type, run, derive, emit.

use babycuda::gpu::emit;
use babycuda::protocols::enumerate;
use babycuda::semantics::{self, Instance, Policy, Reason, Stuck};
use babycuda::smt::SolverName;
use babycuda::{CheckOptions, Checked, Settings, check as decide, check_protocol, typing};
use babycuda_core::parse::{parse_map, parse_program};
use babycuda_core::syntax::MapFile;
use babycuda_core::{Budget, Dim3, Program};
use babycuda_frontend::{Translation, parse_cuda};
use babycuda_report::derivation as render;
use babycuda_tests::Target;
use std::time::{Duration, Instant};

/// A mutant.
pub enum Subject {
    Cuda(String),
    BabyCuda(String),
    Map(String),
    ProgramTree(Box<Program>),
    MapTree(Box<MapFile>),
    Bytes(&'static Target, Vec<u8>),
}

/// Time for a check, and how long after it the check may still go on.
const CHECK: Duration = Duration::from_millis(15);
const AFTER: Duration = Duration::from_secs(5);

/// The mutant as a message shows it.
pub fn excerpt(subject: &Subject) -> String {
    let text = match subject {
        Subject::Cuda(text) | Subject::BabyCuda(text) | Subject::Map(text) => text.clone(),
        Subject::ProgramTree(program) => program.to_string(),
        Subject::MapTree(map) => map.to_string(),
        Subject::Bytes(reader, bytes) => format!("{}: {}", reader.name, bytes.escape_ascii()),
    };
    text.chars().take(3000).collect()
}

/// Does the mutant get past the parser?
pub fn parses(subject: &Subject) -> bool {
    match subject {
        Subject::Cuda(text) => !programs(text, 0).is_empty(),
        Subject::BabyCuda(text) => parse_program(text).is_ok(),
        Subject::Map(text) => parse_map(text).is_ok(),
        Subject::ProgramTree(_) | Subject::MapTree(_) => true,
        Subject::Bytes(reader, bytes) => (reader.run)(bytes),
    }
}

/// The kernels of a CUDA file that can be translated, for a launch that depends on the case.
fn programs(text: &str, case: u64) -> Vec<Program> {
    let block = case.is_multiple_of(2).then_some(Dim3::line(8));
    let settings = Settings { block, ..Settings::default() };
    let kernels = parse_cuda(text, &settings.into()).unwrap_or_default();
    let translated = kernels.into_iter().filter_map(|kernel| match kernel.translation {
        Translation::Program(program) => Some(program),
        Translation::Unsupported(_) => None,
    });
    translated.collect()
}

/// Everything that can be done with the mutant.
///
/// # Errors
/// An internal error, in words, or a check that goes on for too long.
pub fn check(subject: &Subject, case: u64) -> Result<(), String> {
    match subject {
        Subject::Cuda(text) => programs(text, case).iter().try_for_each(|p| program(p, case)),
        Subject::BabyCuda(text) => parse_program(text).map_or(Ok(()), |p| program(&p, case)),
        Subject::Map(text) => parse_map(text).map_or(Ok(()), |m| protocol(&m)),
        Subject::ProgramTree(tree) => {
            let _text = tree.to_string();
            program(tree, case)
        }
        Subject::MapTree(tree) => {
            let _text = tree.to_string();
            protocol(tree)
        }
        Subject::Bytes(reader, bytes) => {
            (reader.run)(bytes);
            Ok(())
        }
    }
}

fn options() -> CheckOptions {
    CheckOptions {
        limits: enumerate::EnumerationLimits {
            memory: 64 << 20,
            ..enumerate::EnumerationLimits::default()
        },
        solvers: vec![SolverName::Builtin],
        timeout: CHECK,
        budget: Budget::time(CHECK),
        replay_steps: 5_000,
        ..CheckOptions::default()
    }
}

fn judged<E>(what: impl FnOnce(&CheckOptions) -> Result<Checked, E>) -> Result<(), String> {
    let start = Instant::now();
    let checked = what(&options());
    if start.elapsed() > CHECK + AFTER {
        return Err(format!("the check took {:?}", start.elapsed()));
    }
    match checked {
        Ok(Checked { verdict, .. }) => {
            let outcome = format!("{:?}", verdict.outcome);
            if outcome.contains("internal") { Err(outcome) } else { Ok(()) }
        }
        Err(_) => Ok(()),
    }
}

fn protocol(map: &MapFile) -> Result<(), String> {
    judged(|options| check_protocol(map, options))
}

fn program(original: &Program, case: u64) -> Result<(), String> {
    let block = case.is_multiple_of(5).then_some(Dim3 { x: 3, y: 1, z: 1 });
    let settings = Settings { block, ..Settings::default() };
    let Ok(declarations) = settings.apply(original) else { return Ok(()) };
    let program = declarations.around(original.body.clone());
    judged(|options| decide(&program, options))?;
    if let Ok(typed) = typing::type_program(&program) {
        typing::check_derivation(&typed.derivation).map_err(|e| format!("internal: {e}"))?;
    }
    for target in [emit::Target::Cuda, emit::Target::OpenCl, emit::Target::Wgsl] {
        // A text, or the reason why there is none.
        let _text = emit::emit(&program, target, &emit::EmitOptions::default());
    }
    if let Some(launch) = program.geometry.launch() {
        let limits = semantics::RunLimits { threads: 64, steps: 500, number_bits: 4096 };
        let options =
            semantics::RunOptions { limits, ambiguous: Policy::Smallest, ..Default::default() };
        let instance = Instance::new(program.clone(), launch);
        let evaluation = instance.evaluate(&options);
        if evaluation.outcome != semantics::vm::run(&instance, &options) {
            return Err("internal: the virtual machine differs from the rules".into());
        }
        if let Some(derivation) = evaluation.derivation {
            semantics::check_derivation(&derivation).map_err(|e| format!("internal: {e}"))?;
            let _text = render::compact(&render::run_in_full(&derivation));
            draw(&render::of_run(&derivation));
        } else if !evaluation.outcome.stuck().is_some_and(is_limit)
            && let Some(attempt) = instance.attempt(&options)
        {
            draw(&render::stopped_run(&attempt, "stuck", false));
        }
    }
    Ok(())
}

/// A limit is no premise that fails: nothing is drawn.
fn is_limit(stuck: &Stuck) -> bool {
    matches!(stuck.reason, Reason::Limit { .. })
}

fn draw(drawing: &render::Drawing) {
    let _trees = (render::tree(drawing, 80), render::svg(drawing, 390), render::html(drawing));
    let _document = render::latex(drawing, render::Style::Bussproofs);
}
