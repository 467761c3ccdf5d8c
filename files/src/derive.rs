//! Derivations: of a run, of a type, or of the accesses of a protocol.

use crate::input::{File, Language, Unit};
use crate::problem::Problem;
use crate::run::{as_assumed, fixed, instance, settle, store};
use babycuda::protocols::map::{MapEvidence, MapLimits, attempt, check_map};
use babycuda::semantics::{Reason, RunEvidence, check_run, chosen_contents};
use babycuda::typing::{self, TypeEvidence, Typed, check_type, type_relative};
use babycuda_certificates::{Unsupported, of_run, of_type};
use babycuda_core::history::HostMemory;
use babycuda_core::json::{Format, to_json};
use babycuda_core::syntax::{Contents, Forall, MapFile, Program};
use babycuda_core::{Cell, Name, Site, counted};
use babycuda_core::{Declarations, Settings, parse};
use babycuda_report::choices::{self, Chosen};
use babycuda_report::derivation::{self, Drawing, Style};
use babycuda_report::run::together;
use babycuda_report::verify::Evidence;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rule instances of a protocol's derivation.
const MAP_STEPS: u64 = 1_000_000;

/// Which judgment to derive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgment {
    /// A run: `H, k ⇓ outcome`, with every thread's derivation.
    Run,
    /// A type: `V ⊢ b ▶ u`
    Type,
    /// The accesses of a protocol, or of a program's type: `u ↓ Λ`
    Map,
}

/// How to write a derivation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Indented text: all of it.
    Text,
    /// Inference rules in text of so many columns.
    Tree(usize),
    /// A document for LaTeX.
    Latex(Style),
    /// A web page.
    Html,
    /// A picture of so many pixels.
    Svg(u32),
    /// For programs.
    Json,
    /// A term that Coq checks.
    Coq,
}

/// Why there is no derivation.
#[derive(Clone, Debug)]
pub struct NoDerivation {
    /// What is wrong.
    pub problem: Problem,
    /// The tree up to the premise that fails, where the form has trees.
    pub drawn: Option<String>,
}

impl From<Problem> for NoDerivation {
    fn from(problem: Problem) -> NoDerivation {
        NoDerivation { problem, drawn: None }
    }
}

/// The derivation of a judgment about a kernel, which a checker has seen.
///
/// # Errors
/// [`NoDerivation`], also when the form has none of it.
pub fn derive(
    unit: &Unit,
    judgment: Judgment,
    chosen: &Chosen,
    form: Form,
) -> Result<String, NoDerivation> {
    match judgment {
        Judgment::Run => derive_run(unit, chosen, form),
        Judgment::Type => derive_type(unit, form),
        Judgment::Map => derive_map(unit, chosen, form),
    }
}

/// The program or the protocol of a text that parses and has a variable that nothing binds.
pub fn not_well_scoped(file: &File, settings: &Settings) -> Option<Unit> {
    let declared = |declarations: &Declarations| {
        let mut settings = settings.clone();
        settings.params.retain(|name, _| declarations.params.iter().any(|p| p.name == *name));
        settings.apply(declarations).ok()
    };
    match file.language {
        Language::BabyCuda => {
            let program = parse::parse_program(&file.text).ok()?;
            program.check_scope().err()?;
            let program = declared(&program.declarations)?.around(program.body);
            Some(Unit::Program(Box::new(program)))
        }
        Language::Map => {
            let map = parse::parse_map(&file.text).ok()?;
            map.check_scope().err()?;
            let declarations = declared(&map.declarations)?;
            Some(Unit::Protocol(Box::new(MapFile { declarations, ..map })))
        }
        Language::Cuda | Language::OpenCl | Language::Json => None,
    }
}

fn derive_run(unit: &Unit, chosen: &Chosen, form: Form) -> Result<String, NoDerivation> {
    let instance = settle(chosen, instance(unit)?)?;
    let evaluation = instance.evaluate(&chosen.options());
    let Some(root) = evaluation.derivation else {
        let (stuck, sources) = (evaluation.outcome.stuck(), &instance.program.sources);
        let why = stuck.map_or(String::new(), |stuck| stuck.explain(sources));
        // A limit is no premise that fails, and what came before it is large.
        let limited = stuck.is_some_and(|s| matches!(s.reason, Reason::Limit { .. }));
        let attempt = if limited { None } else { instance.attempt(&chosen.options()) };
        let drawing = attempt.map(|attempt| derivation::stopped_run(&attempt, &why, in_full(form)));
        let drawn = drawing.and_then(|drawing| stopped(drawing, unit, Judgment::Run, &why, form));
        let why = if why.is_empty() { why } else { format!(": {why}") };
        let span = stuck.and_then(|s| sources.spans.get(&s.site?)).copied();
        let problem = Problem::new(format!("there is no derivation{why}")).at(span);
        return Err(NoDerivation { problem, drawn });
    };
    let root = Arc::unwrap_or_clone(root);
    let evidence = RunEvidence::new(&instance, &evaluation.choices, root);
    // The evaluator is not trusted with what is printed.
    check_run(&evidence).map_err(|rejected| internal(&rejected))?;
    let root = &evidence.derivation;
    let mut lines = chosen.lines(&instance.program, &evaluation.choices);
    lines.extend(choices::guesses(&instance.program));
    lines.extend(together(&instance));
    let drawing = match form {
        Form::Json => return Ok(json(&evidence)?),
        Form::Coq => {
            let term = of_run(root);
            let term =
                term.map_err(|unsupported| no_certificate(&instance.program, &unsupported))?;
            return Ok(match lines.is_empty() {
                true => term.to_string(),
                false => format!("(* {} *)\n{term}", lines.join("\n")),
            });
        }
        Form::Text => derivation::run_in_full(root),
        _ => derivation::of_run(root),
    };
    let threads = counted(instance.configuration.launch.block.count(), "thread");
    let title = format!("{}: derivation of a run of {threads}", instance.program.name);
    Ok(shown(drawing.titled(title, lines), form))
}

/// Is all of a tree written?
fn in_full(form: Form) -> bool {
    matches!(form, Form::Text | Form::Json)
}

/// A tree that stops, where the form has trees.
fn stopped(
    drawing: Drawing,
    unit: &Unit,
    judgment: Judgment,
    why: &str,
    form: Form,
) -> Option<String> {
    let (what, title) = match judgment {
        Judgment::Run => ("run", "there is no derivation of a run"),
        Judgment::Type => ("type", "there is no type"),
        Judgment::Map => ("map", "there is no derivation of accesses"),
    };
    let notes = vec![format!("no derivation: {why}")];
    match form {
        Form::Coq => None,
        Form::Json => Some(derivation::stopped_document(&drawing, what, unit.name(), why)),
        _ => Some(shown(drawing.titled(format!("{}: {title}", unit.name()), notes), form)),
    }
}

/// The drawing in the form that is wanted.
fn shown(drawing: Drawing, form: Form) -> String {
    match form {
        Form::Tree(columns) => derivation::tree(&drawing, columns),
        Form::Latex(style) => derivation::latex(&drawing, style),
        Form::Html => derivation::html(&drawing),
        Form::Svg(width) => derivation::svg(&drawing, width),
        Form::Text | Form::Json | Form::Coq => derivation::compact(&drawing),
    }
}

fn json<T: Format>(evidence: &T) -> Result<String, Problem> {
    to_json(evidence).map_err(|e| Problem::new(e.to_string()))
}

fn internal(rejected: &dyn std::error::Error) -> Problem {
    Problem::new(format!("internal: the checker rejects the derivation: {rejected}"))
}

/// The accesses of a protocol, or of the type of a program.
fn derive_map(unit: &Unit, chosen: &Chosen, form: Form) -> Result<String, NoDerivation> {
    let map = match unit {
        Unit::Protocol(map) => (**map).clone(),
        _ => {
            let program = unit.program("a type")?;
            let protocol =
                typed(program).map_err(|problem| untyped(unit, program, problem, form))?;
            let protocol = protocol.protocol;
            let declarations = program.declarations.clone();
            MapFile { declarations, protocol }
        }
    };
    let mentioned = map.protocol.free_vars();
    let mut configuration = fixed(&map.declarations, &mentioned)?;
    if babycuda_core::together::waits(&map.protocol, configuration.launch) {
        let message =
            "blocks that wait for each other by `sync.grid`: there is no derivation of one";
        return Err(Problem::new(message).help("`--judgment run` has them all").into());
    }
    let fixed_contents = HostMemory::fixed(&map.declarations);
    let policy = chosen.policy;
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
    store(chosen, &open, &mut configuration.host)?;
    as_assumed(&map.declarations, &configuration, &configuration.host)?;
    let choose = |x: &Name, site: Site| policy.any_number(&Cell::new(x.clone(), u64::from(site.0)));
    let limits = MapLimits { steps: MAP_STEPS, ..MapLimits::default() };
    let derivation = match attempt(&map.protocol, &configuration, &choose, &limits) {
        Ok(derivation) => derivation,
        Err(attempt) => {
            let (why, all) = (attempt.error.to_string(), in_full(form));
            let tree = derivation::stopped_map(&map.protocol, &configuration, &attempt, &why, all);
            let drawn = stopped(tree, unit, Judgment::Map, &why, form);
            return Err(NoDerivation { problem: Problem::new(why), drawn });
        }
    };
    let declarations = map.declarations.without_sources();
    let map = MapFile { declarations, ..map };
    let evidence = MapEvidence { map, configuration, derivation };
    check_map(&evidence).map_err(|rejected| internal(&rejected))?;
    let drawing = match form {
        Form::Json => return Ok(json(&evidence)?),
        Form::Coq => {
            return Err(no_term().into());
        }
        Form::Text => derivation::map_in_full(&evidence.derivation),
        _ => derivation::of_map(&evidence.derivation),
    };
    let threads = counted(evidence.configuration.launch.block.count(), "thread");
    let name = &evidence.map.declarations.name;
    let title = format!("{name}: derivation of the accesses of {threads}");
    Ok(shown(drawing.titled(title, Vec::new()), form))
}

/// The certificate of a derivation that was read: what Coq checks. The derivation should have been verified.
///
/// # Errors
/// [`Problem`]: the mechanization has none of it.
pub fn certificate(evidence: &Evidence) -> Result<String, Problem> {
    let (program, certificate) = match evidence {
        Evidence::Run(run) => (&run.program, of_run(&run.derivation)),
        Evidence::Type(of) => (&of.program, of_type(&of.derivation)),
        Evidence::Map(_) => return Err(no_term()),
    };
    let certificate = certificate.map_err(|unsupported| no_certificate(program, &unsupported))?;
    Ok(certificate.to_string())
}

fn no_term() -> Problem {
    Problem::new("derivations of protocols are no terms for Coq")
}

fn no_certificate(program: &Program, unsupported: &Unsupported) -> Problem {
    let problem = Problem::new(format!("there is no certificate: {unsupported}"));
    let span = unsupported.site().and_then(|site| program.sources.spans.get(&site)).copied();
    problem.at(span)
}

fn derive_type(unit: &Unit, form: Form) -> Result<String, NoDerivation> {
    let program = unit.program("a type")?;
    let typed = typed(program).map_err(|problem| untyped(unit, program, problem, form))?;
    let derivation = typed.derivation;
    let evidence = TypeEvidence { program: program.without_sources(), derivation };
    check_type(&evidence).map_err(|rejected| internal(&rejected))?;
    let drawing = match form {
        Form::Json => return Ok(json(&evidence)?),
        Form::Coq => {
            let term = of_type(&evidence.derivation);
            return Ok(term
                .map_err(|unsupported| no_certificate(program, &unsupported))?
                .to_string());
        }
        Form::Text => derivation::type_in_full(&evidence.derivation),
        _ => derivation::of_type(&evidence.derivation),
    };
    let title = format!("{}: derivation of a type", program.name);
    Ok(shown(drawing.titled(title, Vec::new()), form))
}

/// What has no type, with the tree up to the rule that fails.
fn untyped(unit: &Unit, program: &Program, problem: Problem, form: Form) -> NoDerivation {
    let drawn = typing::attempt(program).and_then(|attempt| {
        let why = attempt.rejection.describe(&program.sources);
        let tree = derivation::stopped_type(&attempt, &why, in_full(form));
        stopped(tree, unit, Judgment::Type, &why, form)
    });
    NoDerivation { problem, drawn }
}

fn typed(program: &Program) -> Result<Typed, Problem> {
    type_relative(program).map_err(|rejection| {
        let problem = Problem::new(rejection.describe(&program.sources));
        problem.at(rejection.span(&program.sources))
    })
}
