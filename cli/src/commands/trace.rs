//! `babycuda trace`: logs of accesses.

use super::Failure;
use crate::args::{
    ConvertArgs, LimitArgs, LogArgs, LogFormat, PlainFormat, RecordArgs, TraceArgs, TraceCommand,
};
use crate::output;
use crate::whole::Target;
use babycuda::detectors::execute::{self, Limits, Schedule};
use babycuda::traces::{
    self, CopyError, Format, LogError, LogReader, LogWriter, Options, Outcome, Place, Record,
    write_events,
};
use babycuda_core::budget::Exhausted;
use babycuda_core::shadow::Machine;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{Budget, Site, Span};
use babycuda_files::problem::Problem;
use babycuda_files::{input, kernels};
use babycuda_report::trace::{document, human};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Exhausted`] when the time is over; [`Failure`] when there is no log or kernel, or nothing can be written.
pub(crate) fn run(
    args: &TraceArgs,
    limits: LimitArgs,
    budget: Budget,
) -> Result<Result<u8, Failure>, Exhausted> {
    match &args.command {
        // What is not known by then is unknown.
        TraceCommand::Check(args) => Ok(check(args, limits, budget)),
        TraceCommand::Convert(args) => budget.within(|| convert(args)),
        TraceCommand::Record(args) => budget.within(|| record(args)),
    }
}

fn check(args: &LogArgs, limits: LimitArgs, budget: Budget) -> Result<u8, Failure> {
    let limit = usize::try_from(limits.memory_limit.saturating_mul(1 << 20)).unwrap_or(usize::MAX);
    let machine = args.machine.as_deref().map(machine).transpose()?;
    let races = args.max_races as usize;
    let options = Options { memory: limit / 2, races, budget, machine };
    // What is no file can be read once.
    let is_file = args.log != "-" && std::fs::metadata(&args.log).is_ok_and(|of| of.is_file());
    let checked = if is_file {
        traces::check(|| File::open(&args.log), &options)
    } else {
        let log = kept(&args.log, limit as u64 / 4)?;
        traces::check(|| Ok(log.as_slice()), &options)
    };
    let checked = checked.map_err(|error| wrong(&args.log, &error))?;
    match args.format {
        PlainFormat::Human => output::show(human(&args.log, &checked))?,
        PlainFormat::Json => output::println(format_args!("{:#}", document(&args.log, &checked)))?,
    }
    Ok(match checked.outcome {
        Outcome::Drf => 0,
        Outcome::Racy => 1,
        Outcome::Unknown(_) => 3,
    })
}

/// All of a log of at most so many bytes.
fn kept(path: &str, most: u64) -> Result<Vec<u8>, Problem> {
    let mut log = Vec::new();
    let read = opened(path)?.take(most + 1).read_to_end(&mut log);
    read.map_err(|e| Problem::new(format!("{path} cannot be read: {e}")))?;
    if log.len() as u64 > most {
        let problem = Problem::new(format!("{path} is no file, and has more than {most} bytes"));
        return Err(problem.help("a log that is a file may be longer"));
    }
    Ok(log)
}

fn opened(path: &str) -> Result<Box<dyn Read>, Problem> {
    Ok(match path {
        "-" => Box::new(io::stdin().lock()),
        path => Box::new(File::open(path).map_err(|e| Problem::new(format!("{path}: {e}")))?),
    })
}

fn wrong(log: &str, error: &LogError) -> Problem {
    Problem::new(format!("{log}: {error}"))
}

/// A machine that is named, or the table of one.
fn machine(name: &str) -> Result<Machine, Problem> {
    if name == "hirace" {
        return Ok(Machine::exact());
    }
    input::machine(name)
}

/// What a failed write says. A reader that has seen enough (`… | head`) is no failure.
fn unwritten(path: Option<&Path>, error: LogError) -> Result<(), Problem> {
    let name = path.map_or_else(|| "standard output".to_owned(), |path| path.display().to_string());
    match error.fault {
        traces::Fault::Io(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        traces::Fault::Io(error) => Err(Problem::new(format!("{name} cannot be written: {error}"))),
        _ => Err(Problem::new(format!("no log can have {error}"))),
    }
}

fn convert(args: &ConvertArgs) -> Result<u8, Failure> {
    let path = args.output.as_deref();
    let log = opened(&args.log)?;
    if path.is_some_and(|path| same_file(path, Path::new(&args.log))) {
        let problem = Problem::new(format!("{} would be read and written at once", args.log));
        return Err(problem.help("give --output another name").into());
    }
    let mut reader = LogReader::new(log).map_err(|error| wrong(&args.log, &error))?;
    let format = match (args.to, reader.format()) {
        (Some(LogFormat::Binary), _) | (None, Format::Lines) => Format::Binary,
        (Some(LogFormat::Lines), _) | (None, Format::Binary) => Format::Lines,
    };
    let (target, to) = Target::new(path)?;
    let written = LogWriter::new(to, format, reader.tables().launch());
    let mut writer = match written {
        Ok(writer) => writer,
        Err(error) => return Ok(unwritten(path, error).map(|()| 0)?),
    };
    let copied = match traces::copy(&mut reader, &mut writer) {
        Err(CopyError::Read(error)) => return Err(wrong(&args.log, &error).into()),
        Err(CopyError::Write(error)) => Err(error),
        Ok(()) => writer.finish().map(|_| ()),
        Err(error) => return Err(Problem::new(format!("{}: {error}", args.log)).into()),
    };
    match copied {
        Ok(()) => target.done()?,
        Err(error) => unwritten(path, error)?,
    }
    Ok(0)
}

fn same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn record(args: &RecordArgs) -> Result<u8, Failure> {
    let file = input::read(&args.kernel.file)?;
    if !file.language.has_kernels() {
        let message = format!("{}: what is run are kernels of CUDA C or OpenCL C", file.path);
        return Err(Problem::new(message).into());
    }
    let settings = args.kernel.launch.settings(&[])?;
    let problem = |problem| Failure::of(&file, problem);
    let mut all = kernels::trees(&file, &args.kernel.source.given(), &settings).map_err(problem)?;
    if let Some(wanted) = &args.kernel.source.kernel {
        all.retain(|kernel| kernel.name == *wanted);
    }
    let [kernel] = all.as_slice() else {
        let names: Vec<&str> = all.iter().map(|kernel| kernel.name.as_str()).collect();
        let message = match (names.as_slice(), &args.kernel.source.kernel) {
            ([], Some(wanted)) => format!("{} has no kernel `{wanted}`", file.path),
            ([], None) => format!("{} has no kernel", file.path),
            (names, _) => format!("{} has several kernels: {}", file.path, names.join(", ")),
        };
        return Err(Problem::new(message).help("--kernel names one").into());
    };
    let program = match &kernel.translation {
        babycuda::frontend::Translation::Program(program) => Some(program),
        babycuda::frontend::Translation::Unsupported(_) => None,
    };
    let Some(tree) = kernel.tree.as_deref() else {
        return Err(Problem::new(format!("kernel {} cannot be run", kernel.name)).into());
    };
    let configuration = kernels::configuration(&settings, program);
    let schedule = args.seed.map_or(Schedule::InOrder, Schedule::Random);
    let run = execute::run(tree, &configuration, schedule, &Limits::default())
        .map_err(|refusal| Problem::new(format!("kernel {}: {refusal}", kernel.name)))?;
    let path = args.output.as_deref();
    let format = match args.to {
        LogFormat::Binary => Format::Binary,
        LogFormat::Lines => Format::Lines,
    };
    let write = || {
        let (target, to) = Target::new(path)?;
        let mut writer = LogWriter::new(to, format, run.trace.launch)?;
        for place in places(&run.trace, tree, &file) {
            writer.write(&Record::Place(place))?;
        }
        write_events(&mut writer, &run.trace)?;
        writer.finish()?;
        target.done().map_err(Unwritten::from)
    };
    match write() {
        Ok(()) => {}
        Err(Unwritten::Problem(problem)) => return Err(problem.into()),
        Err(Unwritten::Log(error)) => unwritten(path, error)?,
    }
    let halted = run.ends.iter().find_map(|end| match end {
        execute::End::Halted(halt, _) => Some(format!("a thread goes no further: {halt}")),
        _ => None,
    });
    match run.stop.map(|stop| stop.to_string()).or(halted) {
        None => Ok(0),
        Some(why) => {
            output::warn(format_args!("note: the log has what came before: {why}\n"));
            Ok(3)
        }
    }
}

enum Unwritten {
    Problem(Problem),
    Log(LogError),
}

impl From<Problem> for Unwritten {
    fn from(problem: Problem) -> Unwritten {
        Unwritten::Problem(problem)
    }
}

impl From<LogError> for Unwritten {
    fn from(error: LogError) -> Unwritten {
        Unwritten::Log(error)
    }
}

/// Where the statements of a run stand.
fn places<'a>(
    trace: &'a Trace,
    tree: &'a babycuda::kernel::Kernel,
    file: &'a input::File,
) -> impl Iterator<Item = Place> + 'a {
    let site = |event: &Event| match event {
        Event::Access { site, .. } => *site,
        _ => None,
    };
    let sites: BTreeSet<Site> = trace.events.iter().filter_map(site).collect();
    sites.into_iter().filter_map(|site| {
        let origin = tree.origins.get(site.0 as usize)?;
        Some(match &origin.included {
            Some((name, line)) => Place { site, file: name.to_string(), line: *line, column: 0 },
            None => {
                let Span { line, column, .. } = Span::locate(&file.text, origin.bytes.clone());
                Place { site, file: file.path.clone(), line, column }
            }
        })
    })
}
