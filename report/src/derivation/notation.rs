//! How judgments and premises are written, whatever the medium.

use super::formula::{Formula, code, math, name, sub};
use super::legend;
use super::texts::several;
use babycuda::semantics::{Block, Ending, Judgment, Remaining, Stop};
use babycuda::typing::Context;
use babycuda_core::derivation::Premise;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Accesses, History};
use std::sync::Arc;

/// Contexts that are longer have a name.
const SHORT: usize = 24;

/// Names histories and contexts in the order in which they are met.
#[derive(Default)]
pub(super) struct Notation {
    histories: Vec<Arc<History>>,
    contexts: Vec<Context>,
    /// Are the programs of all threads written out, and nothing said of what stands for letters?
    pub(super) spelled: bool,
}

impl Notation {
    pub(super) fn spelled() -> Notation {
        Notation { spelled: true, ..Notation::default() }
    }

    pub(super) fn history(&mut self, history: &Arc<History>) -> String {
        let same = |known: &Arc<History>| Arc::ptr_eq(known, history) || known == history;
        let number = self.histories.iter().position(same).unwrap_or_else(|| {
            self.histories.push(history.clone());
            self.histories.len() - 1
        });
        format!("H{number}")
    }

    /// `V`: a name, where it is long.
    pub(super) fn context(&mut self, context: &Context) -> Formula {
        let text = context.to_string();
        if text.chars().count() <= SHORT {
            return vec![code(text)];
        }
        let number = self.contexts.iter().position(|known| known == context).unwrap_or_else(|| {
            self.contexts.push(context.clone());
            self.contexts.len() - 1
        });
        vec![name(format!("V{number}"))]
    }

    /// What the names mean: `H0`, `[…]`.
    pub(super) fn legend(&self) -> Vec<(String, Formula)> {
        let meaning = |own: &Arc<History>| match self.spelled {
            true => vec![code(own)],
            false => legend::history(own, &self.histories),
        };
        let histories = self.histories.iter().enumerate();
        let mut legend: Vec<(String, Formula)> =
            histories.map(|(n, own)| (format!("H{n}"), meaning(own))).collect();
        for (n, context) in self.contexts.iter().enumerate() {
            // One more variable than a context that has a name.
            let smaller = self.contexts[..n].iter().enumerate().rev().find_map(|(m, other)| {
                let mut new = context.iter().filter(|x| !other.contains(x));
                let x = new.next().filter(|_| new.next().is_none())?;
                other.iter().all(|y| context.contains(y)).then(|| format!("V{m} ∪ {{{x}}}"))
            });
            let whole = smaller.unwrap_or_else(|| context.to_string());
            legend.push((format!("V{n}"), vec![code(whole)]));
        }
        legend
    }

    /// `_{H,i}`
    pub(super) fn below(&mut self, history: &Arc<History>, thread: u64) -> Formula {
        vec![sub(self.history(history)), sub(format!(",{thread}"))]
    }

    pub(super) fn judgment(&mut self, judgment: &Judgment) -> Formula {
        match judgment {
            Judgment::Thread(j) => {
                let mut formula = vec![code(&*j.before), math(", "), code(&*j.program), math(" ↓")];
                formula.extend(self.below(&j.history, j.thread));
                formula.extend([math(" "), code(&*j.after)]);
                formula
            }
            Judgment::ToBarrier(j) => {
                let mut formula = vec![code(&*j.before), math(", "), code(&*j.program), math(" ⇓")];
                formula.extend(self.below(&j.history, j.thread));
                formula.extend([math(" ("), code(&*j.after), math(", ")]);
                formula.extend(stop(&j.stop));
                formula.push(math(")"));
                formula
            }
            Judgment::Parallel(j) => vec![
                name(self.history(&j.before)),
                math(", "),
                code(&*j.program),
                math(" ↓"),
                sub(threads(j.block)),
                math(" "),
                name(self.history(&j.after)),
            ],
            Judgment::Block(j) => {
                let mut formula = vec![name(self.history(&j.before)), math(", {")];
                formula.extend(self.remaining(&j.remaining));
                formula.push(math("} ⇓ "));
                formula.extend(self.ending(&j.ending));
                formula
            }
            Judgment::Program(j) => {
                let mut formula = vec![
                    name(self.history(&j.before)),
                    math(", "),
                    code(&*j.program),
                    math(" ⇓"),
                    sub(threads(j.block)),
                    math(" "),
                ];
                formula.extend(self.ending(&j.ending));
                formula
            }
        }
    }

    /// `i: k, …`: what each thread has left; several threads at once, where they have the same but
    /// for numbers.
    pub(super) fn remaining(&self, remaining: &Remaining) -> Formula {
        if !self.spelled {
            let texts: Vec<(u64, String)> =
                remaining.iter().map(|(i, program)| (*i, program.to_string())).collect();
            return several(&texts);
        }
        let mut formula = Formula::new();
        for (position, (i, program)) in remaining.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            formula.extend([math(format!("{comma}{i}: ")), code(&**program)]);
        }
        formula
    }

    pub(super) fn ending(&mut self, ending: &Ending) -> Formula {
        let mut formula = vec![name(self.history(&ending.history))];
        if let Some(divergence) = &ending.divergence {
            for (thread, site) in [divergence.first, divergence.second] {
                let place = site.map_or("done".to_owned(), |site| format!("sync {site}"));
                formula.push(math(format!(", {thread} at {place}")));
            }
        }
        formula
    }

    /// A side condition; `None` for a derived premise. `at` gives `A`, `H` and `i`.
    pub(super) fn condition<D>(
        &mut self,
        premise: &Premise<D>,
        at: Option<(u64, &Arc<Accesses>, &Arc<History>)>,
    ) -> Option<Formula> {
        Some(match premise {
            Premise::Derived(_) => return None,
            Premise::Value { expression, value } => {
                vec![code(expression), math(" ↓ "), code(value)]
            }
            Premise::Truth { condition, value } => {
                vec![code(condition), math(" ↓ "), code(value)]
            }
            Premise::LastWrite { cell, value } => match at {
                Some(_) => {
                    let mut formula = self.last_write(cell, at);
                    formula.extend([math(" = "), code(value)]);
                    formula
                }
                None => vec![math("H0("), code(cell), math(") = "), code(value)],
            },
            Premise::Chosen { value, .. } => vec![code(value), math(" ∈ ℕ")],
        })
    }

    /// `lastwrite(j, {i:A} :: H)`
    pub(super) fn last_write(
        &mut self,
        cell: &babycuda_core::Cell,
        at: Option<(u64, &Arc<Accesses>, &Arc<History>)>,
    ) -> Formula {
        let mut formula = vec![math("lastwrite("), code(cell), math(", ")];
        if let Some((thread, before, history)) = at {
            formula.extend([math(format!("{{{thread}: ")), code(&**before), math("} :: ")]);
            formula.push(name(self.history(history)));
        }
        formula.push(math(")"));
        formula
    }
}

pub(super) fn threads(block: Block) -> String {
    match block.launch.grid.count() {
        1 => format!("T={}", block.launch.block),
        _ => format!("T={}@{}", block.launch.block, block.index),
    }
}

pub(super) fn stop(stop: &Stop) -> Formula {
    match stop {
        Stop::Done => vec![math("done")],
        Stop::Barrier { site, scope: BarrierScope::Block, rest } => {
            vec![math(format!("sync {site} ▷ ")), code(&**rest)]
        }
        Stop::Barrier { site, scope, rest } => {
            vec![math(format!("sync.{scope} {site} ▷ ")), code(&**rest)]
        }
    }
}
