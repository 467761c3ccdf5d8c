//! `babycuda derive`: the derivation of a run, of a type, or of a protocol's accesses.

use super::Failure;
use crate::args::{DerivationFormat, DeriveArgs, JudgmentArg};
use crate::output;
use babycuda::protocols::map::{MapLimits, attempt};
use babycuda::semantics::{Reason, chosen_contents};
use babycuda::{Settings, parse, typing};
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::{Contents, Forall, MapFile};
use babycuda_core::{Cell, Declarations, Name, Site, counted, together};
use babycuda_files::derive::{Form, Judgment, NoDerivation, derive};
use babycuda_files::input::{self, File, Language, Unit};
use babycuda_files::problem::Problem;
use babycuda_files::run::{as_assumed, fixed, instance, settle, store};
use babycuda_report::choices::Chosen;
use babycuda_report::derivation::{self, Drawing, PAGE, stopped_document};
use std::collections::BTreeSet;

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
    let judgment = match args.judgment {
        JudgmentArg::Run => Judgment::Run,
        JudgmentArg::Type => Judgment::Type,
        JudgmentArg::Map => Judgment::Map,
    };
    let form = match args.format {
        DerivationFormat::Text => Form::Text,
        DerivationFormat::Tree => Form::Tree(args.width.unwrap_or(COLUMNS) as usize),
        DerivationFormat::Latex => Form::Latex(args.latex_style.style()),
        DerivationFormat::Html => Form::Html,
        DerivationFormat::Svg => Form::Svg(args.width.unwrap_or(PAGE)),
        DerivationFormat::Json => Form::Json,
        DerivationFormat::Coq => Form::Coq,
    };
    let chosen = args.choose.chosen();
    let settings = args.kernel.launch.settings(&[])?;
    let file = input::read(&args.kernel.file)?;
    let units = match input::units(&file, &args.kernel.source.given(), &settings) {
        Ok(units) => units,
        Err(problem) => {
            // What is not well-scoped has no derivation, and its tree says where it stops.
            let unit = not_well_scoped(&file, &settings);
            print(unit.and_then(|unit| stopped(&unit, judgment, &chosen, form)))?;
            return Err(Failure::of(&file, problem));
        }
    };
    let (file, units) = args.choose.given((file, units))?;
    let [unit] = units.as_slice() else {
        let message = format!("{} has {}", file.path, counted(units.len() as u64, "kernel"));
        return Err(Problem::new(message).help("name one with --kernel").into());
    };
    match derive(unit, judgment, &chosen, form) {
        Ok(text) => output::println(text.trim_end()).map(|()| 0),
        Err(NoDerivation { problem, drawn }) => {
            print(drawn.or_else(|| stopped(unit, judgment, &chosen, form)))?;
            Err(Failure::of(&file, problem))
        }
    }
}

fn print(tree: Option<String>) -> Result<(), Failure> {
    tree.map_or(Ok(()), |tree| output::println(tree.trim_end()))
}

/// The program or the protocol of a text that parses and has a variable that nothing binds.
fn not_well_scoped(file: &File, settings: &Settings) -> Option<Unit> {
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

/// The tree of a judgment that has no derivation, with what it has none of, and why.
struct Stopped {
    drawing: Drawing,
    title: &'static str,
    why: String,
}

/// The tree, where there is one, in the form that is wanted.
fn stopped(unit: &Unit, judgment: Judgment, chosen: &Chosen, form: Form) -> Option<String> {
    let all = matches!(form, Form::Text | Form::Json);
    let (tree, judgment) = match judgment {
        Judgment::Run => (stopped_run(unit, chosen, all)?, "run"),
        Judgment::Type => (stopped_type(unit, all)?, "type"),
        // A program's accesses are those of its type.
        Judgment::Map => match stopped_type(unit, all) {
            Some(tree) => (tree, "type"),
            None => (stopped_map(unit, chosen, all)?, "map"),
        },
    };
    let Stopped { drawing, title, why } = tree;
    let name = unit.name();
    let notes = vec![format!("no derivation: {why}")];
    let titled = |drawing: Drawing| drawing.titled(format!("{name}: {title}"), notes);
    Some(match form {
        Form::Text => derivation::compact(&titled(drawing)),
        Form::Tree(columns) => derivation::tree(&titled(drawing), columns),
        Form::Latex(style) => derivation::latex(&titled(drawing), style),
        Form::Html => derivation::html(&titled(drawing)),
        Form::Svg(width) => derivation::svg(&titled(drawing), width),
        Form::Json => stopped_document(&drawing, judgment, name, &why),
        Form::Coq => return None,
    })
}

fn stopped_run(unit: &Unit, chosen: &Chosen, all: bool) -> Option<Stopped> {
    let instance = settle(chosen, instance(unit).ok()?).ok()?;
    let attempt = instance.attempt(&chosen.options())?;
    // A limit is no premise that fails, and what came before it is large.
    if matches!(attempt.stuck.reason, Reason::Limit { .. }) {
        return None;
    }
    let why = attempt.stuck.explain(&instance.program.sources);
    let drawing = derivation::stopped_run(&attempt, &why, all);
    Some(Stopped { drawing, title: "there is no derivation of a run", why })
}

fn stopped_type(unit: &Unit, all: bool) -> Option<Stopped> {
    let program = unit.program("a type").ok()?;
    let attempt = typing::attempt(program)?;
    let why = attempt.rejection.describe(&program.sources);
    let drawing = derivation::stopped_type(&attempt, &why, all);
    Some(Stopped { drawing, title: "there is no type", why })
}

fn stopped_map(unit: &Unit, chosen: &Chosen, all: bool) -> Option<Stopped> {
    let (protocol, declared) = match unit {
        Unit::Protocol(map) => (map.protocol.clone(), &map.declarations),
        _ => {
            let program = unit.program("a type").ok()?;
            (typing::type_relative(program).ok()?.protocol, &program.declarations)
        }
    };
    let mut at = fixed(declared, &protocol.free_vars()).ok()?;
    if together::waits(&protocol, at.launch) {
        return None;
    }
    let fixed_contents = HostMemory::fixed(declared);
    let mut open = Vec::new();
    let assumed = declared.contents_assumed.iter().flat_map(Forall::arrays);
    for name in protocol.inputs().chain(assumed).collect::<BTreeSet<_>>() {
        let stored = match declared.array(name) {
            Some(array) if array.contents == Contents::Any => {
                open.push(array);
                chosen_contents(array, chosen.policy)
            }
            _ => fixed_contents.array(name).cloned().unwrap_or_default(),
        };
        at.host.insert(name.clone(), stored);
    }
    store(chosen, &open, &mut at.host).ok()?;
    as_assumed(declared, &at, &at.host).ok()?;
    let choose =
        |x: &Name, site: Site| chosen.policy.any_number(&Cell::new(x.clone(), u64::from(site.0)));
    let limits = MapLimits { steps: MAP_STEPS, ..MapLimits::default() };
    let attempt = attempt(&protocol, &at, &choose, &limits).err()?;
    let why = attempt.error.to_string();
    let drawing = derivation::stopped_map(&protocol, &at, &attempt, &why, all);
    Some(Stopped { drawing, title: "there is no derivation of accesses", why })
}
