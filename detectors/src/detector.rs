//! What all techniques have in common: a kernel and a launch in, a verdict with evidence out, and what each
//! claims for itself.

use babycuda_core::verdict::Verdict;
use babycuda_core::{Configuration, Site};
use babycuda_kernel::{At, Kernel, Malformed};

/// A technique that looks for data races.
pub trait Detector: Send + Sync {
    /// Its name in commands and tables.
    fn name(&self) -> &'static str;

    /// The paper that it is from.
    fn paper(&self) -> &'static str;

    /// What the paper claims for it.
    fn claims(&self) -> Claims;

    /// Its verdict on a kernel: at one launch with its parameters and what the host stored, or for more than
    /// that where the verdict's scope says so. Cells that are not named hold 0. The sites of its evidence are
    /// those of [`site`].
    ///
    /// # Errors
    /// [`Refusal`]: it says nothing of this kernel.
    fn detect(&self, kernel: &Kernel, configuration: &Configuration) -> Result<Verdict, Refusal>;

    /// What it makes of a kernel before it judges it, as text in the form of its paper; `None`: there is no such
    /// form.
    ///
    /// # Errors
    /// [`Refusal`]: it makes nothing of this kernel.
    fn form(&self, kernel: &Kernel) -> Option<Result<String, Refusal>> {
        let _ = kernel;
        None
    }
}

/// What a technique claims.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claims {
    /// On these kernels it misses no race: where it says race-free, there is none.
    pub misses_no_race: Option<Fragment>,
    /// On these it raises no false alarm: each race that it reports is one.
    pub raises_no_false_alarm: Option<Fragment>,
    /// Which races it must not miss.
    pub races: Races,
}

/// Which races a claim is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Races {
    /// All that THEORY §4 calls so.
    #[default]
    All,
    /// Harmful ones: some schedules up to a barrier leave another shared memory than others do. Where all
    /// conflicting writes store the same value, a race is benign.
    Harmful,
}

/// A set of kernels.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    /// In words, with where the paper says so.
    pub text: &'static str,
    /// Does a kernel belong to it?
    pub holds: fn(&Kernel) -> bool,
}

/// Why a technique says nothing of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A construct outside of the language of its paper.
    #[error("{construct} is not in the language of the technique")]
    Unsupported {
        /// Which, in words.
        construct: String,
        /// Where it stands.
        at: At,
    },
    /// The kernel is no kernel.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The launch or a parameter, in words.
    #[error("{0}")]
    Configuration(String),
    /// A limit was reached before anything could be said.
    #[error("no verdict within the {0}")]
    Limit(&'static str),
}

impl Refusal {
    /// A construct outside of the language of a paper.
    pub fn unsupported(construct: impl Into<String>, at: At) -> Refusal {
        Refusal::Unsupported { construct: construct.into(), at }
    }

    /// A parameter that the launch gives no value.
    pub(crate) fn no_value(parameter: &str) -> Refusal {
        Refusal::Configuration(format!("parameter `{parameter}` has no value"))
    }
}

/// May a technique look at this tree? No paper has barriers that order the accesses of one space only; a front end
/// drops the note where that makes no difference.
///
/// # Errors
/// [`Refusal`]: the tree is none, or has such a barrier.
pub(crate) fn accept(kernel: &Kernel) -> Result<(), Refusal> {
    kernel.check()?;
    let narrow = |(at, _): &(At, _)| Refusal::unsupported("a barrier that orders one space", *at);
    kernel.narrow_barriers.first().map(narrow).map_or(Ok(()), Err)
}

/// The site of a node of a kernel: its [`Origin`](babycuda_kernel::Origin) is that of the same number.
pub fn site(at: At) -> Site {
    Site(at.0)
}
