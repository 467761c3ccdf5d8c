//! What is fuzzed: a tool, and what it says of a kernel.

use babycuda_validation::scorecard::{About, Case};
use std::path::Path;
use std::time::Duration;

/// Something that says of kernels whether they race.
pub trait Tool: Sync {
    /// How the command line calls it: a name, or a command.
    fn name(&self) -> &str;

    /// All that its answers depend on: a campaign of another does not go on.
    fn identity(&self) -> String {
        self.name().to_owned()
    }

    /// Does it speak of one run, with the contents that it is given, or of all contents?
    fn about(&self) -> About;

    /// What it has to say of barriers at which threads diverge.
    fn divergence(&self) -> Divergence;

    /// Does its name stand for it where a disagreement is asked about again, by `babycuda fuzz replay`?
    fn has_name(&self) -> bool {
        false
    }

    /// Writes a kernel to a folder, which is made, as the tool reads it; the command that asks the tool about it, which is
    /// empty for what is called as a function.
    ///
    /// # Errors
    /// Why the tool cannot be asked.
    fn prepare(&self, case: &Case, contents: u32, folder: &Path) -> Result<Vec<String>, String>;

    /// Is it to be asked no more? The campaign ends then.
    fn is_gone(&self) -> bool {
        false
    }

    /// What it says of a kernel at its launch, with these contents of `d`.
    fn ask(&self, case: &Case, contents: u32, within: Duration) -> Said;
}

/// What a tool has to say of barriers at which threads diverge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Divergence {
    /// Nothing: it looks for races only.
    Ignored,
    /// That something is wrong: its alarms may mean a race or a divergence.
    Alarm,
    /// That it is one: it tells races and divergences apart.
    Apart,
}

/// What a tool said.
#[derive(Clone, Debug)]
pub struct Said {
    /// What that comes to.
    pub answer: Answer,
    /// Its words.
    pub words: String,
}

/// What the words of a tool come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No race.
    RaceFree,
    /// A race, or whatever it calls wrong, where it does not say which.
    Racy,
    /// A barrier at which threads diverge, and no race: of who tells the two apart.
    Divergent,
    /// It does not say: why.
    Unsupported(String),
    /// It ended as no program should.
    Crash(String),
    /// It did not end in time.
    TimeOut,
}
