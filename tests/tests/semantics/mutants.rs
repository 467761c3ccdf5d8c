//! Derivations with one place changed.

use babycuda_core::evidence::Divergence;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Accesses, Bool, Cell, History, Natural, Num, Phase, Site, Stmt};
use babycuda_semantics::{Derivation, Judgment, Premise, Rule, Stop};
use std::sync::Arc;

/// Every derivation that differs from `original` in one place, with what was changed.
pub fn mutants(original: &Derivation) -> Vec<(String, Derivation)> {
    let mut all = Vec::new();
    for rule in Rule::ALL {
        if rule != original.rule {
            all.push((format!("rule {rule}"), changed(original, |d| d.rule = rule)));
        }
    }
    for (what, conclusion) in conclusions(&original.conclusion) {
        all.push((what, changed(original, |d| d.conclusion = conclusion)));
    }
    for (what, premises) in premise_lists(&original.premises) {
        all.push((what, changed(original, |d| d.premises = premises)));
    }
    for (position, premise) in original.premises.iter().enumerate() {
        for (what, premise) in premises(premise) {
            let mutant = changed(original, |d| d.premises[position] = premise);
            all.push((format!("premise {position}: {what}"), mutant));
        }
    }
    all
}

/// Every derivation in which one part is another part of it: each node is right by itself.
pub fn exchanged(original: &Derivation) -> Vec<Derivation> {
    let mut parts: Vec<&Derivation> = Vec::new();
    for (_, node) in original.nodes() {
        if !parts.iter().any(|part| part.conclusion == node.conclusion) {
            parts.push(node);
        }
    }
    exchanged_for(original, &parts)
}

fn exchanged_for(original: &Derivation, parts: &[&Derivation]) -> Vec<Derivation> {
    let mut all = Vec::new();
    for (position, premise) in original.premises.iter().enumerate() {
        let Premise::Derived(child) = premise else { continue };
        let others = parts.iter().filter(|part| part.conclusion != child.conclusion);
        let others = others.map(|part| (*part).clone()).chain(exchanged_for(child, parts));
        let put = |other: Derivation| {
            changed(original, |d| d.premises[position] = Premise::Derived(Arc::new(other)))
        };
        all.extend(others.map(put));
    }
    all
}

fn changed(original: &Derivation, change: impl FnOnce(&mut Derivation)) -> Derivation {
    let mut mutant = original.clone();
    change(&mut mutant);
    mutant
}

fn one_read_more(accesses: &Arc<Accesses>) -> Arc<Accesses> {
    Arc::new(accesses.read(Cell::new("Z", 77u32)))
}

fn one_value_more(accesses: &Arc<Accesses>) -> Option<Arc<Accesses>> {
    let (cell, value) = accesses.writes.iter().next()?;
    let mut changed = (**accesses).clone();
    changed.writes.insert(cell.clone(), value.successor());
    Some(Arc::new(changed))
}

fn one_cell_less(accesses: &Arc<Accesses>) -> Option<Arc<Accesses>> {
    let cell = accesses.reads.iter().next()?.clone();
    let mut changed = (**accesses).clone();
    changed.reads.remove(&cell);
    Some(Arc::new(changed))
}

fn accesses(original: &Arc<Accesses>) -> impl Iterator<Item = Arc<Accesses>> {
    [Some(one_read_more(original)), one_value_more(original), one_cell_less(original)]
        .into_iter()
        .flatten()
}

fn histories(original: &Arc<History>) -> Vec<Arc<History>> {
    let strange = Accesses::default().write(Cell::new("A", 0u32), Natural::from(1234u32));
    let mut all = vec![
        Arc::new(original.push(Phase::default())),
        Arc::new(original.push(Phase::singleton(0, strange))),
    ];
    all.extend(original.split().map(|(_, older)| Arc::new(older)));
    all
}

fn programs(original: &Arc<Stmt>) -> Vec<Arc<Stmt>> {
    let shifted = original.map_sites(&mut |site| Site(site.0 + 1));
    let longer = Stmt::seq((**original).clone(), Stmt::Skip);
    vec![Arc::new(shifted), Arc::new(longer), Arc::new(Stmt::Skip)]
}

fn stops(original: &Stop) -> Vec<Stop> {
    match original {
        Stop::Done => vec![Stop::Barrier {
            site: Site(0),
            scope: BarrierScope::Block,
            rest: Arc::new(Stmt::Skip),
        }],
        Stop::Barrier { site, scope, rest } => {
            let barrier = |site, scope, rest| Stop::Barrier { site, scope, rest };
            let longer = Arc::new(Stmt::seq(Stmt::Skip, (**rest).clone()));
            let other = match scope {
                BarrierScope::Warp => BarrierScope::Block,
                _ => BarrierScope::Warp,
            };
            vec![
                Stop::Done,
                barrier(Site(site.0 + 1), *scope, rest.clone()),
                barrier(*site, *scope, longer),
                barrier(*site, other, rest.clone()),
            ]
        }
    }
}

fn divergences(original: &Option<Divergence>) -> Vec<Option<Divergence>> {
    match original {
        None => {
            let nowhere = (0, Some(Site(0)));
            vec![Some(Divergence::of_block(0, nowhere, (1, None)))]
        }
        Some(divergence) => vec![
            None,
            Some(Divergence { phase: divergence.phase + 1, ..*divergence }),
            Some(Divergence { second: divergence.first, ..*divergence }),
            Some(Divergence { first: (99, None), ..*divergence }),
        ],
    }
}

/// What a judgment is after an edit.
fn edited<J: Clone>(j: &J, judgment: fn(J) -> Judgment) -> impl Fn(&dyn Fn(&mut J)) -> Judgment {
    move |edit| {
        let mut changed = j.clone();
        edit(&mut changed);
        judgment(changed)
    }
}

/// Changes each part of `j` to everything that differs a little from it.
macro_rules! each {
    ($change:ident, $with:ident, $j:ident: $($of:ident $first:ident $(. $rest:ident)*),*) => {
        $(for value in $of(&$j.$first$(.$rest)*) {
            let name = concat!(stringify!($first) $(, ".", stringify!($rest))*);
            $change(name, $with(&|j| j.$first$(.$rest)* = value.clone()));
        })*
    };
}

/// Judgments that differ in one part.
fn conclusions(original: &Judgment) -> Vec<(String, Judgment)> {
    let mut all = Vec::new();
    let mut change = |what: &str, conclusion| all.push((format!("conclusion: {what}"), conclusion));
    match original {
        Judgment::Thread(j) => {
            let with = edited(j, Judgment::Thread);
            change("thread", with(&|j| j.thread += 1));
            each!(change, with, j:
                accesses before, accesses after, histories history, programs program);
        }
        Judgment::ToBarrier(j) => {
            let with = edited(j, Judgment::ToBarrier);
            change("thread", with(&|j| j.thread += 1));
            each!(change, with, j:
                accesses before, accesses after, histories history, programs program,
                stops stop);
        }
        Judgment::Parallel(j) => {
            let with = edited(j, Judgment::Parallel);
            change("threads", with(&|j| j.block.launch.block.x += 1));
            change("block", with(&|j| j.block.index += 1));
            each!(change, with, j: histories before, histories after, programs program);
        }
        Judgment::Block(j) => {
            let with = edited(j, Judgment::Block);
            each!(change, with, j: histories before);
            change("warp", with(&|j| j.warp += 1));
            change("remaining", with(&|j| drop(Arc::make_mut(&mut j.remaining).pop())));
            change("remaining", with(&|j| Arc::make_mut(&mut j.remaining).reverse()));
            each!(change, with, j: histories ending.history, divergences ending.divergence);
        }
        Judgment::Program(j) => {
            let with = edited(j, Judgment::Program);
            change("threads", with(&|j| j.block.launch.block.x += 1));
            change("block", with(&|j| j.block.index += 1));
            each!(change, with, j:
                histories before, programs program, histories ending.history,
                divergences ending.divergence);
        }
    }
    // Turning around one thread is no change.
    all.retain(|(_, conclusion)| conclusion != original);
    all
}

/// One premise dropped, doubled, or exchanged with the next.
fn premise_lists(original: &[Premise]) -> Vec<(String, Vec<Premise>)> {
    let mut all = Vec::new();
    for position in 0..original.len() {
        let mut fewer = original.to_vec();
        fewer.remove(position);
        all.push((format!("without premise {position}"), fewer));
        let mut more = original.to_vec();
        more.insert(position, original[position].clone());
        all.push((format!("premise {position} twice"), more));
        if position + 1 < original.len() && original[position] != original[position + 1] {
            let mut swapped = original.to_vec();
            swapped.swap(position, position + 1);
            all.push((format!("premises {position} and {} exchanged", position + 1), swapped));
        }
    }
    all
}

/// Premises that differ in one place, also deep inside.
fn premises(original: &Premise) -> Vec<(String, Premise)> {
    let next = |cell: &Cell| Cell { index: cell.index.successor(), ..cell.clone() };
    match original {
        Premise::Value { expression, value } => {
            let changed =
                Num::arith(babycuda_core::expr::ArithOp::Add, expression.clone(), Num::lit(0u32));
            vec![
                (
                    "value".to_owned(),
                    Premise::Value { expression: expression.clone(), value: value.successor() },
                ),
                (
                    "expression".to_owned(),
                    Premise::Value { expression: changed, value: value.clone() },
                ),
            ]
        }
        Premise::Truth { condition, value } => vec![
            ("truth".to_owned(), Premise::Truth { condition: condition.clone(), value: !value }),
            (
                "condition".to_owned(),
                Premise::Truth {
                    condition: Bool::not(Bool::not(condition.clone())),
                    value: *value,
                },
            ),
        ],
        Premise::LastWrite { cell, value } => vec![
            (
                "value read".to_owned(),
                Premise::LastWrite { cell: cell.clone(), value: value.successor() },
            ),
            ("cell read".to_owned(), Premise::LastWrite { cell: next(cell), value: value.clone() }),
        ],
        Premise::Chosen { cell, value } => vec![
            (
                "value chosen".to_owned(),
                Premise::Chosen { cell: cell.clone(), value: value.successor() },
            ),
            (
                "cell updated".to_owned(),
                Premise::Chosen { cell: cell.as_ref().map(next), value: value.clone() },
            ),
            ("no cell".to_owned(), Premise::Chosen { cell: None, value: value.clone() }),
        ],
        Premise::Derived(child) => mutants(child)
            .into_iter()
            .map(|(what, mutant)| (what, Premise::Derived(Arc::new(mutant))))
            .collect(),
    }
}
