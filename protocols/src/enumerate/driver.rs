//! Blocks, phases, and the second look at racy cells.

use super::code::Code;
use super::compile::compile;
use super::machine::{Exit, Machine, Sink, State};
use super::pairs::{Found, Visit, count};
use super::shadow::{self, Masks, Shadow};
use super::{Enumeration, EnumerationLimits, RacingPair, Refusal, Stuck};
use babycuda_core::evidence::{Confirmation, Counter, Divergence, PairKey, Side, Witness};
use babycuda_core::history::HostMemory;
use babycuda_core::{Cell, Configuration, Declarations, Natural, Protocol, Site, Thread};
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
    let blocks = if declarations.has_grid() {
        0..launch.grid.count()
    } else {
        configuration.block..configuration.block.saturating_add(1)
    };
    let across = blocks.end - blocks.start > 1;
    let masks = code.accesses.iter().map(|a| Masks {
        bit: shadow::mode_bit(a.mode),
        within: shadow::conflicting(a.mode, true),
        across: shadow::conflicting(a.mode, false),
    });
    let mut run = Run {
        machine: Machine::new(&code, launch, limits),
        code: &code,
        configuration,
        limits,
        watch: Watch {
            // The last epoch and block are counted from 1.
            epoch: 0,
            block: 0,
            thread: 0,
            masks: masks.collect(),
            arrays: code.accesses.iter().map(|a| a.array).collect(),
            shadows: code
                .arrays
                .iter()
                .map(|a| Shadow::new(across && declarations.is_global(a)))
                .collect(),
            budget: limits.memory,
            starved: false,
            accesses: 0,
            racy: Vec::new(),
            racy_across: Vec::new(),
            room: limits.memory / 4 / size_of::<(usize, u64)>() as u64,
            dropped: false,
        },
        result: Enumeration { complete: true, ..Enumeration::default() },
        found: BTreeMap::new(),
    };
    for block in blocks.clone() {
        run.block(block)?;
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

/// The first look: shadow words.
struct Watch {
    epoch: u64,
    block: u64,
    thread: u64,
    masks: Vec<Masks>,
    arrays: Vec<usize>,
    shadows: Vec<Shadow>,
    budget: u64,
    starved: bool,
    accesses: u64,
    racy: Vec<(usize, u64)>,
    racy_across: Vec<(usize, u64)>,
    room: u64,
    dropped: bool,
}

impl Sink for Watch {
    #[inline]
    fn access(&mut self, number: u16, index: u64, _: &[u64]) -> bool {
        let number = usize::from(number);
        let array = self.arrays[number];
        self.accesses += 1;
        let at = (self.epoch, self.thread, self.block);
        let masks = self.masks[number];
        let Some(news) = self.shadows[array].visit(at, index, masks, &mut self.budget) else {
            self.starved = true;
            return false;
        };
        if news.within {
            remember(&mut self.racy, (array, index), &mut self.room, &mut self.dropped);
        }
        if news.across {
            let cells = &mut self.racy_across;
            remember(cells, (array, index), &mut self.room, &mut self.dropped);
        }
        true
    }
}

#[cold]
fn remember(cells: &mut Vec<(usize, u64)>, cell: (usize, u64), room: &mut u64, dropped: &mut bool) {
    match room.checked_sub(1) {
        Some(left) => {
            *room = left;
            cells.push(cell);
        }
        None => *dropped = true,
    }
}

/// The second look: all visits of chosen cells.
struct Log<'a> {
    code: &'a Code,
    cells: HashMap<(usize, u64), Vec<Visit>>,
    thread: Thread,
    phase: usize,
    room: u64,
    dropped: bool,
}

impl Sink for Log<'_> {
    fn access(&mut self, number: u16, index: u64, _: &[u64]) -> bool {
        let info = &self.code.accesses[usize::from(number)];
        let Some(visits) = self.cells.get_mut(&(info.array, index)) else {
            return true;
        };
        let statement = (info.site, info.mode);
        let known = visits
            .iter()
            .rev()
            .take_while(|v| v.thread == self.thread)
            .any(|v| v.statement == statement);
        if !known {
            match self.room.checked_sub(1) {
                Some(left) => self.room = left,
                None => {
                    self.dropped = true;
                    return false;
                }
            }
            visits.push(Visit { thread: self.thread, statement, phase: self.phase });
        }
        true
    }
}

/// The third look, at one thread: the counters of its first visit.
struct Look<'a> {
    code: &'a Code,
    wanted: Visit,
    cell: (usize, u64),
    phase: usize,
    iteration: Option<Vec<Counter>>,
}

impl Sink for Look<'_> {
    fn access(&mut self, number: u16, index: u64, registers: &[u64]) -> bool {
        let info = &self.code.accesses[usize::from(number)];
        if self.phase != self.wanted.phase
            || (info.array, index) != self.cell
            || (info.site, info.mode) != self.wanted.statement
        {
            return true;
        }
        let counters = info.counters.iter().map(|(site, var, reg)| Counter {
            site: *site,
            var: var.clone(),
            value: Natural::from(registers[usize::from(*reg)]),
        });
        self.iteration = Some(counters.collect());
        false
    }
}

struct Run<'a> {
    machine: Machine<'a>,
    code: &'a Code,
    configuration: &'a Configuration,
    limits: &'a EnumerationLimits,
    watch: Watch,
    result: Enumeration,
    found: BTreeMap<PairKey, Found>,
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
        let synchronized = !self.code.barriers.is_empty();
        if synchronized {
            let needed = threads.saturating_mul(self.machine.state_size()).saturating_mul(2);
            if needed > self.limits.memory {
                return Err(Refusal::Memory {
                    what: "suspended threads",
                    limit: self.limits.memory,
                });
            }
        }
        self.watch.block = block + 1;
        let mut states: Vec<State> = Vec::new();
        if synchronized {
            states.extend((0..threads).map(|index| self.machine.start(Thread { block, index })));
        }
        for phase in 0.. {
            let before = states.clone();
            self.epoch()?;
            let stops = self.phase(block, &mut states)?;
            if !self.watch.racy.is_empty() {
                self.look_again(block, before, phase)?;
            }
            match stops {
                Stops::Barrier => {}
                Stops::Done => break,
                Stops::Stuck(thread, site) => {
                    self.result.stuck.push(Stuck { block, phase, thread, site });
                    break;
                }
                Stops::Apart(first, second) => {
                    let at = |(i, barrier): (u64, Option<u16>)| {
                        (i, barrier.map(|b| self.machine.barrier(b)))
                    };
                    let divergence = Divergence { phase, first: at(first), second: at(second) };
                    self.result.divergences.insert(block, divergence);
                    break;
                }
            }
        }
        Ok(())
    }

    fn epoch(&mut self) -> Result<(), Refusal> {
        self.result.phases += 1;
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

    fn fed(&self) -> Result<(), Refusal> {
        if self.watch.starved { Err(shadow::refusal(self.limits.memory)) } else { Ok(()) }
    }

    fn log(&self, cells: Vec<(usize, u64)>) -> Log<'_> {
        Log {
            code: self.code,
            cells: cells.into_iter().map(|c| (c, Vec::new())).collect(),
            thread: Thread { block: 0, index: 0 },
            phase: 0,
            room: self.limits.memory / 4 / size_of::<Visit>() as u64,
            dropped: false,
        }
    }

    /// Runs a phase once more, from the threads' states before it, and counts its pairs.
    fn look_again(&mut self, block: u64, states: Vec<State>, phase: usize) -> Result<(), Refusal> {
        let cells = std::mem::take(&mut self.watch.racy);
        self.watch.room += cells.len() as u64;
        let code = self.code;
        let mut log = Log { code, ..self.log(cells) };
        log.phase = phase;
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
        self.tally(log, true);
        Ok(())
    }

    /// Runs everything once more for the cells that blocks race on.
    fn across(&mut self, blocks: std::ops::Range<u64>) -> Result<(), Refusal> {
        let cells = std::mem::take(&mut self.watch.racy_across);
        if cells.is_empty() {
            return Ok(());
        }
        let code = self.code;
        let mut log = Log { code, ..self.log(cells) };
        let diverged = self.result.divergences.iter().map(|(block, d)| (*block, d.phase));
        let stuck = self.result.stuck.iter().map(|s| (s.block, s.phase));
        let last: HashMap<u64, usize> = diverged.chain(stuck).collect();
        for block in blocks {
            for index in 0..self.configuration.launch.block.count() {
                log.thread = Thread { block, index };
                let mut state = self.machine.start(log.thread);
                for phase in 0.. {
                    log.phase = phase;
                    let stop = self.machine.resume(&mut state, &mut log)?;
                    if !matches!(stop, Exit::Barrier(_)) || last.get(&block) == Some(&phase) {
                        break;
                    }
                }
            }
        }
        self.tally(log, false);
        Ok(())
    }

    fn tally(&mut self, log: Log<'_>, same_block: bool) {
        if log.dropped {
            self.result.complete = false;
        }
        let mut cells: Vec<_> = log.cells.into_iter().collect();
        cells.sort_by_key(|(cell, _)| *cell);
        for ((array, index), mut visits) in cells {
            let cell = Cell::new(self.code.arrays[array].clone(), index);
            count(&cell, &mut visits, same_block, &mut self.found);
        }
    }

    fn finish(mut self) -> Result<Enumeration, Refusal> {
        for (key, found) in std::mem::take(&mut self.found) {
            let witness = Witness {
                configuration: Configuration {
                    block: found.first.thread.block,
                    host: HostMemory::default(),
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
        let mut look = Look {
            code: self.code,
            wanted: visit,
            cell: (array.unwrap_or_default(), cell.index.low_u64()),
            phase: 0,
            iteration: None,
        };
        let mut state = self.machine.start(visit.thread);
        for phase in 0..=visit.phase {
            look.phase = phase;
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
