//! All techniques side by side.

use babycuda::compare::{Answer, Compared, Found};
use babycuda_core::evidence::Choice;
use babycuda_core::{Launch, Span};
use serde_json::{Value, json};
use std::collections::BTreeMap;
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
        let evidence = Some(evidence(answer, &compared.truth)).filter(|text| !text.is_empty());
        let assumes = !answer.assumptions.is_empty() && answer.technique != "truth";
        let assuming = assumes.then(|| format!("assuming {}", answer.assumptions.join(", ")));
        let said: Vec<String> = evidence.into_iter().chain(assuming).collect();
        out.push_str(&said.join("; "));
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    let _ = write!(out, "  the truth is that of: {}", compared.truth.technique);
    if !compared.truth.assumptions.is_empty() {
        let _ = write!(out, "; assuming {}", compared.truth.assumptions.join(", "));
    }
    out.push('\n');
    match compared.determined {
        Some(true) => out.push_str(
            "  with these contents of memory, all schedules leave the same at each barrier\n",
        ),
        Some(false) => out.push_str("  schedules leave different memories\n"),
        None => {}
    }
    compared.notes.iter().for_each(|note| out += &format!("  note: {note}\n"));
    out
}

/// Why a technique says what it does, and whether that is against the truth.
fn evidence(answer: &Answer, truth: &Answer) -> String {
    let diverging = answer.divergences.iter().map(divergence);
    let found: Vec<String> = answer.races.iter().map(race).chain(diverging).collect();
    let evidence = match (&answer.reason, found.first()) {
        (Some(reason), None) => reason.clone(),
        (Some(reason), Some(first)) if answer.verdict == Some("unknown") => {
            format!("{reason} (such as {first})")
        }
        (_, Some(first)) if found.len() > 1 => format!("{first}, and {} more", found.len() - 1),
        (_, Some(first)) => first.clone(),
        (None, None) => String::new(),
    };
    let against = answer.contradicts(truth).map(|wrong| {
        let refuted = answer.refutes_a_claim(truth);
        let claim = if refuted { "against its claim" } else { "which it does not claim" };
        format!("{wrong}, {claim}")
    });
    let said = against.into_iter().chain(Some(evidence).filter(|evidence| !evidence.is_empty()));
    said.collect::<Vec<_>>().join(": ")
}

fn race(found: &Found) -> String {
    let [first, second] = [&found.witness.first, &found.witness.second];
    let sides = [(first, found.places[0]), (second, found.places[1])].map(|(side, place)| {
        let place = place.map_or(String::new(), |place| format!(" in line {place}"));
        let reads: Vec<String> = side.data.iter().map(read).collect();
        let reads = match reads.is_empty() {
            false => format!(" if it reads {}", reads.join(", ")),
            true => String::new(),
        };
        format!("thread {} {}{place}{reads}", side.thread, side.mode.keyword())
    });
    let same = if found.same_value == Some(true) { " (the same value)" } else { "" };
    let shown = match (found.evaluator, found.replayed) {
        (Some(_), _) => " (replayed)",
        (None, Some(true)) => " (a run has it)",
        (None, Some(false)) => " (no run has it)",
        (None, None) => "",
    };
    let at: String =
        found.parameters.iter().map(|(name, value)| format!(", {name} = {value}")).collect();
    format!("{}: {}{at}{same}{shown}", found.witness.cell, sides.join(" / "))
}

/// What a thread reads, as `cell = value`.
fn read(choice: &Choice) -> String {
    let from = choice.cell.as_ref().map_or_else(|| choice.var.to_string(), ToString::to_string);
    format!("{from} = {}", choice.value)
}

fn divergence(threads: &[(u64, Option<Span>); 2]) -> String {
    let stops = threads.map(|(thread, place)| match place {
        Some(place) => format!("thread {thread} waits in line {place}"),
        None => format!("thread {thread} is at its end"),
    });
    stops.join(" / ")
}

/// The document: `schemas/cli-compare.json` describes its `kernels`.
pub fn document(kernel: &str, launch: &Launch, compared: &Compared) -> Value {
    let answer = |answer: &Answer| {
        let races = answer.races.iter().map(|race| {
            let sides = [&race.witness.first, &race.witness.second];
            let sides = sides.into_iter().zip(race.places).map(|(side, place)| {
                let (line, column) = (place.map(|at| at.line), place.map(|at| at.column));
                json!({
                    "block": side.thread.block,
                    "thread": side.thread.index,
                    "mode": side.mode.keyword(),
                    "line": line,
                    "column": column,
                    "reads": side.data.iter().map(read).collect::<Vec<_>>(),
                })
            });
            json!({
                "cell": race.witness.cell.to_string(),
                "parameters": race.parameters.iter().cloned().collect::<BTreeMap<_, _>>(),
                "sides": sides.collect::<Vec<_>>(),
                "same_value": race.same_value,
                "replayed": race.replayed,
                "evaluator": race.evaluator,
            })
        });
        json!({
            "technique": answer.technique,
            "verdict": answer.verdict.unwrap_or("refused"),
            "reason": answer.reason,
            "races": races.collect::<Vec<_>>(),
            "divergences": answer.divergences.iter().map(|threads| {
                threads.map(|(thread, place)| {
                    let (line, column) = (place.map(|at| at.line), place.map(|at| at.column));
                    json!({ "thread": thread, "line": line, "column": column })
                })
            }).collect::<Vec<_>>(),
            "assumptions": answer.assumptions,
            "seconds": answer.time.as_secs_f64(),
            "contradicts": answer.contradicts(&compared.truth),
            "refutes_a_claim": answer.refutes_a_claim(&compared.truth),
        })
    };
    json!({
        "name": kernel,
        "block": launch.block.components(),
        "grid": launch.grid.components(),
        "truth": answer(&compared.truth),
        "determined": compared.determined,
        "answers": compared.answers.iter().map(answer).collect::<Vec<_>>(),
        "notes": compared.notes,
    })
}
