//! Which kernels are tried.
//!
//! The kernel of a number depends on the options and the number alone, or, with coverage, on the numbers before it in its
//! batch, too: so campaigns go on where they were, and parts of them run on many machines.

use crate::coverage::{Step, Used};
use crate::found::{NONE_FITS, NOT_UNDERSTOOD};
use crate::{Fragment, Options};
use babycuda_testkit::Choices;
use babycuda_typing::{type_program, type_relative};
use babycuda_validation::scorecard::Case;
use babycuda_validation::scorecard::kernel::Small;
use babycuda_validation::scorecard::truth::Truth;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt;

/// What is true of all kernels of a campaign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// With some contents of `d`, accesses race.
    Racy,
    /// No race, and no barrier at which threads diverge.
    RaceFree,
    /// With some contents of `d`, threads diverge at a barrier, and nothing races.
    Divergent,
    /// They have a protocol.
    Typed,
    /// They have none.
    Untyped,
    /// They have none, and without one of their statements they have one.
    AlmostTyped,
    /// One block, one array, barriers of the block, no atomic updates: the constructs of LCL22.
    Paper,
    /// They have atomic updates, or barriers of other scopes than a block.
    Scoped,
    /// They have a protocol relative to what the host stored, and no other (THEORY T11).
    Relative,
}

impl Profile {
    /// All of them.
    pub const ALL: [Profile; 9] = {
        use Profile::*;
        [Racy, RaceFree, Divergent, Typed, Untyped, AlmostTyped, Paper, Scoped, Relative]
    };

    /// Is it true of a kernel?
    fn fits(self, case: &Case, worst: &Worst) -> bool {
        let worst = || worst.get_or_init(|| case.worst()).map(|(truth, _)| truth);
        match self {
            Profile::Racy => worst() == Some(Truth::Racy),
            Profile::RaceFree => worst() == Some(Truth::Clean),
            Profile::Divergent => worst() == Some(Truth::Divergent),
            Profile::Typed => is_typed(case),
            Profile::Untyped => !is_typed(case),
            Profile::AlmostTyped => !is_typed(case) && case.smaller().any(|less| is_typed(&less)),
            Profile::Paper => {
                let one = case.launch().grid.count() == 1;
                one && !is_scoped(case) && !case.small.to_string().contains("d[")
            }
            Profile::Scoped => is_scoped(case),
            Profile::Relative => {
                type_relative(&case.program).is_ok_and(|typed| typed.is_relative())
            }
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Profile::Racy => "racy",
            Profile::RaceFree => "race-free",
            Profile::Divergent => "divergent",
            Profile::Typed => "typed",
            Profile::Untyped => "untyped",
            Profile::AlmostTyped => "almost-typed",
            Profile::Paper => "paper",
            Profile::Scoped => "scoped",
            Profile::Relative => "relative",
        })
    }
}

/// Has it a protocol?
fn is_typed(case: &Case) -> bool {
    type_program(&case.program).is_ok()
}

/// Has it atomic updates, or barriers of other scopes than a block? By its text: what no thread does is in no program.
fn is_scoped(case: &Case) -> bool {
    let text = case.small.to_string();
    text.contains("atomicAdd(") || text.contains("__syncwarp")
}

/// Kernels of these fragments as this build makes them, two of each: another build may make others of the same numbers.
pub(crate) fn first(fragments: &[Fragment]) -> String {
    let of = |fragment: &Fragment| {
        let made =
            [0, 1].map(|number| fragment.kernel(&mut Choices::new(&Case::choices(0, number))));
        made.map(|small| small.to_string()).concat()
    };
    fragments.iter().map(of).collect()
}

/// So many kernels are made until one fits a profile.
const TRIALS: u64 = 200;

/// Statements of a kernel that is made of others.
const SIZE: usize = 24;

/// The worst that happens in a kernel, if it was asked for.
pub(crate) type Worst = OnceCell<Option<(Truth, u32)>>;

/// The kernels of a batch, one after the other.
pub(crate) struct Kernels<'o> {
    options: &'o Options,
    /// Those that used what none before them did.
    kept: Vec<(Fragment, Small)>,
    seen: BTreeSet<Step>,
}

impl Kernels<'_> {
    pub(crate) fn new(options: &Options) -> Kernels<'_> {
        Kernels { options, kept: Vec::new(), seen: BTreeSet::new() }
    }

    /// The kernel of this number, the next one.
    ///
    /// # Errors
    /// None was found that fits the profile, or the front end does not understand it; and its fragment.
    pub(crate) fn next(&self, number: u64) -> Result<(Case, Worst), (Fragment, &'static str)> {
        let fragments = self.options.fragments();
        let turn = fragments[(number % fragments.len() as u64) as usize];
        for trial in 0..TRIALS {
            let numbers = Case::choices(self.options.seed.wrapping_add(trial << 32), number);
            // From the end: a kernel is made of the first ones.
            let last: Vec<u16> = numbers.iter().rev().copied().collect();
            let mut choices = Choices::new(&last);
            // Without coverage nothing is kept, and these are the kernels of the scorecard.
            let (fragment, small) = match self.kept.len() {
                kept if kept == 0 || choices.chance(1, 4) => {
                    (turn, turn.kernel(&mut Choices::new(&numbers)))
                }
                _ => self.crossed(&mut choices),
            };
            let case = Case::read(fragment, small).ok_or((fragment, NOT_UNDERSTOOD))?;
            let worst = Worst::new();
            if self.options.profile.is_none_or(|profile| profile.fits(&case, &worst)) {
                return Ok((case, worst));
            }
        }
        Err((turn, NONE_FITS))
    }

    /// One of those that were kept, with some statements of others of its fragment.
    fn crossed(&self, choices: &mut Choices<'_>) -> (Fragment, Small) {
        let (fragment, mut small) = choices.pick(&self.kept).clone();
        for _ in 0..=choices.below(3) {
            let alike: Vec<&Small> = self
                .kept
                .iter()
                .filter(|(of, _)| *of == fragment)
                .map(|(_, small)| small)
                .collect();
            let other = *choices.pick(&alike);
            if let Some(larger) = small.crossed(other, choices).filter(|k| k.size() <= SIZE) {
                small = larger;
            }
        }
        (fragment, small)
    }

    /// What a kernel used. With coverage, those are kept that use something new.
    pub(crate) fn used(&mut self, case: &Case, used: &Used) {
        let before = self.seen.len();
        self.seen.extend(&used.steps);
        if self.options.coverage && self.seen.len() > before {
            self.kept.push((case.fragment, case.small.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::syntax::BarrierScope;
    use babycuda_core::{Name, Stmt};

    #[test]
    fn kernels_of_a_profile_are_so() {
        let mut found = [0; 4];
        for number in 0..600 {
            let Some(case) = Case::of(3, number) else { continue };
            let (text, body) = (case.small.to_string(), &case.program.body);
            let fits = |profile: Profile| profile.fits(&case, &Worst::new());
            let (scoped, paper) = (fits(Profile::Scoped), fits(Profile::Paper));
            let wide = body.subterms().any(|b| match b {
                Stmt::Atomic { .. } => true,
                Stmt::Sync { scope, .. } => *scope != BarrierScope::Block,
                _ => false,
            });
            assert!(scoped || !wide, "{text}");
            assert!(!paper || !scoped && !body.arrays().contains(&Name::new("d")), "{text}");
            assert!(
                paper
                    || scoped
                    || text.contains("d[")
                    || text.contains("blockIdx")
                    || case.fragment == Fragment::MultiBlock,
                "{text}"
            );
            let (typed, relative) = (fits(Profile::Typed), fits(Profile::Relative));
            assert_ne!(typed, fits(Profile::Untyped));
            assert!(!relative || !typed && text.contains("d["), "{text}");
            let almost = fits(Profile::AlmostTyped);
            assert!(!almost || !typed && !case.small.body.is_empty(), "{text}");
            let each = [scoped, paper, relative, almost];
            found.iter_mut().zip(each).for_each(|(count, is)| *count += u32::from(is));
        }
        assert!(found.iter().all(|count| *count > 10), "{found:?}");
    }
}
