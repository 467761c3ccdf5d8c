//! The thread judgment as the relation that it is: `{B ∣ A, b ↓_{H,i} B}`.
//!
//! Written from LCL22 Fig. 5 alone, without the evaluator of `babycuda-semantics`: a read follows
//! every value that `lastwrite` relates to its cell. Determinism (T0) is about this set.

use babycuda_core::expr::Unbound;
use babycuda_core::history::lastwrite;
use babycuda_core::{Accesses, Cell, History, LastWrite, Num, Phase, Stmt};

/// Why the set was not computed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Unrelated {
    /// A free variable; the rules say nothing about it.
    #[error("{0}")]
    Unbound(#[from] Unbound),
    /// A barrier or an atomic update: not of LCL22 Fig. 5.
    #[error("not a statement of the paper")]
    NotOfThePaper,
    /// A cell of an older phase may hold values that `lastwrite` does not list.
    #[error("the values of {0} are not all known")]
    Values(Cell),
    /// More results or longer runs than allowed.
    #[error("too many results")]
    TooMany,
}

/// How many statements all derivations together may execute.
const STEPS: usize = 20_000;

/// Every `B` with `A, b ↓_{H,i} B`, each once. None: the thread is stuck on ⊥ whatever it reads.
pub(crate) fn results(
    before: &Accesses,
    program: &Stmt,
    history: &History,
    thread: u64,
) -> Result<Vec<Accesses>, Unrelated> {
    let mut relation = Relation { history, thread, steps: STEPS };
    relation.results(before, program)
}

struct Relation<'a> {
    history: &'a History,
    thread: u64,
    steps: usize,
}

impl Relation<'_> {
    fn results(&mut self, before: &Accesses, b: &Stmt) -> Result<Vec<Accesses>, Unrelated> {
        self.steps = self.steps.checked_sub(1).ok_or(Unrelated::TooMany)?;
        match b {
            Stmt::Read { var, array, index, body, .. } => {
                let cell = Cell::new(array.clone(), index.value()?);
                let own = Phase::singleton(self.thread, before.clone());
                let values = match lastwrite(&cell, &self.history.push(own)) {
                    LastWrite::Undefined => Vec::new(),
                    LastWrite::One(k) => vec![k],
                    LastWrite::Several(p) if p.exhaustive => p.values.into_iter().collect(),
                    LastWrite::Several(_) => return Err(Unrelated::Values(cell)),
                };
                let after = before.read(cell);
                let mut all = Vec::new();
                for k in values {
                    add(&mut all, self.results(&after, &body.subst_value(var, &k))?);
                }
                Ok(all)
            }
            Stmt::Write { array, index, payload, .. } => {
                let cell = Cell::new(array.clone(), index.value()?);
                Ok(vec![before.write(cell, payload.value()?)])
            }
            Stmt::Seq(first, second) => {
                let between = self.results(before, first)?;
                self.each(&between, second)
            }
            Stmt::If { condition, then, otherwise, .. } => {
                self.results(before, if condition.value()? { then } else { otherwise })
            }
            Stmt::For { site, sort, var, lower, upper, body } => {
                let (j, k) = (lower.value()?, upper.value()?);
                if j >= k {
                    return Ok(vec![before.clone()]);
                }
                let between = self.results(before, &body.subst_value(var, &j))?;
                let others = Stmt::For {
                    site: *site,
                    sort: *sort,
                    var: var.clone(),
                    lower: Num::Lit(j.successor()),
                    upper: Num::Lit(k),
                    body: body.clone(),
                };
                self.each(&between, &others)
            }
            Stmt::Skip => Ok(vec![before.clone()]),
            Stmt::Atomic { .. } | Stmt::Sync { .. } => Err(Unrelated::NotOfThePaper),
        }
    }

    fn each(&mut self, between: &[Accesses], b: &Stmt) -> Result<Vec<Accesses>, Unrelated> {
        let mut all = Vec::new();
        for before in between {
            add(&mut all, self.results(before, b)?);
        }
        Ok(all)
    }
}

fn add(all: &mut Vec<Accesses>, more: Vec<Accesses>) {
    for accesses in more {
        if !all.contains(&accesses) {
            all.push(accesses);
        }
    }
}
