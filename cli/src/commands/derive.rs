//! `babycuda derive`: the derivation of a run, of a type, or of a protocol's accesses.

use super::Failure;
use super::run::{as_assumed, fixed, instance};
use crate::args::{DerivationFormat, DeriveArgs, JudgmentArg};
use crate::input::{File, Unit};
use crate::output;
use crate::problem::Problem;
use babycuda::protocols::map::{MapEvidence, MapLimits, attempt, check_map};
use babycuda::semantics::{RunEvidence, check_run, chosen_contents};
use babycuda::typing::{self, TypeEvidence, Typed, check_type, type_relative};
use babycuda_certificates::{Unsupported, of_run, of_type};
use babycuda_core::history::HostMemory;
use babycuda_core::json::{Format, to_json};
use babycuda_core::syntax::{Contents, Forall, MapFile, Program};
use babycuda_core::{Cell, Name, Site, counted};
use babycuda_report::choices;
use babycuda_report::derivation::{self, Drawing};
use babycuda_report::run::together;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Columns of a tree in text.
const COLUMNS: u32 = 100;

/// Rule instances of a protocol's derivation.
const MAP_STEPS: u64 = 1_000_000;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, leaves the launch open, or when there
/// is no derivation.
pub(crate) fn run(args: &DeriveArgs) -> Result<u8, Failure> {
    let (file, units) = args.kernel.open(&args.kernel.source)?;
    let [unit] = units.as_slice() else {
        let message = format!("{} has {}", file.path, counted(units.len() as u64, "kernel"));
        return Err(Problem::new(message).help("name one with --kernel").into());
    };
    let text = match args.judgment {
        JudgmentArg::Run => derive_run(&file, unit, args)?,
        JudgmentArg::Type => derive_type(&file, unit, args)?,
        JudgmentArg::Map => derive_map(&file, unit, args)?,
    };
    output::println(text.trim_end())?;
    Ok(0)
}

fn derive_run(file: &File, unit: &Unit, args: &DeriveArgs) -> Result<String, Failure> {
    let chosen = args.choose.chosen();
    let instance = args.choose.settle(file, instance(file, unit)?)?;
    let evaluation = instance.evaluate(&chosen.options());
    let Some(root) = evaluation.derivation else {
        let (stuck, sources) = (evaluation.outcome.stuck(), &instance.program.sources);
        let why = stuck.map_or(String::new(), |stuck| stuck.explain(sources));
        let title = format!("{}: there is no derivation of a run", instance.program.name);
        if let Some(attempt) = instance.attempt(&chosen.options()) {
            let all = args.format == DerivationFormat::Text;
            show_stopped(derivation::stopped_run(&attempt, &why, all), title, &why, args)?;
        }
        let why = if why.is_empty() { why } else { format!(": {why}") };
        let span = stuck.and_then(|s| sources.spans.get(&s.site?)).copied();
        let problem = Problem::new(format!("there is no derivation{why}"));
        return Err(Failure::of(file, problem.at(span)));
    };
    let root = Arc::unwrap_or_clone(root);
    let evidence = RunEvidence::new(&instance, &evaluation.choices, root);
    // The evaluator is not trusted with what is printed.
    check_run(&evidence).map_err(|rejected| internal(&rejected))?;
    let root = &evidence.derivation;
    let mut lines = chosen.lines(&instance.program, &evaluation.choices);
    lines.extend(choices::guesses(&instance.program));
    lines.extend(together(&instance));
    match args.format {
        DerivationFormat::Json => json(&evidence),
        DerivationFormat::Coq => {
            let term = of_run(root)
                .map_err(|unsupported| no_certificate(file, &instance.program, &unsupported))?;
            Ok(if lines.is_empty() {
                term.to_string()
            } else {
                format!("(* {} *)\n{term}", lines.join("\n"))
            })
        }
        format => {
            let drawing = match format {
                DerivationFormat::Text => derivation::run_in_full(root),
                _ => derivation::of_run(root),
            };
            let threads = counted(instance.configuration.launch.block.count(), "thread");
            let title = format!("{}: derivation of a run of {threads}", instance.program.name);
            Ok(shown(drawing.titled(title, lines), args))
        }
    }
}

/// Prints a tree that stops, where the format has trees.
fn show_stopped(
    drawing: Drawing,
    title: String,
    why: &str,
    args: &DeriveArgs,
) -> Result<(), Failure> {
    if matches!(args.format, DerivationFormat::Json | DerivationFormat::Coq) {
        return Ok(());
    }
    let notes = vec![format!("no derivation: {why}")];
    output::println(shown(drawing.titled(title, notes), args).trim_end())
}

/// The drawing in the format that is wanted.
fn shown(drawing: Drawing, args: &DeriveArgs) -> String {
    match args.format {
        DerivationFormat::Tree => {
            derivation::tree(&drawing, args.width.unwrap_or(COLUMNS) as usize)
        }
        DerivationFormat::Latex => derivation::latex(&drawing, args.latex_style.style()),
        DerivationFormat::Html => derivation::html(&drawing),
        DerivationFormat::Svg => derivation::svg(&drawing, args.width.unwrap_or(derivation::PAGE)),
        DerivationFormat::Text | DerivationFormat::Json | DerivationFormat::Coq => {
            derivation::compact(&drawing)
        }
    }
}

fn json<T: Format>(evidence: &T) -> Result<String, Failure> {
    Ok(to_json(evidence).map_err(|e| Problem::new(e.to_string()))?)
}

fn internal(rejected: &dyn std::error::Error) -> Failure {
    Problem::new(format!("internal: the checker rejects the derivation: {rejected}")).into()
}

/// The accesses of a protocol, or of the type of a program.
fn derive_map(file: &File, unit: &Unit, args: &DeriveArgs) -> Result<String, Failure> {
    let map = match unit {
        Unit::Protocol(map) => (**map).clone(),
        _ => {
            let program = unit.program("a type").map_err(|problem| Failure::of(file, problem))?;
            let protocol = typed(file, program)?.protocol;
            let declarations = program.declarations.clone();
            MapFile { declarations, protocol }
        }
    };
    let mentioned = map.protocol.free_vars();
    let mut configuration = fixed(file, &map.declarations, &mentioned)?;
    if babycuda_core::together::waits(&map.protocol, configuration.launch) {
        let message =
            "blocks that wait for each other by `sync.grid`: there is no derivation of one";
        return Err(Failure::of(file, Problem::new(message).help("`--judgment run` has them all")));
    }
    let fixed_contents = HostMemory::fixed(&map.declarations);
    let policy = args.choose.choose;
    let assumed = map.declarations.contents_assumed.iter().flat_map(Forall::arrays);
    let mut open = Vec::new();
    for name in map.protocol.inputs().chain(assumed).collect::<BTreeSet<_>>() {
        let stored = match map.declarations.array(name) {
            Some(array) if array.contents == Contents::Any => {
                open.push(array);
                chosen_contents(array, policy)
            }
            _ => fixed_contents.array(name).cloned().unwrap_or_default(),
        };
        configuration.host.insert(name.clone(), stored);
    }
    args.choose.store(file, &open, &mut configuration.host)?;
    as_assumed(file, &map.declarations, &configuration, &configuration.host)?;
    let choose = |x: &Name, site: Site| policy.any_number(&Cell::new(x.clone(), u64::from(site.0)));
    let limits = MapLimits { steps: MAP_STEPS, ..MapLimits::default() };
    let derivation = match attempt(&map.protocol, &configuration, &choose, &limits) {
        Ok(derivation) => derivation,
        Err(attempt) => {
            let (why, all) = (attempt.error.to_string(), args.format == DerivationFormat::Text);
            let tree = derivation::stopped_map(&map.protocol, &configuration, &attempt, &why, all);
            let title = format!("{}: there is no derivation of accesses", map.declarations.name);
            show_stopped(tree, title, &why, args)?;
            return Err(Failure::of(file, Problem::new(why)));
        }
    };
    let declarations = map.declarations.without_sources();
    let map = MapFile { declarations, ..map };
    let evidence = MapEvidence { map, configuration, derivation };
    check_map(&evidence).map_err(|rejected| internal(&rejected))?;
    let drawing = match args.format {
        DerivationFormat::Json => return json(&evidence),
        DerivationFormat::Coq => {
            return Err(Problem::new("derivations of protocols are no terms for Coq").into());
        }
        DerivationFormat::Text => derivation::map_in_full(&evidence.derivation),
        _ => derivation::of_map(&evidence.derivation),
    };
    let threads = counted(evidence.configuration.launch.block.count(), "thread");
    let name = &evidence.map.declarations.name;
    let title = format!("{name}: derivation of the accesses of {threads}");
    Ok(shown(drawing.titled(title, Vec::new()), args))
}

fn no_certificate(file: &File, program: &Program, unsupported: &Unsupported) -> Failure {
    let problem = Problem::new(format!("there is no certificate: {unsupported}"));
    let span = unsupported.site().and_then(|site| program.sources.spans.get(&site)).copied();
    Failure::of(file, problem.at(span))
}

fn derive_type(file: &File, unit: &Unit, args: &DeriveArgs) -> Result<String, Failure> {
    let program = unit.program("a type").map_err(|problem| Failure::of(file, problem))?;
    if let Some(attempt) = typing::attempt(program) {
        let (why, all) =
            (attempt.rejection.describe(&program.sources), args.format == DerivationFormat::Text);
        let title = format!("{}: there is no type", program.name);
        show_stopped(derivation::stopped_type(&attempt, &why, all), title, &why, args)?;
    }
    let derivation = typed(file, program)?.derivation;
    let evidence = TypeEvidence { program: program.without_sources(), derivation };
    check_type(&evidence).map_err(|rejected| internal(&rejected))?;
    let drawing = match args.format {
        DerivationFormat::Json => return json(&evidence),
        DerivationFormat::Coq => {
            return of_type(&evidence.derivation)
                .map(|certificate| certificate.to_string())
                .map_err(|unsupported| no_certificate(file, program, &unsupported));
        }
        DerivationFormat::Text => derivation::type_in_full(&evidence.derivation),
        _ => derivation::of_type(&evidence.derivation),
    };
    let title = format!("{}: derivation of a type", program.name);
    Ok(shown(drawing.titled(title, Vec::new()), args))
}

fn typed(file: &File, program: &Program) -> Result<Typed, Failure> {
    type_relative(program).map_err(|rejection| {
        let problem = Problem::new(rejection.describe(&program.sources));
        Failure::of(file, problem.at(rejection.span(&program.sources)))
    })
}
