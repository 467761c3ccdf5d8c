//! The rules that differ from those of LCL22 Fig. 5 derive what the printed ones do, wherever the
//! ledger says so: loops with expressions for bounds on all programs, read where `lastwrite` has a
//! value, par where no thread is stuck. And where not, they differ as the ledger says.

use babycuda_core::expr::{ArithOp, Relation, Renaming};
use babycuda_core::history::{LastWrite, lastwrite};
use babycuda_core::parse::parse_stmt;
use babycuda_core::rules::Source;
use babycuda_core::{Accesses, Bool, Cell, History, Launch, Num, Phase, Stmt};
use babycuda_semantics::{Block, Policy, Reason, Rule, RunOptions, parallel, thread};
use babycuda_testkit::generators::{Profile, programs_with_memory};
use proptest::prelude::*;

/// What stands for ⊥: `lastwrite` of a cell that nobody wrote. No rule gives it a value.
const BOTTOM: &str = "bottom";

/// `A, b ↓_{H,i} B` as printed; `None`: no rule concludes.
fn printed(before: &Accesses, b: &Stmt, history: &History, i: u64) -> Option<Accesses> {
    match b {
        Stmt::Read { var, array, index, body, .. } => {
            let cell = Cell::new(array.clone(), index.value().ok()?);
            let view = history.push(Phase::singleton(i, before.clone()));
            // n ↓ j    (R ∪ {j}, W), b[x := lastwrite(j, {i: (R, W)}::H)] ↓_{H,i} B
            let last = match lastwrite(&cell, &view) {
                LastWrite::One(k) => Num::Lit(k),
                LastWrite::Undefined => Num::var(BOTTOM),
                LastWrite::Several(_) => return None,
            };
            let body = body.subst(&Renaming::from([(var.clone(), last)]));
            printed(&before.read(cell), &body, history, i)
        }
        Stmt::Write { array, index, payload, .. } => {
            let cell = Cell::new(array.clone(), index.value().ok()?);
            Some(before.write(cell, payload.value().ok()?))
        }
        Stmt::Seq(b, c) => printed(&printed(before, b, history, i)?, c, history, i),
        Stmt::If { condition, then, otherwise, .. } => {
            let branch = if condition.value().ok()? { then } else { otherwise };
            printed(before, branch, history, i)
        }
        Stmt::For { site, sort, var, lower, upper, body } => {
            let test = |relation| Bool::compare(relation, lower.clone(), upper.clone()).value();
            // (n ≥ m) ↓ true
            if test(Relation::Ge).ok()? {
                return Some(before.clone());
            }
            // (n < m) ↓ true    A, b[x := n] ↓ B    B, forU x in n+1..m {b} ↓ C
            assert_eq!(test(Relation::Lt), Ok(true));
            let first = body.subst(&Renaming::from([(var.clone(), lower.clone())]));
            let between = printed(before, &first, history, i)?;
            let others = Stmt::For {
                site: *site,
                sort: *sort,
                var: var.clone(),
                lower: Num::arith(ArithOp::Add, lower.clone(), Num::lit(1u32)),
                upper: upper.clone(),
                body: body.clone(),
            };
            printed(&between, &others, history, i)
        }
        Stmt::Skip => Some(before.clone()),
        Stmt::Atomic { .. } | Stmt::Sync { .. } => None,
    }
}

/// `P::H, b ↓ Q::H` as printed: Q has the threads that have a derivation.
fn printed_par(history: &History, b: &Stmt, block: Block) -> History {
    let (phase, older) = history.split().expect("not []");
    let code = |i| b.subst(&block.substitution(i));
    let thread = |i| Some((i, printed(&phase.get(i), &code(i), &older, i)?));
    older.push((0..block.len()).filter_map(thread).collect())
}

/// Does the thread read a cell that nobody wrote? Then the adapted rules are stuck there.
fn reads_bottom(b: &Stmt, history: &History, i: u64) -> bool {
    let options = RunOptions { ambiguous: Policy::Stop, ..RunOptions::default() };
    let run = thread::evaluate(&Accesses::default(), b, history, i, &options);
    run.is_err_and(|stuck| matches!(stuck.reason, Reason::Undefined { .. }))
}

fn adapted(b: &Stmt, history: &History, i: u64) -> Option<Accesses> {
    let options = RunOptions { ambiguous: Policy::Stop, ..RunOptions::default() };
    thread::evaluate(&Accesses::default(), b, history, i, &options).ok().map(|(after, _)| after)
}

#[test]
fn loops_with_bounds_that_are_expressions() {
    let history = History::empty(babycuda_core::HostMemory::default());
    for (text, some) in [
        ("forU x in 1 + 1..2 * 3 { A[x] := x * x }", true),
        ("forU x in 3..3 { A[x] := 1 }", true),
        ("forU x in 4..3 { A[y] := 1 }", true),
        ("forU x in 0..3 { forU y in x + 1..3 + x { A[x * 5 + y] := y - x } }", true),
        ("forU x in 0..2 { forU x in x..x + 2 { A[x] := x }; A[9] := x }", true),
        ("A[0] := 2; let n = A[0] in forU x in n..n + n { A[x] := n }", true),
        ("forU x in y..3 { skip }", false),
        ("forU x in 3..y { skip }", false),
        ("forU x in 0..2 { A[y] := 1 }", false),
    ] {
        let program = parse_stmt(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let found = printed(&Accesses::default(), &program, &history, 0);
        assert_eq!(found.is_some(), some, "{text}");
        assert_eq!(found, adapted(&program, &history, 0), "{text}");
    }
}

/// A value that nobody uses need not be there as printed: the one difference of read.
#[test]
fn a_read_of_a_cell_that_nobody_wrote() {
    let history = History::empty(babycuda_core::HostMemory::default());
    for (text, as_printed) in [
        ("let x = A[0] in skip", true),
        ("let x = A[0] in if 0 == 1 { A[x] := 1 } else { A[1] := 2 }", true),
        ("let x = A[0] in A[1] := x", false),
        ("let x = A[0] in forU y in x..3 { skip }", false),
    ] {
        let program = parse_stmt(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let found = printed(&Accesses::default(), &program, &history, 0);
        assert_eq!(found.is_some(), as_printed, "{text}");
        assert_eq!(adapted(&program, &history, 0), None, "{text}");
        assert!(reads_bottom(&program, &history, 0), "{text}");
    }
}

/// As printed, par leaves out a thread that has no derivation: the one difference of par.
#[test]
fn a_block_with_a_thread_that_is_stuck() {
    let history = History::start(babycuda_core::HostMemory::default());
    let text = "if tid == 0 { let x = B[0] in A[9] := x } else { A[tid] := 1 }";
    let program = parse_stmt(text).unwrap_or_else(|e| panic!("{e}"));
    let block = Block { launch: Launch::threads(3), index: 0 };
    let found = printed_par(&history, &program, block);
    let threads = found.head().map(|phase| phase.threads().map(|(i, _)| i).collect::<Vec<_>>());
    assert_eq!(threads, Some(vec![1, 2]));
    let stuck = parallel::run(&history, &program, block, &RunOptions::default()).unwrap_err();
    assert_eq!(stuck.thread, 0);
}

#[test]
fn the_ledger_says_what_was_adapted() {
    for rule in [Rule::ThreadRead, Rule::ThreadFor1, Rule::ThreadFor2, Rule::Par] {
        let rule = rule.entry();
        assert!(matches!(rule.source, Source::Adapted("LCL22 Fig. 5", _)), "{}", rule.id);
        assert!(rule.adaptation().is_some_and(|why| why.starts_with("printed ")), "{}", rule.id);
    }
}

proptest! {
    #[test]
    fn random_programs((program, memory) in programs_with_memory(Profile::PAPER)) {
        let launch = program.geometry.launch().unwrap_or(Launch::threads(2));
        let block = Block { launch, index: 0 };
        let values = program.params.iter();
        let values = values.filter_map(|p| Some((p.name.clone(), Num::Lit(p.value.clone()?))));
        let body = program.body.subst(&values.collect());
        let history = History::empty(memory);
        for i in 0..block.len().min(3) {
            let code = body.subst(&block.substitution(i));
            let found = printed(&Accesses::default(), &code, &history, i);
            match reads_bottom(&code, &history, i) {
                true => prop_assert_eq!(None, adapted(&code, &history, i)),
                false => prop_assert_eq!(found, adapted(&code, &history, i)),
            }
        }
    }

    #[test]
    fn random_blocks((program, memory) in programs_with_memory(Profile::PAPER), head in 0u64..3) {
        let launch = program.geometry.launch().unwrap_or(Launch::threads(2));
        prop_assume!(launch.block.count() <= 8);
        let block = Block { launch, index: 0 };
        let values = program.params.iter();
        let values = values.filter_map(|p| Some((p.name.clone(), Num::Lit(p.value.clone()?))));
        let body = program.body.subst(&values.collect());
        let cell = Cell::new("A", 1u32);
        let first = Accesses::default().write(cell, head.into());
        let history = History::empty(memory).push(Phase::singleton(head, first));
        let options = RunOptions { ambiguous: Policy::Stop, ..RunOptions::default() };
        if let Ok((after, _)) = parallel::run(&history, &body, block, &options) {
            prop_assert_eq!(printed_par(&history, &body, block), after);
        }
    }
}
