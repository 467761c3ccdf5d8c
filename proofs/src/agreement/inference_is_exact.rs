//! Inference finds the type that LCL22 Fig. 6 gives, and nothing else.
//!
//! The rules are read here once more, without `babycuda-typing`: the system is syntax-directed, so
//! a program has at most one type, and none where a premise fails.

use crate::statement::{Checked, Counterexample, Coverage, Proof, Statement, test, theorem};
use babycuda_core::rules::Item;
use babycuda_core::{AccessMode, Name, Num, Program, Protocol, Site, Stmt};
use babycuda_typing::{Context, check_derivation, type_program};
use std::collections::BTreeSet;
use std::sync::Arc;

const SMALL_SCOPE: &str = "proofs/tests/small_scope_agreement.rs";

/// The agreement.
pub static STATEMENT: Statement = Statement {
    id: "inference",
    name: "inference_is_exact",
    source: "LCL22 Fig. 6",
    text: "inference finds u exactly when V ⊢ b ▶ u, with a derivation that the checker accepts.",
    rust: Item { file: "proofs/src/agreement/inference_is_exact.rs", text: "pub fn check" },
    proof: Proof::Theorems(
        &[theorem("proofs/coq/TypeChecker.v", "infer_correct")],
        Coverage::Restricted(
            "the mechanized functions, for no atomic updates; the library's is held \
             to them by the oracle.",
        ),
    ),
    tests: &[test(SMALL_SCOPE, "inference_is_exact_on_every_program")],
    holds: true,
};

/// Checks the agreement for a program: `u` with `V ⊢ b ▶ u`, if there is one; `V` is given by the
/// program's declarations.
///
/// # Errors
/// [`Failure::Refuted`](crate::Failure)
pub fn check(program: &Program) -> Checked<Option<Protocol>> {
    let context: BTreeSet<Name> = Context::of_program(program).iter().cloned().collect();
    let expected = type_of(&context, &program.body);
    let refuted = |why: String| Counterexample::refutes(&STATEMENT, program.clone(), why);
    match (type_program(program), &expected) {
        (Ok(found), Some(u)) if found.protocol == *u => {
            if let Err(rejected) = check_derivation(&found.derivation) {
                return Err(refuted(format!("The checker rejects its type: {rejected:?}.")));
            }
        }
        (Err(_), None) => {}
        (Ok(found), Some(u)) => {
            let found = found.protocol;
            return Err(refuted(format!("By the rules its type is `{u}`; inferred: `{found}`.")));
        }
        (Ok(found), None) => {
            let found = found.protocol;
            return Err(refuted(format!("By the rules it has no type; inferred: `{found}`.")));
        }
        (Err(rejection), Some(u)) => {
            return Err(refuted(format!("By the rules its type is `{u}`; rejected: {rejection}.")));
        }
    }
    Ok(expected)
}

/// The rules, from the conclusion up.
fn type_of(v: &BTreeSet<Name>, b: &Stmt) -> Option<Protocol> {
    let typed = |n: &Num| n.free_vars().is_subset(v);
    Some(match b {
        // t-write: V ⊢ n
        Stmt::Write { site, array, index, .. } => {
            typed(index).then(|| access(*site, AccessMode::Wr, array, index))?
        }
        // t-read: V ⊢ n, y ∉ V, V ⊢ b ▶ u
        Stmt::Read { site, var, array, index, body } => {
            (typed(index) && !v.contains(var)).then_some(())?;
            sequence(access(*site, AccessMode::Rd, array, index), type_of(v, body)?)
        }
        // t-seq: V ⊢ b1 ▶ u1, V ⊢ b2 ▶ u2
        Stmt::Seq(first, second) => sequence(type_of(v, first)?, type_of(v, second)?),
        // t-if: V ⊢ c, V ⊢ b1 ▶ u1, V ⊢ b2 ▶ u2
        Stmt::If { site, condition, then, otherwise } => {
            condition.free_vars().is_subset(v).then_some(())?;
            Protocol::If {
                site: *site,
                condition: condition.clone(),
                then: Arc::new(type_of(v, then)?),
                otherwise: Arc::new(type_of(v, otherwise)?),
            }
        }
        // t-for, t-for-s: V ⊢ n, V ⊢ m, x ∉ V, V ∪ {x} ⊢ b ▶ u
        Stmt::For { site, sort, var, lower, upper, body } => {
            (typed(lower) && typed(upper) && !v.contains(var)).then_some(())?;
            let mut inner = v.clone();
            inner.insert(var.clone());
            Protocol::For {
                site: *site,
                sort: *sort,
                var: var.clone(),
                lower: lower.clone(),
                upper: upper.clone(),
                body: Arc::new(type_of(&inner, body)?),
            }
        }
        // t-skip
        Stmt::Skip => Protocol::Skip,
        // t-sync
        Stmt::Sync { site, scope } => Protocol::Sync { site: *site, scope: *scope },
        // t-atomic: V ⊢ n, y ∉ V, V ⊢ b ▶ u
        Stmt::Atomic { site, var, array, index, scope, body, .. } => {
            (typed(index) && !v.contains(var)).then_some(())?;
            sequence(access(*site, AccessMode::At(*scope), array, index), type_of(v, body)?)
        }
    })
}

fn sequence(first: Protocol, second: Protocol) -> Protocol {
    Protocol::Seq(Arc::new(first), Arc::new(second))
}

fn access(site: Site, mode: AccessMode, array: &Name, index: &Num) -> Protocol {
    Protocol::Access { site, mode, array: array.clone(), index: index.clone() }
}
