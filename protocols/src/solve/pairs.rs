//! Which accesses of a phase race: group against group, then pair by pair.

use super::alike::Alike;
use super::bounds::Bounds;
use super::confirm::Scene;
use super::driver::Driver;
use super::path::Path;
use super::period::Period;
use super::world::{Threads, World};
use super::{Cause, Subject};
use crate::enumerate::Refusal;
use crate::map::MapError;
use babycuda_core::deep::grow;
use babycuda_core::evidence::{Confirmation, PairKey, Witness};
use babycuda_core::{AccessMode, Name};
use babycuda_smt::{Answer, Model};
use std::collections::BTreeMap;
use std::ops::Range;

/// Fewer pairs than this are asked about one by one.
const WORTH_A_GROUP: usize = 3;

/// So many questions about groups may be answered in vain for each access, beside one for each that
/// was not: then there are about as many questions as accesses.
const CHANCES: usize = 4;

/// As many chances are gone when no solver answers.
const UNANSWERED: usize = 8;

/// Some accesses of one array in one mode: the list that they are in, and their places there.
type Group = (usize, Range<usize>);

/// A search among the accesses of a phase.
struct Search<'a> {
    threads: Threads,
    periods: &'a [Period],
    /// The accesses of each array and mode.
    lists: Vec<Alike<'a>>,
    chances: usize,
    /// The places of the accesses of each race that was found, and of each pair that is undecided.
    races: Vec<[usize; 2]>,
    undecided: Vec<[usize; 2]>,
}

impl Driver<'_> {
    /// Asks about all pairs of these accesses.
    pub(super) fn pairs(&mut self, paths: &[Path], threads: Threads, periods: &[Period]) {
        let mut modes: BTreeMap<(&Name, AccessMode), Vec<usize>> = BTreeMap::new();
        for (place, path) in paths.iter().enumerate() {
            modes.entry((&path.array, path.mode)).or_default().push(place);
        }
        let alike = |places: &Vec<usize>| {
            Alike::of(places.iter().filter_map(|place| Some((*place, paths.get(*place)?))))
        };
        let lists: Vec<Alike<'_>> = modes.values().map(alike).collect();
        let groups: Vec<Group> = lists.iter().map(Alike::all).enumerate().collect();
        let (chances, races, undecided) = Default::default();
        let mut search = Search { threads, periods, lists, chances, races, undecided };
        let before = (self.result.races.len(), self.result.undecided.len());
        let asked: Vec<&(&Name, AccessMode)> = modes.keys().collect();
        for (i, (array, mode)) in asked.iter().enumerate() {
            for (j, (_, other)) in
                asked.iter().enumerate().skip(i).take_while(|(_, a)| a.0 == *array)
            {
                let (Some(first), Some(second)) = (groups.get(i), groups.get(j)) else { continue };
                if mode.conflicts(*other, threads.of_one_block()) {
                    self.result.statistics.pairs += pairs_of(first, second);
                    search.chances = CHANCES * (first.1.len() + second.1.len());
                    self.meet(first, second, &mut search);
                }
            }
        }
        // In the order of the program.
        in_order(&mut self.result.races, before.0, &search.races);
        in_order(&mut self.result.undecided, before.1, &search.undecided);
    }

    /// Asks about all pairs of these groups, which are one or have no access in common.
    fn meet(&mut self, first: &Group, second: &Group, search: &mut Search<'_>) {
        let count = pairs_of(first, second);
        if count == 0 || self.is_over() {
            return;
        }
        if first.1.len() == 1 && second.1.len() == 1 {
            return self.both([first, second], search);
        }
        if count >= WORTH_A_GROUP {
            if self.have_raced([first, second], search) {
                return;
            }
            if search.chances > 0 && self.never_meet([first, second], search) {
                return;
            }
        }
        let halves = |group: &Group, search: &Search<'_>| -> Vec<Group> {
            match search.lists.get(group.0) {
                Some(list) if group.1.len() > 1 => {
                    list.halves(group.1.clone()).map(|half| (group.0, half)).into()
                }
                _ => vec![group.clone()],
            }
        };
        let [ours, theirs] = [first, second].map(|group| halves(group, search));
        for (i, part) in ours.iter().enumerate() {
            let rest = if first == second { i } else { 0 };
            for other in theirs.iter().skip(rest) {
                grow(|| self.meet(part, other, search));
            }
        }
    }

    /// Is each of these pairs one of two statements of which a race is known?
    fn have_raced(&self, groups: [&Group; 2], search: &Search<'_>) -> bool {
        let of = |group: &Group| search.lists.get(group.0)?.statement(group.1.clone());
        let [Some((array, first)), Some((_, second))] = groups.map(of) else { return false };
        let same_block = search.threads.of_one_block();
        self.raced.contains(&PairKey::new(array.clone(), [first, second], same_block))
    }

    /// Is there no launch in which an access of one group and one of the other are of one cell?
    fn never_meet(&mut self, groups: [&Group; 2], search: &mut Search<'_>) -> bool {
        let mut way = |group: &Group| search.lists.get_mut(group.0)?.way(group.1.clone());
        let [Some(first), Some(second)] = groups.map(&mut way) else { return false };
        let count = pairs_of(groups[0], groups[1]);
        let trivial = &mut self.result.statistics.trivial;
        let before = *trivial;
        let answer =
            self.ask_of_groups(search.threads, &|world| world.meet([&first, &second], None));
        let trivial = &mut self.result.statistics.trivial;
        let (apart, cost) = match answer {
            Ok(Answer::Unsat) => (true, 0),
            Ok(Answer::Sat(_)) => (false, 1),
            Ok(Answer::Unknown(_)) | Err(_) => (false, UNANSWERED),
        };
        if *trivial > before {
            *trivial += count - 1;
        }
        search.chances = search.chances.saturating_sub(cost) + usize::from(apart);
        apart
    }

    /// Asks about two accesses.
    fn both(&mut self, groups: [&Group; 2], search: &mut Search<'_>) {
        let access = |group: &Group| search.lists.get(group.0)?.access(group.1.start);
        let [Some(first), Some(second)] = groups.map(access) else { return };
        let [(i, first), (j, second)] =
            if first.0 <= second.0 { [first, second] } else { [second, first] };
        let before = (self.result.races.len(), self.result.undecided.len());
        self.pair(first, second, search.threads, search.periods);
        search.races.resize(search.races.len() + self.result.races.len() - before.0, [i, j]);
        search
            .undecided
            .resize(search.undecided.len() + self.result.undecided.len() - before.1, [i, j]);
    }

    fn pair(&mut self, first: &Path, second: &Path, threads: Threads, periods: &[Period]) {
        let same_block = threads.of_one_block();
        let statements = [first, second].map(|path| (path.site, path.mode));
        let key = PairKey::new(first.array.clone(), statements, same_block);
        if self.raced.contains(&key) {
            return;
        }
        let subject = Subject::Race {
            array: first.array.clone(),
            first: key.first.0,
            second: key.second.0,
            same_block,
        };
        let (mut cause, updates) = (None, self.updates.clone());
        self.bare = None;
        let open = self.declarations.params.iter().filter(|p| p.value.is_none()).count();
        let searched = self.searched(threads).into_iter().chain(Bounds::guesses(open));
        for bounds in searched {
            // What is undecided may have an odd witness.
            if bounds.guess.is_some() && (cause.is_none() || self.guesses == 0 || self.is_late()) {
                break;
            }
            self.guesses -= u32::from(bounds.guess.is_some());
            let meet = |world: &mut World| world.meet([first, second], Some((&updates, periods)));
            match self.ask(threads, bounds, &meet) {
                // Less was said.
                Ok(Answer::Sat(_)) if bounds == Bounds::PLACES => {}
                Ok(Answer::Sat(model)) => match self.witness(model, [first, second]) {
                    Ok(witness) => {
                        self.guesses += u32::from(bounds.guess.is_some());
                        self.raced.insert(key);
                        let sides = [&witness.first, &witness.second];
                        self.racy |= witness.confirmation != Confirmation::Alone
                            && sides.iter().all(|side| side.data.is_empty());
                        self.result.races.push(witness);
                        return;
                    }
                    Err(why) => cause = Some(why),
                },
                Ok(Answer::Unsat) if bounds == Bounds::PLACES => return,
                // Among all launches: that settles it.
                Ok(Answer::Unsat) if bounds == Bounds::ALL => return,
                Ok(Answer::Unknown(why)) if bounds == Bounds::ALL => {
                    cause.get_or_insert(why.into());
                }
                Err(why) if bounds == Bounds::ALL => {
                    cause.get_or_insert(why);
                }
                Ok(_) | Err(_) => {}
            }
            if self.aligned && cause.is_some() && bounds == Bounds::SMALL {
                break;
            }
        }
        if let Some(cause) = cause {
            let alarm = self.bare.take().and_then(|model| self.alarm(model, [first, second]));
            self.result.alarms.extend(alarm);
            self.undecided(subject, cause);
        }
    }

    /// Is the time over?
    fn is_late(&self) -> bool {
        self.options.budget.check().is_err()
    }

    /// The alarm that a model raises, in contents of which nobody knows that they are as assumed.
    fn alarm(&self, model: Model, paths: [&Path; 2]) -> Option<Witness> {
        let scene = Scene::of(model, self.declarations, &self.stable, &self.contents);
        let (witness, _) = scene.alarm(self.declarations, paths).ok()?;
        Some(Witness { confirmation: Confirmation::Alone, ..witness })
    }

    /// Where witnesses are looked for, one after the other.
    fn searched(&mut self, threads: Threads) -> Vec<Bounds> {
        let mut searched = Vec::new();
        if threads == Threads::DifferentBlocks
            && self.world(threads, Bounds::PLACES).is_ok_and(|world| world.has_places())
        {
            searched.push(Bounds::PLACES);
        }
        if self.options.small_first || !self.aligned && threads.of_one_block() {
            // The smallest witnesses; and in a block of two there is no third thread that diverges
            // before.
            searched.push(Bounds::PAIR);
        }
        if self.options.small_first {
            searched.push(Bounds::SMALL);
        }
        searched.push(Bounds::ALL);
        searched
    }

    /// The witness that a model is, checked against the protocol.
    fn witness(&self, model: Model, paths: [&Path; 2]) -> Result<Witness, Cause> {
        let scene = Scene::of(model, self.declarations, &self.stable, &self.contents);
        let found = scene.race(self.protocol, self.declarations, paths, self.options.steps);
        if self.aligned {
            return found.map_err(|why| self.defect(why));
        }
        let witness = found.map_err(|_| Cause::Diverging)?;
        let data = [witness.first.data.clone(), witness.second.data.clone()];
        let hosted = scene.hosted(self.protocol, self.declarations, &data);
        let [configuration, _] = hosted.map_err(|_| Cause::Diverging)?.configurations;
        match self.enumerated(&configuration) {
            Ok(mut found) => {
                let mut pair = found.races.remove(&witness.pair()).ok_or(Cause::Diverging)?;
                // Whichever threads race: the contents are these.
                let sides = [&mut pair.witness.first, &mut pair.witness.second];
                sides.into_iter().zip(data).for_each(|(side, data)| side.data = data);
                Ok(pair.witness)
            }
            // Data decides: whether such a run exists is for the semantics of the program to say.
            Err(Refusal::Map(MapError::Any { .. })) => {
                Ok(Witness { confirmation: Confirmation::Alone, ..witness })
            }
            Err(_) => Err(Cause::Diverging),
        }
    }
}

/// How many pairs two groups are, which are one or have no access in common.
fn pairs_of(first: &Group, second: &Group) -> usize {
    let (n, m) = (first.1.len(), second.1.len());
    if first == second { n * (n + 1) / 2 } else { n * m }
}

/// Sorts what follows so many items by these places.
fn in_order<T>(items: &mut Vec<T>, before: usize, places: &[[usize; 2]]) {
    let found = items.split_off(before.min(items.len()));
    let mut places = places.iter().copied();
    // What is of no pair comes last.
    let mut placed: Vec<_> =
        found.into_iter().map(|item| (places.next().unwrap_or([usize::MAX; 2]), item)).collect();
    placed.sort_by_key(|(place, _)| *place);
    items.extend(placed.into_iter().map(|(_, item)| item));
}
