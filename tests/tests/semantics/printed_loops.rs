//! The loop rules as LCL22 Fig. 5 prints them, with expressions for bounds, derive what the adapted
//! rules do that have values instead.

use babycuda_core::expr::{ArithOp, Relation, Renaming};
use babycuda_core::history::{LastWrite, lastwrite};
use babycuda_core::parse::parse_stmt;
use babycuda_core::rules::{PARALLEL_PAR, Source, THREAD_FOR_1, THREAD_FOR_2, THREAD_READ};
use babycuda_core::{Accesses, Bool, Cell, History, Launch, Num, Phase, Stmt};
use babycuda_semantics::{Block, Options, Policy, thread};
use babycuda_testkit::generators::{Profile, programs_with_memory};
use proptest::prelude::*;

/// `A, b ↓_{H,i} B` as printed; `None`: no rule concludes.
fn printed(before: &Accesses, b: &Stmt, history: &History, i: u64) -> Option<Accesses> {
    match b {
        Stmt::Read { var, array, index, body, .. } => {
            let cell = Cell::new(array.clone(), index.value().ok()?);
            let view = history.push(Phase::singleton(i, before.clone()));
            let k = match lastwrite(&cell, &view) {
                LastWrite::One(k) => k,
                LastWrite::Undefined | LastWrite::Several(_) => return None,
            };
            printed(&before.read(cell), &body.subst_value(var, &k), history, i)
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

fn adapted(b: &Stmt, history: &History, i: u64) -> Option<Accesses> {
    let options = Options { ambiguous: Policy::Stop, ..Options::default() };
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

#[test]
fn the_ledger_says_what_was_adapted() {
    for rule in [&THREAD_READ, &THREAD_FOR_1, &THREAD_FOR_2, &PARALLEL_PAR] {
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
            prop_assert_eq!(found, adapted(&code, &history, i));
        }
    }
}
