//! The runs of kernels: one for each block, or all blocks together.

use crate::input::{CUDA, PROGRAM, Unit};
use crate::problem::Problem;
use babycuda::Observed;
use babycuda::semantics::Instance;
use babycuda::semantics::grid::GridRace;
use babycuda_core::configuration::NotFixed;
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::{ArrayDecl, Extent, Geometry};
use babycuda_core::{Configuration, Declarations, Name};
use babycuda_report::across;
use babycuda_report::choices::{self, Chosen};
use babycuda_report::run::Run;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The runs of a kernel.
#[derive(Clone, Debug)]
pub struct Runs {
    /// One for each block; one alone where all blocks run together.
    pub runs: Vec<Run>,
    /// The first races between blocks, and how many there are.
    pub across: (Vec<GridRace>, usize),
}

impl Runs {
    /// The runs of a kernel, with what is chosen for them.
    ///
    /// # Errors
    /// A [`Problem`] when the kernel has no runs, leaves the launch open, or what is chosen does not fit.
    pub fn of(unit: &Unit, chosen: &Chosen) -> Result<Runs, Problem> {
        let instance = instance(unit)?;
        // Data that decides no access may still overflow, unless nobody knows the data.
        let stopping = instance.program.stopping().filter(|p| choices::guesses(p).is_none());
        let instance = match stopping {
            Some(program) => Instance { program: Arc::new(program), ..instance },
            None => instance,
        };
        let instance = settle(chosen, instance)?;
        let guesses = choices::guesses(&instance.program);
        let mut runs = Vec::new();
        let blocks = instance.configuration.launch.grid.count();
        for block in 0..if instance.blocks().is_some() { 1 } else { blocks } {
            let instance = instance.clone().with_block(block);
            let mut run = Run::of(instance, chosen.clone(), guesses.clone());
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
        let histories = runs.iter().map(|run| run.observed.outcome.history());
        let across = across::races(&instance.program, histories);
        Ok(Runs { runs, across })
    }

    /// The exit statuses of the runs, and that of races between blocks where they are decided.
    pub fn statuses(&self) -> impl Iterator<Item = u8> {
        let unsure = |run: &Run| run.guesses.is_some() || run.unordered.is_some();
        let decides = !self.runs.iter().any(unsure);
        let across = decides.then_some(u8::from(self.across.1 > 0));
        self.runs.iter().map(Run::status).chain(across)
    }
}

/// The kernel with everything that a run needs.
///
/// # Errors
/// A [`Problem`] when the unit is no program, or its launch or a parameter is not fixed.
pub fn instance(unit: &Unit) -> Result<Instance, Problem> {
    let program = match unit {
        Unit::Protocol(_) => {
            let help = format!(
                "expected {PROGRAM}, or {CUDA}; use `check` on a protocol, or `derive --judgment map`"
            );
            return Err(Problem::new("a protocol has no runs").help(help));
        }
        _ => unit.program("runs")?,
    };
    let at = fixed(program, &program.body.free_vars())?;
    Ok(Instance::of(program.clone(), at))
}

/// The launch, and a value for each parameter; 0 for one that is not mentioned.
///
/// # Errors
/// A [`Problem`] when the launch or a parameter that is mentioned is not fixed, or when they are not
/// as assumed.
pub fn fixed(
    declarations: &Declarations,
    mentioned: &BTreeSet<Name>,
) -> Result<Configuration, Problem> {
    let fail = |message: String, help: String| Problem::new(message).help(help);
    let configuration = declarations.configuration(mentioned).map_err(|open| match open {
        NotFixed::Parameter(ref name) => {
            fail(open.to_string(), format!("give --param {name}=VALUE"))
        }
        _ => {
            let open = |extents: &[Extent; 3]| extents.contains(&Extent::Symbolic);
            let Geometry { block, grid, .. } = &declarations.geometry;
            let help = match (open(block), grid.as_ref().is_some_and(open)) {
                (true, true) => "give --block and --grid",
                (false, true) => "give --grid",
                _ => "give --block",
            };
            fail("the launch is not fixed".into(), help.into())
        }
    })?;
    let value = |x: &Name| configuration.value_of(x, 0);
    if let Some(broken) = declarations.assumptions.iter().find(|c| c.eval(&value) != Ok(true)) {
        let message = format!(
            "vacuous: the launch and parameters do not satisfy `{}`",
            declarations.sources.said(broken)
        );
        return Err(fail(message, "give others, or take the assumption away".into()));
    }
    as_assumed(declarations, &configuration, &HostMemory::fixed(declarations))?;
    if !declarations.admits(&configuration) {
        let message = "the launch or a parameter is not as declared".into();
        return Err(fail(message, "give another".into()));
    }
    Ok(configuration)
}

/// Are the contents as assumed?
///
/// # Errors
/// A [`Problem`] with the assumption and the values of its variables for which it does not hold.
pub fn as_assumed(
    declarations: &Declarations,
    at: &Configuration,
    host: &HostMemory,
) -> Result<(), Problem> {
    let Some((number, why)) = declarations.unmet_in(at, host) else { return Ok(()) };
    let span = declarations.sources.contents_assumed.get(number).copied();
    let help = "give others with --contents ARRAY[INDEX]=VALUE, or take the assumption away";
    let problem = Problem::new(format!("vacuous: in these contents {why}")).help(help);
    Err(problem.at(span))
}

/// The instance with the contents that its program leaves open: as given, and else chosen.
///
/// # Errors
/// As [`store`].
pub fn settle(chosen: &Chosen, instance: Instance) -> Result<Instance, Problem> {
    let Instance { program, mut configuration } = instance.with_contents_chosen(chosen.policy);
    let open: Vec<&ArrayDecl> = program.open_arrays().collect();
    store(chosen, &open, &mut configuration.host)?;
    as_assumed(&program, &configuration, &configuration.host)?;
    Ok(Instance { program, configuration })
}

/// Stores the contents that are given, all of arrays that are `open`. Cells beyond the declared
/// length are cells like others.
///
/// # Errors
/// A [`Problem`] when a cell is given that is none of such an array, or a value that is none of
/// its type.
pub fn store(chosen: &Chosen, open: &[&ArrayDecl], host: &mut HostMemory) -> Result<(), Problem> {
    let mut seen = BTreeSet::new();
    for (cell, value) in &chosen.contents {
        if !seen.insert(cell) {
            return Err(Problem::new(format!("--contents: {cell} has two values")));
        }
        let declared = open.iter().find(|a| a.name == cell.array);
        let Some(ArrayDecl { element, .. }) = declared else {
            let what = "no array that the kernel uses and whose contents are open";
            return Err(Problem::new(format!("--contents {cell}: `{}` is {what}", cell.array)));
        };
        let value = element.value(value).ok_or_else(|| {
            Problem::new(format!("--contents {cell}: {value} is not of its type"))
        })?;
        host.set(cell.clone(), value);
    }
    Ok(())
}
