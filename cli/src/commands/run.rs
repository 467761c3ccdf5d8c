//! `babycuda run`: the history of a kernel in the reference semantics, racy cells marked.

use super::Failure;
use crate::args::{ChooseArgs, RunArgs, RunFormat};
use crate::input::{CUDA, File, PROGRAM, Unit};
use crate::output;
use crate::problem::Problem;
use babycuda::Observed;
use babycuda::semantics::Instance;
use babycuda_core::configuration::NotFixed;
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::ArrayDecl;
use babycuda_core::{Configuration, Declarations, Name};
use babycuda_report::choices::{self, Chosen};
use babycuda_report::matrix::{self, Matrix};
use babycuda_report::run::Run;
use babycuda_report::{across, worst};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, or leaves the launch open.
pub(crate) fn run(args: &RunArgs) -> Result<u8, Failure> {
    let (file, units) = args.kernel.open(&args.kernel.source)?;
    let mut statuses = Vec::new();
    let (mut documents, mut between, mut matrices) = (Vec::new(), Vec::new(), Vec::new());
    for unit in &units {
        let instance = instance(&file, unit)?;
        // Data that decides no access may still overflow, unless nobody knows the data.
        let stopping = instance.program.stopping().filter(|p| choices::guesses(p).is_none());
        let instance = match stopping {
            Some(program) => Instance { program: Arc::new(program), ..instance },
            None => instance,
        };
        let instance = args.choose.settle(&file, instance)?;
        let guesses = choices::guesses(&instance.program);
        let mut runs = Vec::new();
        let blocks = instance.configuration.launch.grid.count();
        for block in 0..if instance.blocks().is_some() { 1 } else { blocks } {
            let instance = instance.clone().with_block(block);
            let mut run = Run::of(instance, args.choose.chosen(), guesses.clone());
            // It is not printed, and large.
            run.observed.derivation = None;
            runs.push(run);
        }
        if runs.len() > 1 {
            let observed: Vec<&Observed> = runs.iter().map(|run| &run.observed).collect();
            if let Some(cell) = babycuda::unordered_in_grid(&instance.program, &observed) {
                let why = choices::unordered(&cell, None);
                runs.iter_mut().for_each(|run| run.unordered = Some(why.clone()));
            }
        }
        for run in &runs {
            statuses.push(run.status());
            match args.format {
                RunFormat::Human => output::print(run.human())?,
                RunFormat::Matrix => output::print(matrix::text(&Matrix::of(run)))?,
                RunFormat::Html | RunFormat::Svg => matrices.push(Matrix::of(run)),
                RunFormat::Json => documents.push(run.document()),
            }
        }
        let histories = runs.iter().map(|run| run.observed.outcome.history());
        let races = across::races(&instance.program, histories);
        let decides = guesses.is_none() && runs.iter().all(|run| run.unordered.is_none());
        if decides {
            statuses.push(u8::from(races.1 > 0));
        }
        let lines = across::lines(&races);
        match args.format {
            RunFormat::Human | RunFormat::Matrix => output::print(lines)?,
            RunFormat::Html | RunFormat::Svg => {
                if let Some(last) = matrices.pop() {
                    matrices.push(last.with_notes(lines.lines().map(str::to_owned)));
                }
            }
            RunFormat::Json => between.extend(across::document(unit.name(), &races)),
        }
    }
    match args.format {
        RunFormat::Human | RunFormat::Matrix => {}
        RunFormat::Html => output::print(matrix::html(&matrices))?,
        RunFormat::Svg => output::print(matrix::svg(&matrices))?,
        RunFormat::Json => output::println(json!({
            "version": 1,
            "file": file.path,
            "runs": documents,
            "races_across_blocks": between,
        }))?,
    }
    Ok(worst(statuses))
}

/// The kernel with everything that a run needs.
///
/// # Errors
/// [`Failure`] when the unit is no program, or its launch or a parameter is not fixed.
pub(crate) fn instance(file: &File, unit: &Unit) -> Result<Instance, Failure> {
    let program = match unit {
        Unit::Protocol(_) => {
            let help = format!(
                "expected {PROGRAM}, or {CUDA}; use `check` on a protocol, or `derive --judgment map`"
            );
            return Err(Failure::of(file, Problem::new("a protocol has no runs").help(help)));
        }
        _ => unit.program("runs").map_err(|problem| Failure::of(file, problem))?,
    };
    let at = fixed(file, program, &program.body.free_vars())?;
    Ok(Instance::of(program.clone(), at))
}

/// The launch, and a value for each parameter; 0 for one that is not mentioned.
///
/// # Errors
/// [`Failure`] when the launch or a parameter that is mentioned is not fixed, or when they are not
/// as assumed.
pub(crate) fn fixed(
    file: &File,
    declarations: &Declarations,
    mentioned: &BTreeSet<Name>,
) -> Result<Configuration, Failure> {
    let fail = |message: String, help: String| Failure::of(file, Problem::new(message).help(help));
    let configuration = declarations.configuration(mentioned).map_err(|open| match open {
        NotFixed::Parameter(ref name) => {
            fail(open.to_string(), format!("give --param {name}=VALUE"))
        }
        _ => fail("the launch is not fixed".into(), "give --block (and --grid)".into()),
    })?;
    let value = |x: &Name| configuration.value_of(x, 0);
    if let Some(broken) = declarations.assumptions.iter().find(|c| c.eval(&value) != Ok(true)) {
        let message = format!(
            "vacuous: the launch and parameters do not satisfy `{}`",
            declarations.sources.said(broken)
        );
        return Err(fail(message, "give others, or take the assumption away".into()));
    }
    as_assumed(file, declarations, &configuration, &HostMemory::fixed(declarations))?;
    if !declarations.admits(&configuration) {
        let message = "the launch or a parameter is not as declared".into();
        return Err(fail(message, "give another".into()));
    }
    Ok(configuration)
}

/// Are the contents as assumed?
///
/// # Errors
/// [`Failure`] with the assumption and the values of its variables for which it does not hold.
pub(crate) fn as_assumed(
    file: &File,
    declarations: &Declarations,
    at: &Configuration,
    host: &HostMemory,
) -> Result<(), Failure> {
    let Some((number, why)) = declarations.unmet_in(at, host) else { return Ok(()) };
    let span = declarations.sources.contents_assumed.get(number).copied();
    let help = "give others with --contents ARRAY[INDEX]=VALUE, or take the assumption away";
    let problem = Problem::new(format!("vacuous: in these contents {why}")).help(help);
    Err(Failure::of(file, problem.at(span)))
}

impl ChooseArgs {
    /// What is chosen.
    pub(crate) fn chosen(&self) -> Chosen {
        Chosen { policy: self.choose, contents: self.contents.clone() }
    }

    /// The instance with the contents that its program leaves open: as given, and else chosen.
    ///
    /// # Errors
    /// As [`ChooseArgs::store`].
    pub(crate) fn settle(&self, file: &File, instance: Instance) -> Result<Instance, Failure> {
        let Instance { program, mut configuration } = instance.with_contents_chosen(self.choose);
        let open: Vec<&ArrayDecl> = program.open_arrays().collect();
        self.store(file, &open, &mut configuration.host)?;
        as_assumed(file, &program, &configuration, &configuration.host)?;
        Ok(Instance { program, configuration })
    }

    /// Stores the contents that are given, all of arrays that are `open`. Cells beyond the declared
    /// length are cells like others.
    ///
    /// # Errors
    /// [`Failure`] when a cell is given that is none of such an array, or a value that is none of
    /// its type.
    pub(crate) fn store(
        &self,
        file: &File,
        open: &[&ArrayDecl],
        host: &mut HostMemory,
    ) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        for (cell, value) in &self.contents {
            let fail = |what: String| Failure::of(file, Problem::new(what));
            if !seen.insert(cell) {
                return Err(fail(format!("--contents: {cell} has two values")));
            }
            let declared = open.iter().find(|a| a.name == cell.array);
            let Some(ArrayDecl { element, .. }) = declared else {
                let what = "no array that the kernel uses and whose contents are open";
                return Err(fail(format!("--contents {cell}: `{}` is {what}", cell.array)));
            };
            let value = element
                .value(value)
                .ok_or_else(|| fail(format!("--contents {cell}: {value} is not of its type")))?;
            host.set(cell.clone(), value);
        }
        Ok(())
    }
}
