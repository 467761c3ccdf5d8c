//! All techniques.

use crate::Detector;
use crate::amplification::Amplification;
use crate::hirace::HiRace;
use crate::symbolic_heap::{Rules, SymbolicHeap, Update};
use crate::two_thread::{Reading, TwoThread};

/// All techniques at one launch, in the order of tables: as its paper has it, and as it was repaired here
/// where the paper's does not do what it says.
pub fn all() -> Vec<Box<dyn Detector>> {
    let heap = |rules| SymbolicHeap { rules, update: Update::default() };
    vec![
        Box::new(TwoThread::reading(Reading::PRINTED)),
        Box::new(TwoThread::reading(Reading::REPAIRED)),
        Box::new(heap(Rules::Published)),
        Box::new(heap(Rules::TwoThreads)),
        Box::new(Amplification::default()),
        Box::new(HiRace::default()),
    ]
}
