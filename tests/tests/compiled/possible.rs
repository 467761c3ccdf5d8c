//! Translations that leave values open: what they allow, and what they insist on, held against
//! what the compiled kernel did.
//!
//! The program is run with unknown values: a branch on one takes both sides, a loop up to one
//! repeats until nothing new is learnt. What happens under such a branch may happen; all else must.
//!
//! A thread goes no further than its first stop. It must have computed an overflow there, and have
//! done until then what the translation says. A translation may leave stops out (THEORY §4): then
//! nothing is said of what comes after the overflow.

use crate::case::Case;
use crate::compare::{Verdict, line};
use crate::interpret::{Machine, Memory, Place, Stop, Thread};
use crate::log::{End, Overflowed, Run};
use crate::seen::{Seen, difference, may_not};
use babycuda_core::Site;
use babycuda_semantics::Instance;
use std::collections::BTreeMap;

/// What is allowed, and how exact that is.
struct Allowed {
    exact: bool,
    /// The thread that is stuck first: its phase and its number.
    stuck: Option<(usize, u64)>,
}

/// Compares each block's run with what the program allows. `stuck`: the thread of each block that
/// is stuck first, and its phase, as a run of the program says.
pub fn compare(
    case: &Case,
    instance: &Instance,
    runs: &[Run],
    stuck: Option<&[Option<(usize, u64)>]>,
) -> Verdict {
    let mut exact = true;
    for (block, run) in (0..).zip(runs) {
        let instance = instance.clone().with_block(block);
        let program = instance.program.clone();
        let unwritten = program.unwritten();
        let machine = Machine {
            program: &program,
            instance: &instance,
            unwritten,
            shared: Memory::default(),
            steps: 0,
            exact: true,
        };
        let different =
            |text| Verdict::Different(format!("with unknown values, block {block}, {text}"));
        match machine.compare(case, block, run) {
            Ok(allowed) => {
                let said = stuck.and_then(|stuck| stuck.get(block as usize));
                if said.is_some_and(|said| allowed.exact && *said != allowed.stuck) {
                    return different(format!("{said:?} is stuck, not {:?}", allowed.stuck));
                }
                exact &= allowed.exact;
            }
            Err(Stop::Open) => exact = false,
            Err(Stop::Limit) => return Verdict::Limit,
            Err(Stop::Wrong(text)) => return different(text),
        }
    }
    if exact { Verdict::Equal } else { Verdict::Possible }
}

impl<'p> Machine<'p> {
    fn compare(mut self, case: &Case, block: u64, run: &Run) -> Result<Allowed, Stop> {
        let wrong = |text: String| Err(Stop::Wrong(text));
        let mut threads = self.threads(block);
        for (number, phase) in run.phases.iter().enumerate() {
            let mut places = Vec::new();
            let (mut stuck, mut left_out) = (None, false);
            for (i, thread) in (0u64..).zip(&mut threads) {
                thread.own = Memory::default();
                thread.seen = Seen::default();
                let place = self.run(thread)?;
                places.push(place);
                let overflows: Vec<&Overflowed> = run.overflows_of(number, i).collect();
                let nothing = BTreeMap::new();
                let deeds = phase.get(&i).unwrap_or(&nothing);
                let text = match (place, &overflows[..]) {
                    (Place::Stopped(site), _) => {
                        stuck = stuck.or(Some((number, i)));
                        self.stop_difference(case, thread, site, &overflows)
                    }
                    (_, [first, ..]) => {
                        left_out = true;
                        may_not(&thread.seen, &first.deeds)
                    }
                    (_, []) => difference(case, &thread.seen, deeds),
                };
                if let Some(text) = text {
                    return wrong(format!("phase {number}, thread {i}, {text}"));
                }
            }
            let exact = self.exact && !left_out;
            if stuck.is_some() || left_out {
                return Ok(Allowed { exact, stuck });
            }
            self.merge(&threads);
            let last = number + 1 == run.phases.len();
            let other = places.iter().position(|p| *p != places[0]);
            let end = match other {
                Some(i) => End::Diverged {
                    line: self.line(places[0]),
                    other: i as u64,
                    other_line: self.line(places[i]),
                },
                None if places[0] == Place::End => End::Done,
                None => continue,
            };
            if !last || end != run.end {
                return wrong(format!("phase {number}: it ends {end:?}, not {:?}", run.end));
            }
            return Ok(Allowed { exact, stuck });
        }
        match run.end {
            End::Ambiguous | End::Fuel => Ok(Allowed { exact: false, stuck: None }),
            _ => wrong("it goes on".to_owned()),
        }
    }

    /// The line of a barrier; 0 for the end.
    fn line(&self, place: Place) -> u32 {
        match place {
            Place::End => 0,
            Place::Barrier(site) | Place::Stopped(site) => line(self.program, Some(site)),
        }
    }

    /// Does none of the thread's overflows explain that it stops at `site`?
    fn stop_difference(
        &self,
        case: &Case,
        thread: &Thread<'_>,
        site: Site,
        overflows: &[&Overflowed],
    ) -> Option<String> {
        let line = line(self.program, Some(site));
        let mut why = format!("it stops in line {line}, and computes no overflow");
        for overflow in overflows {
            if overflow.line != 0 && overflow.line != line {
                why = format!("it stops in line {line}, not in line {}", overflow.line);
                continue;
            }
            match difference(case, &thread.seen, &overflow.deeds) {
                None => return None,
                Some(text) => why = format!("before it stops in line {line}: {text}"),
            }
        }
        Some(why)
    }
}
