//! The functions that Coq proved correct, held against the library on random programs.
//!
//! `BABYCUDA_CASES` sets how many programs; `BABYCUDA_REQUIRE_COQ` makes a missing Coq a failure.

mod build;
mod campaign;
mod cases;
#[path = "../coq/mod.rs"]
mod coq;
mod corrupted;
mod differences;
mod expected;
#[path = "../histories/mod.rs"]
mod histories;
mod machine;
mod operators;
mod process;
mod protocols;
mod questions;
mod text;

use babycuda_campaign::setting;
use std::path::Path;
use std::time::Instant;

/// Runs a test that needs the oracle, where there is one.
fn with_oracle(test: impl FnOnce(&Path)) {
    if let Some(oracle) = build::oracle() {
        test(oracle);
    }
}

#[test]
fn coq_and_the_library_agree_on_random_programs() {
    with_oracle(|oracle| {
        let cases = setting("BABYCUDA_CASES", 20_000);
        let start = Instant::now();
        let seen = campaign::run(oracle, cases).unwrap_or_else(|e| panic!("{e}"));
        let (campaign::Seen { distribution: seen, requests, .. }, time) = (seen, start.elapsed());
        println!("{seen}");
        let rate = seen.cases() as f64 / time.as_secs_f64();
        println!("{requests} answers compared, in {time:.0?}; {rate:.0} programs a second");
        seen.assert_share("ends, DRF", 0.35..=0.75);
        seen.assert_share("ends, racy", 0.15..=0.5);
        seen.assert_share("stuck on ⊥", 0.03..=0.25);
        seen.assert_share("stuck on a racy cell", 0.003..=0.1);
        seen.assert_share("stuck on an unbound variable", 0.003..=0.1);
        seen.assert_share("diverges", 0.001..=0.1);
        seen.assert_share("too long", 0.0..=0.01);
        seen.assert_share("typed", 0.4..=0.9);
        seen.assert_share("ill-typed", 0.08..=0.4);
        seen.assert_share("of the paper", 0.2..=0.6);
        seen.assert_share("barriers", 0.15..=0.5);
        seen.assert_share("stratified", 0.6..=0.95);
        seen.assert_share("typed, bounds depend on the thread", 0.003..=0.1);
        seen.assert_share("in a history", 0.2..=0.6);
        seen.assert_share("in a racy history", 0.04..=0.3);
        seen.assert_share("on the virtual machine", 0.9..=1.0);
    });
}

#[test]
fn coq_and_the_library_agree_on_random_protocols() {
    with_oracle(|oracle| {
        let seen = protocols::agree(oracle, 5_000);
        println!("{seen}");
        seen.assert_share("compared", 0.9..=1.0);
        seen.assert_share("racy", 0.05..=0.6);
        seen.assert_share("barriers", 0.05..=0.6);
    });
}

#[test]
fn coq_and_the_library_agree_on_every_operator() {
    with_oracle(operators::all_agree_on_the_edges);
}

#[test]
fn every_wrong_answer_is_a_difference() {
    with_oracle(corrupted::all_are_noticed);
}

#[test]
fn a_wrong_oracle_is_found_out() {
    with_oracle(corrupted::a_wrong_oracle_is_found_out);
}

#[test]
fn the_documented_examples_hold() {
    with_oracle(text::the_documented_examples_hold);
}

#[test]
fn malformed_requests_are_refused() {
    with_oracle(text::malformed_requests_are_refused);
}

#[test]
fn endless_requests_do_not_end_the_oracle() {
    with_oracle(text::endless_requests_do_not_end_the_oracle);
}

#[test]
fn odd_names_come_back() {
    with_oracle(text::odd_names_come_back);
}
