//! The monitor's table is the exact machine. `BABYCUDA_BLESS=1` writes it.

use babycuda_core::AccessMode;
use babycuda_core::shadow::{INIT, Label, MODES, Machine, State};
use std::fmt::Write;

/// What a record tells of an access, by the highest field of the words that differs: nothing, the lane, the warp's
/// clock, the warp, the block's clock, the block. Each with the labels that it stands for, as (barrier, relation).
const CLASSES: [(&str, &[(usize, usize)]); 6] = [
    ("same", &[(0, 0)]),
    ("lane", &[(0, 1)]),
    ("warp's clock", &[(1, 0), (1, 1)]),
    ("warp", &[(0, 2)]),
    ("block's clock", &[(2, 0), (2, 1), (2, 2)]),
    ("block", &[(0, 3)]),
];

/// How many codes there are for states: level, then whether a read can leave it, then a number below 4.
const CODES: usize = 32;

/// A machine, as the monitor has it.
struct Table {
    /// By code.
    states: [Option<State>; CODES],
    /// By mode (a read and a write at once is the last), code, and class: a code.
    next: Vec<[[usize; CLASSES.len()]; CODES]>,
}

/// The state after an access, which is the same for all labels of the class.
fn step(machine: &Machine, state: State, mode: AccessMode, class: usize) -> State {
    let label = |&(sync, relation)| Label { mode, sync, relation };
    let mut all = CLASSES[class].1.iter().map(|pair| machine.next(state, label(pair)));
    let first = all.next().expect("a class has labels");
    assert!(all.all(|next| next == first), "{state}: the labels of class {class} differ");
    first
}

/// In how wide a group the machine does not care which thread the last one was, nor of narrower barriers: 0 is the
/// thread itself, 3 the grid. All accesses to come lead to the same states then.
fn level(machine: &Machine, state: State) -> usize {
    let same = |classes: &[usize]| {
        let next = |mode, class| step(machine, state, mode, class);
        MODES
            .into_iter()
            .all(|mode| classes.iter().all(|c| next(mode, *c) == next(mode, classes[0])))
    };
    let within: [&[usize]; 3] = [&[0, 1], &[0, 1, 2, 3], &[0, 1, 2, 3, 4, 5]];
    within.into_iter().take_while(|classes| same(classes)).count()
}

impl Table {
    fn new(machine: &Machine) -> Table {
        let mut states = [None; CODES];
        for state in 0..machine.names().len() as State {
            let read = step(machine, state, AccessMode::Rd, 0) == state;
            // Nothing was accessed: a word of zeros.
            let base =
                if state == INIT { 0 } else { level(machine, state) * 8 + usize::from(read) * 4 };
            let free = (base..base + 4).find(|code| states[*code].is_none()).expect("a code");
            states[free] = Some(state);
        }
        assert_eq!(states[0], Some(INIT));
        let code = |state| states.iter().position(|known| *known == Some(state)).expect("a code");
        let next = (0..=MODES.len()).map(|mode| {
            std::array::from_fn(|from| {
                let Some(state) = states[from] else {
                    return [code(machine.race()); CLASSES.len()];
                };
                std::array::from_fn(|class| match MODES.get(mode) {
                    Some(mode) => code(step(machine, state, *mode, class)),
                    None => {
                        let read = step(machine, state, AccessMode::Rd, class);
                        code(step(machine, read, AccessMode::Wr, 0))
                    }
                })
            })
        });
        let next = next.collect();
        Table { states, next }
    }

    fn code(&self, state: State) -> usize {
        self.states.iter().position(|known| *known == Some(state)).expect("a code")
    }

    /// The header.
    fn show(&self, machine: &Machine) -> String {
        let mut out = HEAD.to_owned();
        let _ = writeln!(out, "constexpr unsigned kRace = {};", self.code(machine.race()));
        let first = self.next.iter().map(|rows| rows[0][0].to_string()).collect::<Vec<_>>();
        let _ = writeln!(out, "// By mode: the state after a first access.");
        let _ = writeln!(out, "constexpr unsigned kFirst[] = {{{}}};", first.join(", "));
        let kept = self.next.iter().map(|rows| {
            let kept =
                (0..CODES).filter(|code| self.states[*code].is_some() && rows[*code][0] == *code);
            format!("{:#010x}u", kept.fold(0u32, |all, code| all | 1 << code))
        });
        let _ = writeln!(
            out,
            "// By mode: the states that an access by the last thread leaves as they are."
        );
        let _ = writeln!(
            out,
            "constexpr unsigned kKept[] = {{{}}};",
            kept.collect::<Vec<_>>().join(", ")
        );
        out += NEXT;
        for rows in &self.next {
            for row in rows {
                let row = row.iter().map(|code| format!("{code:2}, ")).collect::<String>();
                let race = self.code(machine.race());
                let _ = writeln!(out, "    {row}{race}, {race},");
            }
        }
        out += NAMES;
        for state in self.states {
            let name = state.map_or("", |state| &machine.names()[usize::from(state)]);
            let _ = writeln!(out, "    \"{name}\",");
        }
        out += TAIL;
        out
    }
}

const HEAD: &str = "\
// The state machine of babycuda_monitor.cuh: core/src/shadow/exact.csv, with its own numbers of states.
// BABYCUDA_BLESS=1 cargo test -p babycuda-detectors --test monitor writes this file.
#pragma once

namespace babycuda {
namespace table {

// A state's number has 5 bits. The two highest are its level: in a group of that level (0 the thread, 1 its warp, 2
// its block, 3 the grid) it does not matter which thread was the last one. The next bit: reads there leave it.
";

const NEXT: &str = "
// The state after an access, by the access (read, write, atomic of the block, of the device, read and write), the
// state, and what differs of the last accessor: nothing, lane, clock of the warp, warp, clock of the block, block.
BABYCUDA_CONSTANT unsigned char kNext[5 * 32 * 8] = {
";

const NAMES: &str = "};

#ifndef __CUDACC_RTC__
// As in docs/HIRACE.md; the first letter of a name is how the cell was accessed last.
static const char* const kNames[32] = {
";

const TAIL: &str = "};
#endif

}  // namespace table
}  // namespace babycuda
";

#[test]
fn the_header_has_the_exact_machine() {
    let machine = Machine::exact();
    let text = Table::new(&machine).show(&machine);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../include/babycuda_monitor_table.h");
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(path, &text).expect("the header");
    }
    assert_eq!(
        std::fs::read_to_string(path).expect("the header"),
        text,
        "BABYCUDA_BLESS=1 writes it"
    );
}
