//! Mutants of the thread, parallel, run-to-barrier and block judgments.

mutants! {
    "semantics/src/thread.rs", "thread/read" {
        "a read is not added to R": "«Arc::new(before.read(cell))»" => "before.clone()";
    }
    "semantics/src/thread.rs", "thread/write" {
        "a write exchanges index and payload":
            "«before.write(Cell::new(array.clone(), j), k)»"
            => "before.write(Cell::new(array.clone(), k), j)";
    }
    "semantics/src/thread.rs", "thread/seq" {
        "the second statement starts from the accesses before the first":
            "«Rest::Premise(after, c.clone())»" => "Rest::Premise(before.clone(), c.clone())";
    }
    "semantics/src/thread.rs", "thread/if-t" {
        "a branch is taken when its condition does not hold":
            "let (rule, branch) = if «holds» {" => "!holds";
    }
    "semantics/src/thread.rs", "thread/if-f" {
        "the else branch is never taken": "(Rule::ThreadIfFalse, «otherwise»)" => "then";
    }
    "semantics/src/thread.rs", "thread/for-1" {
        "a loop that is over forgets all accesses":
            "if !again {\n                    let rest = Rest::Result(«before.clone()»);"
            => "Arc::default()";
    }
    "semantics/src/thread.rs", "thread/for-2" {
        "the body of a loop sees its counter one too large":
            "let iteration = Arc::new(«body.subst_value(var, &j)»);"
            => "body.subst_value(var, &j.successor())";
        "each iteration forgets what the one before it accessed":
            "«Rest::Premise(after, Arc::new(others))»"
            => "Rest::Premise(before.clone(), Arc::new(others))";
        "a loop makes steps of two":
            "lower: Num::Lit(«j.successor()»)," => "j.successor().successor()";
    }
    "semantics/src/thread.rs", "thread/skip" {
        "skip forgets all accesses":
            "Stmt::Skip => {\n                let rest = Rest::Result(«before.clone()»);"
            => "Arc::default()";
    }
    "semantics/src/thread.rs", "thread/atomic" {
        "an atomic update is not recorded":
            "«Arc::new(before.atomic(cell, *scope, update))»" => "before.clone()";
    }
    "semantics/src/context.rs", "thread/for-1" {
        "a loop runs once too often": "let again = «j < k»;" => "j <= k";
    }
    "semantics/src/context.rs", "thread/for-2" {
        "a loop runs once too few": "let again = «j < k»;" => "j.successor() < *k";
    }
    "semantics/src/context.rs", "thread/read" {
        "a thread does not see its own writes of the phase":
            "«lastwrite(cell, &self.history.push(Phase::singleton(self.thread, before.clone())))»"
            => "lastwrite(cell, &self.history)";
    }
    "semantics/src/parallel.rs", "parallel/par" {
        "lastwrite reads other threads' current phase":
            "«Context { history: older.clone(), thread: i, meter: &mut meter }»"
            => "Context { history: Arc::new(older.push(merged.clone())), thread: i, meter: &mut meter }";
        "every thread goes on from the accesses of thread 0": "phase.get(«i»)" => "0";
        "only the accesses of the last thread are kept":
            "«merged.insert(i, Arc::unwrap_or_clone(after));»"
            => "merged = Phase::singleton(i, Arc::unwrap_or_clone(after));";
        "every thread is thread 0": "block.substitution(«i»)" => "0";
        "the last thread does not run":
            "for i in «0..block.len()» {" => "0..block.len().saturating_sub(1)";
    }
    "semantics/src/barriers.rs", "barrier/block" {
        "code without barriers leaves no accesses":
            "«Rest::Result((after, Stop::Done))»" => "Rest::Result((before.clone(), Stop::Done))";
    }
    "semantics/src/barriers.rs", "barrier/sync" {
        "a barrier does not stop a thread":
            "let stop = «Stop::Barrier { site: *site, scope: *scope, rest }»;"
            => "{ let _ = (rest, scope); Stop::Done }";
    }
    "semantics/src/barriers.rs", "barrier/read" {
        "a read before a barrier is not added to R":
            "«Arc::new(before.read(cell))»" => "before.clone()";
    }
    "semantics/src/barriers.rs", "barrier/atomic" {
        "an atomic update before a barrier is not recorded":
            "«Arc::new(before.atomic(cell, *scope, update))»" => "before.clone()";
    }
    "semantics/src/barriers.rs", "barrier/seq-1" {
        "the second statement starts from the accesses before the first":
            "«Rest::Premise(after, second.clone())»"
            => "Rest::Premise(before.clone(), second.clone())";
    }
    "semantics/src/barriers.rs", "barrier/seq-2" {
        "what stands behind a statement with a barrier is not run after it":
            "let rest = «Arc::new(Stmt::Seq(rest, second.clone()))»;" => "rest";
    }
    "semantics/src/barriers.rs", "barrier/if-t" {
        "a branch with a barrier is taken when its condition does not hold":
            "let (rule, branch) = if «holds» {" => "!holds";
    }
    "semantics/src/barriers.rs", "barrier/if-f" {
        "an else branch is never taken where there are barriers":
            "(Rule::BarrierIfFalse, «otherwise»)" => "then";
    }
    "semantics/src/barriers.rs", "barrier/for-1" {
        "a loop with barriers that is over forgets the accesses of the phase":
            "«Rest::Result((before.clone(), Stop::Done))»"
            => "Rest::Result((Arc::default(), Stop::Done))";
    }
    "semantics/src/barriers.rs", "barrier/for-2" {
        "a loop with barriers runs once":
            "«Stmt::seq(body.subst_value(var, &j), others)»" => "body.subst_value(var, &j)";
        "every iteration of a loop with barriers has the first counter":
            "«Stmt::seq(body.subst_value(var, &j), others)»"
            => "Stmt::seq(body.subst_value(var, &babycuda_core::Natural::zero()), others)";
    }
    "semantics/src/blocks.rs", "block/start" {
        "every thread is thread 0": "block.substitution(«i»)" => "0";
    }
    "semantics/src/blocks.rs", "block/ends" {
        "a block ends at its first barrier":
            "if «stops.iter().all(|(_, stop)| *stop == Stop::Done)» {" => "!stops.is_empty()";
    }
    "semantics/src/blocks.rs", "block/syncs" {
        "a barrier begins no new phase":
            "«older.push(phase).push(Phase::default())»" => "older.push(phase)";
        "lastwrite reads the current phase of the threads before":
            "«Context { history, thread: *i, meter: &mut self.meter }»"
            => "Context { history: Arc::new(history.push(merged.clone())), thread: *i, meter: &mut self.meter }";
    }
    "semantics/src/blocks.rs", "block/group-syncs" {
        "a thread does not see what its warp did before their barrier":
            "let history = «Arc::new(self.older.amid(&self.phase.before(i)))»;" => "self.older.clone()";
        "a warp goes on that has a thread elsewhere":
            "let all = |(group, count): &(Group, u64)| «*count == group.end - group.first»;"
            => "group.scope < BarrierScope::Block && *count > 0 || *count == group.end - group.first";
        "a warp that goes on begins no new stage":
            "«phase.pass(group.first, group.end);»" => "let _ = group;";
    }
    "semantics/src/blocks.rs", "block/diverges" {
        "threads at different barriers are together":
            "waiting.entry((group.first, «*site»))" => "{ let _ = site; Site::default() }";
        "threads that ended do not diverge from those at a barrier":
            "«*count == group.end - group.first»;"
            => "*count == group.end - group.first\n                || *count == stops.iter().filter(|(_, stop)| stop.site().is_some()).count() as u64";
    }
}
