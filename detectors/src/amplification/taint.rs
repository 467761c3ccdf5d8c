//! Taint with its way: each taint says where it came up, and from which other.

use babycuda_kernel::At;
use std::collections::HashMap;
use std::fmt;

/// A taint, by its number. It comes from one of a smaller number, or from none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Taint(u32);

/// A step on the way of a taint from an input to what it decides.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// Where.
    pub at: At,
    /// What happens there.
    pub flow: Flow,
}

/// How a taint comes up or goes on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Flow {
    /// An input that is data is there, by its name.
    Input(String),
    /// A value that no analysis of one thread tells: what an atomic, a vote, a generator or a clock yields.
    Unknown(String),
    /// A variable or an array takes it on, by its name.
    Into(String),
    /// It decides whether or how often what follows is done.
    Decides,
    /// A function returns it, or how it returns depends on it.
    Returned(String),
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flow::Input(name) => write!(f, "input `{name}`"),
            Flow::Unknown(what) => write!(f, "`{what}`, which is not known,"),
            Flow::Into(name) => write!(f, "into `{name}`"),
            Flow::Decides => f.write_str("decides what is done"),
            Flow::Returned(name) => write!(f, "returned by `{name}`"),
        }
    }
}

/// All taints that came up.
#[derive(Default, Debug)]
pub(super) struct Taints {
    steps: Vec<(Step, Option<Taint>)>,
    numbers: HashMap<(Step, u32), Taint>,
}

impl Taints {
    /// The taint that goes on from another, in this context of calls. The first way counts.
    pub fn step(&mut self, context: u32, at: At, flow: Flow, from: Option<Taint>) -> Taint {
        let step = Step { at, flow };
        if let Some(taint) = self.numbers.get(&(step.clone(), context)) {
            return *taint;
        }
        // Less than one for each node, context and name: they fit.
        let taint = Taint(u32::try_from(self.steps.len()).unwrap_or(u32::MAX));
        self.steps.push((step.clone(), from));
        self.numbers.insert((step, context), taint);
        taint
    }

    /// The way of a taint, from its input on.
    pub fn way(&self, taint: Taint) -> Vec<Step> {
        let mut way = Vec::new();
        let mut next = Some(taint);
        while let Some((step, from)) = next.and_then(|t| self.steps.get(t.0 as usize)) {
            way.push(step.clone());
            next = *from;
        }
        way.reverse();
        way
    }
}
