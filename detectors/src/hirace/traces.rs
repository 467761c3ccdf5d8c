//! What happened to one cell, and whether it is a race: the ordering sentence of THEORY §4.

use babycuda_core::AccessMode;
use babycuda_core::shadow::{Chain, Label, MODES, mode_letter};

/// How many groups of a level there are in one of the next, from the narrowest: `[2, 3, 4]` is 4
/// blocks of 3 warps of 2 threads. Threads have numbers from 0, neighbours first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape(Vec<usize>);

impl Shape {
    /// One number for each level of the chain above that of a thread, each at least 1. `None`: there are other
    /// numbers, or more than 2^16 threads.
    pub fn new(chain: &Chain, widths: &[usize]) -> Option<Shape> {
        let fits = widths.iter().try_fold(1usize, |all, width| all.checked_mul(*width));
        let fits = fits.is_some_and(|all| (1..=1 << 16).contains(&all));
        (widths.len() == chain.grid() && fits).then(|| Shape(widths.to_vec()))
    }

    /// How many threads a group of a level has.
    pub fn threads(&self, level: usize) -> usize {
        self.0.iter().take(level).product()
    }

    /// The level of the narrowest group that holds both threads; 0: they are one.
    pub fn level(&self, t: usize, u: usize) -> usize {
        let together = |level: &usize| t / self.threads(*level) == u / self.threads(*level);
        (0..=self.0.len()).find(together).unwrap_or(self.0.len())
    }

    pub(super) fn all(&self) -> usize {
        self.threads(self.0.len())
    }

    pub(super) fn widths(&self) -> &[usize] {
        &self.0
    }
}

/// What happens to a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// A thread accesses it.
    #[allow(missing_docs)]
    Access { thread: usize, mode: AccessMode },
    /// All threads of a group pass a barrier of its level.
    #[allow(missing_docs)]
    Barrier { level: usize, group: usize },
}

impl Event {
    /// As HiRace's labels name things: `W0`, `GA1`, `wsync`, `bsync(1)`; without its number a group is the
    /// first one.
    pub fn show(self, chain: &Chain) -> String {
        match self {
            Event::Access { thread, mode } => format!("{}{thread}", mode_letter(mode)),
            Event::Barrier { level, group } => {
                let scope = chain.letter(level, true).to_lowercase();
                let group = if group > 0 { format!("({group})") } else { String::new() };
                format!("{scope}sync{group}")
            }
        }
    }
}

/// How wide a barrier a thread has passed since it accessed the cell so; `None`: it did not.
type Since = Option<u8>;

/// All that matters from now on of what happened to a cell: its threads, with the newest access in each mode of
/// those that an access to come may race with.
///
/// An access is forgotten at a later one, of the same thread or behind a barrier that orders both, if that one
/// conflicts with as much: what races with the earlier one races with the later one, too. For a thread behind the
/// later access is behind the earlier one: groups nest, so the group whose barrier says the former either holds
/// the earlier access's thread, too, or is a part of the group whose barrier ordered both accesses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Traces {
    pub(super) threads: Vec<Thread>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Thread {
    accesses: [Since; MODES.len()],
    /// Of the last access of all.
    last: Since,
}

/// Does an access of the first mode conflict with all that one of the other mode conflicts with?
pub(super) fn covers(mode: AccessMode, other: AccessMode) -> bool {
    [false, true].into_iter().all(|same_block| {
        let conflicts = |of: AccessMode, next| of.conflicts(next, same_block);
        MODES.into_iter().all(|next| conflicts(mode, next) || !conflicts(other, next))
    })
}

impl Traces {
    /// Nothing happened.
    pub fn start(shape: &Shape) -> Traces {
        Traces { threads: vec![Thread::default(); shape.all()] }
    }

    /// How a record of the last access sees one by this thread. Of the first access it knows nothing:
    /// that is as one by the same thread.
    pub fn label(&self, shape: &Shape, thread: usize, mode: AccessMode) -> Label {
        let last = self.threads.iter().zip(0..).find_map(|(t, u)| Some((u, t.last?)));
        let (last, sync) = last.unwrap_or((thread, 0));
        Label { mode, sync: sync.into(), relation: shape.level(thread, last) }.comparable()
    }

    /// What happened, with one event more; and whether that races with one before.
    #[must_use]
    pub fn then(&self, shape: &Shape, chain: &Chain, event: Event) -> (Traces, bool) {
        let mut after = self.clone();
        match event {
            Event::Barrier { level, group } => {
                let size = shape.threads(level);
                for thread in after.threads.iter_mut().skip(group * size).take(size) {
                    let all = thread.accesses.iter_mut().chain([&mut thread.last]);
                    all.flatten().for_each(|since| *since = (level as u8).max(*since));
                }
                (after, false)
            }
            Event::Access { thread, mode } => {
                let races = self.threads.iter().zip(0..).any(|(other, u)| {
                    let level = shape.level(thread, u);
                    let races = |(known, since): (AccessMode, Since)| {
                        let unordered = since.is_some_and(|since| usize::from(since) < level);
                        unordered && mode.conflicts(known, level <= chain.block())
                    };
                    MODES.into_iter().zip(other.accesses).any(races)
                });
                let covered = MODES.map(|known| covers(mode, known));
                for (u, other) in after.threads.iter_mut().enumerate() {
                    other.last = None;
                    let level = shape.level(thread, u);
                    for (since, covered) in other.accesses.iter_mut().zip(covered) {
                        if covered && since.is_some_and(|since| usize::from(since) >= level) {
                            *since = None;
                        }
                    }
                }
                if let Some(own) = after.threads.get_mut(thread) {
                    own.last = Some(0);
                    for (known, since) in MODES.into_iter().zip(&mut own.accesses) {
                        if known == mode {
                            *since = Some(0);
                        }
                    }
                }
                (after, races)
            }
        }
    }

    /// The same up to the numbers of threads in groups and of groups in wider ones.
    pub(super) fn canonical(mut self, shape: &Shape) -> Traces {
        for (level, width) in shape.widths().iter().enumerate() {
            let size = shape.threads(level);
            for group in self.threads.chunks_mut(size * width) {
                sort(group, size);
            }
        }
        self
    }
}

/// Sorts the parts of a group, each of `size` threads.
fn sort(group: &mut [Thread], size: usize) {
    for end in (1..group.len() / size).rev() {
        for place in 0..end {
            let (one, other) = group[place * size..][..2 * size].split_at_mut(size);
            if one > other {
                one.swap_with_slice(other);
            }
        }
    }
}
