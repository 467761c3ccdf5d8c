//! What must agree, though it is no theorem of the calculus: two implementations of one thing, or
//! an implementation and the rules that it implements.
//!
//! The statements of the theory speak of judgments. Here the functions that stand for the judgments
//! are compared, instance by instance, with a second reading of the judgments.

pub mod derivations_are_accepted;
pub mod enumeration_is_exact;
pub mod inference_is_exact;
pub mod lastwrite_is_its_rules;
pub mod the_machine_is_the_reference;

use crate::statement::Statement;

/// Every agreement.
pub const AGREEMENTS: &[&Statement] = &[
    &the_machine_is_the_reference::STATEMENT,
    &derivations_are_accepted::STATEMENT,
    &lastwrite_is_its_rules::STATEMENT,
    &inference_is_exact::STATEMENT,
    &enumeration_is_exact::STATEMENT,
];
