//! Mutants of the thread, parallel, run-to-barrier and block judgments.

use crate::mutant::Breaks::Rule;
use crate::mutant::{Breaks, Mutant};

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    thread(
        "a read is not added to R",
        Rule("thread/read"),
        "«Arc::new(before.read(cell))»",
        "before.clone()",
    ),
    thread(
        "a write exchanges index and payload",
        Rule("thread/write"),
        "«before.write(Cell::new(array.clone(), j), k)»",
        "before.write(Cell::new(array.clone(), k), j)",
    ),
    thread(
        "the second statement starts from the accesses before the first",
        Rule("thread/seq"),
        "«Rest::Premise(after, c.clone())»",
        "Rest::Premise(before.clone(), c.clone())",
    ),
    thread(
        "a branch is taken when its condition does not hold",
        Rule("thread/if-t"),
        "let (rule, branch) = if «holds» {",
        "!holds",
    ),
    thread(
        "the else branch is never taken",
        Rule("thread/if-f"),
        "(Rule::ThreadIfFalse, «otherwise»)",
        "then",
    ),
    thread(
        "a loop that is over forgets all accesses",
        Rule("thread/for-1"),
        "if !again {\n                    let rest = Rest::Result(«before.clone()»);",
        "Arc::default()",
    ),
    thread(
        "the body of a loop sees its counter one too large",
        Rule("thread/for-2"),
        "let iteration = Arc::new(«body.subst_value(var, &j)»);",
        "body.subst_value(var, &j.successor())",
    ),
    thread(
        "each iteration forgets what the one before it accessed",
        Rule("thread/for-2"),
        "«Rest::Premise(after, Arc::new(others))»",
        "Rest::Premise(before.clone(), Arc::new(others))",
    ),
    thread(
        "a loop makes steps of two",
        Rule("thread/for-2"),
        "lower: Num::Lit(«j.successor()»),",
        "j.successor().successor()",
    ),
    thread(
        "skip forgets all accesses",
        Rule("thread/skip"),
        "Stmt::Skip => {\n                let rest = Rest::Result(«before.clone()»);",
        "Arc::default()",
    ),
    thread(
        "an atomic update is not recorded",
        Rule("thread/atomic"),
        "«Arc::new(before.atomic(cell, *scope, update))»",
        "before.clone()",
    ),
    context("a loop runs once too often", Rule("thread/for-1"), "let again = «j < k»;", "j <= k"),
    context(
        "a loop runs once too few",
        Rule("thread/for-2"),
        "let again = «j < k»;",
        "j.successor() < *k",
    ),
    context(
        "a thread does not see its own writes of the phase",
        Rule("thread/read"),
        "«lastwrite(cell, &self.history.push(Phase::singleton(self.thread, before.clone())))»",
        "lastwrite(cell, &self.history)",
    ),
    parallel(
        "lastwrite reads other threads' current phase",
        Rule("parallel/par"),
        "«Context { history: older.clone(), thread: i, meter: &mut meter }»",
        "Context { history: Arc::new(older.push(merged.clone())), thread: i, meter: &mut meter }",
    ),
    parallel(
        "every thread goes on from the accesses of thread 0",
        Rule("parallel/par"),
        "phase.get(«i»)",
        "0",
    ),
    parallel(
        "only the accesses of the last thread are kept",
        Rule("parallel/par"),
        "«merged.insert(i, Arc::unwrap_or_clone(after));»",
        "merged = Phase::singleton(i, Arc::unwrap_or_clone(after));",
    ),
    parallel("every thread is thread 0", Rule("parallel/par"), "block.substitution(«i»)", "0"),
    parallel(
        "the last thread does not run",
        Rule("parallel/par"),
        "for i in «0..block.len()» {",
        "0..block.len().saturating_sub(1)",
    ),
    barriers(
        "code without barriers leaves no accesses",
        Rule("barrier/block"),
        "«Rest::Result(after, Stop::Done)»",
        "Rest::Result(before.clone(), Stop::Done)",
    ),
    barriers(
        "a barrier does not stop a thread",
        Rule("barrier/sync"),
        "«Stop::Barrier { site: *site, rest: Arc::new(Stmt::Skip) }»",
        "Stop::Done",
    ),
    barriers(
        "a read before a barrier is not added to R",
        Rule("barrier/read"),
        "«Arc::new(before.read(cell))»",
        "before.clone()",
    ),
    barriers(
        "an atomic update before a barrier is not recorded",
        Rule("barrier/atomic"),
        "«Arc::new(before.atomic(cell, *scope, update))»",
        "before.clone()",
    ),
    barriers(
        "the second statement starts from the accesses before the first",
        Rule("barrier/seq-1"),
        "«Rest::Premise(stopped.after, second.clone())»",
        "Rest::Premise(before.clone(), second.clone())",
    ),
    barriers(
        "what stands behind a statement with a barrier is not run after it",
        Rule("barrier/seq-2"),
        "let rest = «Arc::new(Stmt::Seq(rest, second.clone()))»;",
        "rest",
    ),
    barriers(
        "a branch with a barrier is taken when its condition does not hold",
        Rule("barrier/if-t"),
        "let (rule, branch) = if «holds» {",
        "!holds",
    ),
    barriers(
        "an else branch is never taken where there are barriers",
        Rule("barrier/if-f"),
        "(Rule::BarrierIfFalse, «otherwise»)",
        "then",
    ),
    barriers(
        "a loop with barriers that is over forgets the accesses of the phase",
        Rule("barrier/for-1"),
        "«Rest::Result(before.clone(), Stop::Done)»",
        "Rest::Result(Arc::default(), Stop::Done)",
    ),
    barriers(
        "a loop with barriers runs once",
        Rule("barrier/for-2"),
        "«Stmt::seq(body.subst_value(var, &j), others)»",
        "body.subst_value(var, &j)",
    ),
    barriers(
        "every iteration of a loop with barriers has the first counter",
        Rule("barrier/for-2"),
        "«Stmt::seq(body.subst_value(var, &j), others)»",
        "Stmt::seq(body.subst_value(var, &babycuda_core::Natural::zero()), others)",
    ),
    blocks("every thread is thread 0", Rule("block/start"), "block.substitution(«i»)", "0"),
    blocks(
        "a block ends at its first barrier",
        Rule("block/ends"),
        "Some(rest) if «!rest.is_empty()» => {",
        "rest.is_empty()",
    ),
    blocks(
        "a barrier begins no new phase",
        Rule("block/syncs"),
        "«history.push(Phase::default())»",
        "history",
    ),
    blocks(
        "lastwrite reads the current phase of the threads before",
        Rule("block/syncs"),
        "«Context { history: older.clone(), thread: *i, meter: &mut self.meter }»",
        "Context { history: Arc::new(older.push(merged.clone())), thread: *i, meter: &mut self.meter }",
    ),
    blocks(
        "threads at different barriers are together",
        Rule("block/diverges"),
        "stops.iter().find(|(_, stop)| «stop.site() != site»)",
        "stop.site().is_some() != site.is_some()",
    ),
    blocks(
        "threads that ended do not diverge from those at a barrier",
        Rule("block/diverges"),
        "stops.iter().find(|(_, stop)| «stop.site() != site»)",
        "stop.site().is_some() && site.is_some() && stop.site() != site",
    ),
];

const fn thread(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "semantics/src/thread.rs", name, breaks, place, to }
}

const fn context(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "semantics/src/context.rs", name, breaks, place, to }
}

const fn parallel(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "semantics/src/parallel.rs", name, breaks, place, to }
}

const fn barriers(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "semantics/src/barriers.rs", name, breaks, place, to }
}

const fn blocks(
    name: &'static str,
    breaks: Breaks,
    place: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { file: "semantics/src/blocks.rs", name, breaks, place, to }
}
