//! The two sides in columns, the first difference marked.

use super::{Compared, DeviceKernel, DeviceRun, Finding};
use crate::across;
use babycuda::gpu::Device;
use babycuda::gpu::compare::{AccessRow, CellRow, Comparison, Difference, Made};
use babycuda::semantics::Outcome;
use babycuda_core::history::LastWrite;
use babycuda_core::{AccessMode, counted};
use std::fmt::Write;
use std::ops::Range;

/// Widths of the columns.
const WHAT: usize = 34;
const SIDE: usize = 22;

/// The device, and what it did in all runs of each kernel: of each table so many rows, around the first difference;
/// `None`: all. Only then are blocks shown that do what the semantics says, but for the first.
pub fn human(device: &Device, kernels: &[DeviceKernel], rows: Option<usize>) -> String {
    let mut out = format!("{}: {} ({})\n", device.backend, device.name, device.driver);
    for kernel in kernels {
        blocks(&mut out, kernel, rows);
        out.push_str(&across::lines(&kernel.across));
        if let Some(races) = &kernel.races {
            out.push_str(&races.human(rows.is_none()));
        }
        for note in &kernel.notes {
            let _ = writeln!(out, "{note}");
        }
    }
    out
}

fn blocks(out: &mut String, kernel: &DeviceKernel, rows: Option<usize>) {
    let differs = |block: &Compared| !matches!(block.sides, Ok((_, Finding::Same)));
    // The first that differs, else the first.
    let chosen = kernel.blocks.iter().position(differs).unwrap_or(0);
    let (mut same, mut others) = (0, 0);
    for (number, block) in kernel.blocks.iter().enumerate() {
        if rows.is_none() || number == chosen {
            print(out, &kernel.name, block, rows);
        } else if differs(block) {
            others += 1;
        } else {
            same += 1;
        }
    }
    if same > 0 {
        let _ = writeln!(out, "{} as the semantics says", counted(same, "more block"));
    }
    if others > 0 {
        let _ = writeln!(out, "{} otherwise: --rows all shows all", counted(others, "more block"));
    }
}

fn print(out: &mut String, name: &str, block: &Compared, rows: Option<usize>) {
    let configuration = &block.run.instance.configuration;
    let grid = configuration.launch.grid.count();
    let which = match grid {
        0 | 1 => String::new(),
        _ => format!(", block {} of {grid}", configuration.block),
    };
    let threads = counted(configuration.launch.block.count(), "thread");
    let _ = writeln!(out, "{name}{which}: {threads}");
    match &block.sides {
        Ok((comparison, finding)) => {
            sides(out, &block.run, comparison, rows);
            let _ = writeln!(out, "{}", finding.sentence());
        }
        Err(reason) => {
            let _ = writeln!(out, "nothing to compare: {reason}");
        }
    }
}

fn sides(out: &mut String, run: &DeviceRun, comparison: &Comparison, most: Option<usize>) {
    let expected = &run.expected;
    let first = comparison.first_difference();
    let mut phase = None;
    rows(out, &comparison.accesses, AccessRow::agrees, most, |out, row| {
        if phase != Some(row.phase) {
            phase = Some(row.phase);
            let racy =
                expected.history().chronological().any(|(n, p)| n == row.phase && p.is_racy());
            let title = format!("phase {}: {}", row.phase, if racy { "RACY" } else { "DRF" });
            line(out, &title, "semantics", "device", "");
        }
        let what = format!("  thread {}: {} {}", row.thread, row.mode, row.cell);
        let left = made(&row.semantics, row.mode);
        let right = made(&row.device, row.mode) + &read(&row.read);
        line(out, &what, &left, &right, access_mark(row, first));
    });
    line(out, "memory", "", "", "");
    let cells = comparison.cells.iter().filter(|row| row.touched || !row.agrees());
    let cells: Vec<&CellRow> = cells.collect();
    rows(
        out,
        &cells,
        |row| row.agrees(),
        most,
        |out, row| {
            let (left, right) = (values(&row.semantics), row.device.to_string());
            line(out, &format!("  {}", row.cell), &left, &right, cell_mark(row, first));
        },
    );
    let mark = match (comparison.same_ending, first) {
        (true, _) => "",
        (false, Some(Difference::Ending)) => FIRST,
        (false, _) => LATER,
    };
    // What is compared has a report.
    let status = run.report.as_ref().map_or_else(String::clone, |report| report.status.to_string());
    line(out, "ending", &ending(expected), &status, mark);
}

/// Shows `most` rows, around the first that differs, and says how many there are before and behind.
fn rows<T>(
    out: &mut String,
    all: &[T],
    agrees: impl Fn(&T) -> bool,
    most: Option<usize>,
    mut show: impl FnMut(&mut String, &T),
) {
    let shown = window(all.len(), all.iter().position(|row| !agrees(row)), most);
    let skipped = |out: &mut String, rows: &[T]| {
        let differ = match rows.iter().filter(|row| !agrees(row)).count() {
            0 => String::new(),
            n => format!(", of which {n} differ"),
        };
        if !rows.is_empty() {
            let _ = writeln!(out, "  … {}{differ}", counted(rows.len() as u64, "more row"));
        }
    };
    skipped(out, &all[..shown.start]);
    all[shown.clone()].iter().for_each(|row| show(out, row));
    skipped(out, &all[shown.end..]);
}

/// The rows that are shown: the first ones, or those around the first that differs.
fn window(rows: usize, differs: Option<usize>, most: Option<usize>) -> Range<usize> {
    let most = most.unwrap_or(rows).min(rows);
    let start = match differs {
        Some(row) if row >= most => (row - most / 2).min(rows - most),
        _ => 0,
    };
    start..start + most
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

/// What was read, of several values the first and the last.
fn read(values: &[u64]) -> String {
    match values {
        [] => String::new(),
        [first, .., last] if first != last => format!(" {first} … {last}"),
        [first, ..] => format!(" {first}"),
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
