//! Barriers of some lanes of a warp: what bounded histories find, and what they miss.

use super::*;
use babycuda_core::trace::{self, Trace};
use babycuda_core::{Cell, Dim3, Launch, Thread};
use babycuda_detectors::happens_before;
use babycuda_detectors::hirace::{
    Accessor, Bounds, LaneShadow, Replay, Shadow, Sighting, Stop, replay, replay_within,
};
use proptest::prelude::*;
use std::cell::Cell as Tally;

/// Lanes of a warp, warps of a block, blocks.
const LANES: u64 = 4;
const WARPS: u64 = 2;
const BLOCKS: u64 = 2;
const THREADS: u64 = LANES * WARPS * BLOCKS;

/// Much room.
const ALL: Bounds = Bounds { barriers: 1 << 10, accesses: 1 << 10 };

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Access(u64, AccessMode),
    /// Lanes of the warp with this number.
    Lanes(u64, u64),
    Warp(u64),
    Block(u64),
}
use Step::{Block, Lanes, Warp};

fn does(thread: u64, mode: AccessMode) -> Step {
    Step::Access(thread, mode)
}

/// The threads of a barrier.
fn members(step: Step) -> Vec<u64> {
    match step {
        Step::Access(..) => Vec::new(),
        Lanes(warp, mask) => {
            (0..LANES).filter(|l| mask >> l & 1 == 1).map(|l| warp * LANES + l).collect()
        }
        Warp(warp) => (warp * LANES..(warp + 1) * LANES).collect(),
        Block(block) => (block * LANES * WARPS..(block + 1) * LANES * WARPS).collect(),
    }
}

/// Does the last step race with one before? An access is before another if barriers lead from its thread to the
/// other's, each by a thread that the one before it has led to.
fn races(steps: &[Step]) -> bool {
    let Some((Step::Access(t, mode), before)) = steps.split_last() else { return false };
    before.iter().enumerate().any(|(place, earlier)| {
        let Step::Access(u, other) = earlier else { return false };
        let mut reached = vec![*u];
        for step in &before[place..] {
            let members = members(*step);
            if members.iter().any(|t| reached.contains(t)) {
                reached.extend(members);
            }
        }
        let same_block = t / (LANES * WARPS) == u / (LANES * WARPS);
        mode.conflicts(*other, same_block) && !reached.contains(t)
    })
}

struct Watch {
    shadow: LaneShadow,
    warps: [u64; (WARPS * BLOCKS) as usize],
    blocks: [u64; BLOCKS as usize],
}

impl Watch {
    fn new(bounds: Bounds) -> Watch {
        let shadow = Shadow::new(Machine::exact(), 1, THREADS, &[12, 16]).expect("a layout");
        let shadow = LaneShadow::new(shadow, bounds).expect("warps");
        Watch { shadow, warps: Default::default(), blocks: Default::default() }
    }

    fn thread(&self, id: u64) -> Accessor {
        let (warp, block) = (id / LANES, id / (LANES * WARPS));
        let span = |number: u64, size: u64| number * size..(number + 1) * size;
        let groups = [
            (span(warp, LANES), self.warps[warp as usize]),
            (span(block, LANES * WARPS), self.blocks[block as usize]),
        ];
        self.shadow.shadow().thread(id, &groups).expect("few threads")
    }

    fn step(&mut self, step: Step) -> Option<Sighting> {
        match step {
            Step::Access(thread, mode) => {
                let thread = self.thread(thread);
                return self.shadow.access(0, &thread, mode);
            }
            Lanes(warp, mask) => {
                let thread = self.thread(warp * LANES);
                assert!(self.shadow.pass(&thread, mask), "four lanes");
            }
            Warp(warp) => self.warps[warp as usize] += 1,
            Block(block) => self.blocks[block as usize] += 1,
        }
        None
    }

    /// The race that there is, with the number of accesses that were forgotten.
    fn all(bounds: Bounds, steps: &[Step]) -> (Option<Sighting>, u64) {
        let mut watch = Watch::new(bounds);
        let mut found = None;
        for step in steps {
            let race = watch.step(*step);
            assert!(found.is_none() || race.is_none(), "a race is said once");
            found = found.or(race);
        }
        (found, watch.shadow.forgotten())
    }
}

fn finds(bounds: Bounds, steps: &[Step]) -> bool {
    Watch::all(bounds, steps).0.is_some()
}

/// What the docs say is remembered.
#[test]
fn so_much_is_remembered() {
    assert_eq!(Bounds::default(), Bounds { barriers: 16, accesses: 4 });
}

/// Masks that overlap order by way of a lane of both, in their order alone.
#[test]
fn masks_need_not_nest() {
    let chain = [does(0, W), Lanes(0, 0b0011), Lanes(0, 0b0110), does(2, R)];
    assert!(!finds(ALL, &chain));
    let back = [does(0, W), Lanes(0, 0b0110), Lanes(0, 0b0011), does(2, R)];
    assert_eq!(Watch::all(ALL, &back).0, Some(Sighting { thread: 2, last: 0 }));
    assert!(finds(ALL, &[Lanes(0, 0b1111), does(0, W), does(2, R)]), "a barrier before both");
    assert!(finds(ALL, &[does(0, W), Lanes(1, 0b0111), does(2, R)]), "another warp's");
    assert!(!finds(ALL, &[does(0, W), Warp(0), does(2, R)]));
    assert!(!finds(ALL, &[does(0, W), Block(0), does(2, R)]));
}

/// A cell has one race, and what comes after it is not watched.
#[test]
fn a_race_is_said_once() {
    let again = [does(0, W), does(1, W), does(2, W), does(5, W), does(9, W)];
    assert_eq!(Watch::all(ALL, &again).0, Some(Sighting { thread: 1, last: 0 }));
    let apart = [does(0, W), does(5, W), does(6, W), does(9, W)];
    assert_eq!(Watch::all(ALL, &apart).0, Some(Sighting { thread: 5, last: 0 }));
}

/// What no barrier of lanes orders is as it was: other warps and blocks, a read that is not the last one.
#[test]
fn other_warps_are_watched_by_the_machine() {
    for reader in [4, 8] {
        let steps = [does(1, W), Lanes(0, 0b1111), Lanes(1, 0b1111), does(reader, R)];
        assert_eq!(Watch::all(ALL, &steps).0, Some(Sighting { thread: reader, last: 1 }));
    }
    assert!(!finds(ALL, &[does(0, W), Lanes(0, 3), does(1, W), Block(0), does(6, W)]));
    // Listing 5: the read that is lost where there is one record of a reader.
    let listing = [does(1, R), Lanes(0, 0b0101), does(0, R), does(2, R), does(0, W)];
    assert_eq!(Watch::all(ALL, &listing).0.map(|race| race.last), Some(1));
    // Between reads of another warp no race within the own one is lost.
    let between = [does(0, R), does(5, R), does(1, W)];
    assert!(finds(ALL, &between));
}

/// What falls out of a history counts as ordered: such races are missed, and the count says so.
#[test]
fn what_is_forgotten_is_missed_and_counted() {
    let masks = [does(0, W), Lanes(0, 0b0110), Lanes(0, 0b1100), does(1, R)];
    let few = |barriers| Bounds { barriers, accesses: 4 };
    assert_eq!(Watch::all(few(1), &masks), (None, 1));
    assert_eq!(Watch::all(few(2), &masks), (Some(Sighting { thread: 1, last: 0 }), 0));
    let reads = [does(0, R), does(1, R), does(2, R), does(1, R), Lanes(0, 0b0110), does(2, W)];
    let few = |accesses| Bounds { barriers: 16, accesses };
    // The second read by thread 1 stands for its first.
    assert_eq!(Watch::all(few(3), &reads), (Some(Sighting { thread: 2, last: 0 }), 0));
    assert_eq!(Watch::all(few(2), &reads), (None, 1));
    // Those of another warp are not needed any more.
    assert_eq!(Watch::all(few(2), &[does(0, R), does(1, R), does(6, R)]), (None, 0));
    // A barrier of all lanes begins anew, and nothing need be remembered of what came before it.
    let anew = [does(0, R), does(1, R), Warp(0), does(2, W), Lanes(0, 0b0110), does(1, W)];
    assert_eq!(Watch::all(Bounds { barriers: 1, accesses: 2 }, &anew), (None, 0));
    assert_eq!(Watch::all(Bounds { barriers: 0, accesses: 0 }, &anew[..2]), (None, 2));
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let thread = prop_oneof![4 => 0..LANES, 1 => 0..THREADS];
    let mode = prop_oneof![3 => Just(R), 1 => Just(W), 1 => Just(BA), 1 => Just(GA)];
    let step = prop_oneof![
        6 => (thread, mode).prop_map(|(thread, mode)| does(thread, mode)),
        5 => (0..2 * WARPS, 1..1u64 << LANES).prop_map(|(warp, mask)| Lanes(warp / 2, mask)),
        1 => (0..WARPS * BLOCKS).prop_map(Warp),
        1 => (0..BLOCKS).prop_map(Block),
    ];
    prop::collection::vec(step, 1..30)
}

/// The steps as the run of a kernel: each barrier of lanes is one of a mask.
fn run(steps: &[Step]) -> Trace {
    let events = steps.iter().map(|step| match *step {
        Step::Access(id, mode) => {
            let thread = Thread { block: id / (LANES * WARPS), index: id % (LANES * WARPS) };
            trace::Event::Access { thread, mode, cell: Cell::new("A", 0u64), site: None }
        }
        Lanes(warp, lanes) => {
            let (block, warp) = (warp / WARPS, warp % WARPS);
            trace::Event::LaneBarrier { block, warp, lanes }
        }
        Warp(warp) => trace::Event::WarpBarrier { block: warp / WARPS, warp: warp % WARPS },
        Block(block) => trace::Event::BlockBarrier { block },
    });
    let launch = Launch::new(Dim3::line(BLOCKS as u32), Dim3::line((LANES * WARPS) as u32));
    let launch = Launch { warp: LANES as u32, ..launch };
    Trace { launch, shared: Default::default(), events: events.collect() }
}

/// Runs with masks, replayed: the first racy access is found, and no other.
#[test]
fn runs_with_masks_are_replayed_to_their_end() {
    let racy = Tally::new(0);
    proptest!(ProptestConfig::with_cases(cases()), |(steps in steps())| {
        let run = run(&steps);
        let found = replay_within(&run, &Machine::exact(), &[12, 16], ALL).expect("a layout");
        let first = (0..steps.len()).find(|end| races(&steps[..=*end]));
        let events: Vec<usize> = found.races.iter().map(|(event, _)| *event).collect();
        prop_assert_eq!(events, Vec::from_iter(first), "{:?}", steps);
        prop_assert_eq!((found.stop, found.forgotten), (None, 0));
        let defined = happens_before::races(&run, 10_000).expect("few accesses");
        prop_assert_eq!(defined.is_empty(), first.is_none(), "{:?}", steps);
        racy.set(racy.get() + u32::from(first.is_some()));
    });
    let all = cases();
    assert!((all / 4..all * 49 / 50).contains(&racy.get()), "{} of {all} race", racy.get());
}

/// With room enough exactly the racy traces race; with little, no other one does, and one that is missed was
/// forgotten.
#[test]
fn random_traces_with_masks() {
    let (racy, missed) = (Tally::new(0), Tally::new(0));
    let little =
        (0..4usize, 0..4usize).prop_map(|(barriers, accesses)| Bounds { barriers, accesses });
    proptest!(ProptestConfig::with_cases(cases()), |(steps in steps(), little in little)| {
        let mut wide = Watch::new(ALL);
        let mut narrow = Watch::new(little);
        for (place, step) in steps.iter().enumerate() {
            let race = races(&steps[..=place]);
            prop_assert_eq!(wide.step(*step).is_some(), race, "{:?}", &steps[..=place]);
            let said = narrow.step(*step).is_some();
            prop_assert!(race || !said, "{:?} {:?}", little, &steps[..=place]);
            if race {
                prop_assert!(said || narrow.shadow.forgotten() > 0, "{:?}", &steps[..=place]);
                racy.set(racy.get() + 1);
                missed.set(missed.get() + u32::from(!said));
                break;
            }
        }
        prop_assert_eq!(wide.shadow.forgotten(), 0);
    });
    let all = cases();
    assert!((all / 4..all * 49 / 50).contains(&racy.get()), "{} of {all} race", racy.get());
    assert!(missed.get() > all / 100, "{} missed", missed.get());
}

/// A run with barriers of tiles, as `__syncwarp(0xf)` makes them.
#[test]
fn runs_with_tiles_are_replayed_to_their_end() {
    let cell = Cell::new("A", 0u64);
    let at = |index, mode| {
        let thread = Thread { block: 0, index };
        trace::Event::Access { thread, mode, cell: cell.clone(), site: None }
    };
    let tile = |size, first| trace::Event::TileBarrier { block: 0, size, first };
    let launch = Launch::new(Dim3::line(1), Dim3::line(64));
    let run = |events: &[trace::Event]| Trace {
        launch,
        shared: Default::default(),
        events: events.to_vec(),
    };
    let replayed = |events: &[trace::Event]| -> Replay {
        replay(&run(events), &Machine::exact(), &[12, 16]).expect("a layout")
    };
    let ordered = replayed(&[at(32, W), tile(4, 32), at(35, R), tile(8, 32), at(39, W)]);
    assert_eq!((ordered.races, ordered.stop, ordered.forgotten), (vec![], None, 0));
    let apart = replayed(&[at(32, W), tile(4, 32), at(36, R)]);
    assert_eq!(apart.races, [(2, Sighting { thread: 36, last: 32 })]);
    let other = replayed(&[at(32, W), tile(4, 36), at(35, R)]);
    assert_eq!(other.races, [(2, Sighting { thread: 35, last: 32 })]);
    let events = [at(0, W), tile(2, 4), tile(2, 6), at(1, W)];
    let few = Bounds { barriers: 1, accesses: 4 };
    let few = replay_within(&run(&events), &Machine::exact(), &[12, 16], few).expect("a layout");
    assert_eq!((few.races, few.stop, few.forgotten), (vec![], None, 1));
    // Masks name 64 lanes at most.
    let wide = Trace { launch: Launch { warp: 65, ..launch }, ..run(&[at(0, W), tile(2, 0)]) };
    let wide = replay(&wide, &Machine::exact(), &[12, 16]).expect("a layout");
    assert!(matches!(wide.stop, None | Some((1, Stop::Scope(_)))), "{:?}", wide.stop);
    // A tile that the launch does not have.
    let none = replayed(&[at(0, W), tile(4, 64)]);
    assert_eq!(none.stop, Some((1, Stop::Launch)));
}
