//! Derivations of runs.

mod judgment;
mod proof;

use crate::document::Sort;
use crate::histories::Shape;
use crate::programs::Terms;
use crate::{Certificate, Unsupported};
use babycuda_core::{Cell, Stmt};
use babycuda_semantics::{Derivation, Judgment, Premise};
use std::collections::{BTreeSet, HashMap};

/// A derivation of a run as Coq.
///
/// The derivation is not checked here: what it says is what Coq is asked.
///
/// # Errors
/// [`Unsupported`] when something in it is not mechanized.
pub fn of_run(derivation: &Derivation) -> Result<Certificate, Unsupported> {
    let mut run = Run::new(derivation)?;
    let root = run.lemmas(derivation)?;
    run.known.clear();
    run.terms.document.spell_out();
    let statement = run.judgment(derivation)?;
    Ok(Certificate { body: run.terms.document.conclude(&statement, &root) })
}

/// Part of a derivation, for as long as the derivation is borrowed: what it is, whether it is a
/// history whose newest phase is open, and its address.
type Part = (Sort, bool, *const ());

/// A run under translation.
struct Run {
    terms: Terms,
    shape: Shape,
    /// The lemma of each node. Nodes are shared.
    lemmas: HashMap<*const Derivation, String>,
    /// The term of each part. Parts are shared, too.
    known: HashMap<Part, String>,
}

impl Run {
    fn new(root: &Derivation) -> Result<Run, Unsupported> {
        let (programs, before, threads): (Vec<&Stmt>, _, Vec<u64>) = match &root.conclusion {
            Judgment::Thread(j) => (vec![&j.program], None, Vec::new()),
            Judgment::ToBarrier(j) => (vec![&j.program], None, Vec::new()),
            Judgment::Parallel(j) => {
                (vec![&j.program], Some(&j.before), (0..j.block.len()).collect())
            }
            Judgment::Program(j) => {
                (vec![&j.program], Some(&j.before), (0..j.block.len()).collect())
            }
            Judgment::Block(j) => {
                let programs = j.remaining.iter().map(|(_, code)| &**code).collect();
                (programs, Some(&j.before), j.remaining.iter().map(|(i, _)| *i).collect())
            }
        };
        for part in programs.iter().flat_map(|program| program.subterms()) {
            if let Stmt::Atomic { site, .. } = part {
                return Err(Unsupported::Atomic { site: Some(*site) });
            }
        }
        // The newest phase of the history that a block starts from is produced in its result.
        let produced_from = before.map_or(usize::MAX, |h| h.len().saturating_sub(1));
        Ok(Run {
            terms: Terms::default(),
            shape: Shape { produced_from, threads, looked_up: looked_up(root) },
            lemmas: HashMap::new(),
            known: HashMap::new(),
        })
    }

    /// A lemma for every node, premises first; the root's.
    fn lemmas(&mut self, root: &Derivation) -> Result<String, Unsupported> {
        let mut pending = vec![(root, false)];
        let mut last = String::new();
        while let Some((node, premises_done)) = pending.pop() {
            let address = std::ptr::from_ref(node);
            if self.lemmas.contains_key(&address) {
                continue;
            }
            if !premises_done {
                pending.push((node, true));
                pending.extend(node.children().rev().map(|child| (child.as_ref(), false)));
                continue;
            }
            let statement = self.judgment(node)?;
            let proof = self.proof(node)?;
            last = self.terms.document.lemma(node.rule.id(), &statement, &proof);
            self.lemmas.insert(address, last.clone());
        }
        Ok(last)
    }

    /// The term of a part of the derivation, made once.
    fn once<T>(
        &mut self,
        (sort, open): (Sort, bool),
        part: &T,
        make: impl FnOnce(&mut Terms, &Shape) -> Result<String, Unsupported>,
    ) -> Result<String, Unsupported> {
        let key = (sort, open, std::ptr::from_ref(part).cast());
        if let Some(term) = self.known.get(&key) {
            return Ok(term.clone());
        }
        let term = make(&mut self.terms, &self.shape)?;
        self.known.insert(key, term.clone());
        Ok(term)
    }
}

/// The cells whose last write is looked up.
fn looked_up(root: &Derivation) -> BTreeSet<Cell> {
    let premises = root.nodes().flat_map(|(_, node)| &node.premises);
    let cells = premises.filter_map(|premise| match premise {
        Premise::LastWrite { cell, .. } => Some(cell.clone()),
        _ => None,
    });
    cells.collect()
}
