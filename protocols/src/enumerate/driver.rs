//! Blocks and phases.

use super::code::Code;
use super::compile::compile;
use super::looks::{Log, Look, Watch};
use super::machine::{Exit, Machine, State};
use super::pairs::{Found, Parties, Visit, count};
use super::shadow::{self, Shadow};
use super::{Enumeration, EnumerationLimits, RacingPair, Refusal, Stuck};
use crate::map::MapError;
use crate::relation::Relation;
use babycuda_core::evidence::{Confirmation, Divergence, PairKey, Side, Witness};
use babycuda_core::history::HostMemory;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Cell, Configuration, Declarations, Protocol, Site, Thread};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Enumerates every access of `configuration`: of all blocks when the declarations give a grid,
/// otherwise of the block of the configuration.
///
/// # Errors
/// [`Refusal`]: no Λ, numbers beyond 64 bits, or a limit.
pub fn enumerate(
    protocol: &Protocol,
    declarations: &Declarations,
    configuration: &Configuration,
    limits: &EnumerationLimits,
) -> Result<Enumeration, Refusal> {
    let launch = configuration.launch;
    if launch.block.count() > 1 << shadow::THREAD_BITS {
        return Err(Refusal::TooLarge("threads in a block"));
    }
    if launch.grid.count() > u64::from(u32::MAX) {
        return Err(Refusal::TooLarge("blocks"));
    }
    let configuration = &with_contents(configuration, declarations, protocol);
    let code = compile(protocol, configuration, limits.budget)?;
    let of_scope = |(site, scope)| MapError::Scope { site, scope };
    // Groups are those of the launch: a tile ends with its warp, whatever the size of that.
    let relations = Relation::all(protocol, launch.warp.next_power_of_two()).map_err(of_scope)?;
    let blocks = if declarations.has_grid() {
        0..launch.grid.count()
    } else {
        configuration.block..configuration.block.saturating_add(1)
    };
    let across = blocks.end - blocks.start > 1;
    let of_grid = |(_, scope): &&(Site, BarrierScope)| *scope == BarrierScope::Grid;
    if let Some(barrier) = code.barriers.iter().find(of_grid).filter(|_| launch.grid.count() > 1) {
        return Err(of_scope(*barrier).into());
    }
    let mut run = Run {
        machine: Machine::new(&code, launch, limits),
        code: &code,
        configuration,
        limits,
        watch: Watch::new(&code, limits.memory, |a| across && declarations.is_global(a)),
        result: Enumeration { complete: true, ..Enumeration::default() },
        found: BTreeMap::new(),
        ends: HashMap::new(),
    };
    for block in blocks.clone() {
        match relations.as_slice() {
            [Relation::BLOCK] => run.block(block)?,
            relations => run.groups(block, relations)?,
        }
        if run.is_enough() {
            run.result.complete = false;
            return run.finish();
        }
    }
    run.across(blocks)?;
    run.finish()
}

/// The configuration with the contents of inputs that the declarations fix.
fn with_contents(
    configuration: &Configuration,
    declarations: &Declarations,
    protocol: &Protocol,
) -> Configuration {
    let mut at = configuration.clone();
    if protocol.is_relative() {
        let fixed = HostMemory::fixed(declarations);
        for array in protocol.inputs().collect::<BTreeSet<_>>() {
            if let (None, Some(contents)) = (at.host.array(array), fixed.array(array)) {
                at.host.insert(array.clone(), contents.clone());
            }
        }
    }
    at
}

pub(super) struct Run<'a> {
    pub(super) machine: Machine<'a>,
    pub(super) code: &'a Code,
    pub(super) configuration: &'a Configuration,
    pub(super) limits: &'a EnumerationLimits,
    pub(super) watch: Watch,
    pub(super) result: Enumeration,
    found: BTreeMap<PairKey, Found>,
    /// How many barriers each thread passes, of blocks that do not run to their ends.
    pub(super) ends: HashMap<u64, Vec<u64>>,
}

/// Where the threads of a block stopped.
enum Stops {
    /// All at one barrier.
    Barrier,
    /// All at their end.
    Done,
    /// One is stuck, the others wherever they are.
    Stuck(u64, Site),
    /// Two at different places: a barrier, or the end.
    Apart((u64, Option<u16>), (u64, Option<u16>)),
}

impl Run<'_> {
    fn block(&mut self, block: u64) -> Result<(), Refusal> {
        let threads = self.configuration.launch.block.count();
        self.watch.block = block + 1;
        let mut states = match self.code.barriers.is_empty() {
            true => Vec::new(),
            false => self.states(block)?,
        };
        for phase in 0.. {
            let before = states.clone();
            self.result.phases += 1;
            self.epoch()?;
            let stops = self.phase(block, &mut states)?;
            if !self.watch.racy.is_empty() {
                self.look_again(block, before, phase)?;
            }
            if self.is_enough() {
                break;
            }
            match stops {
                Stops::Barrier => {}
                Stops::Done => break,
                Stops::Stuck(thread, site) => {
                    self.ends.insert(block, vec![phase as u64; threads as usize]);
                    self.result.stuck.push(Stuck { block, phase, thread, site });
                    break;
                }
                Stops::Apart(first, second) => {
                    let at = |(i, barrier): (u64, Option<u16>)| {
                        (i, barrier.map(|b| self.machine.barrier(b).0))
                    };
                    let divergence = Divergence::of_block(phase, at(first), at(second));
                    self.ends.insert(block, vec![phase as u64; threads as usize]);
                    self.result.divergences.insert(block, divergence);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Has it found what it looks for?
    fn is_enough(&self) -> bool {
        self.limits.one_race && !self.found.is_empty()
    }

    /// The threads of a block, at their start.
    pub(super) fn states(&self, block: u64) -> Result<Vec<State>, Refusal> {
        let threads = self.configuration.launch.block.count();
        let needed = threads.saturating_mul(self.machine.state_size()).saturating_mul(2);
        if needed > self.limits.memory {
            return Err(Refusal::Memory { what: "suspended threads", limit: self.limits.memory });
        }
        Ok((0..threads).map(|index| self.machine.start(Thread { block, index })).collect())
    }

    pub(super) fn epoch(&mut self) -> Result<(), Refusal> {
        self.watch.epoch += 1;
        if self.watch.epoch > u64::from(u32::MAX) {
            return Err(Refusal::TooLarge("phases"));
        }
        Ok(())
    }

    /// Runs one phase of a block; without barriers, `states` is empty and not needed.
    fn phase(&mut self, block: u64, states: &mut [State]) -> Result<Stops, Refusal> {
        let mut stuck = None;
        let mut stops: Option<(u64, Option<u16>)> = None;
        let mut apart = None;
        if self.code.barriers.is_empty() {
            for index in 0..self.configuration.launch.block.count() {
                self.watch.thread = index;
                let thread = Thread { block, index };
                let stop = self.machine.run_fresh(thread, &mut self.watch)?;
                stuck = stuck.or(stop.stuck().map(|site| Stops::Stuck(index, site)));
                self.fed()?;
            }
        }
        for state in states {
            self.watch.thread = state.thread;
            let stop = self.machine.resume(state, &mut self.watch)?;
            stuck = stuck.or(stop.stuck().map(|site| Stops::Stuck(state.thread, site)));
            self.fed()?;
            let here = (state.thread, state.barrier);
            match stops {
                None => stops = Some(here),
                Some(first) if apart.is_none() && !self.together(first.1, here.1) => {
                    apart = Some(Stops::Apart(first, here));
                }
                Some(_) => {}
            }
        }
        Ok(stuck.or(apart).unwrap_or(match stops {
            Some((_, Some(_))) => Stops::Barrier,
            Some((_, None)) | None => Stops::Done,
        }))
    }

    /// Is it one place? Copies of a barrier have one site.
    fn together(&self, a: Option<u16>, b: Option<u16>) -> bool {
        a.map(|n| self.machine.barrier(n)) == b.map(|n| self.machine.barrier(n))
    }

    pub(super) fn fed(&self) -> Result<(), Refusal> {
        if self.watch.starved { Err(shadow::refusal(self.limits.memory)) } else { Ok(()) }
    }

    /// Runs a phase once more, from the threads' states before it, and counts its pairs.
    fn look_again(&mut self, block: u64, states: Vec<State>, phase: usize) -> Result<(), Refusal> {
        let cells = std::mem::take(&mut self.watch.racy);
        self.watch.room += cells.len() as u64;
        let mut log = Log::new(self.code, cells, self.limits.memory);
        (log.phase, log.passed) = (phase, phase as u64);
        if states.is_empty() {
            for index in 0..self.configuration.launch.block.count() {
                log.thread = Thread { block, index };
                self.machine.run_fresh(log.thread, &mut log)?;
            }
        }
        for mut state in states {
            log.thread = Thread { block, index: state.thread };
            self.machine.resume(&mut state, &mut log)?;
        }
        self.tally(log, Parties { same_block: true, party: &|thread| thread.index });
        Ok(())
    }

    /// Runs everything once more for the cells that blocks race on.
    fn across(&mut self, blocks: std::ops::Range<u64>) -> Result<(), Refusal> {
        let cells = std::mem::take(&mut self.watch.racy_across);
        if cells.is_empty() {
            return Ok(());
        }
        let mut log = Log::new(self.code, cells, self.limits.memory);
        for block in blocks {
            let ends = self.ends.get(&block);
            for index in 0..self.configuration.launch.block.count() {
                log.thread = Thread { block, index };
                log.phase = 0;
                let end = ends.and_then(|ends| ends.get(index as usize));
                let mut state = self.machine.start(log.thread);
                for passed in 0.. {
                    log.passed = passed;
                    let stop = self.machine.resume(&mut state, &mut log)?;
                    let Exit::Barrier(barrier) = stop else { break };
                    if end == Some(&passed) {
                        break;
                    }
                    let (_, scope) = self.machine.barrier(barrier);
                    log.phase += usize::from(scope >= BarrierScope::Block);
                }
            }
        }
        self.tally(log, Parties { same_block: false, party: &|thread| thread.block });
        Ok(())
    }

    pub(super) fn tally(&mut self, log: Log<'_>, parties: Parties<'_>) {
        if log.dropped {
            self.result.complete = false;
        }
        let mut cells: Vec<_> = log.cells.into_iter().collect();
        cells.sort_by_key(|(cell, _)| *cell);
        for ((array, index), mut visits) in cells {
            let cell = Cell::new(self.code.arrays[array].clone(), index);
            count(&cell, &mut visits, parties, &mut self.found);
        }
    }

    fn finish(mut self) -> Result<Enumeration, Refusal> {
        for (key, found) in std::mem::take(&mut self.found) {
            let witness = Witness {
                configuration: Configuration {
                    block: found.first.thread.block,
                    ..self.configuration.clone()
                },
                first: self.side(&found.cell, found.first)?,
                second: self.side(&found.cell, found.second)?,
                cell: found.cell,
                confirmation: Confirmation::Run,
            };
            let pair = RacingPair { count: found.count, witness };
            self.result.races.insert(key, pair);
        }
        self.result.complete &= !self.watch.dropped;
        self.result.accesses = self.watch.accesses;
        let names = self.code.arrays.iter().cloned();
        self.result.shadow = names.zip(self.watch.shadows.iter().map(Shadow::bytes)).collect();
        Ok(self.result)
    }

    /// Runs one thread once more, for the counters of a visit.
    fn side(&mut self, cell: &Cell, visit: Visit) -> Result<Side, Refusal> {
        let array = self.code.arrays.iter().position(|a| *a == cell.array);
        let at = (array.unwrap_or_default(), cell.index.low_u64());
        let mut look =
            Look { code: self.code, wanted: visit, cell: at, passed: 0, iteration: None };
        let mut state = self.machine.start(visit.thread);
        for passed in 0..=visit.passed {
            look.passed = passed;
            self.machine.resume(&mut state, &mut look)?;
        }
        let (site, mode): (Site, _) = visit.statement;
        Ok(Side {
            thread: visit.thread,
            phase: Some(visit.phase),
            site,
            mode,
            iteration: look.iteration.unwrap_or_default(),
            data: Vec::new(),
        })
    }
}
