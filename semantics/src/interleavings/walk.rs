//! One execution, step by step.

use super::explore::{
    Configuration, End, EndKind, ExplorationLimits, Explorer, Reduction, TooLarge,
};
use super::step::Next;
use crate::instance::Instance;
use babycuda_core::history::{Access, Race};
use babycuda_core::{Cell, Natural, Site};
use std::collections::{BTreeMap, BTreeSet};

/// One execution as far as it went, in the semantics of [`explore`](super::explore()). A step is one access of a thread
/// that whoever walks chooses; a barrier is passed as soon as all threads of a group wait at it.
///
/// ```
/// use babycuda_core::{Launch, parse::parse_program};
/// use babycuda_semantics::Instance;
/// use babycuda_semantics::interleavings::{ExplorationLimits, Walk};
///
/// let program = parse_program("A[0] := tid; sync; A[1 + tid] := 7").unwrap();
/// let instance = Instance::new(program, Launch::threads(2));
/// let limits = ExplorationLimits::default();
/// let mut walk = Walk::of(&instance, &limits).unwrap();
/// assert!(walk.step(1).unwrap() && walk.races().is_empty());
/// assert!(!walk.step(1).unwrap()); // it waits at the barrier
/// assert!(walk.step(0).unwrap());
/// assert_eq!((walk.races().len(), walk.intervals().len()), (1, 2));
/// ```
pub struct Walk<'a> {
    explorer: Explorer<'a>,
    at: Configuration,
}

/// Where a thread stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stand<'a> {
    /// What it does next.
    pub next: &'a Next,
    /// The statement that does it.
    pub site: Option<Site>,
    /// Can it step? One that waits at a barrier cannot, nor one that is about to read or update ⊥.
    pub can_step: bool,
}

impl<'a> Walk<'a> {
    /// The block of `instance` before its first step; all blocks where they run together.
    ///
    /// # Errors
    /// [`TooLarge`] as for [`explore`](super::explore()); of the limits, only steps count.
    pub fn of(instance: &Instance, limits: &'a ExplorationLimits) -> Result<Walk<'a>, TooLarge> {
        let (explorer, at) = Explorer::of(instance, Reduction::None, limits)?;
        let mut walk = Walk { explorer, at };
        walk.pass_barriers()?;
        Ok(walk)
    }

    /// One step of a thread; `false`, and nothing happens, where it cannot step.
    ///
    /// # Errors
    /// [`TooLarge`]: beyond the limits; or a free variable.
    pub fn step(&mut self, thread: usize) -> Result<bool, TooLarge> {
        if thread >= self.at.threads.len() || !self.explorer.can_step(&self.at, thread) {
            return Ok(false);
        }
        self.explorer.step(&mut self.at, thread)?;
        self.pass_barriers()?;
        Ok(true)
    }

    fn pass_barriers(&mut self) -> Result<(), TooLarge> {
        while self.explorer.pass_barrier(&mut self.at)? {}
        Ok(())
    }

    /// Where the threads stand.
    pub fn threads(&self) -> impl Iterator<Item = Stand<'_>> {
        self.at.threads.iter().enumerate().map(|(i, (next, _, site))| Stand {
            next,
            site: *site,
            can_step: self.explorer.can_step(&self.at, i),
        })
    }

    /// The cells written so far, with what they hold.
    pub fn memory(&self) -> &BTreeMap<Cell, Natural> {
        &self.at.memory
    }

    /// What a cell holds; `None`: ⊥.
    pub fn value(&self, cell: &Cell) -> Option<&Natural> {
        self.explorer.value(&self.at, cell)
    }

    /// The accesses so far, by barrier intervals, the oldest first.
    pub fn intervals(&self) -> &[BTreeSet<Access>] {
        &self.at.intervals
    }

    /// The races so far.
    pub fn races(&self) -> BTreeSet<Race> {
        self.so_far().races().collect()
    }

    /// How the execution ended; `None`: a thread can step.
    pub fn end(&self) -> Option<EndKind> {
        let over = !self.threads().any(|thread| thread.can_step);
        over.then(|| self.so_far().kind)
    }

    /// As if it ended here.
    fn so_far(&self) -> End {
        self.explorer.ended(self.at.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interleavings::explore;
    use babycuda_core::Launch;
    use babycuda_core::parse::parse_program;

    /// Wherever a walk ends, some execution ends.
    #[test]
    fn walks_are_executions() {
        for text in [
            "A[tid] := 1; sync; let x = A[1 - tid] in A[x] := tid",
            "shared C = fill 0; shared A; let t = atomic C[0] add 1 in A[t] := tid",
            "if tid == 0 { A[0] := 1; sync } else { skip }",
            "let x = A[0] in B[0] := x",
        ] {
            let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            let instance = Instance::new(program, Launch::threads(2));
            let limits = ExplorationLimits::default();
            let all = explore(&instance, Reduction::None, &limits).unwrap();
            for order in 0..16_usize {
                let mut walk = Walk::of(&instance, &limits).unwrap();
                let mut turn = 0;
                while walk.end().is_none() {
                    let wanted = order >> (turn % 4) & 1;
                    assert!(walk.step(wanted).unwrap() || walk.step(1 - wanted).unwrap());
                    turn += 1;
                }
                let end = walk.so_far();
                assert!(all.ends.contains(&end), "{text}: {end:?}");
                assert_eq!(walk.end(), Some(end.kind.clone()));
                assert_eq!(walk.races(), end.races().collect());
                assert_eq!(walk.memory(), &end.memory);
            }
        }
    }

    #[test]
    fn each_thread_stands_at_its_statement() {
        let program = parse_program("if tid == 0 { A[0] := 1; sync } else { skip }").unwrap();
        let instance = Instance::new(program, Launch::threads(2));
        let limits = ExplorationLimits::default();
        let mut walk = Walk::of(&instance, &limits).unwrap();
        let sites = |walk: &Walk<'_>| walk.threads().map(|t| t.site).collect::<Vec<_>>();
        let first = sites(&walk);
        assert!(walk.step(0).unwrap());
        let second = sites(&walk);
        assert!(first[0].is_some() && second[0].is_some() && first[0] != second[0]);
        assert_eq!((first[1], second[1]), (None, None));
        assert_eq!(walk.end(), Some(EndKind::Diverged));
        assert_eq!(walk.value(&"A[0]".parse().unwrap()), Some(&Natural::from(1_u32)));
    }
}
