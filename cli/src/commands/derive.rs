//! `babycuda derive`: the derivation of a run, or of a type.

use super::Failure;
use super::run::instance;
use crate::args::{DerivationFormat, DeriveArgs, JudgmentArg};
use crate::input::{self, File, Fixed, Problem, Unit};
use crate::output;
use babycuda::semantics::{Options, check_derivation, render};
use babycuda::typing;
use babycuda_core::syntax::Program;
use babycuda_proofs::certificates::{self, Unsupported};

/// How deep a tree is drawn; what is below is summed up. Compact text is never cut.
const DEPTH: usize = 64;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, leaves the launch open, or when there
/// is no derivation.
pub fn run(args: &DeriveArgs) -> Result<u8, Failure> {
    let file = input::read(&args.file)?;
    let fixed = Fixed { source: &args.source, launch: Some(&args.launch), assumptions: &[] };
    let units = input::units(&file, &fixed).map_err(|p| Failure::of(&file, p))?;
    let [unit] = units.as_slice() else {
        let message = format!("{} has {} kernels", file.path, units.len());
        let help = Some("name one with --kernel".into());
        return Err(Problem { message, span: None, help }.into());
    };
    let text = match args.judgment {
        JudgmentArg::Run => derive_run(&file, unit, args)?,
        JudgmentArg::Type => derive_type(&file, unit, args)?,
    };
    output::println(text.trim_end())?;
    Ok(0)
}

fn derive_run(file: &File, unit: &Unit, args: &DeriveArgs) -> Result<String, Failure> {
    let instance = instance(file, unit, &args.launch)?;
    let evaluation = instance.evaluate(&Options::default());
    let Some(derivation) = evaluation.derivation else {
        let why = match evaluation.outcome.stuck() {
            Some(stuck) => format!("there is no derivation: {stuck}"),
            None => "there is no derivation".to_owned(),
        };
        let site = evaluation.outcome.stuck().and_then(|s| s.site);
        let span = site.and_then(|s| instance.program.sources.spans.get(&s)).copied();
        return Err(Failure::of(file, Problem { message: why, span, help: None }));
    };
    // The evaluator is not trusted with what is printed.
    if let Err(rejected) = check_derivation(&derivation) {
        let message = format!("internal: the checker rejects the derivation: {rejected}");
        return Err(Problem::new(message).into());
    }
    Ok(match args.format {
        DerivationFormat::Text => render::compact(&derivation),
        DerivationFormat::Latex => render::latex(&derivation, DEPTH),
        DerivationFormat::Html => render::html(&derivation, DEPTH),
        DerivationFormat::Json => {
            babycuda_core::json::to_json(&*derivation).map_err(|e| Problem::new(e.to_string()))?
        }
        DerivationFormat::Coq => certificates::of_run(&derivation)
            .map_err(|unsupported| no_certificate(file, &instance.program, &unsupported))?
            .to_string(),
    })
}

fn no_certificate(file: &File, program: &Program, unsupported: &Unsupported) -> Failure {
    let message = format!("there is no certificate: {unsupported}");
    let span = unsupported.site().and_then(|site| program.sources.spans.get(&site)).copied();
    Failure::of(file, Problem { message, span, help: None })
}

fn derive_type(file: &File, unit: &Unit, args: &DeriveArgs) -> Result<String, Failure> {
    let program: &Program = match unit {
        Unit::Program(program) => program,
        _ => return Err(Failure::of(file, Problem::new("only a program has a type"))),
    };
    let typed = typing::type_program(program).map_err(|rejection| {
        let message = rejection.describe(&program.sources);
        let span = rejection.span(&program.sources);
        Failure::of(file, Problem { message, span, help: None })
    })?;
    if let Err(rejected) = typing::check_derivation(&typed.derivation) {
        let message = format!("internal: the checker rejects the derivation: {rejected}");
        return Err(Problem::new(message).into());
    }
    match args.format {
        DerivationFormat::Text => Ok(typed.derivation.to_string()),
        DerivationFormat::Json => {
            serde_json::to_string(&typed.derivation).map_err(|e| Problem::new(e.to_string()).into())
        }
        DerivationFormat::Coq => certificates::of_type(&typed.derivation)
            .map(|certificate| certificate.to_string())
            .map_err(|unsupported| no_certificate(file, program, &unsupported)),
        DerivationFormat::Latex | DerivationFormat::Html => {
            let message = "typing derivations are printed as text, JSON or Coq";
            Err(Problem::new(message).into())
        }
    }
}
