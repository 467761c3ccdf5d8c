//! Kernels of the corpus, changed so that it is known what that does to their verdicts.

use super::{files, flags};
use babycuda::core::syntax::Tree;
use babycuda::core::verdict::Outcome;
use babycuda::core::{Dim3, Name, Num, Program, Stmt};
use babycuda::frontend::directives::{Expected, directives};
use babycuda::frontend::{self, Translation, parse_cuda};
use babycuda::{CheckOptions, Decide, Settings, check};
use babycuda_campaign::{random, setting};
use rand_xoshiro::rand_core::RngCore;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A kernel of the corpus as one check has it, and whether that says that it is race-free.
struct Case {
    name: String,
    source: String,
    settings: Settings,
    /// For all launches and parameters, where there are such.
    open: Program,
    /// At the launch of the check.
    program: Program,
    race_free: bool,
}

fn program(source: &str, options: &frontend::Options) -> Option<Program> {
    match parse_cuda(source, options).ok()?.pop()?.translation {
        Translation::Program(program) => Some(program),
        Translation::Unsupported(_) => None,
    }
}

/// The last check of each kernel: that of the smallest launch.
fn cases() -> Vec<Case> {
    let case = |path: &std::path::PathBuf| {
        let source = std::fs::read_to_string(path).expect("a file of the corpus");
        let directive = directives(&source).expect("directives").checks.pop()?;
        let flags = flags(&directive);
        let settings = flags.settings.clone();
        let options = frontend::Options {
            defines: flags.defines,
            overflow: flags.overflow,
            settings: settings.clone(),
            ..frontend::Options::default()
        };
        let open = program(&source, &options)?;
        let program = settings.apply(&open).ok()?.around(open.body.clone());
        let race_free = directive.expected.first() == Some(&Expected::Drf);
        let name = path.file_stem()?.to_string_lossy().into_owned();
        Some(Case { name, source, settings, open, program, race_free })
    };
    files().iter().filter_map(case).collect()
}

fn outcome(program: &Program) -> Option<Outcome> {
    let options = CheckOptions { timeout: Duration::from_secs(5), ..CheckOptions::default() };
    check(program, &options).ok().map(|checked| checked.verdict.outcome)
}

fn with_body(program: &Program, body: Stmt) -> Program {
    Program { body, ..program.clone() }
}

/// All binders have other names.
fn renamed(stmt: &Stmt) -> Stmt {
    let mut new = stmt.map_children(|child| Arc::new(renamed(child)));
    let node = new.view_mut();
    if let Some(binder) = node.binder {
        let other = Name::new(format!("other_{binder}"));
        let map = [(binder.clone(), Num::Var(other.clone()))].into();
        *binder = other;
        for child in node.children.into_iter().flatten() {
            *child = Arc::new(child.subst(&map));
        }
    }
    new
}

/// Do they access different arrays, or only read?
fn independent(a: &Stmt, b: &Stmt) -> bool {
    let free = |x: &Stmt, y: &Stmt| x.written().is_disjoint(&y.arrays());
    !a.has_sync() && !b.has_sync() && free(a, b) && free(b, a)
}

/// Statements that follow each other and are independent change places.
fn reordered(stmt: &Stmt) -> Stmt {
    match stmt {
        Stmt::Seq(a, rest) => match rest.as_ref() {
            Stmt::Seq(b, rest) if independent(a, b) => {
                Stmt::seq(reordered(b), Stmt::seq(reordered(a), reordered(rest)))
            }
            b if !matches!(b, Stmt::Seq(..)) && independent(a, b) => {
                Stmt::seq(reordered(b), reordered(a))
            }
            rest => Stmt::seq(reordered(a), reordered(rest)),
        },
        other => other.map_children(|child| Arc::new(reordered(child))),
    }
}

/// Loops of a few iterations that are known are these iterations, one after the other.
fn unrolled(stmt: &Stmt) -> Stmt {
    let new = stmt.map_children(|child| Arc::new(unrolled(child)));
    match &new {
        Stmt::For { var, lower: Num::Lit(lower), upper: Num::Lit(upper), body, .. } => {
            match (lower.to_u64(), upper.to_u64()) {
                (Some(lower), Some(upper)) if upper.saturating_sub(lower) <= 4 => {
                    Stmt::sequence((lower..upper).map(|k| body.subst_value(var, &k.into())))
                }
                _ => new,
            }
        }
        _ => new,
    }
}

/// The kernel without its barrier of this number.
fn without_barrier(stmt: &Stmt, number: &mut usize) -> Stmt {
    match stmt {
        Stmt::Sync { .. } => {
            *number = number.wrapping_sub(1);
            if *number == usize::MAX { Stmt::Skip } else { stmt.clone() }
        }
        other => other.map_children(|child| Arc::new(without_barrier(child, number))),
    }
}

/// The kernel's body is a function that the kernel calls; `None`: the file has other functions, or macros.
fn outlined(source: &str) -> Option<String> {
    let (before, kernel) = source.split_once("__global__ void ")?;
    let (head, body) = kernel.split_once(')')?;
    let (name, parameters) = head.split_once('(')?;
    let names: Option<Vec<&str>> = parameters
        .split(',')
        .map(|p| p.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next())
        .collect();
    let names = names?;
    if before.contains("__launch_bounds__") || name.contains(' ') || names.contains(&"") {
        return None;
    }
    Some(format!(
        "{before}__device__ void whole({parameters}){body}\n\
         __global__ void {name}({parameters}) {{ whole({}); }}\n",
        names.join(", ")
    ))
}

#[test]
fn what_changes_nothing_keeps_verdicts() {
    type Change = fn(&Stmt) -> Stmt;
    let changes: [(&str, Change); 3] =
        [("renamed", renamed), ("reordered", reordered), ("unrolled", unrolled)];
    let cases = cases();
    let compared: Vec<[usize; 3]> = cases
        .par_iter()
        .with_max_len(1)
        .map(|case| {
            let before = outcome(&case.program);
            changes.map(|(how, change)| {
                let body = change(&case.program.body);
                if body == case.program.body {
                    return 0;
                }
                let after = outcome(&with_body(&case.program, body));
                let unknown = |o: &Option<Outcome>| matches!(o, Some(Outcome::Unknown(_)));
                if !unknown(&before) && !unknown(&after) {
                    assert_eq!(before, after, "{}, {how}", case.name);
                }
                usize::from(!unknown(&before) && !unknown(&after))
            })
        })
        .collect();
    let of = |how: usize| compared.iter().map(|counts| counts[how]).sum::<usize>();
    println!("{} kernels: {} renamed, {} reordered, {} unrolled", cases.len(), of(0), of(1), of(2));
    if std::env::var("BABYCUDA_CORPUS").is_err() {
        assert!(of(0) >= 100 && of(1) >= 20 && of(2) >= 10);
    }
}

#[test]
fn a_barrier_less_makes_nothing_race_free() {
    let removed: Vec<usize> = cases()
        .par_iter()
        .with_max_len(1)
        .filter(|case| !case.race_free && outcome(&case.program) == Some(Outcome::Racy))
        .map(|case| {
            let barriers =
                case.program.body.subterms().filter(|s| matches!(s, Stmt::Sync { .. })).count();
            for barrier in 0..barriers {
                let body = without_barrier(&case.program.body, &mut barrier.clone());
                let after = outcome(&with_body(&case.program, body));
                assert_ne!(after, Some(Outcome::Drf), "{} without {barrier}", case.name);
            }
            barriers
        })
        .collect();
    println!("{} racy kernels, {} barriers", removed.len(), removed.iter().sum::<usize>());
    if std::env::var("BABYCUDA_CORPUS").is_err() {
        assert!(removed.iter().sum::<usize>() >= 30);
    }
}

#[test]
fn a_body_may_be_a_function() {
    let mut same = 0;
    for case in cases() {
        let Some(text) = outlined(&case.source) else { continue };
        let options =
            frontend::Options { settings: case.settings.clone(), ..frontend::Options::default() };
        let (Some(plain), Some(outlined)) =
            (program(&case.source, &options), program(&text, &options))
        else {
            continue;
        };
        assert!(plain.body.alpha_equivalent(&outlined.body), "{}\n{text}", case.name);
        same += 1;
    }
    println!("{same} kernels are functions");
    if std::env::var("BABYCUDA_CORPUS").is_err() {
        assert!(same >= 100);
    }
}

/// What is race-free at all launches is so at each: of 30 that chance chooses, all accesses are looked at.
#[test]
fn race_free_is_race_free_at_each_launch() {
    let launches: u64 = setting("BABYCUDA_CASES", 30);
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.race_free).collect();
    let looked: usize = cases
        .par_iter()
        .enumerate()
        .with_max_len(1)
        .map(|(number, case)| {
            let mut random = random(0x6d65_7461, number as u64);
            let mut below = |bound: u32| random.next_u32() % bound;
            let mut looked = 0;
            for _ in 0..launches {
                let mut settings = case.settings.clone();
                let [x, y] = [(); 2].map(|()| 1 + below(8));
                settings.block = settings.block.or(Some(Dim3 { x, y, z: 1 }));
                let open = case.open.params.iter().filter(|p| p.value.is_none());
                let values: BTreeMap<Name, _> =
                    open.map(|p| (p.name.clone(), below(20).into())).collect();
                for (name, value) in values {
                    settings.params.entry(name).or_insert(value);
                }
                let Ok(launch) = settings.apply(&case.open) else { continue };
                let options = CheckOptions { decide: Decide::Enumerate, ..CheckOptions::default() };
                let Ok(found) = check(&launch.around(case.open.body.clone()), &options) else {
                    continue;
                };
                let outcome = found.verdict.outcome;
                assert!(
                    !matches!(outcome, Outcome::Racy | Outcome::Divergent),
                    "{} at {settings:?}: {outcome:?}",
                    case.name
                );
                looked += usize::from(outcome == Outcome::Drf);
            }
            looked
        })
        .sum();
    println!("{} race-free kernels, {looked} launches without a race", cases.len());
    if std::env::var("BABYCUDA_CORPUS").is_err() && launches == 30 {
        assert!(looked >= 1_000);
    }
}
