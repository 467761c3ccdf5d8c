//! Whose turn it is, and who waits for whom.

use super::code::{Code, Reduce};
use super::device::{Offer, Trade};
use super::record::{Touch, cells, contents, trace};
use super::setup::{Argument, Setup};
use super::thread::{Site, State, Status, Wait, World};
use super::value::Value;
use super::{End, Limits, Run, Schedule, Stop};
use babycuda_core::budget::look;
use babycuda_core::launch::Group;
use babycuda_core::{Launch, Thread};
use std::collections::HashMap;

/// Runs threads of a launch.
pub(super) fn run(
    setup: Setup,
    code: &Code,
    launch: Launch,
    threads: &[Thread],
    schedule: Schedule,
    limits: &Limits,
) -> Run {
    let mut world = World { code, setup, launch, log: Vec::new(), steps: 0, limits: *limits };
    constants(&mut world);
    let threads = threads.iter().enumerate().map(|(number, thread)| {
        let stack = arguments(&world, *thread);
        State::start(*thread, number, code.functions.first().copied().unwrap_or_default(), stack)
    });
    let threads: Vec<State> = threads.collect();
    let ready = (0..threads.len()).rev().collect();
    let mut running =
        Running { world, threads, ready, waiting: HashMap::new(), lanes: HashMap::new() };
    let stop = match running.all(schedule) {
        Ok(()) => running.stuck(),
        Err(stop) => Some(stop),
    };
    let ends = running.threads.iter().map(|state| match &state.status {
        Status::Ended(end) => *end,
        Status::Waiting(_, (at, _)) => End::Waiting(*at),
        Status::Running => End::Unfinished,
    });
    let ends = ends.collect();
    let World { setup, log, .. } = running.world;
    let bytes = cells(&log, &setup.arrays);
    let (trace, stored) = trace(&log, &setup.arrays, &bytes, launch);
    Run {
        trace,
        stored,
        ends,
        memory: contents(&setup.memory, &setup.arrays, &bytes),
        cells: setup.arrays.iter().map(|array| array.name.clone()).zip(bytes).collect(),
        stop,
    }
}

/// Gives the constants of the file their values. One whose value cannot be computed stays unknown.
fn constants(world: &mut World<'_>) {
    let code = world.code;
    let entry = code.functions.get(code.constants).copied().unwrap_or_default();
    let nobody = Thread { block: 0, index: 0 };
    let mut state = State::start(nobody, usize::MAX, entry, Vec::new());
    while state.status == Status::Running && state.advance(world).is_ok() {}
    world.log.clear();
}

fn arguments(world: &World<'_>, thread: Thread) -> Vec<Value> {
    let value = |argument: &Argument| match argument {
        Argument::Value(value) => value.clone(),
        Argument::Shared(number) => {
            let object = world.setup.shared(thread.block, *number);
            let bits = super::memory::Address { object, offset: 0 }.bits();
            bits.map_or(Value::Unknown, Value::Known)
        }
    };
    world.setup.arguments.iter().map(value).collect()
}

struct Running<'a> {
    world: World<'a>,
    threads: Vec<State>,
    /// The threads that run; the next one in order last.
    ready: Vec<usize>,
    /// Those that wait at a barrier.
    waiting: HashMap<Group, Vec<usize>>,
    /// Those that wait for lanes: of a warp, a mask and a place.
    lanes: HashMap<(u64, u64, u32, Site), Vec<usize>>,
}

impl Running<'_> {
    fn all(&mut self, schedule: Schedule) -> Result<(), Stop> {
        let mut random = match schedule {
            Schedule::InOrder => None,
            Schedule::Random(seed) => Some(Random(seed)),
        };
        while !self.ready.is_empty() {
            look();
            let place = match &mut random {
                None => self.ready.len() - 1,
                Some(random) => random.below(self.ready.len()),
            };
            let number = self.ready[place];
            let state = &mut self.threads[number];
            loop {
                state.advance(&mut self.world)?;
                if state.status != Status::Running || random.is_some() {
                    break;
                }
            }
            if self.threads[number].status != Status::Running {
                self.ready.remove(place);
                self.arrived(number);
            }
        }
        Ok(())
    }

    /// A thread waits, or has ended.
    fn arrived(&mut self, number: usize) {
        let state = &self.threads[number];
        let Status::Waiting(wait, site) = &state.status else { return };
        match wait {
            Wait::Barrier(group, _) => {
                let group = *group;
                let all = self.waiting.entry(group).or_default();
                all.push(number);
                let blocks = if group.block.is_some() { 1 } else { self.world.launch.grid.count() };
                let size = (group.end - group.first).saturating_mul(blocks);
                let site = site.clone();
                let threads = &self.threads;
                let together = all.len() as u64 == size
                    && all.iter().all(|other| {
                        matches!(&threads[*other].status, Status::Waiting(_, there) if *there == site)
                    });
                if together {
                    self.pass(group);
                }
            }
            Wait::Lanes { mask, .. } => {
                let warp = state.thread.index / u64::from(self.world.launch.warp);
                let key = (state.thread.block, warp, *mask, site.clone());
                let first = warp * u64::from(self.world.launch.warp);
                let there = self.world.launch.block.count() - first;
                let named = (0..u64::from(self.world.launch.warp).min(there).min(32))
                    .filter(|lane| mask >> lane & 1 == 1);
                let count = named.count();
                let all = self.lanes.entry(key.clone()).or_default();
                all.push(number);
                if all.len() == count {
                    self.exchange(&key);
                }
            }
        }
    }

    fn go(&mut self, mut threads: Vec<usize>) {
        // Before those that run already, in order.
        threads.sort_unstable_by(|a, b| b.cmp(a));
        self.ready.extend(threads);
    }

    fn pass(&mut self, group: Group) {
        let threads = self.waiting.remove(&group).unwrap_or_default();
        self.world.log.push(Touch::Barrier(group));
        let votes = threads.iter().filter_map(|t| match &self.threads[*t].status {
            Status::Waiting(Wait::Barrier(_, Some((reduce, value))), _) => Some((*reduce, value)),
            _ => None,
        });
        let mut result = Some(0u64);
        let (mut kind, mut voters) = (None, 0);
        for (reduce, value) in votes {
            (kind, voters) = (Some(reduce), voters + 1);
            result = match value {
                Value::Known(bits) => result.map(|n| n + u64::from(*bits != 0)),
                _ => None,
            };
        }
        let result = match (kind, result) {
            (None, _) => Value::Known(0),
            (_, None) => Value::Unknown,
            (Some(Reduce::Count), Some(n)) => Value::Known(n),
            (Some(Reduce::And), Some(n)) => Value::Known(u64::from(n == voters)),
            (Some(Reduce::Or), Some(n)) => Value::Known(u64::from(n > 0)),
        };
        for thread in &threads {
            let state = &mut self.threads[*thread];
            state.stack.push(result.clone());
            state.status = Status::Running;
        }
        self.go(threads);
    }

    fn exchange(&mut self, key: &(u64, u64, u32, Site)) {
        let threads = self.lanes.remove(key).unwrap_or_default();
        let offer = |t: &usize| match &self.threads[*t].status {
            Status::Waiting(Wait::Lanes { first, exchange, offer, .. }, _) => {
                Some((*t, *exchange, *first, offer.clone()))
            }
            _ => None,
        };
        let mut offers: Vec<(usize, Trade, u32, Offer)> =
            threads.iter().filter_map(offer).collect();
        offers.sort_by_key(|(_, _, _, offer)| offer.lane);
        if offers.iter().any(|(_, trade, _, _)| *trade == Trade::Barrier) {
            let (block, warp, ..) = *key;
            let lanes = offers.iter().fold(0, |lanes, (_, _, _, offer)| lanes | 1 << offer.lane);
            self.world.log.push(Touch::Lanes { block, warp, lanes });
        }
        let all: Vec<Offer> = offers.iter().map(|(_, _, _, offer)| offer.clone()).collect();
        for (thread, trade, first, own) in offers {
            let state = &mut self.threads[thread];
            state.stack.push(trade.result(&own, &all, first));
            state.status = Status::Running;
        }
        self.go(threads);
    }

    /// Why nobody goes on, if somebody waits.
    fn stuck(&self) -> Option<Stop> {
        let lost = self.threads.iter().find_map(|state| match &state.status {
            Status::Waiting(Wait::Lanes { .. }, (at, _)) => Some((state.thread, *at)),
            _ => None,
        });
        if let Some((thread, at)) = lost {
            let construct =
                "a barrier or an exchange that some of its lanes do not reach".to_owned();
            return Some(Stop::Unsupported { construct, thread, at });
        }
        let group = self.waiting.keys().min_by_key(|g| (g.scope, g.block, g.first))?;
        let number = *self.waiting.get(group)?.iter().min()?;
        let state = &self.threads[number];
        let Status::Waiting(_, site) = &state.status else { return None };
        let first = (state.thread, site.0);
        let others = self.threads.iter().filter(|other| group.holds(other.thread));
        let mut elsewhere = others.filter(
            |other| !matches!(&other.status, Status::Waiting(Wait::Barrier(g, _), there) if g == group && there == site),
        );
        let halted = elsewhere.clone().find_map(|other| match other.status {
            Status::Ended(End::Halted(halt, at)) => Some((other.thread, halt, at)),
            _ => None,
        });
        if let Some((thread, halt, at)) = halted {
            return Some(Stop::Halted { thread, halt, at });
        }
        let other = elsewhere.next()?;
        let second = match &other.status {
            Status::Waiting(_, (at, _)) => (other.thread, Some(*at)),
            _ => (other.thread, None),
        };
        Some(Stop::Divergence { scope: group.scope, first, second })
    }
}

/// Numbers for schedules (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}
