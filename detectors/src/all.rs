//! All techniques.

use crate::Detector;
use crate::hirace::HiRace;

/// All techniques, each as its paper has it, in the order of tables.
pub fn all() -> Vec<Box<dyn Detector>> {
    vec![Box::new(HiRace::default())]
}
