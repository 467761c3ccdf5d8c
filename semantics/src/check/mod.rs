//! A checker of derivations that trusts no evaluator.
//!
//! It looks at every node by itself: the conclusion must have the shape that the rule gives it, and
//! the premises must be exactly the rule's, in its order. What a premise must say is computed from
//! the conclusion and the premises before it. Only the evaluation of expressions is shared with the
//! evaluators: `lastwrite` is the checker's own, and instead of substituting it walks terms side by
//! side ([`babycuda_core::instance`]).

mod barriers;
mod blocks;
mod code;
mod evidence;
mod lastwrite;
mod premises;
mod thread;

pub use evidence::check_run;

use crate::Rule;
use crate::derivation::{Derivation, Judgment};
use babycuda_core::derivation::{self, Fault};
use premises::Premises;

/// Where a derivation is wrong.
pub type Rejected = derivation::Rejected<Rule>;

/// Checks every node of a derivation.
///
/// # Errors
/// [`Rejected`] names the first wrong node in pre-order.
pub fn check_derivation(derivation: &Derivation) -> Result<(), Rejected> {
    derivation::check(derivation, check_node)
}

fn check_node(node: &Derivation) -> Result<(), Fault> {
    let mut premises = Premises::of(node);
    match &node.conclusion {
        Judgment::Thread(j) => thread::check(node.rule, j, &mut premises)?,
        Judgment::ToBarrier(j) => barriers::check(node.rule, j, &mut premises)?,
        Judgment::Parallel(j) => blocks::check_parallel(node.rule, j, &mut premises)?,
        Judgment::Block(j) => blocks::check_block(node.rule, j, &mut premises)?,
        Judgment::Program(j) => blocks::check_program(node.rule, j, &mut premises)?,
    }
    premises.end()
}
