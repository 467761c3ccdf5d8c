//! Derivations: of a run, of a type, or of the accesses of a protocol.

use crate::input::Unit;
use crate::problem::Problem;
use crate::run::{as_assumed, fixed, instance, settle, store};
use babycuda::protocols::map::{MapEvidence, MapLimits, check_map, derive as derive_accesses};
use babycuda::semantics::{RunEvidence, check_run, chosen_contents};
use babycuda::typing::{TypeEvidence, Typed, check_type, type_relative};
use babycuda_certificates::{Unsupported, of_run, of_type};
use babycuda_core::history::HostMemory;
use babycuda_core::json::{Format, to_json};
use babycuda_core::syntax::{Contents, Forall, MapFile, Program};
use babycuda_core::{Cell, Name, Site};
use babycuda_report::choices::Chosen;
use babycuda_report::run::together;
use babycuda_report::{choices, derivation};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How deep a tree is drawn; what is below is summed up. Compact text is never cut.
const DEPTH: usize = 64;

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
    /// Indented text.
    Text,
    /// LaTeX with mathpartir.
    Latex,
    /// A web page.
    Html,
    /// For programs.
    Json,
    /// A term that Coq checks.
    Coq,
}

/// The derivation of a judgment about a kernel, which a checker has seen.
///
/// # Errors
/// A [`Problem`] when there is none, or the form has none of it.
pub fn derive(
    unit: &Unit,
    judgment: Judgment,
    chosen: &Chosen,
    form: Form,
) -> Result<String, Problem> {
    match judgment {
        Judgment::Run => derive_run(unit, chosen, form),
        Judgment::Type => derive_type(unit, form),
        Judgment::Map => derive_map(unit, chosen, form),
    }
}

fn derive_run(unit: &Unit, chosen: &Chosen, form: Form) -> Result<String, Problem> {
    let instance = settle(chosen, instance(unit)?)?;
    let evaluation = instance.evaluate(&chosen.options());
    let Some(root) = evaluation.derivation else {
        let (stuck, sources) = (evaluation.outcome.stuck(), &instance.program.sources);
        let why = stuck.map_or(String::new(), |stuck| format!(": {}", stuck.explain(sources)));
        let span = stuck.and_then(|s| sources.spans.get(&s.site?)).copied();
        let problem = Problem::new(format!("there is no derivation{why}"));
        return Err(problem.at(span));
    };
    let root = Arc::unwrap_or_clone(root);
    let evidence = RunEvidence::new(&instance, &evaluation.choices, root);
    // The evaluator is not trusted with what is printed.
    check_run(&evidence).map_err(|rejected| internal(&rejected))?;
    let root = &evidence.derivation;
    let text = match form {
        Form::Text => derivation::compact(root),
        Form::Latex => derivation::latex(root, DEPTH),
        Form::Html => derivation::html(root, DEPTH),
        Form::Json => return json(&evidence),
        Form::Coq => of_run(root)
            .map_err(|unsupported| no_certificate(&instance.program, &unsupported))?
            .to_string(),
    };
    let mut lines = chosen.lines(&instance.program, &evaluation.choices);
    lines.extend(choices::guesses(&instance.program));
    lines.extend(together(&instance));
    Ok(with_choices(form, &lines.join("\n"), text))
}

/// The text with what was chosen for it; as a comment, where the format has any.
fn with_choices(form: Form, chosen: &str, text: String) -> String {
    if chosen.is_empty() {
        return text;
    }
    match form {
        Form::Text | Form::Json => {
            format!("{}\n{chosen}\n", text.trim_end())
        }
        Form::Latex => {
            let lines: Vec<String> = chosen.lines().map(|line| format!("% {line}\n")).collect();
            lines.concat() + &text
        }
        Form::Html => format!("{}\n<!-- {chosen} -->\n", text.trim_end()),
        Form::Coq => format!("(* {chosen} *)\n{text}"),
    }
}

fn json<T: Format>(evidence: &T) -> Result<String, Problem> {
    to_json(evidence).map_err(|e| Problem::new(e.to_string()))
}

fn internal(rejected: &dyn std::error::Error) -> Problem {
    Problem::new(format!("internal: the checker rejects the derivation: {rejected}"))
}

/// The accesses of a protocol, or of the type of a program.
fn derive_map(unit: &Unit, chosen: &Chosen, form: Form) -> Result<String, Problem> {
    let map = match unit {
        Unit::Protocol(map) => (**map).clone(),
        _ => {
            let program = unit.program("a type")?;
            let protocol = typed(program)?.protocol;
            let declarations = program.declarations.clone();
            MapFile { declarations, protocol }
        }
    };
    let mentioned = map.protocol.free_vars();
    let mut configuration = fixed(&map.declarations, &mentioned)?;
    if babycuda_core::together::waits(&map.protocol, configuration.launch) {
        let message =
            "blocks that wait for each other by `sync.grid`: there is no derivation of one";
        return Err(Problem::new(message).help("`--judgment run` has them all"));
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
    let derivation = derive_accesses(&map.protocol, &configuration, &choose, &limits)
        .map_err(|error| Problem::new(error.to_string()))?;
    let declarations = map.declarations.without_sources();
    let map = MapFile { declarations, ..map };
    let evidence = MapEvidence { map, configuration, derivation };
    check_map(&evidence).map_err(|rejected| internal(&rejected))?;
    match form {
        Form::Text => Ok(derivation::of_map(&evidence.derivation)),
        Form::Json => json(&evidence),
        Form::Latex | Form::Html | Form::Coq => {
            Err(Problem::new("derivations of protocols are printed as text or JSON"))
        }
    }
}

fn no_certificate(program: &Program, unsupported: &Unsupported) -> Problem {
    let problem = Problem::new(format!("there is no certificate: {unsupported}"));
    let span = unsupported.site().and_then(|site| program.sources.spans.get(&site)).copied();
    problem.at(span)
}

fn derive_type(unit: &Unit, form: Form) -> Result<String, Problem> {
    let program = unit.program("a type")?;
    let derivation = typed(program)?.derivation;
    let evidence = TypeEvidence { program: program.without_sources(), derivation };
    check_type(&evidence).map_err(|rejected| internal(&rejected))?;
    match form {
        Form::Text => Ok(derivation::of_type(&evidence.derivation)),
        Form::Json => json(&evidence),
        Form::Coq => of_type(&evidence.derivation)
            .map(|certificate| certificate.to_string())
            .map_err(|unsupported| no_certificate(program, &unsupported)),
        Form::Latex | Form::Html => {
            Err(Problem::new("typing derivations are printed as text, JSON or Coq"))
        }
    }
}

fn typed(program: &Program) -> Result<Typed, Problem> {
    type_relative(program).map_err(|rejection| {
        let problem = Problem::new(rejection.describe(&program.sources));
        problem.at(rejection.span(&program.sources))
    })
}
