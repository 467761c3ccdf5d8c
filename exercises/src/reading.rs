//! Programs and kernels of answers and of material.

use crate::ExerciseError;
use crate::exercise::Source;
use crate::grade::Fault;
use crate::limits;
use babycuda::check;
use babycuda::frontend::directives::directives;
use babycuda::frontend::{FrontendError, Kernel, Options, Translation, parse_cuda};
use babycuda_core::evidence::{Report, Side, Witness};
use babycuda_core::parse::parse_program;
use babycuda_core::verdict::Outcome;
use babycuda_core::{BigInt, Dim3, Launch, Name, Program, Settings};

/// A program of an answer, well-scoped.
pub(crate) fn program(text: &str) -> Result<Program, Box<Fault>> {
    let program = parse_program(text).map_err(|error| Fault::syntax(&error))?;
    program.check_scope().map_err(|error| {
        let fault = Fault::refused("the program is well-scoped", error.kind.to_string());
        match error.span {
            Some(span) => fault.at(span),
            None => fault,
        }
    })?;
    if !program.assumptions.is_empty() || !program.contents_assumed.is_empty() {
        return Err(assumes());
    }
    Ok(program)
}

/// What is assumed would be true of nothing, and so would the answer.
fn assumes() -> Box<Fault> {
    Fault::refused(
        "the answer assumes nothing",
        "it states an assumption, which no exercise allows",
    )
}

/// A program of an exercise.
pub(crate) fn material(text: &str) -> Result<Program, ExerciseError> {
    program(text).map_err(|fault| ExerciseError::new(fault.why))
}

/// The launch of a program, which must be fixed and small.
pub(crate) fn launch(program: &Program) -> Result<Launch, Box<Fault>> {
    let step = "the launch is fixed and small";
    let Some(launch) = program.geometry.launch() else {
        return Err(Fault::wrong(step, "the program does not say how many threads run")
            .expecting("`threads 4;` at its beginning"));
    };
    let (threads, blocks) = (launch.block.count(), launch.grid.count());
    if threads > limits::THREADS || blocks > limits::THREADS {
        let why = format!(
            "{threads} threads in each of {blocks} blocks; {} of each are allowed",
            limits::THREADS
        );
        return Err(Fault::refused("the answer is within the limits", why));
    }
    Ok(launch)
}

/// The settings `block`, `grid` and `params` of a file: `64` or `8 8`, and `n=64 m=3`.
pub(crate) fn settings(source: &Source<'_>) -> Result<Settings, ExerciseError> {
    let extents = |name| {
        let Some(text) = source.get(name) else { return Ok(None) };
        let numbers: Result<Vec<u32>, _> = text.split_whitespace().map(str::parse).collect();
        match numbers.as_deref() {
            Ok([x]) => Ok(Some(Dim3::line(*x))),
            Ok([x, y]) => Ok(Some(Dim3 { x: *x, y: *y, z: 1 })),
            _ => Err(ExerciseError::new(format!("`{name}` is not one number, or two"))),
        }
    };
    let mut settings =
        Settings { block: extents("block")?, grid: extents("grid")?, ..Settings::default() };
    for pair in source.get("params").unwrap_or_default().split_whitespace() {
        let value =
            pair.split_once('=').and_then(|(name, k)| Some((name, k.parse::<BigInt>().ok()?)));
        let (name, k) = value.ok_or_else(|| ExerciseError::new("`params` is not `n=64 m=3`"))?;
        settings.params.insert(Name::new(name), k);
    }
    Ok(settings)
}

/// The kernel of a CUDA file, with its program under these settings; a file has one.
pub(crate) fn cuda(text: &str, settings: &Settings) -> Result<(Kernel, Program), Box<Fault>> {
    // Also in comments.
    if !directives(text).is_ok_and(|found| found.assumptions.is_empty()) {
        return Err(assumes());
    }
    let kernels = parse_cuda(text, &Options::from(settings.clone())).map_err(unreadable)?;
    if kernels.iter().any(|kernel| !kernel.required.is_empty()) {
        return Err(assumes());
    }
    let count = kernels.len();
    let mut kernels = kernels.into_iter();
    let (Some(kernel), None) = (kernels.next(), kernels.next()) else {
        return Err(Fault::refused(
            "the answer can be read",
            format!("it has {count} kernels; one is asked for"),
        ));
    };
    let program = match &kernel.translation {
        Translation::Program(program) => program.clone(),
        Translation::Unsupported(unsupported) => {
            let why = format!("not supported: {}", unsupported.construct);
            return Err(Fault::refused("the answer can be read", why).at(unsupported.span));
        }
    };
    let applied = applied(&program, settings)?;
    Ok((kernel, applied))
}

fn unreadable(error: FrontendError) -> Box<Fault> {
    Fault::refused("the answer can be read", error.to_string())
}

/// The program under settings.
pub(crate) fn applied(program: &Program, settings: &Settings) -> Result<Program, Box<Fault>> {
    let declared = settings.apply(program);
    let declared = declared.map_err(|error| Fault::wrong("the launch fits", error.to_string()))?;
    Ok(declared.around(program.body.clone()))
}

/// Is a program race-free, and without divergence?
///
/// # Errors
/// What it is instead, and why.
pub(crate) fn verdict(program: &Program) -> Result<(), (Outcome, String)> {
    let checked = check(program, &limits::checking());
    let checked =
        checked.map_err(|error| (Outcome::Unknown(error.to_string()), error.to_string()))?;
    let why = match &checked.verdict.outcome {
        Outcome::Drf => return Ok(()),
        Outcome::Racy => checked.verdict.races.first().map_or(String::new(), race),
        Outcome::Divergent => {
            "threads of a block wait at different barriers, or some end while others wait"
                .to_owned()
        }
        Outcome::Unknown(why) => why.clone(),
    };
    Err((checked.verdict.outcome, why))
}

/// A program must be race-free.
pub(crate) fn race_free(program: &Program) -> Result<(), Box<Fault>> {
    let step = "it is race-free";
    verdict(program).map_err(|(outcome, why)| match outcome {
        Outcome::Unknown(_) => Fault::wrong(step, format!("that could not be decided: {why}")),
        outcome => Fault::wrong(step, format!("it is {}: {why}", outcome.word())),
    })
}

/// A race in one line.
pub(crate) fn race(race: &Report<Witness>) -> String {
    let one_block = race.configuration.launch.grid.count() == 1;
    let side = |side: &Side| {
        let Side { thread, mode, .. } = side;
        let block = if one_block { String::new() } else { format!(" of block {}", thread.block) };
        let verb = match mode.keyword() {
            "rd" => "reads",
            "wr" => "writes",
            _ => "updates",
        };
        format!("thread {}{block} {verb}", thread.index)
    };
    let parameters = race.configuration.parameters.iter().map(|(name, k)| format!("{name} = {k}"));
    let parameters: Vec<String> = parameters.collect();
    let with = if parameters.is_empty() {
        String::new()
    } else {
        format!(" with {}", parameters.join(", "))
    };
    format!(
        "{} and {} {}, and no barrier orders them (blocks of {}{with})",
        side(&race.first),
        side(&race.second),
        race.cell,
        race.configuration.launch.block.count()
    )
}
