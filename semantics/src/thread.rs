//! The thread judgment `A, b ↓_{H,i} B` (LCL22 Fig. 5), with atomics (THEORY §4).
//!
//! `Context::apply` has one arm a rule, in the paper's order, up to the last premise of the rule
//! (`chain`).

use crate::Rule;
use crate::chain::{Instance, Rest};
use crate::context::{Context, Meter};
use crate::derivation::{Derivation, Judgment, Premise, ThreadJudgment};
use crate::options::RunOptions;
use crate::outcome::{Reason, Stuck};
use babycuda_core::deep::grow;
use babycuda_core::{Accesses, Cell, History, Num, Stmt};
use std::sync::Arc;

/// `A, b ↓_{H,i} B`: finds `B`, with the derivation.
///
/// # Errors
/// [`Stuck`] when there is no `B`, or none within the limits.
pub fn evaluate(
    before: &Accesses,
    program: &Stmt,
    history: &History,
    thread: u64,
    options: &RunOptions,
) -> Result<(Accesses, Derivation), Stuck> {
    let mut meter = Meter::new(options);
    let mut context = Context { history: Arc::new(history.clone()), thread, meter: &mut meter };
    let (after, derivation) =
        context.evaluate(Arc::new(before.clone()), Arc::new(program.clone()))?;
    Ok((Arc::unwrap_or_clone(after), Arc::unwrap_or_clone(derivation)))
}

type Applied = Result<Instance<Arc<Accesses>>, Stuck>;

impl Context<'_, '_> {
    pub(crate) fn evaluate(
        &mut self,
        before: Arc<Accesses>,
        program: Arc<Stmt>,
    ) -> Result<(Arc<Accesses>, Arc<Derivation>), Stuck> {
        self.chain(false, before, program, Self::apply, |context, before, program, after| {
            let (history, thread, after) = (context.history.clone(), context.thread, after.clone());
            Judgment::Thread(ThreadJudgment { history, thread, before, program, after })
        })
    }

    /// The one rule that can conclude something about the statement, in the paper's order.
    fn apply(&mut self, before: &Arc<Accesses>, program: &Arc<Stmt>) -> Applied {
        match &**program {
            // n ↓ j    (R ∪ {j}, W), b[x := lastwrite(j, {i:(R,W)} :: H)] ↓_{H,i} B
            // ---------------------------------------------------------------------- thread/read
            //                (R, W), let x = A[n] in b ↓_{H,i} B
            Stmt::Read { site, var, array, index, body } => {
                self.step(*site)?;
                let (j, index) = self.number(*site, index)?;
                let cell = Cell::new(array.clone(), j);
                let (k, lookup) = self.lastwrite(*site, before, &cell)?;
                let continuation = Arc::new(body.subst_value(var, &k));
                let rest = Rest::Premise(Arc::new(before.read(cell)), continuation);
                Ok(Instance { rule: Rule::ThreadRead, premises: vec![index, lookup], rest })
            }
            //              n ↓ j    m ↓ k
            // ---------------------------------------- thread/write
            // (R, W), A[n] := m ↓_{H,i} (R, W[j ↦ k])
            Stmt::Write { site, array, index, payload } => {
                self.step(*site)?;
                let (j, index) = self.number(*site, index)?;
                let (k, payload) = self.number(*site, payload)?;
                let rest = Rest::Result(Arc::new(before.write(Cell::new(array.clone(), j), k)));
                Ok(Instance { rule: Rule::ThreadWrite, premises: vec![index, payload], rest })
            }
            // A, b ↓_{H,i} B    B, c ↓_{H,i} C
            // --------------------------------- thread/seq
            //         A, b ; c ↓_{H,i} C
            Stmt::Seq(b, c) => {
                let (after, first) = grow(|| self.evaluate(before.clone(), b.clone()))?;
                let premises = vec![Premise::Derived(first)];
                let rest = Rest::Premise(after, c.clone());
                Ok(Instance { rule: Rule::ThreadSeq, premises, rest })
            }
            // c ↓ true    A, b1 ↓_{H,i} B                  c ↓ false    A, b2 ↓_{H,i} B
            // ------------------------------ thread/if-t   ------------------------------ thread/if-f
            // A, if c {b1} else {b2} ↓ B                   A, if c {b1} else {b2} ↓ B
            Stmt::If { site, condition, then, otherwise } => {
                self.step(*site)?;
                let (holds, condition) = self.truth(*site, condition)?;
                let (rule, branch) = if holds {
                    (Rule::ThreadIfTrue, then)
                } else {
                    (Rule::ThreadIfFalse, otherwise)
                };
                let rest = Rest::Premise(before.clone(), branch.clone());
                Ok(Instance { rule, premises: vec![condition], rest })
            }
            // n ↓ j    m ↓ k    (j ≥ k) ↓ true
            // ---------------------------------- thread/for-1
            //   A, for x in n..m {b} ↓_{H,i} A
            //
            // n ↓ j    m ↓ k    (j < k) ↓ true
            // A, b[x := j] ↓_{H,i} B    B, for x in j+1..k {b} ↓_{H,i} C
            // ----------------------------------------------------------- thread/for-2
            //              A, for x in n..m {b} ↓_{H,i} C
            Stmt::For { site, sort, var, lower, upper, body } => {
                self.step(*site)?;
                let (j, lower) = self.number(*site, lower)?;
                let (k, upper) = self.number(*site, upper)?;
                let (again, test) = self.loop_test(*site, &j, &k)?;
                let mut premises = vec![lower, upper, test];
                if !again {
                    let rest = Rest::Result(before.clone());
                    return Ok(Instance { rule: Rule::ThreadFor1, premises, rest });
                }
                let iteration = Arc::new(body.subst_value(var, &j));
                let (after, iteration) = grow(|| self.evaluate(before.clone(), iteration))?;
                premises.push(Premise::Derived(iteration));
                let others = Stmt::For {
                    site: *site,
                    sort: *sort,
                    var: var.clone(),
                    lower: Num::Lit(j.successor()),
                    upper: Num::Lit(k),
                    body: body.clone(),
                };
                let rest = Rest::Premise(after, Arc::new(others));
                Ok(Instance { rule: Rule::ThreadFor2, premises, rest })
            }
            // ------------------ thread/skip
            // A, skip ↓_{H,i} A
            Stmt::Skip => {
                let rest = Rest::Result(before.clone());
                Ok(Instance { rule: Rule::ThreadSkip, premises: Vec::new(), rest })
            }
            // n ↓ j    m ↓ k    v ∈ ℕ    (R, W, U · [j: ⋆ k]), b[x := v] ↓_{H,i} B
            // --------------------------------------------------------------------- thread/atomic
            //           (R, W, U), let x = atomic A[n] ⋆ m in b ↓_{H,i} B
            Stmt::Atomic { site, var, array, index, update, scope, body } => {
                self.step(*site)?;
                let (j, index) = self.number(*site, index)?;
                let mut premises = vec![index];
                let update = self.operands(*site, update, &mut premises)?;
                let cell = Cell::new(array.clone(), j);
                let (v, chosen) = self.chosen(*site, before, &cell, &update);
                premises.push(chosen);
                let continuation = Arc::new(body.subst_value(var, &v));
                let updated = Arc::new(before.atomic(cell, *scope, update));
                let rest = Rest::Premise(updated, continuation);
                Ok(Instance { rule: Rule::ThreadAtomic, premises, rest })
            }
            // No rule: barriers belong to the judgment ⇓.
            Stmt::Sync { site, .. } => Err(self.stuck(*site, Reason::Barrier)),
        }
    }
}
