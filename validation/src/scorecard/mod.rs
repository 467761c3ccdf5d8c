//! The scorecard: all techniques on the same kernels, beside the ground truth.
//!
//! | module | contents |
//! |---|---|
//! | [`fragment`], [`kernel`], [`case`] | random kernels of eleven fragments, each from its number |
//! | [`corpus`] | the techniques on kernels that people wrote |
//! | [`truth`] | what they do, by the semantics |
//! | [`technique`] | what is compared |
//! | [`score()`] | the counts, and the kernels that refute a claim |
//! | [`page`] | `docs/SCORECARD.md` |

pub mod case;
pub mod corpus;
pub mod fragment;
pub mod kernel;
pub mod page;
mod score;
pub mod technique;
pub mod truth;

pub use case::Case;
pub use fragment::Fragment;
pub use score::{Claim, Refuted, Score, Tally, score};
pub use technique::{About, Answer, Technique, techniques};

use babycuda_core::Budget;
use std::time::Duration;

/// How long a technique may think about a kernel.
fn budget() -> Budget {
    Budget::time(Duration::from_secs(20))
}
