//! How far a campaign is.

use crate::{Merge, Plan, Shard};
use babycuda_core::json::{Format, JsonError, from_json, to_json};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

/// The batches that are done, and what they found: a document, `schemas/campaign.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "State"))]
#[serde(deny_unknown_fields)]
pub struct State<F> {
    /// The number of the first case.
    first: u64,
    /// The seed of the cases.
    seed: u64,
    /// What else the cases depend on.
    setting: [u64; 3],
    /// How many cases there are.
    cases: u64,
    /// Cases of a batch.
    batch: u64,
    /// The part of the batches that is tried here.
    shard: Shard,
    /// All batches of the shard below this one are done.
    done: u64,
    /// Of the others, those that are done.
    beyond: BTreeSet<u64>,
    /// How long it took so far, all its pieces together.
    pub time: Duration,
    /// What they found.
    pub found: F,
}

impl<F: Serialize + DeserializeOwned> Format for State<F> {
    const NAME: &'static str = "babycuda/campaign";
}

/// Why a campaign does not go on from a document.
#[derive(Debug, thiserror::Error)]
pub enum NoState {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// It is no state of a campaign.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// It is of another one: what differs.
    #[error("another campaign, by {0}")]
    Other(String),
    /// A number of it is that of no campaign: where it stands.
    #[error("/content/{0}: no campaign has this, with its other numbers")]
    Impossible(&'static str),
    /// It has another number of cases, and is not a part of this one.
    #[error(
        "a campaign of {0} is here: it goes on with more only where {0} is a multiple of {1}; another folder begins anew"
    )]
    Cases(u64, u64),
    /// It has more cases already.
    #[error(
        "a campaign of {0} is here, which never goes on with fewer; another folder begins anew"
    )]
    Fewer(u64),
}

impl<F: Default> State<F> {
    /// Nothing is done yet.
    pub fn new(plan: &Plan) -> State<F> {
        let Plan { first, seed, setting, cases, batch, shard, .. } = *plan;
        let (done, beyond, time, found) = Default::default();
        State { first, seed, setting, cases, batch, shard, done, beyond, time, found }
    }
}

impl<F: Merge> State<F> {
    /// Is a batch done now?
    pub(crate) fn what_is_done(&self) -> impl Fn(u64) -> bool + Send + use<F> {
        let (done, beyond) = (self.done, self.beyond.clone());
        move |batch| batch < done || beyond.contains(&batch)
    }

    pub(crate) fn finish(&mut self, batch: u64, found: F) {
        self.found.merge(found);
        self.beyond.insert(batch);
        while self.beyond.remove(&self.done)
            || !(self.beyond.is_empty() || self.shard.takes(self.done))
        {
            self.done += 1;
        }
    }
}

impl<F: Default + Serialize + DeserializeOwned> State<F> {
    /// The state that a file holds; a new one, where there is no file. The plan may have more cases
    /// than the campaign had before.
    ///
    /// # Errors
    /// [`NoState`]
    pub fn load(path: &Path, plan: &Plan) -> Result<State<F>, NoState> {
        let new = State::new(plan);
        let state: State<F> = match fs::read_to_string(path) {
            Ok(text) => State::read(&text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(new),
            Err(error) => return Err(error.into()),
        };
        if let Some(what) = state.differs(&new, plan.names) {
            return Err(NoState::Other(what));
        }
        let whole = state.cases.is_multiple_of(state.batch.max(1));
        if state.cases > new.cases {
            Err(NoState::Fewer(state.cases))
        } else if state.cases == new.cases || whole {
            Ok(State { cases: new.cases, ..state })
        } else {
            Err(NoState::Cases(state.cases, state.batch))
        }
    }

    /// The state that a document has.
    ///
    /// # Errors
    /// [`NoState`]: it is none, or no campaign is so far.
    pub fn read(text: &str) -> Result<State<F>, NoState> {
        let state: State<F> = from_json(text)?;
        match state.impossible() {
            None => Ok(state),
            Some(place) => Err(NoState::Impossible(place)),
        }
    }

    /// What no campaign that is so far has.
    fn impossible(&self) -> Option<&'static str> {
        let batches = self.cases.div_ceil(self.batch.max(1));
        // A year is longer than any.
        let short = self.time < Duration::from_secs(366 * 86_400);
        let done = batches.saturating_add(self.shard.of);
        let own = |batch: &u64| (self.done..batches).contains(batch) && self.shard.takes(*batch);
        [
            ("shard", self.shard.index < self.shard.of),
            ("batch", self.batch > 0),
            ("time", short),
            ("done", self.done <= done),
            ("beyond", self.beyond.iter().all(own)),
        ]
        .into_iter()
        .find_map(|(place, holds)| (!holds).then_some(place))
    }

    /// What makes it another campaign; its settings are called by their names.
    fn differs(&self, new: &State<F>, names: [&str; 3]) -> Option<String> {
        let number = |what: &str, old: u64, new: u64| {
            (old != new).then(|| format!("its {what}, which is {old} and not {new}"))
        };
        let shard = || {
            let Shard { index, of } = self.shard;
            let now = (new.shard.index + 1, new.shard.of);
            let differs = self.shard != new.shard;
            differs.then(|| {
                format!("its part, which is {}/{of} and not {}/{}", index + 1, now.0, now.1)
            })
        };
        let mut settings = self.setting.iter().zip(new.setting).zip(names);
        number("seed", self.seed, new.seed)
            .or_else(|| number("first case", self.first, new.first))
            .or_else(|| settings.find(|((old, new), _)| *old != new).map(|(_, name)| name.into()))
            .or_else(shard)
            .or_else(|| number("batch", self.batch, new.batch))
    }

    /// How many cases of its part are done.
    pub fn tried(&self) -> u64 {
        let batches = self.cases.div_ceil(self.batch.max(1));
        let done = self.shard.before(self.done.min(batches)) + self.beyond.len() as u64;
        let is_done = |last: u64| last < self.done || self.beyond.contains(&last);
        self.cases_of(done, is_done, self.cases)
    }

    /// How many cases so many batches of its part have, of `all`; `has`: is the last batch of all one of them?
    fn cases_of(&self, batches: u64, has: impl Fn(u64) -> bool, all: u64) -> u64 {
        let size = self.batch.max(1);
        let whole = u128::from(batches) * u128::from(size);
        let lacks = match all.div_ceil(size).checked_sub(1) {
            // It may be smaller.
            Some(last) if self.shard.takes(last) && has(last) => size - (all - last * size),
            _ => 0,
        };
        u64::try_from(whole.saturating_sub(lacks.into())).unwrap_or(u64::MAX)
    }

    /// How many cases of its part are not done.
    pub fn open(&self) -> u64 {
        self.open_of(self.cases)
    }

    /// How many cases there are, of all parts.
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// How many of its part are not done where there are so many cases.
    pub fn open_of(&self, all: u64) -> u64 {
        let batches = all.div_ceil(self.batch.max(1)).max(self.done);
        let here = self.beyond.range(self.done..batches);
        let own = self.shard.before(batches) - self.shard.before(self.done);
        let is_open = |last: u64| last >= self.done && !self.beyond.contains(&last);
        self.cases_of(own.saturating_sub(here.count() as u64), is_open, all)
    }

    /// Of how many parts of a campaign it is one.
    pub fn parts(&self) -> u64 {
        self.shard.of
    }

    /// Is it of another part of the same campaign, which has no case of this one?
    pub fn is_beside(&self, other: &State<F>) -> bool {
        let whole = |s: &State<F>| (s.first, s.seed, s.setting, s.batch, s.shard.of);
        whole(self) == whole(other) && self.shard != other.shard
    }

    /// Writes the state to a file, whole or not at all.
    ///
    /// # Errors
    /// [`NoState`]
    pub fn save(&self, path: &Path) -> Result<(), NoState> {
        let unfinished = path.with_extension(format!("{}.new", std::process::id()));
        fs::write(&unfinished, to_json(self)? + "\n")?;
        Ok(fs::rename(unfinished, path)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counts;
    use std::ops::ControlFlow;

    #[test]
    fn a_campaign_goes_on_from_its_file() {
        let path = std::env::temp_dir().join(format!("campaign-{}.json", std::process::id()));
        let _ = fs::remove_file(&path);
        let shard = Shard { index: 1, of: 3 };
        let plan = Plan { batch: 5, workers: 2, shard, ..Plan::of(100) };
        let run = |plan: &Plan, last: u64| {
            let state: State<Counts<u64>> = State::load(&path, plan).expect("a state");
            let before = state.found.total();
            let end = plan.run(
                state,
                || (),
                |(), numbers| match numbers.end > last {
                    true => ControlFlow::Break(Counts::default()),
                    false => ControlFlow::Continue(numbers.collect()),
                },
                |state| state.save(&path).expect("a file"),
            );
            (before, end.found)
        };
        run(&plan, 60);
        let open = || State::<Counts<u64>>::load(&path, &plan).map_or(0, |state| state.open());
        assert!(open() > 0 && open() < 35);
        let (before, found) = run(&plan, 100);
        assert_eq!(open(), 0);
        let own: Counts<u64> = (0..100).filter(|n| n / 5 % 3 == 1).collect();
        assert!(before > 0 && before < own.total(), "{before}");
        assert_eq!(found, own);
        // All is done, so nothing is done again; more cases are.
        assert_eq!(run(&plan, 0).1, own);
        assert!(run(&Plan { cases: 200, ..plan }, 200).1.total() > own.total());
        let other = Plan { seed: 1, ..plan };
        assert!(matches!(State::<Counts<u64>>::load(&path, &other), Err(NoState::Other(_))));
        let more = Plan { cases: 200, ..plan };
        let file: State<Counts<u64>> = State::load(&path, &more).expect("a state");
        let beside = |plan: Plan| {
            let own: State<Counts<u64>> =
                State::new(&Plan { shard: Shard { index: 2, of: 3 }, ..plan });
            file.is_beside(&own)
        };
        let all =
            [beside(plan), beside(Plan { seed: 1, ..plan }), beside(Plan { first: 1, ..plan })];
        assert_eq!(all, [true, false, false]);
        assert!(!beside(Plan { setting: [0, 1, 0], ..plan }) && !beside(Plan { batch: 6, ..plan }));
        let other = Plan { setting: [0, 1, 0], ..plan };
        assert!(matches!(State::<Counts<u64>>::load(&path, &other), Err(NoState::Other(_))));
        // Fewer cases are no part of it. After a part of a batch there are no more.
        assert!(matches!(State::<Counts<u64>>::load(&path, &plan), Err(NoState::Fewer(200))));
        run(&Plan { cases: 201, ..plan }, 201);
        let more = Plan { cases: 205, ..plan };
        assert!(matches!(State::<Counts<u64>>::load(&path, &more), Err(NoState::Cases(201, 5))));
        fs::write(&path, "{}").expect("a file");
        assert!(matches!(State::<Counts<u64>>::load(&path, &plan), Err(NoState::Json(_))));
        fs::remove_file(&path).expect("the file");
    }

    /// As many cases are open as there are in the batches that are not done, one by one.
    #[test]
    fn what_is_open_is_counted_without_a_look_at_each_batch() {
        for (cases, batch, of) in [(1, 1, 1), (40, 7, 1), (41, 5, 3), (64, 8, 4), (9, 2, 7)] {
            for index in 0..of {
                let plan = Plan { batch, shard: Shard { index, of }, ..Plan::of(cases) };
                let mut state: State<Counts<u64>> = State::new(&plan);
                let mut own: Vec<u64> = (0..cases.div_ceil(batch)).collect();
                own.retain(|batch| plan.shard.takes(*batch));
                // The last ones first, so that some are done beyond those that are not.
                while let Some(next) = own.pop() {
                    for all in [cases, cases + batch, 3 * cases + 1] {
                        let is_done = state.what_is_done();
                        let open = (0..all.div_ceil(batch))
                            .filter(|b| plan.shard.takes(*b) && !is_done(*b))
                            .map(|b| batch.min(all - b * batch));
                        assert_eq!(state.open_of(all), open.sum::<u64>(), "{plan:?} {all}");
                    }
                    let part = (0..cases).filter(|case| plan.shard.takes(case / batch));
                    assert_eq!(state.tried() + state.open(), part.count() as u64, "{plan:?}");
                    state.finish(next, Counts::default());
                    let few = own.len() > 2;
                    own.rotate_left(usize::from(few));
                }
            }
        }
        let huge = Plan { batch: 16, ..Plan::of(u64::MAX) };
        assert_eq!(State::<Counts<u64>>::new(&huge).open(), u64::MAX);
    }
}
