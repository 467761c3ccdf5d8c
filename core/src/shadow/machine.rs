//! A table of states and labels.

use super::label::{Chain, Label};

/// A state, by its place in its machine.
pub type State = u16;

/// Where every machine starts: nobody accessed the cell.
pub const INIT: State = 0;

/// A deterministic machine over the labels of a chain. One of its states is the race; it has a next
/// state for every state and label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    chain: Chain,
    names: Vec<String>,
    race: State,
    /// By state, then by the place of the label.
    next: Vec<State>,
}

impl Machine {
    /// The machine with these states; the first one is [`INIT`]. `None`: more than 2^16 states, no
    /// such race, or a state that is none.
    pub fn new(
        chain: Chain,
        names: Vec<String>,
        race: State,
        mut next: impl FnMut(State, Label) -> State,
    ) -> Option<Machine> {
        let states = State::try_from(names.len()).ok().filter(|n| race < *n)?;
        let cells = (0..states).flat_map(|q| chain.labels().map(move |label| (q, label)));
        let next: Vec<State> = cells.map(|(q, label)| next(q, label)).collect();
        let whole = next.iter().all(|q| *q < states);
        whole.then_some(Machine { chain, names, race, next })
    }

    /// The scopes whose labels it reads.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The names of its states.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The state that says that there is a race.
    pub fn race(&self) -> State {
        self.race
    }

    /// The state after an access. Levels beyond the chain's are its highest; a state that is none
    /// leads to the race.
    pub fn next(&self, state: State, label: Label) -> State {
        let place = usize::from(state) * self.chain.count() + self.chain.place(label);
        self.next.get(place).copied().unwrap_or(self.race)
    }
}

impl Machine {
    /// The machine over the labels of HiRace that reaches the race exactly on the traces that have one
    /// (THEORY T9), in `exact.csv`: `babycuda-detectors` derives it.
    pub fn exact() -> Machine {
        let table = Machine::from_csv(include_str!("exact.csv"), Chain::published());
        // The text is fixed when this crate is built, and reading it depends on nothing else; a test below reads it.
        table.expect("a table")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_a_machine() {
        let machine = Machine::exact();
        assert_eq!((machine.names().len(), machine.chain().count()), (21, 48));
        assert_eq!(machine.names()[usize::from(INIT)], "INIT");
        assert_eq!(machine.names()[usize::from(machine.race())], "RACE");
    }
}
