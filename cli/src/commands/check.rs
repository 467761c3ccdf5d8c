//! `babycuda check`: can the kernels of some files race?

use super::Failure;
use crate::args::{CheckArgs, MethodArg, ReportFormat, SolverArg};
use crate::input::{self, File, Fixed, Problem, Unit};
use crate::output;
use crate::report::{FileReport, KernelReport, human, json, sarif, worst};
use babycuda::smt::SolverName;
use babycuda::{CheckError, Checked, Decide, Options, check, check_protocol};
use babycuda_core::Name;
use babycuda_core::syntax::Program;
use babycuda_core::verdict::{Method, Outcome, ScopeOfVerdict, Verdict};
use std::time::Duration;

/// Runs the command; the exit status.
///
/// # Errors
/// Never: a file that cannot be checked is reported, and the others are checked all the same.
pub fn run(args: &CheckArgs) -> Result<u8, Failure> {
    let options = options(args);
    let mut statuses = Vec::new();
    let mut reports = Vec::new();
    for path in &args.files {
        match check_file(path, args, &options) {
            Ok(report) => {
                statuses.push(report.status());
                match args.format {
                    ReportFormat::Human => output::print(human::document(&report))?,
                    ReportFormat::Json => output::println(json::document(&report))?,
                    ReportFormat::Sarif => reports.push(report),
                }
            }
            Err(failure) => {
                statuses.push(2);
                eprint!("{}", failure.text);
                if args.format == ReportFormat::Json {
                    output::println(json::failure(path, &failure.text))?;
                }
            }
        }
    }
    if args.format == ReportFormat::Sarif {
        output::println(sarif::document(&reports))?;
    }
    Ok(worst(statuses))
}

fn options(args: &CheckArgs) -> Options {
    let mut solvers: Vec<SolverName> = Vec::new();
    for solver in &args.solvers {
        match solver {
            SolverArg::Auto => {}
            SolverArg::Builtin => solvers.push(SolverName::Builtin),
            SolverArg::Z3 => solvers.push(SolverName::Z3),
            SolverArg::Cvc5 => solvers.push(SolverName::Cvc5),
        }
    }
    Options {
        decide: match args.method {
            MethodArg::Auto => Decide::Auto,
            MethodArg::Enumerate => Decide::Enumerate,
            MethodArg::Smt => Decide::Solve,
        },
        array: args.array.as_deref().map(Name::new),
        solvers,
        timeout: Duration::from_secs_f64(args.timeout),
        ..Options::default()
    }
}

fn check_file(path: &str, args: &CheckArgs, options: &Options) -> Result<FileReport, Failure> {
    let file = input::read(path)?;
    let fixed =
        Fixed { source: &args.source, launch: Some(&args.launch), assumptions: &args.assumptions };
    let problem = |p| Failure::of(&file, p);
    let units = input::units(&file, &fixed).map_err(problem)?;
    known_array(&file, &units, args).map_err(problem)?;
    let mut kernels = Vec::new();
    for unit in &units {
        let checked = check_unit(unit, options).map_err(problem)?;
        kernels.push(KernelReport { name: unit.name().to_owned(), checked });
    }
    Ok(FileReport { file, kernels })
}

/// An array that no kernel of the file has is a mistake, not a wish.
fn known_array(file: &File, units: &[Unit], args: &CheckArgs) -> Result<(), Problem> {
    let Some(array) = &args.array else { return Ok(()) };
    let known = units.iter().any(|unit| match unit.declarations() {
        Some(program) => program.arrays.iter().any(|a| *a.name == **array),
        None => true,
    });
    if known {
        return Ok(());
    }
    Err(Problem::new(format!("{}: no kernel has an array `{array}`", file.path)))
}

fn check_unit(unit: &Unit, options: &Options) -> Result<Checked, Problem> {
    let failed = |CheckError::Scope(error): CheckError| Problem {
        message: error.kind.to_string(),
        span: error.span,
        help: None,
    };
    match unit {
        Unit::Program(program) => check(program, options).map_err(failed),
        Unit::Protocol(map) => check_protocol(map, options).map_err(failed),
        Unit::Unsupported { construct, span, .. } => Ok(unsupported(construct, *span)),
    }
}

fn unsupported(construct: &str, span: Option<babycuda_core::Span>) -> Checked {
    let place = span.map(|s| format!(" at {s}")).unwrap_or_default();
    let verdict = Verdict {
        outcome: Outcome::Unknown(format!("not supported: {construct}{place}")),
        scope: ScopeOfVerdict::default(),
        method: Method::None,
        races: Vec::new(),
        divergences: Vec::new(),
    };
    Checked {
        program: Program::of_body(babycuda_core::Stmt::Skip),
        verdict,
        replays: Vec::new(),
        remarks: Vec::new(),
    }
}
