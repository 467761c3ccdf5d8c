//! Many instances of a litmus test in one run: every thread plays each role of the test once, each
//! time in another instance, at permuted positions and in permuted cells (the parallel testing
//! environment of Levine et al., MC Mutants, ASPLOS 2023, with its permutation by co-prime factors).

use super::NoTest;
use crate::case;
use babycuda_core::expr::{ExprMut, Renaming};
use babycuda_core::name::reserved::{BLOCK_IDX, TID};
use babycuda_core::syntax::{Contents, Geometry, Tree};
use babycuda_core::{Dim3, Launch, Name, Natural, Num, Program, Stmt};
use babycuda_gpu::report::{ArrayReport, Entry, Status, Stop, ThreadReport};
use babycuda_gpu::{Job, Report};
use babycuda_semantics::Instance;
use rand_xoshiro::rand_core::RngCore;
use std::sync::Arc;

/// The most instances of a run are `2^MOST`, the fewest `2^LEAST`.
const LEAST: u32 = 5;
const MOST: u32 = 8;

/// How the instances of a run lie among its threads and cells. There are as many instances as
/// threads, a power of two: odd factors permute them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    blocks: u32,
    instances: u64,
    /// Thread `t` plays role `r` of instance `factor * t + offsets[r]`, modulo `instances`.
    factor: u64,
    /// Of each role; no two are the same.
    offsets: Vec<u64>,
    /// Of each array that the test declares.
    arrays: Vec<Lie>,
    /// From one cell in use to the next.
    stride: u64,
}

/// How the cells of an array lie: those of instance `i` are in group `factor * i`, modulo the
/// number of instances.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Lie {
    name: Name,
    factor: u64,
    /// Cells of an instance.
    length: u64,
}

impl Layout {
    /// A layout for a test, in one block or in several.
    ///
    /// # Errors
    /// [`NoTest`]: the test has barriers, or arrays without a length or with several values.
    pub(super) fn draw(
        test: &Instance,
        grid: bool,
        random: &mut impl RngCore,
    ) -> Result<Layout, NoTest> {
        let program = &test.program;
        let plain = |contents: &Contents| !matches!(contents, Contents::Values(_));
        if program.body.has_sync() || !program.arrays.iter().all(|a| plain(&a.contents)) {
            return Err(NoTest::NotParallel);
        }
        let mut below = |limit: u64| u64::from(random.next_u32()) % limit;
        let instances = 1 << (u64::from(LEAST) + below(u64::from(MOST - LEAST + 1)));
        let blocks = if grid { 2 << below(3) } else { 1 };
        let mut offsets: Vec<u64> = Vec::new();
        while (offsets.len() as u64) < test.block().len().min(instances) {
            let offset = below(instances);
            if !offsets.contains(&offset) {
                offsets.push(offset);
            }
        }
        let mut odd = || 2 * below(instances / 2) + 1;
        let factor = odd();
        let lie = |array: &babycuda_core::syntax::ArrayDecl| {
            let length = array.length.as_ref().and_then(Natural::to_u64);
            let length = length.filter(|n| (1..=1 << 10).contains(n)).ok_or(NoTest::NotParallel)?;
            Ok(Lie { name: array.name.clone(), factor: odd(), length })
        };
        let arrays = program.arrays.iter().map(lie).collect::<Result<_, NoTest>>()?;
        let stride = 1 << (2 * below(3));
        Ok(Layout { blocks, instances, factor, offsets, arrays, stride })
    }

    /// How many instances there are.
    pub(super) fn instances(&self) -> u32 {
        self.instances as u32
    }

    /// The blocks that run.
    ///
    /// # Errors
    /// [`NoTest`].
    pub(super) fn jobs(&self, test: &Program) -> Result<Vec<Job>, NoTest> {
        let running = case::instance(&self.compose(test)).ok_or(NoTest::Open)?;
        Ok(Job::grid(&running, &case::options(&running))?)
    }

    /// The program whose threads play all roles, each thread beginning with another one. A statement
    /// keeps the site that it has in the test.
    fn compose(&self, test: &Program) -> Program {
        let threads = self.instances / u64::from(self.blocks);
        let number = || Num::var(BLOCK_IDX[0]) * threads + Num::var(TID);
        let roles = self.offsets.len() as u64;
        let play = |role: u64| {
            let thread: Renaming = [(Name::new(TID), Num::lit(role))].into_iter().collect();
            let instance = (number() * self.factor + self.offsets[role as usize]) % self.instances;
            self.moved(&test.body.subst(&thread), &instance)
        };
        let from = |first: u64| Stmt::sequence((first..first + roles).map(|r| play(r % roles)));
        let body = (0..roles).rev().map(|first| (first, from(first)));
        let body = body.reduce(|(_, later), (first, own)| {
            (first, Stmt::branch((number() % roles).equals(first), own, later))
        });
        let mut all = test.clone();
        let launch = Launch::new(Dim3::line(self.blocks), Dim3::line(threads as u32));
        all.geometry = Geometry::exactly(launch);
        all.body = body.map_or(Stmt::Skip, |(_, body)| body);
        for (array, lie) in all.arrays.iter_mut().zip(&self.arrays) {
            array.length = Some((lie.length * self.instances * self.stride).into());
        }
        all
    }

    /// The statement with its accesses moved to the cells of the instance.
    fn moved(&self, stmt: &Stmt, instance: &Num) -> Stmt {
        let mut moved = stmt.map_children(|child| Arc::new(self.moved(child, instance)));
        let lie = stmt.head().accessed().and_then(|a| self.arrays.iter().find(|l| l.name == *a));
        // The index is the first expression of an access.
        if let (Some(lie), [Some(ExprMut::Num(index)), ..]) = (lie, moved.view_mut().exprs) {
            let group = instance.clone() * lie.factor % self.instances;
            *index = (group * lie.length + index.clone()) * self.stride;
        }
        moved
    }

    /// The instance in which a thread plays a role.
    fn instance_of(&self, thread: u64, role: usize) -> u64 {
        (thread * self.factor + self.offsets[role]) % self.instances
    }

    /// The report of all blocks taken apart: one of each instance, as if it had run alone. `None`
    /// for one that accessed a cell which is none of its own.
    pub(super) fn apart(&self, test: &Instance, all: &Report) -> Vec<Option<Report>> {
        let nothing = ThreadReport { stop: Stop::End, log: Vec::new(), passed: Vec::new() };
        let mut threads = vec![vec![nothing; self.offsets.len()]; self.instances as usize];
        let mut strayed = vec![false; self.instances as usize];
        for (thread, report) in (0..).zip(&all.threads) {
            for entry in &report.log {
                let own = (0..self.offsets.len()).find_map(|role| {
                    let instance = self.instance_of(thread, role);
                    Some((role, instance, self.index_of(all, entry, instance)?))
                });
                match own {
                    Some((role, instance, index)) => {
                        threads[instance as usize][role].log.push(Entry { index, ..*entry });
                    }
                    // It is one of these that strayed.
                    None => (0..self.offsets.len())
                        .for_each(|role| strayed[self.instance_of(thread, role) as usize] = true),
                }
            }
        }
        let one = |(instance, (threads, strayed)): (u64, (Vec<ThreadReport>, bool))| {
            let arrays = all.arrays.iter().map(|array| self.cells_of(array, instance)).collect();
            let (block, status) = (test.block(), Status::Done);
            let report = Report { block, status, overflow: None, last_phase: 0, arrays, threads };
            (!strayed).then_some(report)
        };
        (0..).zip(threads.into_iter().zip(strayed)).map(one).collect()
    }

    /// What index an entry has in the instance; `None` where it is of another one.
    fn index_of(&self, all: &Report, entry: &Entry, instance: u64) -> Option<u64> {
        let lie = self.lie(&all.arrays.get(entry.array as usize)?.name)?;
        let used = entry.index.is_multiple_of(self.stride).then_some(entry.index / self.stride)?;
        (used / lie.length == self.group(lie, instance)).then_some(used % lie.length)
    }

    fn cells_of(&self, array: &ArrayReport, instance: u64) -> ArrayReport {
        let cells = self.lie(&array.name).into_iter().flat_map(|lie| {
            let first = self.group(lie, instance) * lie.length;
            (first..first + lie.length)
                .filter_map(|cell| array.cells.get((cell * self.stride) as usize).copied())
        });
        ArrayReport { name: array.name.clone(), space: array.space, cells: cells.collect() }
    }

    fn lie(&self, array: &Name) -> Option<&Lie> {
        self.arrays.iter().find(|lie| lie.name == *array)
    }

    fn group(&self, lie: &Lie, instance: u64) -> u64 {
        instance * lie.factor % self.instances
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::litmus::TESTS;
    use babycuda_campaign::random;
    use babycuda_core::parse::parse_program;
    use std::collections::BTreeSet;

    fn layouts() -> impl Iterator<Item = (Instance, Layout)> {
        TESTS.iter().zip(0..).flat_map(|((_, text), number)| {
            let test = case::instance(&parse_program(text).expect("a test")).expect("closed");
            [false, true].map(|grid| {
                let layout = Layout::draw(&test, grid, &mut random(1, number)).expect("a layout");
                (test.clone(), layout)
            })
        })
    }

    /// Each instance has each role once, played by different threads, and cells of its own.
    #[test]
    fn every_instance_is_a_whole_test_in_cells_of_its_own() {
        let mut strides = BTreeSet::new();
        for (test, layout) in layouts() {
            strides.insert(layout.stride);
            assert_eq!(layout.offsets.len() as u64, test.block().len());
            let mut players: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); layout.instances as usize];
            for thread in 0..layout.instances {
                for role in 0..layout.offsets.len() {
                    let instance = layout.instance_of(thread, role) as usize;
                    assert!(players[instance].insert(thread), "a thread plays it twice");
                }
            }
            assert!(players.iter().all(|own| own.len() == layout.offsets.len()));
            for lie in &layout.arrays {
                let groups: BTreeSet<u64> =
                    (0..layout.instances).map(|i| layout.group(lie, i)).collect();
                assert_eq!(groups.len() as u64, layout.instances);
            }
        }
        assert_eq!(strides, [1, 4, 16].into());
    }

    /// An access of a cell of another instance is no access of this one.
    #[test]
    fn an_instance_that_strays_has_no_report() {
        let (test, layout) = layouts().next().expect("a test");
        let launch = layout.jobs(&test.program).expect("jobs");
        let mut device = babycuda_gpu::sim::Sim::new(babycuda_gpu::sim::Schedule::Random(1));
        let mut report =
            babycuda_gpu::Runner::new(&mut device).run_one(&launch[0]).expect("a report");
        let instances = layout.apart(&test, &report);
        assert!(instances.iter().all(Option::is_some));
        let accesses = |own: &Report| own.threads.iter().map(|t| t.log.len()).collect::<Vec<_>>();
        assert!(instances.iter().flatten().all(|own| accesses(own) == [3, 3]));
        let cells = report.arrays[0].cells.len() as u64;
        let index = &mut report.threads[3].log[0].index;
        *index = (*index + cells / 2) % cells;
        let strayed = layout.apart(&test, &report);
        let strayed = strayed.iter().filter(|own| own.is_none()).count();
        assert_eq!(strayed, 2, "those in which thread 3 plays");
    }
}
