//! `babycuda emit`: a kernel as text for a compiler, or as a document.

use super::Failure;
use crate::args::{EmitArgs, Field, Written, open};
use crate::output;
use babycuda::Settings;
use babycuda::gpu::Located;
use babycuda::gpu::emit::{EmitOptions, Instrumentation, MonitorOptions, Target, emit};
use babycuda_core::{Name, json};
use babycuda_files::input::{self, File, Unit};
use babycuda_files::problem::Problem;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read or does not parse, or the language has no text for a
/// kernel.
pub(crate) fn run(args: &EmitArgs) -> Result<u8, Failure> {
    let source = match args.target {
        Written::Text(_) => args.kernel.source.wrapping(),
        Written::Document => args.kernel.source.given(),
    };
    let settings = Settings {
        // What `check` means, too.
        any_grid: args.target == Written::Document,
        ..args.kernel.launch.settings(&[])?
    };
    let (file, units) = open(&args.kernel.file, &source, &settings)?;
    let options = EmitOptions {
        instrumentation: match args.monitored {
            Some(_) => Instrumentation::Monitor,
            None => args.instrumented.unwrap_or_default(),
        },
        lengths: args.lengths.iter().map(|(array, k)| (Name::new(array), *k)).collect(),
        monitor: monitor(args)?,
    };
    known_arrays(&file, &units, &options)?;
    let [unit] = units.as_slice() else {
        // Two texts in one would define some functions twice.
        let names: Vec<&str> = units.iter().map(Unit::name).collect();
        if names.is_empty() {
            return Err(Problem::new(format!("{} has no kernels", file.path)).into());
        }
        let message = format!("{} has several kernels ({})", file.path, names.join(", "));
        return Err(Problem::new(message).help("give --kernel").into());
    };
    match args.target {
        Written::Text(target) => {
            super::without_stops(unit).map_err(|p| Failure::of(&file, p))?;
            output::print(text(&file, unit, target, &options)?)?;
        }
        Written::Document
            if options.instrumentation != Instrumentation::None || !args.lengths.is_empty() =>
        {
            let message = "a document has no instrumentation, and the lengths that the kernel has";
            return Err(Problem::new(message).into());
        }
        Written::Document => output::println(document(&file, unit)?)?,
    }
    Ok(0)
}

/// What this program reads again.
fn document(file: &File, unit: &Unit) -> Result<String, Failure> {
    let written = match unit {
        Unit::Protocol(map) => json::to_json(&**map),
        unit => json::to_json(unit.program("a document").map_err(|p| Failure::of(file, p))?),
    };
    written.map_err(|error| Problem::new(error.to_string()).into())
}

/// How a monitored text watches its run.
fn monitor(args: &EmitArgs) -> Result<MonitorOptions, Problem> {
    let bits = |field| args.bits.iter().rfind(|(of, _)| *of == field).map(|(_, bits)| *bits);
    Ok(MonitorOptions {
        words: args.monitored.and_then(|words| words.0),
        machine: args.machine.as_deref().map(input::machine).transpose()?,
        block: bits(Field::Block),
        block_clock: bits(Field::BlockClock),
        warp_clock: bits(Field::WarpClock),
    })
}

/// An array that no kernel of the file has is a mistake, not a wish.
fn known_arrays(file: &File, units: &[Unit], options: &EmitOptions) -> Result<(), Problem> {
    let has = |name: &Name| {
        let mut programs = units.iter().filter_map(Unit::declarations);
        programs.any(|program| program.array(name).is_some())
    };
    match options.lengths.keys().find(|name| !has(name)) {
        Some(name) => Err(Problem::new(format!("{}: no kernel has an array `{name}`", file.path))),
        None => Ok(()),
    }
}

fn text(
    file: &File,
    unit: &Unit,
    target: Target,
    options: &EmitOptions,
) -> Result<String, Failure> {
    let problem = match unit {
        Unit::Program(program) => match emit(program, target, options) {
            Ok(text) => return Ok(text.text),
            Err(Located { kind, span, .. }) => {
                Problem::new(format!("kernel {}: {kind}", program.name)).at(span)
            }
        },
        Unit::Protocol(_) => Problem::new("a protocol is no program".to_owned()),
        Unit::Unsupported { kernel, construct, span, .. } => {
            Problem::new(format!("kernel {kernel}: not supported: {construct}")).at(*span)
        }
    };
    Err(Failure::of(file, problem))
}
