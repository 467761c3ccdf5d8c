//! `babycuda run`: the history of a kernel in the reference semantics, racy cells marked.

use super::Failure;
use crate::args::{PlainFormat, RunArgs};
use crate::output;
use babycuda_files::run::Runs;
use babycuda_report::{across, worst};
use serde_json::json;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when the file cannot be read, does not parse, or leaves the launch open.
pub(crate) fn run(args: &RunArgs) -> Result<u8, Failure> {
    let (file, units) = args.choose.given(args.kernel.open(&args.kernel.source.given())?)?;
    let mut statuses = Vec::new();
    let (mut documents, mut between) = (Vec::new(), Vec::new());
    for unit in &units {
        let of_unit = Runs::of(unit, &args.choose.chosen());
        let of_unit = of_unit.map_err(|problem| Failure::of(&file, problem))?;
        statuses.extend(of_unit.statuses());
        match args.format {
            PlainFormat::Human => {
                of_unit.runs.iter().try_for_each(|run| output::print(run.human()))?;
                output::print(across::lines(&of_unit.across))?;
            }
            PlainFormat::Json => {
                documents.extend(of_unit.runs.iter().map(|run| run.document()));
                between.extend(across::document(unit.name(), &of_unit.across));
            }
        }
    }
    if args.format == PlainFormat::Json {
        output::println(json!({
            "version": 1,
            "file": file.path,
            "runs": documents,
            "races_across_blocks": between,
        }))?;
    }
    Ok(worst(statuses))
}
