//! `babycuda run`: the history of a kernel in the reference semantics, racy cells marked.

use super::Failure;
use crate::args::{ChooseArgs, LaunchArgs, PlainFormat, RunArgs};
use crate::choices;
use crate::input::{self, File, Fixed, Problem, Unit};
use crate::output;
use babycuda::semantics::vm::Visit;
use babycuda::semantics::{Instance, Options, Outcome, Policy};
use babycuda::{Evaluator, Observed, REFERENCE_STEPS};
use babycuda_core::launch::Launch;
use babycuda_core::{Configuration, Declarations, Name, counted};
use babycuda_report::{across, history, worst};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, or leaves the launch open.
pub fn run(args: &RunArgs) -> Result<u8, Failure> {
    let file = input::read(&args.file)?;
    let settings = Fixed { source: &args.source, launch: Some(&args.launch), assumptions: &[] };
    let units = input::units(&file, &settings).map_err(|p| Failure::of(&file, p))?;
    let policy = args.choose.choose;
    let mut statuses = Vec::new();
    let (mut documents, mut between) = (Vec::new(), Vec::new());
    for unit in &units {
        let instance = instance(&file, unit, &args.launch)?;
        // Data that decides no access may still overflow, unless nobody knows the data.
        let stopping = instance.program.stopping().filter(|p| choices::guesses(p).is_none());
        let instance = match stopping {
            Some(program) => Instance { program: Arc::new(program), ..instance },
            None => instance,
        };
        let instance = args.choose.settle(&file, instance)?;
        let guesses = choices::guesses(&instance.program);
        let mut histories = Vec::new();
        for block in 0..instance.configuration.launch.grid.count() {
            let instance = instance.clone().with_block(block);
            let observed = babycuda::observe(&instance, &options(policy));
            statuses.push(if guesses.is_some() { 3 } else { status(&observed.outcome) });
            match args.format {
                PlainFormat::Human => {
                    output::print(human(&instance, &args.choose, &observed, guesses.as_ref()))?;
                }
                PlainFormat::Json => {
                    documents.push(document(&instance, &args.choose, &observed, guesses.as_ref()));
                }
            }
            histories.push(observed.outcome.history().clone());
        }
        let races = across::races(&instance.program, &histories);
        if guesses.is_none() {
            statuses.push(u8::from(races.1 > 0));
        }
        match args.format {
            PlainFormat::Human => output::print(across::lines(&races))?,
            PlainFormat::Json => between.extend(across::document(unit.name(), &races)),
        }
    }
    if args.format == PlainFormat::Json {
        output::println(json!({
            "version": 1,
            "file": file.path,
            "runs": documents,
            "races_across_blocks": between,
        }))?;
    }
    Ok(worst(statuses))
}

/// How kernels are run: whatever the calculus leaves open is chosen, so that a racy run goes on.
pub fn options(policy: Policy) -> Options {
    Options { ambiguous: policy, ..Options::default() }
}

/// The kernel with everything that a run needs.
///
/// # Errors
/// [`Failure`] when the unit is no program, or its launch or a parameter is not fixed.
pub fn instance(file: &File, unit: &Unit, launch: &LaunchArgs) -> Result<Instance, Failure> {
    let program = match unit {
        Unit::Protocol(_) => {
            let message = "a protocol has no runs".into();
            let help = format!(
                "expected {}, or {}; use `check` on a protocol, or `derive --judgment map`",
                input::PROGRAM,
                input::CUDA
            );
            let help = Some(help);
            return Err(Failure::of(file, Problem { message, span: None, help }));
        }
        _ => unit.program("runs").map_err(|problem| Failure::of(file, problem))?,
    };
    let at = fixed(file, program, &program.body.free_vars(), launch)?;
    Ok(Instance::of(program.clone(), at))
}

/// The launch, and a value for each parameter; 0 for one that is not mentioned.
///
/// # Errors
/// [`Failure`] when the launch or a parameter that is mentioned is not fixed, or when they are not
/// as assumed.
pub fn fixed(
    file: &File,
    declarations: &Declarations,
    mentioned: &BTreeSet<Name>,
    launch: &LaunchArgs,
) -> Result<Configuration, Failure> {
    let fail = |message: String, help: String| {
        Failure::of(file, Problem { message, span: None, help: Some(help) })
    };
    let Some(found) = declarations.geometry.launch() else {
        return Err(fail("the launch is not fixed".into(), "give --block (and --grid)".into()));
    };
    // Without a grid one block is meant: the first of a grid of one.
    let grid = if launch.grid.is_none() && declarations.geometry.grid.is_none() {
        babycuda_core::Dim3::line(1)
    } else {
        found.grid
    };
    let mut parameters = BTreeMap::new();
    for param in &declarations.params {
        let assumed =
            || declarations.assumptions.iter().any(|c| c.free_vars().contains(&param.name));
        if param.value.is_none() && (mentioned.contains(&param.name) || assumed()) {
            let help = format!("give --param {}=VALUE", param.name);
            return Err(fail(format!("parameter `{}` is not fixed", param.name), help));
        }
        parameters.insert(param.name.clone(), param.value.clone().unwrap_or_default());
    }
    let launch = Launch { grid, ..found };
    let configuration = Configuration { parameters, ..Configuration::of_launch(launch) };
    let value = |x: &Name| configuration.value_of(x, 0);
    if let Some(broken) = declarations.assumptions.iter().find(|c| c.eval(&value) != Ok(true)) {
        let message = format!("vacuous: the launch and parameters do not satisfy `{broken}`");
        return Err(fail(message, "give others, or take the assumption away".into()));
    }
    if !declarations.admits(&configuration) {
        let message = "the launch or a parameter is not as declared".into();
        return Err(fail(message, "give another".into()));
    }
    Ok(configuration)
}

fn status(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Stuck { history, .. } if history.is_drf() => 3,
        Outcome::Done { history } if history.is_drf() => 0,
        _ => 1,
    }
}

fn human(
    instance: &Instance,
    choose: &ChooseArgs,
    observed: &Observed,
    guesses: Option<&String>,
) -> String {
    let (grid, outcome) = (instance.configuration.launch.grid.count(), &observed.outcome);
    let (name, block) = (&instance.program.name, instance.configuration.block);
    let which = if grid > 1 { format!(", block {block} of {grid}") } else { String::new() };
    let threads = counted(instance.configuration.launch.block.count(), "thread");
    let mut out = format!("{name}{which}: {threads}\n");
    out.push_str(&history::print(outcome.history()));
    out.push_str(&history::unfinished(&unfinished(instance, choose, outcome)));
    let ending = match outcome {
        Outcome::Done { .. } => "all threads end".to_owned(),
        Outcome::Diverged { divergence, .. } => format!("barrier divergence: {divergence}"),
        Outcome::Stuck { stuck, .. } => {
            format!("stuck: {}", stuck.explain(&instance.program.sources))
        }
    };
    let mut lines = vec![ending];
    lines.extend(guesses.cloned());
    lines.extend(choices::lines(&instance.program, choose, &observed.choices));
    if observed.evaluator == Evaluator::VirtualMachine {
        lines.push(format!("run by the virtual machine: more than {REFERENCE_STEPS} steps"));
    }
    for line in lines {
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// What was done in the phase in which the run is stuck.
fn unfinished(instance: &Instance, choose: &ChooseArgs, outcome: &Outcome) -> Vec<Visit> {
    match outcome {
        Outcome::Stuck { .. } => babycuda::unfinished(instance, &options(choose.choose)),
        Outcome::Done { .. } | Outcome::Diverged { .. } => Vec::new(),
    }
}

fn document(
    instance: &Instance,
    choose: &ChooseArgs,
    observed: &Observed,
    guesses: Option<&String>,
) -> Value {
    let history = observed.outcome.history();
    let phases: Vec<Value> = history.chronological().map(|(_, p)| history::json(p)).collect();
    let races: Vec<String> = history.races().map(|race| race.to_string()).collect();
    let (ending, why) = match &observed.outcome {
        Outcome::Done { .. } => ("done", None),
        Outcome::Diverged { divergence, .. } => ("diverged", Some(divergence.to_string())),
        Outcome::Stuck { stuck, .. } => ("stuck", Some(stuck.explain(&instance.program.sources))),
    };
    json!({
        "name": instance.program.name, "block": instance.configuration.block,
        "outcome": ending, "reason": why,
        "evaluator": observed.evaluator,
        "chosen": choices::json(&instance.program, choose, &observed.choices),
        "guesses": guesses, "drf": history.is_drf(), "phases": phases, "races": races,
        "unfinished": history::visits(&unfinished(instance, choose, &observed.outcome)),
    })
}
