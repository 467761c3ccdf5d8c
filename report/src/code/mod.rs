//! The stable codes of what a checker reports: one table, from which every format and
//! `babycuda explain` take them.
//!
//! A code says what kind of thing was found. It never changes its meaning; new kinds get new codes.

mod table;

pub use table::CODES;

use babycuda_core::history::RaceKind;
use std::fmt;

/// What was found, or why nothing was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Code {
    /// Two writes of threads of one block.
    WriteWrite,
    /// A read and a write of threads of one block.
    ReadWrite,
    /// An atomic update and an access that it does not exclude, of threads of one block.
    Atomic,
    /// Threads of a group at different barriers, or one at a barrier and one at its end.
    Divergence,
    /// Not decided, for a reason that has no code of its own.
    Unknown,
    /// Accesses of threads of different blocks.
    BetweenBlocks,
    /// Not decided: a construct is not supported.
    Unsupported,
    /// Not decided: alarms rest on data.
    Data,
    /// Not decided: time, memory or another limit was used up.
    Limit,
    /// Not decided: nothing satisfies what is assumed.
    Vacuous,
    /// Not decided: which barriers threads reach was not found out.
    Barriers,
}

/// What the table says of a code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// Its name in reports: `BC001`.
    pub id: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// A minimal kernel of CUDA C that gets it.
    pub kernel: &'static str,
    /// The options of `babycuda check` that it takes, beside the file.
    pub options: &'static [&'static str],
    /// How to repair the kernel, or how to get a verdict.
    pub repair: &'static str,
    /// The rule or paper that it comes from.
    pub source: &'static str,
}

impl Code {
    /// The code of a race.
    pub fn of_race(kind: RaceKind, same_block: bool) -> Code {
        match (same_block, kind) {
            (false, _) => Code::BetweenBlocks,
            (true, RaceKind::WriteWrite) => Code::WriteWrite,
            (true, RaceKind::ReadWrite) => Code::ReadWrite,
            (true, RaceKind::Atomic) => Code::Atomic,
        }
    }

    /// The code with this name.
    pub fn named(id: &str) -> Option<Code> {
        let entry = CODES.iter().find(|entry| entry.id.eq_ignore_ascii_case(id));
        entry.map(|entry| entry.code)
    }

    /// The code of a verdict that is unknown for this reason, as verdicts state it: that of the first part
    /// of it that has one.
    pub fn of_unknown(reason: &str) -> Code {
        let known = |part: &str| {
            let has = |words: &&str| part.contains(words);
            if part.starts_with("not supported: ") {
                Some(Code::Unsupported)
            } else if part.starts_with("vacuous: ") {
                Some(Code::Vacuous)
            } else if LIMITS.iter().any(has) {
                Some(Code::Limit)
            } else if BARRIERS.iter().any(has) {
                Some(Code::Barriers)
            } else if DATA.iter().any(has) {
                Some(Code::Data)
            } else {
                None
            }
        };
        reason.split("; ").find_map(known).unwrap_or(Code::Unknown)
    }

    /// What the table says of it.
    pub fn entry(self) -> &'static Entry {
        // A test holds the table complete; what it lacks would be called what is not decided.
        CODES.iter().find(|entry| entry.code == self).unwrap_or(&CODES[0])
    }

    /// Its name in reports: `BC001`.
    pub fn id(self) -> &'static str {
        self.entry().id
    }

    /// What it is, in a few words.
    pub fn title(self) -> &'static str {
        self.entry().title
    }
}

/// What reasons say where a limit passed.
const LIMITS: [&str; 8] = [
    "time limit",
    "memory limit",
    "no answer within",
    "too large",
    "too many",
    "exceeds 64 bits",
    "bytes for",
    "the solver answered unknown",
];

/// What reasons say where barriers were not followed.
const BARRIERS: [&str; 5] = [
    "the phases of the protocol",
    "threads diverge",
    "come to different barriers",
    "may meet at a barrier again",
    "the block diverges before",
];

/// What reasons say where data decides.
const DATA: [&str; 4] =
    [" on data", "what atomic updates yield", "was not replayed", "which may hold"];

/// What the table says of a code, as text.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Entry { id, title, meaning, kernel, options, repair, source, .. } = self;
        writeln!(f, "{id}: {title}\n\n{meaning}\n\nA kernel that gets it:\n")?;
        kernel.lines().try_for_each(|line| writeln!(f, "    {line}"))?;
        if !options.is_empty() {
            let quoted = |word: &&str| match word.contains([' ', '<', '>', '&', '|', '*']) {
                true => format!("'{word}'"),
                false => (*word).to_owned(),
            };
            let options: Vec<String> = options.iter().map(quoted).collect();
            writeln!(f, "\nwith `babycuda check {}`", options.join(" "))?;
        }
        writeln!(f, "\nRepair: {repair}\n\nSource: {source}")
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
