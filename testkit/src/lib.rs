//! What tests are made of: generators of programs and protocols, shrinking, and distributions.
//!
//! Every generator is a function from a sequence of choices ([`Choices`]) to a value. So one
//! generator serves `proptest` ([`generators`]), `quickcheck` and `arbitrary` ([`foreign`], behind
//! the features of those names) and fuzz targets. Shrinking the choices shrinks the value, since
//! the choice 0 is always the simplest.
//!
//! A generator is only as good as what it generates: [`Distribution`] counts it, and tests assert
//! the counts.

pub mod choices;
pub mod foreign;
pub mod generators;
pub mod series;
pub mod shrink;
pub mod tools;

pub use babycuda_campaign::Distribution;
pub use choices::Choices;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::cell::RefCell;

/// Runs `test` on what a strategy draws; how often what it labels was drawn, which is printed.
///
/// # Panics
/// When a case fails, with a small one that does.
pub fn for_all<T: std::fmt::Debug, L: IntoIterator<Item: Into<String>>>(
    config: Config,
    drawn: impl Strategy<Value = T>,
    test: impl Fn(T) -> Result<L, TestCaseError>,
) -> Distribution {
    let seen = RefCell::new(Distribution::default());
    let counted = |case| test(case).map(|labels| seen.borrow_mut().case(labels));
    if let Err(failure) = TestRunner::new(config).run(&drawn, counted) {
        panic!("{failure}");
    }
    println!("{}", seen.borrow());
    seen.into_inner()
}
