//! What tests are made of: generators of programs and protocols, shrinking, and distributions.
//!
//! Every generator is a function from a sequence of choices ([`Choices`]) to a value. The same
//! generator therefore serves `proptest` ([`generators`]), `quickcheck` and `arbitrary`
//! ([`foreign`], behind the features of those names) and fuzz targets; and shrinking the choices
//! shrinks the value, since the choice 0 is always the simplest.
//!
//! A generator is only as good as what it generates: [`Distribution`] counts it, and tests assert
//! the counts.

pub mod choices;
pub mod foreign;
pub mod generators;
pub mod shrink;

pub use babycuda_campaign::Distribution;
pub use choices::Choices;
