//! What is asked of several files at once: each is checked with what of it the file has.

use crate::check::{Asked, Current, Progress, check_into, locked};
use crate::input::File;
use crate::problem::{Missing, Problem};
use std::collections::{BTreeMap, BTreeSet};

/// Files that are checked one after the other.
#[derive(Clone, Debug, Default)]
pub struct Several {
    /// What a file has nothing of: the first one, and what was said of it.
    lacking: BTreeMap<Missing, (String, Problem)>,
    /// What each file with kernels was checked without.
    without: Vec<BTreeSet<Missing>>,
}

impl Several {
    /// Checks a file as [`check_into`] does, without what no kernel of it has. Of a file that lacks the kernel or the
    /// array, no kernel is checked.
    ///
    /// # Errors
    /// As [`check_into`], of anything else.
    pub fn check_into(
        &mut self,
        file: &File,
        asked: &Asked,
        progress: &Progress,
    ) -> Result<(), Problem> {
        let (mut asked, mut without) = (asked.clone(), BTreeSet::new());
        loop {
            let problem = match check_into(file.clone(), &asked, progress) {
                Ok(()) => {
                    let kernels = locked(progress).as_ref().map_or(0, |file| file.names.len());
                    self.without.extend((kernels > 0).then_some(without));
                    return Ok(());
                }
                Err(problem) => problem,
            };
            let Some(missing) = problem.missing.as_deref().cloned() else { return Err(problem) };
            let before = asked.settings.assumptions.len();
            match &missing {
                Missing::Parameter(name) => drop(asked.settings.params.remove(name)),
                Missing::Assumption(text) => asked.settings.assumptions.retain(|t| t != text),
                Missing::Kernel(_) | Missing::Array(_) => {}
            }
            if let Missing::Assumption(_) = missing
                && before == asked.settings.assumptions.len()
            {
                // The file itself says so.
                return Err(problem);
            }
            let first = (file.path.clone(), problem);
            self.lacking.entry(missing.clone()).or_insert(first);
            if let Missing::Kernel(_) | Missing::Array(_) = missing {
                let (names, kernels) = (Vec::new(), Vec::new());
                *locked(progress) = Some(Current { names, kernels, ..Current::unread(&file.path) });
                return Ok(());
            }
            without.insert(missing);
        }
    }

    /// What no file has anything of: the first file, and what is wrong.
    pub fn unmet(&self) -> impl Iterator<Item = (&str, Problem)> {
        let nowhere = |(missing, _): &(&Missing, _)| {
            self.without.iter().all(|without| without.contains(*missing))
        };
        self.lacking.iter().filter(nowhere).map(|(_, (path, problem))| {
            (path.as_str(), problem.clone().help("nor has any other of these files"))
        })
    }
}
