//! The fewest cells of a table to change so that it is right on all traces.

use babycuda_core::shadow::{INIT, Label, Machine, State};

/// A cell of a table, and what should stand there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The state.
    pub state: State,
    /// The access.
    pub label: Label,
    /// The next state, as it should be.
    pub next: State,
}

/// A smallest set of changes after which every state of `machine` is right, also one that nothing leads to any
/// more: from it on, `machine` says what `exact` says from some state on, and from the start on what `exact`
/// says. `exact` is minimal. `None`: there are too few states for that.
///
/// A machine that says what a minimal one says has for each of its states one of that machine which it
/// stands for, and every state stands for one of its own. So the search is for such a meaning of the states, of least
/// cost: the number of cells whose next state does not mean what it should.
pub fn repair(machine: &Machine, exact: &Machine) -> Option<Vec<Change>> {
    let mut search = Search::new(machine, exact);
    search.choose(0, 0);
    let (_, meaning) = search.best?;
    let mut changes = Vec::new();
    for state in (0..).take(meaning.len()).filter(|state| *state != machine.race()) {
        for label in machine.chain().labels() {
            let wanted = exact.next(meaning[usize::from(state)], label);
            let next = machine.next(state, label);
            if meaning[usize::from(next)] != wanted {
                let place = meaning.iter().position(|means| *means == wanted)?;
                changes.push(Change { state, label, next: place as State });
            }
        }
    }
    Some(changes)
}

struct Search<'a> {
    machine: &'a Machine,
    exact: &'a Machine,
    /// What each state may stand for, with the cells that are wrong then whatever the others mean,
    /// fewest first.
    choices: Vec<Vec<(usize, State)>>,
    /// What the first states stand for.
    meaning: Vec<State>,
    /// The least cost of the states from each on.
    rest: Vec<usize>,
    best: Option<(usize, Vec<State>)>,
}

impl<'a> Search<'a> {
    fn new(machine: &'a Machine, exact: &'a Machine) -> Search<'a> {
        // The start and the race are what they are, and nothing else is.
        let fits = |state, means| {
            let pairs = [(INIT, INIT), (machine.race(), exact.race())];
            pairs.into_iter().all(|(one, other)| (state == one) == (means == other))
        };
        let choices = (0..machine.names().len() as State).map(|state| {
            let all = (0..exact.names().len() as State).filter(|means| fits(state, *means));
            let mut all: Vec<(usize, State)> =
                all.map(|means| (alone(machine, exact, state, means), means)).collect();
            all.sort_unstable();
            all
        });
        let choices: Vec<Vec<(usize, State)>> = choices.collect();
        let least = choices.iter().map(|all| all.first().map_or(0, |(cost, _)| *cost));
        let mut rest: Vec<usize> = least
            .rev()
            .scan(0, |sum, cost| {
                *sum += cost;
                Some(*sum)
            })
            .collect();
        rest.reverse();
        rest.push(0);
        Search { machine, exact, choices, meaning: Vec::new(), rest, best: None }
    }

    /// Tries what the state with this number may stand for, `cost` being that of the states before.
    fn choose(&mut self, state: usize, cost: usize) {
        let all = 0..self.exact.names().len() as State;
        let missing = all.filter(|means| !self.meaning.contains(means)).count();
        // Each of them needs a state.
        if missing > self.choices.len() - state {
            return;
        }
        if self.best.as_ref().is_some_and(|(best, _)| cost + self.rest[state] >= *best) {
            return;
        }
        let Some(choices) = self.choices.get(state) else {
            self.best = Some((cost, self.meaning.clone()));
            return;
        };
        for (_, means) in choices.clone() {
            self.meaning.push(means);
            let more = self.settled(state as State);
            self.choose(state + 1, cost + more);
            self.meaning.pop();
        }
    }

    /// The wrong cells that this state settles, the last one that stands for something: those of it that
    /// lead to a settled state, and those of the settled ones that lead to it.
    fn settled(&self, state: State) -> usize {
        let wrong = |from: State, label| {
            let next = self.meaning.get(usize::from(self.machine.next(from, label)));
            let wanted = self.exact.next(self.meaning[usize::from(from)], label);
            next.is_some_and(|next| *next != wanted)
        };
        let labels = |from| self.machine.chain().labels().filter(move |label| wrong(from, *label));
        let to = |from: State| labels(from).filter(move |l| self.machine.next(from, *l) == state);
        let own = labels(state).count();
        own + (0..state).map(|before| to(before).count()).sum::<usize>()
    }
}

/// The cells of a state that are wrong if it stands for this one, whatever other states mean: one of both leads
/// to the race or back to the start, and the other does not.
fn alone(machine: &Machine, exact: &Machine, state: State, means: State) -> usize {
    if state == machine.race() {
        return 0;
    }
    let wrong = |label: &Label| {
        let (next, wanted) = (machine.next(state, *label), exact.next(means, *label));
        (next == machine.race()) != (wanted == exact.race())
            || (next == INIT) != (wanted == INIT)
            || (next == state && wanted != means)
    };
    machine.chain().labels().filter(wrong).count()
}
