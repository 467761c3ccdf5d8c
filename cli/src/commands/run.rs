//! `babycuda run`: the history of a kernel in the reference semantics, racy cells marked.

use super::Failure;
use crate::args::{RunArgs, RunFormat};
use crate::output;
use babycuda_files::run::Runs;
use babycuda_report::beside::{self, Beside};
use babycuda_report::matrix::{self, Matrix};
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
    let (mut matrices, mut besides) = (Vec::new(), Vec::new());
    for unit in &units {
        let of_unit = Runs::of(unit, &args.choose.chosen());
        let of_unit = of_unit.map_err(|problem| Failure::of(&file, problem))?;
        statuses.extend(of_unit.statuses());
        for run in &of_unit.runs {
            match args.format {
                RunFormat::Human => output::show(run.human())?,
                RunFormat::Matrix => output::show(matrix::text(&Matrix::of(run)))?,
                RunFormat::Html | RunFormat::Svg => matrices.push(Matrix::of(run)),
                RunFormat::Lines => output::show(beside::text(&Beside::of(run, &file.text)))?,
                RunFormat::LinesHtml | RunFormat::LinesSvg => {
                    besides.push(Beside::of(run, &file.text));
                }
                RunFormat::Json => documents.push(run.document()),
            }
        }
        let lines = across::lines(&of_unit.across);
        match args.format {
            RunFormat::Human | RunFormat::Matrix | RunFormat::Lines => output::show(lines)?,
            RunFormat::Html | RunFormat::Svg => {
                if let Some(last) = matrices.pop() {
                    matrices.push(last.with_notes(lines.lines().map(str::to_owned)));
                }
            }
            RunFormat::LinesHtml | RunFormat::LinesSvg => {
                if let Some(last) = besides.pop() {
                    besides.push(last.with_notes(lines.lines().map(str::to_owned)));
                }
            }
            RunFormat::Json => between.extend(across::document(unit.name(), &of_unit.across)),
        }
    }
    match args.format {
        RunFormat::Human | RunFormat::Matrix | RunFormat::Lines => {}
        RunFormat::LinesHtml => output::print(beside::html(&besides))?,
        RunFormat::LinesSvg => output::print(beside::svg(&besides))?,
        RunFormat::Html => output::print(matrix::html(&matrices))?,
        RunFormat::Svg => output::print(matrix::svg(&matrices))?,
        RunFormat::Json => output::println(json!({
            "version": 2,
            "file": file.path,
            "runs": documents,
            "races_across_blocks": between,
        }))?,
    }
    Ok(worst(statuses))
}
