//! The machine of a monitored text, as the table that it looks steps up in.

use crate::digest::mode_number;
use babycuda_core::shadow::{Label, MODES, Machine, State};

/// Room for the labels of a mode and state.
pub(crate) const LABELS: usize = 16;
/// The label of an access from another block.
pub(crate) const ELSEWHERE: usize = 5;
/// The step that leaves the word as it is.
pub(crate) const KEEP: u8 = 0x80;

/// The steps of a machine over threads, warps and blocks, of fewer than 128 states: by state, then by mode, then by
/// label. A label is 3 times the barrier between (0 none, 1 of the warp, 2 of the block), and the relation (0 the same
/// thread, 1 in its warp, 2 in its block); clocks of two warps cannot be compared, so the number 5 is free for another
/// block's thread.
pub(crate) fn steps(machine: &Machine) -> Option<Vec<u8>> {
    let states = State::try_from(machine.names().len()).ok().filter(|n| *n < u16::from(KEEP))?;
    let chain = machine.chain();
    if chain.block() != 2 || chain.widest_barrier() != 2 {
        return None;
    }
    let mut steps = Vec::new();
    for state in 0..states {
        let room = room(machine, state);
        for mode in MODES {
            for number in 0..LABELS {
                let next = label(number).map(|(sync, relation)| {
                    let next = machine.next(state, Label { mode, sync, relation });
                    let same = next == state && room.contains(&number);
                    // Below 128, as all states are.
                    if same { KEEP } else { next as u8 }
                });
                steps.push(next.unwrap_or(machine.race() as u8));
            }
        }
    }
    // `MODES` are in the order of their numbers.
    debug_assert!(MODES.into_iter().map(mode_number).eq(0..4));
    Some(steps)
}

/// The barrier and the relation of a label.
fn label(number: usize) -> Option<(usize, usize)> {
    match number {
        ELSEWHERE => Some((0, 3)),
        0..=8 => Some((number / 3, number % 3)),
        _ => None,
    }
}

/// The labels of accessors that could stand in the word instead of the last one, as far as the state's next steps
/// go: of its warp behind the same barriers, of its block behind the same barriers of the block, or of anywhere.
fn room(machine: &Machine, state: State) -> &'static [usize] {
    let alike = |labels: &[usize]| {
        MODES.into_iter().all(|mode| {
            let next = |number: &usize| {
                label(*number)
                    .map(|(sync, relation)| machine.next(state, Label { mode, sync, relation }))
            };
            labels.windows(2).all(|pair| next(&pair[0]) == next(&pair[1]))
        })
    };
    if alike(&[0, 1, 2, 3, 4, ELSEWHERE, 6, 7, 8]) {
        &[0, 1, 2, 3, 4, ELSEWHERE, 6, 7, 8]
    } else if alike(&[0, 1, 2, 3, 4]) && alike(&[6, 7, 8]) {
        &[0, 1, 2, 3, 4]
    } else if alike(&[0, 1]) && alike(&[3, 4]) && alike(&[6, 7]) {
        &[0, 1]
    } else {
        &[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::AccessMode;
    use babycuda_core::shadow::INIT;
    use babycuda_core::syntax::Scope;

    #[test]
    fn a_step_is_the_machine_s_or_changes_nothing() {
        let machine = Machine::exact();
        let steps = steps(&machine).expect("a table");
        let mut kept = 0;
        for (place, step) in steps.iter().enumerate() {
            let state = (place / LABELS / 4) as State;
            let mode = MODES[place / LABELS % 4];
            let Some((sync, relation)) = label(place % LABELS) else { continue };
            let next = machine.next(state, Label { mode, sync, relation });
            match *step {
                KEEP => assert_eq!(next, state),
                step => assert_eq!(next, u16::from(step)),
            }
            kept += usize::from(*step == KEEP);
        }
        assert!(kept > 40, "{kept}");
        let at = |state: State, mode: AccessMode, label: usize| {
            steps[(usize::from(state) * 4 + usize::from(mode_number(mode))) * LABELS + label]
        };
        // A race stays one; what nobody accessed does not stay so.
        assert_eq!(at(machine.race(), AccessMode::Wr, ELSEWHERE), KEEP);
        assert_ne!(at(INIT, AccessMode::At(Scope::Block), 0), KEEP);
    }
}
