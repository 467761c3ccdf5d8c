//! All techniques side by side.

use babycuda::compare::{Answer, Compared};
use babycuda_core::Launch;
use serde_json::{Value, json};
use std::fmt::Write;

/// A table for people: what is true first.
pub fn human(kernel: &str, launch: &Launch, compared: &Compared) -> String {
    let mut out = format!("kernel {kernel}, block {}, grid {}\n", launch.block, launch.grid);
    let truth = Answer { technique: "truth".to_owned(), ..compared.truth.clone() };
    let names = compared.answers.iter().map(|answer| answer.technique.len());
    let width = names.chain(["technique".len()]).max().unwrap_or(0);
    let _ = writeln!(out, "  {:<width$} {:<10} {:>9}  evidence", "technique", "verdict", "time");
    for answer in std::iter::once(&truth).chain(&compared.answers) {
        let verdict = answer.verdict.unwrap_or("refused");
        let time = format!("{:.1} ms", answer.time.as_secs_f64() * 1000.0);
        let _ = write!(out, "  {:<width$} {verdict:<10} {time:>9}  ", answer.technique);
        if let Some(wrong) = answer.contradicts(&compared.truth) {
            let _ = write!(out, "{wrong}: ");
        }
        let races: Vec<String> = answer.races.iter().map(race).collect();
        let evidence = match (races.first(), &answer.reason) {
            (Some(first), _) if races.len() > 1 => format!("{first}, and {} more", races.len() - 1),
            (Some(first), _) => first.clone(),
            (None, Some(reason)) => reason.clone(),
            (None, None) => String::new(),
        };
        out.push_str(evidence.trim_end());
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    let _ = write!(out, "  the truth is that of: {}", compared.truth.technique);
    if !compared.truth.assumptions.is_empty() {
        let _ = write!(out, "; assuming {}", compared.truth.assumptions.join(", "));
    }
    out.push('\n');
    match compared.determined {
        Some(true) => out.push_str("  all schedules leave the same memory at each barrier\n"),
        Some(false) => out.push_str("  schedules leave different memories\n"),
        None => {}
    }
    out
}

fn race(found: &babycuda::compare::Found) -> String {
    let sides = found.sides.map(|(thread, mode, line)| {
        let line = line.map_or(String::new(), |line| format!(" in line {line}"));
        format!("thread {thread} {mode}{line}")
    });
    let same = if found.same_value == Some(true) { " (the same value)" } else { "" };
    format!("{}: {}{same}", found.cell, sides.join(" / "))
}

/// The document: `schemas/cli-compare.json` describes its `kernels`.
pub fn document(kernel: &str, launch: &Launch, compared: &Compared) -> Value {
    let answer = |answer: &Answer| {
        let races = answer.races.iter().map(|race| {
            let sides = race.sides.map(|(thread, mode, line)| {
                json!({ "block": thread.block, "thread": thread.index, "mode": mode, "line": line })
            });
            json!({ "cell": race.cell, "sides": sides, "same_value": race.same_value })
        });
        json!({
            "technique": answer.technique,
            "verdict": answer.verdict.unwrap_or("refused"),
            "reason": answer.reason,
            "races": races.collect::<Vec<_>>(),
            "assumptions": answer.assumptions,
            "seconds": answer.time.as_secs_f64(),
            "contradicts": answer.contradicts(&compared.truth),
        })
    };
    json!({
        "name": kernel,
        "block": launch.block.components(),
        "grid": launch.grid.components(),
        "truth": answer(&compared.truth),
        "determined": compared.determined,
        "answers": compared.answers.iter().map(answer).collect::<Vec<_>>(),
    })
}
