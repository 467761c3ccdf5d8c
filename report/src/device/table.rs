//! The two sides in columns, the first difference marked.

use super::{DeviceRun, across_blocks};
use crate::across;
use babycuda::gpu::compare::{AccessRow, CellRow, Comparison, Difference, Made};
use babycuda::gpu::{Device, Report};
use babycuda::semantics::Outcome;
use babycuda_core::history::LastWrite;
use babycuda_core::{AccessMode, counted};
use std::fmt::Write;

/// Widths of the columns.
const WHAT: usize = 34;
const SIDE: usize = 22;

/// The device, and what it did in all runs of each kernel.
pub fn human(device: &Device, kernels: &[Vec<DeviceRun>]) -> String {
    let mut out = format!("{}: {} ({})\n", device.backend, device.name, device.driver);
    for runs in kernels {
        runs.iter().for_each(|run| print(&mut out, run));
        out.push_str(&across::lines(&across_blocks(runs)));
    }
    out
}

fn print(out: &mut String, run: &DeviceRun) {
    let launch = run.instance.configuration.launch;
    let grid = launch.grid.count();
    let which = match grid {
        0 | 1 => String::new(),
        _ => format!(", block {} of {grid}", run.instance.configuration.block),
    };
    let threads = counted(launch.block.count(), "thread");
    let _ = writeln!(out, "{}{which}: {threads}", run.kernel);
    match run.comparison() {
        Ok((report, comparison)) => sides(out, run, &comparison, report),
        Err(reason) => {
            let _ = writeln!(out, "nothing to compare: {reason}");
        }
    }
}

fn sides(out: &mut String, run: &DeviceRun, comparison: &Comparison, report: &Report) {
    let expected = &run.expected;
    let first = comparison.first_difference();
    let mut phase = None;
    for row in &comparison.accesses {
        if phase != Some(row.phase) {
            phase = Some(row.phase);
            let racy =
                expected.history().chronological().any(|(n, p)| n == row.phase && p.is_racy());
            let title = format!("phase {}: {}", row.phase, if racy { "RACY" } else { "DRF" });
            line(out, &title, "semantics", "device", "");
        }
        let what = format!("  thread {}: {} {}", row.thread, row.mode, row.cell);
        let (left, right) = (made(&row.semantics, row.mode), made(&row.device, row.mode));
        line(out, &what, &left, &right, access_mark(row, first));
    }
    let shown = comparison.cells.iter().filter(|row| row.touched || !row.agrees());
    line(out, "memory", "", "", "");
    for row in shown {
        let mark = cell_mark(row, first);
        line(
            out,
            &format!("  {}", row.cell),
            &values(&row.semantics),
            &row.device.to_string(),
            mark,
        );
    }
    let mark = match (comparison.same_ending, first) {
        (true, _) => "",
        (false, Some(Difference::Ending)) => FIRST,
        (false, _) => LATER,
    };
    line(out, "ending", &ending(expected), &report.status.to_string(), mark);
    let _ = writeln!(out, "{}", run.finding(comparison).sentence());
}

const FIRST: &str = "<-- first difference";
const LATER: &str = "<-- differs";

fn access_mark(row: &AccessRow, first: Option<Difference<'_>>) -> &'static str {
    match first {
        _ if row.agrees() => "",
        Some(Difference::Access(known)) if known == row => FIRST,
        _ => LATER,
    }
}

fn cell_mark(row: &CellRow, first: Option<Difference<'_>>) -> &'static str {
    match first {
        _ if row.agrees() => "",
        Some(Difference::Cell(known)) if known == row => FIRST,
        _ => LATER,
    }
}

fn made(made: &Made, mode: AccessMode) -> String {
    match made {
        Made::No => "-".to_owned(),
        Made::Yes => mode.keyword().to_owned(),
        Made::Wrote(value) => format!(":= {value}"),
    }
}

fn values(semantics: &LastWrite) -> String {
    match semantics {
        LastWrite::Undefined => "undefined".to_owned(),
        LastWrite::One(value) => value.to_string(),
        LastWrite::Several(possible) => {
            let values: Vec<String> = possible.values.iter().map(ToString::to_string).collect();
            let more = if possible.exhaustive { "" } else { " or …" };
            format!("{}{more}", values.join(" or "))
        }
    }
}

fn ending(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done { .. } => "done".to_owned(),
        Outcome::Diverged { divergence, .. } => divergence.to_string(),
        Outcome::Stuck { stuck, .. } => format!("stuck: {stuck}"),
    }
}

/// One line of the table, without spaces at its end.
fn line(out: &mut String, what: &str, left: &str, right: &str, mark: &str) {
    let line = format!("{what:<WHAT$} {left:<SIDE$} {right:<SIDE$} {mark}");
    let _ = writeln!(out, "{}", line.trim_end());
}
