//! What the virtual machine tells claims is what the reference semantics says.

use babycuda_campaign::setting;
use babycuda_core::history::{LastWrite, lastwrite};
use babycuda_core::{AccessMode, Accesses, Cell, Natural};
use babycuda_semantics::interleavings::{self, advance};
use babycuda_semantics::vm::{Code, Ending, Machine, Next};
use babycuda_semantics::{Instance, Policy, RunOptions};
use babycuda_validation::case;
use rand_xoshiro::rand_core::RngCore;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Programs as the one block that they are, each with its number.
fn instances(count: u64) -> impl Iterator<Item = (u64, Instance)> {
    let instance = |number| Some((number, case::instance(&case::generate(11, number))?));
    let instances = (0..count).filter_map(instance);
    instances.map(|(number, instance)| (number, instance.together().into_owned()))
}

/// A step as the machine has it.
fn named(next: &interleavings::Next, code: &Code) -> Next {
    let array = |cell: &Cell| {
        code.arrays().iter().position(|own| *own == cell.array).expect("an array of the program")
    };
    match next {
        interleavings::Next::Write(cell, value) => {
            Next::Write { array: array(cell), index: cell.index.clone(), value: value.clone() }
        }
        interleavings::Next::Read(cell, ..) => {
            Next::Read { array: array(cell), index: cell.index.clone() }
        }
        interleavings::Next::Atomic(cell, mode, update, ..) => Next::Atomic {
            array: array(cell),
            index: cell.index.clone(),
            mode: *mode,
            update: update.clone(),
        },
        interleavings::Next::Barrier(site, scope) => Next::Barrier(*site, *scope),
        interleavings::Next::End => Next::End,
    }
}

/// A thread by itself, whatever it sees, does what it does by substitution.
#[test]
fn threads_by_themselves_take_the_small_steps() {
    let (mut machine, mut steps, mut ends) = (Machine::default(), 0, 0);
    for (number, instance) in instances(setting("BABYCUDA_CASES", 500)) {
        let body = &instance.program.body;
        let code = Code::compile(body);
        let mut random = babycuda_campaign::random(number, 3);
        let mut threads = machine.threads(&code, &instance);
        for thread in BTreeSet::from([0, threads.len() / 2, threads.len() - 1]) {
            let values = instance.configuration.substitution_of(&body.free_vars(), thread as u64);
            let mut rest = vec![Arc::new(body.subst(&values))];
            for _ in 0..100 {
                let (next, after) = advance(rest, &mut 1_000_000).expect("a closed program");
                rest = after;
                let own = threads.next(thread).expect("a closed program");
                assert_eq!(own, named(&next, &code), "program {number}, thread {thread}");
                let seen = Natural::from(match random.next_u32() % 8 {
                    0 => random.next_u64(),
                    small => u64::from(small),
                });
                steps += 1;
                match next {
                    interleavings::Next::Read(_, x, body)
                    | interleavings::Next::Atomic(_, _, _, x, body) => {
                        rest.push(Arc::new(body.subst_value(&x, &seen)));
                    }
                    interleavings::Next::End => {
                        ends += 1;
                        break;
                    }
                    _ => {}
                }
                threads.go_on(thread, seen);
            }
        }
    }
    println!("{steps} steps, {ends} ends");
    assert!(steps > 3 * ends && ends > 100);
}

/// What a run tells without its history is what the history says.
#[test]
fn a_run_tells_what_its_history_says() {
    let mut machine = Machine::default();
    let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
    let (mut racy, mut several) = (0, 0);
    for (number, instance) in instances(setting("BABYCUDA_CASES", 500)) {
        let code = Code::compile(&instance.program.body);
        let mut made: BTreeMap<u64, u32> = BTreeMap::new();
        let mut watch = |visit: babycuda_semantics::vm::Visit| {
            *made.entry(visit.thread).or_default() += 1;
        };
        let run = machine.watch(&code, &instance, &options, &mut watch);
        let history = run.history();
        let mut phases = history.chronological();
        let first = phases.find(|(_, phase)| phase.is_racy()).map(|(number, _)| number);
        assert_eq!(run.first_racy(), first, "program {number}");
        racy += u32::from(first.is_some());
        let cell = |array: usize, index| Cell::new(code.arrays()[array].clone(), index);
        for (phase, expected) in history.chronological() {
            let stages = expected.stages().map(|stage| (stage.first, stage.end));
            assert!(run.groups(phase).eq(stages), "program {number}, phase {phase}");
            let place = |(place, own): ((usize, u64), &Accesses)| {
                let written = |mode, cell| match mode {
                    AccessMode::Wr => own.writes.get(cell).cloned(),
                    _ => None,
                };
                let told =
                    own.iter().map(|(mode, cell)| (place, mode, written(mode, cell), cell.clone()));
                told.collect::<Vec<_>>()
            };
            let expected: BTreeSet<_> = expected.places().flat_map(place).collect();
            let told = run.accesses_of(phase).map(|own| {
                ((own.stage, own.thread), own.mode, own.written, cell(own.array, own.index))
            });
            assert_eq!(told.collect::<BTreeSet<_>>(), expected, "program {number}, phase {phase}");
        }
        let own = history.newest_first().flat_map(|phase| phase.threads());
        let own = own.flat_map(|(_, own)| own.writes.keys().chain(own.atomics.keys()));
        let expected: BTreeMap<Cell, LastWrite> =
            own.map(|cell| (cell.clone(), lastwrite(cell, &history))).collect();
        let told = run.changed().map(|(array, index, left)| (cell(array, index), left));
        assert_eq!(told.collect::<BTreeMap<_, _>>(), expected, "program {number}");
        several += expected.values().filter(|left| matches!(left, LastWrite::Several(_))).count();
        let most = made.into_values().max().unwrap_or(0);
        match instance.program.body.waits_in_warps() {
            _ if matches!(run.ending(), Ending::Stuck(_)) => {}
            true => assert!(run.most_made() >= most, "program {number}"),
            false => assert_eq!(run.most_made(), most, "program {number}"),
        }
    }
    println!("{racy} racy, {several} cells of several values");
    assert!(racy > 50 && several > 50);
}
