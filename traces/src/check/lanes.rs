//! Barriers of some lanes of a warp: what they lead to, one after the other (THEORY §4), by vector clocks.

/// The lanes of a warp, of at most 64. The accesses of a lane between two barriers of it have a number, its epoch.
#[derive(Debug)]
pub(super) struct Clocks {
    /// When all of the warp met last; nothing before that counts.
    since: u32,
    epochs: Box<[u32]>,
    /// By lane, and by another lane: how many of its epochs are before what the lane does now.
    known: Box<[u32]>,
}

impl Clocks {
    pub(super) fn new(lanes: usize) -> Clocks {
        let (epochs, known) = (vec![0; lanes].into(), vec![0; lanes * lanes].into());
        Clocks { since: 0, epochs, known }
    }

    pub(super) fn memory(lanes: usize) -> usize {
        4 * lanes * (lanes + 1) + 128
    }

    pub(super) fn since(&self) -> u32 {
        self.since
    }

    /// All of the warp met at this time.
    pub(super) fn renew(&mut self, since: u32) {
        if self.since != since {
            self.since = since;
            self.epochs.fill(0);
            self.known.fill(0);
        }
    }

    /// The lanes of a mask meet.
    pub(super) fn pass(&mut self, mask: u64) {
        let all = self.epochs.len();
        let lanes = || (0..all).filter(move |lane| mask >> lane & 1 == 1);
        let mut joined = vec![0; all];
        for lane in lanes() {
            // There are fewer barriers than numbers of 32 bits.
            self.epochs[lane] += 1;
            for (known, joined) in self.known[lane * all..][..all].iter().zip(&mut joined) {
                *joined = (*known).max(*joined);
            }
        }
        for lane in lanes() {
            joined[lane] = self.epochs[lane];
        }
        for lane in lanes() {
            self.known[lane * all..][..all].copy_from_slice(&joined);
        }
    }

    /// The epoch of a lane.
    pub(super) fn epoch(&self, lane: u32) -> u32 {
        self.epochs.get(lane as usize).copied().unwrap_or(0)
    }

    /// Do barriers lead from an access of a lane, in this epoch of it, to what another lane does now?
    pub(super) fn leads(&self, from: u32, epoch: u32, to: u32) -> bool {
        let known = self.known.get(to as usize * self.epochs.len() + from as usize);
        known.is_some_and(|known| *known > epoch)
    }
}
