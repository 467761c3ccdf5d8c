//! Smaller cases that still fail.

use crate::build;
use crate::case::{Array, Case, Setting, Source};
use crate::layout::File;
use crate::syntax::{Expr, Function, Stmt};
use std::collections::BTreeSet;

/// A case that `fails` and of which no smaller form does, within the given number of rounds; with
/// what `fails` says of it.
pub fn minimise(
    case: &Case,
    message: String,
    fails: impl Fn(&Case, &build::Outcome) -> Option<String>,
    rounds: usize,
) -> (Case, String) {
    let mut least = (case.clone(), message);
    for _ in 0..rounds {
        let found = smaller(&least.0).chunks(40).find_map(|candidates| {
            outcomes(candidates)
                .into_iter()
                .find_map(|(case, outcome)| fails(&case, &outcome).map(|message| (case, message)))
        });
        match found {
            Some(next) => least = next,
            None => break,
        }
    }
    least.0.seed = case.seed;
    least
}

/// The candidates that compile and run, with what they do.
fn outcomes(candidates: &[Case]) -> Vec<(Case, build::Outcome)> {
    let mut cases = candidates.to_vec();
    for (seed, case) in (0..).zip(&mut cases) {
        case.seed = seed;
    }
    for _ in 0..3 {
        match build::run(&cases) {
            Ok(outcomes) => return cases.into_iter().zip(outcomes).collect(),
            Err(message) => {
                let wrong: BTreeSet<u64> = message
                    .lines()
                    .filter(|line| line.contains("error"))
                    .filter_map(|line| line.split(':').next()?.parse().ok())
                    .collect();
                if wrong.is_empty() {
                    break;
                }
                cases.retain(|case| !wrong.contains(&case.seed));
            }
        }
    }
    // One by one.
    let alone = cases.into_iter().filter_map(|case| {
        let outcome = build::run(std::slice::from_ref(&case)).ok()?.pop()?;
        Some((case, outcome))
    });
    alone.collect()
}

fn smaller(case: &Case) -> Vec<Case> {
    let mut out = Vec::new();
    if case.settings.len() > 1 {
        out.extend(
            case.settings.iter().map(|s| Case { settings: vec![s.clone()], ..case.clone() }),
        );
    }
    if let Source::Tree(file) = &case.source {
        out.extend(
            files(file).into_iter().map(|f| Case { source: Source::Tree(f), ..case.clone() }),
        );
    }
    for (i, setting) in case.settings.iter().enumerate() {
        for setting in settings(setting) {
            let mut next = case.clone();
            next.settings[i] = setting;
            out.push(next);
        }
    }
    for (i, array) in case.arrays.iter().enumerate() {
        let empty = Array { values: Vec::new(), ..array.clone() };
        let zero = Array { fill: 0, ..array.clone() };
        for array in [empty, zero].into_iter().filter(|a| a != array && !array.constant) {
            let mut next = case.clone();
            next.arrays[i] = array;
            out.push(next);
        }
    }
    out
}

fn settings(setting: &Setting) -> Vec<Setting> {
    let mut out = Vec::new();
    for d in 0..3 {
        for (grid, block) in [(1, 0), (0, 1)] {
            let mut next = setting.clone();
            next.grid[d] = next.grid[d].saturating_sub(grid).max(1);
            next.block[d] = next.block[d].saturating_sub(block).max(1);
            out.push(next);
        }
    }
    for i in 0..setting.params.len() {
        let mut next = setting.clone();
        next.params[i] /= 2;
        out.push(next);
    }
    out.retain(|next| next != setting);
    out
}

fn files(file: &File) -> Vec<File> {
    let mut out = Vec::new();
    if file.layout.is_some() {
        out.push(File { layout: None, ..file.clone() });
    }
    for i in 0..file.functions.len() {
        let mut next = file.clone();
        next.functions.remove(i);
        out.push(next);
    }
    for i in 0..file.lines.len() {
        let mut next = file.clone();
        next.lines.remove(i);
        out.push(next);
    }
    let bodies = |f: &Function| {
        let head = f.head.clone();
        lists(&f.body).into_iter().map(move |body| Function { head: head.clone(), body })
    };
    out.extend(bodies(&file.kernel).map(|kernel| File { kernel, ..file.clone() }));
    for (i, f) in file.functions.iter().enumerate() {
        for function in bodies(f) {
            let mut next = file.clone();
            next.functions[i] = function;
            out.push(next);
        }
    }
    out
}

/// A list with one statement less, or with one that is smaller.
fn lists(list: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut out = Vec::new();
    let with = |i: usize, instead: Vec<Stmt>| {
        let mut next = list[..i].to_vec();
        next.extend(instead);
        next.extend_from_slice(&list[i + 1..]);
        next
    };
    out.extend((0..list.len()).rev().map(|i| with(i, Vec::new())));
    for (i, s) in list.iter().enumerate() {
        out.extend(s.blocks().into_iter().map(|block| with(i, block.clone())));
        for b in 0..s.blocks().len() {
            for body in lists(s.blocks()[b]) {
                let mut next = s.clone();
                *next.blocks_mut()[b] = body;
                out.push(with(i, vec![next]));
            }
        }
        for e in 0..s.expressions().len() {
            // A cell that is only named is no access.
            let has_effect =
                |e: &Expr| matches!(e, Expr::Assign(..) | Expr::Step { .. } | Expr::Call(..));
            for smaller in expressions(s.expressions()[e]) {
                let dropped = matches!(s, Stmt::Expr(_)) && !has_effect(&smaller);
                if dropped || !smaller.converts() {
                    continue;
                }
                let mut next = s.clone();
                *next.expressions_mut()[e] = smaller;
                out.push(with(i, vec![next]));
            }
        }
    }
    out
}

/// A part of the expression instead of it, or with a smaller part. What is kept within bounds,
/// divisors and shift counts, is left alone.
fn expressions(e: &Expr) -> Vec<Expr> {
    let mut out: Vec<Expr> = e.parts().into_iter().cloned().collect();
    if !matches!(e, Expr::Atom(_)) {
        out.extend(["1", "0"].map(Expr::atom));
    }
    let fixed = match e {
        Expr::Binary("/" | "%" | "<<" | ">>", ..) => Some(1),
        Expr::Index(array, _) if array.text().starts_with(['t', 'w']) => Some(1),
        Expr::Assign(..) | Expr::Binary(",", ..) => Some(0),
        _ => None,
    };
    for i in 0..e.parts().len() {
        if Some(i) == fixed {
            continue;
        }
        for part in expressions(e.parts()[i]) {
            let mut next = e.clone();
            *next.parts_mut()[i] = part;
            out.push(next);
        }
    }
    out
}
