//! What a thread does, by the small steps of [`interleavings`](babycuda_semantics::interleavings), one
//! thread alone: it goes on with whatever value it is told that it saw. Runs of one program are often
//! alike, so what a thread did in one of them is known in the next.

use babycuda_core::expr::Renaming;
use babycuda_core::name::reserved::is_private;
use babycuda_core::{Name, Natural, Stmt};
use babycuda_semantics::Instance;
use babycuda_semantics::interleavings::{Next, Rest, TooLarge, advance};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Silent steps from one access or barrier to the next: far more than any thread takes within its fuel.
const STEPS: u64 = 1 << 24;

/// What a thread of a program does, as far as anyone followed it.
#[derive(Debug)]
pub(crate) struct Walk {
    /// The parts of the program's body, one after the other, of all threads.
    parts: Arc<[Stmt]>,
    /// What stands for the thread's own variables.
    values: Renaming,
    places: Mutex<Vec<Place>>,
}

/// Where a thread is.
#[derive(Debug)]
struct Place {
    next: Next,
    /// What is left of the part after that.
    rest: Rest,
    /// How many parts the thread has begun.
    begun: usize,
    /// Where it goes on, by the value that it sees, in order; behind what sees none, by 0.
    then: Vec<(Natural, usize)>,
}

/// A thread on its way.
pub(crate) struct Walker<'a> {
    walk: &'a Walk,
    places: MutexGuard<'a, Vec<Place>>,
    at: usize,
}

/// The walks of the threads of the block.
///
/// # Errors
/// A free variable, or too many silent steps.
pub(crate) fn walks(instance: &Instance) -> Result<Vec<Walk>, TooLarge> {
    let (at, body) = (&instance.configuration, &instance.program.body);
    let (own, common): (Vec<Name>, Vec<Name>) =
        body.free_vars().into_iter().partition(|x| is_private(x));
    let parts: Arc<[Stmt]> = parts(body.subst(&at.substitution_of(&common, 0))).into();
    let walk = |thread| {
        let (parts, values) = (parts.clone(), at.substitution_of(&own, thread));
        let walk = Walk { parts, values, places: Mutex::default() };
        let start = walk.place(Vec::new(), 0)?;
        walk.places().push(start);
        Ok(walk)
    };
    (0..instance.block().len()).map(walk).collect()
}

/// The parts of a sequence, in order: `(b; c); d` does what `b; (c; d)` does.
fn parts(body: Stmt) -> Vec<Stmt> {
    let (mut parts, mut left) = (Vec::new(), vec![Arc::new(body)]);
    while let Some(next) = left.pop() {
        match &*next {
            Stmt::Seq(first, second) => left.extend([second.clone(), first.clone()]),
            Stmt::Skip => {}
            part => parts.push(part.clone()),
        }
    }
    parts
}

impl Walk {
    /// The thread at its start.
    pub(crate) fn start(&self) -> Walker<'_> {
        Walker { walk: self, places: self.places(), at: 0 }
    }

    fn places(&self) -> MutexGuard<'_, Vec<Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the thread is with this left of the parts that it has begun.
    fn place(&self, rest: Rest, mut begun: usize) -> Result<Place, TooLarge> {
        let mut steps = STEPS;
        let (mut next, mut rest) = advance(rest, &mut steps)?;
        while next == Next::End
            && let Some(part) = self.parts.get(begun)
        {
            (next, rest) = advance(vec![Arc::new(part.subst(&self.values))], &mut steps)?;
            begun += 1;
        }
        Ok(Place { next, rest, begun, then: Vec::new() })
    }
}

impl Walker<'_> {
    /// What it does next.
    pub(crate) fn next(&self) -> &Next {
        &self.places[self.at].next
    }

    /// Does what is next, and sees this value, if it sees any.
    ///
    /// # Errors
    /// A free variable, or too many silent steps.
    pub(crate) fn go_on(&mut self, seen: Natural) -> Result<(), TooLarge> {
        let new = self.places.len();
        let Place { next, rest, begun, then } = &mut self.places[self.at];
        let place = match then.binary_search_by(|(value, _)| value.cmp(&seen)) {
            Ok(known) => {
                self.at = then[known].1;
                return Ok(());
            }
            Err(place) => place,
        };
        let mut rest = rest.clone();
        if let Next::Read(_, x, body) | Next::Atomic(_, _, _, x, body) = next {
            rest.push(Arc::new(body.subst_value(x, &seen)));
        }
        let after = self.walk.place(rest, *begun)?;
        then.insert(place, (seen, new));
        self.places.push(after);
        self.at = new;
        Ok(())
    }
}
