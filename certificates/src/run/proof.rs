//! The nodes of a run as terms: the constructor of the rule, applied to its premises.

use super::Run;
use crate::Unsupported;
use crate::document::enclosed;
use crate::expressions::{bool, num};
use crate::histories::place;
use crate::ledger::constructor;
use babycuda_core::Stmt;
use babycuda_semantics::{Derivation, Judgment, Premise, Rule, Stop};

impl Run {
    /// The term. What a derivation lacks is left out of it, or is `_`: either way Coq rejects it.
    pub(super) fn proof(&mut self, node: &Derivation) -> Result<String, Unsupported> {
        let name = constructor(node.rule.id(), relation(node.rule));
        let term = match node.rule {
            Rule::ThreadRead
            | Rule::ThreadWrite
            | Rule::ThreadSeq
            | Rule::ThreadIfTrue
            | Rule::ThreadIfFalse
            | Rule::ThreadFor1
            | Rule::ThreadFor2
            | Rule::ThreadSkip
            | Rule::BarrierSync
            | Rule::BarrierRead
            | Rule::BarrierSeq1
            | Rule::BarrierSeq2
            | Rule::BarrierIfTrue
            | Rule::BarrierIfFalse
            | Rule::BarrierFor1
            | Rule::BarrierFor2 => self.apply(name, node)?,
            // A theorem there, and no constructor.
            Rule::BarrierBlock => self.apply("b_block", node)?,
            Rule::Par => format!("{name} {}", self.threads(node, "runs", "no_thread")),
            Rule::BlockEnds => format!("{name} {} (finished eq_refl)", self.to_barriers(node)),
            Rule::BlockSyncs => self.syncs(name, node)?,
            Rule::BlockDiverges => self.diverges(name, node),
            // The function `start` computes its premise's conclusion from its own.
            Rule::BlockStart => {
                let premise = node.children().next();
                premise.map_or_else(|| "_".to_owned(), |child| self.lemma(child))
            }
            Rule::BlockGroupSyncs => {
                let site = stops(node).find_map(|(_, stop)| stop.site());
                return Err(Unsupported::Scope { site: site.unwrap_or_default() });
            }
            Rule::ThreadAtomic | Rule::BarrierAtomic => {
                return Err(Unsupported::Atomic { site: program(node).and_then(Stmt::site) });
            }
        };
        Ok(enclosed(term))
    }

    /// The constructor applied to all premises.
    fn apply(&self, constructor: &str, node: &Derivation) -> Result<String, Unsupported> {
        let mut term = constructor.to_owned();
        for premise in &node.premises {
            term.push(' ');
            term.push_str(&self.premise(node, premise)?);
        }
        Ok(term)
    }

    fn premise(&self, node: &Derivation, premise: &Premise) -> Result<String, Unsupported> {
        Ok(match premise {
            Premise::Derived(child) => self.lemma(child),
            Premise::Value { expression, value } => {
                format!("(eq_refl : eval_n {} = Some {value})", num(expression))
            }
            Premise::Truth { condition, value } => {
                let truth = format!("(eq_refl : eval_c {} = Some {value})", bool(condition));
                match node.rule {
                    Rule::ThreadFor1 | Rule::BarrierFor1 => format!("(at_least {truth})"),
                    Rule::ThreadFor2 | Rule::BarrierFor2 => format!("(less {truth})"),
                    _ => truth,
                }
            }
            Premise::LastWrite { cell, value } => {
                format!("(last_write {} {value} eq_refl)", place(cell))
            }
            Premise::Chosen { .. } => return Err(Unsupported::Atomic { site: None }),
        })
    }

    fn lemma(&self, node: &Derivation) -> String {
        // Premises come first, so there is one; without one, Coq finds a hole.
        self.lemmas.get(&std::ptr::from_ref(node)).cloned().unwrap_or_else(|| "_".to_owned())
    }

    /// `cons d0 (cons d1 … nil)`: the derivations of the threads, in order.
    fn threads(&self, node: &Derivation, cons: &str, nil: &str) -> String {
        let threads = node.children().filter(|child| !is_block(child));
        threads
            .rev()
            .fold(nil.to_owned(), |rest, child| format!("({cons} {} {rest})", self.lemma(child)))
    }

    fn to_barriers(&self, node: &Derivation) -> String {
        self.threads(node, "to_barrier_cons", "to_barrier_nil")
    }

    fn syncs(&mut self, name: &str, node: &Derivation) -> Result<String, Unsupported> {
        let site = stops(node).find_map(|(_, stop)| stop.site());
        let barrier = site.map_or_else(|| "_".to_owned(), |site| site.0.to_string());
        let next = node.children().find_map(|child| match &child.conclusion {
            Judgment::Block(j) => Some((child, &j.remaining)),
            _ => None,
        });
        let (remaining, next) = match next {
            Some((child, remaining)) => (self.remaining(remaining)?, self.lemma(child)),
            None => ("_".to_owned(), "_".to_owned()),
        };
        let threads = self.to_barriers(node);
        Ok(format!("{name} {barrier} {remaining} {threads} (not_empty eq_refl) eq_refl {next}"))
    }

    fn diverges(&self, name: &str, node: &Derivation) -> String {
        let divergence = match &node.conclusion {
            Judgment::Block(j) => j.ending.divergence.as_ref(),
            _ => None,
        };
        let stopped = |thread: Option<u64>| {
            let position = stops(node).position(|(i, _)| Some(i) == thread);
            let position = position.map_or_else(|| "_".to_owned(), |p| p.to_string());
            format!("(stopped_at {position} eq_refl)")
        };
        let first = stopped(divergence.map(|d| d.first.0));
        let second = stopped(divergence.map(|d| d.second.0));
        let threads = self.to_barriers(node);
        format!("{name} {threads} {first} {second} (different_places eq_refl)")
    }
}

/// The inductive relation that the rule belongs to.
fn relation(rule: Rule) -> &'static str {
    match rule.id().split('/').next() {
        Some("thread") => "thread",
        Some("parallel") => "parallel",
        Some("barrier") => "to_barrier",
        _ => "block_run",
    }
}

/// Where the threads stopped, by the premises.
fn stops(node: &Derivation) -> impl Iterator<Item = (u64, &Stop)> {
    node.children().filter_map(|child| match &child.conclusion {
        Judgment::ToBarrier(j) => Some((j.thread, &j.stop)),
        _ => None,
    })
}

fn is_block(node: &Derivation) -> bool {
    matches!(node.conclusion, Judgment::Block(_))
}

/// The program of a judgment of one thread.
fn program(node: &Derivation) -> Option<&Stmt> {
    match &node.conclusion {
        Judgment::Thread(j) => Some(&j.program),
        Judgment::ToBarrier(j) => Some(&j.program),
        _ => None,
    }
}
