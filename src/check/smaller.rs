//! The same race in a smaller launch: solvers give any witness, and readers want the smallest.

use babycuda_core::evidence::Witness;
use babycuda_core::{Configuration, Declarations, Dim3, Name, Natural, Protocol, Together};
use babycuda_protocols::enumerate::{EnumerationLimits, enumerate};
use std::collections::BTreeMap;

/// Bytes that one enumeration may use.
const MAX_MEMORY: u64 = 1 << 24;

/// Launches that are enumerated for one race, at most.
const MAX_TRIES: u32 = 128;

/// So much of a launch is enumerated: accesses, iterations and runs of threads.
const MAX_STEPS: u64 = 20_000;

/// Launches are tried with no parameter above one of these first: with large ones, small launches take many steps, too.
const CAPS: [u64; 2] = [64, 1024];

/// A witness of the same pair of statements in a smaller launch, as enumerations find it; `None`: they find none, or data
/// decides.
pub(super) fn smaller(
    protocol: &Protocol,
    declarations: &Declarations,
    found: &Witness,
) -> Option<Witness> {
    if found.depends_on_data() || !declarations.contents_assumed.is_empty() {
        return None;
    }
    let limits = EnumerationLimits { steps: MAX_STEPS, memory: MAX_MEMORY, ..Default::default() };
    let shows = |at: &Configuration| {
        let apart = || Together::of(declarations, protocol, at.launch).is_none();
        if !declarations.admits(at) || !apart() {
            return None;
        }
        let mut races = enumerate(protocol, declarations, at, &limits).ok()?.races;
        races.remove(&found.pair()).map(|race| race.witness)
    };
    let witness = least_launch(declarations, found.clone(), MAX_TRIES, &shows);
    (witness.configuration != found.configuration).then_some(witness)
}

/// The witness that `shows` has of the least configuration: with the fewest threads in a block that were found to do, then
/// blocks, then the least parameters. It is asked of `tries` at most, also of such that are not declared.
pub(crate) fn least_launch(
    declarations: &Declarations,
    found: Witness,
    tries: u32,
    shows: &dyn Fn(&Configuration) -> Option<Witness>,
) -> Witness {
    let parameters = found.configuration.parameters.clone();
    let mut least = Least { shows, witness: found, tries };
    let launch = least.witness.configuration.launch;
    let two = [[2, 1, 1], [1, 2, 1], [1, 1, 2]];
    let one = [1, 1, 1];
    let launches = if least.witness.same_block() {
        let others = two.map(|block| (block, launch.grid.components()));
        [two.map(|block| (block, one)), others].concat()
    } else {
        let others = two.map(|grid| (launch.block.components(), grid));
        [two.map(|grid| (one, grid)), others].concat()
    };
    // Others are of a run alone: the bits of floats.
    let declared = |name: &Name| declarations.params.iter().any(|param| param.name == *name);
    let capped = |cap: u64| {
        let value = |name: &Name, value: &Natural| match declared(name) {
            true => value.clone().min(cap.into()),
            false => value.clone(),
        };
        parameters.iter().map(|(name, n)| (name.clone(), value(name, n))).collect()
    };
    let mut all: Vec<BTreeMap<Name, Natural>> = CAPS.map(capped).to_vec();
    all.push(parameters.clone());
    // Small ones are the same under each cap.
    all.dedup();
    let _found = all.iter().any(|parameters| {
        launches.iter().any(|(block, grid)| least.launch(*block, *grid, parameters))
    });
    for d in 0..3 {
        least.descend(launch.block.components()[d], &|at, n| extent(&mut at.launch.block, d, n));
    }
    for d in 0..3 {
        least.descend(launch.grid.components()[d], &|at, n| extent(&mut at.launch.grid, d, n));
    }
    for (name, value) in parameters.into_iter().filter(|(name, _)| declared(name)) {
        least.descend(value, &|at, n| {
            at.parameters.insert(name.clone(), n.clone());
        });
    }
    least.witness
}

/// Sets one extent. (Those of 2^32 and more are none.)
fn extent(of: &mut Dim3, d: usize, n: &Natural) {
    let n = n.to_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or_default();
    match d {
        0 => of.x = n,
        1 => of.y = n,
        _ => of.z = n,
    }
}

struct Least<'a> {
    shows: &'a dyn Fn(&Configuration) -> Option<Witness>,
    /// The least one so far.
    witness: Witness,
    tries: u32,
}

impl Least<'_> {
    /// Takes a launch with these parameters if the race is there, too.
    fn launch(
        &mut self,
        block: [u32; 3],
        grid: [u32; 3],
        parameters: &BTreeMap<Name, Natural>,
    ) -> bool {
        let mut at = self.witness.configuration.clone();
        let dims = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
        (at.launch.block, at.launch.grid) = (dims(block), dims(grid));
        at.parameters.clone_from(parameters);
        at == self.witness.configuration || self.take(at)
    }

    /// Takes the least value that was found to do of what `set` sets: from 0 on in growing steps, as large launches are seldom
    /// needed and may be too large to ask of, then by halves. It is `value` at first, or less by now.
    fn descend(&mut self, value: impl Into<Natural>, set: &dyn Fn(&mut Configuration, &Natural)) {
        let (mut value, mut below): (Natural, Natural) = (value.into(), Natural::zero());
        let (mut next, mut growing) = (Natural::zero(), true);
        let two = Natural::from(2u32);
        while next < value && self.tries > 0 {
            let mut at = self.witness.configuration.clone();
            set(&mut at, &next);
            if at == self.witness.configuration || self.take(at) {
                (value, growing) = (next, false);
            } else {
                below = next.successor();
            }
            let doubled = &below * &two;
            growing = growing && doubled < value;
            next = match below.to_u64() {
                Some(0..=2) => below.clone(),
                _ if growing => doubled,
                _ => (&below + &value).div_total(&two),
            };
        }
    }

    /// Takes a configuration if it has the race.
    fn take(&mut self, at: Configuration) -> bool {
        let at = Configuration { block: 0, ..at };
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        let Some(witness) = (self.shows)(&at) else { return false };
        self.witness = witness;
        true
    }
}
