//! `babycuda run`: the history of a kernel in the reference semantics, racy cells marked.

use super::Failure;
use crate::args::{LaunchArgs, PlainFormat, RunArgs};
use crate::history;
use crate::input::{self, File, Fixed, Problem, Unit};
use crate::output;
use crate::report::worst;
use babycuda::semantics::{Instance, Options, Outcome, Policy};
use babycuda_core::Natural;
use babycuda_core::launch::Launch;
use babycuda_core::syntax::Program;
use serde_json::{Value, json};

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, or leaves the launch open.
pub fn run(args: &RunArgs) -> Result<u8, Failure> {
    let file = input::read(&args.file)?;
    let fixed = Fixed { source: &args.source, launch: Some(&args.launch), assumptions: &[] };
    let units = input::units(&file, &fixed).map_err(|p| Failure::of(&file, p))?;
    let mut statuses = Vec::new();
    let mut documents = Vec::new();
    for unit in &units {
        let instance = instance(&file, unit, &args.launch)?;
        for block in 0..instance.block.launch.grid.count() {
            let outcome = babycuda::run(&instance.clone().with_block(block), &options());
            statuses.push(status(&outcome));
            match args.format {
                PlainFormat::Human => {
                    output::print(human(unit.name(), block, &instance, &outcome))?
                }
                PlainFormat::Json => documents.push(document(unit.name(), block, &outcome)),
            }
        }
    }
    if args.format == PlainFormat::Json {
        output::println(json!({ "version": 1, "file": file.path, "runs": documents }))?;
    }
    Ok(worst(statuses))
}

/// How kernels are run: reads of racy cells yield the smallest value, so that a racy run goes on.
pub fn options() -> Options {
    Options { ambiguous: Policy::Smallest, ..Options::default() }
}

/// The kernel with everything that a run needs.
///
/// # Errors
/// [`Failure`] when the unit is no program, or its launch or a parameter is not fixed.
pub fn instance(file: &File, unit: &Unit, launch: &LaunchArgs) -> Result<Instance, Failure> {
    let fail = |message: String, help: &str| {
        let help = Some(help.to_owned());
        Failure::of(file, Problem { message, span: None, help })
    };
    let program: &Program = match unit {
        Unit::Program(program) => program,
        Unit::Protocol(_) => {
            return Err(fail("a protocol has no runs".into(), "use `check` on it"));
        }
        Unit::Unsupported { kernel, construct, span } => {
            let message = format!("kernel {kernel}: not supported: {construct}");
            return Err(Failure::of(file, Problem { message, span: *span, help: None }));
        }
    };
    let Some(found) = program.geometry.launch() else {
        return Err(fail("the launch is not fixed".into(), "give --block (and --grid)"));
    };
    // Without a grid one block is meant: the first of a grid of one.
    let grid = if launch.grid.is_none() && program.geometry.grid.is_none() {
        babycuda_core::Dim3::line(1)
    } else {
        found.grid
    };
    let mentioned = program.body.free_vars();
    let open = program.params.iter().find(|p| p.value.is_none() && mentioned.contains(&p.name));
    if let Some(param) = open {
        let help = format!("give --param {}=VALUE", param.name);
        return Err(fail(format!("parameter `{}` is not fixed", param.name), &help));
    }
    let mut instance = Instance::new(program.clone(), Launch { grid, ..found });
    for param in program.params.iter().filter(|p| p.value.is_none()) {
        instance = instance.with_parameter(param.name.clone(), Natural::zero());
    }
    Ok(instance)
}

fn status(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Stuck { history, .. } if history.is_drf() => 3,
        Outcome::Done { history } if history.is_drf() => 0,
        _ => 1,
    }
}

fn human(name: &str, block: u64, instance: &Instance, outcome: &Outcome) -> String {
    let grid = instance.block.launch.grid.count();
    let which = if grid > 1 { format!(", block {block} of {grid}") } else { String::new() };
    let mut out = format!("{name}{which}: {} threads\n", instance.block.launch.block.count());
    out.push_str(&history::print(outcome.history()));
    let ending = match outcome {
        Outcome::Done { .. } => "all threads end".to_owned(),
        Outcome::Diverged { divergence, .. } => format!("barrier divergence: {divergence}"),
        Outcome::Stuck { stuck, .. } => format!("stuck: {stuck}"),
    };
    out.push_str(&ending);
    out.push('\n');
    out
}

fn document(name: &str, block: u64, outcome: &Outcome) -> Value {
    let history = outcome.history();
    let phases: Vec<Value> = history.chronological().map(|(_, p)| history::json(p)).collect();
    let races: Vec<String> = history.races().map(|race| race.to_string()).collect();
    let (ending, why) = match outcome {
        Outcome::Done { .. } => ("done", None),
        Outcome::Diverged { divergence, .. } => ("diverged", Some(divergence.to_string())),
        Outcome::Stuck { stuck, .. } => ("stuck", Some(stuck.to_string())),
    };
    json!({
        "name": name, "block": block, "outcome": ending, "reason": why,
        "drf": history.is_drf(), "phases": phases, "races": races,
    })
}
