//! Conditions of no use: those under which no two threads come to what races.

use super::candidates::Candidate;
use super::samples::holds;
use super::under::{check_all, under};
use crate::CheckOptions;
use babycuda_core::deep::grow;
use babycuda_core::syntax::{ArrayDecl, Space, Tree};
use babycuda_core::verdict::{Outcome, Verdict};
use babycuda_core::{Budget, Configuration, Name, Program, Site, Stmt};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// So many accesses are watched at most.
const MAX_SITES: usize = 16;
/// To look whether two threads come to an access takes no longer than this.
const ONE_LOOK: Duration = Duration::from_millis(300);

/// Which threads come to some accesses: in a program without barriers who does also writes the cell of one more array, so
/// that races of this array are two threads that come.
struct Watch {
    program: Program,
    array: Name,
}

/// What is watched of a kernel.
pub(super) struct Watched {
    /// All accesses.
    all: Watch,
    /// One that races each, of those to which two threads come in some launch.
    racing: Vec<Watch>,
}

impl Watched {
    pub(super) fn new(program: &Program, verdict: &Verdict, options: &CheckOptions) -> Watched {
        let sites = verdict.races.iter().flat_map(|race| [race.first.site, race.second.site]);
        let sites: BTreeSet<Site> = sites.collect();
        let racing = sites.iter().take(MAX_SITES).map(|site| Watch::new(program, |at| at == *site));
        let racing = racing.filter(|watch| !watch.is_idle(&[], options)).collect();
        // A thread that stops somewhere comes to nothing there.
        let stops = |at: &Site| {
            program.sources.overflows.contains_key(at) || program.sources.stops.contains_key(at)
        };
        Watched { all: Watch::new(program, |at| !stops(&at)), racing }
    }

    /// Do no two threads come to any access where these hold, though they allow launches of more? Or, where of these
    /// launches those that they allow have one value of some parameter, to one that races?
    pub(super) fn is_idle(
        &self,
        parts: &[&Candidate],
        launches: &[Configuration],
        options: &CheckOptions,
    ) -> bool {
        let allows = |at: &&Configuration| parts.iter().all(|part| holds(&part.condition, at));
        let allowed: Vec<&Configuration> = launches.iter().filter(allows).collect();
        let many = allowed.iter().any(|at| at.launch.grid.count() * at.launch.block.count() > 1);
        let is_fixed = |name: &Name| {
            let values: BTreeSet<_> = allowed.iter().map(|at| at.parameters.get(name)).collect();
            self.all.program.params.iter().any(|param| param.name == *name) && values.len() == 1
        };
        let fixed = parts.iter().flat_map(|part| part.condition.free_vars()).any(|x| is_fixed(&x));
        let racing = self.racing.iter().filter(|_| fixed);
        let all = Some(&self.all).filter(|_| many);
        racing.chain(all).any(|watch| watch.is_idle(parts, options))
    }
}

impl Watch {
    fn new(program: &Program, sites: impl Fn(Site) -> bool) -> Watch {
        let mut array = String::from("watched");
        while program.arrays.iter().any(|known| known.name.as_str() == array) {
            array.push('_');
        }
        let array = Name::new(&array);
        let mut watched = program.clone();
        watched.body = with_writes(&program.body, &sites, &array);
        let declared = ArrayDecl { space: Space::Global, ..ArrayDecl::implicit(array.clone()) };
        watched.arrays.push(declared);
        Watch { program: watched, array }
    }

    /// Do no two threads come where these hold?
    fn is_idle(&self, parts: &[&Candidate], options: &CheckOptions) -> bool {
        let budget = Budget::time(options.budget.at_most(ONE_LOOK));
        let options = CheckOptions { budget, array: Some(self.array.clone()), ..options.clone() };
        let found = check_all(std::iter::once(under(&self.program, parts)), &options);
        found.is_some_and(|found| found.verdict.outcome == Outcome::Drf)
    }
}

/// Without barriers, and with a write at each of these accesses.
fn with_writes(body: &Stmt, sites: &impl Fn(Site) -> bool, array: &Name) -> Stmt {
    let inner = |child: &Arc<Stmt>| Arc::new(with_writes(child, sites, array));
    let inner = grow(|| body.map_children(inner));
    let site = inner.view().site;
    if matches!(inner, Stmt::Sync { .. }) {
        Stmt::Skip
    } else if inner.accessed().is_some() && site.is_some_and(sites) {
        Stmt::seq(Stmt::write(array.clone(), 0u64, 0u64), inner)
    } else {
        inner
    }
}
