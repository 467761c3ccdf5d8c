//! Running to the next barrier: `A, k ⇓_{H,i} (B, done)` or `(B, sync_ℓ ▷ k')` (THEORY §4).
//!
//! Not printed in LCL22, which omits the synchronized fragment. As in [`thread`](crate::thread), there
//! is one arm a rule. Code without barriers is left to the thread judgment.

use crate::Rule;
use crate::chain::{Instance, Rest};
use crate::context::Context;
use crate::derivation::{Derivation, Judgment, Premise, Stop, ToBarrierJudgment};
use crate::outcome::Stuck;
use babycuda_core::deep::grow;
use babycuda_core::{Accesses, Cell, Num, Stmt};
use std::sync::Arc;

/// What a thread accessed, and where it stopped.
type Stopped = (Arc<Accesses>, Stop);

impl Context<'_, '_> {
    pub(crate) fn run_to_barrier(
        &mut self,
        before: Arc<Accesses>,
        program: Arc<Stmt>,
    ) -> Result<(Stopped, Arc<Derivation>), Stuck> {
        let apply = Self::apply_to_barrier;
        self.chain(true, before, program, apply, |context, before, program, (after, stop)| {
            let (history, thread) = (context.history.clone(), context.thread);
            let (after, stop) = (after.clone(), stop.clone());
            Judgment::ToBarrier(ToBarrierJudgment { history, thread, before, program, after, stop })
        })
    }

    fn apply_to_barrier(
        &mut self,
        before: &Arc<Accesses>,
        program: &Arc<Stmt>,
    ) -> Result<Instance<Stopped>, Stuck> {
        match &**program {
            //     A, b ↓_{H,i} B
            // ----------------------- barrier/block      (b without barriers)
            // A, b ⇓_{H,i} (B, done)
            Stmt::Skip | Stmt::Write { .. } => self.barrier_block(before, program),
            code if !code.has_sync() => self.barrier_block(before, program),
            // --------------------------------------- barrier/sync
            // A, sync_ℓ ⇓_{H,i} (A, sync_ℓ ▷ skip)
            Stmt::Sync { site, scope } => {
                self.step(*site)?;
                let rest = Arc::new(Stmt::Skip);
                let stop = Stop::Barrier { site: *site, scope: *scope, rest };
                let rest = Rest::Result((before.clone(), stop));
                Ok(Instance { rule: Rule::BarrierSync, premises: Vec::new(), rest })
            }
            // n ↓ j    (R ∪ {j}, W), k[x := lastwrite(j, {i:(R,W)} :: H)] ⇓_{H,i} (B, s)
            // --------------------------------------------------------------------------- barrier/read
            //                (R, W), let x = A[n] in k ⇓_{H,i} (B, s)
            Stmt::Read { site, var, array, index, body } => {
                self.step(*site)?;
                let (j, index) = self.number(*site, index)?;
                let cell = Cell::new(array.clone(), j);
                let (k, lookup) = self.lastwrite(*site, before, &cell)?;
                let continuation = Arc::new(body.subst_value(var, &k));
                let rest = Rest::Premise(Arc::new(before.read(cell)), continuation);
                Ok(Instance { rule: Rule::BarrierRead, premises: vec![index, lookup], rest })
            }
            // n ↓ j    m ↓ k    v ∈ ℕ    (R, W, U · [j: ⋆ k]), k[x := v] ⇓_{H,i} (B, s)
            // -------------------------------------------------------------------------- barrier/atomic
            //           (R, W, U), let x = atomic A[n] ⋆ m in k ⇓_{H,i} (B, s)
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
                Ok(Instance { rule: Rule::BarrierAtomic, premises, rest })
            }
            // A, k1 ⇓_{H,i} (B, done)    B, k2 ⇓_{H,i} (C, s)
            // ------------------------------------------------ barrier/seq-1
            //           A, k1 ; k2 ⇓_{H,i} (C, s)
            //
            //       A, k1 ⇓_{H,i} (B, sync_ℓ ▷ k1')
            // -------------------------------------------- barrier/seq-2
            // A, k1 ; k2 ⇓_{H,i} (B, sync_ℓ ▷ (k1' ; k2))
            Stmt::Seq(first, second) => {
                let ((after, stop), derivation) =
                    grow(|| self.run_to_barrier(before.clone(), first.clone()))?;
                let premises = vec![Premise::Derived(derivation)];
                match stop {
                    Stop::Done => {
                        let rest = Rest::Premise(after, second.clone());
                        Ok(Instance { rule: Rule::BarrierSeq1, premises, rest })
                    }
                    Stop::Barrier { site, scope, rest } => {
                        let rest = Arc::new(Stmt::Seq(rest, second.clone()));
                        let rest = Rest::Result((after, Stop::Barrier { site, scope, rest }));
                        Ok(Instance { rule: Rule::BarrierSeq2, premises, rest })
                    }
                }
            }
            // c ↓ true    A, k1 ⇓_{H,i} (B, s)              c ↓ false    A, k2 ⇓_{H,i} (B, s)
            // -------------------------------- barrier/if-t -------------------------------- barrier/if-f
            // A, if c {k1} else {k2} ⇓ (B, s)               A, if c {k1} else {k2} ⇓ (B, s)
            Stmt::If { site, condition, then, otherwise } => {
                self.step(*site)?;
                let (holds, condition) = self.truth(*site, condition)?;
                let (rule, branch) = if holds {
                    (Rule::BarrierIfTrue, then)
                } else {
                    (Rule::BarrierIfFalse, otherwise)
                };
                let rest = Rest::Premise(before.clone(), branch.clone());
                Ok(Instance { rule, premises: vec![condition], rest })
            }
            // n ↓ j    m ↓ k    (j ≥ k) ↓ true
            // ------------------------------------------ barrier/for-1
            // A, for x in n..m {k'} ⇓_{H,i} (A, done)
            //
            // n ↓ j    m ↓ k    (j < k) ↓ true
            // A, (k'[x := j] ; for x in j+1..k {k'}) ⇓_{H,i} (B, s)
            // ------------------------------------------------------ barrier/for-2
            //         A, for x in n..m {k'} ⇓_{H,i} (B, s)
            Stmt::For { site, sort, var, lower, upper, body } => {
                self.step(*site)?;
                let (j, lower) = self.number(*site, lower)?;
                let (k, upper) = self.number(*site, upper)?;
                let (again, test) = self.loop_test(*site, &j, &k)?;
                let premises = vec![lower, upper, test];
                if !again {
                    let rest = Rest::Result((before.clone(), Stop::Done));
                    return Ok(Instance { rule: Rule::BarrierFor1, premises, rest });
                }
                let others = Stmt::For {
                    site: *site,
                    sort: *sort,
                    var: var.clone(),
                    lower: Num::Lit(j.successor()),
                    upper: Num::Lit(k),
                    body: body.clone(),
                };
                let unrolled = Stmt::seq(body.subst_value(var, &j), others);
                let rest = Rest::Premise(before.clone(), Arc::new(unrolled));
                Ok(Instance { rule: Rule::BarrierFor2, premises, rest })
            }
        }
    }

    fn barrier_block(
        &mut self,
        before: &Arc<Accesses>,
        program: &Arc<Stmt>,
    ) -> Result<Instance<Stopped>, Stuck> {
        let (after, derivation) = self.evaluate(before.clone(), program.clone())?;
        let rest = Rest::Result((after, Stop::Done));
        let premises = vec![Premise::Derived(derivation)];
        Ok(Instance { rule: Rule::BarrierBlock, premises, rest })
    }
}
