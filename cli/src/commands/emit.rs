//! `babycuda emit`: a kernel as text for a compiler.

use super::Failure;
use crate::args::{EmitArgs, InstrumentArg, TargetArg};
use crate::input::{self, File, Fixed, Problem, Unit};
use crate::output;
use babycuda::gpu::Located;
use babycuda::gpu::emit::{EmitOptions, Instrumentation, Target, emit};
use babycuda_core::Name;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read or does not parse, or the language has no text for a
/// kernel.
pub(crate) fn run(args: &EmitArgs) -> Result<u8, Failure> {
    let file = input::read(&args.file)?;
    let source = args.source.wrapping();
    let fixed = Fixed { source: &source, launch: Some(&args.launch), assumptions: &[] };
    let units = input::units(&file, &fixed).map_err(|p| Failure::of(&file, p))?;
    let options = EmitOptions {
        instrumentation: match args.instrumented {
            None => Instrumentation::None,
            Some(InstrumentArg::Log) => Instrumentation::Log,
            Some(InstrumentArg::Digest) => Instrumentation::Digest,
        },
        lengths: args.lengths.iter().map(|(array, k)| (Name::new(array), *k)).collect(),
    };
    let target = match args.target {
        TargetArg::Cuda => Target::Cuda,
        TargetArg::Opencl => Target::OpenCl,
        TargetArg::Wgsl => Target::Wgsl,
    };
    known_arrays(&file, &units, &options)?;
    let [unit] = units.as_slice() else {
        // Two texts in one would define some functions twice.
        let names: Vec<&str> = units.iter().map(Unit::name).collect();
        let message = format!("{} has several kernels ({})", file.path, names.join(", "));
        let help = Some("give --kernel".to_owned());
        return Err(Problem { message, span: None, help }.into());
    };
    super::without_stops(unit).map_err(|p| Failure::of(&file, p))?;
    output::print(text(&file, unit, target, &options)?)?;
    Ok(0)
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
                let message = format!("kernel {}: {kind}", program.name);
                Problem { message, span, help: None }
            }
        },
        Unit::Protocol(_) => Problem::new("a protocol is no program".to_owned()),
        Unit::Unsupported { kernel, construct, span } => {
            let message = format!("kernel {kernel}: not supported: {construct}");
            Problem { message, span: *span, help: None }
        }
    };
    Err(Failure::of(file, problem))
}
