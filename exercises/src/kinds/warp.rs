//! Find the warp bug: two threads that race although a barrier of a warp, or lockstep, seems to order them.

use super::account::{cell, lines, unreadable};
use crate::exercise::{Check, ExerciseError, Source};
use crate::grade::{Fault, Judged};
use crate::limits;
use crate::reading::{applied, cuda, material, settings};
use babycuda::semantics::Instance;
use babycuda_core::history::Race;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Access, AccessMode, Cell, Launch, Phase, Thread, counted};

/// A run that has a race.
#[derive(Clone, Debug)]
pub struct Warp {
    launch: Launch,
    phases: Vec<Phase>,
    /// A thread that must be one of the two.
    of: Option<u64>,
}

/// What was found.
struct Found {
    threads: [u64; 2],
    phase: usize,
    cell: Cell,
}

impl Check for Warp {
    /// Its block of `cuda` or `bcuda` is the kernel, with the settings `block` and `params`; and `of`, a thread that
    /// must be one of the two.
    fn read(source: &Source<'_>) -> Result<Warp, ExerciseError> {
        let settings = settings(source)?;
        let wrong = |fault: Box<Fault>| ExerciseError::new(fault.why);
        let program = match source.block("cuda") {
            Some(text) => cuda(text, &settings).map_err(wrong)?.1,
            None => applied(&material(source.need_block("bcuda")?)?, &settings).map_err(wrong)?,
        };
        let at = program.configuration(&program.body.free_vars());
        let at = at.map_err(|open| ExerciseError::new(open.to_string()))?;
        let launch = at.launch;
        let outcome = Instance::of(program, at).run(&limits::running());
        if !outcome.is_done() || outcome.history().is_drf() {
            return Err(ExerciseError::new(format!("its run has no race, or no end: {outcome:?}")));
        }
        let phases = outcome.history().chronological().map(|(_, phase)| phase.clone()).collect();
        let of = source.get("of").map(|_| source.number("of")).transpose()?;
        Ok(Warp { launch, phases, of })
    }

    fn judge(&self, answer: &str) -> Judged {
        let Found { threads: [a, b], phase: number, cell } = read(answer)?;
        let count = self.launch.block.count();
        if a == b || a >= count || b >= count {
            let why = format!(
                "a race is one of two different threads, and there are threads 0 to {}",
                count - 1
            );
            return Err(Fault::wrong("the threads", why));
        }
        if let Some(of) = self.of.filter(|of| ![a, b].contains(of)) {
            return Err(Fault::wrong(
                "the threads",
                format!("the race is to be one of thread {of}"),
            ));
        }
        let Some(phase) = self.phases.get(number) else {
            let why = format!("the run has {}", counted(self.phases.len() as u64, "phase"));
            return Err(Fault::wrong("the phase", why)
                .expecting("each barrier of the block begins a phase, the first is 0"));
        };
        for thread in [a, b] {
            self.accesses(phase, number, thread, &cell)?;
        }
        let mine = |race: &Race| {
            race.cell == cell && [race.first.0, race.second.0] == [a.min(b), a.max(b)]
        };
        if let Some(race) = phase.races(number).find(mine) {
            let kind = race.kind().description();
            return Ok(format!("a {kind} race: {race}, {}", self.warps(a, b)));
        }
        let writes = |thread| {
            phase.accesses().any(|access| {
                access.thread == thread && access.cell == cell && access.mode != AccessMode::Rd
            })
        };
        let step = "the accesses conflict and nothing orders them";
        if !writes(a) && !writes(b) {
            return Err(Fault::wrong(
                step,
                format!("both only read {cell} in phase {number} (Def. 1)"),
            ));
        }
        let why = format!(
            "a barrier whose group holds both threads stands between: {}",
            self.warps(a, b)
        );
        Err(Fault::wrong(step, why))
    }
}

impl Warp {
    /// A thread must access the cell.
    fn accesses(
        &self,
        phase: &Phase,
        number: usize,
        thread: u64,
        cell: &Cell,
    ) -> Result<(), Box<Fault>> {
        let own: Vec<Access> = phase.accesses().filter(|access| access.thread == thread).collect();
        if own.iter().any(|access| access.cell == *cell) {
            return Ok(());
        }
        let why = format!("thread {thread} does not access {cell} in phase {number}");
        let mut cells: Vec<String> =
            own.iter().take(8).map(|access| format!("{} {}", access.mode, access.cell)).collect();
        cells.extend((own.len() > 8).then(|| "…".to_owned()));
        let cells = if cells.is_empty() { "nothing".to_owned() } else { cells.join(", ") };
        Err(Fault::wrong("both threads access the cell", why)
            .expecting(format!("in phase {number} it accesses {cells}")))
    }

    /// Which warps two threads are of.
    fn warps(&self, a: u64, b: u64) -> String {
        let warp = |index| {
            self.launch.group(BarrierScope::Warp, Thread { block: 0, index }).first
                / u64::from(self.launch.warp)
        };
        match (warp(a), warp(b)) {
            (one, other) if one == other => format!("both are of warp {one}"),
            (one, other) => format!("thread {a} is of warp {one}, thread {b} of warp {other}"),
        }
    }
}

/// `threads: 3 32`, `phase: 0` and `cell: s[5]`, a line each.
fn read(answer: &str) -> Result<Found, Box<Fault>> {
    let (mut threads, mut phase, mut found) = (None, None, None);
    for (number, line) in lines(answer) {
        let fail = |why: &str| unreadable(number, format!("`{}`: {why}", line.trim()));
        match line.split_once(':').map(|(name, value)| (name.trim(), value.trim())) {
            Some(("threads", value)) => {
                let numbers: Vec<u64> =
                    value.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                let two: Result<[u64; 2], _> = numbers.try_into();
                threads =
                    Some(two.map_err(|_| fail("expected two numbers, as in `threads: 3 32`"))?);
            }
            Some(("phase", value)) => {
                phase =
                    Some(value.parse().map_err(|_| fail("expected a number, as in `phase: 0`"))?);
            }
            Some(("cell", value)) => found = Some(cell(value).map_err(|why| fail(&why))?),
            _ => return Err(fail("expected `threads: …`, `phase: …` or `cell: …`")),
        }
    }
    match (threads, phase, found) {
        (Some(threads), Some(phase), Some(cell)) => Ok(Found { threads, phase, cell }),
        _ => Err(Fault::refused(
            "the answer can be read",
            "it needs the lines `threads: …`, `phase: …` and `cell: …`",
        )),
    }
}
